"""How a client's messages are read as turns, and which cannot be."""

import json

import hypothesis.strategies as st
import pytest
from hypothesis import given

from memory.plain import NOW
from pace.relayed.faults import RequestFaultError
from pace.relayed.history import has_words, read_history


def user(content: object) -> dict[str, object]:
    return {"role": "user", "content": content}


def reply(content: object, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": content, **more}


CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "SECRET-TOOL-TEXT"}


def test_a_turn_goes_from_the_persons_words_to_the_next_ones() -> None:
    """Instructions stand apart, turns are whole, and the last one is to be answered."""
    history = read_history(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": "Be kind."},
            user("One."),
            reply("1."),
            user("Two."),
            reply("2."),
            user("Three."),
        ]
    )
    assert history.instructions == ("Be brief.", "Be kind.")
    assert history.instructing_role == "system"
    assert [(turn.user_text, turn.reply_text) for turn in history.turns] == [
        ("One.", "1."),
        ("Two.", "2."),
    ]
    assert history.current.user_text == "Three."
    assert len(history.digests) == 3


def test_a_call_is_never_split_from_its_answer() -> None:
    """Whatever tools bring is part of the turn that asked for it, and no word of the turn."""
    calling = reply(None, tool_calls=[CALL])
    history = read_history(
        [user("Weather?"), calling, ANSWER, reply("Rain."), user("Again?"), calling, ANSWER]
    )
    assert [len(turn.messages) for turn in history.turns] == [4]
    assert history.turns[0].reply_text == "Rain."
    assert history.turns[0].other_tokens > 10
    assert history.current.messages == (user("Again?"), calling, ANSWER)
    assert "SECRET" not in history.turns[0].user_text + history.turns[0].reply_text


def test_several_messages_in_a_row_are_one_turn() -> None:
    """A greeting belongs to the first turn, and two messages before a reply to the same."""
    history = read_history(
        [reply("Hello!"), user("One."), user("And more."), reply("1."), user("Two."), user("?")]
    )
    assert [(turn.user_text, turn.reply_text) for turn in history.turns] == [
        ("One.\nAnd more.", "Hello!\n1.")
    ]
    assert history.current.user_text == "Two.\n?"


def test_parts_are_read_as_their_words() -> None:
    """B125: parts of text are lines, a picture has no words, and mixed forms go together."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    history = read_history(
        [user([{"type": "text", "text": "Hello"}, {"type": "text", "text": "again"}]), user("!")]
    )
    assert history.current.user_text == "Hello\nagain\n!"
    seen = read_history([user([picture]), reply("A cat."), user("And?")])
    assert seen.turns[0].user_text == ""
    assert seen.turns[0].other_tokens == 1000
    assert seen.turns[0].pair(1, "d", NOW).user_text == "…"


def test_a_history_is_the_same_however_its_json_is_written() -> None:
    """Keys in another order are the same call; another argument is another history."""
    other_order = json.loads(json.dumps(CALL, sort_keys=True))
    changed = {**CALL, "function": {"name": "weather", "arguments": '{"at": "Bergen"}'}}

    def digest(call: object) -> str:
        messages = [user("W?"), reply(None, tool_calls=[call]), ANSWER, reply("Rain."), user("?")]
        return read_history(messages).digests[-1]

    assert digest(CALL) == digest(other_order)
    assert digest(CALL) != digest(changed)


def digest_of(*messages: dict[str, object]) -> str:
    return read_history([*messages, user("?")]).digests[-1]


def test_words_are_the_same_in_parts_and_in_one_text() -> None:
    """A client that changes the form of a message changes nothing of what was said."""
    parts = [{"type": "text", "text": "Hello"}]
    assert digest_of(user("Hello"), reply("Hi")) == digest_of(user(parts), reply("Hi"))


def test_what_looks_alike_is_not_the_same() -> None:
    """Where a text stands is part of it: no field, part or message passes for another."""
    written = '[{"text":"A","type":"text"}]'
    picture = {"type": "image_url", "image_url": {"url": "data:x"}}
    digests = {
        digest_of(user("A"), reply("Hi")),
        digest_of(user(written), reply("Hi")),
        digest_of(user([picture]), reply("Hi")),
        digest_of(user("A"), reply(None), reply('"B"')),
        digest_of(user("A"), reply("assistant", name="B")),
        digest_of(user("A"), reply(None, refusal="Hi")),
    }
    assert len(digests) == 6


def test_what_was_declined_is_what_was_said() -> None:
    """A refusal is the reply's words, whichever field it stands in."""
    history = read_history([user("A"), reply(None, refusal="I cannot."), user("B")])
    assert history.turns[0].reply_text == "I cannot."


def test_who_said_it_counts() -> None:
    """The same texts by other voices are another history."""
    first = read_history([user("a"), reply("b"), user("c"), reply("d"), user("e")])
    second = read_history([user("a"), user("b"), reply("c"), reply("d"), user("e")])
    assert first.digests[-1] != second.digests[-1]


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        (None, "messages"),
        ([], "messages"),
        ("hello", "messages"),
        (["hello"], "messages[0]"),
        ([{"content": "x"}], "messages[0].role"),
        ([{"role": "narrator", "content": "x"}], "messages[0].role"),
        ([{"role": 7, "content": "x"}], "messages[0].role"),
        ([user(None)], "messages[0].content"),
        ([user(7)], "messages[0].content"),
        ([user({"type": "text"})], "messages[0].content"),
        ([user(["text"])], "messages[0].content[0]"),
        ([user([{"type": 7}])], "messages[0].content[0]"),
        ([user([{"type": "text"}])], "messages[0].content[0].text"),
        ([user([{"type": "hologram"}])], "messages[0].content[0].type"),
        ([reply("x")], "messages"),
        ([{"role": "system", "content": "x"}], "messages"),
    ],
)
def test_what_cannot_be_is_named(messages: object, param: str) -> None:
    """B125: one sentence, the field's name, and no word of what was said."""
    with pytest.raises(RequestFaultError) as refused:
        read_history(messages)
    assert refused.value.param == param
    assert str(refused.value) != "x"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"]) | JSON, "content": JSON},
    optional={"tool_calls": JSON, "tool_call_id": JSON, "name": JSON},
)


@given(st.lists(MESSAGE | JSON, max_size=6) | JSON)
def test_nothing_else_is_raised(messages: object) -> None:
    """Whatever a client sends is a history or a fault with a name."""
    has_words(messages)
    try:
        history = read_history(messages)
    except RequestFaultError:
        return
    assert sum(len(turn.messages) for turn in (*history.turns, history.current)) <= len(messages)
    assert len(history.beginning) == 32
