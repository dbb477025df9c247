"""Folding by a planner: what it is asked, how large, and what becomes of its faults."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pace.errors import (
    EmptyReplyError,
    PlannerCrashedError,
    PlannerUnreachableError,
    SummarizerError,
    SummarizerUnavailableError,
    SummaryRejectedError,
)
from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.tokens import estimate_tokens
from pace.ports import (
    SUMMARIES,
    Finished,
    FinishReason,
    PlannerTraits,
    Reasoned,
    TextDelta,
    Thinking,
)
from pace.summarizers.guard import Rejection
from pace.summarizers.guarded import GuardedSummarizer
from pace.summarizers.instructions import messages_for
from pace.summarizers.model import ModelSummarizer
from pace.testing import Gate, ScriptedPlanner
from summarizers.made_folds import fold_of

FOLD = fold_of(("I prefer oolong.", "Noted: oolong."))
GOOD = "The user prefers oolong."
CUT = Finished(reason=FinishReason.LENGTH)


def traits_of(context_tokens=4096, *, summarizes=True, on_this_machine=True):
    return PlannerTraits(
        name="local",
        model="a-model",
        context_tokens=context_tokens,
        on_this_machine=on_this_machine,
        summarizes=summarizes,
    )


def planner_of(*replies, **traits):
    return ScriptedPlanner(*replies, traits=traits_of(**traits))


def summarizer_of(planner, **options):
    return ModelSummarizer(planner, name="local server", **options)


async def test_a_planner_is_asked_under_a_thread_of_its_own():
    """One request holds the whole fold, under no conversation's thread, and is forgotten after."""
    with planner_of(["The user prefers ", Thinking(), "oolong."]) as planner:
        update = await summarizer_of(planner).summarize(FOLD)
        (prompt,) = planner.prompts
        assert prompt.messages == messages_for(FOLD)
        assert prompt.thread_id == SUMMARIES != FOLD.thread_id
        assert prompt.parts.total == sum(
            estimate_tokens(m.content) + MESSAGE_TOKENS for m in prompt.messages
        )
        assert planner.forgotten == [SUMMARIES]
    assert (update.text, update.made_by) == (GOOD, "local server")
    assert (update.session_id, update.version, update.covers) == (FOLD.session_id, 9, 6)


async def test_nothing_but_summary_and_pairs_is_sent():
    """No block of facts and none of the conversation reaches a summarizer."""
    with planner_of(GOOD) as planner:
        await summarizer_of(planner).summarize(FOLD)
        sent = "".join(message.content for message in planner.prompts[0].messages)
    for foreign in ("conversation_so_far", "lasting_facts", "about_the_person", "tool"):
        assert foreign not in sent


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"summarizes": False}, "a-model says that it cannot summarize"),
        ({"on_this_machine": False}, "local server is not on this machine"),
        ({"context_tokens": 300}, "too small"),
    ],
)
async def test_a_planner_that_cannot_is_not_asked(traits, words):
    """A planner that cannot summarize, is elsewhere or too small is never sent a word."""
    with (
        planner_of(**traits) as planner,
        pytest.raises(SummarizerUnavailableError, match=words),
    ):
        await summarizer_of(planner).summarize(FOLD)


async def test_a_remote_planner_is_asked_only_by_the_persons_word():
    """With `remote`, a planner that lets words leave the machine folds, too."""
    with planner_of(GOOD, on_this_machine=False) as planner:
        assert (await summarizer_of(planner, remote=True).summarize(FOLD)).text == GOOD


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (PlannerUnreachableError("reset by peer"), SummarizerUnavailableError),
        (PlannerCrashedError("It ended."), SummarizerError),
        (EmptyReplyError(), SummaryRejectedError),
    ],
)
async def test_a_planners_fault_becomes_a_summarizers(fault, kind):
    """A planner's error is a summarizer's with its cause, and never a summary's text."""
    with planner_of([fault]) as planner:
        with pytest.raises(kind) as caught:
            await summarizer_of(planner).summarize(FOLD)
        assert type(caught.value) is kind
        assert caught.value.__cause__ is fault
        assert "reset by peer" not in str(caught.value)
        assert planner.forgotten == [SUMMARIES]


async def test_a_planner_that_cannot_even_say_what_it_is_is_not_there():
    """A planner whose traits cannot be had is unavailable."""

    class Down(ScriptedPlanner):
        async def traits(self):
            raise PlannerCrashedError("It ended.")

    with Down() as planner, pytest.raises(SummarizerUnavailableError, match="asked now"):
        await summarizer_of(planner).summarize(FOLD)


# --- what came back


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ([f"<think>They like tea.</think>{GOOD}"], GOOD),
        ([TextDelta("They like tea."), Reasoned(), TextDelta(GOOD)], GOOD),
        ([f"{GOOD} They also sp", CUT], GOOD),
        ([f"<think>tea</think>{GOOD} They met Dr. Ok", CUT], GOOD),
        ([f"{GOOD} " * 400], None),
    ],
)
async def test_a_reply_is_cut_at_its_last_whole_sentence(reply, text):
    """Reasoning is taken off, and what was cut off, or never ends, ends with a whole sentence."""
    with planner_of(reply) as planner:
        update = await summarizer_of(planner).summarize(FOLD)
    assert update.text == text or (text is None and update.text.endswith("oolong."))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (["<think>Okay, the user wants a shorter version of", CUT], Rejection.EMPTY),
        (["<think>All of it.</think>", CUT], Rejection.EMPTY),
        ([" \n\u200b"], Rejection.EMPTY),
        ([Thinking()], Rejection.EMPTY),
        (["The user pre", CUT], Rejection.CUT_OFF),
    ],
)
async def test_a_reply_without_a_whole_sentence_is_no_summary(reply, reason):
    """Reasoning alone, nothing at all and half a sentence are turned down, and kept nowhere."""
    with planner_of(reply) as planner:
        with pytest.raises(SummaryRejectedError) as caught:
            await summarizer_of(planner).summarize(FOLD)
        assert caught.value.reason is reason
        assert "the user" not in str(caught.value)


