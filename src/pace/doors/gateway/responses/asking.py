"""A request of the Responses API, as the chat completion that it comes to.

What a chat completion cannot say (tools that OpenAI runs itself, work in the background) is
refused; what is meant for OpenAI's own keeping is left out. All else goes on as it is.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pace.memory.prompt import clipped
from pace.relayed.faults import RequestFaultError

Message = dict[str, object]

# Fields with another name or form in a chat completion, or none.
_OWN = frozenset(
    {
        "background",
        "conversation",
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "previous_response_id",
        "prompt",
        "reasoning",
        "store",
        "stream_options",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "truncation",
    }
)
_REFUSED = {
    "background": "Pace answers while you wait. Leave background out.",
    "conversation": "Pace keeps no conversations of that kind. Name the thread by "
    "previous_response_id or the header X-Pace-Thread.",
    "prompt": "Pace keeps no prompts. Send instructions and input.",
}
_SHOWN = 40


def chat_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The chat completion without its messages. Raises RequestFaultError for what cannot be."""
    for name, sentence in _REFUSED.items():
        if body.get(name):
            raise RequestFaultError(sentence, param=name)
    onward = {name: value for name, value in body.items() if name not in _OWN}
    if (most := body.get("max_output_tokens")) is not None:
        onward["max_tokens"] = _checked_limit(most)
    reasoning = body.get("reasoning")
    if isinstance(reasoning, dict) and reasoning.get("effort"):
        onward["reasoning_effort"] = reasoning["effort"]
    text = body.get("text")
    if isinstance(text, dict):
        onward.update(_response_format(text.get("format")))
        if text.get("verbosity"):
            onward["verbosity"] = text["verbosity"]
    if body.get("stream") is True:
        onward["stream_options"] = {"include_usage": True}
    return onward | _tools_of(body)


def instructions_of(body: Mapping[str, Any]) -> list[Message]:
    """The instructions, as a message; they hold for one response and are sent with each."""
    given = body.get("instructions")
    return [{"role": "system", "content": given}] if given else []


def messages_of(given: object) -> list[Message]:
    """The input, as messages. Raises RequestFaultError for an item that cannot be."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise RequestFaultError("input has to be a text or a list of items.", param="input")
    messages: list[Message] = []
    for at, item in enumerate(given):
        for message in _of_item(item, f"input[{at}]"):
            calls = messages[-1].get("tool_calls") if messages else None
            if isinstance(calls, list) and message.get("role") == "assistant":
                more = message.get("tool_calls")
                if isinstance(more, list):  # several calls at once are one message
                    calls.extend(more)
                    continue
            messages.append(message)
    return messages


def _of_item(item: object, param: str) -> Iterator[Message]:
    if not isinstance(item, dict):
        raise RequestFaultError(f"{param} has to be an object.", param=param)
    kind = item.get("type", "message")
    if kind == "message":
        content = item.get("content")
        yield {"role": item.get("role"), "content": _content(content, f"{param}.content")}
    elif kind == "function_call":
        called = {
            "name": str(item.get("name", "")),
            "arguments": _text(item.get("arguments", "")),
        }
        call = {"id": _text(item.get("call_id", "")), "type": "function", "function": called}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
    elif kind == "function_call_output":
        output = _content(item.get("output"), f"{param}.output")
        yield {"role": "tool", "tool_call_id": _text(item.get("call_id", "")), "content": output}
    elif kind != "reasoning":  # which is the planner's own, and is not asked for again
        raise RequestFaultError(
            f"{param} is of a type that Pace cannot pass on: {clipped(str(kind), _SHOWN)!r}. It "
            "knows message, function_call, function_call_output and reasoning.",
            param=f"{param}.type",
        )


def _content(content: object, param: str) -> object:
    if not isinstance(content, list):
        return content
    return [_part(part, f"{param}[{at}]") for at, part in enumerate(content)]


def _part(part: object, param: str) -> object:
    """A part of a message, by the names of chat completions."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict):
        raise RequestFaultError(f"{param} is not an object with a type.", param=param)
    if kind in ("input_text", "output_text", "text"):
        return {"type": "text", "text": part.get("text")}
    if kind == "input_image":
        if not isinstance(url := part.get("image_url"), str):
            raise RequestFaultError(f"{param} needs an image_url.", param=param)
        return {
            "type": "image_url",
            "image_url": {"url": url, "detail": part.get("detail", "auto")},
        }
    if kind == "input_file":
        named = {key: part[key] for key in ("file_data", "file_id", "filename") if key in part}
        return {"type": "file", "file": named}
    return part


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _response_format(asked: object) -> dict[str, object]:
    if not isinstance(asked, dict) or asked.get("type") in (None, "text"):
        return {}
    if asked["type"] != "json_schema":
        return {"response_format": asked}
    schema = {name: value for name, value in asked.items() if name != "type"}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _checked_limit(most: object) -> int:
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise RequestFaultError(
            "max_output_tokens has to be a whole number above 0.", param="max_output_tokens"
        )
    return most


def _tools_of(body: Mapping[str, Any]) -> dict[str, object]:
    """The functions that may be called, if there are any: some servers refuse an empty list."""
    given, choice = body.get("tools"), body.get("tool_choice")
    tools = [] if given is None else _tools(given)
    if not tools:
        return {}
    return {"tools": tools} | ({} if choice is None else {"tool_choice": _tool_choice(choice)})


def _tools(tools: object) -> list[dict[str, object]]:
    if not isinstance(tools, list):
        raise RequestFaultError("tools have to be a list.", param="tools")
    functions: list[dict[str, object]] = []
    for at, tool in enumerate(tools):
        kind = tool.get("type") if isinstance(tool, dict) else None
        if not isinstance(tool, dict) or kind != "function":
            raise RequestFaultError(
                f"tools[{at}] is not a function. Tools that OpenAI runs itself are not there.",
                param=f"tools[{at}].type",
            )
        told = {name: value for name, value in tool.items() if name != "type" and value is not None}
        functions.append({"type": "function", "function": told})
    return functions


def _tool_choice(choice: object) -> object:
    if isinstance(choice, str):
        return choice
    if isinstance(choice, dict) and choice.get("type") == "function":
        return {"type": "function", "function": {"name": choice.get("name")}}
    raise RequestFaultError(
        "tool_choice can be auto, none, required or a function.", param="tool_choice"
    )
