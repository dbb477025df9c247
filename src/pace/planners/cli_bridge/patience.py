"""How long a program may go on without a word of its reply."""

import asyncio
from dataclasses import dataclass

from pace.planners.cli_bridge.program import Program
from pace.planners.cli_bridge.reply import Reply
from pace.planners.cli_bridge.vendor import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """In seconds: until the first line, between two lines, and while it only tries again.

    Some programs tell nothing while a model reasons, and a model may reason for minutes. Between
    two words `silence` holds, too, whatever other lines come, and at most `wordless` bytes of them
    are read. There is no limit for a whole reply.
    """

    first: float = 120.0
    silence: float = 600.0
    trouble: float = 30.0
    wordless: int = 64_000_000


class Trouble:
    """How long a program has only tried again."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._since: float | None = None
        self._was_told = False

    def begins(self, reader: Reader) -> bool:
        """Whether the person is to be told now; that is once in a reply."""
        if not reader.told.is_troubled:
            self._since = None
            return False
        if self._since is None:
            self._since = asyncio.get_running_loop().time()
        was_told, self._was_told = self._was_told, True
        return not was_told

    def is_too_long(self) -> bool:
        """Whether it is time to give up."""
        if self._since is None:
            return False
        return asyncio.get_running_loop().time() - self._since > self._limit


class Patience:
    """With lines that bring no word: an end by their time, their bytes or their number."""

    def __init__(self, program: Program, reply: Reply, limits: Limits) -> None:
        self._program = program
        self._reply = reply
        self._limits = limits
        self._renew()

    def note_line(self, *, has_words: bool) -> None:
        """A line came, with or without words or thoughts."""
        if has_words:
            self._renew()
        else:
            self._reply.pass_over()

    def is_over(self) -> bool:
        """Whether no more is taken."""
        waited = asyncio.get_running_loop().time() - self._since
        read = self._program.bytes_read - self._bytes
        is_too_much = waited > self._limits.silence or read > self._limits.wordless
        return is_too_much or self._reply.is_full

    def _renew(self) -> None:
        self._since = asyncio.get_running_loop().time()
        self._bytes = self._program.bytes_read
