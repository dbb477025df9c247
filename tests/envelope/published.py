"""The schema in the documentation, made of the actions that ship.

python tests/envelope/published.py
"""

import json
from pathlib import Path

from pace.actions.clipboard.read_clipboard import ReadClipboard
from pace.actions.clipboard.write_clipboard import WriteClipboard
from pace.actions.notes.append_note import AppendNote
from pace.actions.notes.search_notes import SearchNotes
from pace.actions.notes.take_note import TakeNote
from pace.actions.opening.open_address import OpenAddress
from pace.actions.opening.open_app import OpenApp
from pace.actions.timers.cancel_timer import CancelTimer
from pace.actions.timers.list_timers import ListTimers
from pace.actions.timers.start_timer import StartTimer
from pace.envelope.form import reply_schema

DOCUMENT = Path(__file__).parents[2] / "docs" / "envelope.schema.json"
TRAITS = (
    *(OpenApp.traits, OpenAddress.traits, ReadClipboard.traits, WriteClipboard.traits),
    *(StartTimer.traits, ListTimers.traits, CancelTimer.traits),
    *(TakeNote.traits, AppendNote.traits, SearchNotes.traits),
)


def published() -> str:
    return json.dumps(reply_schema(TRAITS), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(published(), encoding="utf-8")
