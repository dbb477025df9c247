"""Which keys a thread has: found by a hash of its id, all of them in one slot of a cluster."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from pace.errors import SettingsError
from pace.memory.turn import ThreadId

# As long as a BLAKE2b key may be (RFC 7693), and nothing that a SCAN pattern or a slot would read.
_PREFIX = re.compile(r"[A-Za-z0-9._-]{1,64}")
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class ThreadKeys:
    """The keys of one thread; what stands in braces decides their slot."""

    root: str

    @property
    def value(self) -> str:
        """The thread itself."""
        return f"{self.root}:value"

    @property
    def pending(self) -> str:
        """The thread's id, for as long as something waits for a fold."""
        return f"{self.root}:pending"

    @property
    def turn(self) -> str:
        """Who has the thread's turn."""
        return f"{self.root}:turn"

    @property
    def fold(self) -> str:
        """Who folds the thread."""
        return f"{self.root}:fold"

    @property
    def data(self) -> tuple[str, str]:
        """The keys that hold the conversation, and so expire together."""
        return self.value, self.pending


class KeyNames:
    """Names of keys in one installation; the prefix keeps it apart from others on the server."""

    def __init__(self, prefix: str) -> None:
        if not _PREFIX.fullmatch(prefix):
            raise SettingsError(
                "The store's prefix must be 1 to 64 letters, digits, dots, dashes or underscores."
            )
        self._prefix = prefix

    def of(self, thread_id: ThreadId) -> ThreadKeys:
        """The thread's keys. Nothing of the id is in them, whatever it holds (B132)."""
        digest = blake2b(id_bytes(thread_id), digest_size=_DIGEST_BYTES, key=self._prefix.encode())
        return ThreadKeys(f"{self._prefix}:{{{digest.hexdigest()}}}")

    @property
    def every_value(self) -> str:
        """The SCAN pattern of all threads."""
        return f"{self._prefix}:{{*}}:value"

    @property
    def every_pending(self) -> str:
        """The SCAN pattern of threads that wait for a fold."""
        return f"{self._prefix}:{{*}}:pending"


def id_bytes(thread_id: ThreadId) -> bytes:
    """An id as it is kept; one that comes from JSON may hold half of a surrogate pair."""
    return thread_id.encode("utf-8", "surrogatepass")


def id_of(kept: bytes) -> ThreadId:
    """The id that was kept so."""
    return ThreadId(kept.decode("utf-8", "surrogatepass"))
