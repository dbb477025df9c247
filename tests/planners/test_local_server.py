"""What a turn at a local server shows of it: loading, a cut prompt, another model, and more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from pace.endpoint import LoopbackUrl
from pace.errors import PlannerRefusedError, PlannerUnreachableError, SettingsError
from pace.memory.prompt import Prompt, ReplyForm
from pace.memory.tokens import estimate_tokens
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import SUMMARIES, Finished, Loading, Notice, PlannerEvent, TextDelta
from planners.prompts import prompt_of
from planners.raw_server import (
    DONE,
    EVENT_STREAM,
    RawServer,
    Request,
    delta,
    event,
    json_answer,
    raw_server,
)

CHAT = "/v1/chat/completions"
LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
LLAMA_PROPS = {"default_generation_settings": {"n_ctx": 6144}}


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


async def events_of(planner: OpenAiWirePlanner, prompt: Prompt | None = None) -> list[PlannerEvent]:
    async with aclosing(planner.stream(prompt or prompt_of("hi"))) as events:
        return [event async for event in events]


def notices(events: list[PlannerEvent]) -> list[str]:
    assert isinstance(events[-1], Finished)
    return [event.sentence for event in events if isinstance(event, Notice)]


def be_ollama(server: RawServer, running: str = "", context: int = 8192) -> None:
    """Two models, of which one may run."""
    server.answer_json("/v1/models", {"data": [{"id": "llama3.2:3b"}, {"id": "qwen3:4b"}]})
    models = [{"name": running, "context_length": context}] if running else []
    server.answer_json("/api/ps", {"models": models})


# --- loading


async def test_a_server_that_loads_is_waited_for_and_asked_once(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B74: loading is told before any word, health is asked until it is well, then one chat."""
    health_asked = 0

    async def health(_: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal health_asked
        health_asked += 1
        if health_asked < 2:
            writer.write(json_answer(LOADING, status=503))
            return
        assert not server.requests_to(CHAT)
        server.answer_json("/props", LLAMA_PROPS)
        writer.write(json_answer({"status": "ok"}))

    server.answer_json("/props", LOADING, status=503)
    server.handlers["/health"] = health
    events = await events_of(planner)
    assert isinstance(events[0], Loading)
    assert TextDelta("Hello.") in events
    assert health_asked == 2
    assert len(server.requests_to(CHAT)) == 1
    assert (await planner.traits()).context_tokens == 6144


async def test_a_server_that_never_has_loaded_is_given_up(server: RawServer) -> None:
    """The limit ends the wait with a sentence, and no chat is sent."""
    server.answer_json("/props", LOADING, status=503)
    server.answer_json("/health", LOADING, status=503)
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), first_byte_limit=0.01)
    with pytest.raises(PlannerUnreachableError, match="not loaded its model"):
        await events_of(planner)
    assert not server.requests_to(CHAT)
    await planner.aclose()


