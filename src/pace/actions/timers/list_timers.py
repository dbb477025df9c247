"""Lists the timers that run."""

from pace.actions.arguments import Given, TypedArguments
from pace.actions.telling import counted, shown
from pace.actions.timers.durations import said
from pace.actions.timers.timers import Timers
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


class _Given(Given):
    pass


_ARGUMENTS = TypedArguments("list_timers", _Given)


class ListTimers:
    """The action `list_timers`."""

    traits = ActionTraits(
        name="list_timers",
        description="Tell which timers run and how long.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.READS,
        example=("How long is left on my timer?", {}),
    )

    def __init__(self, timers: Timers) -> None:
        self._timers = timers

    def checked(self, arguments: Arguments) -> Arguments:
        """It takes none."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """It changes nothing."""
        _ARGUMENTS.read(arguments)
        return "list the timers that run"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Each with the time that is left, the next to ring first."""
        _ARGUMENTS.read(arguments)
        timers = self._timers.running
        if not timers:
            return ActionResult(line="No timer runs.")
        left = [f"{shown(timer.label)}: {said(self._timers.left(timer))} left" for timer in timers]
        return ActionResult(
            line=f"Listed {counted(len(timers), 'timer')}.",
            shown="\n".join(f"- {line}" for line in left),
        )
