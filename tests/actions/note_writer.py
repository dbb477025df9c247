"""A program that adds to one note and takes others, as often as it is told."""

import asyncio
import sys
from pathlib import Path

from pace.actions.notes.folder import NotesFolder


async def main(folder: str, who: str, times: str) -> None:
    notes = NotesFolder(lambda: Path(folder), waits_for_others=60.0)
    for number in range(int(times)):
        await notes.append("Shared", f"{who}{number}")
        await notes.take("Same title", f"{who}{number}")


asyncio.run(main(*sys.argv[1:]))
