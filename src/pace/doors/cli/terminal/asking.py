"""What the loop needs of an input line, whatever the terminal can do."""

from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractContextManager
from typing import Protocol

from pace.doors.faults import fault_sentence

# Lines that come closer together than this were pasted, not typed (seconds).
BURST = 0.05
# An answer begins after a pause of so many seconds since the question and the last key: whoever is
# in the middle of typing means something else.
SETTLE = 0.7
LEAVE_HINT = "Ctrl-C again leaves, Ctrl-D does too"
KEPT_HINT = "Kept for afterwards. Type y or n, then Enter."
EARLY_HINT = "That came before the question could be read; type it again."

# Takes the line that is being typed at a question, and a hint about what was typed before it.
Show = Callable[[str, str], None]


async def kept_quiet(beside: Callable[[], Awaitable[None]], tell: Callable[[str], None]) -> None:
    """Run what goes on beside a line; a fault of it is told in a sentence, and the line goes on."""
    try:
        await beside()
    except Exception as error:  # noqa: BLE001  # the loop would print it, words and all
        tell(fault_sentence(error))


class InputLine(Protocol):
    """Asks a person for one message at a time.

    `was_cleared` tells whether the person threw the words to begin with away, at the last message.
    """

    was_cleared: bool

    async def ask(self, prefill: str, *, beside: Callable[[], Awaitable[None]]) -> str | None:
        """One message, with its line ends; None when the person leaves.

        `beside` runs meanwhile, and is cancelled when the message is there.
        """
        ...

    async def above(self, write: Callable[[], None]) -> None:
        """Let something be written above the line while a person is being asked."""
        ...

    def refresh(self) -> None:
        """Show the toolbar as it is now."""
        ...

    def interrupt(self) -> None:
        """Take an interrupt from outside as Ctrl-C: the second in a row leaves."""
        ...

    async def choose(self, words: Collection[str], show: Show) -> str:
        """One of these words, typed after a pause and sent with Enter, while a reply comes.

        Whatever else is typed meanwhile is for the next message, and answers nothing; one of the
        words that came too early is for nothing. `show` is told of each. Waits for ever where
        nobody can type any more.
        """
        ...

    def replying(self, stop: Callable[[], None]) -> AbstractContextManager[None]:
        """While a reply comes, keys are kept for the next message, and Ctrl-C calls `stop`."""
        ...
