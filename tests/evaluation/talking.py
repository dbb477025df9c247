"""Talks for tests, with their facts."""

from pace.evaluation.stems import telling_stems
from pace.evaluation.talks import Fact, SaidTurn, Side, Talk


def fact(
    turn: int,
    answer: str,
    *,
    cues: str = "",
    by: Side = Side.USER,
    weak: bool = False,
    question: str = "",
    until: int | None = None,
) -> Fact:
    """A fact whose keywords are the telling words of its answer."""
    return Fact(
        turn=turn,
        by=by,
        answer=answer,
        keywords=tuple(telling_stems(answer)),
        cues=tuple(telling_stems(cues)),
        weak=weak,
        question=question,
        until=until,
    )


def talk(*turns: tuple[str, str], facts: tuple[Fact, ...] = (), name: str = "talk") -> Talk:
    """A talk of one set."""
    return Talk(id=name, source="set", turns=tuple(SaidTurn(*turn) for turn in turns), facts=facts)


def small_talk(turns: int) -> tuple[tuple[str, str], ...]:
    """Turns in which nothing is told that anybody would look for."""
    return tuple(
        (f"And then? {'Hm. ' * n}", f"Well, let us see. {'So. ' * n}") for n in range(turns)
    )
