"""Faults of a reply in the envelope, from a server's bytes to what a person is told."""

from collections.abc import AsyncIterator

import pytest

from pace.acting import Acting, TurnActions
from pace.endpoint import LoopbackUrl
from pace.errors import EmptyReplyError, EnvelopeError
from pace.memory.turn import SessionId, ThreadId, TurnId
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import PlannerEvent, TextDelta
from pace.testing import FixedActions, ScriptedAction, ScriptedApprover
from planners.prompts import prompt_of
from planners.raw_server import DONE, EVENT_STREAM, RawServer, delta, event, raw_server

CHAT = "/v1/chat/completions"
ACT = (
    '{"intent": "action", "spokenText": "Okay.", '
    '"payload": {"name": "note", "args": {"what": "buy milk"}}}'
)
CUT = "The reply was cut off at 12 tokens, so nothing was done."


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as served:
        yield served


async def shown_of(server: RawServer, action: ScriptedAction) -> str:
    """The words of one turn; the action would run unasked."""
    acting = Acting(
        FixedActions(action),
        approver=ScriptedApprover(),
        is_on=lambda: True,
        allowed=lambda: frozenset({"note"}),
    )
    turn = TurnActions(
        thread_id=ThreadId("one"),
        session_id=SessionId("first"),
        turn_id=TurnId("t"),
        reply_tokens=256,
    )
    shown: list[str] = []

    async def hear(heard: PlannerEvent) -> None:
        if isinstance(heard, TextDelta):
            shown.append(heard.text)

    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m")
    try:
        await acting.answer(planner, prompt_of("Note it."), turn, hear)
    finally:
        await planner.aclose()
    return "".join(shown)


def answer(server: RawServer, *chunks: dict[str, object]) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 12}}
    server.answer(CHAT, EVENT_STREAM, *map(event, (*chunks, usage)), DONE)


async def test_reasoning_that_eats_the_reply_is_named_and_not_asked_again(
    server: RawServer,
) -> None:
    """B87: only reasoning up to the limit gives an error that names it, after one request."""
    answer(server, delta("", reasoning_content="hm " * 4096), delta("", finish="length"))
    action = ScriptedAction("note")
    with pytest.raises(EmptyReplyError, match=r"only reasoned.*longer replies"):
        await shown_of(server, action)
    assert len(server.requests_to(CHAT)) == 1
    assert not action.runs


@pytest.mark.parametrize("reply", [ACT, ACT[:-9], ACT[:60]])
async def test_a_reply_that_reached_its_limit_does_nothing(server: RawServer, reply: str) -> None:
    """B86: cut off at the limit, valid by chance or not: no action, and one line that says so."""
    answer(server, delta(reply), delta("", finish="length"))
    action = ScriptedAction("note")
    assert await shown_of(server, action) == f"Okay.\n\n{CUT}"
    assert len(server.requests_to(CHAT)) == 1
    assert not action.runs


async def test_a_reply_that_is_cut_before_its_words_is_an_error(server: RawServer) -> None:
    """B86: with no word to show, the turn fails with that one line."""
    answer(server, delta(ACT[:20]), delta("", finish="length"))
    with pytest.raises(EnvelopeError) as raised:
        await shown_of(server, ScriptedAction("note"))
    assert str(raised.value) == CUT


async def test_two_values_in_one_reply_do_nothing(server: RawServer) -> None:
    """B89: a second object or prose after an envelope: no action, and one line."""
    for after in (ACT, "Done!"):
        answer(server, delta(f"{ACT}\n{after}"), delta("", finish="stop"))
        action = ScriptedAction("note")
        shown = await shown_of(server, action)
        assert shown == (
            "Okay.\n\nThe reply goes on after its end, so nothing was done. Ask again."
        )
        assert not action.runs


async def test_what_is_said_ahead_of_json_stands_and_the_json_does_not(server: RawServer) -> None:
    """Item 9: however an envelope or an order is written, the person sees one line in its place."""
    late = '{"thought": "hm", "payload": {"name": "note", "args": {}}, "intent": "action"}'
    for json_text, fault in (
        (late, "has words ahead of its form"),
        ('{"name": "note", "arguments": {}}', "asks for an action in another form"),
    ):
        answer(server, *map(delta, f"Sure! {json_text}"), delta("", finish="stop"))
        action = ScriptedAction("note")
        shown = await shown_of(server, action)
        assert shown == f"Sure! \n\nThe reply {fault}, so nothing was done. Ask again."
        assert not action.runs
