"""Which conversation a request belongs to: its headers and its body say so, in a fixed order.

`X-Pace-Thread`; the chat ids that Open WebUI and LibreChat send; `metadata.thread_id`; and if none
of them is there, the messages themselves (drop-in). What is meant for Pace alone is taken out of
the body.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pace.doors.gateway.auxiliary import is_auxiliary
from pace.relayed.asked import Asked
from pace.relayed.faults import RequestFaultError

Headers = Mapping[bytes, bytes]
"""Names in lower case, as ASGI gives them."""

THREAD = b"x-pace-thread"
STATELESS = b"x-pace-stateless"
# Applications that send their whole history with each request. Open WebUI sends its header with
# ENABLE_FORWARD_USER_INFO_HEADERS=true; LibreChat sends what its librechat.yaml says of an
# endpoint, for which its documentation gives  headers: {X-Conversation-Id:
# '{{LIBRECHAT_BODY_CONVERSATIONID}}'}.
_CHAT_IDS = (b"x-openwebui-chat-id", b"x-librechat-conversation-id", b"x-conversation-id")
# What such an application sends for a conversation that has no id yet.
_NO_IDS = frozenset({"", "new", "null", "undefined", "none"})
_LONGEST_NAME = 512
STATELESS_MODEL = ":stateless"
"""How the name of a model ends that is asked for without memory."""
_YES = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Named:
    """A request's place, and its body as it goes on."""

    asked: Asked
    body: dict[str, Any] = field(repr=False)


def named(headers: Headers, body: Mapping[str, Any], *, key_id: str) -> Named:
    """Find out where a request belongs. Raises RequestFaultError for an id that cannot be."""
    onward = dict(body)
    is_stateless = _is_yes(headers.get(STATELESS, b"").decode("latin-1"))
    model = body.get("model")
    if isinstance(model, str) and model.endswith(STATELESS_MODEL):
        is_stateless = True
        onward["model"] = model.removesuffix(STATELESS_MODEL)
    metadata = body.get("metadata")
    told = metadata if isinstance(metadata, Mapping) else {}
    if isinstance(metadata, Mapping) and _OWN_METADATA & metadata.keys():
        is_stateless = is_stateless or _is_yes(told.get("pace_stateless"))
        rest = {name: value for name, value in metadata.items() if name not in _OWN_METADATA}
        onward["metadata"] = rest
        if not rest:
            del onward["metadata"]
    scope = scope_of(key_id, _user(body))
    name, brings_history = _name(headers, told)
    if name is None or brings_history:
        is_stateless = is_stateless or is_auxiliary(body.get("messages"))
    asked = Asked(scope=scope, name=name, brings_history=brings_history, stateless=is_stateless)
    return Named(asked, onward)


_OWN_METADATA = frozenset({"thread_id", "pace_stateless"})


def scope_of(key_id: str, user: str | None) -> str:
    """Whose threads are meant: the key's, and among them those of one of its users.

    A key's id holds no slash, so that no user's name reaches into another key's threads.
    """
    return key_id if user is None else f"{key_id}/{user}"


def checked_name(text: str, where: str) -> str:
    """A thread's name as it is used. Raises RequestFaultError; `where` is what it stood in."""
    name = text.strip()
    if not name:
        raise RequestFaultError(f"{where} is blank. Name a thread, or leave it out.", param=where)
    if len(name) > _LONGEST_NAME:
        raise RequestFaultError(
            f"{where} is {len(name):,} characters long; a thread's name has at most "
            f"{_LONGEST_NAME}.",
            param=where,
        )
    if any(ord(character) < ord(" ") or character == "\x7f" for character in name):
        raise RequestFaultError(f"{where} holds a control character. Leave it out.", param=where)
    return name


def _name(headers: Headers, metadata: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The thread's name, and whether whoever gave it always sends the whole history."""
    if (given := headers.get(THREAD)) is not None:
        return checked_name(_decoded(given, "X-Pace-Thread"), "X-Pace-Thread"), False
    for header in _CHAT_IDS:
        if (given := headers.get(header)) is None:
            continue
        shown = header.decode()
        text = _decoded(given, shown).strip()
        if text.lower() not in _NO_IDS and not text.startswith("{{"):
            return checked_name(text, shown), True
    if (named_there := metadata.get("thread_id")) is not None:
        if not isinstance(named_there, str):
            raise RequestFaultError(
                "metadata.thread_id has to be a text.", param="metadata.thread_id"
            )
        return checked_name(named_there, "metadata.thread_id"), False
    return None, False


def _user(body: Mapping[str, Any]) -> str | None:
    """Whom of its own people a client asks for."""
    for field_name in ("user", "safety_identifier"):
        given = body.get(field_name)
        if given is None or given == "":
            continue
        if not isinstance(given, str) or len(given) > _LONGEST_NAME:
            raise RequestFaultError(
                f"{field_name} has to be a text of at most {_LONGEST_NAME} characters.",
                param=field_name,
            )
        return given
    return None


def _decoded(value: bytes, where: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise RequestFaultError(
            f"{where} cannot be read. Write it in UTF-8.", param=where
        ) from error


def _is_yes(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in _YES)
