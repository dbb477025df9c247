"""Kills a process that appends to the journal, again and again, and looks for what was kept.

    python benchmarks/kills.py [--kills 1000] [--seed N]

Each time a process opens the journal and appends turns, and says of each one that it is written.
At some moment it is killed with SIGKILL. Every turn that it spoke of has to be there, word for
word and to be found, and the file has to be sound. Exits 1 if that does not hold.
"""

import argparse
import asyncio
import itertools
import random
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from pace.history import PaceHistory
from pace.journal.rows import JournalTurn, TurnSource, TurnStatus
from pace.memory.turn import SessionId, ThreadId, TurnId

LOOK_EVERY = 25
MOST_TURNS = 12
OPENING = "opening"


def words_of(turn_id: str) -> tuple[str, str]:
    """What is said in a turn: long enough for several pages, and known by the turn's id."""
    filler = " ".join(turn_id[at : at + 7] for at in range(20)) * 4
    return f"said {turn_id} {filler}", f"reply {turn_id} {filler * 3}"


async def append_without_end(path: Path) -> None:
    history, session = PaceHistory(path), SessionId(str(uuid.uuid4()))
    print(OPENING, flush=True)
    for _ in itertools.count():
        turn_id = TurnId(uuid.uuid4().hex)
        said, reply = words_of(turn_id)
        await history.append(
            JournalTurn(
                turn_id=turn_id,
                thread_id=ThreadId(session),
                session_id=session,
                source=TurnSource.CHAT,
                planner="none",
                model="",
                said_at=datetime.now(UTC),
                status=TurnStatus.ANSWERED,
                user_text=said,
                reply_text=reply,
            )
        )
        print(turn_id, flush=True)


def acknowledged_before_kill(path: Path, turns: int) -> list[str]:
    """Let a process append so many turns, kill it within the next one; what it had said."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--append", str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    lines = [process.stdout.readline() for _ in range(turns + 1)]
    process.kill()
    lines += process.stdout.readlines()
    process.wait()
    # A line that was cut by the kill was not said.
    return [line.strip() for line in lines if line.endswith("\n") and line.strip() != OPENING]


async def faults(path: Path, acknowledged: list[str]) -> list[str]:
    """What is wrong with the file, in words that name turns by their ids."""
    history = PaceHistory(path)
    held = {entry.turn.turn_id: entry async for entry in history.entries()}
    found = [f"{turn_id} is lost" for turn_id in acknowledged if turn_id not in held]
    for turn_id, entry in held.items():
        if (entry.turn.user_text, entry.turn.reply_text) != words_of(turn_id):
            found.append(f"{turn_id} has other words")
    for turn_id in acknowledged[-LOOK_EVERY:]:
        hits = await history.search(turn_id)
        if [hit.entry.turn.turn_id for hit in hits] != [turn_id]:
            found.append(f"{turn_id} is not found by its words")
    found += history.notices
    await history.aclose()
    with closing(sqlite3.connect(path)) as connection:
        verdicts = [verdict for (verdict,) in connection.execute("PRAGMA integrity_check")]
        if verdicts != ["ok"]:
            found += verdicts
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        rows = connection.execute("SELECT count(*) FROM turns").fetchone()
        if connection.execute("SELECT count(*) FROM words_docsize").fetchone() != rows:
            found.append("the index holds other turns than the table")
    return found


def kill_many(path: Path, kills: int, seed: int) -> int:
    """Gives the exit status."""
    chance = random.Random(seed)  # noqa: S311  # the same moments each time, as far as that goes
    acknowledged: list[str] = []
    for number in range(1, kills + 1):
        acknowledged += acknowledged_before_kill(path, chance.randint(0, MOST_TURNS))
        if (number % LOOK_EVERY == 0 or number == kills) and (
            found := asyncio.run(faults(path, acknowledged))
        ):
            print(f"After {number:,} kills: {'; '.join(found)}")
            return 1
    print(
        f"{kills:,} kills, {len(acknowledged):,} acknowledged turns: none is lost, and the file is "
        "sound."
    )
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--append", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.append is not None:
        asyncio.run(append_without_end(asked.append))
    with tempfile.TemporaryDirectory() as folder:
        return kill_many(Path(folder) / "history.db", asked.kills, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
