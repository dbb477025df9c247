"""Reads the clipboard; it asks first, since what it finds is shown and may go on to a planner."""

from pace.actions.arguments import Given, TypedArguments
from pace.actions.clipboard.system import SystemClipboard
from pace.actions.telling import bounded, counted
from pace.ports import ActionResult, ActionTraits, Arguments, Risk

_MOST_SHOWN = 4000


class _Given(Given):
    pass


_ARGUMENTS = TypedArguments("read_clipboard", _Given)


class ReadClipboard:
    """The action `read_clipboard`."""

    traits = ActionTraits(
        name="read_clipboard",
        description="Read the text that is in the clipboard.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=("What did I copy?", {}),
    )

    def __init__(self, clipboard: SystemClipboard) -> None:
        self._clipboard = clipboard

    def checked(self, arguments: Arguments) -> Arguments:
        """It takes none."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Say where the text goes, too."""
        _ARGUMENTS.read(arguments)
        return "read your clipboard and show its text here"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Show its text; of that, only the length is remembered."""
        _ARGUMENTS.read(arguments)
        text = await self._clipboard.read()
        if not text:
            return ActionResult(line="Read the clipboard; there is no text in it.")
        return ActionResult(
            line=f"Read the clipboard: {counted(len(text), 'character')}.",
            shown=bounded(text, _MOST_SHOWN),
        )
