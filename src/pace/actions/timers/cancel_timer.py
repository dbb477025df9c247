"""Stops a timer before it rings."""

from pydantic import Field

from pace.actions.arguments import Given, Line, TypedArguments
from pace.actions.telling import counted, quoted
from pace.actions.timers.timers import Timers, means_all
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


class _Given(Given):
    label: Line = Field(
        "",
        max_length=60,
        description="Which timer, by what it is for or how long it is, or all; left out, the only "
        "one",
    )


_ARGUMENTS = TypedArguments("cancel_timer", _Given)


class CancelTimer:
    """The action `cancel_timer`."""

    traits = ActionTraits(
        name="cancel_timer",
        description="Cancel or stop a timer that runs.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=("Cancel the pasta timer.", {"label": "pasta"}),
    )

    def __init__(self, timers: Timers) -> None:
        self._timers = timers

    def checked(self, arguments: Arguments) -> Arguments:
        """A label, or none."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Name the timer."""
        label = _ARGUMENTS.read(arguments).label
        if means_all(label):
            return "cancel every timer"
        return f"cancel the timer {quoted(label)}" if label else "cancel the timer"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Cancel the timer that is meant; none, if more than one could be."""
        cancelled = self._timers.cancel(_ARGUMENTS.read(arguments).label)
        if len(cancelled) == 1:
            return ActionResult(line=f"Cancelled the timer {quoted(cancelled[0].label)}.")
        return ActionResult(line=f"Cancelled {counted(len(cancelled), 'timer')}.")
