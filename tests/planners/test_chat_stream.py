"""Replies as servers really send them: framed roughly, cut short, or failing half way."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing

import pytest

from pace.endpoint import LoopbackUrl
from pace.errors import EmptyReplyError, PlannerError, PlannerRefusedError, PlannerUnreachableError
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import Finished, FinishReason, PlannerEvent, Reasoned, TextDelta, Thinking
from planners.prompts import prompt_of
from planners.raw_server import (
    DONE,
    EVENT_STREAM,
    Handler,
    RawServer,
    Request,
    body_answer,
    delta,
    event,
    json_answer,
    raw_server,
)

CHAT = "/v1/chat/completions"
WORDS = "my locker code is 4417"


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as served:
        yield served


@pytest.fixture
async def planner(server: RawServer) -> AsyncIterator[OpenAiWirePlanner]:
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m")
    yield planner
    await planner.aclose()


async def reply_of(planner: OpenAiWirePlanner) -> list[PlannerEvent]:
    async with aclosing(planner.stream(prompt_of(WORDS))) as events:
        return [event async for event in events]


def text_of(events: Sequence[PlannerEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def finish_of(events: Sequence[PlannerEvent]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


HELLO = [delta("Hel"), delta("lo."), delta(None, finish="stop")]


async def test_bytes_that_come_one_at_a_time_make_whole_characters(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B64: characters of several bytes survive being split between reads."""
    stream = event(delta("北京 🌍 naïve")) + event(delta(None, finish="stop")) + DONE
    server.answer(CHAT, EVENT_STREAM, *(bytes([byte]) for byte in stream))
    assert text_of(await reply_of(planner)) == "北京 🌍 naïve"


