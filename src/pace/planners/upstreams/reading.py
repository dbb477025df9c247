"""Reads a streamed answer as chunks, each of them once, however roughly it is framed."""

import json
import re
from collections.abc import Iterator, Mapping

import orjson

from pace.errors import PlannerRefusedError, PlannerUnreachableError
from pace.planners.answers import mapping, parsed, tells_error
from pace.planners.chat_stream import refusal
from pace.planners.upstreams.frames import Frame, Frames
from pace.planners.upstreams.port import Body, Chunk

# A chunk holds a few words; with all of its likelihoods, some kilobytes.
_LONGEST_EVENT = 4_000_000
# The longest reply of a model with a context of a million tokens, some 200 bytes of frame to each.
_LONGEST_STREAM = 256_000_000
# How a stream of events begins, and how much of it tells.
_FRAMED = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:data|event|id|retry)?:")
_BEGINNING = 64


class ChunkReader:
    """The chunks of one answer. It is complete when each reply has said why it ended.

    A body that may be anything counts as events only if it begins as they do.
    """

    def __init__(self, server: str, body: Body, *, is_declared: bool = True) -> None:
        self._server = server
        replies = body.get("n")
        self._unfinished = set(range(replies if isinstance(replies, int) else 1))
        self._frames = Frames()
        self._unproven: bytes | None = None if is_declared else b""
        self._read = 0
        self.is_over = False
        """Whether the server said that nothing more comes."""

    @property
    def is_complete(self) -> bool:
        """Whether only token counts may follow."""
        return self.is_over or not self._unfinished

    def feed(self, piece: bytes) -> Iterator[Chunk]:
        """The chunks that a piece completes; raises PlannerRefusedError for an error in one."""
        self._read += len(piece)
        if self._read > _LONGEST_STREAM or self._frames.held > _LONGEST_EVENT:
            raise too_much(self._server)
        if self._unproven is not None:
            self._unproven += piece
            if len(self._unproven) < _BEGINNING and b":" not in self._unproven:
                return
            piece = self._proven()
        yield from self._chunks(self._frames.feed(piece))

    def finish(self) -> Iterator[Chunk]:
        """What was held, at the stream's end.

        Raises PlannerUnreachableError for an answer that is not complete.
        """
        if self._unproven:
            yield from self._chunks(self._frames.feed(self._proven()))
        yield from self._chunks(self._frames.finish())
        if not self.is_complete:
            raise PlannerUnreachableError(f"{self._server} broke off. Ask again.")

    def _proven(self) -> bytes:
        beginning, self._unproven = self._unproven or b"", None
        if not _FRAMED.match(beginning):
            raise not_this_wire(self._server)
        return beginning

    def _chunks(self, frames: list[Frame]) -> Iterator[Chunk]:
        for name, data in frames:
            if self.is_over:
                return
            if data.strip() == b"[DONE]":
                self.is_over = True
            elif name == b"error":
                told = mapping(read_json(data))
                raise refusal(self._server, told.get("error") or told)
            elif data:
                yield self._chunk(data)

    def _chunk(self, data: bytes) -> Chunk:
        try:
            # All but the rarest; what it is too strict for is read, and written, by another.
            chunk, raw = orjson.loads(data), data
        except ValueError:
            chunk = parsed(data.decode(errors="replace"))
            raw = b"" if chunk is None else json.dumps(chunk).encode()
        if not isinstance(chunk, dict):
            raise not_this_wire(self._server)
        if tells_error(chunk):
            raise refusal(self._server, chunk.get("error") or chunk)
        self._look_for_ends(chunk)
        # Between the signs of JSON a line end means nothing, and within its texts is none.
        return Chunk(chunk, raw.replace(b"\n", b" ") if b"\n" in raw else raw)

    def _look_for_ends(self, chunk: Mapping[str, object]) -> None:
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("finish_reason"):
                index = choice.get("index")
                self._unfinished.discard(index if isinstance(index, int) else 0)


def chunk_of_whole(answer: Mapping[str, object]) -> Chunk:
    """The one chunk of a server that does not stream, and gives its answer whole."""
    choices = answer.get("choices")
    made = {
        **answer,
        "object": "chat.completion.chunk",
        "choices": [
            {"delta" if name == "message" else name: value for name, value in choice.items()}
            for choice in map(mapping, choices if isinstance(choices, list) else ())
        ],
    }
    return Chunk(made, json.dumps(made).encode())


def read_json(data: bytes) -> object:
    """The JSON in a body; None if it is none."""
    try:
        return orjson.loads(data)
    except ValueError:
        return parsed(data.decode("utf-8-sig", errors="replace"))


def not_this_wire(server: str) -> PlannerRefusedError:
    """For whatever answers, and not in OpenAI's form."""
    return PlannerRefusedError(
        f"{server} does not answer as an OpenAI-compatible server does. "
        "Check that its address ends in /v1 if it needs that."
    )


def too_much(server: str) -> PlannerRefusedError:
    """For more than there is to say."""
    return PlannerRefusedError(
        f"{server} sent more at once than any answer needs. Check what runs at its address."
    )
