"""What is written into the journal and read from it: rows of turns, and a line for each session."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pace.journal.stand_ins import Reader
from pace.journal.words import INDEXED_BY, Snippet, indexed
from pace.memory.turn import SessionId, ThreadId, TurnId


class TurnSource(StrEnum):
    """By which way a person's words came; unknown where a damaged row does not say it any more."""

    CHAT = "chat"
    VOICE = "voice"
    GATEWAY = "gateway"
    UNKNOWN = "unknown"


class TurnStatus(StrEnum):
    """What became of a turn; unknown where a damaged row does not say it any more."""

    ANSWERED = "answered"
    INTERRUPTED = "interrupted"
    REPLACED = "replaced"
    TAKEN_BACK = "taken back"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalTurn:
    """A turn as it was said. `planner` and `model` answered it; both are empty if none was found.

    `said_at` has the person's offset. A failed turn has no reply. Raises ValueError for a time
    without an offset.
    """

    turn_id: TurnId
    thread_id: ThreadId
    session_id: SessionId
    source: TurnSource
    planner: str
    model: str
    said_at: datetime
    status: TurnStatus
    user_text: str
    reply_text: str

    def __post_init__(self) -> None:
        if self.said_at.tzinfo is None:
            raise ValueError("a turn's time needs its offset")


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn and its number, which only ever grows; `is_damaged` if a part could not be read."""

    number: int
    turn: JournalTurn
    is_damaged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PastConversation:
    """One session of the journal. `first_words` are its first turn's; `name` is the person's own.

    `cause` says how it ended; None while it lives, or if its program was killed. `last_number` is
    its newest turn's.
    """

    session_id: SessionId
    thread_id: ThreadId
    name: str | None
    first_words: str
    began_at: datetime
    last_at: datetime
    turns: int
    last_number: int
    ended_at: datetime | None
    cause: str | None
    is_damaged: bool = False

    @classmethod
    def around(cls, entry: Entry) -> "PastConversation":
        """What a turn alone tells of its conversation, if nothing else does."""
        turn = entry.turn
        return cls(
            session_id=turn.session_id,
            thread_id=turn.thread_id,
            name=None,
            first_words=turn.user_text,
            began_at=turn.said_at,
            last_at=turn.said_at,
            turns=1,
            last_number=entry.number,
            ended_at=None,
            cause=None,
            is_damaged=True,
        )


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that a search found, and the pieces of its words and its reply that show why."""

    entry: Entry
    said: Snippet
    reply: Snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A time from `since`, included, to `before`, not included; open where None. Both are aware."""

    since: datetime | None = None
    before: datetime | None = None

    @property
    def seconds(self) -> tuple[float, float]:
        """The period in seconds of the epoch."""
        since = float("-inf") if self.since is None else self.since.timestamp()
        before = float("inf") if self.before is None else self.before.timestamp()
        return since, before


ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a conversation, and how many of its turns come before and after it."""

    entries: list[Entry]
    earlier: int
    later: int


TURN = (
    "turn_id, thread_id, session_id, source, planner, model, said_at, status, user_text, reply_text"
)
"""The columns of a turn, as it is written."""

ROW = f"number, {TURN}, said_seconds"
"""What `entry_of` takes."""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Whole or not at all; a writer that came first is waited for."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# --- writing


def append(connection: sqlite3.Connection, turn: JournalTurn, replaces: TurnId | None) -> int:
    """Write a turn, once, and mark the one it replaces; gives its number."""
    with transaction(connection):
        known = connection.execute(
            "SELECT number FROM turns WHERE turn_id = ?", (turn.turn_id,)
        ).fetchone()
        if known is not None:
            return int(known[0])
        if replaces is not None:
            _set_status(connection, replaces, TurnStatus.REPLACED)
        return insert(connection, turn)


