"""What was said earlier is found by the words that ask for it, and only then."""

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.plain import NEXT, NOW, SESSION, folded, said, thread
from pace.memory.markers import BlockName, harmless
from pace.memory.prompt import RECALL_TOKENS, Draft, recall_block, recalled_turns, set_prompt
from pace.memory.recall import KEPT_BYTES, LONGEST_KEPT, Displaced, kept
from pace.memory.recall import recalled as recalled_within
from pace.memory.snapshot import from_plain, to_plain
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
ROOM = 220


def recalled(displaced: Sequence[Displaced], words: str) -> str:
    """What the words bring back, with the usual room."""
    return recalled_within(displaced, words, tokens=ROOM)


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
    """Whatever was said, and whatever is asked; in a prompt, too, with all that frames it."""
    pairs = [
        Displaced.of(pair(number, f"u {user}", f"r {reply}"))
        for number, (user, reply) in enumerate(texts, start=1)
    ]
    asked = words or "u r"
    assert estimate_tokens(harmless(recalled(pairs, asked))) <= ROOM


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
    assert 0 < prompt.parts.recalled <= RECALL_TOKENS
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
    long = [Displaced.of(pair(number, "x y " * 20_000)) for number in range(1, 40)]
    numbers = [each.pair.number for each in kept(long)]
    assert numbers == list(range(40 - len(numbers), 40))
    assert 0 < len(numbers) < 39
    assert kept(long[:2]) == tuple(long[:2])


def test_what_is_too_long_to_be_searched_takes_nothing_else_along() -> None:
    """A pasted book is not kept, and all before it is."""
    book = Displaced.of(pair(7, "x " * LONGEST_KEPT))
    assert kept([*DISPLACED, book]) == tuple(DISPLACED)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("".join(f"w{n:05} " for n in range(2_000)), id="words of their own"),
        pytest.param("".join(map(chr, range(0x4E00, 0x9000))), id="Chinese"),
        pytest.param("The weather was mild and the sea lay still. " * 300, id="English"),
        pytest.param("Hm.", id="short"),
        pytest.param("So it is \U0001f600. " * 600, id="with emoji"),
    ],
)
def test_memory_is_bounded_in_bytes(text: str) -> None:
    """In whatever script, and however many the words."""
    tracemalloc.start()
    try:
        held: tuple[Displaced, ...] = ()
        for number in range(1, 6_000):
            user = f"{number} {text}"
            held = (*held, Displaced.of(pair(number, user, f"{number} yes")))
            if number % 50 == 0:
                held = kept(held)
                if held[0].pair.number > 1:
                    break
        held = kept(held)
        assert held[0].pair.number > 1
        del user
        assert tracemalloc.get_traced_memory()[0] < 1.1 * KEPT_BYTES
    finally:
        tracemalloc.stop()


KETTLE = "The teal kettle was bought by Grandma Ingrid in Bergen, "


@pytest.mark.parametrize(
    ("reply", "words", "found"),
    [
        pytest.param(
            KETTLE + ", ".join(f"and item {n} of the parcel went to cousin {n}" for n in range(40)),
            "Where was the teal kettle bought?",
            "Bergen",
            id="one long sentence",
        ),
        pytest.param(
            "它很漂亮，大家都喜欢它。" * 20
            + "茶壶是奶奶在杭州买的。"
            + "我们每天早上都用它泡茶。" * 20,
            "奶奶的茶壶在哪里买的",
            "杭州",
            id="Chinese",
        ),
        pytest.param(
            "हम हर सुबह चाय पीते हैं। " * 20 + "चायदानी दादी ने जयपुर से खरीदी थी। " + "सब खुश हैं। " * 20,
            "चायदानी कहाँ से खरीदी",
            "जयपुर",
            id="Hindi",
        ),
        pytest.param(
            "نستعمله كل صباح؟ " * 20 + "إبريق الشاي اشترته جدتي من دمشق؟ " + "نعم؟ " * 40,
            "من اشترى إبريق الشاي",
            "دمشق",
            id="Arabic",
        ),
        pytest.param(
            "\n".join(f"    x_{n} = boil({n})" for n in range(100)) + "\n    kettle = teal()",
            "the kettle",
            "teal()",
            id="code",
        ),
    ],
)
def test_a_long_reply_is_shown_where_it_answers(reply: str, words: str, found: str) -> None:
    """Whatever its sentences look like, and if it is only one."""
    text = recalled([*DISPLACED[:2], Displaced.of(pair(7, "Tell me.", reply))], words)
    assert found in text


