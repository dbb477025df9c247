"""A response as it comes, in the events of the Responses API."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson

from pace.doors.gateway.events import EventSender, event
from pace.doors.gateway.replies import first_choice
from pace.doors.gateway.responses.output import Called, Output, ResponseObject, Said, arguments_in
from pace.doors.gateway.told import headers_of
from pace.planners.upstreams.port import Chunk
from pace.relaying import RelayedTurn


class ResponseStream:
    """The sink of a streamed response.

    `begun` gives the object around the output once the turn is known; `ended` hears the turn and
    its output before the last event, and says whether what is to be held of them is.
    """

    def __init__(
        self,
        sender: EventSender,
        *,
        begun: Callable[[RelayedTurn], ResponseObject],
        ended: Callable[[RelayedTurn, Output], Awaitable[bool]],
    ) -> None:
        self._sender = sender
        self._begun = begun
        self._ended = ended
        self._output = Output()
        self._calls: dict[int, Called] = {}
        self._number = 0
        self._turn: RelayedTurn | None = None
        self._object: ResponseObject | None = None

    async def begin(self, turn: RelayedTurn) -> None:
        """Send the head, and the response as it begins."""
        self._turn, self._object = turn, self._begun(turn)
        await self._sender.begin(headers_of(turn.facts))
        begun = self._object.begun()
        await self._sender.send(
            self._event("response.created", response=begun)
            + self._event("response.in_progress", response=begun)
        )

    async def say(self, chunk: Chunk) -> None:
        """Send what a chunk adds, if it adds something."""
        if (usage := chunk.data.get("usage")) is not None:
            self._output.usage = usage
        choice = first_choice(chunk.data)
        if isinstance(reason := choice.get("finish_reason"), str):
            self._output.finish = reason
        delta = choice.get("delta")
        if isinstance(delta, dict) and (events := self._of_delta(delta)):
            await self._sender.send(events)

    async def end(self, *, is_kept: bool) -> None:
        """End each item, and then the response, which acknowledges the turn."""
        assert self._turn is not None and self._object is not None, "begun"  # noqa: PT018, S101  # the sink's order
        is_kept = await self._ended(self._turn, self._output) and is_kept
        events = b"".join(self._end_of(item) for item in self._output.items)
        done = self._object.ended(self._output, is_kept=is_kept)
        last = self._event(f"response.{self._output.status}", response=done)
        await self._sender.send(events + last, is_last=True)

    # --- items

    def _of_delta(self, delta: Mapping[str, Any]) -> bytes:
        events = b""
        text = delta.get("content") or delta.get("refusal")
        if isinstance(text, str) and text:
            said = self._output.said()
            if said is None:
                said = self._output.begin_said()
                events += self._begin_of(said)
            said.text += text
            events += self._event(
                "response.output_text.delta",
                item_id=said.id,
                output_index=said.at,
                content_index=0,
                delta=text,
                logprobs=[],
            )
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                events += self._of_call(call)
        return events

    def _of_call(self, call: Mapping[str, Any]) -> bytes:
        events, index = b"", call.get("index")
        at = index if isinstance(index, int) else 0
        called = self._calls.get(at)
        if called is None:
            called = self._calls[at] = self._output.begin_call(call)
            events += self._event(
                "response.output_item.added",
                output_index=called.at,
                item=called.item("in_progress"),
            )
        if more := arguments_in(call):
            called.arguments += more
            events += self._event(
                "response.function_call_arguments.delta",
                item_id=called.id,
                output_index=called.at,
                delta=more,
            )
        return events

    def _begin_of(self, said: Said) -> bytes:
        return self._event(
            "response.output_item.added", output_index=said.at, item=said.item("in_progress")
        ) + self._event(
            "response.content_part.added",
            item_id=said.id,
            output_index=said.at,
            content_index=0,
            part=said.part(),
        )

    def _end_of(self, item: Said | Called) -> bytes:
        events = b""
        if isinstance(item, Said):
            place = {"item_id": item.id, "output_index": item.at, "content_index": 0}
            events += self._event("response.output_text.done", **place, text=item.text, logprobs=[])
            events += self._event("response.content_part.done", **place, part=item.part())
        else:
            events += self._event(
                "response.function_call_arguments.done",
                item_id=item.id,
                output_index=item.at,
                name=item.name,
                arguments=item.arguments,
            )
        return events + self._event(
            "response.output_item.done",
            output_index=item.at,
            item=item.item(self._output.status),
        )

    def _event(self, kind: str, **told: object) -> bytes:
        data = {"type": kind, "sequence_number": self._number, **told}
        self._number += 1
        return event(orjson.dumps(data), kind)
