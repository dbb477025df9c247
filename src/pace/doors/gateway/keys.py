"""The gateway's keys, in one private file: their hashes alone, so that the file lets nobody in.

A key is 256 random bits. Nothing can be guessed of it, so one SHA-256 keeps it as well as the slow
hashes do that passwords need, and costs a request nothing.
"""

import hashlib
import json
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from pace.errors import SettingsError
from pace.file_lock import only_here_briefly

KEY_BEGINS = "pace-"
"""How every key begins."""
# How long another process's change is waited for (seconds).
_PATIENCE = 5.0
# A running gateway looks this often whether keys came or went (seconds).
_LOOK_SECONDS = 1.0
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKey:
    """What is kept of a key. `made_on` is a day, `sha256` is of the whole key, in hex."""

    id: str
    name: str
    made_on: str
    sha256: str


class KeyFile:
    """The file of keys. Raises SettingsError where it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def kept(self) -> tuple[KeptKey, ...]:
        """Every key that lets in, the oldest first; none, if there is no file."""
        try:
            written = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unusable(self.path, error) from error
        try:
            return tuple(KeptKey(**key) for key in json.loads(written)["keys"])
        except (ValueError, TypeError, KeyError) as error:
            raise SettingsError(
                f"{self.path} is not a file of keys. Move it away, and make new ones: pace keys new"
            ) from error

    def add(self, name: str, *, made_on: str) -> tuple[KeptKey, str]:
        """Make a key; gives what is kept of it, and the key itself, which nobody can show again."""
        name = name.strip()
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise SettingsError(
                f"A key needs a name of at most {_LONGEST_NAME} characters, for you to know it by."
            )
        key = KEY_BEGINS + secrets.token_urlsafe(32)
        kept = KeptKey(id=secrets.token_hex(6), name=name, made_on=made_on, sha256=hash_of(key))
        with self._alone():
            self._write((*self.kept(), kept))
        return kept, key

    def revoke(self, named: str) -> KeptKey:
        """Take a key out, by its id. Raises SettingsError if there is none of it."""
        with self._alone():
            keys = self.kept()
            gone = next((key for key in keys if key.id == named), None)
            if gone is None:
                raise SettingsError(f"There is no key {named!r}. `pace keys list` shows them all.")
            self._write(tuple(key for key in keys if key is not gone))
        return gone

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = self.path.with_name(f".{self.path.name}.lock")
            with only_here_briefly(lock, limit=_PATIENCE):
                yield
        except TimeoutError as error:
            raise SettingsError(
                f"{self.path} is being changed by another program. Try again in a moment."
            ) from error
        except OSError as error:
            raise _unusable(self.path, error) from error

    def _write(self, keys: tuple[KeptKey, ...]) -> None:
        """Put a whole file that only its owner may read in place of the old one."""
        text = json.dumps({"keys": [asdict(key) for key in keys]}, indent=1)
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise


class KeyRing:
    """The keys that let in now; keys that come or go are noticed within a second.

    While the file cannot be read, those that were known let in. `seconds` is a clock that only
    goes on.
    """

    def __init__(self, file: KeyFile, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._seconds = seconds
        self._stamp = _stamp_of(file.path)
        self._ids = {key.sha256: key.id for key in file.kept()}
        self._looked_at = seconds()

    def id_of(self, key: str) -> str | None:
        """The id of a key that lets in; None for any other."""
        self._look()
        return self._ids.get(hash_of(key))

    def _look(self) -> None:
        now = self._seconds()
        if now - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = now
        stamp = _stamp_of(self._file.path)
        if stamp == self._stamp:
            return
        with suppress(SettingsError):
            self._ids = {key.sha256: key.id for key in self._file.kept()}
            self._stamp = stamp


def hash_of(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    """What changes when the file does: it is always replaced whole."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _unusable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"{path} cannot be used ({error.strerror}). Check who owns it and its folder."
    )
