"""Chats through a gateway: what the planner is sent, what the client gets, and what is held."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from doors.gateway.answering import Broken, Calls, Held, answering
from doors.gateway.gateways import CHAT, MODEL, assistant, events_of, gateway, user, words_of
from pace.errors import StoreError
from pace.stores.in_process import InProcessThreadMemoryStore

STREAMED = {"model": MODEL, "stream": True, "messages": [user("Hello")]}


class NotWritingStore(InProcessThreadMemoryStore):
    """A store that fails whenever it is to take something in."""

    async def compare_and_set(self, *_: object, **__: object) -> bool:  # type: ignore[override]
        raise StoreError("The memory store cannot be reached.")


async def test_named_thread_remembers(tmp_path: Path) -> None:
    """With a thread's name, a client sends what is new, and the planner gets what was said."""
    async with answering("Hello Ada.", "Ada.") as server, gateway(server.url, tmp_path) as served:
        first = await served.chat(user("I am Ada."), thread="t")
        again = await served.chat(user("Who am I?"), thread="t")
    assert first.json()["choices"][0]["message"]["content"] == "Hello Ada."
    assert server.prompts[1] == [user("I am Ada."), assistant("Hello Ada."), user("Who am I?")]
    assert first.headers["X-Pace-Thread"] == "t"
    assert first.headers["X-Pace-Session"] == again.headers["X-Pace-Session"]
    assert first.headers["X-Pace-Session-Began"] == "1"
    assert "X-Pace-Session-Began" not in again.headers
    assert again.headers["X-Pace-Window-Pairs"] == "1"


