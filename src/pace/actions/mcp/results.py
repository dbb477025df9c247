"""What a tool brings, as it is shown: text that is short, still, and as plain as can be.

A server may send whatever fits into a message, so what is too much goes before anything is made
of it (`cut_down`).
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice

from mcp.shared.message import SessionMessage
from mcp_types import (
    AudioContent,
    CallToolResult,
    ImageContent,
    JSONRPCResponse,
    TextContent,
)

from pace.actions.telling import bounded, counted
from pace.sayable import sayable

MOST_PIECES = 100
"""How many pieces of a result are looked at."""
MOST_LISTED = 1000
"""How many tools of a server are read at most."""
_LONGEST_SHOWN = 8000
_DEEPEST = 4
_MOST_LINES = 200


def cut_down(item: SessionMessage | Exception) -> SessionMessage | Exception:
    """A message as it came, without what there is too much of."""
    message = item.message if isinstance(item, SessionMessage) else None
    if not isinstance(message, JSONRPCResponse):
        return item
    result = message.result
    pieces, tools = result.get("content"), result.get("tools")
    if isinstance(pieces, list) and pieces:
        # What has words is shown by them alone.
        result.pop("structuredContent", None)
        if len(pieces) > MOST_PIECES:
            more = f"[{len(pieces) - MOST_PIECES:,} more pieces]"
            result["content"] = [*pieces[:MOST_PIECES], {"type": "text", "text": more}]
    if isinstance(tools, list):
        result["tools"] = tools[: MOST_LISTED + 1]
    return item


def text_of(result: CallToolResult) -> str:
    """The text of a result, bounded; what is no text is named in a word."""
    pieces: list[str] = []
    others: list[str] = []
    for block in result.content:
        match block:
            case TextContent(text=text):
                pieces.append(_plain(text))
            case ImageContent():
                others.append("image")
            case AudioContent():
                others.append("recording")
            case _:
                others.append("resource")
    if not result.content and result.structured_content is not None:
        pieces.append(_in_plain_lines(result.structured_content))
    text = _still(bounded("\n\n".join(pieces), _LONGEST_SHOWN))
    return "\n".join(filter(None, [text, _named(others)]))


def _plain(text: str) -> str:
    """A text that is JSON of an object or a list in plain lines; any other as it is."""
    if len(text) > _LONGEST_SHOWN or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return _in_plain_lines(json.loads(text)) or text
    except (ValueError, RecursionError):
        return text


def _in_plain_lines(value: object) -> str:
    lines = list(islice(_lines(value, 0), _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        lines[-1] = "…"
    return "\n".join(lines)


def _lines(value: object, depth: int) -> Iterator[str]:
    named = value.items() if isinstance(value, dict) else [("-", each) for each in _listed(value)]
    for name, each in named:
        head = "  " * depth + (f"{name}:" if isinstance(value, dict) else "-")
        if not isinstance(each, dict | list) or not each:
            yield f"{head} {_said(each)}"
        elif depth == _DEEPEST:
            yield f"{head} …"
        else:
            yield head
            yield from _lines(each, depth + 1)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _said(value: object) -> str:
    if value is None or value in ({}, []):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _named(others: Iterable[str]) -> str:
    kinds = list(others)
    told = [counted(kinds.count(kind), kind) for kind in dict.fromkeys(kinds)]
    return f"[{' and '.join(told)}, not shown]" if told else ""


def _still(text: str) -> str:
    """A text that moves no cursor and rings no bell, on as many lines as it has."""
    lines = sayable(text).replace("\t", "    ").splitlines()
    return "\n".join("".join(c for c in line if c.isprintable()) for line in lines).strip()
