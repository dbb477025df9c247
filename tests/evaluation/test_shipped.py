"""The talks that Pace ships say what their facts claim."""

import json
from importlib.resources import files

import pytest

from pace.evaluation.loading import shipped
from pace.evaluation.matching import Positions
from pace.evaluation.stems import telling_stems
from pace.evaluation.talks import Fact, Talk

TALKS = shipped().talks
FACTS = [
    pytest.param(talk, fact, id=f"{talk.id}-{at}")
    for talk in TALKS
    for at, fact in enumerate(talk.facts)
]


def test_there_are_eight_talks_of_natural_length() -> None:
    """Each has turns with words on both sides, its own name, and facts of both sides."""
    assert len({talk.id for talk in TALKS}) == len(TALKS) == 8
    for talk in TALKS:
        assert 24 <= len(talk.turns) <= 36
        assert all(turn.user and turn.assistant for turn in talk.turns)
        assert {fact.by for fact in talk.facts} == {"user", "assistant"}
        assert len(talk.facts) >= 12
        assert sum(bool(fact.question) for fact in talk.facts) >= 10


@pytest.mark.parametrize(("talk", "fact"), FACTS)
def test_a_fact_stands_in_its_turn_beside_its_cues(talk: Talk, fact: Fact) -> None:
    """All keywords and all cues are said there by its side, near each other; none is both."""
    said = talk.turns[fact.turn].said_by(fact.by)
    assert set(fact.keywords) <= set(telling_stems(fact.answer))
    assert {*fact.keywords, *fact.cues} <= set(telling_stems(said))
    assert not set(fact.keywords) & set(fact.cues)
    assert fact.cues
    assert Positions(said).hold_by_subject(fact)


@pytest.mark.parametrize(("talk", "fact"), FACTS)
def test_no_question_holds_a_word_of_its_answer(talk: Talk, fact: Fact) -> None:
    """A reader that repeats the question has not answered it; only what still holds is asked."""
    assert not set(fact.keywords) & set(telling_stems(fact.question)), talk.id
    assert bool(fact.question) == (fact.until is None)


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.id)
def test_what_is_corrected_is_followed_by_what_holds(talk: Talk) -> None:
    """In each talk at least two facts end, each at a turn that tells another one."""
    ended = [fact for fact in talk.facts if fact.until is not None]
    assert len(ended) >= 2
    for fact in ended:
        newer = [other for other in talk.facts if other.turn == fact.until]
        assert any(set(other.keywords) != set(fact.keywords) for other in newer)


def test_their_licence_stands_in_every_line_and_beside_them() -> None:
    """Whoever copies a line or the folder takes the licence along."""
    folder = files("pace.evaluation") / "shipped"
    lines = (folder / "talks.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["license"] for line in lines} == {"CC0-1.0"}
    readme = (folder / "README.md").read_text("utf-8")
    assert "CC0 1.0" in readme
    assert f"{sum(len(talk.facts) for talk in TALKS)} facts" in readme


def test_the_note_tells_what_they_are() -> None:
    """One sentence, without a path of this machine."""
    assert shipped().note == (
        "The talks that Pace ships, read as talks of Pace's schema: 8 talks with "
        f"{sum(len(talk.facts) for talk in TALKS)} facts, all as the file gives them."
    )
