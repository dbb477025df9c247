"""The chain: who is asked, in which order, and what is counted."""

import asyncio
import json
from collections import Counter
from datetime import timedelta

import pytest

from pace.errors import (
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerUnavailableError,
    SummarizerError,
    SummarizerUnavailableError,
    SummaryRejectedError,
)
from pace.ports import PlannerTraits
from pace.summarizers.chain import SummarizerChain, in_words
from pace.testing import GatedSummarizer, ScriptedPlanner, ScriptedSummarizer
from summarizers.made_folds import fold_of

FOLD = fold_of(("I prefer oolong.", "Noted: oolong."))
GOOD = "The user prefers oolong."
AWAY = SummarizerUnavailableError("It is not there.")


async def test_the_first_that_is_there_answers():
    """Models that cannot be asked are passed over, and the first that can makes the summary."""
    with (
        ScriptedSummarizer(AWAY, name="apple") as first,
        ScriptedSummarizer(GOOD, name="local server") as second,
        ScriptedSummarizer(name="file") as third,
    ):
        chain = SummarizerChain([first, second, third])
        update = await chain.summarize(FOLD)
        assert (update.text, update.made_by) == (GOOD, "local server")
        assert chain.name == "best model"
        assert not chain.turned_down


@pytest.mark.parametrize("models", [0, 2])
async def test_without_a_model_the_chain_cannot_be_asked(models):
    """If no model can be asked, neither can the chain, and nothing is counted."""
    chain = SummarizerChain([ScriptedSummarizer(AWAY) for _ in range(models)])
    with pytest.raises(SummarizerUnavailableError, match="No model"):
        await chain.summarize(FOLD)
    assert not chain.turned_down


async def test_one_that_fails_is_not_followed_by_another():
    """A model that was asked and failed ends the fold with its error, which is counted."""
    with ScriptedSummarizer(SummarizerError("It broke."), name="local server") as first:
        chain = SummarizerChain([first, ScriptedSummarizer(name="file")])
        with pytest.raises(SummarizerError, match="It broke"):
            await chain.summarize(FOLD)
        assert chain.turned_down == {("local server", "summarizer failed"): 1}


async def test_what_the_guard_turns_down_is_counted_by_its_reason():
    """Each rejection is counted under the model's name and the guard's reason."""
    with ScriptedSummarizer("", "They met Priya.", "", GOOD, name="local server") as model:
        chain = SummarizerChain([model])
        for _ in range(3):
            with pytest.raises(SummaryRejectedError):
                await chain.summarize(FOLD)
        assert (await chain.summarize(FOLD)).text == GOOD
        assert chain.turned_down == {
            ("local server", "empty"): 2,
            ("local server", "unfounded name or number"): 1,
        }


async def test_a_failure_leaves_no_word_behind():
    """After a failed fold, the next one is asked with the same prior summary and all the pairs."""
    prior = "User Mirela keeps a teal kettle in Oslo."
    fold = fold_of(("locker code 4417", "ok"), prior=prior)
    with ScriptedSummarizer(
        SummarizerError("reset by peer"), f"{prior} Locker code 4417."
    ) as model:
        chain = SummarizerChain([model])
        with pytest.raises(SummarizerError):
            await chain.summarize(fold)
        assert (await chain.summarize(fold)).text == f"{prior} Locker code 4417."
        assert model.folds == [fold, fold]


def planner_of(*replies, name="local", on_this_machine=True, summarizes=True):
    traits = PlannerTraits(
        name=name,
        model=name,
        context_tokens=4096,
        on_this_machine=on_this_machine,
        summarizes=summarizes,
    )
    return ScriptedPlanner(*replies, traits=traits)


async def test_apple_is_asked_before_the_planner_of_turns():
    """Apple's model makes the summary, held to a form; the planner of turns is not asked."""
    form = json.dumps({"summary": GOOD})
    with planner_of() as turns, planner_of(form, name="apple") as apple:
        update = await SummarizerChain.of(turns, name="local", apple=apple).summarize(FOLD)
        assert (update.text, update.made_by) == (GOOD, "apple")
        assert apple.prompts[0].reply_form is not None


@pytest.mark.parametrize("away", [PlannerUnavailableError("not here"), PlannerQuotaError("later")])
async def test_the_local_server_is_asked_where_apple_is_not(away):
    """An Apple model that cannot be asked now makes way for the planner of turns, uncounted."""
    with planner_of(GOOD) as turns, planner_of([away], name="apple") as apple:
        chain = SummarizerChain.of(turns, name="local", apple=apple)
        assert (await chain.summarize(FOLD)).made_by == "local"
        assert turns.prompts[0].reply_form is None
        assert not chain.turned_down


async def test_where_apple_answers_turns_it_is_asked_once():
    """The planner of turns that is Apple's model stands in the chain once, held to the form."""
    with planner_of("", name="apple") as apple:
        chain = SummarizerChain.of(apple, name="apple", apple=apple)
        with pytest.raises(SummaryRejectedError):
            await chain.summarize(FOLD)
        assert apple.prompts[0].reply_form is not None


@pytest.mark.parametrize("remote", [False, True])
async def test_a_remote_planner_summarizes_only_if_told_to(remote):
    """R14: no word of a fold leaves the machine unless remote summaries are switched on."""
    replies = [GOOD] if remote else []
    with planner_of(*replies, on_this_machine=False) as turns:
        chain = SummarizerChain.of(turns, name="direct", remote=remote)
        if remote:
            assert (await chain.summarize(FOLD)).made_by == "direct"
            return
        with pytest.raises(SummarizerUnavailableError):
            await chain.summarize(FOLD)


@pytest.mark.parametrize("cut", ['{"summary": "The user pref', "{}", '{"summary": ""}'])
async def test_half_a_form_is_no_summary(cut):
    """A form that was cut, or holds no summary, is turned down and shown to nobody."""
    with planner_of(cut, name="apple") as apple:
        chain = SummarizerChain.of(apple, name="apple", apple=apple)
        with pytest.raises(SummaryRejectedError):
            await chain.summarize(FOLD)


async def test_the_counts_outlive_a_change_of_planner():
    """A later chain goes on with the counts, and they read as whose summary it was and why not."""
    counts = Counter()
    refusal = PlannerRefusedError("no")
    with planner_of([refusal], [refusal], name="apple") as apple, planner_of("") as local:
        first = SummarizerChain.of(apple, name="apple", apple=apple, turned_down=counts)
        for _ in range(2):
            with pytest.raises(SummarizerError):
                await first.summarize(FOLD)
        second = SummarizerChain.of(local, name="local", turned_down=counts)
        with pytest.raises(SummaryRejectedError):
            await second.summarize(FOLD)
    assert in_words(counts) == "2 by apple (planner refused), 1 by local (empty)"
    assert not in_words(Counter())


@pytest.mark.parametrize(("limit", "counted"), [(0.0, {("slow", "late"): 1}), (60.0, {})])
async def test_a_fold_that_is_stopped_at_its_limit_is_late(limit, counted):
    """Stopped at its time limit a fold counts as late; stopped sooner, a turn came first."""
    held = GatedSummarizer(ScriptedSummarizer(name="slow"))
    chain = SummarizerChain([held], time_limit=timedelta(seconds=limit))
    fold = asyncio.create_task(chain.summarize(FOLD))
    await held.wait_asked()
    fold.cancel()
    await asyncio.wait([fold])
    assert fold.cancelled()
    assert chain.turned_down == counted
