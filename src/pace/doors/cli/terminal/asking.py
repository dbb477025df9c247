"""What the loop needs of an input line, whatever the terminal can do."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Protocol

from pace.doors.faults import fault_sentence

# Lines that come closer together than this were pasted, not typed (seconds).
BURST = 0.05
# A key that comes sooner after a question than this was meant for something else (seconds).
SETTLE = 0.4
LEAVE_HINT = "Ctrl-C again leaves, Ctrl-D does too"


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

    async def choose(self, keys: str) -> str:
        """One of these keys, as soon as it is pressed while a reply comes; the last one at an end.

        What was typed just before is not taken for an answer.
        """
        ...

    def replying(self, stop: Callable[[], None]) -> AbstractContextManager[None]:
        """While a reply comes, keys are kept for the next message, and Ctrl-C calls `stop`."""
        ...
