"""Hears a planner's reply: words and calls of tools, wherever an answer holds them."""

from collections.abc import Mapping
from typing import Any, Protocol

from pace.doors.gateway.seeing.outcomes import SeenTurn


class Hearing(Protocol):
    """Who keeps what is said; a relayed turn."""

    def hear(self, text: str) -> None:
        """Words of the reply."""
        ...

    def called_tools(self) -> None:
        """The reply asks for tools."""
        ...


def first_choice(data: Mapping[str, object]) -> Mapping[str, Any]:
    """The first reply of an answer or a chunk; empty where it has none.

    Others (`n`) are the client's alone: one reply is remembered, as one is shown.
    """
    choices = data.get("choices")
    if isinstance(choices, list):
        for choice in choices:
            if isinstance(choice, dict) and not choice.get("index"):
                return choice
    return {}


def hear(part: object, turn: Hearing, seen: SeenTurn) -> None:
    """Have a turn hear what a `delta` or a `message` says."""
    if not isinstance(part, dict):
        return
    for name in ("content", "refusal"):
        if isinstance(text := part.get(name), str) and text:
            seen.said()
            turn.hear(text)
    if part.get("tool_calls") or part.get("function_call"):
        seen.said()
        turn.called_tools()
