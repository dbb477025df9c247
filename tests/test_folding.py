"""Folds, apart from any turn: what lands, what is dropped, and what takes its place."""

import asyncio
from datetime import timedelta

import pytest

from pace.background import Background
from pace.errors import SummarizerError, SummarizerUnavailableError, SummaryRejectedError
from pace.folding import Folding
from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.thread import ThreadMemory
from pace.memory.turn import FinishedTurn, ThreadId, TurnId
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.testing import GatedSummarizer, ManualClock, ScriptedSummarizer
from pace.threads import EndCause, Threads
from turns import THREAD


@pytest.fixture
def threads(clock: ManualClock) -> Threads:
    return Threads(InProcessThreadMemoryStore(), clock, ThreadLimits(window_size=1))


async def talk(threads: Threads, clock: ManualClock, *texts: str) -> None:
    """Record a pair for each text, in one session."""
    for text in texts:
        memory = await threads.look(THREAD)
        turn_id = TurnId(f"{memory.session_id}/{memory.next_number}")
        finished = FinishedTurn(
            turn_id=turn_id,
            session_id=memory.session_id,
            user_text=text,
            reply_text="noted",
            recorded_at=clock.local_time(),
        )

        def step(
            held: ThreadMemory, finished: FinishedTurn = finished
        ) -> tuple[ThreadMemory, None]:
            return held.accept(finished.turn_id).record(finished, now=clock.now())[0], None

        await threads.change(THREAD, step)


def numbers(fold: Fold) -> list[int]:
    return [pair.number for pair in fold.pairs]


async def test_a_failed_fold_leaves_the_summary_and_its_pairs_for_the_next(
    threads: Threads, clock: ManualClock
) -> None:
    """B01, B02: an error's text is nowhere; the failed pairs are in the next fold, too."""
    kept = "User Mirela keeps a teal kettle in Oslo."
    failure = SummarizerError("reset by peer")
    with ScriptedSummarizer(kept, failure, "All.") as summarizer:
        folding = Folding(threads, fallback=summarizer)
        await talk(threads, clock, "I am Mirela", "locker code 4417")
        await folding.run(THREAD)
        await talk(threads, clock, "more")
        await folding.run(THREAD)
        memory = await threads.look(THREAD)
        assert (memory.summary.text, memory.summary.version) == (kept, 1)
        assert [p.user_text for p in memory.pending] == ["locker code 4417"]
        await talk(threads, clock, "and more")
        await folding.run(THREAD)
    assert numbers(summarizer.folds[2]) == [2, 3]
    assert summarizer.folds[2].prior.text == kept
    memory = await threads.look(THREAD)
    assert (memory.pending, memory.summary.text) == ((), "All.")


async def test_every_displaced_pair_is_folded_however_short(
    threads: Threads, clock: ManualClock
) -> None:
    """B25: tiny pairs reach the summarizer like any other."""
    with ScriptedSummarizer("a", "b") as summarizer:
        folding = Folding(threads, fallback=summarizer)
        await talk(threads, clock, "ok", "x")
        await folding.run(THREAD)
        await talk(threads, clock, "gate 9", "y")
        await folding.run(THREAD)
    assert [p.user_text for fold in summarizer.folds for p in fold.pairs] == ["ok", "x", "gate 9"]


async def test_one_fold_is_in_flight_and_carries_all_that_is_pending(
    threads: Threads, clock: ManualClock
) -> None:
    """B22: pairs displaced while a fold runs wait for the next; each is folded once, in order."""
    gated = GatedSummarizer(ScriptedSummarizer("first", "rest"))
    background = Background([Folding(threads, fallback=gated)])
    work = asyncio.create_task(background.run())
    await talk(threads, clock, "1", "2")
    background.nudge(THREAD)
    first = await gated.wait_asked()
    await talk(threads, clock, "3", "4", "5")
    background.nudge(THREAD)
    assert len(gated.folds) == 1
    gated.release_all()
    await background.wait_done(THREAD)
    work.cancel()
    await asyncio.wait([work])
    assert [numbers(fold) for fold in gated.folds] == [[1], [2, 3, 4]]
    assert gated.folds[1].version > first.version
    assert (await threads.look(THREAD)).summary.covers == 4