async def test_comment_lines_are_no_part_of_the_reply(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B65: comments before, between and after events are ignored."""
    first, *others = map(event, HELLO)
    server.answer(
        CHAT, EVENT_STREAM, b": OPENROUTER PROCESSING\n\n:\n", first, b": ping\n\n", *others, DONE
    )
    assert text_of(await reply_of(planner)) == "Hello."


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
async def test_every_framing_gives_the_same_reply(
    server: RawServer, planner: OpenAiWirePlanner, space: str, line_end: str
) -> None:
    """B67: with and without a space, with either line end, also split within the line end."""
    stream = b"".join(event(chunk, space=space, line_end=line_end) for chunk in HELLO)
    done = f"data:{space}[DONE]{line_end}{line_end}".encode()
    pieces = [piece + b"\r" for piece in (stream + done).split(b"\r")]
    server.answer(CHAT, EVENT_STREAM, *pieces[:-1], pieces[-1].removesuffix(b"\r"))
    assert text_of(await reply_of(planner)) == "Hello."


@pytest.mark.parametrize("cut", range(5))
async def test_a_byte_order_mark_ahead_of_the_stream_is_no_part_of_it(
    server: RawServer, planner: OpenAiWirePlanner, cut: int
) -> None:
    """The format allows the mark, wherever reads part it from the first event."""
    stream = b"\xef\xbb\xbf" + b"".join(map(event, HELLO)) + DONE
    server.answer(CHAT, EVENT_STREAM, stream[:cut], stream[cut:])
    assert text_of(await reply_of(planner)) == "Hello."


@pytest.mark.parametrize("kind", [b"", b"Content-Type: text/plain\r\n"])
@pytest.mark.parametrize("ahead", [b"", b": hi\n\n", b"\xef\xbb\xbf", b"\n\n"])
async def test_events_are_known_by_their_form(
    server: RawServer, planner: OpenAiWirePlanner, kind: bytes, ahead: bytes
) -> None:
    """A stream that does not say what it is is one all the same, if it is framed as one."""
    head = b"HTTP/1.1 200 OK\r\n" + kind + b"Connection: close\r\n\r\n"
    server.answer(CHAT, head, ahead, *map(event, HELLO), DONE)
    assert text_of(await reply_of(planner)) == "Hello."


@pytest.mark.parametrize("body", [b"Welcome to nginx: all is well", b"x" * 100, b"{}"])
async def test_a_text_that_is_no_stream_is_not_this_wire(
    server: RawServer, planner: OpenAiWirePlanner, body: bytes
) -> None:
    """Whatever else a server answers in plain text leads to its address."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    server.answer(CHAT, head, body)
    with pytest.raises(PlannerRefusedError, match="ends in /v1"):
        await reply_of(planner)


async def test_content_in_parts_is_read(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """Mistral's API sends texts and thoughts as parts of one content; other parts say nothing."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "secret991"}]}
    parts = [[thinking], [{"type": "text", "text": "Hel"}, {"type": "reference", "ids": [1]}]]
    chunks = [{"choices": [{"delta": {"content": content}}]} for content in [*parts, ["x"], "lo."]]
    server.answer(CHAT, EVENT_STREAM, *map(event, chunks), DONE)
    events = await reply_of(planner)
    assert text_of(events) == "Hello."
    assert Thinking("secret991") in events


async def test_another_choice_is_no_part_of_the_reply(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Only the choice of index 0 is read, in whatever order they come."""
    other = {"index": 1, "delta": {"content": "WRONG"}, "finish_reason": "stop"}
    first = {"index": 0, "delta": {"content": "Hello."}}
    chunks = [{"choices": [other, first]}, {"choices": [other]}, delta(None, finish="length")]
    server.answer(CHAT, EVENT_STREAM, *map(event, chunks), DONE)
    events = await reply_of(planner)
    assert text_of(events) == "Hello."
    assert finish_of(events).reason is FinishReason.LENGTH


async def test_a_line_separator_in_a_reply_ends_no_event(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Characters that some line splitters break at stand in the reply as sent."""
    text = "a\u2028b\u2029c\u0085d"
    server.answer(CHAT, EVENT_STREAM, event(delta(text)), event(delta(None, finish="stop")), DONE)
    assert text_of(await reply_of(planner)) == text


async def test_chunks_without_choices_carry_the_counts(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B68: a usage-only chunk, one without choices and null content leave the reply whole."""
    usage = {
        "prompt_tokens": 43,
        "completion_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 40},
    }
    server.answer(
        CHAT,
        EVENT_STREAM,
        event({"model": "real-name"}),
        event(delta(None, role="assistant")),
        *map(event, HELLO),
        event({"choices": [], "usage": usage}),
        DONE,
    )
    events = await reply_of(planner)
    assert text_of(events) == "Hello."
    assert finish_of(events) == Finished(
        reason=FinishReason.STOP,
        prompt_tokens=43,
        cached_tokens=40,
        reply_tokens=12,
        model="real-name",
    )


async def test_the_reply_is_over_at_done_though_the_socket_stays_open(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B70: nothing is awaited after [DONE], and our end of the connection is closed."""
    server.hold(CHAT, EVENT_STREAM, *map(event, HELLO), DONE, b"data: {broken\n\n")
    assert text_of(await reply_of(planner)) == "Hello."
    await server.hung_up.wait()


async def test_the_counts_end_the_reply_without_done(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A server that counts but never says [DONE] keeps nobody waiting."""
    server.hold(CHAT, EVENT_STREAM, *map(event, HELLO), event({"usage": {"prompt_tokens": 1}}))
    assert text_of(await reply_of(planner)) == "Hello."


async def test_a_reason_completes_a_reply_without_done(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A stream that ends after its finish reason is complete."""
    server.answer(CHAT, EVENT_STREAM, *map(event, HELLO))
    assert finish_of(await reply_of(planner)).reason is FinishReason.STOP


async def test_words_without_an_end_broke_off(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A stream that just ends after some words keeps them, and broke off: it met no limit."""
    server.answer(CHAT, EVENT_STREAM, event(delta("Step one")))
    events = await reply_of(planner)
    assert text_of(events) == "Step one"
    assert finish_of(events).reason is FinishReason.BROKEN_OFF


async def test_a_stream_without_words_or_end_is_a_fault(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A stream that ends before anything came is no empty reply."""
    server.answer(CHAT, EVENT_STREAM)
    with pytest.raises(PlannerUnreachableError, match="broke off"):
        await reply_of(planner)


TORN = [
    (b"Transfer-Encoding: chunked", lambda piece: b"%x\r\n%s\r\n" % (len(piece), piece)),
    (b"Content-Length: 9999", lambda piece: piece),
]


@pytest.mark.parametrize(("length", "framed"), TORN)
async def test_a_torn_body_keeps_its_words_as_cut(
    server: RawServer,
    planner: OpenAiWirePlanner,
    length: bytes,
    framed: Callable[[bytes], bytes],
) -> None:
    """R11: a connection that breaks after some words is no other than a stream that just ends."""
    head = EVENT_STREAM.replace(b"Connection: close", length)
    server.answer(CHAT, head, framed(event(delta("Hel"))))
    events = await reply_of(planner)
    assert text_of(events) == "Hel"
    assert finish_of(events).reason is FinishReason.BROKEN_OFF


@pytest.mark.parametrize(("length", "framed"), TORN)
async def test_a_body_torn_before_its_words_is_a_fault(
    server: RawServer,
    planner: OpenAiWirePlanner,
    length: bytes,
    framed: Callable[[bytes], bytes],
) -> None:
    """R11: interrupted before its first word, a turn failed."""
    head = EVENT_STREAM.replace(b"Connection: close", length)
    server.answer(CHAT, head, framed(event(delta("\n"))))
    with pytest.raises(PlannerUnreachableError, match="broke off"):
        await reply_of(planner)


async def test_a_cut_reply_says_so(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """The finish reason `length` arrives as LENGTH."""
    server.answer(CHAT, EVENT_STREAM, event(delta("Hel", finish="length")), DONE)
    assert finish_of(await reply_of(planner)).reason is FinishReason.LENGTH


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_fields_are_signs_of_life_only(
    server: RawServer, planner: OpenAiWirePlanner, field: str
) -> None:
    """B60: reasoning in a field of its own gives Thinking, and never words."""
    server.answer(
        CHAT,
        EVENT_STREAM,
        event(delta(None, **{field: "secret plan 991"})),
        event(delta("\n\nSure, 42.", finish="stop")),
        DONE,
    )
    events = await reply_of(planner)
    assert Thinking("secret plan 991") in events
    assert text_of(events) == "Sure, 42."


async def test_reasoning_blocks_are_taken_out(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B60: a block within the words is never shown, nor the blank lines after it."""
    chunks = ["<thi", "nk>secret plan 991</", "think>", "\n\n", "Sure, 42."]
    server.answer(CHAT, EVENT_STREAM, *(event(delta(text)) for text in chunks), DONE)
    events = await reply_of(planner)
    thoughts = [event.text for event in events if isinstance(event, Thinking)]
    assert "".join(thoughts) == "secret plan 991"
    assert text_of(events) == "Sure, 42."


async def test_reasoning_without_an_opening_is_taken_back(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B60: where the template put the opening into the prompt, the closing tells what it was."""
    chunks = ["secret ", "plan 991\n</", "think>", "\n\n", "Sure, 42."]
    server.answer(CHAT, EVENT_STREAM, *(event(delta(text)) for text in chunks), DONE)
    events = await reply_of(planner)
    at = events.index(Reasoned())
    assert text_of(events[:at]) == "secret plan 991\n"
    assert text_of(events[at:]) == "Sure, 42."


async def test_a_reply_that_was_all_reasoning_is_empty(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B09: what was taken back leaves no words behind, and the error says why."""
    server.answer(CHAT, EVENT_STREAM, event(delta("plan 991</think>", finish="stop")), DONE)
    with pytest.raises(EmptyReplyError, match="only reasoned"):
        await reply_of(planner)


@pytest.mark.parametrize("reply", ["", "  \n", "\u200b", "\ufeff \u200d"])
async def test_a_reply_without_a_visible_word_is_empty(
    server: RawServer, planner: OpenAiWirePlanner, reply: str
) -> None:
    """Nothing, white space and zero-width characters are no reply, and no words are made up."""
    server.answer(CHAT, EVENT_STREAM, event(delta(reply, finish="stop")), DONE)
    with pytest.raises(EmptyReplyError):
        await reply_of(planner)


async def test_a_reply_of_reasoning_alone_names_its_cause(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B09: reasoning is not promoted to a reply, and the error says that it was all."""
    server.answer(
        CHAT,
        EVENT_STREAM,
        event(delta("", reasoning_content="flat 12", finish="length")),
        DONE,
    )
    with pytest.raises(EmptyReplyError, match="only reasoned"):
        await reply_of(planner)


LEAK = {"error": {"type": "overloaded_error", "message": f"cannot answer: {WORDS}", "code": 529}}


@pytest.mark.parametrize(
    "pieces",
    [
        (EVENT_STREAM, b"event: error\n", event(LEAK)),
        (EVENT_STREAM, b"event: error\n", event(LEAK["error"])),
        (EVENT_STREAM, event(delta("Partial")), event({"choices": [], **LEAK})),
        (json_answer(LEAK),),
        (json_answer(LEAK, status=500),),
    ],
)
async def test_an_error_within_an_answer_is_an_error(
    server: RawServer, planner: OpenAiWirePlanner, pieces: tuple[bytes, ...]
) -> None:
    """B71: an error object is a refusal that names its type, and quotes none of our words."""
    server.answer(CHAT, *pieces)
    with pytest.raises(PlannerRefusedError, match="overloaded_error") as refused:
        await reply_of(planner)
    assert "4417" not in str(refused.value)
    assert refused.value.status in {500, 529}


@pytest.mark.parametrize("data", [b'{"error":{}}', b'{"error":null}', b"{}", b"oops", b""])
async def test_an_event_named_error_is_an_error(
    server: RawServer, planner: OpenAiWirePlanner, data: bytes
) -> None:
    """B71: however little it says, and whatever follows it."""
    told = b"event: error\ndata: " + data + b"\n\n"
    server.answer(CHAT, EVENT_STREAM, event(delta("Half")), told, *map(event, HELLO), DONE)
    with pytest.raises(PlannerRefusedError):
        await reply_of(planner)


async def test_an_object_called_error_is_a_refusal(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B71: vLLM's and others' flat error is told by its status and its word."""
    told = {"object": "error", "message": WORDS, "type": "BadRequestError", "code": 400}
    server.answer_json(CHAT, told)
    with pytest.raises(PlannerRefusedError, match=r"HTTP 400 \(BadRequestError\)") as refused:
        await reply_of(planner)
    assert "4417" not in str(refused.value)


@pytest.mark.parametrize(
    "answer",
    [
        json_answer({"error": WORDS}, status=400),
        json_answer({"error": {"type": WORDS, "code": WORDS}}, status=400),
        json_answer([WORDS], status=400),
        b"HTTP/1.1 400 X\r\nContent-Length: 22\r\n\r\n" + WORDS.encode(),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 22\r\n\r\n"
        + WORDS.encode(),
        EVENT_STREAM + f"data: {WORDS}\n\n".encode(),
        EVENT_STREAM + event([WORDS]),
        b"HTTP/1.1 302 X\r\nLocation: http://example.com/\r\nContent-Length: 0\r\n\r\n",
    ],
)
async def test_no_error_quotes_the_conversation(
    server: RawServer, planner: OpenAiWirePlanner, answer: bytes
) -> None:
    """However a server fails, and whatever it echoes, the sentence holds none of it."""
    server.answer(CHAT, answer)
    with pytest.raises(PlannerRefusedError) as refused:
        await reply_of(planner)
    assert "4417" not in str(refused.value)


DEEP = b"[" * 200_000


@pytest.mark.parametrize(
    "answer",
    [
        EVENT_STREAM + b"data: " + DEEP + b"\n\n",
        EVENT_STREAM + b"event: error\ndata: " + DEEP + b"\n\n",
        EVENT_STREAM + event(delta("Hel")) + b"data: " + DEEP + b"\n\n",
        body_answer(DEEP),
        body_answer(b'{"error":' + DEEP, status=500),
    ],
)
async def test_json_too_deep_to_read_is_refused(
    server: RawServer, planner: OpenAiWirePlanner, answer: bytes
) -> None:
    """JSON that is nested beyond reading is no reply of any server, and no crash of ours."""
    server.answer(CHAT, answer)
    with pytest.raises(PlannerRefusedError):
        await reply_of(planner)


@pytest.mark.parametrize(
    ("deltas", "text"),
    [
        ([r"hi \ud83d", r"\ude00 done"], "hi \U0001f600 done"),
        ([r"hi \ud83d\ude00", " done"], "hi \U0001f600 done"),
        ([r"hi \ud83d", " done"], "hi \ufffd done"),
        ([r"hi \ude00", " done"], "hi \ufffd done"),
        (["hi ", r"\ud83d"], "hi \ufffd"),
        ([r"hi \ud83d", "", r"\ud83d\ude00"], "hi \ufffd\U0001f600"),
    ],
)
async def test_half_characters_are_joined_or_replaced(
    server: RawServer, planner: OpenAiWirePlanner, deltas: list[str], text: str
) -> None:
    """A character that is split over two deltas is whole; a half alone becomes U+FFFD."""
    chunk = r'data: {"model": "m\ud83d", "choices": [{"delta": {"content": "%s"}}]}'
    server.answer(CHAT, EVENT_STREAM, *(f"{chunk % piece}\n\n".encode() for piece in deltas), DONE)
    events = await reply_of(planner)
    assert text_of(events) == text
    assert all(event.text for event in events if isinstance(event, TextDelta))
    assert finish_of(events).model == "m\ufffd"


def endless(head: bytes, piece: bytes) -> Handler:
    """Sends the piece again and again, until the client goes."""

    async def send(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()

    return send


MEGABYTE = b"x" * 1_000_000


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (EVENT_STREAM + b"data: ", MEGABYTE),
        (EVENT_STREAM, b"data: " + MEGABYTE + b"\n"),
        (EVENT_STREAM, b": " + MEGABYTE + b"\n\n"),
        (EVENT_STREAM, b"event: " + MEGABYTE + b"\n\n"),
        (EVENT_STREAM.replace(b"text/event-stream", b"application/json"), MEGABYTE),
    ],
)
async def test_an_answer_without_end_is_given_up(
    server: RawServer, planner: OpenAiWirePlanner, head: bytes, piece: bytes
) -> None:
    """A line, an event, a comment or a body without end is refused, and hung up on."""
    server.handlers[CHAT] = endless(head, piece)
    with pytest.raises(PlannerRefusedError, match="more at once"):
        await reply_of(planner)
    await server.hung_up.wait()


async def test_an_error_without_end_is_told_by_its_status(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """The status says enough when the error's text is too long to read."""
    server.handlers[CHAT] = endless(b"HTTP/1.1 500 X\r\nConnection: close\r\n\r\n", MEGABYTE)
    with pytest.raises(PlannerRefusedError, match="HTTP 500"):
        await reply_of(planner)


async def test_a_reply_without_end_is_cut(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """Words that never end are kept up to the limit, as cut, and hung up on."""
    server.handlers[CHAT] = endless(EVENT_STREAM, event(delta("word " * 5_000)))
    events = await reply_of(planner)
    assert len(text_of(events)) <= ReplyOptions().longest_reply
    assert len(text_of(events)) > ReplyOptions().longest_reply - 1_000
    assert finish_of(events).reason is FinishReason.LENGTH
    await server.hung_up.wait()


@pytest.mark.parametrize("more", [{}, {"reasoning": "hm " * 5_000}])
async def test_a_stream_that_never_says_anything_ends(
    server: RawServer, planner: OpenAiWirePlanner, more: dict[str, str]
) -> None:
    """Empty chunks and reasoning count against the limit, too."""
    chunk = event(delta("", **more))
    server.handlers[CHAT] = endless(EVENT_STREAM, chunk * (1 if more else 5_000))
    with pytest.raises(EmptyReplyError):
        await reply_of(planner)
    await server.hung_up.wait()


def test_the_longest_reply_grows_with_its_tokens() -> None:
    """Whoever allows long replies gets them whole."""
    assert ReplyOptions(reply_tokens=100_000).longest_reply == 1_600_000


@pytest.mark.parametrize("word", ["my-locker-code-is-4417", "my_locker_code_4417_error"])
async def test_only_words_that_all_know_are_shown_of_an_error(
    server: RawServer, planner: OpenAiWirePlanner, word: str
) -> None:
    """A type or a code that a server made up could quote the conversation."""
    server.answer_json(CHAT, {"error": {"type": word, "code": word}}, status=400)
    with pytest.raises(PlannerRefusedError, match=r"HTTP 400\. ") as refused:
        await reply_of(planner)
    assert "4417" not in str(refused.value)


@pytest.mark.parametrize("code", [0, 44170, -1, True, 10**300])
async def test_a_code_that_is_no_status_is_not_shown(
    server: RawServer, planner: OpenAiWirePlanner, code: int
) -> None:
    """Only a number from 100 to 599 is a status of HTTP; any other could be anything."""
    server.answer(CHAT, EVENT_STREAM, event({"error": {"code": code}}))
    with pytest.raises(PlannerRefusedError, match="with an error") as refused:
        await reply_of(planner)
    assert refused.value.status is None


@pytest.mark.parametrize("word", ["context_length_exceeded", "exceed_context_size_error"])
async def test_a_prompt_beyond_the_context_is_told_in_every_servers_word(
    server: RawServer, planner: OpenAiWirePlanner, word: str
) -> None:
    """OpenAI's word and llama.cpp's lead to the same advice."""
    server.answer_json(CHAT, {"error": {"type": "x", "code": word}}, status=400)
    with pytest.raises(PlannerRefusedError, match="send less"):
        await reply_of(planner)


async def test_a_reply_that_is_not_streamed_is_a_reply(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A server that cannot stream answers whole, and is understood."""
    message = {"role": "assistant", "content": "Hello."}
    server.answer_json(CHAT, {"choices": [{"message": message, "finish_reason": "stop"}]})
    assert text_of(await reply_of(planner)) == "Hello."


async def test_closing_a_reply_hangs_up(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """A reply that is stopped half way leaves no connection behind."""
    server.hold(CHAT, EVENT_STREAM, event(delta("Hel")))
    async with aclosing(planner.stream(prompt_of(WORDS))) as events:
        assert await anext(events) == TextDelta("Hel")
    await server.hung_up.wait()


async def test_a_cancelled_turn_hangs_up_before_the_first_word(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A reply that is stopped while the server still reads leaves no connection behind."""
    arrived = asyncio.Event()

    async def read_long(_: object, __: object) -> None:
        arrived.set()
        await asyncio.Event().wait()

    server.handlers[CHAT] = read_long
    turn = asyncio.create_task(reply_of(planner))
    await arrived.wait()
    turn.cancel()
    await server.hung_up.wait()
    with pytest.raises(asyncio.CancelledError):
        await turn


async def test_nothing_there_is_said_with_the_address(server: RawServer) -> None:
    """A port where nobody listens gives one sentence that names it."""
    port = server.port
    async with raw_server() as other:
        port = other.port
    planner = OpenAiWirePlanner(LoopbackUrl(f"http://127.0.0.1:{port}/v1"), model="m")
    with pytest.raises(PlannerUnreachableError, match=f"127.0.0.1:{port}"):
        await reply_of(planner)
    await planner.aclose()


async def test_a_server_that_never_answers_is_given_up_at_the_limit(server: RawServer) -> None:
    """The limit for the first byte ends the wait with an error of ours."""
    server.hold(CHAT)
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m", first_byte_limit=0.01)
    with pytest.raises(PlannerError, match="too long"):
        await reply_of(planner)
    await planner.aclose()


@pytest.mark.parametrize("status", [b"100 Continue", b"103 Early Hints"])
async def test_signs_of_life_ahead_of_an_answer_are_given_up_at_the_limit(
    server: RawServer, status: bytes
) -> None:
    """Provisional answers without end are no answer."""
    server.handlers[CHAT] = endless(b"", b"HTTP/1.1 " + status + b"\r\n\r\n")
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m", first_byte_limit=0.05)
    with pytest.raises(PlannerUnreachableError, match="too long"):
        await reply_of(planner)
    await server.hung_up.wait()
    await planner.aclose()


async def test_a_server_that_loads_its_model_first_is_waited_for(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B74: headers may come late; the first message succeeds, with exactly one request."""
    loaded, asked = asyncio.Event(), asyncio.Event()

    async def load_first(_: object, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await loaded.wait()
        writer.write(EVENT_STREAM + b"".join(map(event, HELLO)) + DONE)

    server.handlers[CHAT] = load_first
    turn = asyncio.create_task(reply_of(planner))
    await asked.wait()
    assert not turn.done()
    loaded.set()
    assert text_of(await turn) == "Hello."
    assert len(server.requests_to(CHAT)) == 1
