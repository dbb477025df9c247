"""Which conversation a request belongs to: what is read, in which order, and what is refused."""

from typing import Any

import pytest

from doors.gateway.gateways import assistant, user
from pace.doors.gateway.auxiliary import is_auxiliary
from pace.doors.gateway.naming import named
from pace.relayed.asked import Asked, thread_of
from pace.relayed.faults import RequestFaultError

BODY: dict[str, Any] = {"model": "m", "messages": [user("Hello")]}
IN_METADATA = {**BODY, "metadata": {"thread_id": "from metadata"}}
OPEN_WEBUI = {b"x-openwebui-chat-id": b"from chat"}


def asked(headers: dict[bytes, bytes], body: dict[str, Any] | None = None) -> Asked:
    return named(headers, body or BODY, key_id="key").asked


def test_order() -> None:
    """The header of Pace comes before an application's chat id, and that before the metadata."""
    both = {b"x-pace-thread": b"from pace", **OPEN_WEBUI}
    assert asked(both, IN_METADATA).name == "from pace"
    assert asked(OPEN_WEBUI, IN_METADATA).name == "from chat"
    assert asked({}, IN_METADATA).name == "from metadata"
    assert asked({}).name is None


def test_applications_bring_their_history() -> None:
    """A chat id of Open WebUI or LibreChat says that the client sends its whole history."""
    assert asked(OPEN_WEBUI).brings_history
    assert asked({b"x-conversation-id": b"c"}).brings_history
    assert not asked({b"x-pace-thread": b"t"}).brings_history
    assert not asked({}, IN_METADATA).brings_history


@pytest.mark.parametrize("value", [b"", b"new", b"null", b"{{LIBRECHAT_BODY_CONVERSATIONID}}"])
def test_chat_without_an_id_yet(value: bytes) -> None:
    """What an application sends for a conversation without an id names no thread."""
    assert asked({b"x-conversation-id": value}).name is None


@pytest.mark.parametrize("value", [b"", b"  ", b"x" * 513, b"a\x00b", b"a\nb", b"\xff\xfe"])
def test_b132_ids_that_cannot_be(value: bytes) -> None:
    """B132: blank, over-long, undecodable ids and ones with control characters are refused."""
    with pytest.raises(RequestFaultError):
        asked({b"x-pace-thread": value})


@pytest.mark.parametrize("value", ["../../etc/passwd", "a/b", "a:b", "a*", "A", "ünï", "x" * 512])
def test_b132_ids_that_can_be(value: str) -> None:
    """B132: any other id is taken as it is."""
    assert asked({b"x-pace-thread": value.encode()}).name == value


@pytest.mark.parametrize("value", [3, ["t"], {"a": 1}, ""])
def test_metadata_that_cannot_name(value: object) -> None:
    """A thread's id in the metadata has to be a text that is not blank."""
    with pytest.raises(RequestFaultError):
        asked({}, {**BODY, "metadata": {"thread_id": value}})


def test_scopes() -> None:
    """A key's threads are apart from all others, and those of its users from each other."""
    scopes = [
        named({}, {**BODY, **more}, key_id=key).asked.scope
        for key in ("k1", "k2", "")
        for more in ({}, {"user": "u"}, {"safety_identifier": "v"})
    ]
    assert len({thread_of(scope, "t") for scope in scopes}) == len(scopes)


def test_user_that_cannot_be() -> None:
    """A user's name that is no text, or too long, is refused."""
    for user_field in (3, "x" * 513):
        with pytest.raises(RequestFaultError):
            asked({}, {**BODY, "user": user_field})


def test_stateless() -> None:
    """A header, the model's name or the metadata mark a request that leaves nothing."""
    assert asked({b"x-pace-stateless": b"true"}).stateless
    assert not asked({b"x-pace-stateless": b"0"}).stateless
    by_model = named({}, {**BODY, "model": "llama3:8b:stateless"}, key_id="")
    assert by_model.asked.stateless
    assert by_model.body["model"] == "llama3:8b"
    by_metadata = named({}, {**BODY, "metadata": {"pace_stateless": "true"}}, key_id="")
    assert by_metadata.asked.stateless
    assert "metadata" not in by_metadata.body
    assert not asked({}, {**BODY, "model": "llama3:8b"}).stateless


TITLE = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history."


@pytest.mark.parametrize(
    "words",
    [
        TITLE,
        "### Task:\nSuggest 3-5 relevant follow-up questions",
        "### Task:\nAnalyze the chat history to determine the necessity of generating search",
        "### Task:\nYou are an autocompletion system. Continue the text",
        "### Task:\nPredict what comes next\n<chat_history>\nUSER: Hello\n</chat_history>",
        "### Task:\nSummarize the conversation history that will be compacted",
        "Provide a concise, 5-word-or-less title for the conversation, using title case",
    ],
)
def test_auxiliary_calls(words: str) -> None:
    """The calls that applications make beside a conversation leave nothing."""
    assert asked({}, {**BODY, "messages": [user(words)]}).stateless
    assert asked(OPEN_WEBUI, {**BODY, "messages": [user(words)]}).stateless


@pytest.mark.parametrize("query", ["Query: Hello", 'History:\nUSER: """Hello"""\nQuery: And now?'])
def test_choosing_a_tool(query: str) -> None:
    """Open WebUI's question which tool to call leaves nothing; the same words of a person's do."""
    choosing = "Available Tools: []\n\nYour task is to choose and return the correct tool(s) from"
    asking = [{"role": "system", "content": choosing}, user(query)]
    assert asked(OPEN_WEBUI, {**BODY, "messages": asking}).stateless
    assert not is_auxiliary([user(query)])


def test_what_is_no_auxiliary_call() -> None:
    """Open WebUI's turn with documents, a longer talk and a named thread are conversations."""
    with_documents = "### Task:\nRespond to the user query using the provided context"
    assert not is_auxiliary([user(with_documents)])
    assert not is_auxiliary([user(f"{with_documents}\n<context><chat_history></context>")])
    assert not is_auxiliary([user("### Task:\nTranslate this letter.")])
    assert not is_auxiliary([user(TITLE), assistant("Yes."), user("And now?")])
    assert not is_auxiliary("no list")
    named_thread = {b"x-pace-thread": b"t"}
    assert not asked(named_thread, {**BODY, "messages": [user(TITLE)]}).stateless
