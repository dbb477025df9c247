"""The chain: who is asked, in which order, and what is counted."""

import pytest

from pace.errors import SummarizerError, SummarizerUnavailableError, SummaryRejectedError
from pace.summarizers.chain import SummarizerChain
from pace.testing import ScriptedSummarizer
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
        assert chain.turned_down == {("local server", "summarizer_failed"): 1}


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
