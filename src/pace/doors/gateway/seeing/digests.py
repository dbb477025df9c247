"""What stands in logs and traces for a thread, whose name is its client's and could hold words."""

import hashlib
import secrets


class Digests:
    """Digests of names, keyed, so that whoever has the log cannot try out what a name might be.

    The `secret` is random and shared by the processes that serve together, which therefore write
    the same for one thread; it lasts as long as they do.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, name: str) -> str:
        """What stands for a name."""
        text = name.encode("utf-8", "replace")
        return hashlib.blake2b(text, key=self._secret, digest_size=8).hexdigest()


def new_secret() -> bytes:
    """A secret that nobody has yet."""
    return secrets.token_bytes(32)