async def test_streamed_chunks_go_on_as_they_came(tmp_path: Path) -> None:
    """A streamed answer is the planner's own chunks, and its end comes after the turn is held."""
    async with answering("Hello there.") as server, gateway(server.url, tmp_path) as served:
        answer = await served.client.post(CHAT, json=STREAMED, headers={"X-Pace-Thread": "t"})
        held = await served.look("t")
    events = events_of(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert words_of(events) == "Hello there."
    assert events[-2]["choices"][0]["finish_reason"] == "stop"
    assert events[-1] == "[DONE]"
    assert [pair["reply"] for pair in held["window"]] == ["Hello there."]


async def test_unknown_fields_go_on(tmp_path: Path) -> None:
    """What Pace does not know reaches the planner unchanged; what is for Pace does not."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        await served.chat(
            user("Hello"),
            model=f"{MODEL}:stateless",
            top_k=7,
            metadata={"thread_id": "x", "own": "1"},
        )
    assert server.sent[0] == {
        "model": MODEL,
        "messages": [user("Hello")],
        "top_k": 7,
        "metadata": {"own": "1"},
    }


async def test_usage_is_given_if_asked_for(tmp_path: Path) -> None:
    """The planner's own counts come last, for a client that asks for them."""
    body = {**STREAMED, "stream_options": {"include_usage": True}}
    async with answering("Hi") as server, gateway(server.url, tmp_path) as served:
        answer = await served.client.post(CHAT, json=body)
    events = events_of(answer.text)
    assert events[-2]["usage"]["prompt_tokens"] == 11
    assert served.logged[0]["counted_prompt_tokens"] == 11


async def test_b42_nobody_shares_a_default_thread(tmp_path: Path) -> None:
    """B42: two clients without any name never see each other's words."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        await served.chat(user("my order is ORD-ALICE-9"))
        await served.chat(user("what is my order?"))
    assert server.prompts[1] == [user("what is my order?")]


async def test_b42_same_name_of_two_keys(tmp_path: Path) -> None:
    """B42: a thread's name leads each key, and each user of one, to a thread of its own."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        mine, theirs = (served.keys.add(name, made_on="today")[1] for name in ("a", "b"))
        served_keys = [{"Authorization": f"Bearer {key}"} for key in (mine, theirs)]
    async with answering() as server, gateway(server.url, tmp_path) as served:
        await served.chat(user("ORD-ALICE-9"), thread="t", headers=served_keys[0])
        await served.chat(user("mine?"), thread="t", headers=served_keys[1])
        await served.chat(user("mine?"), thread="t", headers=served_keys[0], user="bob")
        await served.chat(user("mine?"), thread="t")
        looked = await served.client.get("/v1/threads/t", headers=served_keys[1])
    assert server.prompts[1:] == [[user("mine?")]] * 3
    assert "ORD-ALICE-9" not in looked.text


async def test_b125_content_parts(tmp_path: Path) -> None:
    """B125: parts are read as text, null is taken with calls, an unknown part is a 400."""
    parts = [{"type": "text", "text": "Hello"}, {"type": "text", "text": "again"}]
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    async with answering() as server, gateway(server.url, tmp_path) as served:
        first = await served.chat(user(parts), thread="t")
        held = await served.look("t")
        null = await served.chat(
            user("Look it up"),
            assistant(None, tool_calls=[call]),
            {"role": "tool", "tool_call_id": "c", "content": "12"},
        )
        unknown = await served.chat(user([{"type": "smell", "smell": "roses"}]))
    assert first.status_code == null.status_code == 200
    assert held["window"][0]["user"] == "Hello\nagain"
    assert unknown.status_code == 400
    assert unknown.json()["error"]["type"] == "invalid_request_error"
    assert unknown.json()["error"]["param"] == "messages[0].content[0].type"


async def test_b126_history_and_memory(tmp_path: Path) -> None:
    """B126: what a client sends again stands once in the prompt, and one pair is gained."""
    async with answering("A1", "A2", "A3") as server, gateway(server.url, tmp_path) as served:
        history: list[dict[str, Any]] = []
        for number in (1, 2, 3):
            history.append(user(f"U{number}"))
            await served.chat(*history, thread="t")
            history.append(assistant(f"A{number}"))
        held = await served.look("t")
    assert server.prompts[2] == history[:5]
    assert [pair["user"] for pair in held["window"]] == ["U1", "U2", "U3"]


async def test_b128_fault_before_the_first_byte(tmp_path: Path) -> None:
    """B128: a planner that fails at once is a status with a JSON fault, and leaves no trace."""
    async with (
        answering(Broken(), Broken(status=400)) as server,
        gateway(server.url, tmp_path) as served,
    ):
        failed = await served.chat(user("Hello"), thread="t", stream=True)
        refused = await served.chat(user("Hello"), thread="t", stream=True)
        held = await served.client.get("/v1/threads/t")
    assert failed.status_code == 502
    assert failed.json()["error"]["type"] == "server_error"
    assert refused.status_code == 400
    assert held.status_code == 404


async def test_b128_fault_in_the_stream(tmp_path: Path) -> None:
    """B128: a fault after words is an event that ends the answer, and OpenAI's client raises."""
    broken = Broken(("One ", "two ", "three "))
    async with (
        answering(broken, broken) as server,
        gateway(server.url, tmp_path) as served,
        served.openai() as client,
    ):
        answer = await served.client.post(CHAT, json=STREAMED, headers={"X-Pace-Thread": "t"})
        stream = await client.chat.completions.create(
            model=MODEL, stream=True, messages=[{"role": "user", "content": "Hello"}]
        )
        heard: list[str] = []
        with pytest.raises(openai.APIError):
            await _listen(stream, heard)
        held = await served.client.get("/v1/threads/t")
    events = events_of(answer.text)
    assert words_of(events[:-1]) == "".join(heard) == "One two three "
    assert events[-1]["error"]["type"] == "server_error"
    assert answer.text.endswith("\n\n")
    assert "[DONE]" not in answer.text
    assert '"stop"' not in answer.text
    assert held.status_code == 404


async def _listen(stream: Any, heard: list[str]) -> None:
    async for chunk in stream:
        heard.append(chunk.choices[0].delta.content or "")  # noqa: PERF401  # it breaks off


async def test_client_that_leaves_stops_the_planner(tmp_path: Path) -> None:
    """When a client leaves, its planner is stopped and what was said is held as interrupted."""
    async with answering(Held("Once upon")) as server, gateway(server.url, tmp_path) as served:
        headers = {"X-Pace-Thread": "t"}
        async with served.client.stream("POST", CHAT, json=STREAMED, headers=headers) as answer:
            lines = answer.aiter_lines()
            while '"Once"' not in await anext(lines):
                pass
        await server.server.hung_up.wait()
        await _until_turns_end(served)
        held = await served.look("t")
    assert held["window"][0]["interrupted"] is True
    assert held["window"][0]["reply"].startswith("Once")
    assert served.logged[0]["outcome"] == "interrupted"


@pytest.mark.parametrize("stream", [True, False])
async def test_client_that_leaves_before_a_word(tmp_path: Path, *, stream: bool) -> None:
    """A client that leaves before a word came stops the planner and leaves no trace."""
    async with answering(Held("")) as server, gateway(server.url, tmp_path) as served:
        async with httpx.AsyncClient(base_url=served.url) as leaving:
            body = {**STREAMED, "stream": stream}
            asking = asyncio.create_task(
                leaving.post(CHAT, json=body, headers={"X-Pace-Thread": "t"})
            )
            while not server.sent:  # noqa: ASYNC110  # the server sets no event
                await asyncio.sleep(0.005)
            asking.cancel()
        await server.server.hung_up.wait()
        await _until_turns_end(served)
        held = await served.client.get("/v1/threads/t")
    assert held.status_code == 404


async def _until_turns_end(served: Any) -> None:
    while not served.logged:  # noqa: ASYNC110  # the gateway is watched from outside
        await asyncio.sleep(0.005)


async def test_tools_pass_whole(tmp_path: Path) -> None:
    """Tools reach the planner, its call the client, and the turn is held when it is over."""
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    async with (
        answering(Calls("look", '{"at": "sky"}'), "It is blue.") as server,
        gateway(server.url, tmp_path) as served,
    ):
        asked = await served.chat(user("What colour?"), thread="t", tools=[tool])
        message = asked.json()["choices"][0]["message"]
        before = await served.look("t")
        answered = {"role": "tool", "tool_call_id": "call_1", "content": "blue"}
        await served.chat(user("What colour?"), message, answered, thread="t", tools=[tool])
        held = await served.look("t")
    assert server.sent[0]["tools"] == [tool]
    assert before["window"] == []
    assert [message["role"] for message in server.prompts[1]] == ["user", "assistant", "tool"]
    assert [(p["user"], p["reply"]) for p in held["window"]] == [("What colour?", "It is blue.")]


async def test_turn_that_cannot_be_kept(tmp_path: Path) -> None:
    """A turn that memory cannot take in is answered, and the client is told each time."""
    async with (
        answering() as server,
        gateway(server.url, tmp_path, store=NotWritingStore()) as served,
    ):
        whole = await served.chat(user("Hello"), thread="t")
        body = {**STREAMED, "stream_options": {"include_usage": True}}
        streamed = await served.client.post(CHAT, json=body, headers={"X-Pace-Thread": "t"})
    assert whole.json()["pace"] == {"remembered": False}
    assert whole.headers["X-Pace-Memory"] == "unavailable"
    assert ": pace memory unavailable, this turn may not be kept\n\n" in streamed.text
    assert events_of(streamed.text)[-2]["pace"] == {"remembered": False}


async def test_several_replies(tmp_path: Path) -> None:
    """Several replies at once are refused in a named thread, and passed on elsewhere."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        refused = await served.chat(user("Hello"), thread="t", n=2)
        passed = await served.chat(user("Hello"), n=2)
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "n"
    assert passed.status_code == 200
    assert server.sent[0]["n"] == 2


async def test_stateless_leaves_nothing(tmp_path: Path) -> None:
    """A stateless request reaches the planner as it is, and no thread is made."""
    headers = {"X-Pace-Stateless": "1"}
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.chat(user("Hello"), thread="t", headers=headers)
        ids = await served.parts.threads.unfolded()
        held = await served.client.get("/v1/threads/t")
    assert server.prompts == [[user("Hello")]]
    assert answer.headers["X-Pace-Memory"] == "stateless"
    assert held.status_code == 404
    assert list(ids) == []


async def test_long_history_is_bounded(tmp_path: Path) -> None:
    """A client that sends all of a long history gets a prompt of a window and a summary."""
    history = [user("My code is KX-4417.")]
    for number in range(40):
        history += [assistant(f"Noted {number}. " * 20), user(f"And what of day {number}? " * 20)]
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.chat(*history)
    prompt = server.prompts[0]
    assert len(prompt) == 1 + 8 + 1
    assert "KX-4417" in prompt[0]["content"]
    assert int(answer.headers["X-Pace-Tokens-Saved"]) > 1000


async def test_log_holds_no_words(tmp_path: Path) -> None:
    """The log tells of turns by numbers and ids: no words, no key, and no name of a thread."""
    async with answering("A secret reply.") as server, gateway(server.url, tmp_path) as served:
        await served.chat(user("A secret question"), thread="secret name")
        await served.chat(user("secret"), {"role": "secret", "content": "secret"})
    assert served.logged[0]["outcome"] == "answered"
    assert served.logged[1]["outcome"] == "refused"
    assert b"secret" not in served.log.getvalue()


async def test_openai_client(tmp_path: Path) -> None:
    """OpenAI's client chats, streamed and not, and reads faults as its own kinds."""
    async with (
        answering("Whole.", "In parts.") as server,
        gateway(server.url, tmp_path) as served,
        served.openai() as client,
    ):
        whole = await client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "One"}]
        )
        stream = await client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": "Two"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
        with pytest.raises(openai.BadRequestError) as fault:
            await client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": [{"type": "smell"}]}],  # type: ignore[list-item]
            )
        models = [model.id async for model in client.models.list()]
        vectors = await client.embeddings.create(
            model=MODEL, input="Hello", encoding_format="float"
        )
    assert whole.choices[0].message.content == "Whole."
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "In parts."
    assert chunks[-1].usage is not None
    assert fault.value.param == "messages[0].content[0].type"
    assert models == [MODEL]
    assert vectors.data[0].embedding == [0.5]


@pytest.mark.parametrize("depth", [101, 900, 5_000])
async def test_what_nests_too_deep_is_refused(tmp_path: Path, depth: int) -> None:
    """Lists in lists without end are one clear sentence, whoever would have choked on them."""
    body = b'{"messages": ' + b"[" * depth + b"]" * depth + b"}"
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.client.post(
            CHAT, content=body, headers={"Content-Type": "application/json"}
        )
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]
    assert server.prompts == []


async def test_a_count_of_replies_that_is_none_is_refused(tmp_path: Path) -> None:
    """Whatever stands where a number should, a thread takes one reply."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.chat(user("Hello"), thread="t", n={})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "n"
    assert server.prompts == []
