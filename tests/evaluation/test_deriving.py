"""Facts are found in talks that bring none, by the rule that the module gives."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.talking import small_talk
from pace.evaluation.deriving import derived_facts, is_poor_in_names
from pace.evaluation.matching import Positions
from pace.evaluation.stems import telling_stems
from pace.evaluation.talks import Fact, SaidTurn, Side


def derived(*turns: tuple[str, str]) -> dict[str, Fact]:
    """The facts of a talk with some small talk after it, by what they look for."""
    said = tuple(SaidTurn(*turn) for turn in (*turns, *small_talk(6)))
    return {fact.answer: fact for fact in derived_facts(said)}


def test_both_sides_tell_names_numbers_and_identifiers() -> None:
    """Each is a fact of the turn and the side that say it first."""
    facts = derived(
        ("my sister Ottilie lives in Bergen", "Her train leaves at 9:15."),
        ("her booking is KX-4417 for 1,250 crowns", "Then greet Ottilie from me."),
    )
    assert [(f.answer, f.turn, f.by) for f in facts.values()] == [
        ("Ottilie", 0, Side.USER),
        ("Bergen", 0, Side.USER),
        ("9:15", 0, Side.ASSISTANT),
        ("KX-4417", 1, Side.USER),
        ("1,250", 1, Side.USER),
    ]


def test_cues_are_the_nearest_words_of_the_sentence() -> None:
    """At most six, the nearest first, and none of another sentence or of the value itself."""
    said = (
        "The weather is grim. Tomorrow morning the old wooden ferry carries freight KX-4417 north "
        "beside rocky shores. Bring soup."
    )
    fact = derived((said, "Noted."))["KX-4417"]
    assert fact.keywords == ("kx", "4417")
    assert fact.cues == tuple(telling_stems("freight north carries beside ferry rocky"))


def test_common_values_are_weak() -> None:
    """A number below a thousand and a common word alone need a cue; the others do not."""
    facts = derived(
        ("we saw Rose on platform 12 with seven bags", "In 1998 Ottilie paid 1,250 crowns."),
    )
    assert {answer for answer, fact in facts.items() if fact.weak} == {"Rose", "12", "seven"}
    assert {"Ottilie", "1998", "1,250"} <= set(facts)


def test_weak_values_without_a_cue_are_none() -> None:
    """Nothing could ever show that they were kept."""
    assert not derived(("12", "Noted."))


def test_a_value_restated_in_another_form_is_one_fact() -> None:
    """It is compared by its stems, so that 1,250 and 1250 are the same."""
    facts = derived(("it costs 1,250 crowns", "So 1250 crowns."), ("yes, 1250 crowns", "Fine."))
    assert list(facts) == ["1,250"]


def test_what_stands_nearly_everywhere_tells_nothing() -> None:
    """A value in more than a third of all turns is left out, one in a third is not."""

    def talk(times: int) -> tuple[SaidTurn, ...]:
        return tuple(
            SaidTurn("and then we met Ottilie" if number < times else "and then?", "Well.")
            for number in range(9)
        )

    assert [fact.answer for fact in derived_facts(talk(3))] == ["Ottilie"]
    assert derived_facts(talk(4)) == ()


def test_a_name_is_not_looked_for_in_a_word_that_holds_it() -> None:
    """Nor is it the same as a word in small letters."""
    (fact,) = [
        f
        for f in derived(("the annual bill: so said our neighbour Bill", "")).values()
        if f.answer == "Bill"
    ]
    assert "neighbour" in fact.cues[0]


def test_numbers_and_titled_names_are_found_without_spaces() -> None:
    """In a script without spaces, beside the words around them."""
    facts = derived(("火车在3月15日九点开。票价1,200元，李明先生也去。", "车次是G7341！好"))
    assert {"3", "15", "1,200", "明先生", "G7341"} <= set(facts)
    assert "票价" in facts["1,200"].cues


def test_cues_come_from_nearby_however_long_a_sentence_is() -> None:
    """A sentence may be a whole file: a word far off is none, and none is cut in two."""
    said = f"harbour {'wordless ' * 80}ferry KX-4417 north {'wordless ' * 80}harbour"
    assert derived((said, "Noted."))["KX-4417"].cues == ("ferri", "north", "wordless")


def test_a_talk_without_capital_letters_is_poor_in_names() -> None:
    """Chinese is, Greek and English with a Chinese word are not."""
    talks = ("我们去杭州，KX.", "πάμε Αθήνα", "we go to 杭州 tomorrow", "12")
    found = [is_poor_in_names([SaidTurn(text, "")]) for text in talks]
    assert found == [True, False, False, False]


_WORDS = st.sampled_from(
    [
        "Ottilie",
        "KX-4417",
        "12",
        "seven",
        "1,250",
        "9:15pm",
        "train",
        "the",
        "Bill",
        "müller",
        "李明",
        "去3月15日，李明先生在。",
        "！票价1,200円",
    ]
)
_HALVES = st.lists(_WORDS, max_size=8).map(" ".join) | st.text(max_size=30)


@given(st.lists(st.builds(SaidTurn, _HALVES, _HALVES), max_size=8))
def test_every_derived_fact_stands_where_it_says(turns: list[SaidTurn]) -> None:
    """In whatever was said, each fact is found in its own turn beside its cues, once."""
    facts = derived_facts(turns)
    for fact in facts:
        said = turns[fact.turn].said_by(fact.by)
        assert Positions(said).hold_by_subject(fact)
        assert len(fact.cues) <= 6
        assert not set(fact.cues) & set(fact.keywords)
    assert len({frozenset(fact.keywords) for fact in facts}) == len(facts)
    assert [fact.turn for fact in facts] == sorted(fact.turn for fact in facts)
