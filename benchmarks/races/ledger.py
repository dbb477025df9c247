"""An account of its own of what was said: what must be reachable, and what nobody may find.

It reads the words of every value that was written and knows none of the rules. A turn's words hold
its name, and a summary of the laboratory names precisely the turns that it covers, so where a name
is found is where the turn is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from pace.memory.summary import (
    Clause,
    Fold,
    RollingSummary,
    Speaker,
    SummaryUpdate,
    render_clauses,
)
from pace.memory.thread import ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, TurnId, TurnPair

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_NAME = re.compile(r"name\d+x")
_NONE: frozenset[str] = frozenset()


class Tally(NamedTuple):
    """What came of some schedules. `forgotten` turns were to be forgotten, and are."""

    schedules: int = 0
    said: int = 0
    forgotten: int = 0
    reachable: int = 0
    lost: int = 0
    twice: int = 0
    stale: int = 0
    unfolded: int = 0

    def plus(self, other: "Tally") -> "Tally":
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def is_clean(self) -> bool:
        """Whether something was said, and nothing went wrong with it."""
        return self.said > 0 and not (self.lost or self.twice or self.stale or self.unfolded)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was said, by name, and what is wrong so far.

    `begun` and `acknowledged` are names with the session in which the turn began. `here` is what
    the newest value holds, `removed` what was taken back, replaced or struck in the live session:
    whoever got no answer and asks again after a reset says the same words anew.
    """

    session_id: SessionId
    begun: frozenset[tuple[str, SessionId]] = frozenset()
    acknowledged: frozenset[tuple[str, SessionId]] = frozenset()
    here: frozenset[str] = _NONE
    removed: frozenset[str] = _NONE
    lost: frozenset[str] = _NONE
    twice: frozenset[str] = _NONE
    stale: frozenset[str] = _NONE

    def began(self, name: str, session_id: SessionId) -> "Ledger":
        """A turn was accepted in this session, and may be recorded in it and in no other."""
        return replace(self, begun=self.begun | {(name, session_id)})

    def acknowledge(self, name: str, session_id: SessionId) -> "Ledger":
        """Its person was told that it is remembered."""
        ledger = replace(self, acknowledged=self.acknowledged | {(name, session_id)})
        if session_id == self.session_id and name not in self.here | self.removed:
            ledger = replace(ledger, lost=self.lost | {name})
        return ledger

    def wrote(
        self,
        memory: ThreadMemory,
        *,
        may_remove: frozenset[str] = _NONE,
        ends: SessionId | None = None,
    ) -> "Ledger":
        """A value was written by somebody who meant to remove these, or to end this session."""
        names = _names_of(memory)
        here = frozenset(names)
        gone = self.here - here
        if memory.session_id != self.session_id and ends == self.session_id:
            may_remove = gone
        removed = _NONE
        if memory.session_id == self.session_id:
            removed = self.removed | (gone & may_remove)
        twice = self.twice
        if len(names) != len(here):
            twice |= {name for name in here if names.count(name) > 1}
        for pair in (*memory.pending, *memory.window):
            if pair.number <= memory.summary.covers:
                twice |= {_name_of(pair)}
        at_rest = {name for name in here if (name, memory.session_id) not in self.begun}
        return replace(
            self,
            session_id=memory.session_id,
            here=here,
            removed=removed,
            lost=self.lost | (gone - may_remove),
            twice=twice,
            stale=self.stale | at_rest | (here & removed) | _clause_names(memory) - here,
        )

    def tally(self, *, unfolded: int = 0) -> Tally:
        """The figures of one schedule, which is over."""
        live = {name for name, session_id in self.acknowledged if session_id == self.session_id}
        kept = live - self.removed
        return Tally(
            schedules=1,
            said=len(self.acknowledged),
            forgotten=len(self.acknowledged) - len(kept),
            reachable=len(kept & self.here),
            lost=len(self.lost | (kept - self.here)),
            twice=len(self.twice),
            stale=len(self.stale),
            unfolded=unfolded,
        )


def finished(name: str, session_id: SessionId, *, replaces: TurnId | None = None) -> FinishedTurn:
    """A turn whose words hold its name, and what trimming would eat."""
    return FinishedTurn(
        turn_id=TurnId(name),
        session_id=session_id,
        user_text=_asked(name),
        reply_text=f" re {name}\n",
        recorded_at=NOW,
        replaces=replaces,
    )


def _asked(name: str) -> str:
    return f"\t{name} \u00e9\r\n "


def summarized(fold: Fold, *, by_model: bool) -> SummaryUpdate:
    """The summary that names what the prior one names and each new pair, once."""
    new = [pair.turn_id for pair in fold.pairs]
    clauses: tuple[Clause, ...] = ()
    if by_model:
        text = " ".join([*_NAME.findall(fold.prior.text), *new]) or "nothing"
    else:
        earlier = fold.prior.clauses
        if fold.prior.text and not earlier:
            earlier = (Clause(speaker=Speaker.EARLIER, text=fold.prior.text, number=0),)
        said = (Clause(speaker=Speaker.USER, text=name, number=1) for name in new)
        clauses = (*earlier, *said)
        text = render_clauses(clauses)
    return SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=fold.pairs[-1].number,
        text=text,
        made_by="model" if by_model else "extractive",
        clauses=clauses,
    )


def struck_with(summary: RollingSummary, name: str) -> frozenset[str]:
    """What a strike of this name takes out of a summary: its clause, or all that a model wrote."""
    if not summary.clauses:
        return frozenset(_NAME.findall(summary.text))
    return _all_names(clause.text for clause in summary.clauses if name in clause.text)


def _names_of(memory: ThreadMemory) -> list[str]:
    names = [_name_of(pair) for pair in (*memory.pending, *memory.window)]
    return names + _NAME.findall(memory.summary.text) if memory.summary.text else names


def _name_of(pair: TurnPair) -> str:
    """Its name if its words are those that were said, byte for byte."""
    name = str(pair.turn_id)
    is_whole = pair.user_text == _asked(name) and pair.reply_text == f" re {name}\n"
    return name if is_whole else f"not {name}"


def _clause_names(memory: ThreadMemory) -> frozenset[str]:
    return _all_names(clause.text for clause in memory.summary.clauses)


def _all_names(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(name for text in texts for name in _NAME.findall(text))
