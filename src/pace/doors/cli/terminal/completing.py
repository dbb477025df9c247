"""Offers slash commands and what they take, with a word about each, while a command is typed."""

from collections.abc import Callable, Iterable, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from pace.doors.cli.terminal.commands import COMMANDS

Choices = Callable[[], Sequence[tuple[str, str]]]
"""What a command may be given, each with a word about it."""


class CommandCompleter(Completer):
    """Completes a line that begins with one slash; `choices` are asked by the command's name."""

    def __init__(self, choices: dict[str, Choices]) -> None:
        self._choices = choices
        self._paths = PathCompleter(expanduser=True)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Every completion of what stands before the cursor."""
        typed = document.text_before_cursor
        if not typed.startswith("/") or typed.startswith("//") or "\n" in document.text:
            return
        word, space, rest = typed.partition(" ")
        if not space:
            yield from _commands(word[1:])
        elif word == "/file":
            yield from self._paths.get_completions(Document(rest), complete_event)
        elif choices := self._choices.get(word[1:]):
            yield from _matching(rest, choices())


def _commands(begun: str) -> Iterable[Completion]:
    for command in COMMANDS:
        if command.name.startswith(begun.lower()):
            yield Completion(
                f"/{command.name}{' ' if command.takes and '[' not in command.takes else ''}",
                start_position=-len(begun) - 1,
                display=f"/{command.name} {command.takes}".rstrip(),
                display_meta=command.does,
            )


def _matching(begun: str, choices: Sequence[tuple[str, str]]) -> Iterable[Completion]:
    for value, told in choices:
        if value.startswith(begun):
            yield Completion(value, start_position=-len(begun), display_meta=told)
