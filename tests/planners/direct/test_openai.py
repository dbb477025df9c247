"""What OpenAI and those like it are sent, and what becomes of their answers."""

import asyncio
import json

import pytest

from pace.errors import EmptyReplyError, PlannerRefusedError
from pace.planners.options import ReplyOptions
from pace.ports import Finished, FinishReason, TextDelta, Thinking
from pace.settings import Provider
from planners.contract import complete
from planners.direct.speaking import (
    CANARY,
    CHAT,
    OPENAI_HELLO,
    fault,
    in_turn,
    openai_fault,
    openai_over,
)
from planners.direct.test_anthropic import with_form
from planners.prompts import prompt_of
from planners.raw_server import DONE, EVENT_STREAM, RawServer, body_answer, delta, event

MODELS = "/v1/models"
USAGE = {
    "prompt_tokens": 43,
    "completion_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 40},
}


async def test_openai_is_asked_in_its_own_words(server: RawServer) -> None:
    """It keeps no copy of its own, counts are asked for, and its cache key tells nothing."""
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server, options=ReplyOptions(temperature=0.2, reply_tokens=77))
    for session in ("first", "first", "second"):
        await complete(planner, prompt_of("Hi.", session=session))
    sent = [request.json for request in server.requests_to(CHAT)]
    assert sent[0]["max_completion_tokens"] == 77
    assert "max_tokens" not in sent[0]
    assert sent[0]["temperature"] == 0.2
    assert sent[0]["store"] is False
    assert sent[0]["stream_options"] == {"include_usage": True}
    keys = [each["prompt_cache_key"] for each in sent]
    assert keys[0] == keys[1] != keys[2]
    assert "first" not in keys[0]
    another = openai_over(server)
    await complete(another, prompt_of("Hi.", session="first"))
    assert server.requests_to(CHAT)[-1].json["prompt_cache_key"] != keys[0]
    await another.aclose()
    await planner.aclose()


@pytest.mark.parametrize("provider", [Provider.OPENROUTER, Provider.CUSTOM])
async def test_others_are_asked_in_the_usual_words(server: RawServer, provider: Provider) -> None:
    """Only OpenAI gets OpenAI's own fields."""
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server, provider=provider)
    await complete(planner, prompt_of("Hi."))
    sent = server.requests_to(CHAT)[-1].json
    assert sent.keys() == {
        "model",
        "messages",
        "stream",
        "max_tokens",
        "stream_options",
        "temperature",
    }
    await planner.aclose()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("space", ["", " "])
async def test_roughly_framed_replies_are_read(
    server: RawServer, line_end: str, space: str
) -> None:
    """B64, B65, B67, B68: comments, missing spaces, split characters and null contents are fine."""
    chunks = [delta("北京 "), delta(None), delta("🌍 naïve"), delta("", finish="stop")]
    wire = b": OPENROUTER PROCESSING\r\n\r\n" + b"".join(
        event(chunk, space=space, line_end=line_end) for chunk in chunks
    )
    wire += event({"choices": [], "usage": USAGE}) + event({"id": "x"}) + DONE
    server.answer(CHAT, EVENT_STREAM, *(bytes([byte]) for byte in wire))
    planner = openai_over(server)
    events = await complete(planner, prompt_of("Hi."))
    said = "".join(each.text for each in events if isinstance(each, TextDelta))
    assert said == "北京 🌍 naïve"
    assert events[-1] == Finished(
        reason=FinishReason.STOP, prompt_tokens=43, cached_tokens=40, reply_tokens=12
    )
    await planner.aclose()


async def test_nothing_is_awaited_after_the_end(server: RawServer) -> None:
    """B70: a server that keeps the line open after [DONE] holds no turn up."""
    server.hold(CHAT, OPENAI_HELLO)
    planner = openai_over(server)
    events = await complete(planner, prompt_of("Hi."))
    assert isinstance(events[-1], Finished)
    await planner.aclose()


