"""`/v1/responses`: `previous_response_id` names the thread, and only what is new is sent."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import Request
from starlette.responses import Response

from pace.doors.gateway.answering import TurnAnswer
from pace.doors.gateway.bodies import check_form, read_body
from pace.doors.gateway.events import EventSender
from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.gateway import Gateway, gateway_of, key_of
from pace.doors.gateway.naming import named
from pace.doors.gateway.replies import first_choice
from pace.doors.gateway.responses.asking import chat_body, instructions_of, messages_of
from pace.doors.gateway.responses.ids import ResponseId, read_id
from pace.doors.gateway.responses.open_turns import Messages
from pace.doors.gateway.responses.output import Output, ResponseObject
from pace.doors.gateway.responses.streaming import ResponseStream
from pace.doors.gateway.turns import Sink, TurnRequest, Whole
from pace.memory.thread import ThreadMemory
from pace.memory.turn import TurnId
from pace.relayed.asked import Asked, MemoryUse, thread_of
from pace.relaying import RelayedTurn


async def create_response(request: Request) -> Response:
    """Answer in a thread: a new one, or that of the response before."""
    gateway, key_id = gateway_of(request), key_of(request)
    body = await read_body(request, most=gateway.longest_body)
    check_form(body)
    given = messages_of(body.get("input"))
    found = named(
        dict(request.scope["headers"]), {**chat_body(body), "messages": given}, key_id=key_id
    )
    asked, told = await _placed(gateway, found.asked, body)
    said = [*told, *given]
    turn = TurnRequest(
        endpoint="responses",
        key_id=key_id,
        asked=asked,
        body={**found.body, "messages": [*instructions_of(body), *said]},
    )
    form = _ResponsesForm(gateway, asked, body, said)
    return TurnAnswer(gateway, turn, form, is_streamed=body.get("stream") is True)


async def _placed(
    gateway: Gateway, asked: Asked, body: Mapping[str, Any]
) -> tuple[Asked, Messages]:
    """Where the response belongs, and what was said in its turn before. Raises RefusedError."""
    previous = body.get("previous_response_id")
    if previous is None:
        if asked.name is not None or asked.stateless:
            return asked, ()
        if body.get("store") is False:
            return replace(asked, stateless=True), ()
        return replace(asked, name=f"resp-{uuid.uuid4()}"), ()
    before = read_id(previous)
    if before is None or not before.thread:
        raise _unknown()
    asked = replace(asked, name=before.thread, stateless=False)
    thread_id = thread_of(asked.scope, before.thread)
    if (told := gateway.open_turns.of(previous, thread_id)) is not None:
        return asked, told
    memory = await gateway.parts.relay.look(asked.scope, before.thread)
    if memory is None:
        raise _unknown()
    if asked.brings_history or _is_last(memory, before.turn_id):
        return asked, ()
    if all(pair.turn_id != before.turn_id for pair in memory.window):
        raise _unknown()
    return replace(asked, after=before.turn_id), ()


def _is_last(memory: ThreadMemory, turn_id: TurnId) -> bool:
    return bool(memory.recorded_turns) and memory.recorded_turns[-1] == turn_id


def _unknown() -> RefusedError:
    return RefusedError(
        "This previous_response_id leads to nothing that is held: its thread was idle for too "
        "long, or has gone on since. Leave it out, and send in input what belongs to the turn.",
        status=HTTPStatus.NOT_FOUND,
        code="previous_response_not_found",
        param="previous_response_id",
    )


class _ResponsesForm:
    """Answers as the Responses API does."""

    def __init__(
        self, gateway: Gateway, asked: Asked, body: Mapping[str, Any], said: list[dict[str, object]]
    ) -> None:
        self._gateway = gateway
        self._asked = asked
        self._body = body
        self._said = said

    def sink(self, sender: EventSender) -> Sink:
        """Its own events."""
        return ResponseStream(sender, begun=self._object_of, ended=self._keep_open)

    def whole(self, whole: Whole) -> bytes:
        """Its own object."""
        choice = first_choice(whole.answer)
        output = Output(finish=choice.get("finish_reason"), usage=whole.answer.get("usage"))
        output.take_whole(choice.get("message"))
        self._keep_open(whole.turn, output)
        told = self._object_of(whole.turn).ended(output, is_kept=whole.is_kept)
        return orjson.dumps(told)

    def _object_of(self, turn: RelayedTurn) -> ResponseObject:
        return ResponseObject(self._id_of(turn), self._body)

    def _id_of(self, turn: RelayedTurn) -> str:
        return str(ResponseId(turn.facts.thread, turn.turn_id))

    def _keep_open(self, turn: RelayedTurn, output: Output) -> None:
        """Keep a turn that waits for answers of tools, if it is one of a thread."""
        if output.calls() and turn.facts.memory is not MemoryUse.STATELESS:
            thread_id = thread_of(self._asked.scope, turn.facts.thread)
            said = [*self._said, output.message()]
            self._gateway.open_turns.keep(self._id_of(turn), thread_id, said)
