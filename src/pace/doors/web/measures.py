"""What each turn cost, and what it would have cost with the whole conversation sent every time.

Measured once for all tabs. It holds numbers by turn, and no word.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pace.chat import Divider, Line, Row
from pace.memory.turn import TurnId
from pace.ports import Planner


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMeasure:
    """One turn of the live conversation, counted from 1.

    `whole_tokens` is an estimate: the system prompt, every pair before it, and its words.
    """

    number: int
    sent_tokens: int
    whole_tokens: int
    seconds_to_words: float | None


@dataclass(slots=True)
class Measures:
    """Measures the rows of a transcript. Each reply is counted once."""

    _reply_tokens: dict[TurnId, int] = field(default_factory=dict)

    async def of(self, lines: Iterable[Line], planner: Planner) -> list[TurnMeasure]:
        """The turns since the session began, the oldest first. Raises PlannerError."""
        rows = _measured(lines)
        await self._count(rows, planner)
        measures = []
        # A prompt without a block has the system prompt alone in this part.
        system = min((row.sent.system for row in rows if row.sent is not None), default=0)
        before = 0
        for number, row in enumerate(rows, start=1):
            assert row.sent is not None  # noqa: S101  # for the type checker
            waited = row.first_words_after
            measures.append(
                TurnMeasure(
                    number=number,
                    sent_tokens=row.sent.total,
                    whole_tokens=system + before + row.sent.words,
                    seconds_to_words=None if waited is None else waited.total_seconds(),
                )
            )
            before += row.sent.words + self._reply_tokens.get(row.turn_id, 0)
        return measures

    async def _count(self, rows: list[Row], planner: Planner) -> None:
        missing = [row for row in rows if row.turn_id not in self._reply_tokens]
        if missing:
            counts = await planner.count_tokens([row.reply_text for row in missing])
            self._reply_tokens.update(zip((row.turn_id for row in missing), counts, strict=True))
        known = {row.turn_id for row in rows}
        for gone in self._reply_tokens.keys() - known:
            del self._reply_tokens[gone]


def _measured(lines: Iterable[Line]) -> list[Row]:
    """The answered rows of the live session."""
    rows: list[Row] = []
    for line in lines:
        if isinstance(line, Divider):
            rows.clear()
        elif line.sent is not None and line.sent.total and not line.is_open:
            rows.append(line)
    return rows
