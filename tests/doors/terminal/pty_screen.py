"""A real pty with a real screen behind it: keys go in, what a person would see comes out."""

import os
import signal
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

import pexpect
import pyte

DRIVER = Path(__file__).with_name("driver.py")
_LIMIT = 20


class Terminal:
    """One program on an 80 by 24 screen. `see` waits until a text stands on it."""

    def __init__(self, command, arguments, *, columns=80, rows=24, **environment):
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PACE_") and name not in {"NO_COLOR", "COLUMNS", "LINES"}
        }
        environ |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONUTF8": "1", **environment}
        self.process = pexpect.spawn(
            command, arguments, env=environ, dimensions=(rows, columns), timeout=_LIMIT, echo=True
        )
        self.process.delaybeforesend = None
        self.modes_before = termios.tcgetattr(self.process.child_fd)

    def see(self, text, *, times=1):
        """Wait until the scrollback and the screen hold a text so many times."""
        self._wait(lambda: self.all_text().count(text) >= times, text)

    def see_gone(self, text):
        """Wait until a text stands nowhere on the screen."""
        self._wait(lambda: text not in self.text(), f"no {text}")

    def see_prompt(self, line="› "):
        """Wait until the cursor stands in an input line that begins so, and a toolbar below it."""
        self._wait(lambda: self._is_at_prompt(line), f"prompt {line}")

    def type(self, text):
        """Send keys, all at once."""
        self.process.send(text)

    def say(self, text):
        """Type a line at the prompt and send it."""
        self.see_prompt()
        self.type(f"{text}\r")

    def answer(self, word, *, until):
        """Answer a question after the pause that makes an answer one, and see what follows.

        Too early it stands in the next message: then it is answered again.
        """
        tries = 0
        while until not in self.all_text():
            tries += 1
            assert tries < 10, f"answered {word!r} in vain; the screen:\n{self.all_text()}"
            self.read_for(1.0)
            self.type(f"{word}\r")
            self.read_for(0.5, until=until)

    def read_for(self, seconds, *, until=None):
        """Take what is written meanwhile, or until a text stands there."""
        end_at = time.monotonic() + seconds
        while (left := end_at - time.monotonic()) > 0:
            if until is not None and until in self.all_text():
                return
            with suppress(pexpect.TIMEOUT):
                self._feed(self.process.read_nonblocking(65536, timeout=left))

    def signal(self, number):
        self.process.kill(number)

    def wait_end(self):
        """Wait for the program's end; gives its exit code."""
        while True:
            try:
                self._feed(self.process.read_nonblocking(65536, timeout=_LIMIT))
            except pexpect.EOF:
                break
        self.process.wait()
        if self.process.signalstatus is not None:
            return -self.process.signalstatus
        return self.process.exitstatus

    def text(self):
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def all_text(self):
        """The scrollback and the screen."""
        return "\n".join([*self.scrollback(), self.text()])

    def scrollback(self):
        width = self.screen.columns
        return [
            "".join(line[x].data for x in range(width)).rstrip() for line in self.screen.history.top
        ]

    def lines(self):
        return self.all_text().split("\n")

    def modes(self):
        return termios.tcgetattr(self.process.child_fd)

    def close(self):
        self.process.close(force=True)

    def _is_at_prompt(self, line):
        rows = self.screen.display
        below = rows[self.screen.cursor.y + 1 :]
        return rows[self.screen.cursor.y].startswith(line) and any(row.strip() for row in below)

    def _wait(self, is_there, wanted):
        give_up_at = time.monotonic() + _LIMIT
        while not is_there():
            if time.monotonic() > give_up_at:
                raise AssertionError(f"waited for {wanted!r}; the screen:\n{self.all_text()}")
            self._read(wanted)

    def _read(self, wanted):
        try:
            self._feed(self.process.read_nonblocking(65536, timeout=_LIMIT))
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            raise AssertionError(
                f"waited for {wanted!r}; {type(error).__name__}; the screen:\n{self.all_text()}"
            ) from None

    def _feed(self, data):
        self.written += data
        self._stream.feed(data)


def start_driver(folder, replies, *, header="", **options):
    """Start the driver over replies, given as Python source."""
    (folder / "script.py").write_text(
        "from pace.ports import *\nfrom pace.testing import *\nfrom pace.errors import *\n"
        f"{header}\nreplies = {replies}\n"
    )
    return Terminal(sys.executable, [str(DRIVER), str(folder)], **options)


def prompts(folder):
    """The messages of every prompt that the planner was sent, once the program has ended."""
    written = (folder / "prompts.txt").read_text()
    return [eval(line) for line in written.splitlines()]  # noqa: S307  # our own driver wrote it


SIGINT, SIGTERM, SIGHUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
LET_TIME_PASS, OPEN_GATE, RING = signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM
