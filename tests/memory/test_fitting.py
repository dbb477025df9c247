"""What gives way when a planner's context is too small, in which order, and what never does."""

import re
from collections.abc import Callable
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from memory.plain import folded, said, thread
from pace.memory.fitting import DoesNotFit, Room, compose
from pace.memory.markers import BlockName
from pace.memory.prompt import (
    MOST_CHARACTERS,
    Draft,
    ExtraBlock,
    Prompt,
    Role,
    clipped_to,
    set_prompt,
)
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens

SYSTEM = "You are Pace. " * 10
SUMMARY = "; ".join(f"the user told fact {n} of the oak boards" for n in range(30)) + "."
TALK = "the oak boards from Lindqvist come before nine on Tuesday and somebody signs for them "

Count = Callable[[str], int]


def full_memory() -> ThreadMemory:
    """A window of four, two pairs pending, a summary."""
    memory = folded(said(thread(window_size=4), *"12345"), SUMMARY)
    long = {"user_text": TALK * 4, "reply_text": TALK * 6}
    memory = said(memory, "6", "7", **long)
    return said(memory, "8", "9", **long)


def full_draft(words: str = "And the next one?") -> Draft:
    blocks = (
        ExtraBlock(name=BlockName.NOW, text="Monday, noon", max_tokens=20, gives_way=3),
        ExtraBlock(name=BlockName.LASTING_FACTS, text=TALK, max_tokens=200, gives_way=2),
        ExtraBlock(name=BlockName.RECALLED_TURNS, text=TALK * 3, max_tokens=200, gives_way=1),
    )
    return Draft.of(full_memory(), system=SYSTEM, words=words, blocks=blocks)


def fitted(draft: Draft, tokens: int, count: Count = estimate_tokens) -> Prompt:
    composed = compose(draft, Room(context_tokens=tokens, reply_tokens=0), count)
    assert isinstance(composed, Prompt)
    assert composed.parts.total <= tokens
    return composed


def whole_size(draft: Draft) -> int:
    return set_prompt(draft, estimate_tokens).parts.total


def reports(draft: Draft) -> list[tuple[str, ...]]:
    """What is reported as the room shrinks from all that is needed to the words alone."""
    seen: list[tuple[str, ...]] = []
    for tokens in range(whole_size(draft), 0, -5):
        composed = compose(draft, Room(context_tokens=tokens, reply_tokens=0), estimate_tokens)
        if isinstance(composed, DoesNotFit):
            break
        if not seen or seen[-1] != composed.gave_way:
            seen.append(composed.gave_way)
    return seen


def test_what_fits_is_left_whole() -> None:
    """With just enough room, the prompt is the draft as it is set, and nothing gave way."""
    draft = full_draft()
    assert fitted(draft, whole_size(draft)) == set_prompt(draft, estimate_tokens)
    assert set_prompt(draft, estimate_tokens).gave_way == ()


def test_what_gives_way_does_so_in_order() -> None:
    """Blocks by their order, pending, window, summary, messages; each report holds the last one."""
    recalled, facts, now = "recalled turns left out", "lasting facts left out", "now left out"
    pending, summary = "turns not yet summarized clipped", "the summary shortened"
    shown = [
        f"{n} verbatim turn{'s' * (n > 1)} shown clipped, as not summarized" for n in (1, 2, 3)
    ]
    before = (recalled, facts, now, pending)
    assert reports(full_draft()) == [
        (),
        (recalled,),
        (recalled, facts),
        (recalled, facts, now),
        before,
        *((*before, step) for step in shown),
        (*before, shown[2], summary),
        (*before, shown[2], summary, "long messages clipped"),
        ("everything but the current words left out",),
    ]


def test_what_is_not_there_cannot_give_way() -> None:
    """Without blocks, pending pairs or a summary, nothing is reported about them."""
    draft = Draft.of(said(thread(), "1", user_text=TALK * 9), system=SYSTEM, words="Hello?")
    assert reports(draft) == [
        (),
        ("long messages clipped",),
        ("everything but the current words left out",),
    ]


