"""`/v1/responses`: `previous_response_id` names the thread, and only what is new is sent."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
from fastapi import Request
from starlette.responses import Response

from pace.doors.gateway.answering import TurnAnswer
from pace.doors.gateway.bodies import check_form, read_body
from pace.doors.gateway.events import EventSender
from pace.doors.gateway.gateway import Gateway, gateway_of, key_of
from pace.doors.gateway.naming import named
from pace.doors.gateway.replies import first_choice
from pace.doors.gateway.responses.asking import chat_body, instructions_of, messages_of
from pace.doors.gateway.responses.ids import ResponseId, read_id
from pace.doors.gateway.responses.output import Output, ResponseObject
from pace.doors.gateway.responses.streaming import ResponseStream
from pace.doors.gateway.turns import Sink, TurnRequest, Whole
from pace.errors import StoreError
from pace.relayed.asked import Asked
from pace.relayed.faults import RequestFaultError, TurnGoneError
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
) -> tuple[Asked, list[dict[str, object]]]:
    """Where the response belongs, and what was said in its turn before.

    Raises RequestFaultError for what contradicts itself, and TurnGoneError.
    """
    previous = body.get("previous_response_id")
    keeps = body.get("store") is not False
    if previous is None:
        if asked.name is not None or asked.stateless:
            return replace(asked, records=keeps), []
        if not keeps:
            return replace(asked, stateless=True), []
        return replace(asked, name=f"resp-{uuid.uuid4()}"), []
    if asked.stateless:
        raise _contradicting("A stateless request has no response before it")
    before = read_id(previous)
    if before is None or not before.thread:
        raise TurnGoneError
    if asked.name not in (None, before.thread):
        raise _contradicting("It is of another thread than the one that the request names")
    memory = await gateway.parts.relay.look(asked.scope, before.thread)
    if memory is None:
        raise TurnGoneError
    asked = replace(asked, name=before.thread, records=keeps)
    if asked.brings_history:
        return asked, []
    asked = replace(asked, after=before.turn_id)
    unfinished = memory.unfinished
    if unfinished is not None and unfinished.turn_id == before.turn_id:
        return asked, orjson.loads(unfinished.messages)
    return asked, []


def _contradicting(sentence: str) -> RequestFaultError:
    return RequestFaultError(
        f"{sentence}. Leave out previous_response_id, or the other.", param="previous_response_id"
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

    async def whole(self, whole: Whole) -> bytes:
        """Its own object."""
        choice = first_choice(whole.answer)
        output = Output(finish=choice.get("finish_reason"), usage=whole.answer.get("usage"))
        output.take_whole(choice.get("message"))
        is_kept = await self._keep_open(whole.turn, output) and whole.is_kept
        told = self._object_of(whole.turn).ended(output, is_kept=is_kept)
        return orjson.dumps(told)

    def _object_of(self, turn: RelayedTurn) -> ResponseObject:
        return ResponseObject(self._id_of(turn), self._body)

    def _id_of(self, turn: RelayedTurn) -> str:
        return str(ResponseId(turn.facts.thread, turn.turn_id))

    async def _keep_open(self, turn: RelayedTurn, output: Output) -> bool:
        """Hold a turn that waits for answers of tools, if it is one of a thread."""
        if not output.calls() or not self._asked.records:
            return True
        messages = orjson.dumps([*self._said, output.message()]).decode()
        try:
            await self._gateway.parts.relay.keep_unfinished(self._asked.scope, turn, messages)
        except StoreError:
            return False
        return True