async def test_a_models_failure_is_made_good_by_the_fallback_with_a_new_version(
    threads: Threads, clock: ManualClock
) -> None:
    """R6: what a model got wrong, the extractive fold of the same pairs replaces at once."""
    model = ScriptedSummarizer(SummaryRejectedError("echo"), name="model")
    with model, ScriptedSummarizer("Plain.", name="extractive") as fallback:
        folding = Folding(threads, fallback=fallback, model=model)
        await talk(threads, clock, "1", "2")
        await folding.run(THREAD)
    assert numbers(model.folds[0]) == numbers(fallback.folds[0]) == [1]
    assert fallback.folds[0].version > model.folds[0].version
    memory = await threads.look(THREAD)
    assert (memory.summary.text, memory.summary.made_by) == ("Plain.", "extractive")
    assert folding.outcomes == {"turned down: echo": 1, "applied": 1}


async def test_a_models_blank_summary_is_made_good_by_the_fallback(
    threads: Threads, clock: ManualClock
) -> None:
    """B09: an empty summary changes nothing; the fallback folds the same pairs."""
    with ScriptedSummarizer("  ") as model, ScriptedSummarizer("Plain.") as fallback:
        folding = Folding(threads, fallback=fallback, model=model)
        await talk(threads, clock, "1", "2")
        await folding.run(THREAD)
    assert (await threads.look(THREAD)).summary.text == "Plain."


async def test_a_model_that_cannot_be_asked_is_no_failure(
    threads: Threads, clock: ManualClock
) -> None:
    """A model that is not available is passed over without a mark."""
    with (
        ScriptedSummarizer(SummarizerUnavailableError("not here")) as model,
        ScriptedSummarizer("Plain.") as fallback,
    ):
        folding = Folding(threads, fallback=fallback, model=model)
        await talk(threads, clock, "1", "2")
        await folding.run(THREAD)
    assert folding.outcomes == {"applied": 1}
    assert (await threads.look(THREAD)).summary.version == 1


async def test_a_failing_model_rests_ever_longer(threads: Threads, clock: ManualClock) -> None:
    """No retry storm: after failures in a row a model sits out 0, 1, then 3 folds."""
    failures = [SummarizerError("down")] * 4
    with (
        ScriptedSummarizer(*failures, name="model") as model,
        ScriptedSummarizer(*"abcdefgh") as fallback,
    ):
        folding = Folding(threads, fallback=fallback, model=model)
        await talk(threads, clock, "0")
        asked = []
        for n in range(8):
            await talk(threads, clock, str(n))
            await folding.run(THREAD)
            asked.append(len(model.folds))
    assert asked == [1, 2, 2, 3, 3, 3, 3, 4]


async def test_a_late_model_is_given_up(threads: Threads, clock: ManualClock) -> None:
    """A fold over its time limit is stopped, and the fallback takes its place."""
    model = GatedSummarizer(ScriptedSummarizer())
    with ScriptedSummarizer("Plain.") as fallback:
        folding = Folding(threads, fallback=fallback, model=model, time_limit=timedelta(0))
        await talk(threads, clock, "1", "2")
        await folding.run(THREAD)
    assert folding.outcomes == {"late": 1, "applied": 1}
    assert len(model.stopped) == 1


