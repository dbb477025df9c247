"""Writes a new note; it never writes over another."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pace.actions.arguments import Given, Line, LongText, TypedArguments
from pace.actions.notes.folder import NotesFolder
from pace.actions.notes.names import title_of
from pace.actions.telling import counted, quoted
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


class _Given(Given):
    title: Annotated[Line, AfterValidator(title_of)] = Field(
        min_length=1, max_length=80, description="A short title, such as Shopping list"
    )
    text: LongText = Field(min_length=1, description="What to write down")


_ARGUMENTS = TypedArguments("take_note", _Given)


class TakeNote:
    """The action `take_note`."""

    traits = ActionTraits(
        name="take_note",
        description="Write down, jot down, note or remember something, in a new note.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=(
            "Take a note: the meeting moved to Friday.",
            {"title": "Meeting", "text": "The meeting moved to Friday."},
        ),
    )

    def __init__(self, notes: NotesFolder) -> None:
        self._notes = notes

    def checked(self, arguments: Arguments) -> Arguments:
        """A title that can name a file, and a text."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Show the title and how the text begins."""
        given = _ARGUMENTS.read(arguments)
        length = counted(len(given.text), "character")
        return f"take a note called {quoted(given.title)}: {quoted(given.text)} ({length})"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Write it under its title, or under the title with a number if that is taken."""
        given = _ARGUMENTS.read(arguments)
        note = await self._notes.take(given.title, given.text)
        return ActionResult(line=f"Took a note called {quoted(note.title)}.", shown=str(note.path))
