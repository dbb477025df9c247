"""Finds notes, and shows where the words stand in them."""

from pydantic import Field

from pace.actions.arguments import Given, Line, TypedArguments
from pace.actions.notes.folder import NotesFolder
from pace.actions.telling import counted, quoted
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


class _Given(Given):
    query: Line = Field(
        "", max_length=120, description="Words to look for; left out, the newest notes"
    )


_ARGUMENTS = TypedArguments("search_notes", _Given)


class SearchNotes:
    """The action `search_notes`."""

    traits = ActionTraits(
        name="search_notes",
        description="Look up in their notes what, or whether, they noted.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.READS,
        example=("What did I note about the garage?", {"query": "garage"}),
    )

    def __init__(self, notes: NotesFolder) -> None:
        self._notes = notes

    def checked(self, arguments: Arguments) -> Arguments:
        """Words, or none."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Name the words."""
        query = _ARGUMENTS.read(arguments).query
        return f"search your notes for {quoted(query)}" if query else "list your newest notes"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Show the notes that hold every word, the best first, each with a piece of its text."""
        query = _ARGUMENTS.read(arguments).query
        search = await self._notes.search(query)
        what = f" for {quoted(query)}" if query else ""
        if not search.total:
            return ActionResult(line=f"Searched the notes{what}; found none.")
        return ActionResult(
            line=f"Searched the notes{what}; found {counted(search.total, 'note')}.",
            shown="\n".join(f"- {found.title}: {found.snippet}" for found in search.best),
        )