async def test_a_model_pre_empted_twice_makes_way(threads: Threads, clock: ManualClock) -> None:
    """R6: turns stop the model's fold; after the second time the fallback folds at once."""
    model = GatedSummarizer(ScriptedSummarizer())
    with ScriptedSummarizer("Plain.") as fallback:
        folding = Folding(threads, fallback=fallback, model=model, on_engine=True)
        background = Background([folding])
        work = asyncio.create_task(background.run())
        await talk(threads, clock, "1", "2")
        background.nudge(THREAD)
        for times in (1, 2):
            await model.wait_asked(times)
            with background.turn():
                pass
        await background.wait_done(THREAD)
        work.cancel()
        await asyncio.wait([work])
    assert len(model.stopped) == 2
    assert (await threads.look(THREAD)).summary.text == "Plain."
    assert folding.outcomes == {"pre-empted": 2, "applied": 1}


async def test_a_fold_that_lands_after_a_reset_changes_nothing(
    threads: Threads, clock: ManualClock
) -> None:
    """R4: the old session's fold is dropped, and its text is nowhere."""
    gated = GatedSummarizer(ScriptedSummarizer("An old story."))
    folding = Folding(threads, fallback=gated)
    await talk(threads, clock, "1", "2")
    run = asyncio.create_task(folding.run(THREAD))
    await gated.wait_asked()
    old = await threads.look(THREAD)
    await threads.end(THREAD, old.session_id, EndCause.RESET)
    gated.release_all()
    await run
    memory = await threads.look(THREAD)
    assert memory.is_empty
    assert folding.outcomes == {"other session": 1}


async def test_a_late_fold_never_replaces_a_newer_one(threads: Threads, clock: ManualClock) -> None:
    """B23: fold A is overtaken by fold B, which covers more; when A lands it is dropped."""
    gated = GatedSummarizer(ScriptedSummarizer("B", "A"))
    first, second = (Folding(threads, fallback=gated) for _ in range(2))
    await talk(threads, clock, "1", "2")
    slow = asyncio.create_task(first.run(THREAD))
    fold_a = await gated.wait_asked(1)
    await talk(threads, clock, "3")
    fast = asyncio.create_task(second.run(THREAD))
    fold_b = await gated.wait_asked(2)
    gated.release(fold_b.version)
    await fast
    gated.release(fold_a.version)
    await slow
    memory = await threads.look(THREAD)
    assert (memory.summary.text, memory.summary.version) == ("B", fold_b.version)
    assert first.outcomes == {"stale": 1}


async def test_an_update_that_claims_too_much_is_dropped(
    threads: Threads, clock: ManualClock
) -> None:
    """A summarizer that says it covers what is still in the window changes nothing."""

    class Boastful:
        name = "boastful"

        async def summarize(self, fold: Fold) -> SummaryUpdate:
            return SummaryUpdate(
                session_id=fold.session_id,
                version=fold.version,
                covers=fold.pairs[-1].number + 1,
                text="Everything.",
                made_by=self.name,
            )

    folding = Folding(threads, fallback=Boastful())
    await talk(threads, clock, "1", "2")
    await folding.run(THREAD)
    memory = await threads.look(THREAD)
    assert [p.number for p in memory.pending] == [1]
    assert memory.summary.text == ""


async def test_nothing_pending_asks_nobody(threads: Threads) -> None:
    """A nudge for a thread with nothing pending makes no call."""
    with ScriptedSummarizer() as summarizer:
        await Folding(threads, fallback=summarizer).run(ThreadId("quiet"))


async def test_what_a_fold_left_pending_the_next_one_takes(
    threads: Threads, clock: ManualClock
) -> None:
    """A model that covers only the first pair of three is asked again, until none is pending."""

    class OneByOne:
        name = "one by one"

        async def summarize(self, fold: Fold) -> SummaryUpdate:
            first = fold.pairs[0]
            return SummaryUpdate(
                session_id=fold.session_id,
                version=fold.version,
                covers=first.number,
                text=f"{fold.prior.text} {first.user_text}".strip(),
                made_by=self.name,
            )

    folding = Folding(threads, fallback=ScriptedSummarizer(), model=OneByOne())
    await talk(threads, clock, "1", "2", "3", "4")
    await folding.run(THREAD)
    memory = await threads.look(THREAD)
    assert (memory.summary.text, memory.pending) == ("1 2 3", ())
