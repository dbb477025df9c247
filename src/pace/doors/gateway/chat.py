"""`/v1/chat/completions`: the planner's answer as it gives it, in the thread that is meant."""

from collections.abc import Mapping

import orjson
from fastapi import Request
from starlette.responses import Response

from pace.doors.gateway.answering import TurnAnswer
from pace.doors.gateway.bodies import check_form, read_body
from pace.doors.gateway.events import DONE, EventSender, event
from pace.doors.gateway.gateway import gateway_of, key_of
from pace.doors.gateway.naming import named
from pace.doors.gateway.told import headers_of
from pace.doors.gateway.turns import Sink, TurnRequest, Whole
from pace.planners.upstreams.port import Chunk
from pace.relayed.asked import Asked
from pace.relayed.faults import RequestFaultError
from pace.relaying import RelayedTurn

_NOT_KEPT = b": pace memory unavailable, this turn may not be kept\n\n"
NOT_REMEMBERED = {"remembered": False}
"""What stands under `pace` in an answer that could not be remembered."""


async def chat_completions(request: Request) -> Response:
    """Answer a chat, with the memory of its thread."""
    gateway, key_id = gateway_of(request), key_of(request)
    body = await read_body(request, most=gateway.longest_body)
    check_form(body)
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise RequestFaultError(
            "'messages' has to be a list with a message in it.", param="messages"
        )
    found = named(dict(request.scope["headers"]), body, key_id=key_id)
    _check_one_reply(found.asked, body)
    turn = TurnRequest(
        endpoint="chat.completions", key_id=key_id, asked=found.asked, body=found.body
    )
    is_streamed = body.get("stream") is True
    return TurnAnswer(gateway, turn, _ChatForm(body), is_streamed=is_streamed)


def _check_one_reply(asked: Asked, body: Mapping[str, object]) -> None:
    """Raise RequestFaultError if a thread would get several replies at once.

    A client that brings its history says itself, in its next request, which of them was said.
    """
    has_own_memory = asked.name is not None and not asked.stateless and not asked.brings_history
    if has_own_memory and body.get("n") not in (None, 1):
        raise RequestFaultError(
            "A thread holds one reply a turn, so n has to be 1. Send the header "
            "X-Pace-Stateless: 1 to ask for several outside of it.",
            param="n",
        )


class _ChatForm:
    """Answers as the planner does."""

    def __init__(self, body: Mapping[str, object]) -> None:
        options = body.get("stream_options")
        self._tells_usage = isinstance(options, dict) and options.get("include_usage") is True

    def sink(self, sender: EventSender) -> Sink:
        """Each chunk goes on as it came."""
        return _ChatStream(sender, tells_usage=self._tells_usage)

    async def whole(self, whole: Whole) -> bytes:
        """The planner's own object."""
        if whole.is_kept:
            return orjson.dumps(whole.answer)
        return orjson.dumps({**whole.answer, "pace": NOT_REMEMBERED})


class _ChatStream:
    def __init__(self, sender: EventSender, *, tells_usage: bool) -> None:
        self._sender = sender
        self._tells_usage = tells_usage
        self._usage: Chunk | None = None

    async def begin(self, turn: RelayedTurn) -> None:
        """Send the head."""
        await self._sender.begin(headers_of(turn.facts))

    async def say(self, chunk: Chunk) -> None:
        """Send a chunk; the one with the usage waits for what is to be told of the turn."""
        if self._tells_usage and not chunk.data.get("choices") and chunk.data.get("usage"):
            self._usage = chunk
        else:
            await self._sender.send(event(chunk.raw))

    async def end(self, *, is_kept: bool) -> None:
        """Acknowledge the turn."""
        last = b"" if is_kept else _NOT_KEPT
        if self._usage is not None:
            raw = self._usage.raw
            if not is_kept:
                raw = orjson.dumps({**self._usage.data, "pace": NOT_REMEMBERED})
            last += event(raw)
        await self._sender.send(last + DONE, is_last=True)
