"""Ids of responses: each says which thread and which turn it is, and needs nothing to be kept.

They are no secret. A thread is looked for among those of the key that asks, so that another key's
id leads nowhere.
"""

import base64
import binascii
import uuid
from dataclasses import dataclass

from pace.memory.turn import TurnId

_BEGINS = "resp_"
_TURN_BYTES = 16
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class ResponseId:
    """A turn of a thread; of no thread, if its name is empty."""

    thread: str
    turn_id: TurnId

    def __str__(self) -> str:
        data = uuid.UUID(self.turn_id).bytes + self.thread.encode("utf-8", "replace")
        return _BEGINS + base64.urlsafe_b64encode(data).decode().rstrip("=")


def read_id(text: str) -> ResponseId | None:
    """What an id says; None if it is none of ours."""
    if not text.startswith(_BEGINS) or len(text) > _LONGEST:
        return None
    coded = text.removeprefix(_BEGINS)
    try:
        data = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
        turn_id, thread = uuid.UUID(bytes=data[:_TURN_BYTES]), data[_TURN_BYTES:].decode()
    except (ValueError, binascii.Error):
        return None
    return ResponseId(thread, TurnId(str(turn_id)))
