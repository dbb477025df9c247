"""B81: what Pace itself says leaves most of the small context to the conversation."""

import json
from pathlib import Path

import pytest

from pace.actions.builtin import builtin_actions
from pace.actions.notes.folder import NotesFolder
from pace.actions.timers.timers import Timers
from pace.envelope.form import reply_form
from pace.envelope.instructions import instructions
from pace.memory.tokens import estimate_tokens
from pace.planners.apple.guided_form import as_read, guided_form
from pace.planners.apple.planner import CONTEXT_TOKENS
from pace.ports import ActionTraits
from pace.settings import DEFAULT_INSTRUCTIONS
from pace.testing import ManualClock


async def unheard(*_: object) -> None:
    """Nobody is notified."""


@pytest.fixture
def actions(tmp_path: Path) -> list[ActionTraits]:
    timers = Timers(ManualClock(), notify=unheard, tell=lambda _: None)
    built_in = builtin_actions(notes=NotesFolder(lambda: tmp_path), timers=timers)
    return [action.traits for action in built_in]


def test_the_form_of_a_reply_can_be_guided(actions: list[ActionTraits]) -> None:
    """The envelope of this installation can be said in Apple's dialect, with its action names."""
    form = json.dumps(guided_form(reply_form(actions, 400).schema))
    assert all(json.dumps(action.name) in form for action in actions)


def test_system_text_and_schema_take_less_than_half(actions: list[ActionTraits]) -> None:
    """B81: instructions, actions in words and the schema use less than half of 4,096 tokens."""
    said = f"{DEFAULT_INSTRUCTIONS}\n\n{instructions(actions)}"
    form = as_read(guided_form(reply_form(actions, 400).schema))
    assert estimate_tokens(said) + estimate_tokens(form) < CONTEXT_TOKENS // 2
