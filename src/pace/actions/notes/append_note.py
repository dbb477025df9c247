"""Adds to a note that is there."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pace.actions.arguments import Given, Line, LongText, TypedArguments
from pace.actions.notes.folder import NotesFolder
from pace.actions.notes.names import title_of
from pace.actions.telling import counted, quoted
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


class _Given(Given):
    title: Annotated[Line, AfterValidator(title_of)] = Field(
        min_length=1, max_length=80, description="The title of the note"
    )
    text: LongText = Field(min_length=1, description="What to add at its end")


_ARGUMENTS = TypedArguments("append_note", _Given)


class AppendNote:
    """The action `append_note`."""

    traits = ActionTraits(
        name="append_note",
        description="Add a text to a note or list that they name.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=("Add milk to my shopping list.", {"title": "Shopping list", "text": "milk"}),
    )

    def __init__(self, notes: NotesFolder) -> None:
        self._notes = notes

    def checked(self, arguments: Arguments) -> Arguments:
        """A title and a text."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Show the title and how the text begins."""
        given = _ARGUMENTS.read(arguments)
        length = counted(len(given.text), "character")
        return f"add {quoted(given.text)} ({length}) to your note {quoted(given.title)}"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Add it once, at the end of the note of that title."""
        given = _ARGUMENTS.read(arguments)
        note = await self._notes.append(given.title, given.text)
        return ActionResult(line=f"Added to the note {quoted(note.title)}.", shown=str(note.path))
