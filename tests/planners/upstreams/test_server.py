"""One server: what it is sent, how its answers are taken, and what its faults become."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from pace.endpoint import LoopbackUrl, RemoteUrl
from pace.errors import PlannerError, PlannerRefusedError, PlannerUnreachableError, SettingsError
from pace.planners.upstreams.port import NothingSentError, status_for_client
from pace.planners.upstreams.server import ServerUpstream
from planners.raw_server import (
    DONE,
    EVENT_STREAM,
    RawServer,
    Request,
    body_answer,
    delta,
    event,
    json_answer,
    raw_server,
)
from planners.upstreams.speaking import (
    BODY,
    CHAT,
    STREAMED,
    WHOLE,
    broken_stream,
    chunks_of,
    words_of,
)

JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as served:
        yield served


@pytest.fixture
async def upstream(server: RawServer) -> AsyncIterator[ServerUpstream]:
    upstream = ServerUpstream(LoopbackUrl(f"{server.url}/v1"), key="secret")
    yield upstream
    await upstream.aclose()


# --- what is sent


async def test_a_body_is_sent_as_it_is(server: RawServer, upstream: ServerUpstream) -> None:
    """Fields that nobody knows pass, nothing is added, and the key stands in one header."""
    server.answer_json(CHAT, WHOLE)
    body = {**BODY, "tools": [{"type": "function"}], "strange": {"deep": [1, None, "ä"]}}
    assert await upstream.complete(body) == WHOLE
    (request,) = server.requests
    assert request.json == body
    assert request.headers["authorization"] == "Bearer secret"
    assert b"secret" not in request.body


async def test_half_a_character_can_be_sent(server: RawServer, upstream: ServerUpstream) -> None:
    """What a client cut in two goes on as it came, as does a number of any size."""
    server.answer_json(CHAT, WHOLE)
    body = {"messages": [{"role": "user", "content": "\ud83d"}], "seed": 2**80}
    await upstream.complete(body)
    assert server.requests[0].json == body


async def test_redirects_are_not_followed(server: RawServer, upstream: ServerUpstream) -> None:
    """What is said goes to the address that was given, or nowhere."""
    server.answer(CHAT, b"HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(PlannerRefusedError, match="HTTP 307"):
        await upstream.complete(BODY)
    assert len(server.requests) == 1


async def test_no_proxy_stands_before_this_machine(
    server: RawServer, upstream: ServerUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the environment sees nothing of what is sent to a server here."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.answer_json(CHAT, WHOLE)
    assert await upstream.complete(BODY) == WHOLE


async def test_a_proxy_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not passed by in silence."""
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:9")
    upstream = ServerUpstream(RemoteUrl("https://example.com/v1"))
    with pytest.raises(SettingsError, match="HTTPS_PROXY"):
        await upstream.complete(BODY)


# --- streams


