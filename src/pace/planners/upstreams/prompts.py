"""Makes a prompt of a client's request, and refuses what a planner of words could not honour.

What does no harm when it is left out is ignored: how warm, how long, how repetitive a reply may be,
seeds, who asks, and fields that nobody knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus

from pace.errors import PlannerRefusedError
from pace.memory.prompt import MESSAGE_TOKENS, Message, Prompt, PromptParts, Role
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, is_blank
from pace.planners.answers import mapping
from pace.planners.upstreams.port import Body
from pace.sayable import sayable

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
_TEXTS = ("text", "input_text", "output_text")
# Fields whose answer the client would miss, and what to say of them.
_UNHONOURED = {
    "tools": "tools",
    "functions": "functions",
    "logprobs": "likelihoods",
    "top_logprobs": "likelihoods",
    "audio": "audio",
    "stop": "texts to stop at",
    "web_search_options": "searches of the web",
}


_OF_TOOLS = ("tools", "tool_choice", "parallel_tool_calls")


def without_offered_tools(body: Body) -> Body:
    """The request without tools that may be used and need not be: none of them will be."""
    if body.get("tool_choice") not in (None, "auto", "none"):
        return body
    return {name: value for name, value in body.items() if name not in _OF_TOOLS}


def prompt_of(body: Body, affinity: str) -> Prompt:
    """The prompt for a request's messages, those of the system joined at its head.

    Messages of one side that follow each other are joined, too, and blank ones left out, since
    requests to a planner take turns (R11). Raises PlannerRefusedError with the status 400.
    """
    _check_fields(body)
    messages = body.get("messages")
    system: list[str] = []
    said: list[Message] = []
    for role, text in _texts(messages if isinstance(messages, list) else ()):
        if is_blank(text):
            continue
        if role is Role.SYSTEM:
            system.append(text)
        elif said and said[-1].role is role:
            said[-1] = Message(role, f"{said[-1].content}\n\n{text}")
        else:
            said.append(Message(role, text))
    if not said or said[-1].role is not Role.USER:
        raise _refused("This planner answers a message of the role 'user'. Send one as the last.")
    if said[0].role is Role.ASSISTANT:
        system.append(f"You began the conversation with these words:\n{said.pop(0).content}")
    head = [Message(Role.SYSTEM, "\n\n".join(system))] if system else []
    return Prompt(
        thread_id=ThreadId(affinity or "gateway"),
        session_id=SessionId(affinity or "gateway"),
        messages=(*head, *said),
        parts=_parts(head, said),
    )


def _check_fields(body: Body) -> None:
    for field, what in _UNHONOURED.items():
        if body.get(field):
            raise _refused(f"This planner knows no {what}. Leave out {field!r}.")
    if body.get("n") not in (None, 1):
        raise _refused("This planner gives one reply. Leave out 'n'.")
    form = body.get("response_format")
    if form is not None and not (isinstance(form, Mapping) and form.get("type") == "text"):
        raise _refused("This planner replies in plain text. Leave out 'response_format'.")
    if body.get("modalities") not in (None, ["text"]):
        raise _refused("This planner replies in text alone. Leave out 'modalities'.")


def _texts(messages: Sequence[object]) -> Iterator[tuple[Role, str]]:
    for message in messages:
        if not isinstance(message, Mapping):
            raise _refused("Each of 'messages' is an object with a role and a content.")
        role = _ROLES.get(str(message.get("role")))
        if role is None or message.get("tool_calls") or message.get("function_call"):
            raise _refused("This planner knows no tools. Send messages without them.")
        yield role, sayable(_text_of(message.get("content")))


def _text_of(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    texts = []
    for part in map(mapping, content if isinstance(content, list) else [content]):
        text = part.get("text")
        if not isinstance(text, str) or part.get("type") not in _TEXTS:
            raise _refused("This planner reads text alone. Send messages without anything else.")
        texts.append(text)
    return "\n".join(texts)


def _parts(head: Sequence[Message], said: Sequence[Message]) -> PromptParts:
    def tokens(messages: Sequence[Message]) -> int:
        return sum(estimate_tokens(message.content) + MESSAGE_TOKENS for message in messages)

    return PromptParts(
        system=tokens(head),
        summary=0,
        pending=0,
        window=tokens(said[:-1]),
        facts=0,
        recalled=0,
        words=tokens(said[-1:]) + MESSAGE_TOKENS,
    )


def _refused(sentence: str) -> PlannerRefusedError:
    return PlannerRefusedError(sentence, status=HTTPStatus.BAD_REQUEST)
