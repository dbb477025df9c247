"""The form that engines are held to: its schema, and its grammar."""

import json
import re
from random import Random

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from envelope.gbnf import literals_of, names_of, rules_of, text_of
from envelope.offers import ALL, LIST_TIMERS, OPEN_APP, START_TIMER
from pace.envelope.form import reply_form
from pace.envelope.reading import EnvelopeReader

SCHEMA = json.loads(reply_form(ALL, 400).schema)
GRAMMAR = reply_form(ALL, 400).grammar
NAMES = [action.name for action in ALL]
# Their own words, which stand within strings.
OWN = {json.dumps('say "hi"'), json.dumps('with "quotes"')}
CALL = {"name": "open_app", "args": {"name": "Firefox"}}
TALK = {"intent": "answer", "spokenText": "Hello."}
ACT = {"intent": "action", "spokenText": "Okay.", "payload": CALL}


def is_allowed(reply: object) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(reply)


def _repeats_a_key(text: str) -> bool:
    """As an object of free keys may, which no grammar can forbid; the reader turns it down."""
    pairs: list[list[str]] = []
    json.loads(text, object_pairs_hook=lambda found: pairs.append([key for key, _ in found]))
    return any(len(set(keys)) < len(keys) for keys in pairs)


def test_the_schema_is_a_schema() -> None:
    """What is sent to engines is valid JSON Schema, with and without actions."""
    for actions in (ALL, ()):
        jsonschema.Draft202012Validator.check_schema(json.loads(reply_form(actions, 400).schema))


def test_the_same_actions_give_the_same_text() -> None:
    """The form is the same text for the same actions, so that no cache misses it."""
    assert reply_form(ALL, 400) == reply_form(list(ALL), 400)
    assert reply_form(ALL, 400) != reply_form(ALL[:2], 400)


@pytest.mark.parametrize(
    "reply",
    [
        TALK,
        ACT,
        {**ACT, "payload": {"calls": [CALL, {"name": "list_timers", "args": {}}]}},
        {**TALK, "intent": "dictate", "payload": {"text": "Dear Ann", "target": "focused"}},
        {**TALK, "intent": "edit", "payload": {"replacement": "x", "target": "selection"}},
        {**TALK, "payload": {"answer": "42", "command": "undo"}},
    ],
)
def test_it_allows_what_an_envelope_is(reply: dict) -> None:
    """One action or several for the intent action, texts and a target for the others."""
    assert is_allowed(reply)


@pytest.mark.parametrize(
    "reply",
    [
        {"intent": "answer"},
        {**TALK, "intent": "shout"},
        {**TALK, "spokenText": 3},
        {**TALK, "mood": "good"},
        {**TALK, "payload": CALL},
        {**TALK, "payload": {"target": "clipboard"}},
        {**ACT, "payload": None},
        {key: ACT[key] for key in ("intent", "spokenText")},
        {**ACT, "payload": {"name": "format_disk", "args": {}}},
        {**ACT, "payload": {"name": "open_app", "args": {"name": 3}}},
        {**ACT, "payload": {"name": "open_app", "args": {}}},
        {**ACT, "payload": {"name": "open_app", "args": {"name": "x", "force": True}}},
        {**ACT, "payload": {**CALL, "calls": [CALL]}},
        {**ACT, "payload": {"calls": []}},
        {**ACT, "payload": {"calls": [CALL] * 7}},
        {**ACT, "payload": {"calls": [{**CALL, "id": 1}]}},
    ],
)
def test_it_allows_nothing_else(reply: dict) -> None:
    """No other key, intent, action or argument, no action that another intent names."""
    assert not is_allowed(reply)


def test_without_actions_none_can_be_asked_for() -> None:
    """An installation that can do nothing has a form without the intent action."""
    form = reply_form((), 400)
    assert '"action"' not in form.schema
    assert "action" not in form.grammar
    assert text_of(form.grammar, lambda _: 0) == '{"spokenText":"a","intent":"answer"}'


@given(st.integers())
def test_what_the_grammar_allows_is_an_envelope(seed: int) -> None:
    """Every text of the grammar is valid by the schema, and is read as an envelope."""
    text = text_of(GRAMMAR, Random(seed).randrange)  # noqa: S311 - no secret
    assume(not _repeats_a_key(text))
    assert is_allowed(json.loads(text))
    reader = EnvelopeReader(NAMES)
    shown = reader.feed(text)
    assert reader.is_whole
    assert reader.finish(cut_off=False, tokens=None).spoken_text == shown == shown.lstrip()


@given(st.integers())
def test_the_grammar_leaves_no_choice_of_white_space(seed: int) -> None:
    """B85: outside strings there is none, between two tokens or at the end."""
    text = text_of(GRAMMAR, Random(seed).randrange)  # noqa: S311 - no secret
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "0", text)
    assert not re.search(r"\s", bare)


def test_only_strings_hold_white_space_of_any_number() -> None:
    """B85: a check of the rules: no fixed text has white space, and no class but of strings."""
    rules = rules_of(GRAMMAR)
    for name, rule in rules.items():
        for literal in literals_of(rule):
            assert not re.search(r"\s", literal) or literal in OWN, name
        has_classes = re.search(r"(?<!\\)\[[^\]]*\]", re.sub(r'"(?:[^"\\]|\\.)*"', "", rule))
        assert not has_classes or name in {"first", "char", "integer", "number"}
    assert literals_of(rules["act"])[-1] == literals_of(rules["talk"])[-1] == "}"


def test_every_rule_is_there_once() -> None:
    """The grammar names no rule that it does not have."""
    rules = rules_of(GRAMMAR)
    assert set().union(*(names_of(rule) for rule in rules.values())) <= rules.keys()


def test_words_come_first_and_actions_last() -> None:
    """Words to speak are out while what to do is still decided."""
    form = reply_form((OPEN_APP, START_TIMER, LIST_TIMERS), 400)
    text = text_of(form.grammar, lambda count: count - 1)
    assert list(json.loads(text)) == ["spokenText", "intent", "payload"]