async def test_a_reply_in_one_piece_is_read(server: RawServer) -> None:
    """A server that does not stream is understood, too."""
    whole = {"choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}]}
    server.answer(CHAT, body_answer(json.dumps(whole).encode()))
    planner = openai_over(server, provider=Provider.CUSTOM)
    events = await complete(planner, prompt_of("Hi."))
    assert events[0] == TextDelta("Hello.")
    await planner.aclose()


@pytest.mark.parametrize(
    "answer",
    [
        body_answer(b"<html>Sign in</html>").replace(b"application/json", b"text/html"),
        EVENT_STREAM + b"data: no json\n\n",
        EVENT_STREAM + b"data: [1]\n\n",
        body_answer(b"no json"),
    ],
)
async def test_whatever_else_answers_is_told(server: RawServer, answer: bytes) -> None:
    """A page, or anything that is not this wire, is refused in a sentence and asked once."""
    server.answer(CHAT, answer)
    planner = openai_over(server, provider=Provider.CUSTOM)
    with pytest.raises(PlannerRefusedError, match="does not answer as"):
        await complete(planner, prompt_of("Hi."))
    assert len(server.requests_to(CHAT)) == 1
    await planner.aclose()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_told_apart(server: RawServer, field: str) -> None:
    """B60: what OpenRouter or a server of one's own sends as reasoning is no word of the reply."""
    reasoned = delta(None, **{field: "secret plan 991"})
    server.answer(CHAT, EVENT_STREAM + event(reasoned) + event(delta("42.", finish="stop")) + DONE)
    planner = openai_over(server, provider=Provider.OPENROUTER)
    events = await complete(planner, prompt_of("Hi."))
    assert events[:2] == [Thinking("secret plan 991"), TextDelta("42.")]
    await planner.aclose()


async def test_hidden_reasoning_gets_more_room_once(server: RawServer) -> None:
    """B87: a limit that reasoning ate is raised once, and after that the cause is told."""
    eaten = EVENT_STREAM + event(delta("", finish="length")) + event({"choices": []}) + DONE
    in_turn(server, CHAT, eaten, OPENAI_HELLO)
    planner = openai_over(server, options=ReplyOptions(reply_tokens=100))
    await complete(planner, prompt_of("Hi."))
    limits = [request.json["max_completion_tokens"] for request in server.requests_to(CHAT)]
    assert limits == [100, 8292]
    server.answer(CHAT, eaten)
    with pytest.raises(EmptyReplyError):
        await complete(planner, prompt_of("Hi."))
    assert len(server.requests_to(CHAT)) == 3
    await planner.aclose()


@pytest.mark.parametrize(
    "chunk", [delta(None, refusal="I cannot."), delta(None, finish="content_filter")]
)
async def test_a_refusal_without_words_is_told(server: RawServer, chunk: dict[str, object]) -> None:
    """A model that declines, or a filter, is no empty reply."""
    server.answer(CHAT, EVENT_STREAM + event(chunk) + event(delta(None, finish="stop")) + DONE)
    planner = openai_over(server)
    with pytest.raises(PlannerRefusedError, match="declined"):
        await complete(planner, prompt_of("Hi."))
    await planner.aclose()


@pytest.mark.parametrize(
    ("body", "gone", "instead"),
    [
        (
            openai_fault(
                "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead.",
                param="max_completion_tokens",
                code="unsupported_parameter",
            ),
            "max_completion_tokens",
            "max_tokens",
        ),
        (
            openai_fault("Unsupported value.", param="temperature", code="unsupported_value"),
            "temperature",
            None,
        ),
        (openai_fault("'temperature' does not support 0.4 with this model."), "temperature", None),
        (openai_fault("Unknown parameter: 'store'."), "store", None),
        (
            openai_fault("Invalid schema", param="response_format.json_schema"),
            "response_format",
            None,
        ),
    ],
)
async def test_what_a_model_does_not_take_is_learned(
    server: RawServer, body: object, gone: str, instead: str | None
) -> None:
    """A refused parameter is renamed or left out at once, and so for every turn that follows."""
    in_turn(server, CHAT, fault(400, body), OPENAI_HELLO)
    planner = openai_over(server)
    assert (await planner.traits()).constrains
    await complete(planner, with_form("Hi."))
    await complete(planner, with_form("Hi."))
    first, second, third = (request.json for request in server.requests_to(CHAT))
    assert gone in first
    assert gone not in second
    assert second == third
    assert instead is None or instead in second
    others = first.keys() - {gone}
    assert second.keys() - {instead} == others
    assert (await planner.traits()).constrains is (gone != "response_format")
    await planner.aclose()


async def test_a_reply_is_held_to_its_form_strictly(server: RawServer) -> None:
    """OpenAI's strict mode is asked for, in the subset that it takes."""
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server)
    await complete(planner, with_form("Hi."))
    asked = server.requests_to(CHAT)[-1].json["response_format"]
    assert asked["type"] == "json_schema"
    assert asked["json_schema"]["strict"] is True
    assert asked["json_schema"]["schema"]["required"] == ["spokenText", "payload"]
    await planner.aclose()


