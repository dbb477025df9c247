"""The planner over a server that the person runs: what it asks, and what it never does."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pace.endpoint import LoopbackUrl
from pace.errors import PlannerRefusedError
from pace.memory.tokens import estimate_tokens
from pace.planners.client import FIRST_BYTE_LIMIT
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import PlannerTraits
from planners.prompts import prompt_of
from planners.raw_server import (
    DONE,
    EVENT_STREAM,
    RawServer,
    Request,
    body_answer,
    delta,
    event,
    raw_server,
)

CHAT = "/v1/chat/completions"
STANDARD = {"model", "messages", "stream", "stream_options", "max_tokens", "temperature"}


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as served:
        served.answer(CHAT, EVENT_STREAM, event(delta("Hello.", finish="stop")), DONE)
        yield served


@pytest.fixture
async def planner(server: RawServer) -> AsyncIterator[OpenAiWirePlanner]:
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"))
    yield planner
    await planner.aclose()


async def ask(planner: OpenAiWirePlanner, words: str = "hi") -> None:
    assert [event async for event in planner.stream(prompt_of(words))]


async def test_a_request_holds_standard_fields_only(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A generic server is sent the messages as they are, and no field that it may not know."""
    await ask(planner)
    (request,) = server.requests_to(CHAT)
    assert set(request.json) == STANDARD
    assert request.json["messages"] == [
        {"role": "system", "content": "You are Pace, a friendly companion."},
        {"role": "user", "content": "hi"},
    ]


async def test_options_are_asked_at_each_turn(server: RawServer) -> None:
    """A changed setting applies at the next turn; no temperature leaves it to the server."""
    options = ReplyOptions(temperature=0.1, reply_tokens=7)
    planner = OpenAiWirePlanner(
        LoopbackUrl(f"{server.url}/v1"), model="mine", options=lambda: options
    )
    await ask(planner)
    options = ReplyOptions(temperature=None, reply_tokens=9)
    await ask(planner)
    first, second = (request.json for request in server.requests_to(CHAT))
    assert (first["model"], first["temperature"], first["max_tokens"]) == ("mine", 0.1, 7)
    assert second["max_tokens"] == 9
    assert "temperature" not in second
    await planner.aclose()


async def test_proxies_are_ignored(
    server: RawServer, planner: OpenAiWirePlanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proxy settings of the environment do not lead a prompt away from this machine."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"))
    await ask(planner)
    assert len(server.requests_to(CHAT)) == 1
    await planner.aclose()


