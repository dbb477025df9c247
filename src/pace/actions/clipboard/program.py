"""A program of its own that reads or writes the clipboard once; the text goes through a pipe.

A clipboard's owner may never answer. A process can then be ended; a thread could not.
"""

import subprocess
import sys
from types import ModuleType

NO_CLIPBOARD, NO_PYPERCLIP, FAILED = 3, 4, 5
LARGEST = 4_000_000
"""In bytes of UTF-8; what is larger is not read to its end."""

_LONGEST_COMPLAINT = 4000
# How xclip and wl-paste say that there is nothing, or no text; with a status as for any failure.
_NOTHING = (b"target", b"Nothing is copied", b"No selection", b"No suitable type", b"not available")


class _FailedError(Exception):
    """The desktop's own program failed, which pyperclip does not look at."""


class _Looked(subprocess.Popen[bytes]):
    """A program of the desktop's: its status counts, and its output has an end."""

    def communicate(
        self,
        input: bytes | None = None,  # noqa: A002  # Popen's own signature
        timeout: float | None = None,
    ) -> tuple[bytes, bytes]:
        complaint = out = b""
        if self.stdout is None:
            super().communicate(input, timeout)
        else:
            out = self.stdout.read(LARGEST + 1)
            if len(out) > LARGEST:
                self.kill()
                self.wait()
                return out, b""
            complaint = self.stderr.read(_LONGEST_COMPLAINT) if self.stderr else b""
        status = self.wait()
        if status and not (self.stdout and any(words in complaint for words in _NOTHING)):
            raise _FailedError
        return out, complaint


def main(what: str) -> int:
    """Do it; gives the exit status."""
    try:
        import pyperclip  # type: ignore[import-untyped]  # noqa: PLC0415  # absence has a status
    except ImportError:
        return NO_PYPERCLIP
    try:
        _do(what, pyperclip)
    except pyperclip.PyperclipException:
        return NO_CLIPBOARD
    except _FailedError:
        return FAILED
    return 0


def _do(what: str, pyperclip: ModuleType) -> None:
    copy, paste = pyperclip.determine_clipboard()
    # From here on whatever it starts is looked at; this process does nothing else.
    subprocess.Popen = _Looked  # type: ignore[assignment,misc]
    if what == "write":
        copy(sys.stdin.buffer.read().decode())
        return
    read = str(paste()).encode("utf-8", "replace")
    sys.stdout.buffer.write(read[: LARGEST + 1])
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
