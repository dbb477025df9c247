"""What lands of a model's summary: sound whatever it wrote, and with clauses that stay clauses."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memory.plain import said, thread
from pace.errors import SummaryRejectedError
from pace.memory.summary import (
    Clause,
    Fold,
    RollingSummary,
    Speaker,
    SummaryOutcome,
    SummaryUpdate,
    held_summary,
    render_clauses,
)
from pace.memory.tokens import estimate_tokens
from pace.summarizers.extractive import fold_extractively
from pace.summarizers.guard import guarded
from pace.summarizers.source import Source
from pace.summarizers.values import values_in
from summarizers.made_folds import fold_of, update_of

Guard = Callable[[SummaryUpdate, Fold], SummaryUpdate]


def told_in(summary: RollingSummary) -> str:
    """What a summary says, without the words that say who said it."""
    return "\n".join((summary.prose, *(clause.text for clause in summary.clauses)))


def all_said(fold: Fold) -> str:
    pairs = (text for pair in fold.pairs for text in (pair.user_text, pair.reply_text))
    return "\n".join((told_in(fold.prior), *pairs))


def is_cut_from(clause: Clause, whole: Clause) -> bool:
    """Whether a clause is in-order words of another one of the same speaker and pair."""
    words = iter(whole.text.split())
    is_same = (clause.speaker, clause.number) == (whole.speaker, whole.number)
    return is_same and all(word in words for word in clause.text.split())


def assert_sound(guard: Guard, fold: Fold, text: str) -> SummaryUpdate | None:
    """What a guard lets through, after a look at it; None if it turns the text down."""
    try:
        update = guard(update_of(fold, text), fold)
    except SummaryRejectedError:
        return None
    summary = held_summary(update, update.text)
    assert estimate_tokens(update.text) <= fold.budget
    assert update.text == " ".join(update.text.split())
    assert summary.prose, "a model's summary without a model's words is an extractive one"
    assert update.text == f"{summary.prose} {render_clauses(update.clauses)}".rstrip()
    extract = fold_extractively(fold)
    assert all(any(is_cut_from(c, whole) for whole in extract.clauses) for c in update.clauses)
    source = Source(f"{all_said(fold)}\nearlier", [fold.pairs[0].recorded_at.date()])
    assert not source.missing(values_in(told_in(summary)))
    values = values_in(all_said(fold))
    assert Source(update.text).missing(values) <= Source(extract.text).missing(values)
    return update


WORDS = st.sampled_from(
    [
        *("Mirela", "Oslo", "Ottilie", "Bergen", "Priya", "NASA", "the", "tea", "is", "Ünal"),
        *("4417", "88-B", "12.50", "2026-11-20", "INC-5521", "three", "3pm", "eu-north-7", "7"),
        *("<think>", "User:", "*", "\n", ".", ";", "“", "}", "Summary:", "茶", "王先生", "Анна"),
        *("The user:", "The assistant:", "Earlier:", "and they spoke of it.", "und das ist."),
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)
SPOKEN = TEXTS.map(lambda text: f"so {text}")


def assert_all_sound(guard: Guard, fold: Fold, texts: list[str]) -> None:
    """Fold the same pairs again and again, each time into what landed before."""
    for text in texts:
        landed = assert_sound(guard, fold, f"{text} {fold.prior.prose}")
        if landed is not None:
            prior = held_summary(landed, landed.text)
            pairs = (replace(fold.pairs[0], number=landed.covers + 1),)
            fold = replace(fold, prior=prior, version=landed.version + 1, pairs=pairs)


FOLDS = st.builds(
    lambda user, reply, prior, budget: fold_of((user, reply), prior=prior, budget=budget),
    SPOKEN,
    SPOKEN,
    TEXTS,
    st.integers(4, 120),
)


@settings(deadline=None)
@given(fold=FOLDS, texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_whatever_a_model_writes_what_lands_is_sound(fold: Fold, texts: list[str]) -> None:
    """Within budget, prose and clauses, nothing invented, all values that are extracted."""
    assert_all_sound(guarded, fold, texts)


# --- plants: guards with one fault each


def lets_all_through(update: SummaryUpdate, _: Fold) -> SummaryUpdate:
    """Reads nothing."""
    return update


def gives_nothing_back(update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
    """What was lost stays lost."""
    mended = guarded(update, fold)
    return replace(mended, text=held_summary(mended, mended.text).prose, clauses=())


def knows_no_budget(update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
    """Gives back whatever there is."""
    return guarded(update, replace(fold, budget=4 * fold.budget))


def blames_the_user(update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
    """Gives all clauses to one speaker."""
    mended = guarded(update, fold)
    clauses = tuple(replace(clause, speaker=Speaker.USER) for clause in mended.clauses)
    prose = held_summary(mended, mended.text).prose
    return replace(mended, clauses=clauses, text=f"{prose} {render_clauses(clauses)}".rstrip())


@pytest.mark.parametrize(
    "faulty",
    [lets_all_through, gives_nothing_back, knows_no_budget, blames_the_user],
)
def test_a_planted_fault_is_found(faulty: Guard) -> None:
    """A guard with a fault lands what is not sound within a few hundred folds."""

    @settings(deadline=None, max_examples=400, derandomize=True, phases=(Phase.generate,))
    @given(fold=FOLDS, texts=st.lists(TEXTS, min_size=1, max_size=3))
    def hunt(fold: Fold, texts: list[str]) -> None:
        assert_all_sound(faulty, fold, texts)

    with pytest.raises(AssertionError):
        hunt()


# --- what becomes of a mended summary

FIRST = fold_of(
    ("Mirela flies to Oslo with locker code 4417.", "I noted flight INC-5521."),
    ("The Grand costs €1,200.50.", "The room is ready at 15:00."),
)
PROSE = "They spoke of a journey and of a room."


def after(*texts: str) -> SummaryUpdate:
    """What stands after as many folds as there are texts; `prior` in one is what it folds into."""
    fold = FIRST
    landed = update_of(fold, "")
    for text in texts:
        landed = guarded(update_of(fold, text.format(prior=fold.prior.text)), fold)
        pair = replace(
            FIRST.pairs[0], number=landed.covers + 1, user_text="Okay.", reply_text="Sure."
        )
        prior = held_summary(landed, landed.text)
        fold = replace(fold, prior=prior, version=landed.version + 1, pairs=(pair,))
    return landed


GIVEN_BACK = (
    Clause(speaker=Speaker.USER, text="Mirela flies to Oslo with locker code 4417", number=6),
    Clause(speaker=Speaker.PACE, text="I noted flight INC-5521", number=6),
    Clause(speaker=Speaker.USER, text="The Grand costs €1,200.50", number=7),
    Clause(speaker=Speaker.PACE, text="The room is ready at 15:00", number=7),
)


@pytest.mark.parametrize(
    "again",
    [
        PROSE,  # the model forgets them
        "{prior}",  # it copies all that it was shown
        f"The user: The Grand costs €1,200.50. {PROSE}",  # or a part of it
        f"{PROSE} Mirela flies to Oslo with locker code 4417. I noted flight INC-5521.",
    ],
)
def test_clauses_stay_the_clauses_that_they_are(again: str) -> None:
    """Fold after fold they have their speaker and pair, and neither pile up nor turn into prose."""
    update = after(PROSE, again, again, again)
    assert update.clauses == GIVEN_BACK
    assert update.text == f"{PROSE} {render_clauses(GIVEN_BACK)}"


def test_what_a_model_takes_up_in_its_own_words_is_not_said_twice() -> None:
    """A clause goes once the prose holds what it was given back for."""
    update = after(PROSE, f"{PROSE} With code 4417 for a locker, Mirela flies to Oslo.")
    assert update.clauses == GIVEN_BACK[1:]


def test_the_extractive_fold_takes_a_mended_summary_on() -> None:
    """Prose as words of nobody in particular, and clauses as they are."""
    landed = after(PROSE)
    prior = held_summary(landed, landed.text)
    pair = replace(FIRST.pairs[0], number=8, user_text="Okay.", reply_text="Sure.")
    clauses = fold_extractively(replace(FIRST, prior=prior, pairs=(pair,))).clauses
    assert set(GIVEN_BACK) < set(clauses)
    assert clauses[0] == Clause(speaker=Speaker.EARLIER, text=PROSE.rstrip("."), number=0)


def test_a_strike_leaves_nothing_of_a_mended_summary() -> None:
    """Its prose may say the struck thing in other words, so all of it goes."""
    memory = said(thread(window_size=1), "1", "2")
    memory, fold = memory.stamp_fold()
    assert fold is not None
    fold = replace(fold, pairs=(replace(fold.pairs[0], user_text="Mirela's code is 4417."),))
    landed = guarded(update_of(fold, "They spoke of a code."), fold)
    assert landed.clauses
    memory, outcome = memory.apply_summary_update(landed)
    assert outcome is SummaryOutcome.APPLIED
    struck = memory.strike("something else").summary
    assert (struck.text, struck.clauses, struck.made_by) == ("", (), "")