async def test_openrouter_tells_what_a_model_can(server: RawServer) -> None:
    """Its list gives the least context of a model's hosts, and whether it keeps to a form."""
    entry = {
        "id": "some/model",
        "context_length": 131_072,
        "top_provider": {"context_length": 32_768},
        "supported_parameters": ["temperature", "structured_outputs"],
    }
    server.answer_json(MODELS, {"data": [{"id": "other"}, "nonsense", entry]})
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server, provider=Provider.OPENROUTER, model="some/model")
    traits = await planner.traits()
    assert (traits.context_tokens, traits.assumes_context, traits.constrains) == (
        32_768,
        False,
        True,
    )
    await complete(planner, with_form("Hi."))
    assert server.requests_to(CHAT)[-1].json["provider"] == {"require_parameters": True}
    assert len(server.requests_to(MODELS)) == 1
    await planner.aclose()


async def test_a_server_in_the_house_is_asked_what_it_runs(server: RawServer) -> None:
    """Of a kind that is known it gives model, context and form; words still leave this machine."""
    entries = [{"id": "embed-1"}, {"id": "qwen", "owned_by": "vllm", "max_model_len": 16_384}]
    server.answer_json(MODELS, {"data": entries})
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server, provider=Provider.CUSTOM, model=None)
    traits = await planner.traits()
    assert (traits.model, traits.context_tokens, traits.constrains) == ("qwen", 16_384, True)
    assert not traits.on_this_machine
    assert traits.host == f"127.0.0.1:{server.port}"
    await complete(planner, with_form("Hi."))
    sent = server.requests_to(CHAT)[-1].json
    assert sent["model"] == "qwen"
    assert "response_format" in sent
    assert {each.headers.get("authorization") for each in server.requests} == {f"Bearer {CANARY}"}
    await planner.aclose()


async def test_an_unknown_server_gets_no_form_that_it_might_ignore(server: RawServer) -> None:
    """Of an unknown kind nothing is taken for granted, and its list is asked for once."""
    server.answer_json(MODELS, {"data": [{"id": "some-model"}]})
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server, provider=Provider.CUSTOM, model=None)
    traits, again = await asyncio.gather(planner.traits(), planner.traits())
    assert (traits.model, traits.assumes_context, traits.constrains) == ("some-model", True, False)
    assert traits == again
    await complete(planner, with_form("Hi."))
    assert "response_format" not in server.requests_to(CHAT)[-1].json
    assert len(server.requests_to(MODELS)) == 1
    await planner.aclose()


@pytest.mark.parametrize("answer", [fault(404, {}), fault(500, {}), body_answer(b"no json")])
async def test_a_provider_without_a_list_is_asked_for_it_once(
    server: RawServer, answer: bytes
) -> None:
    """What a list does not tell is assumed, and no turn asks for it again."""
    server.answer(MODELS, answer)
    server.answer(CHAT, OPENAI_HELLO)
    planner = openai_over(server, provider=Provider.OPENROUTER, model="some/model")
    for _ in range(2):
        await complete(planner, prompt_of("Hi."))
    traits = await planner.traits()
    assert (traits.assumes_context, traits.constrains) == (True, False)
    assert len(server.requests_to(MODELS)) == 1
    await planner.aclose()


@pytest.mark.parametrize(
    "body",
    [
        openai_fault(code="context_length_exceeded"),
        openai_fault("This model's maximum context length is 4096 tokens."),
    ],
)
async def test_a_prompt_beyond_the_context_is_told(server: RawServer, body: object) -> None:
    """A prompt that is too long is said to be, in whatever words the server has for it."""
    server.answer(CHAT, fault(400, body))
    planner = openai_over(server, provider=Provider.CUSTOM)
    with pytest.raises(PlannerRefusedError, match="does not fit its context"):
        await complete(planner, prompt_of("Hi."))
    await planner.aclose()
