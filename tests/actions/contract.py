"""What every action keeps to, whatever it does."""

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pace.errors import ActionError, ActionRefusedError
from pace.ports import Action, Arguments
from planners.processes import wait_died

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_STEPS = 12


def assert_one_plain_line(text: str) -> None:
    """Words that fit in one line of any screen, and that do nothing there."""
    assert text
    assert text.isprintable(), repr(text)
    assert text == " ".join(text.split())


def processes() -> set[int]:
    """The processes that this one has started and that were not seen to end."""
    found: set[int] = set()
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError):  # the thread has ended meanwhile
            found.update(map(int, children.read_text().split()))
    return found


async def assert_nothing_runs(before: set[asyncio.Task[Any]], started_before: set[int]) -> None:
    """What a cancelled action left to the loop, and what it had started, ends within this limit."""
    async with asyncio.timeout(10):
        while left := asyncio.all_tasks() - before:
            await asyncio.wait(left)
        for process_id in processes() - started_before:
            await wait_died(process_id)


class ActionContract:
    """Inherit it; give fixtures `action`, and `arguments` with which it can be run often."""

    def test_its_name_fits_every_provider(self, action: Action) -> None:
        """A name has only characters that every API takes for a function's."""
        assert NAME.fullmatch(action.traits.name)
        assert_one_plain_line(action.traits.description)

    def test_its_traits_stay(self, action: Action) -> None:
        """What it is does not change while it is offered."""
        assert action.traits == action.traits
        assert action.traits.time_limit > 0

    def test_its_schema_is_one_of_an_object(self, action: Action, arguments: Arguments) -> None:
        """The schema is valid, takes the arguments, and takes nothing that it does not name."""
        schema = dict(action.traits.arguments)
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        Draft202012Validator(schema).validate(dict(arguments))
        assert set(schema.get("required", [])) <= set(schema.get("properties", {}))

    def test_its_example_passes(self, action: Action) -> None:
        """What a model is shown as an example can be used as it is."""
        if action.traits.example is None:
            pytest.skip("it has no example")
        words, arguments = action.traits.example
        assert_one_plain_line(words)
        Draft202012Validator(dict(action.traits.arguments)).validate(dict(arguments))
        assert_one_plain_line(action.would(action.checked(arguments)))

    def test_checking_again_changes_nothing(self, action: Action, arguments: Arguments) -> None:
        """Checked arguments are the ones that are used, however often they are checked."""
        checked = action.checked(arguments)
        assert action.checked(checked) == checked

    def test_it_refuses_what_it_does_not_know(self, action: Action, arguments: Arguments) -> None:
        """An argument that it does not have is refused in one sentence, before anything is done."""
        with pytest.raises(ActionRefusedError) as refused:
            action.checked({**arguments, "no_such_argument": "x"})
        assert_one_plain_line(str(refused.value))

    def test_what_it_would_do_is_one_line(self, action: Action, arguments: Arguments) -> None:
        """The question goes after "Pace would", on one line, without a full stop."""
        would = action.would(action.checked(arguments))
        assert_one_plain_line(would)
        assert not would.endswith(".")
        assert would[0].islower()

    async def test_what_was_done_is_one_line(self, action: Action, arguments: Arguments) -> None:
        """What is remembered is one plain sentence."""
        result = await action.run(action.checked(arguments))
        assert_one_plain_line(result.line)
        assert result.line.endswith(".")

    @pytest.mark.parametrize("steps", range(_STEPS))
    async def test_cancelling_leaves_nothing(
        self, action: Action, arguments: Arguments, steps: int
    ) -> None:
        """Cancelled at any step it leaves no task and no process, and the next run goes well."""
        before, started_before = asyncio.all_tasks(), processes()
        run = asyncio.create_task(self._run(action, arguments))
        for _ in range(steps):
            await asyncio.sleep(0)
        run.cancel()
        with suppress(asyncio.CancelledError):
            await run
        await assert_nothing_runs(before, started_before)
        assert (await action.run(action.checked(arguments))).line

    @staticmethod
    async def _run(action: Action, arguments: Arguments) -> None:
        with suppress(ActionError):
            await action.run(action.checked(arguments))
