"""What goes over the sound connection: sound in binary frames, and short orders in JSON.

Whatever comes from a page is checked here; what is no frame raises BadFrameError.
"""

import json
import struct
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pace.speech.ports import CHUNK_SAMPLES, SAMPLE_BYTES, Sound

CHUNK_BYTES = CHUNK_SAMPLES * SAMPLE_BYTES
_LONGEST_ORDER = 400
# A page makes of a piece what its device needs within the time of one quantum: 128 samples.
_PIECE_SAMPLES = 4096
# Which stop it came after, and how many samples a second there are.
_PIECE_HEAD = struct.Struct("<II")
_DAY = 86_400.0


class BadFrameError(Exception):
    """Something came that is no frame; the page is not one of ours, or at fault."""


class _Order(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Talk(_Order):
    """Listen for one turn; while it is held no pause ends it."""

    kind: Literal["talk"]
    held: bool


class EndTalk(_Order):
    """What was said until now is the turn."""

    kind: Literal["end"]


class HandsFree(_Order):
    """Leave the microphone open, or close it."""

    kind: Literal["hands-free"]
    on: bool


class MicrophoneState(StrEnum):
    """What became of opening the microphone."""

    OPEN = "open"
    REFUSED = "refused"
    MISSING = "missing"
    BUSY = "busy"
    ENDED = "ended"


class MicrophoneIs(_Order):
    """How the microphone is that was opened by the order of this number."""

    kind: Literal["microphone"]
    id: Annotated[int, Field(ge=0)]
    state: Annotated[MicrophoneState, Field(strict=False)]


class Sounding(_Order):
    """How far the sound is since the stop of this number: seconds, and pieces that are done.

    `level` is in dBFS.
    """

    kind: Literal["sounding"]
    id: Annotated[int, Field(ge=0)]
    played: Annotated[float, Field(ge=0, le=_DAY, allow_inf_nan=False)]
    level: Annotated[float, Field(ge=-200, le=20, allow_inf_nan=False)]
    pieces: Annotated[int, Field(ge=0)]


class NoSound(_Order):
    """The browser does not play what it gets."""

    kind: Literal["no-sound"]


Order = Talk | EndTalk | HandsFree | MicrophoneIs | Sounding | NoSound
_ORDERS: TypeAdapter[Order] = TypeAdapter(Annotated[Order, Field(discriminator="kind")])


def order_of(text: str) -> Order:
    """An order of the page; raises BadFrameError."""
    if len(text) > _LONGEST_ORDER:
        raise BadFrameError
    try:
        return _ORDERS.validate_json(text)
    except ValidationError:
        # What came is in the error, and has no place in any traceback.
        raise BadFrameError from None


def chunk_of(data: bytes) -> bytes:
    """A chunk that the microphone heard; raises BadFrameError."""
    if len(data) != CHUNK_BYTES:
        raise BadFrameError
    return data


def written(kind: str, **more: object) -> str:
    """An order to the page."""
    return json.dumps({"kind": kind, **more})


def pieces_of(sound: Sound, stop: int) -> Iterator[bytes]:
    """A sound as frames for the page, each of them short."""
    head = _PIECE_HEAD.pack(stop & 0xFFFFFFFF, sound.rate)
    size = _PIECE_SAMPLES * SAMPLE_BYTES
    whole = len(sound.samples) // SAMPLE_BYTES * SAMPLE_BYTES
    for start in range(0, whole, size):
        yield head + sound.samples[start : min(start + size, whole)]
