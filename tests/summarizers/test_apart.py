"""Folds in another process: the same ones, without its faults becoming ours."""

import asyncio
import os
import signal
import sys
import textwrap
from datetime import timedelta
from pathlib import Path

import pytest
import uvloop

from pace.errors import SummarizerError
from pace.memory.summary import SummaryUpdate
from pace.summarizers.apart import ApartSummarizer
from pace.summarizers.extractive import NAME, fold_extractively
from planners.processes import core_limits, kill, wait_died
from summarizers.folding_functions import (
    FOLD,
    end_process,
    hang,
    raise_words,
    tell_process,
    wait_for_ever,
)
from summarizers.made_folds import fold_of


@pytest.fixture(autouse=True)
def _functions_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child finds this file's functions, too."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))


async def test_its_folds_are_the_same() -> None:
    """What comes back is what the function makes here, and bears its name."""
    apart = ApartSummarizer(fold_extractively, name=NAME)
    assert await apart.summarize(FOLD) == fold_extractively(FOLD)
    assert apart.name == NAME
    await apart.aclose()


async def test_it_folds_in_one_process_of_low_priority() -> None:
    """All folds are made in one other process, which makes way for turns and dumps no words."""
    apart = ApartSummarizer(tell_process, name="telling")
    await apart.warm()
    told = {(await apart.summarize(FOLD)).text for _ in range(3)}
    (process_id,) = map(int, told)
    assert process_id != os.getpid()
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, process_id) == min(ours + 10, 19)
    assert core_limits(process_id) == ["0", "0"]
    await apart.aclose()
    await wait_died(process_id)


async def test_one_that_died_is_replaced() -> None:
    """A child that was killed costs no fold."""
    apart = ApartSummarizer(tell_process, name="telling")
    first = int((await apart.summarize(FOLD)).text)
    kill(first)
    await wait_died(first)
    folds = await asyncio.gather(*(apart.summarize(FOLD) for _ in range(5)))
    assert {fold.text for fold in folds} != {str(first)}
    await apart.aclose()


def test_one_that_died_is_replaced_under_uvloop() -> None:
    """The event loop that the gateway runs in tells of an ended child in another way."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test_one_that_died_is_replaced())


async def test_one_that_dies_with_every_fold_is_replaced() -> None:
    """However soon after its death the next fold comes, that fold is made."""
    apart = ApartSummarizer(tell_process, name="telling")
    process_ids = set()
    for _ in range(3):
        process_ids.add(process_id := int((await apart.summarize(FOLD)).text))
        kill(process_id)
    assert len(process_ids) == 3
    await apart.aclose()


def test_one_that_dies_with_every_fold_is_replaced_under_uvloop() -> None:
    """The same, in the event loop that the gateway runs in."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test_one_that_dies_with_every_fold_is_replaced())


async def test_a_fold_that_hangs_keeps_no_other_from_being_made() -> None:
    """It fails at its time limit, in words that are not the conversation's; the next is made."""
    apart = ApartSummarizer(hang, name="hanging", time_limit=timedelta(seconds=4))
    hanging, made = await asyncio.gather(
        apart.summarize(fold_of(("wait", "for ever"))),
        apart.summarize(FOLD),
        return_exceptions=True,
    )
    assert isinstance(hanging, SummarizerError)
    assert "not made within 4 s" in str(hanging)
    assert "wait" not in str(hanging)
    assert isinstance(made, SummaryUpdate)
    await apart.aclose()
    await wait_died(int(made.text))


async def test_a_fold_that_ends_its_process_twice_failed() -> None:
    """It is not tried for ever, and the next fold finds a process."""
    apart = ApartSummarizer(end_process, name="ending")
    with pytest.raises(SummarizerError, match="enough memory"):
        await apart.summarize(FOLD)
    ended = int((await apart.summarize(fold_of(("hi", "hello")))).text)
    await apart.aclose()
    await wait_died(ended)


async def test_a_fault_holds_no_words() -> None:
    """Whatever a fold raises, neither the error nor its cause quotes the conversation."""
    apart = ApartSummarizer(raise_words, name="failing")
    with pytest.raises(SummarizerError, match="KeyError") as raised:
        await apart.summarize(FOLD)
    assert "Rex" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    await apart.aclose()


async def test_one_that_was_ended_says_so() -> None:
    """No child is started for a fold that comes too late."""
    apart = ApartSummarizer(fold_extractively, name=NAME)
    await apart.aclose()
    with pytest.raises(SummarizerError, match="was ended"):
        await apart.summarize(FOLD)


async def test_a_fold_that_was_given_up_answers_no_other() -> None:
    """After a cancelled fold the next one gets its own update, and the child at it is ended."""
    apart = ApartSummarizer(wait_for_ever, name="waiting")
    at_it = int((await apart.summarize(FOLD)).text)
    loop, has_begun = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, has_begun.set)
    first = asyncio.create_task(apart.summarize(fold_of(("wait", "for ever"))))
    await has_begun.wait()
    loop.remove_signal_handler(signal.SIGUSR1)
    first.cancel()
    await asyncio.wait([first])
    await wait_died(at_it)
    assert int((await apart.summarize(FOLD)).text) != at_it
    await apart.aclose()


async def test_it_does_not_hear_interrupts() -> None:
    """Ctrl-C is the parent's affair: a terminal's does not reach the child, nor does another."""
    apart = ApartSummarizer(tell_process, name="telling")
    await apart.warm()
    process_id = int((await apart.summarize(FOLD)).text)
    assert os.getsid(process_id) != os.getsid(0)
    os.kill(process_id, signal.SIGINT)
    assert int((await apart.summarize(FOLD)).text) == process_id
    await apart.aclose()


async def test_it_ends_with_a_parent_that_was_killed() -> None:
    """A worker that dies without a word leaves no process behind."""
    program = textwrap.dedent("""
        import asyncio, signal
        from pace.summarizers.apart import ApartSummarizer
        from summarizers.folding_functions import FOLD, tell_process

        async def main():
            apart = ApartSummarizer(tell_process, name="telling")
            print((await apart.summarize(FOLD)).text, flush=True)
            signal.pause()

        if __name__ == "__main__":
            asyncio.run(main())
    """)
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    parent.kill()
    await parent.wait()
    await wait_died(child)