def insert(connection: sqlite3.Connection, turn: JournalTurn, number: int | None = None) -> int:
    """Put a row in, with its words in the index; inside a transaction."""
    cursor = connection.execute(
        f"INSERT INTO turns (number, said_seconds, indexed_by, {TURN}) "  # noqa: S608  # our own
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            turn.said_at.timestamp(),
            INDEXED_BY,
            turn.turn_id,
            turn.thread_id,
            turn.session_id,
            turn.source,
            turn.planner,
            turn.model,
            turn.said_at.isoformat(),
            turn.status,
            turn.user_text,
            turn.reply_text,
        ),
    )
    written = int(cursor.lastrowid or 0)
    index(connection, written, turn.user_text, turn.reply_text)
    connection.execute(
        "INSERT INTO sessions (session_id, thread_id, last_number) VALUES (?, ?, ?) "
        "ON CONFLICT (session_id) DO UPDATE "
        "SET last_number = max(last_number, excluded.last_number)",
        (turn.session_id, turn.thread_id, written),
    )
    return written


def index(connection: sqlite3.Connection, number: int, user_text: str, reply_text: str) -> None:
    """Have the words of a row be found."""
    connection.execute(
        "INSERT INTO words (rowid, said, reply) VALUES (?, ?, ?)",
        (number, indexed(user_text), indexed(reply_text)),
    )


def take_back(connection: sqlite3.Connection, turn_id: TurnId) -> None:
    """Mark a turn as taken back; one that is not there changes nothing."""
    with transaction(connection):
        _set_status(connection, turn_id, TurnStatus.TAKEN_BACK)


def _set_status(connection: sqlite3.Connection, turn_id: TurnId, status: TurnStatus) -> None:
    connection.execute("UPDATE turns SET status = ? WHERE turn_id = ?", (status, turn_id))


# --- reading


def count(connection: sqlite3.Connection, *, session_id: SessionId | None, period: Period) -> int:
    """How many turns there are; of one session and one period, if they are given."""
    which, parameters = _which(session_id, period)
    (found,) = connection.execute(
        f"SELECT count(*) FROM turns WHERE {which}",  # noqa: S608  # our own names
        parameters,
    ).fetchone()
    return int(found)


def entries(
    connection: sqlite3.Connection,
    *,
    session_id: SessionId | None,
    period: Period,
    after: int,
    limit: int,
) -> list[Entry]:
    """The entries after a number, in order; of one session and one period, if they are given."""
    which, parameters = _which(session_id, period)
    rows = connection.execute(
        f"SELECT {ROW} FROM turns WHERE {which} AND number > ? ORDER BY number LIMIT ?",  # noqa: S608  # our own
        (*parameters, after, limit),
    )
    return [entry_of(row) for row in rows]


def _which(session_id: SessionId | None, period: Period) -> tuple[str, tuple[object, ...]]:
    """A condition and its parameters; always is also where a time cannot be read."""
    which, parameters = "TRUE", list[object]()
    if session_id is not None:
        which += " AND session_id = ?"
        parameters.append(session_id)
    if period != ALWAYS:
        which += " AND said_seconds >= ? AND said_seconds < ?"
        parameters.extend(period.seconds)
    return which, tuple(parameters)


def entry(connection: sqlite3.Connection, number: int) -> Entry | None:
    """One entry."""
    row = connection.execute(
        f"SELECT {ROW} FROM turns WHERE number = ?",  # noqa: S608  # our own names
        (number,),
    ).fetchone()
    return None if row is None else entry_of(row)


def entry_of(row: Sequence[object]) -> Entry:
    """A row as it comes from the table, number first; what cannot be read is stood in for."""
    number, turn_id, thread_id, session_id, source, planner, model, said_at, status, *rest = row
    user_text, reply_text, seconds = rest
    read = Reader()
    turn = JournalTurn(
        turn_id=TurnId(read.text(turn_id)),
        thread_id=ThreadId(read.text(thread_id)),
        session_id=SessionId(read.text(session_id)),
        source=read.kind(source, TurnSource.UNKNOWN),
        planner=read.text(planner),
        model=read.text(model),
        said_at=read.moment(said_at, seconds),
        status=read.kind(status, TurnStatus.UNKNOWN),
        user_text=read.text(user_text),
        reply_text=read.text(reply_text),
    )
    return Entry(int(str(number)), turn, read.is_damaged)
