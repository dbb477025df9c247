"""The schema in the documentation, made of the actions that ship.

python tests/envelope/published.py
"""

import json
from pathlib import Path
from typing import cast

from pace.actions.builtin import builtin_actions
from pace.actions.notes.folder import NotesFolder
from pace.actions.timers.timers import Timers
from pace.envelope.form import reply_schema

DOCUMENT = Path(__file__).parents[2] / "docs" / "envelope.schema.json"
# None of them is run, so they stand over nothing.
_ACTIONS = builtin_actions(notes=cast("NotesFolder", None), timers=cast("Timers", None))
TRAITS = tuple(action.traits for action in _ACTIONS)


def published() -> str:
    return json.dumps(reply_schema(TRAITS), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(published(), encoding="utf-8")
