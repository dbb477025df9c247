"""The contract over every built-in action, with real files and real programs."""

import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from actions.contract import ActionContract, assert_one_plain_line
from actions.desktop import Desktop
from pace.actions.registry import Registry
from pace.actions.timers.timers import Timers
from pace.errors import ActionRefusedError
from pace.ports import Action, ActionResult, Arguments, Risk

GIVEN: Mapping[str, Arguments] = {
    "open_app": {"name": "Calculator"},
    "open_address": {"address": "https://example.com/a?b=c#d"},
    "read_clipboard": {},
    "write_clipboard": {"text": "two\nlines"},
    "start_timer": {"duration": "1h 30m", "label": "tea"},
    "list_timers": {},
    "cancel_timer": {"label": "all"},
    "take_note": {"title": "Plans", "text": "Paint the door."},
    "append_note": {"title": "Shopping", "text": "milk"},
    "search_notes": {"query": "bread"},
}
# Moves cursors, turns the reading direction, hides, breaks lines, looks like markup.
HOSTILE = "a\x1b[2J\u202e\u200bb\r\n\tc\u2028<script>`$(id)`\x00\ud800"


@pytest.fixture
def action(
    named: str, registry: Registry, desktop: Desktop, timers: Timers, notes_folder: Path
) -> Action:
    desktop.add_recorder("xdg-open")
    desktop.add_recorder("calculator")
    desktop.add_app("Calculator", program="calculator")
    desktop.add_clipboard().write_text("copied")
    notes_folder.mkdir()
    (notes_folder / "Shopping.md").write_text("- bread\n")
    found = registry.named(named)
    assert found is not None
    return _Refilled(found, timers) if named == "cancel_timer" else found


class _Refilled:
    """An action that finds a timer each time that it is run."""

    def __init__(self, action: Action, timers: Timers) -> None:
        self._action = action
        self._timers = timers
        self.traits = action.traits
        self.checked = action.checked
        self.would = action.would

    async def run(self, arguments: Arguments) -> ActionResult:
        self._timers.start(timedelta(minutes=1), "one")
        return await self._action.run(arguments)


@pytest.mark.parametrize("named", GIVEN)
class TestBuiltin(ActionContract):
    """Every action that Pace brings."""

    @pytest.fixture
    def arguments(self, named: str) -> Arguments:
        return GIVEN[named]


@pytest.mark.parametrize("named", GIVEN)
def test_every_schema_is_flat(action: Action) -> None:
    """A schema has no titles, references or unions, so that every engine can be held to it."""
    schema = action.traits.arguments
    assert set(schema) == {"type", "properties", "required", "additionalProperties"}
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert isinstance(properties, dict)
    for field in properties.values():
        assert field["type"] == "string"
        assert set(field) <= {"type", "description", "minLength", "maxLength"}


@pytest.mark.parametrize("named", GIVEN)
def test_every_wrong_type_is_refused_without_its_value(action: Action, named: str) -> None:
    """A number, a list or nothing in place of a text is refused; no refusal quotes it."""
    for name in GIVEN[named]:
        for wrong in (7391, ["7391"], {"7391": 1}, None, True):
            with pytest.raises(ActionRefusedError) as refused:
                action.checked({**GIVEN[named], name: wrong})
            assert_one_plain_line(str(refused.value))
            assert "7391" not in str(refused.value)


@pytest.mark.parametrize("named", GIVEN)
def test_hostile_words_are_refused_or_shown_harmless(action: Action, named: str) -> None:
    """Whatever a model writes into an argument, the question stays one short line of text."""
    for name in GIVEN[named]:
        for words in (HOSTILE, HOSTILE * 100, "\u202e", " ", "\x1b]0;x\x07", "x" * 100_000):
            said = said_of(action, {**GIVEN[named], name: words})
            assert_one_plain_line(said)
            assert len(said) < 400


def said_of(action: Action, arguments: Arguments) -> str:
    """The question, or why there is none."""
    try:
        return action.would(action.checked(arguments))
    except ActionRefusedError as refused:
        return str(refused)


def test_what_changes_something_asks(registry: Registry) -> None:
    """Only looking at timers and notes asks nobody; reading the clipboard does ask."""
    unasked = {one.traits.name for one in registry.offered() if one.traits.risk is Risk.READS}
    assert unasked == {"list_timers", "search_notes"}


def test_they_are_offered_in_one_order(registry: Registry) -> None:
    """The order is always the same, so that a prompt that is made of it is, too."""
    assert [one.traits.name for one in registry.offered()] == list(GIVEN)


@pytest.mark.parametrize("named", ["read_clipboard", "search_notes", "append_note", "take_note"])
async def test_what_is_remembered_holds_no_contents(action: Action, named: str) -> None:
    """The remembered line holds neither the clipboard's text nor a note's."""
    result = await action.run(action.checked(GIVEN[named]))
    assert not re.search("copied|door|milk", result.line)
