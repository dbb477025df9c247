"""What Anthropic is sent, and what becomes of its answers."""

import json
from hashlib import sha256

import pytest

from pace.errors import EmptyReplyError, PlannerRefusedError
from pace.memory.prompt import Draft, Prompt, ReplyForm, set_prompt
from pace.memory.turn import SessionId, ThreadId
from pace.planners.options import ReplyOptions
from pace.ports import Finished, FinishReason, Notice, Reasoned, TextDelta, Thinking
from planners.contract import complete
from planners.direct.speaking import (
    ANTHROPIC_HELLO,
    MESSAGES,
    anthropic_fault,
    anthropic_over,
    begun,
    ended,
    fault,
    in_turn,
    said,
    sse,
    thought,
)
from planners.prompts import prompt_of
from planners.raw_server import EVENT_STREAM, RawServer

FORM = ReplyForm(
    json.dumps(
        {
            "type": "object",
            "properties": {"spokenText": {"type": "string"}, "payload": {"type": "string"}},
            "required": ["spokenText"],
        }
    )
)


def with_form(words: str) -> Prompt:
    plain = prompt_of(words)
    return Prompt(
        thread_id=plain.thread_id,
        session_id=plain.session_id,
        messages=plain.messages,
        parts=plain.parts,
        reply_form=FORM,
    )


def prompt_with(summary: str, words: str) -> Prompt:
    draft = Draft(
        thread_id=ThreadId("one"),
        session_id=SessionId("first"),
        system="You are Pace.\nBe kind.",
        words=words,
        window=(),
        pending=(),
        summary=summary,
    )
    return set_prompt(draft, len)


async def test_the_stable_prefix_is_marked_and_equal(server: RawServer) -> None:
    """B58: over turns the marked text keeps its hash, and what changes stands after it."""
    server.answer(MESSAGES, ANTHROPIC_HELLO)
    planner = anthropic_over(server)
    prompts = [prompt_with("Ann has a dog.", "One."), prompt_with("Ann has two dogs.", "Two.")]
    for prompt in prompts:
        await complete(planner, prompt)
    systems = [request.json["system"] for request in server.requests_to(MESSAGES)]
    assert len({sha256(system[0]["text"].encode()).hexdigest() for system in systems}) == 1
    for system, prompt in zip(systems, prompts, strict=True):
        assert [block.get("cache_control") for block in system] == [{"type": "ephemeral"}, None]
        assert "".join(block["text"] for block in system) == prompt.messages[0].content
        assert system[1]["text"].startswith("<conversation_so_far>\n")
    await planner.aclose()


async def test_the_window_is_a_prefix_of_the_next_prompt(server: RawServer) -> None:
    """B58: with an unchanged summary each request's texts begin with those of the last one."""
    server.answer(MESSAGES, ANTHROPIC_HELLO)
    planner = anthropic_over(server)
    window: tuple[tuple[str, str], ...] = ()
    for words in ("One.", "Two.", "Three."):
        await complete(planner, prompt_of(words, window=window))
        window = (*window, (words, "Hello, you."))
    requests = [request.json for request in server.requests_to(MESSAGES)]
    texts = [[text_of(message["content"]) for message in sent["messages"]] for sent in requests]
    assert texts[1][:1] == texts[0]
    assert texts[2][:3] == texts[1]
    assert len({sha256(json.dumps(sent["system"]).encode()).hexdigest() for sent in requests}) == 1
    marked = [
        index
        for index, message in enumerate(requests[2]["messages"])
        if not isinstance(message["content"], str)
    ]
    assert marked == [3]  # the last reply of the window
    await planner.aclose()


def text_of(content: object) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)  # type: ignore[attr-defined]


