"""Every order in which three turns, three folds and a reset can meet, one by one."""

from dataclasses import dataclass
from math import factorial

from memory.talk import FIRST_SESSION, START, Flight, Talk, Turn
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId

TURNS, FOLDS = 3, 3
NEXT_SESSION = SessionId("session 1")
# 13 steps, of which each turn's two and each fold's two keep their order.
SCHEDULES = factorial(2 * TURNS + 2 * FOLDS + 1) // 2 ** (TURNS + FOLDS)


@dataclass(frozen=True, slots=True)
class Moment:
    """A conversation and how far each turn, each fold and the reset have come.

    A turn is None, then the turn as it was accepted, then "over"; a fold likewise, and "over" at
    once if nothing was pending when it began.
    """

    talk: Talk
    turns: tuple[Turn | str | None, ...] = (None,) * TURNS
    folds: tuple[Flight | str | None, ...] = (None,) * FOLDS
    is_reset: bool = False


def next_moments(moment: Moment) -> list[Moment]:
    """Every moment that one more step leads to."""
    talk, turns, folds = moment.talk, moment.turns, moment.folds
    following = []
    held_turn: Turn | str
    held_fold: Flight | str
    for at, turn in enumerate(turns):
        if turn is None:
            begun = Turn(at, talk.account.session_id)
            after, held_turn = talk.accept(begun), begun
        elif isinstance(turn, Turn):
            after, held_turn = talk.record(turn, START), "over"
        else:
            continue
        moved = (*turns[:at], held_turn, *turns[at + 1 :])
        following.append(Moment(after, moved, folds, moment.is_reset))
    for at, fold in enumerate(folds):
        if fold is None:
            after, flight = talk.stamp()
            held_fold = flight or "nothing to land"
        elif isinstance(fold, Flight):
            after, held_fold = talk.land(fold, "extractive"), "over"
        elif fold == "nothing to land":
            after, held_fold = talk, "over"
        else:
            continue
        landed = (*folds[:at], held_fold, *folds[at + 1 :])
        following.append(Moment(after, turns, landed, moment.is_reset))
    if not moment.is_reset:
        after = talk.end(FIRST_SESSION, NEXT_SESSION, START)
        following.append(Moment(after, turns, folds, is_reset=True))
    return following


def walk(kind: type[ThreadMemory]) -> int:
    """Take every step of every schedule and count the schedules.

    Schedules that meet in the same moment are walked on together, which leaves none out: values do
    not change, so what follows is the same for all of them.
    """
    counts: dict[Moment, int] = {}

    def schedules_from(moment: Moment) -> int:
        known = counts.get(moment)
        if known is None:
            following = next_moments(moment)
            known = sum(map(schedules_from, following)) if following else 1
            counts[moment] = known
        return known

    return schedules_from(Moment(Talk.begin(kind, window_size=1)))


def test_no_schedule_breaks_a_rule() -> None:
    """Over all 97,297,200 schedules, R1 to R4 hold after every step."""
    assert SCHEDULES == 97_297_200
    assert walk(ThreadMemory) == SCHEDULES