def test_less_room_never_shows_more() -> None:
    """One token of room less gives a prompt of at most as many tokens, and no error in between."""
    draft = full_draft()
    least = 0
    for tokens in range(60, whole_size(draft), 29):
        composed = compose(draft, Room(context_tokens=tokens, reply_tokens=0), estimate_tokens)
        if isinstance(composed, Prompt):
            assert composed.parts.total <= tokens
            least = least or tokens
        else:
            assert not least
    assert least


def test_a_pair_shown_as_pending_stays_in_the_window() -> None:
    """It is so for this prompt only: the next one, with room for it, has it word for word."""
    draft = full_draft()
    small = fitted(replace(draft, blocks=()), whole_size(draft) * 6 // 10)
    assert any("verbatim turn" in notice for notice in small.gave_way)
    assert fitted(draft, 9000).messages == set_prompt(draft, estimate_tokens).messages
    assert len(draft.window) == 4


def test_pairs_of_a_small_context_are_shown_clipped() -> None:
    """B81: K = 4 pairs of 900 tokens, summary 400, system 600, context 4,096: what fits, fits."""
    memory = folded(said(thread(), *"12345"), SUMMARY)
    for name in "6789":
        memory = said(memory, name, user_text=f"{name} " + TALK * 22, reply_text=TALK * 22)
    memory = replace(memory, pending=())
    draft = Draft.of(memory, system="Be brief. " * 150, words="And now?")
    prompt = compose(draft, Room(context_tokens=4096, reply_tokens=1024), estimate_tokens)
    assert isinstance(prompt, Prompt)
    assert prompt.parts.total <= 4096 - 1024
    assert prompt.gave_way == ("2 verbatim turns shown clipped, as not summarized",)
    assert [message.content[:2] for message in prompt.messages[1:-1:2]] == ["8 ", "9 "]
    assert "User: 6 the oak boards" in prompt.messages[0].content


def test_the_summary_is_cut_at_a_clauses_end() -> None:
    """Its beginning stays, and neither a word nor a number is cut in two."""
    summary = "The user: rent is 3.50 a day; Ruth lives in Bergen. Pace: noted it, yes."
    memory = folded(said(thread(window_size=1), "1", "2"), summary)
    draft = replace(Draft.of(memory, system="", words="So?"), window=())
    beginnings = set()
    for tokens in range(whole_size(draft), 0, -1):
        composed = compose(draft, Room(context_tokens=tokens, reply_tokens=0), estimate_tokens)
        if isinstance(composed, Prompt) and "so_far" in composed.messages[0].content:
            beginnings.add(composed.messages[0].content.split("\n")[2])
    assert beginnings == {
        summary,
        "The user: rent is 3.50 a day; Ruth lives in Bergen.",
        "The user: rent is 3.50 a day;",
    }


def test_a_summary_in_chinese_is_cut_at_its_own_signs() -> None:
    """A full-width stop ends a clause without a space after it."""
    summary = "用户住在卑尔根。租金是每天三百五十。" * 8
    memory = folded(said(thread(window_size=1), "1", "2"), summary)
    draft = replace(Draft.of(memory, system="", words="So?"), window=())
    shorter = fitted(draft, whole_size(draft) - 20).messages[0].content.split("\n")[2]
    assert summary.startswith(shorter)
    assert shorter.endswith("。")


def test_words_that_do_not_fit_are_refused() -> None:
    """B36: 3,000 Chinese characters are too long for a context of 2,048, by how much is said."""
    draft = Draft.of(thread(), system="Be brief.", words="\u4f60\u597d" * 1500)
    refused = compose(draft, Room(context_tokens=2048, reply_tokens=256), estimate_tokens)
    assert isinstance(refused, DoesNotFit)
    assert refused.room == 2048 - 256
    assert refused.tokens > 2048


def test_an_oversized_message_wedges_nothing() -> None:
    """B37: 30,000 characters are refused or clipped; the next turns fit, three times over."""
    room = Room(context_tokens=4096, reply_tokens=512)
    paste = "a long pasted line of text, " * 1072
    alone = Draft.of(thread(), system=SYSTEM, words=paste)
    assert isinstance(compose(alone, room, estimate_tokens), DoesNotFit)
    memory = said(thread(), "paste", user_text=paste)
    for name in ("hi 1", "hi 2", "hi 3"):
        prompt = compose(Draft.of(memory, system=SYSTEM, words="hi"), room, estimate_tokens)
        assert isinstance(prompt, Prompt)
        assert prompt.parts.total <= room.for_prompt
        assert prompt.messages[-1].content == "hi"
        memory = said(memory, name)


def test_all_tiers_get_the_same_messages() -> None:
    """R13: how a planner counts changes the messages only where they do not fit."""
    draft = full_draft()
    assert fitted(draft, 9000).messages == fitted(draft, 50_000, len).messages


@settings(deadline=None, max_examples=60)
@given(
    texts=st.lists(st.tuples(st.text(min_size=1), st.integers(1, 80)), min_size=1, max_size=6),
    words=st.text(min_size=1, max_size=80),
    tokens=st.integers(min_value=1, max_value=600),
    count=st.sampled_from((estimate_tokens, len)),
)
def test_a_prompt_always_fits(
    texts: list[tuple[str, int]], words: str, tokens: int, count: Count
) -> None:
    """R9: it fits, ends with the words whole, and alternates; or the words alone were too long."""
    memory = thread(window_size=4)
    for number, (text, times) in enumerate(texts):
        memory = said(memory, str(number), user_text=f"u{text * times}", reply_text=f"r{text}")
    draft = Draft.of(memory, system="Be brief.", words=f"w{words}")
    composed = compose(draft, Room(context_tokens=tokens, reply_tokens=0), count)
    alone = set_prompt(replace(draft, window=(), pending=(), summary=""), count)
    if isinstance(composed, DoesNotFit):
        assert composed == DoesNotFit(tokens=alone.parts.total, room=tokens)
        assert alone.parts.total > tokens
        return
    assert composed.parts.total <= tokens
    assert composed.messages[-1] == alone.messages[-1]
    roles = [message.role for message in composed.messages[1:]]
    assert roles == [Role.USER, Role.ASSISTANT] * (len(roles) // 2) + [Role.USER]
    assert all(message.content for message in composed.messages)


@pytest.mark.parametrize(("reply_tokens", "kept"), [(0, 0), (100, 100), (1024, 1024), (5000, 1024)])
def test_room_for_the_reply_is_kept(reply_tokens: int, kept: int) -> None:
    """What a prompt may use is the context without the reply's part, a quarter at most."""
    room = Room(context_tokens=4096, reply_tokens=reply_tokens)
    assert (room.for_reply, room.for_prompt) == (kept, 4096 - kept)


@pytest.mark.parametrize("context_tokens", [256, 512, 1024])
def test_a_small_context_can_be_talked_with(context_tokens: int) -> None:
    """A reply limit as large as the context or larger leaves most of it to the prompt."""
    room = Room(context_tokens=context_tokens, reply_tokens=1024)
    draft = Draft.of(said(thread(), "1"), system=SYSTEM, words="hi")
    assert isinstance(compose(draft, room, estimate_tokens), Prompt)


@pytest.mark.parametrize("piece", ["word ", "wörd <b> ", "語", "<\n", " ", "a"])
def test_a_huge_pair_is_never_counted_whole(piece: str) -> None:
    """Of a pair of 4 MB only texts of the order of the room are measured, wherever it stands."""
    huge = f"x{piece * (4_000_000 // len(piece))}y"
    room = Room(context_tokens=4096, reply_tokens=1024)
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return estimate_tokens(text)

    memory = said(thread(), "1", user_text=huge, reply_text=huge)
    for name in "234567":
        prompt = compose(Draft.of(memory, system=SYSTEM, words="hi"), room, count)
        assert isinstance(prompt, Prompt)
        assert "characters left out]" in "".join(message.content for message in prompt.messages)
        memory = said(memory, name)
    assert max(counted) <= 2 * room.for_prompt * MOST_CHARACTERS


def test_a_clipped_huge_message_says_how_much_is_missing() -> None:
    """What is left and what the marker counts add up to the message, however long it was."""
    huge = "0123456789 " * 100_000
    short = clipped_to(huge, 200)
    head, number, tail = re.split(r"\[([\d,]+) characters left out\]", short)
    assert len(head) + int(number.replace(",", "")) + len(tail) == len(huge)
