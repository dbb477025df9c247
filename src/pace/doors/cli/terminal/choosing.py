"""An answer typed key by key while a reply comes, told from words that are for the next message."""

import asyncio
from collections.abc import Collection, Sequence

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from pace.doors.cli.terminal.asking import EARLY_HINT, KEPT_HINT, SETTLE, Show

_ENTER = frozenset({Keys.ControlM, Keys.ControlJ})


class Choice:
    """A question that waits for one of a few words and Enter; `show` is told whatever is typed.

    `begun` are the keys of a line that was begun before the question.
    """

    def __init__(self, words: Collection[str], show: Show, begun: Sequence[KeyPress]) -> None:
        self._loop = asyncio.get_running_loop()
        self.chosen: asyncio.Future[str] = self._loop.create_future()
        self._words = frozenset(words)
        self._show = show
        self._last_key = self._loop.time()
        self._line = list(begun)
        self._answer: list[KeyPress] = []
        self._hint = ""

    def take(self, key: KeyPress) -> Sequence[KeyPress]:
        """Hold a key; its Enter gives the line that is for the next message."""
        now = self._loop.time()
        after_a_pause, self._last_key = now - self._last_key >= SETTLE, now
        if self.chosen.done():
            return (key,)
        if key.key in _ENTER:
            return self._enter(key)
        erases_line = key.key == Keys.Backspace and not typed_text(self._answer)
        if erases_line or not (self._answer or after_a_pause):
            self._line.append(key)
        else:
            self._hold(key)
        self.tell()
        return ()

    def let_go(self) -> list[KeyPress]:
        """The keys that were held."""
        held = [*self._line, *self._answer]
        self._line, self._answer = [], []
        return held

    def tell(self, hint: str = "") -> None:
        """Show the line as it stands now; a hint stays until another one takes its place."""
        self._hint = hint or self._hint
        self._show(typed_text(self._answer or self._line), self._hint)

    def _hold(self, key: KeyPress) -> None:
        """Take a key for one of an answer, as long as one can come of it."""
        if not self._answer and typed_text(self._line):
            self._hint = KEPT_HINT
        self._answer.append(key)
        said = typed_text(self._answer).lower()
        if not any(word.startswith(said) for word in self._words):
            self._line = self.let_go()

    def _enter(self, key: KeyPress) -> Sequence[KeyPress]:
        answer = typed_text(self._answer).lower()
        if answer in self._words:
            self._answer = []
            self.chosen.set_result(answer)
            return ()
        line = self.let_go()
        if is_bare(line, self._words):
            self.tell(EARLY_HINT)
            return ()
        self.tell(KEPT_HINT if typed_text(line).strip() else "")
        return (*line, key)


def is_bare(keys: Sequence[KeyPress], words: Collection[str]) -> bool:
    """Whether a line is one of the words and nothing else."""
    return typed_text(keys).strip().lower() in words


def typed_text(keys: Sequence[KeyPress]) -> str:
    """What keys have written, as far as it can be told without an editor."""
    text = ""
    for key in keys:
        if key.key == Keys.Backspace:
            text = text[:-1]
        elif key.data.isprintable():
            text += key.data
    return text
