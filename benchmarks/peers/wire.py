"""How requests of OpenAI's two interfaces are read, and how a text is given back in each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.tokens import estimate_tokens

_CREATED = 1_700_000_000
_SYSTEM = {"system", "developer"}


@dataclass(frozen=True, slots=True)
class Said:
    """One message, whatever the interface called it; `role` is system, user, assistant or tool."""

    role: str
    text: str


def messages_of(body: Mapping[str, object]) -> tuple[Said, ...]:
    """The messages of a request, in their order, those without a text left out."""
    items = body.get("messages", body.get("input"))
    said = [Said("system", str(body["instructions"]))] if body.get("instructions") else []
    if isinstance(items, str):
        said.append(Said("user", items))
    elif isinstance(items, Sequence):
        said += (_said(item) for item in items if isinstance(item, Mapping))
    return tuple(each for each in said if each.text)


def _said(item: Mapping[str, object]) -> Said:
    role = str(item.get("role", "system"))  # a compacted item has none
    text = _text(item.get("content", item.get("encrypted_content", item.get("summary", ""))))
    return Said("system" if role in _SYSTEM else role, text)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, Mapping):
        return _text(content.get("text", ""))
    return ""


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of a request and of its answer: some peers go by what the server says of them."""

    prompt: int
    answer: int

    @classmethod
    def by(cls, messages: Sequence[Said], text: str) -> "Used":
        return cls(
            sum(estimate_tokens(said.text) + MESSAGE_TOKENS for said in messages),
            estimate_tokens(text),
        )

    def of_chat(self) -> dict[str, object]:
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.answer,
            "total_tokens": self.prompt + self.answer,
        }

    def of_response(self) -> dict[str, object]:
        return {
            "input_tokens": self.prompt,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": self.answer,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": self.prompt + self.answer,
        }


# --- chat completions


def chat(model: str, text: str, used: Used) -> dict[str, object]:
    """The whole answer of `/chat/completions`."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_head(model, "chat.completion"), "choices": [choice], "usage": used.of_chat()}


def chat_events(model: str, text: str, used: Used) -> Iterator[bytes]:
    """The same as a stream."""
    head = _head(model, "chat.completion.chunk")
    for delta, finish in (({"role": "assistant", "content": text}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        yield _event({**head, "choices": [choice]})
    yield _event({**head, "choices": [], "usage": used.of_chat()})
    yield b"data: [DONE]\n\n"


# --- responses


def response(model: str, text: str, used: Used, status: str = "completed") -> dict[str, object]:
    """The whole answer of `/responses`."""
    return {
        "id": "resp_fake",
        "object": "response",
        "created_at": _CREATED,
        "model": model,
        "status": status,
        "output": [_item(text)] if status == "completed" else [],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": used.of_response(),
    }


def response_events(model: str, text: str, used: Used) -> Iterator[bytes]:
    """The same as a stream."""
    place = {"item_id": "msg_fake", "output_index": 0, "content_index": 0}
    steps: tuple[tuple[str, dict[str, object]], ...] = (
        ("response.created", {"response": response(model, text, used, "in_progress")}),
        ("response.output_item.added", {"output_index": 0, "item": _item("")}),
        ("response.content_part.added", {**place, "part": _part("")}),
        ("response.output_text.delta", {**place, "delta": text, "logprobs": []}),
        ("response.output_text.done", {**place, "text": text, "logprobs": []}),
        ("response.content_part.done", {**place, "part": _part(text)}),
        ("response.output_item.done", {"output_index": 0, "item": _item(text)}),
        ("response.completed", {"response": response(model, text, used)}),
    )
    for number, (name, fields) in enumerate(steps):
        data = {"type": name, "sequence_number": number, **fields}
        yield b"event: %b\n" % name.encode() + _event(data)


def compacted(asked: Sequence[Said], text: str, used: Used) -> dict[str, object]:
    """The answer of `/responses/compact`; what is sealed there stands in plain words here.

    All that the person said is kept word for word, and the sealed item stands in for the rest:
    https://developers.openai.com/api/docs/guides/compaction
    """
    kept = [
        {
            "id": "msg_fake",
            "type": "message",
            "role": "user",
            "status": "completed",
            "content": [{"type": "input_text", "text": said.text}],
        }
        for said in asked
        if said.role == "user"
    ]
    return {
        "id": "resp_fake",
        "object": "response.compaction",
        "created_at": _CREATED,
        "output": [*kept, {"id": "cmp_fake", "type": "compaction", "encrypted_content": text}],
        "usage": used.of_response(),
    }


def models(names: Sequence[str]) -> dict[str, object]:
    """The answer of `/models`; the context is told as vLLM does."""
    about = {"object": "model", "created": 0, "owned_by": "fake", "max_model_len": 32_768}
    listed = [{"id": name, **about} for name in names]
    return {"object": "list", "data": listed}


def _head(model: str, kind: str) -> dict[str, object]:
    return {"id": "chatcmpl-fake", "object": kind, "created": _CREATED, "model": model}


def _part(text: str) -> dict[str, object]:
    return {"type": "output_text", "text": text, "annotations": []}


def _item(text: str) -> dict[str, object]:
    content = [_part(text)] if text else []
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def _event(data: object) -> bytes:
    return b"data: %b\n\n" % json.dumps(data).encode()
