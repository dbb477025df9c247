"""How much was sent off this machine, to whom and when: numbers alone, no words, no ids.

`CountedPlanner` writes them before a request leaves; `pace privacy` reads them.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pace.errors import ConsentNeededError, PlannerUnavailableError, SentLogError
from pace.memory.prompt import Prompt, PromptParts
from pace.memory.turn import ThreadId
from pace.ports import SUMMARIES, Notice, Planner, PlannerEvent, PlannerTraits

# How long another process's change is waited for (seconds); a turn waits behind it.
_PATIENCE = 2.0
_TABLE = """
CREATE TABLE IF NOT EXISTS sent (
  minute INTEGER NOT NULL,  -- since 1970, UTC
  tier TEXT NOT NULL,
  host TEXT NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (minute, tier, host, kind)
) WITHOUT ROWID
"""
_ADD = """
INSERT INTO sent (minute, tier, host, kind, count, bytes) VALUES (?, ?, ?, ?, 1, ?)
ON CONFLICT (minute, tier, host, kind) DO UPDATE
SET count = count + 1, bytes = bytes + excluded.bytes
"""


class SentKind(StrEnum):
    """What a request was for: a person's turn, a further step of one, or a summary."""

    TURN = "turn"
    STEP = "step"
    SUMMARY = "summary"


# Others may write to the file, and a later Pace may know more kinds. The last minute is in 2099,
# since a time much further on is none on every machine; and no sum may be too large.
_IS_KNOWN = f"""
typeof(minute) = 'integer' AND minute BETWEEN 0 AND 68000000
AND typeof(tier) = 'text' AND typeof(host) = 'text'
AND typeof(kind) = 'text' AND kind IN ({", ".join(f"'{kind}'" for kind in SentKind)})
AND typeof(count) = 'integer' AND count BETWEEN 0 AND 1000000000
AND typeof(bytes) = 'integer' AND bytes BETWEEN 0 AND 1000000000000
"""
_TOTALS = f"""
SELECT tier, host, kind, sum(count), sum(bytes), min(minute), max(minute)
FROM sent WHERE {_IS_KNOWN} GROUP BY tier, host, kind ORDER BY tier, host, kind
"""  # noqa: S608  # nothing in it was given from outside
_ODD = f"SELECT count(*) FROM sent WHERE NOT ({_IS_KNOWN})"  # noqa: S608  # as above


@dataclass(frozen=True, slots=True, kw_only=True)
class SentTotal:
    """All requests of one kind to one host. Times are local, to the minute."""

    tier: str
    host: str
    kind: SentKind
    count: int
    bytes: int
    first_at: datetime
    last_at: datetime


class SentLog:
    """The log in its file, which only its person may read. Everything blocks; raises SentLogError.

    Each call opens the file anew, so that any number of processes may use it, and it can be
    cleared at any time.
    """

    def __init__(self, path: Path, *, now: Callable[[], datetime] | None = None) -> None:
        self.path = path
        self._now = now or _now

    def add(self, *, tier: str, host: str, kind: SentKind, size: int) -> None:
        """Count a request of so many bytes."""
        minute = int(self._now().timestamp()) // 60
        with self._opened() as connection:
            connection.execute(_ADD, (minute, tier, host, kind.value, size))

    def totals(self) -> tuple[SentTotal, ...]:
        """What was sent, by tier, host and kind; nothing, if there is no log.

        Rows that make no sense are left out; `odd_rows` says how many they are.
        """
        if not self.path.exists():
            return ()
        with self._opened() as connection:
            rows = connection.execute(_TOTALS).fetchall()
        return tuple(
            SentTotal(
                tier=tier,
                host=host,
                kind=SentKind(kind),
                count=count,
                bytes=size,
                first_at=_local(first),
                last_at=_local(last),
            )
            for tier, host, kind, count, size, first, last in rows
        )

    def odd_rows(self) -> int:
        """How many rows make no sense, and are in no total."""
        if not self.path.exists():
            return 0
        with self._opened() as connection:
            return int(connection.execute(_ODD).fetchone()[0])

    def clear(self) -> None:
        """Forget all of it; nothing is left in the file."""
        if not self.path.exists():
            return
        with self._opened() as connection:
            connection.execute("DELETE FROM sent")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept if nothing fails."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # What is made by SQLite itself would be for others to read, too.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as connection, connection:
                connection.text_factory = _text
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute(_TABLE)
                yield connection
        except sqlite3.OperationalError as error:
            raise SentLogError(
                f"{self.path} cannot be used ({error}). Check who owns it, and its disk."
            ) from error
        except (sqlite3.Error, ValueError) as error:
            raise SentLogError(
                f"{self.path} is no log of what was sent. Move it away, and a new one is begun."
            ) from error
        except OSError as error:
            raise SentLogError(
                f"{self.path} cannot be used ({error.strerror}). Check who owns it, and its disk."
            ) from error


class CountedPlanner:
    """A planner off this machine; each request is allowed and counted before it leaves.

    `check` raises ConsentNeededError if the person does not agree that this prompt is sent, or not
    any more, and PlannerError if nobody is there to be sent anything. A fault of the log stops no
    turn; the first one is told.
    """

    def __init__(
        self,
        planner: Planner,
        log: SentLog,
        *,
        tier: str,
        host: str,
        check: Callable[[Prompt], None],
    ) -> None:
        self._planner = planner
        self._check = check
        self._log = log
        self._tier = tier
        self._host = host
        self._told = ""
        self._asked: tuple[PromptParts | None, int] = (None, 0)

    async def traits(self) -> PlannerTraits:
        """Those of the planner."""
        return await self._planner.traits()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """The planner's reply, counted beforehand. Raises ConsentNeededError."""
        self._check_agreed(prompt)
        trouble = await self._count(prompt)
        if trouble and trouble != self._told:
            self._told = trouble
            yield Notice(f"What is sent is not counted: {trouble}")
        async with aclosing(self._planner.stream(prompt)) as events:
            async for event in events:
                yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Those of the planner."""
        return await self._planner.count_tokens(texts)

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002 - the port's
        """Nothing: no words leave this machine ahead of a turn."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """As the planner does."""
        await self._planner.forget(thread_id)

    async def aclose(self) -> None:
        """As the planner does."""
        await self._planner.aclose()

    def _check_agreed(self, prompt: Prompt) -> None:
        try:
            self._check(prompt)
        except ConsentNeededError as error:
            if prompt.thread_id != SUMMARIES:
                raise
            # Whoever asks for a summary has another way to one, and takes it on this error.
            raise PlannerUnavailableError(str(error)) from error

    async def _count(self, prompt: Prompt) -> str:
        """What is the matter with the log; nothing, if all is well."""
        kind = self._kind(prompt)
        size = sum(len(m.content.encode("utf-8", "surrogatepass")) for m in prompt.messages)
        try:
            await asyncio.to_thread(
                self._log.add, tier=self._tier, host=self._host, kind=kind, size=size
            )
        except SentLogError as error:
            return str(error)
        return ""

    def _kind(self, prompt: Prompt) -> SentKind:
        if prompt.thread_id == SUMMARIES:
            return SentKind.SUMMARY
        # A further step is asked with the turn's own prompt, grown by what came of the one before.
        parts, messages = self._asked
        self._asked = (prompt.parts, len(prompt.messages))
        is_step = prompt.parts is parts and len(prompt.messages) > messages
        return SentKind.STEP if is_step else SentKind.TURN


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")


def _now() -> datetime:
    return datetime.now(UTC)


def _local(minute: int) -> datetime:
    return datetime.fromtimestamp(minute * 60, UTC).astimezone()
