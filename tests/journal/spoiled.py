"""Ways to spoil a journal's file, below what SQLite checks and above."""

import sqlite3
from contextlib import closing
from pathlib import Path

PAGE = 4096


def change(path: Path, statement: str) -> None:
    """Change a row as a flipped bit would, without the checks that a table has."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        before = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        tables = [(name, sql) for name, sql in before if name in {"turns", "sessions"}]
        connection.execute("PRAGMA writable_schema = ON")
        for name, sql in tables:
            loose = sql.replace(" STRICT", "").replace(" NOT NULL", "")
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (loose, name))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
        connection.execute("PRAGMA writable_schema = ON")
        for name, sql in tables:
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, name))


def put(path: Path, at: int, data: bytes) -> None:
    """Write over some bytes."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def put_at(path: Path, found: bytes, data: bytes) -> None:
    """Write over the bytes that begin like this."""
    put(path, path.read_bytes().index(found), data)


def fill_page(path: Path, number: int) -> None:
    """Write over a whole page."""
    put(path, (number - 1) * PAGE, b"\xff" * PAGE)