async def test_ollama_loads_at_the_request(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """B74: a model that Ollama does not run now is told as loading; one that runs is not."""
    be_ollama(server)
    assert (await events_of(planner))[0] == Loading("llama3.2:3b")
    be_ollama(server, "llama3.2:3b")
    assert not [event for event in await events_of(planner) if isinstance(event, Loading)]
    assert (await planner.traits()).context_tokens == 8192
    assert len(server.requests_to(CHAT)) == 2


async def test_lm_studio_loads_at_the_request(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B74: a model that LM Studio lists and has not loaded is told as loading."""
    model = {"type": "llm", "key": "qwen3-4b", "loaded_instances": []}
    server.answer_json("/api/v1/models", {"models": [model]})
    assert (await events_of(planner))[0] == Loading("qwen3-4b")
    loaded = {"id": "qwen3-4b", "config": {"context_length": 8192}}
    server.answer_json("/api/v1/models", {"models": [{**model, "loaded_instances": [loaded]}]})
    assert not [event for event in await events_of(planner) if isinstance(event, Loading)]
    assert (await planner.traits()).context_tokens == 8192


async def test_a_router_of_llama_cpp_loads_at_the_request(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """B74: llama.cpp's server over many models says of each whether it is loaded."""
    cold = {"id": "m", "status": {"value": "unloaded"}}
    server.answer_json("/props", {"role": "router"})
    server.answer_json("/v1/models", {"data": [cold]})
    assert (await events_of(planner))[0] == Loading("m")
    warm = {"id": "m", "status": {"value": "loaded"}, "meta": {"n_ctx": 2048}}
    server.answer_json("/v1/models", {"data": [warm]})
    assert not [event for event in await events_of(planner) if isinstance(event, Loading)]
    assert (await planner.traits()).context_tokens == 2048


async def test_a_context_outlasts_the_models_leaving(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A model that left the memory while nobody spoke comes back with the context it had."""
    be_ollama(server, "llama3.2:3b", 16384)
    assert (await planner.traits()).context_tokens == 16384
    be_ollama(server)
    assert (await planner.traits()).context_tokens == 16384


# --- models


async def test_models_are_the_servers_own_list(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """What can be asked for is read from the server, without what makes vectors."""
    data = [{"id": "chatty"}, {"id": "nomic-embed-text"}, {"id": "other"}]
    server.answer_json("/v1/models", {"data": data})
    assert await planner.models() == ("chatty", "other")


async def test_a_model_that_is_in_memory_is_chosen_and_kept(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Without a name the model that runs answers, and no other one later in the talk."""
    be_ollama(server, "qwen3:4b")
    assert (await planner.traits()).model == "qwen3:4b"
    be_ollama(server, "llama3.2:3b", 4096)
    assert (await planner.traits()).model == "qwen3:4b"
    server.answer_json(CHAT, {"error": {"type": "server_error"}}, status=500)
    with pytest.raises(PlannerRefusedError):
        await events_of(planner)
    assert (await planner.traits()).model == "qwen3:4b"


async def test_a_model_that_the_server_lacks_is_told_with_those_it_has(
    server: RawServer,
) -> None:
    """An asked model that is not there is one sentence with some that are, and no request."""
    be_ollama(server)
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="mistral")
    with pytest.raises(PlannerRefusedError, match=r"no model 'mistral'.*llama3.2:3b, qwen3:4b"):
        await events_of(planner)
    assert not server.requests_to(CHAT)
    await planner.aclose()


async def test_names_of_any_length_stay_short_in_sentences(server: RawServer) -> None:
    """A server's names, and one that was asked for, are shown as far as a person reads them."""
    names = [f"{letter * 5_000}" for letter in "abcdefg"]
    server.answer_json("/v1/models", {"data": [{"id": name} for name in names]})
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m" * 5_000)
    with pytest.raises(PlannerRefusedError, match="aaa") as refused:
        await events_of(planner)
    assert len(str(refused.value)) < 1_000
    await planner.aclose()


async def test_a_model_is_asked_for_as_the_server_spells_it(server: RawServer) -> None:
    """A name without its publisher or its usual tag finds its model."""
    server.answer_json("/v1/models", {"data": [{"id": "llama3.2:latest"}]})
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="llama3.2")
    await events_of(planner)
    assert server.requests_to(CHAT)[0].json["model"] == "llama3.2:latest"
    await planner.aclose()


def answering(server: RawServer, *, model: str | None = None, read: int | None = None) -> None:
    chunk = {**delta("Hello.", finish="stop"), **({"model": model} if model else {})}
    usage = {"choices": [], "usage": {"prompt_tokens": read, "completion_tokens": 2}}
    server.answer(CHAT, EVENT_STREAM, event(chunk), *([event(usage)] if read else []), DONE)


async def test_another_model_that_answers_is_told_once(server: RawServer) -> None:
    """A reply that names another model than was asked for says so, once."""
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="qwen3-4b")
    answering(server, model="gemma-3-1b:2")
    (told,) = notices(await events_of(planner))
    assert "gemma-3-1b:2" in told
    assert "qwen3-4b" in told
    assert not notices(await events_of(planner))
    await planner.aclose()