async def test_chunks_are_read_and_passed_on_unmade(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """Each chunk's JSON is as the server wrote it, and [DONE] is no chunk."""
    first = b'{"choices": [{"index":0,  "delta":{"content":"Gr\xc3\xb6\xc3\x9fe"}}], "more": 1}'
    last = b'{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
    server.answer(CHAT, EVENT_STREAM, b"data: " + first + b"\n\n", b"data: " + last + b"\n\n", DONE)
    chunks = await chunks_of(upstream)
    assert [chunk.raw for chunk in chunks] == [first, last]
    assert words_of(chunks) == "Größe"
    assert chunks[0].data["more"] == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_pieces_may_be_cut_anywhere(
    server: RawServer, upstream: ServerUpstream, size: int
) -> None:
    """Characters and events that come in pieces are put together."""
    stream = event(delta("Grüße 🙂 ")) + event(delta("aus Köln", finish="stop")) + DONE
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    server.answer(CHAT, EVENT_STREAM, *pieces)
    assert words_of(await chunks_of(upstream)) == "Grüße 🙂 aus Köln"


async def test_a_chunk_over_several_lines_is_passed_on_in_one(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """Whoever passes it on may put it into one line of data."""
    shown = json.dumps(delta("Hi", finish="stop"), indent=1).replace("\n", "\ndata: ").encode()
    server.answer(CHAT, EVENT_STREAM, b"data: " + shown + b"\n\n", DONE)
    (chunk,) = await chunks_of(upstream)
    assert b"\n" not in chunk.raw
    assert json.loads(chunk.raw) == delta("Hi", finish="stop")


async def test_half_a_character_is_passed_on(server: RawServer, upstream: ServerUpstream) -> None:
    """A chunk that strict JSON does not know is read all the same, and stays sendable."""
    half = b'{"choices":[{"index":0,"delta":{"content":"\\ud83d"},"finish_reason":"stop"}]}'
    server.answer(CHAT, EVENT_STREAM, b"data: " + half + b"\n\n", DONE)
    (chunk,) = await chunks_of(upstream)
    assert words_of([chunk]) == "\ud83d"
    assert json.loads(chunk.raw) == chunk.data


async def test_a_stream_may_end_without_done(server: RawServer, upstream: ServerUpstream) -> None:
    """A reply that said why it ended is whole, also if its last event lacks its blank line."""
    last = event(delta(None, finish="stop")).rstrip()
    server.answer(CHAT, EVENT_STREAM, event(delta("Hello.")), last)
    assert words_of(await chunks_of(upstream)) == "Hello."


async def test_a_stream_that_breaks_is_told_after_its_chunks(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """What came is given; then it is said that it was not all."""
    server.answer(CHAT, EVENT_STREAM, event(delta("Hel")))
    chunks, fault = await broken_stream(upstream)
    assert words_of(chunks) == "Hel"
    assert isinstance(fault, PlannerUnreachableError)


async def test_every_reply_asked_for_has_to_end(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """With n=2 a stream is whole when both replies have said why they ended."""
    second = {"choices": [{"index": 1, "delta": {"content": "B"}, "finish_reason": "stop"}]}
    server.answer(CHAT, EVENT_STREAM, event(delta("A", finish="stop")))
    with pytest.raises(PlannerUnreachableError):
        await chunks_of(upstream, {**STREAMED, "n": 2})
    server.answer(CHAT, EVENT_STREAM, event(delta("A", finish="stop")), event(second))
    assert len(await chunks_of(upstream, {**STREAMED, "n": 2})) == 2


async def test_closing_a_stream_closes_its_connection(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """The server learns at once that nobody listens any more."""
    server.hold(CHAT, EVENT_STREAM, event(delta("Hel")))
    async with aclosing(upstream.stream(STREAMED)) as chunks:
        await anext(chunks)
        assert not server.hung_up.is_set()
    await server.hung_up.wait()


async def test_cancelling_a_whole_answer_closes_its_connection(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """The same holds before anything came."""
    came = asyncio.Event()

    async def hold(_: Request, __: asyncio.StreamWriter) -> None:
        came.set()
        await asyncio.Event().wait()

    server.handlers[CHAT] = hold
    asking = asyncio.create_task(upstream.complete(BODY))
    await came.wait()
    asking.cancel()
    await asyncio.wait([asking])
    await server.hung_up.wait()


async def test_a_server_that_does_not_stream_gives_one_chunk(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """A whole answer where a stream was asked for becomes a chunk that holds it all."""
    server.answer_json(CHAT, WHOLE)
    (chunk,) = await chunks_of(upstream)
    assert words_of([chunk]) == "Hello."
    assert chunk.data["object"] == "chat.completion.chunk"
    assert json.loads(chunk.raw) == chunk.data


async def test_events_are_known_without_their_name(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """A stream that does not say what it is counts if it begins as events do, and else not."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    server.answer(CHAT, head, b"da", b"ta: ", event(delta("Hi", finish="stop"))[6:])
    assert words_of(await chunks_of(upstream)) == "Hi"
    server.answer(CHAT, head, b"Hello: this is a page about something else entirely.")
    with pytest.raises(PlannerRefusedError, match="OpenAI-compatible"):
        await chunks_of(upstream)


async def test_connections_are_kept() -> None:
    """The next turn goes over the same connection, streamed or not."""
    ports = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ports.add(writer.get_extra_info("peername"))
        while b"content-length" in (head := (await reader.readuntil(b"\r\n\r\n")).lower()):
            length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
            is_streamed = b'"stream":true' in await reader.readexactly(length)
            if not is_streamed:
                writer.write(json_answer(WHOLE).replace(b"Connection: close\r\n", b""))
                continue
            stream = event(delta("Hi", finish="stop")) + DONE
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
            writer.write(b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(stream) + stream)
            await writer.drain()
            writer.write(b"\r\n0\r\n\r\n")

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    upstream = ServerUpstream(LoopbackUrl(f"http://127.0.0.1:{port}/v1"))
    for _ in range(3):
        assert words_of(await chunks_of(upstream)) == "Hi"
        assert await upstream.complete(BODY) == WHOLE
    await upstream.aclose()
    listening.close()
    assert len(ports) == 1


# --- faults


@pytest.mark.parametrize(
    ("status", "for_client"),
    [
        (400, 400),
        (404, 404),
        (413, 413),
        (422, 422),
        (429, 429),
        (503, 503),
        (504, 504),
        (401, 502),
        (403, 502),
        (500, 502),
        (302, 502),
    ],
)
async def test_a_status_is_kept_and_told(
    server: RawServer, upstream: ServerUpstream, status: int, for_client: int
) -> None:
    """What concerns the client's request is told as it is; what concerns our planner is not."""
    error = {"error": {"message": "you said: my secret plan", "type": "invalid_request_error"}}
    server.answer_json(CHAT, error, status=status)
    for asking in (upstream.complete(BODY), chunks_of(upstream)):
        with pytest.raises(PlannerRefusedError) as raised:
            await asking
        assert raised.value.status == status
        assert status_for_client(raised.value) == for_client
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "piece",
    [
        event({"error": {"message": "CUDA, you said", "code": 500}}),
        b'event: error\ndata: {"message": "you said"}\n\n',
        event({"object": "error", "message": "you said"}),
    ],
)
async def test_an_error_in_a_good_answer_is_told(
    server: RawServer, upstream: ServerUpstream, piece: bytes
) -> None:
    """An error inside a 200 is raised after the chunks before it, without its words."""
    server.answer(CHAT, EVENT_STREAM, event(delta("Hel")) + piece + DONE)
    chunks, fault = await broken_stream(upstream)
    assert words_of(chunks) == "Hel"
    assert isinstance(fault, PlannerRefusedError)
    assert "you said" not in str(fault)


async def test_an_error_in_a_whole_answer_is_told(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """The same holds without a stream."""
    server.answer_json(CHAT, {"error": {"message": "no", "code": 500}})
    with pytest.raises(PlannerRefusedError, match="HTTP 500"):
        await upstream.complete(BODY)


@pytest.mark.parametrize(
    "answer",
    [
        body_answer(b"<html>"),
        body_answer(b"[" * 100_000),
        body_answer(b"\x1f\x8b\x08packed"),
        json_answer(["no object"]),
        EVENT_STREAM + b"data: no json\n\n",
        EVENT_STREAM + b"data: [1]\n\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>",
        JSON_HEAD + b"Content-Length: 99\r\n\r\n{",
        JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"",
    ],
)
async def test_whatever_answers_ends_in_an_error_of_ours(
    server: RawServer, upstream: ServerUpstream, answer: bytes
) -> None:
    """A server that speaks something else is told by a PlannerError, as the port promises."""
    server.answer(CHAT, answer)
    with pytest.raises(PlannerError):
        await chunks_of(upstream)
    with pytest.raises(PlannerError) as raised:
        await upstream.complete(BODY)
    assert "secret" not in repr(raised.value.__cause__)


async def test_nothing_sent_is_told_apart() -> None:
    """Where nobody listens, whoever asked knows that it may ask another."""
    upstream = ServerUpstream(LoopbackUrl("http://127.0.0.1:9/v1"))
    with pytest.raises(NothingSentError, match="Nothing answers") as raised:
        await upstream.complete(BODY)
    assert status_for_client(raised.value) == 503
    with pytest.raises(NothingSentError):
        await chunks_of(upstream)
    assert not await upstream.is_ready()
    await upstream.aclose()


async def test_a_late_answer_is_told(server: RawServer) -> None:
    """The limit ends the wait, and a client is told that it was time that ran out."""
    server.hold(CHAT)
    upstream = ServerUpstream(LoopbackUrl(f"{server.url}/v1"), first_byte_limit=0.01)
    for asking in (upstream.complete(BODY), chunks_of(upstream)):
        with pytest.raises(PlannerUnreachableError, match="too long") as raised:
            await asking
        assert status_for_client(raised.value) == 504
    await upstream.aclose()


async def test_signs_of_life_are_no_answer(server: RawServer) -> None:
    """Comments that keep a connection open do not keep a client waiting for ever."""

    async def be_alive(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENT_STREAM)
        while True:
            writer.write(b": alive\n\n")
            await writer.drain()
            await asyncio.sleep(0)

    server.handlers[CHAT] = be_alive
    upstream = ServerUpstream(LoopbackUrl(f"{server.url}/v1"), first_byte_limit=0.05)
    with pytest.raises(PlannerUnreachableError, match="too long"):
        await chunks_of(upstream)
    await upstream.aclose()


async def test_an_event_without_end_is_ended(server: RawServer, upstream: ServerUpstream) -> None:
    """A server cannot fill memory with one line."""

    async def pour(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENT_STREAM + b"data: ")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    server.handlers[CHAT] = pour
    with pytest.raises(PlannerRefusedError, match="more at once"):
        await chunks_of(upstream)


# --- facts


async def test_its_models_are_listed(server: RawServer, upstream: ServerUpstream) -> None:
    """Entries are given as they are; what is none is left out."""
    models = {"data": [{"id": "tiny", "max_model_len": 4096}, {"no": "id"}, 7]}
    server.answer_json("/v1/models", models)
    assert await upstream.models() == [{"id": "tiny", "max_model_len": 4096}]


@pytest.mark.parametrize(
    ("path", "code", "is_asked"),
    [
        ("", None, True),
        ("/v1", None, False),
        ("/api/v3", 404, False),
        ("", "model_not_found", False),
    ],
)
async def test_an_address_without_v1_is_asked_about(
    server: RawServer,
    path: str,
    code: object,
    is_asked: bool,  # noqa: FBT001
) -> None:
    """A server that knows nothing under an address without /v1 is told by that, not by its log."""
    server.answer_json(f"{path}/models", {"error": {"code": code}}, status=404)
    upstream = ServerUpstream(LoopbackUrl(f"{server.url}{path}"))
    with pytest.raises(PlannerRefusedError) as raised:
        await upstream.models()
    await upstream.aclose()
    assert ("lack /v1?" in str(raised.value)) is is_asked
    assert raised.value.status == 404


async def test_a_context_is_asked_once(server: RawServer, upstream: ServerUpstream) -> None:
    """A list that tells the context is enough, and is remembered."""
    server.answer_json("/v1/models", {"data": [{"id": "tiny", "max_model_len": 4096}]})
    assert await upstream.context_tokens("tiny") == 4096
    asked = len(server.requests)
    assert await upstream.context_tokens("tiny") == 4096
    assert len(server.requests) == asked
    assert await upstream.context_tokens("other") is None


async def test_a_context_is_asked_for_in_llama_cpps_way(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """Where the list does not tell, the server is asked as its kind tells."""
    server.answer_json("/v1/models", {"data": [{"id": "tiny"}]})
    server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})
    assert await upstream.context_tokens("tiny") == 6144


async def test_a_context_is_asked_again_after_a_fault(
    server: RawServer, upstream: ServerUpstream
) -> None:
    """A server that broke off may have been restarted with another one."""
    server.answer_json("/v1/models", {"data": [{"id": "tiny", "max_model_len": 4096}]})
    await upstream.context_tokens("tiny")
    server.answer_json("/v1/models", {"data": [{"id": "tiny", "max_model_len": 8192}]})
    server.answer(CHAT, b"")
    with pytest.raises(PlannerUnreachableError):
        await upstream.complete(BODY)
    assert await upstream.context_tokens("tiny") == 8192


async def test_it_is_ready_when_it_says_so(server: RawServer, upstream: ServerUpstream) -> None:
    """A server that lists models while it still loads one is not ready; one without health is."""
    server.answer_json("/v1/models", {"data": []})
    assert await upstream.is_ready()
    server.answer_json("/health", {"status": "loading"}, status=503)
    assert not await upstream.is_ready()
    server.answer_json("/health", {"status": "ok"})
    assert await upstream.is_ready()
    server.answer_json("/v1/models", {}, status=401)
    assert not await upstream.is_ready()


async def test_vectors_are_passed_through(server: RawServer, upstream: ServerUpstream) -> None:
    """Embeddings go to their own address and come back as they are."""
    vectors = {"object": "list", "data": [{"index": 0, "embedding": [0.1, -0.2]}]}
    server.answer_json("/v1/embeddings", vectors)
    assert await upstream.embed({"input": "hi"}) == vectors
