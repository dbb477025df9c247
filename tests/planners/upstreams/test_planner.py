"""Any tier as an upstream: what becomes of a request, and what of the planner's events."""

import json
from contextlib import aclosing

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from pace.errors import PlannerRefusedError, PlannerUnreachableError
from pace.memory.prompt import Message, Role
from pace.memory.turn import ThreadId
from pace.planners.upstreams.planner import PlannerUpstream
from pace.planners.upstreams.port import Body
from pace.planners.upstreams.prompts import prompt_of
from pace.ports import Finished, FinishReason, Reasoned, TextDelta, Thinking
from pace.testing import ScriptedPlanner, ScriptStep
from planners.upstreams.speaking import BODY, STREAMED, broken_stream, chunks_of, words_of

ASKED: dict[str, object] = {**BODY, "model": "script"}
STREAM: dict[str, object] = {**ASKED, "stream": True}
COUNTED = Finished(
    reason=FinishReason.STOP, prompt_tokens=12, cached_tokens=4, reply_tokens=3, model="script-2"
)


def upstream_of(*steps: ScriptStep) -> PlannerUpstream:
    return PlannerUpstream(ScriptedPlanner(steps), now=lambda: 1_700_000_000.5)


def said(*messages: tuple[str, object]) -> Body:
    return {"messages": [{"role": role, "content": content} for role, content in messages]}


# --- answers


async def test_a_whole_answer_is_openais() -> None:
    """The words, why they end, who made them, and the planner's own counts."""
    answer = await upstream_of("Hel", "lo.", COUNTED).complete(ASKED)
    read = ChatCompletion.model_validate(answer)
    assert read.choices[0].message.content == "Hello."
    assert read.choices[0].finish_reason == "stop"
    assert (read.model, read.created) == ("script-2", 1_700_000_000)
    assert read.usage is not None
    assert (read.usage.prompt_tokens, read.usage.completion_tokens) == (12, 3)
    assert read.usage.prompt_tokens_details is not None
    assert read.usage.prompt_tokens_details.cached_tokens == 4


async def test_a_stream_is_openais() -> None:
    """Who speaks comes first, then words, then the reason, and counts only if asked for."""
    body = {**STREAM, "stream_options": {"include_usage": True}}
    chunks = await chunks_of(upstream_of("Hel", "lo.", COUNTED), body)
    read = [ChatCompletionChunk.model_validate(chunk.data) for chunk in chunks]
    assert [chunk.raw for chunk in chunks] == [json.dumps(chunk.data).encode() for chunk in chunks]
    assert read[0].choices[0].delta.role == "assistant"
    assert words_of(chunks[:2]) == "Hello."
    assert read[2].choices[0].finish_reason == "stop"
    assert read[3].choices == []
    assert read[3].usage is not None
    assert len({chunk.id for chunk in read}) == 1
    assert len(await chunks_of(upstream_of("Hel", "lo."), STREAM)) == 3


async def test_a_reply_at_its_limit_says_so() -> None:
    """A cut reply ends for its length; counts that nobody made are estimated."""
    steps = ("Hello", Finished(reason=FinishReason.LENGTH))
    answer = ChatCompletion.model_validate(await upstream_of(*steps).complete(ASKED))
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.prompt_tokens > 0
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_reasoning_is_not_sent() -> None:
    """Thoughts are no part of an answer, and what turns out to be one leaves a whole answer."""
    steps = (Thinking("hm"), TextDelta("Let me see"), Reasoned(), "Hello.")
    assert "hm" not in str(await upstream_of(Thinking("hm"), "Hello.").complete(ASKED))
    answer = ChatCompletion.model_validate(await upstream_of(*steps).complete(ASKED))
    assert answer.choices[0].message.content == "Hello."
    assert words_of(await chunks_of(upstream_of(Thinking("hm"), "Hello."), STREAM)) == "Hello."


async def test_a_reply_that_broke_off_is_a_fault() -> None:
    """Words that stand cut are given, and then it is said; a whole answer is none."""
    steps = ("Hel", Finished(reason=FinishReason.BROKEN_OFF))
    planner = ScriptedPlanner(steps, steps)
    with pytest.raises(PlannerUnreachableError):
        await PlannerUpstream(planner).complete(ASKED)
    chunks, fault = await broken_stream(PlannerUpstream(ScriptedPlanner(steps)), STREAM)
    assert words_of(chunks) == "Hel"
    assert isinstance(fault, PlannerUnreachableError)


