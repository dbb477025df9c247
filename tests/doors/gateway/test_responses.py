"""The Responses API: threads by the id of the response before, tools, and OpenAI's own client."""

from pathlib import Path
from typing import Any

import openai
import pytest

from doors.gateway.answering import Broken, Calls, answering
from doors.gateway.gateways import MODEL, Served, assistant, events_of, gateway, user
from pace.doors.gateway.responses.asking import chat_body, messages_of
from pace.doors.gateway.responses.ids import ResponseId, read_id
from pace.memory.turn import TurnId
from pace.relayed.faults import RequestFaultError

TURN = TurnId("67847632-7426-4027-be2a-534afcca0397")
TOOL: dict[str, Any] = {
    "type": "function",
    "name": "look",
    "description": "Looks.",
    "parameters": {"type": "object", "properties": {}},
    "strict": True,
}


async def respond(served: Served, **body: Any) -> dict[str, Any]:
    answer = await served.client.post("/v1/responses", json={"model": MODEL, **body})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_previous_response_names_the_thread(tmp_path: Path) -> None:
    """A response after another goes on in its thread, and one after none begins another."""
    async with answering("Hello Ada.") as server, gateway(server.url, tmp_path) as served:
        first = await respond(served, input="I am Ada.", instructions="Be brief.")
        again = await respond(served, input="Who am I?", previous_response_id=first["id"])
        await respond(served, input="Who am I?")
    assert first["output"][0]["content"][0]["text"] == "Hello Ada."
    assert first["usage"]["input_tokens"] == 11
    assert again["previous_response_id"] == first["id"]
    assert server.prompts[0][0] == {"role": "system", "content": "Be brief."}
    # Instructions hold for one response.
    assert server.prompts[1] == [user("I am Ada."), assistant("Hello Ada."), user("Who am I?")]
    assert server.prompts[2] == [user("Who am I?")]


async def test_ids_of_others_lead_nowhere(tmp_path: Path) -> None:
    """An id of another key, a made-up one and one of a thread that was reset are not found."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        _, key = served.keys.add("a", made_on="today")
    async with answering() as server, gateway(server.url, tmp_path) as served:
        mine = await respond(served, input="ORD-ALICE-9")
        made_up = str(ResponseId("nothing", TURN))
        for previous, headers in (
            (mine["id"], {"Authorization": f"Bearer {key}"}),
            (made_up, {}),
            ("resp_", {}),
            ("resp_%%%", {}),
            ("x", {}),
        ):
            body = {"model": MODEL, "input": "mine?", "previous_response_id": previous}
            answer = await served.client.post("/v1/responses", json=body, headers=headers)
            assert answer.status_code == 404
            assert answer.json()["error"]["code"] == "previous_response_not_found"
    assert len(server.sent) == 1


async def test_asking_once_more_takes_back(tmp_path: Path) -> None:
    """A second response after the same one takes the first one's place."""
    async with answering("A1", "A2", "A3") as server, gateway(server.url, tmp_path) as served:
        first = await respond(served, input="U1")
        for _ in range(2):
            await respond(served, input="U2", previous_response_id=first["id"])
    assert server.prompts[2] == server.prompts[1] == [user("U1"), assistant("A1"), user("U2")]


async def test_not_stored_is_stateless(tmp_path: Path) -> None:
    """A response that is not to be stored leaves nothing, and no other can follow on it."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        told = await respond(served, input="Hello", store=False)
        body = {"model": MODEL, "input": "And?", "previous_response_id": told["id"]}
        answer = await served.client.post("/v1/responses", json=body)
    assert answer.status_code == 404


async def test_tools_over_two_requests(tmp_path: Path) -> None:
    """The answers of tools alone finish the turn that called them, which is then one pair."""
    async with (
        answering(Calls("look", '{"at": "sky"}'), "It is blue.", "Yes.") as server,
        gateway(server.url, tmp_path) as served,
    ):
        asked = await respond(served, input="What colour?", tools=[TOOL])
        call = asked["output"][0]
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "blue"}
        done = await respond(served, input=[output], previous_response_id=asked["id"])
        await respond(served, input="Sure?", previous_response_id=done["id"])
    assert (call["type"], call["name"], call["arguments"]) == (
        "function_call",
        "look",
        '{"at": "sky"}',
    )
    function = {name: value for name, value in TOOL.items() if name != "type"}
    assert server.sent[0]["tools"] == [{"type": "function", "function": function}]
    roles = [message["role"] for message in server.prompts[1]]
    assert roles == ["user", "assistant", "tool"]
    assert server.prompts[1][2]["content"] == "blue"
    assert server.prompts[2] == [
        user("What colour?"),
        assistant("It is blue."),
        user("Sure?"),
    ]


async def test_openai_client_streams(tmp_path: Path) -> None:
    """OpenAI's client reads every event, and its own sum of them is the response."""
    async with (
        answering("Hello Ada.") as server,
        gateway(server.url, tmp_path) as served,
        served.openai() as client,
    ):
        async with client.responses.stream(model=MODEL, input="I am Ada.") as stream:
            kinds = [event.type async for event in stream]
            summed = await stream.get_final_response()
        again = await client.responses.create(
            model=MODEL, input="Who am I?", previous_response_id=summed.id
        )
    assert summed.output_text == "Hello Ada."
    assert summed.usage is not None
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    assert again.output_text == "Reply 2."


