"""Starts a timer, which rings on the desktop and in the conversation while Pace runs."""

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from pace.actions.arguments import Given, Line, TypedArguments
from pace.actions.telling import quoted
from pace.actions.timers.durations import duration_of, said
from pace.actions.timers.timers import Timers
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


def _duration(text: str) -> str:
    return said(duration_of(text))


class _Given(Given):
    duration: Annotated[Line, AfterValidator(_duration)] = Field(
        min_length=1,
        max_length=60,
        description="How long, with its unit, such as 10 minutes or 1 hour 30 minutes",
    )
    label: Line = Field("", max_length=60, description="What the timer is for, such as tea")


_ARGUMENTS = TypedArguments("start_timer", _Given)


class StartTimer:
    """The action `start_timer`."""

    traits = ActionTraits(
        name="start_timer",
        description="Start a timer that rings after a while.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=(
            "Set a timer for 10 minutes for the pasta.",
            {"duration": "10 minutes", "label": "pasta"},
        ),
    )

    def __init__(self, timers: Timers) -> None:
        self._timers = timers

    def checked(self, arguments: Arguments) -> Arguments:
        """A duration that could be understood, set in one form."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Name the duration as it was understood."""
        given = _ARGUMENTS.read(arguments)
        name = f" called {quoted(given.label)}" if given.label else ""
        return f"start a timer of {given.duration}{name}"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Start it at once."""
        given = _ARGUMENTS.read(arguments)
        duration = duration_of(given.duration)
        timer = self._timers.start(duration, given.label)
        name = f" called {quoted(timer.label)}" if given.label else ""
        return ActionResult(
            line=f"Started a timer of {given.duration}{name}.",
            shown=f"It rings {_at(self._timers, duration)}, as long as Pace runs.",
        )


def _at(timers: Timers, duration: timedelta) -> str:
    rings_at = timers.local_time() + duration
    return f"at {rings_at:%H:%M:%S}" if duration < timedelta(minutes=2) else f"at {rings_at:%H:%M}"