async def test_closing_a_stream_stops_the_planner() -> None:
    """Nothing goes on for a client that is gone."""
    planner = ScriptedPlanner(("Hel", "lo."))
    async with aclosing(PlannerUpstream(planner).stream(STREAM)) as chunks:
        await anext(chunks)
    assert len(planner.stopped) == 1


async def test_it_has_one_model() -> None:
    """It answers by whatever name it is asked, and says in the answer and the list who it is."""
    names = ("script", "", "pace", "gpt-4o", "any")
    upstream = PlannerUpstream(ScriptedPlanner(*"abcde"))
    assert [entry["id"] for entry in await upstream.models()] == ["script", "pace"]
    answers = [await upstream.complete({**BODY, "model": name}) for name in names]
    assert {answer["model"] for answer in answers} == {"script"}
    assert await upstream.context_tokens("script") == 8192
    assert await upstream.is_ready()


async def test_it_makes_no_vectors() -> None:
    """They are refused by a sentence."""
    with pytest.raises(PlannerRefusedError, match="vectors"):
        await PlannerUpstream(ScriptedPlanner()).embed({})


# --- prompts


def test_messages_become_a_prompt() -> None:
    """Roles, parts of text and the conversation are taken over."""
    body = said(
        ("developer", "Be brief."),
        ("user", [{"type": "text", "text": "My dog"}, {"type": "text", "text": "is Rex."}]),
        ("assistant", "Nice."),
        ("system", "It is late."),
        ("user", "Who?"),
    )
    prompt = prompt_of({**body, "temperature": 2, "max_tokens": 5, "n": 1, "tools": []}, "one")
    assert prompt.messages == (
        Message(Role.SYSTEM, "Be brief.\n\nIt is late."),
        Message(Role.USER, "My dog\nis Rex."),
        Message(Role.ASSISTANT, "Nice."),
        Message(Role.USER, "Who?"),
    )
    assert prompt.thread_id == ThreadId("one")
    assert prompt.parts.total > 0


def test_messages_take_turns() -> None:
    """R11: one side's messages are joined, blank ones left out; a greeting goes to the head."""
    body = said(
        ("assistant", "Hi there."), ("user", "A"), ("user", "B"), ("assistant", None), ("user", " ")
    )
    messages = prompt_of(body, "").messages
    assert [message.role for message in messages] == [Role.SYSTEM, Role.USER]
    assert "Hi there." in messages[0].content
    assert messages[1].content == "A\n\nB"


@pytest.mark.parametrize(
    "wrong",
    [
        {"tools": [{"type": "function"}]},
        {"functions": [{}]},
        {"n": 2},
        {"logprobs": True},
        {"stop": ["\n"]},
        {"response_format": {"type": "json_object"}},
        {"modalities": ["text", "audio"]},
        {"audio": {"voice": "x"}},
        {"messages": []},
        {"messages": [{"role": "assistant", "content": "hi"}]},
        {"messages": [{"role": "tool", "content": "42", "tool_call_id": "1"}]},
        {"messages": [{"role": "assistant", "tool_calls": [{}]}, {"role": "user", "content": "a"}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
        {"messages": [{"role": "user", "content": [7]}]},
        {"messages": [{"role": "user", "content": 7}]},
        {"messages": [7]},
    ],
)
async def test_what_it_cannot_honour_is_refused(wrong: dict[str, object]) -> None:
    """A request that would be answered otherwise than asked is refused before it is begun."""
    planner = ScriptedPlanner()
    _, fault = await broken_stream(PlannerUpstream(planner), {**STREAMED, "model": "", **wrong})
    assert isinstance(fault, PlannerRefusedError)
    assert fault.status == 400
    assert not planner.prompts


@pytest.mark.parametrize(
    ("choice", "is_left_out"),
    [(None, True), ("auto", True), ("none", True), ("required", False), ({"name": "f"}, False)],
)
def test_tools_that_need_not_be_used_are_left_out(choice: object, is_left_out: bool) -> None:  # noqa: FBT001
    """A chat application may offer its tools at every turn; one that insists is refused clearly."""
    body = {**said(("user", "Hi")), "tools": [{"type": "function"}], "parallel_tool_calls": True}
    if choice is not None:
        body["tool_choice"] = choice
    left = PlannerUpstream(ScriptedPlanner()).answerable(body)
    assert ("tools" in left) is not is_left_out
    assert left["messages"] == body["messages"]