async def test_openai_client_streams_calls(tmp_path: Path) -> None:
    """A call that comes in parts is whole at its end."""
    async with (
        answering(Calls("look", '{"at": "sky"}')) as server,
        gateway(server.url, tmp_path) as served,
        served.openai() as client,
        client.responses.stream(
            model=MODEL,
            input="What colour?",
            tools=[TOOL],  # type: ignore[list-item]
        ) as stream,
    ):
        kinds = [event.type async for event in stream]
        summed = await stream.get_final_response()
    assert summed.output[0].type == "function_call"
    assert summed.output[0].arguments == '{"at": "sky"}'
    assert "response.function_call_arguments.done" in kinds


async def test_fault_in_a_streamed_response(tmp_path: Path) -> None:
    """A fault after words ends the stream with an error, which OpenAI's client raises."""
    async with (
        answering(Broken(("One ", "two "))) as server,
        gateway(server.url, tmp_path) as served,
        served.openai() as client,
    ):
        stream = await client.responses.create(model=MODEL, input="Hello", stream=True)
        kinds: list[str] = []
        with pytest.raises(openai.APIError):
            await _listen(stream, kinds)
    assert "response.completed" not in kinds


async def _listen(stream: Any, kinds: list[str]) -> None:
    async for event in stream:
        kinds.append(event.type)  # noqa: PERF401  # it breaks off


async def test_events_are_numbered(tmp_path: Path) -> None:
    """Events are numbered without a gap, and the last one holds the whole response."""
    async with answering("Hello.") as server, gateway(server.url, tmp_path) as served:
        body = {"model": MODEL, "input": "Hello", "stream": True}
        answer = await served.client.post("/v1/responses", json=body)
    events = events_of(answer.text)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[-1]["response"]["status"] == "completed"
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "Hello."


def test_what_becomes_of_a_request() -> None:
    """Each field has its place in a chat completion; what is unknown goes on."""
    schema = {"type": "json_schema", "name": "n", "schema": {}, "strict": True}
    body = {
        "model": "m",
        "input": "x",
        "max_output_tokens": 5,
        "reasoning": {"effort": "low"},
        "text": {"format": schema},
        "tools": [TOOL],
        "tool_choice": {"type": "function", "name": "look"},
        "truncation": "auto",
        "include": ["x"],
        "top_k": 3,
    }
    made = chat_body(body)
    assert made == {
        "model": "m",
        "max_tokens": 5,
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "n", "schema": {}, "strict": True},
        },
        "tools": [{"type": "function", "function": {k: v for k, v in TOOL.items() if k != "type"}}],
        "tool_choice": {"type": "function", "function": {"name": "look"}},
        "top_k": 3,
    }


def test_what_becomes_of_items() -> None:
    """Messages, calls and their outputs are messages of a chat; calls at once are one."""
    calls = [
        {"type": "function_call", "call_id": f"c{n}", "name": "f", "arguments": "{}"}
        for n in (1, 2)
    ]
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    messages = messages_of(
        [
            {"role": "user", "content": [{"type": "input_text", "text": "See"}, picture]},
            {"type": "reasoning", "summary": []},
            *calls,
            {"type": "function_call_output", "call_id": "c1", "output": "1"},
        ]
    )
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert messages[0]["content"] == [
        {"type": "text", "text": "See"},
        {
            "type": "image_url",
            "image_url": {"url": "data:image/png;base64,AA==", "detail": "auto"},
        },
    ]
    assert [call["id"] for call in messages[1]["tool_calls"]] == ["c1", "c2"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        {"background": True},
        {"conversation": "c"},
        {"prompt": {"id": "p"}},
        {"tools": [{"type": "web_search"}]},
        {"tools": 3},
        {"tools": [TOOL], "tool_choice": {"type": "file_search"}},
    ],
)
def test_what_cannot_be_asked(body: dict[str, Any]) -> None:
    """What a chat completion cannot say is refused, and not left out in silence."""
    with pytest.raises(RequestFaultError):
        chat_body({"input": "x", **body})


@pytest.mark.parametrize(
    "given",
    [None, 3, [], [3], [{"type": "item_reference", "id": "x"}], [{"role": "user", "content": [3]}]],
)
def test_input_that_cannot_be(given: object) -> None:
    """Input that is no text and no list of known items is refused."""
    with pytest.raises(RequestFaultError):
        messages_of(given)


def test_ids_say_what_they_are() -> None:
    """An id tells its thread and its turn, whatever the name."""
    for name in ("t", "ünï ✓", "a/b" * 100, ""):
        made = ResponseId(name, TURN)
        assert read_id(str(made)) == made


async def test_what_contradicts_itself_is_refused(tmp_path: Path) -> None:
    """No response goes on from another without memory, nor in two threads."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        first = await respond(served, input="Hello")
        body = {"model": MODEL, "input": "And?", "previous_response_id": first["id"]}
        for headers in ({"X-Pace-Stateless": "1"}, {"X-Pace-Thread": "other"}):
            answer = await served.client.post("/v1/responses", json=body, headers=headers)
            assert answer.status_code == 400
            assert answer.json()["error"]["param"] == "previous_response_id"
    assert len(server.sent) == 1


async def test_one_that_is_not_to_be_stored_sees_its_thread_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    """`store: false` after a response: what was said before is told, what is said now is not."""
    async with answering("A1", "A2", "A3") as server, gateway(server.url, tmp_path) as served:
        first = await respond(served, input="U1")
        await respond(served, input="secret", previous_response_id=first["id"], store=False)
        await respond(served, input="U2", previous_response_id=first["id"])
    assert server.prompts[1] == [user("U1"), assistant("A1"), user("secret")]
    assert server.prompts[2] == [user("U1"), assistant("A1"), user("U2")]
