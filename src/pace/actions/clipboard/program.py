"""A program of its own that reads or writes the clipboard once; the text goes through a pipe.

A clipboard's owner may never answer. A process can then be ended; a thread could not.
"""

import sys

NO_CLIPBOARD, NO_PYPERCLIP = 3, 4


def main(what: str) -> int:
    """Do it; gives the exit status."""
    try:
        import pyperclip  # type: ignore[import-untyped]  # noqa: PLC0415  # absence has a status
    except ImportError:
        return NO_PYPERCLIP
    try:
        copy, paste = pyperclip.determine_clipboard()
        if what == "write":
            copy(sys.stdin.buffer.read().decode())
        else:
            sys.stdout.buffer.write(str(paste()).encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
    except pyperclip.PyperclipException:
        return NO_CLIPBOARD
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