async def test_no_redirect_is_followed(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """A server on this machine cannot send a prompt on to another place."""
    server.answer(
        CHAT,
        b"HTTP/1.1 307 X\r\nLocation: %s/elsewhere\r\nContent-Length: 0\r\n\r\n"
        % server.url.encode(),
    )
    with pytest.raises(PlannerRefusedError, match="307"):
        await ask(planner)
    assert not server.requests_to("/elsewhere")


async def test_a_key_goes_into_its_header_and_nowhere_else(server: RawServer) -> None:
    """A key is sent as a bearer token, and shows in no error."""
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m", key="sk-CANARY")
    await ask(planner)
    assert server.requests_to(CHAT)[0].headers["authorization"] == "Bearer sk-CANARY"
    server.answer_json(CHAT, {"error": {"message": "bad key sk-CANARY"}}, status=401)
    with pytest.raises(PlannerRefusedError, match="key") as refused:
        await ask(planner)
    assert "CANARY" not in str(refused.value) + repr(planner) + repr(vars(refused.value))
    await planner.aclose()


async def traits_of(planner: OpenAiWirePlanner) -> PlannerTraits:
    traits = await planner.traits()
    assert traits.on_this_machine
    assert traits.summarizes
    return traits


async def test_a_server_that_tells_nothing_is_given_a_cautious_context(
    planner: OpenAiWirePlanner,
) -> None:
    """Without any of the questions answered, 4,096 tokens are assumed, and said to be."""
    traits = await traits_of(planner)
    assert (traits.context_tokens, traits.assumes_context) == (4096, True)


async def test_the_first_chat_model_is_used(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """Without a model's name the server's first one that is not for embeddings answers."""
    server.answer_json("/v1/models", {"data": [{"id": "nomic-embed-text"}, {"id": "chatty"}]})
    assert (await traits_of(planner)).model == "chatty"


async def test_llama_cpp_tells_the_context_of_a_slot(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """llama.cpp's own answer counts, and its tokenizer is used."""
    server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})
    server.answer_json("/tokenize", {"tokens": [1, 2, 3]})
    traits = await traits_of(planner)
    assert (traits.context_tokens, traits.assumes_context) == (6144, False)
    assert await planner.count_tokens(["one", "two"]) == [3, 3]


async def test_lm_studio_tells_what_it_loaded(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """The context in force counts, not the most that the model could do."""
    server.answer_json("/v1/models", {"data": [{"id": "m"}]})
    model = {"id": "m", "max_context_length": 131072, "loaded_context_length": 8192}
    server.answer_json("/api/v0/models", {"data": [model]})
    assert (await traits_of(planner)).context_tokens == 8192


async def test_lm_studio_that_has_not_loaded_yet_is_not_believed(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A model's possible context is no promise of what will be loaded."""
    server.answer_json("/v1/models", {"data": [{"id": "m"}]})
    server.answer_json("/api/v0/models", {"data": [{"id": "m", "max_context_length": 131072}]})
    assert (await traits_of(planner)).context_tokens == 4096


async def test_ollama_tells_what_runs(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """A model that Ollama runs now has the context that it was started with."""
    server.answer_json("/v1/models", {"data": [{"id": "m:latest"}]})
    server.answer_json("/api/ps", {"models": [{"name": "m:latest", "context_length": 16384}]})
    assert (await traits_of(planner)).context_tokens == 16384


async def test_ollama_tells_what_its_model_file_sets(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A context that the model's maker set counts; the architecture's own does not."""
    server.answer_json("/api/ps", {"models": []})
    server.answer_json(
        "/api/show",
        {
            "parameters": 'stop    "<end>"\nnum_ctx    12288',
            "model_info": {"llama.context_length": 131072},
        },
    )
    assert (await traits_of(planner)).context_tokens == 12288


async def test_a_server_that_still_loads_is_asked_again(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """What is assumed while a server loads does not outlast the loading."""
    server.answer_json("/props", {"error": {"type": "unavailable_error"}}, status=503)
    assert (await traits_of(planner)).context_tokens == 4096
    server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})
    assert (await traits_of(planner)).context_tokens == 6144


async def test_a_server_is_asked_for_its_facts_once(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Facts that were given are kept, so that a turn is one request."""
    server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})
    await planner.traits()
    before = len(server.requests)
    await planner.traits()
    await ask(planner)
    assert len(server.requests) == before + 1


@pytest.mark.parametrize("answer", [[], "x", {"data": 5}, {"data": [None, {"id": 7}]}, None])
async def test_odd_answers_about_itself_harm_nothing(
    server: RawServer, planner: OpenAiWirePlanner, answer: object
) -> None:
    """Whatever a server says of itself, the planner has traits."""
    for path in FACTS:
        server.answer_json(path, answer)
    assert (await traits_of(planner)).context_tokens == 4096


FACTS = (
    *("/v1/models", "/props", "/api/v1/models", "/api/v0/models"),
    *("/api/ps", "/api/tags", "/api/show"),
)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"data":' + b"[" * 200_000,
        b'{"data": [{"id": ["x"], "name": {}}]}',
        b'{"default_generation_settings": {"n_ctx": 1%s}}' % (b"0" * 4_000),
        b'{"parameters": "num_ctx %s"}' % (b"9" * 5_000),
        b'{"parameters": "num_ctx [[["}',
        b'{"x": "%s"}' % (b"x" * 9_000_000),
    ],
)
async def test_facts_beyond_reading_are_none(
    server: RawServer, planner: OpenAiWirePlanner, body: bytes
) -> None:
    """Facts that are too deep, too long, too large or of another kind leave the cautious guess."""
    for path in FACTS:
        server.answer(path, body_answer(body))
    assert (await traits_of(planner)).context_tokens == 4096


async def test_a_models_name_can_be_written(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """Half a character in a name is replaced, so that a turn can send it back."""
    server.answer_json("/v1/models", {"data": [{"id": "m\ud83d"}]})
    assert (await traits_of(planner)).model == "m\ufffd"
    await ask(planner)


@pytest.mark.parametrize("path", [*FACTS, "/tokenize"])
async def test_a_dripping_answer_is_given_up_at_the_limit(server: RawServer, path: str) -> None:
    """The limit is for the whole answer: a byte now and then prolongs nothing."""

    async def drip(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0)

    if path == "/tokenize":
        server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})
    if path in {"/api/tags", "/api/show"}:
        server.answer_json("/api/ps", {"models": []})
    server.handlers[path] = drip
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), answer_limit=0.3)
    assert await planner.count_tokens(["hello"]) == [estimate_tokens("hello")]
    if server.requests_to(path):  # on a machine that has much to do the limit may come first
        await server.hung_up.wait()
    await planner.aclose()


async def test_a_count_beyond_reading_is_an_estimate(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A tokenizer's answer that is nested too deep counts nothing."""
    server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})
    server.answer("/tokenize", body_answer(b'{"tokens":' + b"[" * 200_000))
    assert await planner.count_tokens(["hello"]) == [estimate_tokens("hello")]


async def test_nothing_packed_is_asked_for(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """Little could unpack into more than there is memory."""
    await ask(planner)
    assert {request.headers["accept-encoding"] for request in server.requests} == {"identity"}


async def test_tokens_are_estimated_where_no_tokenizer_is(planner: OpenAiWirePlanner) -> None:
    """Without a tokenizer of the server's the estimate counts."""
    texts = ["hello there", "你好世界" * 25]
    assert await planner.count_tokens(texts) == [estimate_tokens(text) for text in texts]


async def test_tokens_are_estimated_while_the_server_is_away() -> None:
    """Counting never fails; the turn itself says what is wrong."""
    async with raw_server() as gone:
        url = LoopbackUrl(f"{gone.url}/v1")
    planner = OpenAiWirePlanner(url)
    assert await planner.count_tokens(["hello"]) == [estimate_tokens("hello")]
    await planner.aclose()


def test_the_first_byte_may_take_minutes() -> None:
    """B74: the limit leaves a large model the time to load."""
    assert FIRST_BYTE_LIMIT >= 300
