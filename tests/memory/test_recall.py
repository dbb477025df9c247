"""What was said earlier is found by the words that ask for it, and only then."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.plain import NEXT, NOW, SESSION, folded, said, thread
from pace.memory.markers import BlockName
from pace.memory.prompt import Draft, recall_block, set_prompt
from pace.memory.recall import KEPT_CHARACTERS, RECALL_TOKENS, Displaced, kept, recalled
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import TurnId, TurnPair

TOLD = {
    1: ("My booking code is KX-4417.", "Noted, KX-4417."),
    2: ("My sister Ottilie lives in Bergen.", "A fine town."),
    3: ("We had soup for lunch.", "Was it good?"),
    4: ("The kettle is teal.", "A teal kettle, then."),
    5: ("I sold my old bicycle.", "Who bought it?"),
    6: ("Rain again today.", "Take a coat."),
}


def pair(number: int, user: str, reply: str = "Noted.") -> TurnPair:
    """A pair of a session."""
    return TurnPair(
        turn_id=TurnId(str(number)),
        number=number,
        user_text=user,
        reply_text=reply,
        recorded_at=NOW,
    )


DISPLACED = [Displaced.of(pair(number, *texts)) for number, texts in TOLD.items()]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("What was my booking code?", "KX-4417"),
        ("where does my sister live", "Bergen"),
        ("Which colour do kettles like mine have?", "teal"),
        ("And the bicycles?", "sold"),
    ],
)
def test_words_bring_back_what_they_ask_for(words: str, found: str) -> None:
    """By a word of it in any of its usual forms, with the whole pair."""
    assert found in recalled(DISPLACED, words)


@pytest.mark.parametrize(
    "words", ["", "Thank you!", "and so it is", "Quantum chromodynamics", "?!"]
)
def test_other_words_bring_nothing_back(words: str) -> None:
    """What is not asked for costs no tokens."""
    assert recalled(DISPLACED, words) == ""


def test_what_is_brought_back_is_in_the_order_in_which_it_was_said() -> None:
    """However well each of them fits."""
    text = recalled(DISPLACED, "my teal kettle, my sister Ottilie and my booking code")
    assert text.index("KX-4417") < text.index("Bergen") < text.index("teal")


def test_words_without_spaces_are_found_too() -> None:
    """In scripts that put none between words."""
    japanese = [*DISPLACED, Displaced.of(pair(7, "予約番号は4417です。", "はい。"))]
    assert "4417" in recalled(japanese, "予約番号は何ですか")


def test_long_pairs_are_shown_by_the_sentences_that_fit() -> None:
    """And so two of them have room."""
    filler = "The weather was mild and the sea lay still for hours on end. " * 30
    long = [
        Displaced.of(pair(1, "Go on.", f"{filler}The ferry to Askim leaves at 7. {filler}")),
        Displaced.of(pair(2, "Go on.", f"{filler}The ferry costs 40 crowns. {filler}")),
        *DISPLACED[2:],
    ]
    text = recalled(long, "the ferry to Askim: when, and what are its costs")
    assert "leaves at 7" in text
    assert "40 crowns" in text


@given(
    texts=st.lists(st.tuples(st.text(max_size=400), st.text(max_size=4000)), max_size=8),
    words=st.text(max_size=200),
)
def test_recall_never_takes_more_room_than_it_has(texts: list[tuple[str, str]], words: str) -> None:
    """Whatever was said, and whatever is asked."""
    pairs = [
        Displaced.of(pair(number, f"u {user}", f"r {reply}"))
        for number, (user, reply) in enumerate(texts, start=1)
    ]
    asked = words or "u r"
    assert estimate_tokens(recalled(pairs, asked)) <= RECALL_TOKENS


def long_thread(*, recall: bool = True) -> ThreadMemory:
    """A thread with a window of one pair, and the others folded."""
    memory = thread(window_size=1, recall=recall)
    for number, (user, reply) in TOLD.items():
        memory = said(memory, str(number), user_text=user, reply_text=reply)
    return folded(memory, "They talked.")


def test_block_holds_what_no_other_part_shows() -> None:
    """What is pending, or in the window, is not shown a second time."""
    memory = long_thread()
    block = recall_block(memory, "What is my booking code?")
    assert block is not None
    assert block.name is BlockName.RECALLED_TURNS
    assert "KX-4417" in block.text
    prompt = set_prompt(
        Draft.of(memory, system="s", words="What is it?", blocks=(block,)), estimate_tokens
    )
    assert prompt.messages[-1].content.startswith("<recalled_turns>")
    assert prompt.messages[-1].content.endswith("What is it?")
    assert prompt.parts.recalled <= RECALL_TOKENS + 40
    fresh = said(memory, "7", user_text="The gate is B7.")
    fresh = said(fresh, "8", user_text="Hm.")
    assert [each.number for each in fresh.pending] == [6, 7]
    assert recall_block(fresh, "Which gate is it, B7?") is None


def test_it_is_off_unless_it_is_wanted() -> None:
    """Then nothing more is held than before."""
    memory = long_thread(recall=False)
    assert memory.displaced == ()
    assert recall_block(memory, "What is my booking code?") is None


def test_it_ends_with_the_session_and_with_the_switch() -> None:
    """A reset, memory off, and recall off each leave none of it."""
    memory = long_thread()
    assert memory.displaced
    assert memory.end_session(SESSION, NEXT, now=NOW).displaced == ()
    for change in ({"recall": False}, {"remember": False}):
        limits = replace(memory.limits, **change)
        assert memory.with_limits(limits, next_session_id=NEXT, now=NOW).displaced == ()
    struck = memory.strike("KX-4417")
    assert recall_block(struck, "What is my booking code?") is None


def test_only_the_newest_are_kept() -> None:
    """No more than there is room for."""
    long = [Displaced.of(pair(number, "x" * (KEPT_CHARACTERS // 4))) for number in range(1, 7)]
    assert [each.pair.number for each in kept(long)] == [4, 5, 6]
    assert kept(long[:2]) == tuple(long[:2])