async def test_the_same_model_in_other_words_is_not_told(server: RawServer) -> None:
    """A name with its folder or its ending is the model that was asked for."""
    planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="qwen3-4b")
    answering(server, model="/models/Qwen3-4B.gguf")
    assert not notices(await events_of(planner))
    await planner.aclose()


# --- a prompt that was cut

LONG = tuple(
    (f"What about number {n}?", "It is a fine number, I would say. " * 20) for n in range(20)
)
SENT = prompt_of("And now?", window=LONG)


async def test_a_silent_cut_is_told_and_less_is_sent(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A server that read far less than it was sent has cut it; the next prompt is made to fit."""
    be_ollama(server)
    answering(server, read=2048)
    assert (await planner.traits()).context_tokens == 4096
    (told,) = notices(await events_of(planner, SENT))
    assert "2,048 of about" in told
    assert "OLLAMA_CONTEXT_LENGTH" in told
    assert (await planner.traits()).context_tokens == 2048
    be_ollama(server, "llama3.2:3b", 16384)
    assert (await planner.traits()).context_tokens == 16384


async def test_a_whole_prompt_is_not_called_cut(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A tokenizer that makes a tenth fewer tokens than the estimate has cut nothing."""
    be_ollama(server)
    estimate = sum(estimate_tokens(said.content) for said in SENT.messages)
    answering(server, read=estimate * 9 // 10)
    assert not notices(await events_of(planner, SENT))
    assert (await planner.traits()).context_tokens == 4096


async def test_a_server_that_counts_only_what_is_new_has_cut_nothing(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Of a kind that is not known, a count below an earlier one may leave out what was cached."""
    answering(server, read=3100)
    await events_of(planner, SENT)
    answering(server, read=40)
    assert not notices(await events_of(planner, SENT))


async def test_a_cut_shows_by_the_servers_own_tokenizer(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Where the server has a tokenizer, its counts decide."""
    server.answer_json("/props", LLAMA_PROPS)
    server.answer_json("/tokenize", {"tokens": [0] * 100})
    sent = 100 * len(SENT.messages)
    answering(server, read=sent * 8 // 10)
    (told,) = notices(await events_of(planner, SENT))
    assert f"of about {sent:,} tokens" in told


async def test_a_fold_is_told_nothing(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """Nobody reads along with a fold, so what is to be told waits for a turn."""
    answering(server, model="other", read=100)
    server.answer_json("/v1/models", {"data": [{"id": "asked"}]})
    fold = replace(SENT, thread_id=SUMMARIES)
    assert not notices(await events_of(planner, fold))
    assert any("other answered" in told for told in notices(await events_of(planner, SENT)))


# --- the form of a reply

FORM = ReplyForm('{"type": "object"}')
FORMED = replace(prompt_of("hi"), reply_form=FORM)


async def test_a_form_is_sent_to_servers_that_hold_to_it(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A server that decodes under a schema gets it beside the same messages."""
    be_ollama(server)
    assert (await planner.traits()).constrains
    await events_of(planner, FORMED)
    await events_of(planner)
    formed, plain = (request.json for request in server.requests_to(CHAT))
    schema = {"name": "envelope", "strict": True, "schema": {"type": "object"}}
    assert formed.pop("response_format") == {"type": "json_schema", "json_schema": schema}
    assert formed == plain


async def test_llama_cpp_gets_the_stricter_grammar(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A form that has a grammar goes to llama.cpp as that, and to no other kind."""
    server.answer_json("/props", LLAMA_PROPS)
    formed = replace(FORMED, reply_form=ReplyForm(FORM.schema, 'root ::= "{}"'))
    await events_of(planner, formed)
    (request,) = server.requests_to(CHAT)
    assert request.json["grammar"] == 'root ::= "{}"'
    assert "response_format" not in request.json


async def test_a_form_is_not_sent_where_nobody_knows(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A server of a kind that is not known is not believed to hold a reply to a schema."""
    assert not (await planner.traits()).constrains
    await events_of(planner, FORMED)
    assert "response_format" not in server.requests_to(CHAT)[0].json


@pytest.mark.parametrize("status", [400, 422, 501])
async def test_a_refused_form_is_learned(
    server: RawServer, planner: OpenAiWirePlanner, status: int
) -> None:
    """The turn goes on without the form, and none is sent again."""
    be_ollama(server)
    refuse_forms(server, status)
    assert TextDelta("Hello.") in await events_of(planner, FORMED)
    assert not (await planner.traits()).constrains
    await events_of(planner, FORMED)
    assert len(server.requests_to(CHAT)) == 3


async def test_a_fault_of_another_kind_teaches_nothing(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A request that fails without its form as well was not refused for it."""
    be_ollama(server)
    server.answer_json(CHAT, {"error": {"type": "exceed_context_size_error"}}, status=400)
    with pytest.raises(PlannerRefusedError, match="context"):
        await events_of(planner, FORMED)
    assert (await planner.traits()).constrains


def refuse_forms(server: RawServer, status: int) -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if "response_format" in request.json:
            writer.write(json_answer({"error": {"type": "BadRequestError"}}, status=status))
        else:
            writer.write(EVENT_STREAM + event(delta("Hello.", finish="stop")) + DONE)

    server.handlers[CHAT] = answer


# --- reading ahead


async def test_ollama_reads_ahead_by_a_request_of_one_token(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """Prepare sends the prompt as a turn would, and has next to nothing answered."""
    be_ollama(server, "llama3.2:3b")
    usage = {"choices": [], "usage": {"prompt_tokens": 321, "completion_tokens": 1}}
    server.answer(CHAT, EVENT_STREAM, event(delta("<think>", finish="length")), event(usage), DONE)
    assert (await planner.traits()).prepares
    assert await planner.prepare(prompt_of("?")) == 321
    (request,) = server.requests_to(CHAT)
    assert request.json["max_tokens"] == 1


async def test_no_model_is_loaded_to_read_ahead(
    server: RawServer, planner: OpenAiWirePlanner
) -> None:
    """A model that is not in memory, or a server that may keep nothing, is not asked."""
    be_ollama(server)
    assert await planner.prepare(prompt_of("?")) == 0
    server.handlers.pop("/api/ps")
    other = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"))
    assert not (await other.traits()).prepares
    assert await other.prepare(prompt_of("?")) == 0
    assert not server.requests_to(CHAT)
    await other.aclose()


async def test_a_cancelled_prepare_hangs_up(server: RawServer, planner: OpenAiWirePlanner) -> None:
    """B34: whoever stops a prepare closes its connection, so that the server stops, too."""
    be_ollama(server, "llama3.2:3b")
    arrived = asyncio.Event()

    async def read_long(_: Request, __: asyncio.StreamWriter) -> None:
        arrived.set()
        await asyncio.Event().wait()

    server.handlers[CHAT] = read_long
    preparing = asyncio.create_task(planner.prepare(prompt_of("?")))
    await arrived.wait()
    preparing.cancel()
    await server.hung_up.wait()
    await asyncio.wait([preparing])


# --- the guard


@pytest.mark.parametrize("host", ["192.168.1.5", "example.com", "10.0.0.1", "[fe80::1]", "0.0.0.0"])  # noqa: S104
def test_this_tier_takes_no_address_of_another_machine(host: str) -> None:
    """An address that is not this machine cannot be given to it at all."""
    with pytest.raises(SettingsError, match="not on this machine"):
        OpenAiWirePlanner(LoopbackUrl(f"http://{host}:1234/v1"), options=ReplyOptions)
