"""Adds to a note, and begins it if there is none of that title."""

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
        description="Add to a list or a note that is there.",
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
        note = f"your note {quoted(given.title)}, or begin it if there is none"
        return f"add {quoted(given.text)} ({length}) to {note}"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Add it once, at the end of the note of that title."""
        given = _ARGUMENTS.read(arguments)
        note = await self._notes.append(given.title, given.text)
        done = "Began a note called" if note.is_new else "Added to the note"
        return ActionResult(line=f"{done} {quoted(note.title)}.", shown=str(note.path))
