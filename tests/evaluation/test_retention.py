"""What is counted as kept is in the prompt, and what is not is not."""

import asyncio
from dataclasses import replace

import pytest

from evaluation.talking import fact, small_talk, talk
from pace.errors import SummarizerError
from pace.evaluation.cost import cost_of
from pace.evaluation.readability import readability_of
from pace.evaluation.replay import Replay, replay
from pace.evaluation.retention import displaced, retention_of
from pace.evaluation.shares import share_of
from pace.evaluation.simple import NewestText, Nothing
from pace.evaluation.talks import Talk
from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.tokens import estimate_tokens
from pace.ports import ThreadSummarizer
from pace.summarizers.extractive import ExtractiveSummarizer

TOLD = ("My booking is KX-4417.", "Noted: your train leaves at 9:15.")
FACTS = (fact(0, "KX-4417", cues="booking"), fact(0, "9:15", cues="train leaves"))


def replayed(of: Talk, summarizer: ThreadSummarizer, window: int = 4) -> Replay:
    """A talk through a thread of its own."""
    return asyncio.run(replay(of, summarizer, ThreadLimits(window_size=window)))


def test_facts_in_the_window_are_not_asked_for() -> None:
    """As long as the turn itself is in the prompt, no memory has to keep it."""
    short = replayed(talk(TOLD, *small_talk(3), facts=FACTS), Nothing())
    assert retention_of([short]).at_end.whole == 0
    longer = replayed(talk(TOLD, *small_talk(4), facts=FACTS), Nothing())
    assert retention_of([longer]).at_end.whole == len(FACTS)


def test_summary_keeps_and_nothing_loses() -> None:
    """The extractive summarizer keeps both facts; one that keeps nothing, none."""
    of = talk(TOLD, *small_talk(8), facts=FACTS)
    kept, lost = (
        retention_of([replayed(of, summarizer)])
        for summarizer in (ExtractiveSummarizer(), Nothing())
    )
    assert (kept.at_end.part, kept.at_end.whole) == (2, 2)
    assert kept.by_subject.part == 2
    assert (lost.at_end.part, lost.at_end.whole) == (0, 2)
    assert set(kept.by_age) == {"4 to 7", "8 to 11"}


def test_fact_that_is_said_again_is_as_young_as_that() -> None:
    """Its age counts from where it was said last, and in the window it is not looked for."""
    again = replayed(talk(TOLD, *small_talk(6), TOLD, facts=FACTS), Nothing())
    assert retention_of([again]).at_end.whole == 0


def test_corrected_fact_need_not_be_kept() -> None:
    """What no longer holds is no loss."""
    facts = (replace(FACTS[0], until=1), fact(1, "KX-9000", cues="booking"))
    of = talk(TOLD, ("Sorry, the booking is KX-9000.", "Changed."), *small_talk(8), facts=facts)
    end = replayed(of, ExtractiveSummarizer())
    assert displaced(of, end.moments[-1]) == [1]


def test_newest_text_stays_within_the_budget() -> None:
    """It keeps words as they were said, the newest, and no more than there is room for."""
    long = tuple((f"Item {n} costs {n} euros. " * 20, "Noted.") for n in range(12))
    end = replayed(talk(*long), NewestText())
    assert estimate_tokens(end.memory.summary.text) <= end.memory.limits.summary_tokens
    assert "Item 7" in end.memory.summary.text
    assert "Item 0 " not in end.memory.summary.text


class Failing:
    """Never gives a summary."""

    name = "failing"

    async def summarize(self, fold: Fold) -> SummaryUpdate:  # noqa: ARG002
        """Fail."""
        raise SummarizerError("It failed.")


class Overlong:
    """Gives a summary that no memory takes."""

    name = "overlong"

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Far beyond the budget."""
        update = await NewestText().summarize(fold)
        return replace(update, text="word " * 2_000)


@pytest.mark.parametrize("summarizer", [Failing(), Overlong()])
def test_what_a_summarizer_fails_at_is_folded_all_the_same(summarizer: ThreadSummarizer) -> None:
    """As in a conversation, the extractive summarizer takes its place."""
    of = talk(TOLD, *small_talk(8), facts=FACTS)
    end = replayed(of, summarizer)
    assert retention_of([end]).at_end.part == 2
    assert not end.memory.pending


def test_failures_are_counted() -> None:
    """One for each fold that the summarizer did not make."""
    of = talk(TOLD, *small_talk(8))
    cost = cost_of([replayed(of, Failing())])
    assert cost.failed_folds == cost.folds == 5
    assert cost.prompt_tokens <= cost.most_prompt_tokens


def test_share_is_of_all_and_its_bounds_hold_it() -> None:
    """Talks weigh by their facts; without any there is no share."""
    share = share_of([(1, 2), (3, 3), (0, 0), (1, 2), (2, 2), (1, 1)])
    assert (share.part, share.whole, share.value) == (8, 10, 0.8)
    assert share.low is not None
    assert share.high is not None
    assert share.low <= share.value <= share.high
    assert share_of([(2, 2)] * 5).low == 1
    assert share_of([]).value == 0


def test_few_talks_have_no_bounds() -> None:
    """They tell too little of how another would have gone; two that went well are no proof."""
    for talks in ([(1, 2), (0, 0)], [(2, 2)] * 4):
        few = share_of(talks)
        assert (few.low, few.high) == (None, None)


def test_what_recall_brings_is_counted_where_it_is_asked_for() -> None:
    """In the tokens of the prompt with the question, and in no other."""
    asked = replace(fact(0, "8832"), question="What is my locker code?")
    of = talk(("My locker code is 8832.", "Noted."), *small_talk(12), facts=(asked,))
    without, having = (
        retention_of([asyncio.run(replay(of, Nothing(), ThreadLimits(recall=recall)))])
        for recall in (False, True)
    )
    assert (without.when_asked.part, having.when_asked.part) == (0, 1)
    assert 0 < without.asked_tokens < having.asked_tokens


def test_facts_in_a_script_without_spaces_are_kept_and_lost() -> None:
    """In Chinese as in English: by their words, beside their subject."""
    said = ("去杭州的火车在九点。", "记下了。")
    more = tuple((f"第{n}天呢？", "休息。") for n in range(8))
    of = talk(said, *more, facts=(fact(0, "杭州", cues="火车"), fact(0, "九点", cues="上海")))
    kept, lost = (
        retention_of([replayed(of, summarizer)])
        for summarizer in (ExtractiveSummarizer(), Nothing())
    )
    assert (kept.at_end.part, kept.by_subject.part, kept.at_end.whole) == (2, 1, 2)
    assert (lost.at_end.part, lost.at_end.whole) == (0, 2)


def test_half_of_a_turn_may_be_blank() -> None:
    """A talk that the assistant opens is replayed, too."""
    of = talk(("", "Good morning. Your code is 8832."), *small_talk(6), facts=(fact(0, "8832"),))
    assert retention_of([replayed(of, ExtractiveSummarizer())]).at_end.part == 1


def test_readability_tells_sentences_from_keywords() -> None:
    """Small words make the difference."""
    spoken = readability_of([replayed(talk(TOLD, *small_talk(8)), NewestText())])
    assert 0.3 < spoken.function_words < 1
    assert spoken.sentence_like > 0
