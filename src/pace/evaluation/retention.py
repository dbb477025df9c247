"""Which facts that have left the window still stand in the prompt."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pace.evaluation.matching import Positions
from pace.evaluation.replay import Moment, Replay
from pace.evaluation.shares import Share, share_of
from pace.evaluation.talks import SaidTurn, Talk
from pace.memory.prompt import recall_block
from pace.memory.tokens import estimate_tokens

# Ages are in turns since a fact was last said; each group begins where the one before it ends.
_AGES = (4, 8, 12, 16, 24, 32, 48, 96)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Shares of the facts that have left the window.

    `at_end` and `by_subject` (the fact stands beside a word of its subject) are of each talk's end,
    `on_the_way` and `by_age` of all moments. The ages' names say from how many turns to how many.
    `when_asked` is of the facts with a question: whether they stand, by their subject, in the
    prompt of just that question at the end of the talk, with what was recalled for it; that prompt
    has `asked_tokens` on average, without the question.
    """

    at_end: Share
    by_subject: Share
    on_the_way: Share
    by_age: dict[str, Share]
    when_asked: Share
    asked_tokens: float = 0.0


@dataclass(frozen=True, slots=True)
class _Look:
    """One fact at one moment, after it left the window."""

    age: int
    is_kept: bool
    is_by_subject: bool
    is_at_end: bool


def retention_of(replays: Sequence[Replay]) -> Retention:
    """Look for every fact of every talk at each of its moments."""
    looks = [_looks(replayed) for replayed in replays]
    at_end = [[look for look in talk if look.is_at_end] for talk in looks]
    by_age: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, start in enumerate(_AGES):
        before = _AGES[at + 1] if at + 1 < len(_AGES) else None
        name = f"{start} and more" if before is None else f"{start} to {before - 1}"
        for talk in looks:
            of_age = [
                look for look in talk if look.age >= start and (before is None or look.age < before)
            ]
            by_age[name].append(_kept(of_age))
    asked = [_when_asked(replayed) for replayed in replays]
    tokens = [size for of_talk in asked for _, size in of_talk]
    shares = {name: share_of(counts) for name, counts in by_age.items()}
    return Retention(
        at_end=share_of([_kept(talk) for talk in at_end]),
        by_subject=share_of([(sum(x.is_by_subject for x in talk), len(talk)) for talk in at_end]),
        on_the_way=share_of([_kept(talk) for talk in looks]),
        by_age={name: share for name, share in shares.items() if share.whole},
        when_asked=share_of([(sum(found for found, _ in talk), len(talk)) for talk in asked]),
        asked_tokens=fmean(tokens) if tokens else 0.0,
    )


def displaced(talk: Talk, moment: Moment) -> list[int]:
    """The facts, by their place in the talk, that were said by then and are not in the window."""
    return [at for at, _ in _displaced(talk, moment, _mentions(talk))]


def _when_asked(replayed: Replay) -> list[tuple[bool, int]]:
    """Of each fact with a question, whether its prompt holds it, and the tokens of that prompt."""
    end = replayed.moments[-1]
    asked = []
    for at in displaced(replayed.talk, end):
        fact = replayed.talk.facts[at]
        if not fact.question:
            continue
        block = recall_block(replayed.memory, fact.question)
        recalled = "" if block is None else block.text
        shown = Positions(f"{end.context}\n{recalled}")
        asked.append((shown.hold_by_subject(fact), end.prompt_tokens + estimate_tokens(recalled)))
    return asked


def _kept(looks: Sequence[_Look]) -> tuple[int, int]:
    return sum(look.is_kept for look in looks), len(looks)


def _looks(replayed: Replay) -> list[_Look]:
    talk = replayed.talk
    mentions = _mentions(talk)
    looks = []
    for moment in replayed.moments:
        context = Positions(moment.context)
        for at, age in _displaced(talk, moment, mentions):
            fact = talk.facts[at]
            looks.append(
                _Look(
                    age=age,
                    is_kept=context.hold(fact),
                    is_by_subject=context.hold_by_subject(fact),
                    is_at_end=moment is replayed.moments[-1],
                )
            )
    return looks


def _mentions(talk: Talk) -> list[list[int]]:
    """The turns in which each fact is said."""
    turns = [Positions(as_text(turn)) for turn in talk.turns]
    return [
        [
            number
            for number in range(fact.turn, len(turns))
            if number == fact.turn or turns[number].hold(fact)
        ]
        for fact in talk.facts
    ]


def _displaced(
    talk: Talk, moment: Moment, mentions: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """The facts that have left the window, and how many turns ago each was said last.

    One that no longer holds is none that anybody has to keep.
    """
    window = Positions("\n".join(map(as_text, talk.turns[moment.window_from : moment.turn + 1])))
    found = []
    for at, fact in enumerate(talk.facts):
        if fact.turn > moment.turn or (fact.until is not None and fact.until <= moment.turn):
            continue
        said_last = max(number for number in mentions[at] if number <= moment.turn)
        if said_last < moment.window_from and not window.hold(fact):
            found.append((at, moment.turn - said_last))
    return found


def as_text(turn: SaidTurn) -> str:
    """A turn as one text."""
    return f"User: {turn.user}\nAssistant: {turn.assistant}"
