"""Puts a text into the clipboard; what was there is gone, so it asks first."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pace.actions.arguments import Given, LongText, TypedArguments
from pace.actions.clipboard.system import SystemClipboard
from pace.actions.telling import counted, quoted
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


def _without_nulls(text: str) -> str:
    if "\0" in text:
        raise ValueError("A text with a null character cannot go into the clipboard. Leave it out.")
    return text


class _Given(Given):
    text: Annotated[LongText, AfterValidator(_without_nulls)] = Field(
        min_length=1, description="The text to put there, word for word"
    )


_ARGUMENTS = TypedArguments("write_clipboard", _Given)


class WriteClipboard:
    """The action `write_clipboard`."""

    traits = ActionTraits(
        name="write_clipboard",
        description="Copy a text into the clipboard.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=("Copy 42 Main Street to the clipboard.", {"text": "42 Main Street"}),
    )

    def __init__(self, clipboard: SystemClipboard) -> None:
        self._clipboard = clipboard

    def checked(self, arguments: Arguments) -> Arguments:
        """A text of bearable length."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Show how the text begins, and how long it is."""
        text = _ARGUMENTS.read(arguments).text
        return f"put {quoted(text)} ({counted(len(text), 'character')}) into your clipboard"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Replace what is in the clipboard."""
        text = _ARGUMENTS.read(arguments).text
        await self._clipboard.write(text)
        return ActionResult(line=f"Put {counted(len(text), 'character')} into the clipboard.")
