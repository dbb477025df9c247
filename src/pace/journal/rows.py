"""What is written into the journal and read from it: rows of turns, and a line for each session."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pace.journal.words import INDEXED_BY, Snippet, indexed
from pace.memory.turn import SessionId, ThreadId, TurnId


class TurnSource(StrEnum):
    """By which way a person's words came."""

    CHAT = "chat"
    VOICE = "voice"
    GATEWAY = "gateway"


class TurnStatus(StrEnum):
    """What became of a turn."""

    ANSWERED = "answered"
    INTERRUPTED = "interrupted"
    REPLACED = "replaced"
    TAKEN_BACK = "taken back"
    FAILED = "failed"


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
    """A turn of the journal and its number, which only ever grows."""

    number: int
    turn: JournalTurn


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
"""The columns of a turn, as `entry_of` takes them after the number."""


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
    of_session, which = ("", ()) if session_id is None else ("session_id = ? AND", (session_id,))
    (found,) = connection.execute(
        f"SELECT count(*) FROM turns WHERE {of_session} "  # noqa: S608  # our own names
        "said_seconds >= ? AND said_seconds < ?",
        (*which, *period.seconds),
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
    of_session, which = ("", ()) if session_id is None else ("session_id = ? AND", (session_id,))
    rows = connection.execute(
        f"SELECT number, {TURN} FROM turns WHERE {of_session} number > ? "  # noqa: S608  # our own
        "AND said_seconds >= ? AND said_seconds < ? ORDER BY number LIMIT ?",
        (*which, after, *period.seconds, limit),
    )
    return [entry_of(row) for row in rows]


def page(
    connection: sqlite3.Connection, session_id: SessionId, *, first: int, before: int, limit: int
) -> Page:
    """So many entries from a number on, and so many before it; fewer where a session ends."""
    rows = connection.execute(
        f"SELECT number, {TURN} FROM turns WHERE session_id = ? "  # noqa: S608  # our own names
        "AND number < ? ORDER BY number DESC LIMIT ?",
        (session_id, first, before),
    )
    found = [entry_of(row) for row in rows][::-1]
    found += entries(connection, session_id=session_id, period=ALWAYS, after=first - 1, limit=limit)
    if not found:
        return Page([], 0, 0)
    earlier, later = connection.execute(
        "SELECT (SELECT count(*) FROM turns WHERE session_id = ? AND number < ?), "
        "(SELECT count(*) FROM turns WHERE session_id = ? AND number > ?)",
        (session_id, found[0].number, session_id, found[-1].number),
    ).fetchone()
    return Page(found, earlier, later)


def entry(connection: sqlite3.Connection, number: int) -> Entry | None:
    """One entry."""
    row = connection.execute(
        f"SELECT number, {TURN} FROM turns WHERE number = ?",  # noqa: S608  # our own names
        (number,),
    ).fetchone()
    return None if row is None else entry_of(row)


def entry_of(row: tuple[int, str, str, str, str, str, str, str, str, str, str]) -> Entry:
    """A row as it comes from the table, number first."""
    number, turn_id, thread_id, session_id, source, planner, model, said_at, status, *texts = row
    return Entry(
        number,
        JournalTurn(
            turn_id=TurnId(turn_id),
            thread_id=ThreadId(thread_id),
            session_id=SessionId(session_id),
            source=TurnSource(source),
            planner=planner,
            model=model,
            said_at=datetime.fromisoformat(said_at),
            status=TurnStatus(status),
            user_text=texts[0],
            reply_text=texts[1],
        ),
    )