async def test_a_reply_that_never_ends_is_stopped():
    """A planner that writes on and on is stopped long before the time limit."""
    with planner_of(["Tea. " * 2000, Gate()]) as planner:
        await summarizer_of(planner).summarize(FOLD)
        assert len(planner.stopped) == 1


async def test_a_cancelled_fold_keeps_what_was_read():
    """A fold that a turn pre-empts stops the planner at once and leaves its cache for the retry."""
    gate = Gate()
    with planner_of(["The user ", gate]) as planner:
        fold = asyncio.create_task(summarizer_of(planner).summarize(FOLD))
        await gate.wait_reached()
        fold.cancel()
        await asyncio.gather(fold, return_exceptions=True)
        assert fold.cancelled()
        assert len(planner.stopped) == 1
        assert planner.forgotten == []


# --- what is too large


def assert_fits(planner, budget=200):
    """Every prompt leaves room for the reply."""
    for prompt in planner.prompts:
        room = planner_room(planner_context=2048, budget=budget)
        assert prompt.parts.total <= room


def planner_room(*, planner_context, budget):
    return planner_context - min(2 * budget, planner_context // 2)


async def test_pairs_that_do_not_fit_wait_for_the_next_fold():
    """As many pairs as fit are folded, and the update names the last of them."""
    long = "rain and wind and sun " * 60
    fold = fold_of(*[(f"marker {n} {long}", "ok") for n in range(8)], budget=200)
    with planner_of(GOOD, context_tokens=2048) as planner:
        update = await summarizer_of(planner).summarize(fold)
        sent = planner.prompts[0].messages[1].content
        last = update.covers - fold.pairs[0].number
        assert 0 < last < 7
        assert f"marker {last} " in sent
        assert f"marker {last + 1} " not in sent
        assert_fits(planner)


async def test_every_character_of_a_long_pair_is_in_some_request():
    """A pair larger than the context is read in pieces, each with the summary so far."""
    words = [f"w{n}" for n in range(3000)]
    words[1500] = "invoice 88-B"
    fold = fold_of((" ".join(words), "A long one."), prior="Before.", budget=200)
    replies = [f"Summary of piece {n}." for n in range(40)]
    planner = planner_of(*replies, context_tokens=2048)
    update = await summarizer_of(planner).summarize(fold)
    requests = [prompt.messages[1].content for prompt in planner.prompts]
    assert len(requests) > 3
    pieces = [
        piece.partition("\n</said_by_user>")[0]
        for request in requests
        for piece in request.split("<said_by_user>\n")[1:]
    ]
    assert "".join(pieces) == fold.pairs[0].user_text
    assert any("88-B" in request for request in requests)
    assert "A long one." in requests[-1]
    assert "<earlier_summary>\nBefore.\n" in requests[0]
    for number, request in enumerate(requests[1:]):
        assert f"<earlier_summary>\nSummary of piece {number}.\n" in request
    assert update.text == f"Summary of piece {len(requests) - 1}."
    assert update.covers == fold.pairs[0].number
    assert_fits(planner)


async def test_a_fault_in_the_middle_of_a_long_pair_is_the_whole_folds():
    """If one piece fails, nothing is covered: the pair stays pending as a whole."""
    fold = fold_of(("word " * 4000, "ok"), budget=200)
    with planner_of(GOOD, ["<think>so", CUT], context_tokens=2048) as planner:
        with pytest.raises(SummaryRejectedError):
            await summarizer_of(planner).summarize(fold)
        assert planner.forgotten == [SUMMARIES]


async def test_a_piece_that_comes_back_as_nothing_but_wrapping_is_empty():
    """A summary so far that is only a label does not replace the one before."""
    fold = fold_of(("word " * 4000, "ok"), budget=200)
    with planner_of("Summary:", context_tokens=2048) as planner:
        with pytest.raises(SummaryRejectedError) as caught:
            await summarizer_of(planner).summarize(fold)
        assert caught.value.reason is Rejection.EMPTY


@settings(max_examples=30)
@given(texts=st.lists(st.integers(1, 1500), min_size=1, max_size=4))
def test_whatever_the_lengths_every_covered_word_is_sent(texts):
    """Every word of every pair that an update covers is in some request, and each request fits."""
    said = [" ".join(f"p{at}w{n}" for n in range(count)) for at, count in enumerate(texts)]
    fold = fold_of(*[(text, "ok") for text in said], budget=200)
    planner = planner_of(*[GOOD] * 60, context_tokens=2048)
    update = asyncio.run(summarizer_of(planner).summarize(fold))
    sent = " ".join(p.messages[1].content for p in planner.prompts).split()
    covered = [pair for pair in fold.pairs if pair.number <= update.covers]
    assert covered
    assert {word for pair in covered for word in pair.user_text.split()} <= set(sent)
    assert_fits(planner)


async def test_behind_the_guard_a_model_gives_a_clean_summary():
    """Model and guard together turn a talkative reply into the summary alone."""
    reply = f"<think>tea</think>Here is the summary:\n\n**{GOOD}**"
    with planner_of(reply) as planner:
        update = await GuardedSummarizer(summarizer_of(planner)).summarize(FOLD)
    assert update.text == GOOD