def test_a_pair_that_has_no_room_leaves_no_line() -> None:
    """Beside those that have."""
    signs = "\U0001f600" * 2_000
    pairs = [Displaced.of(pair(1, f"kettle{signs}", signs)), *DISPLACED[1:]]
    assert recalled(pairs, "teal kettle").split("\n") == [
        "User: The kettle is teal.",
        "Assistant: A teal kettle, then.",
    ]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The Café opens late.", "cafe\u0301"),
        ("José came by.", "jose"),
        ("José came by.", "JOSE\u0301"),
        ("The code is ABC123.", "ＡＢＣ１２３"),
        ("トウキョウ", "ﾄｳｷｮｳ"),
        ("İstanbul was warm.", "istanbul"),
        ("The ke\u00adttle is new.", "kettle"),
        ("The kettle is new.", "ket\u200btle"),
    ],
)
def test_words_are_found_in_any_form(said: str, asked: str) -> None:
    """However their letters are composed, accented, or wide."""
    assert said in recalled([*DISPLACED[:3], Displaced.of(pair(7, said))], asked)


def test_what_two_words_make_where_they_meet_is_no_word() -> None:
    """However the words are kept."""
    words = [f"w{number}x" for number in range(400_000)]
    starts: dict[bytes, str] = {}
    ends: dict[bytes, str] = {}
    for word in words:
        code = crc32(word.encode()).to_bytes(4)
        starts.setdefault(code[:2], word)
        ends.setdefault(code[2:], word)
    asked = crc32(b"zebra").to_bytes(4)
    met = f"{ends[asked[:2]]} {starts[asked[2:]]}"
    assert asked in Displaced.of(pair(1, met)).terms
    assert recalled([Displaced.of(pair(1, met))], "zebra") == ""


def test_a_reply_cut_short_is_marked() -> None:
    """As it is everywhere in a prompt."""
    cut = replace(pair(7, "What does the teal kettle cost?", "The teal kettle costs not"))
    cut = replace(cut, interrupted=True)
    assert recalled([Displaced.of(cut)], "teal kettle").endswith("costs not [interrupted]")
    long = replace(cut, reply_text="Some words. " * 80 + "The teal kettle costs not")
    assert recalled([Displaced.of(long)], "teal kettle").endswith(" [interrupted]")


def test_markers_in_what_was_said_cost_no_other_words() -> None:
    """What is made harmless is longer, and is measured so."""
    told = pair(7, "The teal kettle <|im_end|> " * 12, "In 1947. <|im_start|> " * 12)
    memory = replace(long_thread(), displaced=(Displaced.of(replace(told, number=1)),))
    block = recall_block(memory, "teal kettle")
    assert block is not None
    prompt = set_prompt(Draft.of(memory, system="s", words="?", blocks=(block,)), estimate_tokens)
    assert "left out]" not in prompt.messages[-1].content
    assert prompt.parts.recalled <= RECALL_TOKENS


def test_last_words_tell_what_is_shown_of_it() -> None:
    """Where nobody is asking yet."""
    memory = said(long_thread(), "7", user_text="What was my booking code?")
    assert "KX-4417" in recalled_turns(memory)
    assert "Bergen" in recalled_turns(memory, "my sister Ottilie")


def test_a_snapshot_brings_back_no_more_than_is_kept() -> None:
    """Whoever wrote it: not with recall off, not past the room, and no pair of the window."""
    memory = said(long_thread(), "7", user_text="The gate is B7.")
    plain = to_plain(memory)
    assert from_plain(plain).displaced == memory.displaced
    off = {**plain, "limits": {**plain["limits"], "recall": False}}
    assert from_plain(off).displaced == ()
    book = {**plain["displaced"][0], "user_text": "x " * LONGEST_KEPT}
    assert from_plain({**plain, "displaced": [book]}).displaced == ()
    with pytest.raises(ValueError, match="displaced pairs out of order"):
        from_plain({**plain, "displaced": [*plain["displaced"], plain["window"][0]]})
