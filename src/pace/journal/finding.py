"""Finds turns by their words: the best first, and quickly, however many there are."""

import sqlite3

from pace.journal.rows import ALWAYS, Found, Period, entry
from pace.journal.words import Query, snippet_of

# Of more turns than this that hold a word, the newest are ranked, and the rest are not looked at.
# Among 100,000 turns, ranking all that hold "the" took 120 ms, ranking these 3 ms (ADR 10).
_MOST_RANKED = 1000


def search(
    connection: sqlite3.Connection, query: Query, *, limit: int, period: Period
) -> list[Found]:
    """What holds all that is asked for: the best first, the newer first among equals."""
    if period == ALWAYS:
        newest = "SELECT rowid, rank FROM words WHERE words MATCH ?"
        asked: tuple[object, ...] = (query.expression,)
    else:
        newest = (
            "SELECT words.rowid, rank FROM words JOIN turns ON number = words.rowid "
            "WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? "
            "AND said_seconds >= ? AND said_seconds < ?"
        )
        asked = (query.expression, *_numbers_of(connection, period), *period.seconds)
    best = connection.execute(
        f"SELECT rowid FROM ({newest} ORDER BY words.rowid DESC LIMIT {_MOST_RANKED}) "  # noqa: S608
        "ORDER BY rank, rowid DESC LIMIT ?",
        (*asked, limit),
    ).fetchall()
    entries = (entry(connection, number) for (number,) in best)
    return [
        Found(
            found,
            snippet_of(found.turn.user_text, query),
            snippet_of(found.turn.reply_text, query),
        )
        for found in entries
        if found is not None
    ]


def _numbers_of(connection: sqlite3.Connection, period: Period) -> tuple[int, int]:
    """The first and the last number of a period, so that the index is not read beyond them."""
    first, last = connection.execute(
        "SELECT min(number), max(number) FROM turns WHERE said_seconds >= ? AND said_seconds < ?",
        period.seconds,
    ).fetchone()
    return (0, -1) if first is None else (first, last)