async def test_a_reply_is_read_with_its_counts(server: RawServer) -> None:
    """Reasoning is told apart, cached tokens are counted in, and pings are nothing."""
    usage = {"input_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 40}
    server.answer(
        MESSAGES,
        EVENT_STREAM + begun(usage) + sse("ping"),
        sse("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""}),
        thought("Let me ", "think."),
        sse("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "x"}),
        sse("content_block_start", index=1, content_block={"type": "text", "text": ""}),
        said("\n\n", "Hello, ", "北京 🌍") + ended(tokens=12),
    )
    planner = anthropic_over(server)
    events = await complete(planner, prompt_of("Hi."))
    thoughts = [event.text for event in events if isinstance(event, Thinking)]
    assert "".join(thoughts) == "Let me think."
    assert [event for event in events if isinstance(event, TextDelta)] == [
        TextDelta("Hello, "),
        TextDelta("北京 🌍"),
    ]
    assert events[-1] == Finished(
        reason=FinishReason.STOP,
        prompt_tokens=945,
        cached_tokens=900,
        reply_tokens=12,
        model="claude-test",
    )
    await planner.aclose()


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("end_turn", FinishReason.STOP),
        ("stop_sequence", FinishReason.STOP),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("refusal", FinishReason.STOP),
    ],
)
async def test_why_a_reply_ended_is_told(
    server: RawServer, stop: str, reason: FinishReason
) -> None:
    """A reply that ran into a limit is marked as cut."""
    server.answer(MESSAGES, EVENT_STREAM + begun() + said("Words") + ended(stop))
    planner = anthropic_over(server)
    finished = (await complete(planner, prompt_of("Hi.")))[-1]
    assert isinstance(finished, Finished)
    assert finished.reason is reason
    await planner.aclose()


async def test_a_refusal_without_words_is_told(server: RawServer) -> None:
    """A model that declines and says nothing is no empty reply."""
    server.answer(MESSAGES, EVENT_STREAM + begun() + ended("refusal"))
    planner = anthropic_over(server)
    with pytest.raises(PlannerRefusedError, match="declined"):
        await complete(planner, prompt_of("Hi."))
    await planner.aclose()


async def test_reasoning_up_to_the_limit_gets_more_room_once(server: RawServer) -> None:
    """B87: a model that only reasons is asked once more with more room, and that is remembered."""
    only_reasons = EVENT_STREAM + begun() + thought("Hm.") + ended("max_tokens")
    in_turn(server, MESSAGES, only_reasons, ANTHROPIC_HELLO)
    planner = anthropic_over(server, options=ReplyOptions(reply_tokens=100))
    events = await complete(planner, prompt_of("Hi."))
    assert any(isinstance(event, Notice) and "more room" in event.sentence for event in events)
    await complete(planner, prompt_of("Hi again."))
    limits = [request.json["max_tokens"] for request in server.requests_to(MESSAGES)]
    assert limits == [100, 8292, 8292]
    server.answer(MESSAGES, only_reasons)
    with pytest.raises(EmptyReplyError, match="only reasoned"):
        await complete(planner, prompt_of("Hi."))
    assert len(server.requests_to(MESSAGES)) == 4
    await planner.aclose()


async def test_a_reply_is_held_to_its_form(server: RawServer) -> None:
    """With a reply form the API's own structured output is asked for; without one it is not."""
    server.answer(MESSAGES, ANTHROPIC_HELLO)
    planner = anthropic_over(server)
    assert (await planner.traits()).constrains
    await complete(planner, with_form("Hi."))
    await complete(planner, prompt_of("Hi."))
    first, second = (request.json for request in server.requests_to(MESSAGES))
    asked = first["output_config"]["format"]
    assert asked["type"] == "json_schema"
    assert asked["schema"]["additionalProperties"] is False
    assert asked["schema"]["required"] == ["spokenText"]
    assert "output_config" not in second
    assert first["messages"] == second["messages"]
    await planner.aclose()


@pytest.mark.parametrize(
    ("message", "gone", "constrains"),
    [
        ("output_config.format: not supported by this model", "output_config", False),
        ("Structured outputs are not available.", "output_config", False),
        ("system.0.cache_control: Extra inputs are not permitted", "cache_control", True),
    ],
)
async def test_what_a_model_does_not_take_is_learned(
    server: RawServer, message: str, gone: str, *, constrains: bool
) -> None:
    """A refused feature costs one call: it is left out at once, and from then on."""
    refused = fault(400, anthropic_fault("invalid_request_error", message))
    in_turn(server, MESSAGES, refused, ANTHROPIC_HELLO)
    planner = anthropic_over(server)
    await complete(planner, with_form("Hi."))
    await complete(planner, with_form("Hi."))
    first, *others = (request.body.decode() for request in server.requests_to(MESSAGES))
    assert gone in first
    assert [gone in other for other in others] == [False, False]
    assert (await planner.traits()).constrains is constrains
    await planner.aclose()


async def test_an_endless_refusal_ends(server: RawServer) -> None:
    """A server that blames one parameter after another is asked once for each, and no more."""
    message = "output_config and cache_control are wrong"
    server.answer(MESSAGES, fault(400, anthropic_fault("invalid_request_error", message)))
    planner = anthropic_over(server)
    with pytest.raises(PlannerRefusedError, match="invalid_request_error"):
        await complete(planner, with_form("Hi."))
    assert len(server.requests_to(MESSAGES)) == 3
    await planner.aclose()


async def test_reasoning_within_the_words_is_taken_out(server: RawServer) -> None:
    """B60: a gateway's model that writes its reasoning as text leaves none of it in the reply."""
    texts = ("<think>plan 1</think>", "plan 2", "</think>\n\n", "Hi.")
    server.answer(MESSAGES, EVENT_STREAM + begun() + said(*texts) + ended())
    planner = anthropic_over(server)
    events = await complete(planner, prompt_of("Hello"))
    at = events.index(Reasoned())
    assert [event.text for event in events[at:] if isinstance(event, TextDelta)] == ["Hi."]
    await planner.aclose()
