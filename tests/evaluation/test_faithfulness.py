"""Each kind of damage to a summary is counted as that kind, and a true summary has none."""

import asyncio

import pytest

from evaluation.talking import fact, small_talk, talk
from pace.evaluation.faithfulness import Faithfulness, faithfulness_of, statements_of
from pace.evaluation.replay import replay
from pace.evaluation.talks import Side
from pace.memory.limits import ThreadLimits
from pace.memory.summary import (
    Clause,
    Fold,
    RollingSummary,
    Speaker,
    SummaryUpdate,
    render_clauses,
)
from pace.summarizers.extractive import ExtractiveSummarizer

TURNS = (
    ("I booked the Hotel Aurora for 12 nights.", "The Hotel Aurora has a sauna, said Tanaka."),
    ("I do not eat fish or shrimp at all.", "Understood, I will look for other restaurants."),
    ("Actually, make it 14 nights at the hotel.", "I changed the booking."),
    *small_talk(6),
)
FACTS = (
    fact(0, "12 nights", cues="hotel", until=2),
    fact(2, "14 nights", cues="hotel"),
)


class Saying:
    """Gives one text for every fold."""

    name = "saying"

    def __init__(self, text: str) -> None:
        self.text = text

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Say it."""
        return SummaryUpdate(
            session_id=fold.session_id,
            version=fold.version,
            covers=fold.pairs[-1].number,
            text=self.text,
            made_by=self.name,
        )


def found(text: str) -> Faithfulness:
    """What is counted in one summary at the end of the talk."""
    of = talk(*TURNS, facts=FACTS)
    return faithfulness_of([asyncio.run(replay(of, Saying(text), ThreadLimits(), every=100))])


TRUE = "The user booked the Hotel Aurora for 14 nights, and does not eat fish or shrimp."


def test_true_summary_has_no_fault() -> None:
    """Its own frame, "the user", is no word that nobody said."""
    assert found(TRUE) == Faithfulness(words=9, statements=1, corrected=1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TRUE.replace("14 nights", "31 nights"), "numbers"),
        (TRUE.replace("Aurora", "Miramar"), "names"),
        (TRUE.replace("booked", "photographed"), "new_words"),
        ("The user said that Tanaka praised it.", "other_speaker"),
        ("The user does eat fish or shrimp.", "negation_lost"),
        ("The user booked 12 nights at the hotel.", "outdated"),
        ("The user booked 12 nights at the hotel, then 14 nights.", "outdated_beside"),
    ],
)
def test_each_kind_of_damage_is_counted(text: str, kind: str) -> None:
    """A fault that is planted is found, as what it is."""
    assert getattr(found(text), kind) == 1


def test_both_parts_of_a_mended_summary_are_looked_at() -> None:
    """The sentences that a model wrote, and each clause as its own speaker's."""
    clauses = (
        Clause(speaker=Speaker.USER, text="booked the Hotel Aurora", number=1),
        Clause(speaker=Speaker.USER, text="said Tanaka", number=1),
    )
    prose = "The user stays for 31 nights. The user said that Tanaka praised it."
    text = f"{prose} {render_clauses(clauses)}"
    assert statements_of(RollingSummary(text=text, clauses=clauses)) == [
        (Side.USER, "The user stays for 31 nights."),
        (Side.USER, "The user said that Tanaka praised it."),
        (Side.USER, "booked the Hotel Aurora"),
        (Side.USER, "said Tanaka"),
    ]


def test_extractive_summary_says_nothing_new() -> None:
    """Nor for the wrong speaker, nor without its negation."""
    of = talk(*TURNS, facts=FACTS)
    counted = faithfulness_of([asyncio.run(replay(of, ExtractiveSummarizer(), ThreadLimits()))])
    assert counted.words > 0
    assert (counted.new_words, counted.numbers, counted.names) == (0, 0, 0)
    assert (counted.other_speaker, counted.negation_lost) == (0, 0)
