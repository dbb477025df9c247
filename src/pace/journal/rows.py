"""What is written into the journal and read from it: rows of turns, and a line for each session."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pace.journal.words import Query, Snippet, indexed, snippet_of
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

_TURN = (
    "turn_id, thread_id, session_id, source, planner, model, said_at, status, user_text, reply_text"
)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Whole or not at all; a writer that came first is waited for."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


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
        f"INSERT INTO turns (number, said_seconds, {_TURN}) "  # noqa: S608  # our own names
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            turn.said_at.timestamp(),
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
    connection.execute(
        "INSERT INTO words (rowid, said, reply) VALUES (?, ?, ?)",
        (written, indexed(turn.user_text), indexed(turn.reply_text)),
    )
    connection.execute(
        "INSERT INTO sessions (session_id, thread_id, last_number) VALUES (?, ?, ?) "
        "ON CONFLICT (session_id) DO UPDATE "
        "SET last_number = max(last_number, excluded.last_number)",
        (turn.session_id, turn.thread_id, written),
    )
    return written


def take_back(connection: sqlite3.Connection, turn_id: TurnId) -> None:
    """Mark a turn as taken back; one that is not there changes nothing."""
    with transaction(connection):
        _set_status(connection, turn_id, TurnStatus.TAKEN_BACK)


def _set_status(connection: sqlite3.Connection, turn_id: TurnId, status: TurnStatus) -> None:
    connection.execute("UPDATE turns SET status = ? WHERE turn_id = ?", (status, turn_id))


def end_session(
    connection: sqlite3.Connection, session_id: SessionId, cause: str, ended_at: datetime
) -> None:
    """Write the line of a session's end, once; a session of which nothing was kept has none."""
    with transaction(connection):
        connection.execute(
            "UPDATE sessions SET ended_at = ?, cause = ? WHERE session_id = ? AND cause IS NULL",
            (ended_at.isoformat(), cause, session_id),
        )


def rename(connection: sqlite3.Connection, session_id: SessionId, name: str | None) -> bool:
    """Give a conversation a name of its own, or none; False if there is no such conversation."""
    with transaction(connection):
        cursor = connection.execute(
            "UPDATE sessions SET name = ? WHERE session_id = ?", (name, session_id)
        )
        return cursor.rowcount > 0


# --- reading


def conversations(
    connection: sqlite3.Connection, *, limit: int, before_number: int | None, period: Period
) -> list[PastConversation]:
    """Those with the newest turns first; of a period, those with a turn in it."""
    since, before = period.seconds
    rows = connection.execute(
        """SELECT session_id, thread_id, name, ended_at, cause, last_number,
            (SELECT user_text FROM turns t WHERE t.session_id = s.session_id ORDER BY number),
            (SELECT said_at FROM turns t WHERE t.session_id = s.session_id ORDER BY number),
            (SELECT said_at FROM turns t WHERE t.session_id = s.session_id ORDER BY number DESC),
            (SELECT count(*) FROM turns t WHERE t.session_id = s.session_id)
        FROM sessions s
        WHERE last_number < ? AND EXISTS (
            SELECT 1 FROM turns t WHERE t.session_id = s.session_id
            AND said_seconds >= ? AND said_seconds < ?)
        ORDER BY last_number DESC LIMIT ?""",
        (2**62 if before_number is None else before_number, since, before, limit),
    )
    return [
        PastConversation(
            session_id=SessionId(session_id),
            thread_id=ThreadId(thread_id),
            name=name,
            first_words=first_words,
            began_at=datetime.fromisoformat(began),
            last_at=datetime.fromisoformat(last),
            turns=turns,
            last_number=newest,
            ended_at=None if ended is None else datetime.fromisoformat(ended),
            cause=cause,
        )
        for (
            session_id,
            thread_id,
            name,
            ended,
            cause,
            newest,
            first_words,
            began,
            last,
            turns,
        ) in rows
    ]


def matching_sessions(connection: sqlite3.Connection, beginning: str) -> list[SessionId]:
    """The sessions whose id begins like this."""
    rows = connection.execute(
        "SELECT session_id FROM sessions WHERE substr(session_id, 1, ?) = ? LIMIT 2",
        (len(beginning), beginning),
    )
    return [SessionId(found) for (found,) in rows]


def entries(
    connection: sqlite3.Connection,
    *,
    session_id: SessionId | None,
    period: Period,
    after: int,
    limit: int,
) -> list[Entry]:
    """The entries after a number, in order; of one session and one period, if they are given."""
    since, before = period.seconds
    rows = connection.execute(
        f"SELECT number, {_TURN} FROM turns "  # noqa: S608  # our own names
        "WHERE number > ? AND said_seconds >= ? AND said_seconds < ? "
        "AND (session_id = ? OR ? IS NULL) ORDER BY number LIMIT ?",
        (after, since, before, session_id, session_id, limit),
    )
    return [entry_of(row) for row in rows]


def entry(connection: sqlite3.Connection, number: int) -> Entry | None:
    """One entry."""
    row = connection.execute(
        f"SELECT number, {_TURN} FROM turns WHERE number = ?",  # noqa: S608  # our own names
        (number,),
    ).fetchone()
    return None if row is None else entry_of(row)


def search(
    connection: sqlite3.Connection, query: Query, *, limit: int, period: Period
) -> list[Found]:
    """What holds all that is asked for: the best first, the newer first among equals."""
    since, before = period.seconds
    rows = connection.execute(
        f"SELECT number, {_TURN} FROM words JOIN turns ON number = words.rowid "  # noqa: S608
        "WHERE words MATCH ? AND said_seconds >= ? AND said_seconds < ? "
        "ORDER BY rank, number DESC LIMIT ?",
        (query.expression, since, before, limit),
    )
    return [
        Found(
            found,
            snippet_of(found.turn.user_text, query),
            snippet_of(found.turn.reply_text, query),
        )
        for found in map(entry_of, rows)
    ]


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


# --- deleting


def delete(connection: sqlite3.Connection, chosen: str, parameters: Iterable[object]) -> int:
    """Delete the turns that a condition of ours chooses, with their words in the index.

    What they leave in free pages, in the index and in the write-ahead log is gone only after
    `purge`. Gives how many they were.
    """
    with transaction(connection):
        rows = connection.execute(
            f"SELECT number, user_text, reply_text FROM turns WHERE {chosen}",  # noqa: S608
            tuple(parameters),
        ).fetchall()
        connection.executemany(
            "INSERT INTO words (words, rowid, said, reply) VALUES ('delete', ?, ?, ?)",
            [(number, indexed(said), indexed(reply)) for number, said, reply in rows],
        )
        connection.executemany("DELETE FROM turns WHERE number = ?", [(row[0],) for row in rows])
        connection.execute(
            "DELETE FROM sessions WHERE NOT EXISTS "
            "(SELECT 1 FROM turns WHERE turns.session_id = sessions.session_id)"
        )
        connection.execute(
            "UPDATE sessions SET last_number = "
            "(SELECT max(number) FROM turns WHERE turns.session_id = sessions.session_id)"
        )
        # Merged into one, the index holds no word any more that no row holds.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    return len(rows)


def purge(connection: sqlite3.Connection) -> bool:
    """Have no byte of deleted rows be left; False while another process still reads them."""
    connection.execute("VACUUM")
    is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy
