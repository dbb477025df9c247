"""Talks are read from what people have, and whatever is no talk is refused in one sentence."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.errors import TalksError
from pace.evaluation.exports import Said, messages_of, turns_of
from pace.evaluation.loading import Loaded, load_talks
from pace.evaluation.talks import SaidTurn, Side
from pace.memory.turn import is_blank

TURNS = [
    {"user": "My code is KX-4417.", "assistant": "Noted."},
    {"user": "", "assistant": "Anything else?"},
]
FACT = {
    "turn": 0,
    "by": "user",
    "answer": "KX-4417",
    "keywords": ["kx", "4417"],
    "cues": ["code"],
    "weak": 0,
    "question": "Which one?",
    "until": 1,
}
TALK = {"id": "one", "source": "mine", "turns": TURNS, "facts": [FACT]}
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "assistant", "content": "Hello, I am Ottilie."},
    {"role": "user", "content": "Hello."},
    {"role": "user", "content": [{"type": "text", "text": "A picture:"}, {"type": "image_url"}]},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "tool", "content": "42 files"},
    {"role": "assistant", "content": "A lighthouse."},
]
SAID = (SaidTurn("", "Hello, I am Ottilie."), SaidTurn("Hello.\nA picture:", "A lighthouse."))


def loaded(folder: Path, text: str | bytes) -> Loaded:
    """What a file that holds this gives."""
    path = folder / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_talks(path)


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


# --- Pace's schema


def test_the_schema_is_read_as_it_is(tmp_path: Path) -> None:
    """Facts come as the file gives them, blank halves and the end of a fact included."""
    found = loaded(tmp_path, lines(TALK, {**TALK, "id": "two"}))
    assert [talk.id for talk in found.talks] == ["one", "two"]
    talk = found.talks[0]
    assert talk.source == "mine"
    assert talk.turns == tuple(SaidTurn(**turn) for turn in TURNS)
    (fact,) = talk.facts
    assert (fact.by, fact.keywords, fact.cues) == (Side.USER, ("kx", "4417"), ("code",))
    assert (fact.weak, fact.until, fact.question) == (False, 1, "Which one?")
    assert "2 talks with 2 facts, all as the file gives them" in found.note


def test_a_talk_without_facts_gets_derived_ones(tmp_path: Path) -> None:
    """The note says which facts are Pace's finding, if some or all of them are."""
    bare = {"turns": TURNS}
    every, some = loaded(tmp_path, lines(bare)), loaded(tmp_path, lines(TALK, bare))
    assert [fact.answer for fact in every.talks[0].facts] == ["KX-4417"]
    assert "; the facts are the names" in every.note
    assert "; where a talk brings none, the facts are" in some.note
    for found in (every, some):
        assert found.note.count(". ") == 0


def test_the_note_says_where_names_cannot_be_found(tmp_path: Path) -> None:
    """Of derived facts in a script without capital letters; given facts need no such word."""
    turns = [{"user": "我们在3月15日去杭州。", "assistant": "好的。"}]
    derived, given_ = loaded(tmp_path, lines({"turns": turns})), loaded(tmp_path, lines(TALK))
    assert "; in a script without capital letters, names are found only beside" in derived.note
    assert "capital" not in given_.note


# --- messages


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(MESSAGES),
        json.dumps(MESSAGES, indent=2),
        json.dumps({"messages": MESSAGES}),
        json.dumps([{"messages": MESSAGES}]),
        lines(MESSAGES),
        lines({"messages": MESSAGES}),
        lines(*MESSAGES),
        "\ufeff" + json.dumps(MESSAGES),
    ],
    ids=["list", "indented", "object", "array", "lists", "objects", "a message a line", "mark"],
)
def test_messages_are_read_in_each_form(tmp_path: Path, text: str) -> None:
    """Consecutive ones of a side are one half; what only a program sees is left out."""
    found = loaded(tmp_path, text)
    (talk,) = found.talks
    assert talk.turns == SAID
    assert "a list of messages: 1 talk" in found.note


def test_each_line_or_item_is_a_talk(tmp_path: Path) -> None:
    """Lists and objects may stand together, each talk with a name of its own."""
    for text in (lines(MESSAGES, {"messages": MESSAGES}), json.dumps([MESSAGES, MESSAGES])):
        talks = loaded(tmp_path, text).talks
        assert [talk.turns for talk in talks] == [SAID, SAID]
        assert len({talk.id for talk in talks}) == 2


@given(st.lists(st.builds(Said, st.sampled_from(Side), st.text(max_size=20))))
def test_every_message_is_in_the_turns_once(messages: list[Said]) -> None:
    """For each side, the halves of all turns are its messages with words, in their order."""
    turns = turns_of(messages)
    for side in Side:
        said = [turn.said_by(side) for turn in turns if turn.said_by(side)]
        told = [m.text for m in messages if m.side is side and not is_blank(m.text)]
        assert "\n".join(said) == "\n".join(told)
    assert all(turn.user or turn.assistant for turn in turns)
    assert all(turn.user for turn in turns[1:])
    assert all(turn.assistant for turn in turns[:-1])


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), st.text(max_size=20))
    )
)
def test_any_list_of_messages_is_read(pairs: list[tuple[str, str]]) -> None:
    """Whatever is said in it, nothing of a side's words is lost on the way from JSON."""
    raw = json.loads(json.dumps([{"role": role, "content": text} for role, text in pairs]))
    said = list(messages_of("a list", raw))
    assert [(m.side, m.text) for m in said] == [
        pair for pair in pairs if pair[0] in ("user", "assistant")
    ]


def test_half_a_character_becomes_a_question_mark(tmp_path: Path) -> None:
    """What no encoding carries could break any later step."""
    found = loaded(tmp_path, r'[{"role": "user", "content": "cut \ud83d here"}]')
    assert found.talks[0].turns[0].user == "cut ? here"


# --- ChatGPT's export


def node(parent: str | None, role: str, *parts: object, **more: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": list(parts)}
    message = {"author": {"role": role}, "content": content, "recipient": "all", **more}
    return {"parent": parent, "message": message, "children": []}


def conversation(**more: object) -> dict[str, object]:
    """One in which a question was asked again in other words."""
    nodes = {
        "root": {"parent": None, "message": None, "children": ["system"]},
        "system": node("root", "system", ""),
        "about": node("system", "user", "About me", metadata={"is_user_system_message": True}),
        "old": node("about", "user", "First words"),
        "old reply": node("old", "assistant", "Left behind"),
        "new": node("about", "user", {"content_type": "image_asset_pointer"}, "Better words"),
        "search": node("new", "assistant", "query", recipient="web"),
        "tool": node("search", "tool", "found"),
        "thought": node(
            "tool", "assistant", content={"content_type": "thoughts", "thoughts": ["Hm."]}
        ),
        "reply": node("thought", "assistant", "It is Bergen.\ue200cite\ue202turn0search1\ue201"),
    }
    return {"title": "Private", "mapping": nodes, "current_node": "reply", **more}


@pytest.mark.parametrize("more", [{}, {"current_node": None}], ids=["marked", "by its last leaf"])
def test_a_chatgpt_export_gives_the_branch_that_was_shown(
    tmp_path: Path, more: dict[str, object]
) -> None:
    """Branches left, hidden messages, tools, pictures, thoughts and marks are not in it."""
    last = conversation(**more)
    if more:
        nodes = last["mapping"]
        assert isinstance(nodes, dict)
        for item in nodes.values():
            item["children"] = [name for name in nodes if nodes[name]["parent"] == item]
    empty = {"mapping": {}, "current_node": None}
    found = loaded(tmp_path, json.dumps([empty, last]))
    (talk,) = found.talks
    assert talk.turns == (SaidTurn("Better words", "It is Bergen."),)
    assert "ChatGPT's export: 1 talk" in found.note
    assert "; 1 talk in which nothing was said is left out." in found.note
    assert "Private" not in talk.id


@pytest.mark.parametrize("parent", ["reply", "nowhere", 7, ["new"]])
def test_a_chatgpt_branch_without_a_beginning_is_refused(tmp_path: Path, parent: object) -> None:
    """A circle ends, and a lost message does not silently cut a talk."""
    broken = conversation()
    nodes = broken["mapping"]
    assert isinstance(nodes, dict)
    nodes["new"]["parent"] = parent
    with pytest.raises(TalksError, match=r"^Conversation 1 of .* lead to no beginning"):
        loaded(tmp_path, json.dumps([broken]))


# --- Pace's own history


def entry(session: str, status: str, user: str, reply: str) -> dict[str, object]:
    return {"number": 1, "session": session, "status": status, "user": user, "reply": reply}


def test_pace_s_own_history_is_a_talk_for_each_session(tmp_path: Path) -> None:
    """Turns taken back, replaced, failed or without a reply are left out."""
    found = loaded(
        tmp_path,
        lines(
            entry("s1", "answered", "One", "Uno"),
            entry("s2", "answered", "Two", "Dos"),
            entry("s1", "interrupted", "Three", "Tre"),
            entry("s1", "taken back", "Four", "Quattro"),
            entry("s1", "replaced", "Five", "Cinque"),
            entry("s2", "answered", "Six", " "),
            entry("s3", "failed", "Seven", ""),
        ),
    )
    assert {talk.id: talk.turns for talk in found.talks} == {
        "s1": (SaidTurn("One", "Uno"), SaidTurn("Three", "Tre")),
        "s2": (SaidTurn("Two", "Dos"),),
    }
    assert "Pace's own history: 2 talks" in found.note


# --- what is refused

WORD = "Ottilie"
_BAD_FACTS = {
    "no object": (7, "Give an object"),
    "turn": ({**FACT, "turn": 2}, "counted from 0"),
    "turn that is true": ({**FACT, "turn": True}, "counted from 0"),
    "until": ({**FACT, "until": 0}, "Give until"),
    "by": ({**FACT, "by": WORD}, "Give by"),
    "weak": ({**FACT, "weak": 2}, "Give weak"),
    "keywords": ({**FACT, "keywords": []}, "at least one"),
    "keywords as text": ({**FACT, "keywords": WORD}, "list of words"),
    "cues": ({**FACT, "cues": [1]}, "list of words"),
    "answer": ({**FACT, "answer": None}, "no text as its answer"),
    "question": ({**FACT, "question": 1}, "no text as its question"),
}
_BAD = {
    "empty": ("", "is empty"),
    "blank lines": ("\n \n", "is empty"),
    "words": (f"Hello {WORD}", r"no JSON \(line 1\)"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\xff", "no UTF-8 text"),
    "zeros": (b"\0" * 64, "no JSON"),
    "deep line": (lines(TALK) + "[" * 100_000, "Line 2 of .* nested too deeply"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "huge number": ("9" * 5_000, "a number too long"),
    "another number": ("42", "nothing that Pace can read"),
    "text": (f'"{WORD}"', "nothing that Pace can read"),
    "other object": (f'{{"{WORD}": 1}}', "nothing that Pace can read"),
    "other list": ("[1, 2]", r"Conversation 1 of .* is nothing that Pace can read"),
    "no talk": ("[]", "no talk in which anything was said"),
    "no words": (json.dumps([{"role": "system", "content": WORD}]), "no talk in which"),
    "no history": (lines(entry("s", "failed", WORD, "")), "no talk in which"),
    "bad history": (lines(entry("s", "answered", WORD, "x") | {"user": 1}), "Make it again"),
    "broken line": (lines(TALK) + lines(TALK)[:40] + "\n" + lines(TALK), "Line 2 of .* no JSON"),
    "broken end": (json.dumps(MESSAGES, indent=1)[:-40], r"no JSON \(line \d+\)"),
    "mixed": (lines(TALK, MESSAGES), "Line 2 of .* not what stands before"),
    "role": (json.dumps([{"role": WORD, "content": ""}]), "Message 1 of .* role that Pace"),
    "no role": (json.dumps([*MESSAGES, {"content": WORD}]), "Message 8 of .* has no role"),
    "content": (json.dumps([{"role": "user", "content": 7}]), "content that is no text"),
    "part": (json.dumps([{"role": "user", "content": [{"type": "text"}]}]), "that is no text"),
    "messages": ('{"messages": 3}', "messages that are no list"),
    "mapping": ('{"mapping": 3}', "lead to no beginning"),
    "no turns": (lines({"turns": []}), "has no turns"),
    "turn": (lines({"turns": [WORD]}), "Turn 0 of .* is none"),
    "blank turn": (lines({"turns": [{"user": " "}]}), "blank on both sides"),
    "id": (lines({**TALK, "id": 3}), "no text as its id"),
    "facts": (lines({**TALK, "facts": 3}), "facts that are no list"),
    **{
        f"fact: {name}": (lines({**TALK, "facts": [fact]}), f"Fact 0 of .* {says}")
        for name, (fact, says) in _BAD_FACTS.items()
    },
}


@pytest.mark.parametrize(("text", "says"), _BAD.values(), ids=_BAD)
def test_what_is_no_talk_is_refused(tmp_path: Path, text: str | bytes, says: str) -> None:
    """The error is one line that names the file and what to do, and quotes nothing of it."""
    with pytest.raises(TalksError, match=says) as raised:
        loaded(tmp_path, text)
    message = str(raised.value)
    assert str(tmp_path / "file") in message
    assert "\n" not in message
    assert message.endswith(".")
    assert WORD not in message
