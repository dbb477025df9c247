"""What a response says: a message, calls of functions, and the object around them."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pace.doors.gateway.chat import NOT_REMEMBERED

Item = dict[str, object]
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


@dataclass(slots=True)
class Said:
    """A message that the planner says."""

    at: int
    id: str = field(default_factory=lambda: f"msg_{uuid.uuid4().hex}")
    text: str = field(default="", repr=False)

    def part(self) -> Item:
        """Its only part."""
        return {"type": "output_text", "text": self.text, "annotations": [], "logprobs": []}

    def item(self, status: str) -> Item:
        """The whole item."""
        content = [] if status == "in_progress" else [self.part()]
        return {
            "id": self.id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": content,
        }


@dataclass(slots=True)
class Called:
    """A function that the planner calls."""

    at: int
    call_id: str
    name: str
    id: str = field(default_factory=lambda: f"fc_{uuid.uuid4().hex}")
    arguments: str = field(default="", repr=False)

    def item(self, status: str) -> Item:
        """The whole item."""
        return {
            "id": self.id,
            "type": "function_call",
            "status": status,
            "call_id": self.call_id,
            "name": self.name,
            "arguments": self.arguments,
        }


@dataclass(slots=True)
class Output:
    """The items of one response, in the order in which they began."""

    items: list[Said | Called] = field(default_factory=list)
    finish: str | None = None
    usage: object = None

    def said(self) -> Said | None:
        """The message, if one has begun."""
        return next((item for item in self.items if isinstance(item, Said)), None)

    def calls(self) -> list[Called]:
        """The calls that have begun."""
        return [item for item in self.items if isinstance(item, Called)]

    def begin_said(self) -> Said:
        """Begin the message."""
        said = Said(len(self.items))
        self.items.append(said)
        return said

    def begin_call(self, call: Mapping[str, Any]) -> Called:
        """Begin a call, as its first delta or the whole of it tells it."""
        function = call.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        called = Called(
            len(self.items), str(call.get("id") or f"call_{uuid.uuid4().hex}"), str(name or "")
        )
        self.items.append(called)
        return called

    def take_whole(self, message: object) -> None:
        """Take in a message that came in one piece."""
        if not isinstance(message, dict):
            return
        if text := message.get("content") or message.get("refusal"):
            self.begin_said().text = str(text)
        for call in message.get("tool_calls") or ():
            if isinstance(call, dict):
                self.begin_call(call).arguments = arguments_in(call)

    @property
    def status(self) -> str:
        """Whether all was said that was to be."""
        return "incomplete" if self.finish in _INCOMPLETE else "completed"

    def message(self) -> dict[str, object]:
        """All of it as the message of a chat, for the turn's next request."""
        said = self.said()
        message: dict[str, object] = {"role": "assistant", "content": said.text if said else None}
        if calls := self.calls():
            message["tool_calls"] = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in calls
            ]
        return message


def arguments_in(call: Mapping[str, Any]) -> str:
    """The arguments that a call, or a delta of one, holds."""
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return arguments if isinstance(arguments, str) else ""


class ResponseObject:
    """The object around the items: what was asked, and what became of it."""

    def __init__(self, response_id: str, body: Mapping[str, Any]) -> None:
        asked_text = body.get("text")
        reasoning = body.get("reasoning")
        self._made_of: dict[str, object] = {
            "id": response_id,
            "object": "response",
            "created_at": int(time.time()),
            "background": False,
            "error": None,
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "metadata": body.get("metadata") or {},
            "model": body.get("model") or "",
            "parallel_tool_calls": body.get("parallel_tool_calls", True),
            "previous_response_id": body.get("previous_response_id"),
            "reasoning": reasoning or {"effort": None, "summary": None},
            "store": body.get("store", True),
            "temperature": body.get("temperature"),
            "text": asked_text or {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice", "auto"),
            "tools": body.get("tools") or [],
            "top_p": body.get("top_p"),
            "truncation": "disabled",
            "user": body.get("user"),
        }

    def begun(self) -> dict[str, object]:
        """While it goes on."""
        return {
            **self._made_of,
            "status": "in_progress",
            "incomplete_details": None,
            "output": [],
            "usage": None,
        }

    def ended(self, output: Output, *, is_kept: bool) -> dict[str, object]:
        """When all is said."""
        reason = _INCOMPLETE.get(output.finish or "")
        done: dict[str, object] = {
            **self._made_of,
            "status": output.status,
            "incomplete_details": None if reason is None else {"reason": reason},
            "output": [item.item(output.status) for item in output.items],
            "usage": _usage(output.usage),
        }
        return done if is_kept else {**done, "pace": NOT_REMEMBERED}


def _usage(usage: object) -> dict[str, object] | None:
    if not isinstance(usage, dict):
        return None
    prompt, reply = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    read = usage.get("prompt_tokens_details")
    thought = usage.get("completion_tokens_details")
    cached = read.get("cached_tokens") if isinstance(read, dict) else None
    reasoning = thought.get("reasoning_tokens") if isinstance(thought, dict) else None
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": cached or 0},
        "output_tokens": reply,
        "output_tokens_details": {"reasoning_tokens": reasoning or 0},
        "total_tokens": usage.get("total_tokens") or prompt + reply,
    }
