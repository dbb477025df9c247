# ruff: noqa: INP001  # a script
"""Records the images of the README: the real `pace chat` and `pace voice` in a pty, drawn as SVG.

Run it as `python docs/images/record.py [voice]`, with pace and its dev tools installed: all images,
or the one of `pace voice`. It uses the default model, fetched before (`pace models get default`).
Who speaks is Piper's Joe, on PulseAudio's null sink.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from html import escape
from pathlib import Path

import pexpect
import pyte

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from speech.pulse import Pulse, running_pulse
from web.voice_browser import speech_models, write_wav

FOLDER = Path(__file__).parent
COLUMNS, ROWS = 88, 60
LIMIT = 180
# While a person reads, Pace prepares the next prompt.
READING = 45
CHAT = (
    "I will cycle from Bergen to Voss in June. What must I not forget? One sentence.",
    "Make a small table: hours for 50, 100 and 150 km, if I ride 20 km each hour.",
    "And now that as a short Python function, only the code.",
)
MEMORY = (
    "The code of my bike lock is 7301. Keep it in mind for me.",
    "What is a good snack on a bike? One sentence.",
    "How often should I drink? One sentence.",
    "What was the code of my lock, and where am I going?",
)
TIMER = "Set a timer for 10 minutes for the pasta."
AFTER_TIMER = "How long is left on my timer?"
NOTE = "Add basil to my shopping list."
ASKED_ALOUD = "Which city in Norway is the rainiest?"
TOLD_ALOUD = "Tell me the story of its harbour."
STOPS = "Wait, how old is it?"
TYPED = "Say that in one short sentence."
GOES_ON = "And what should I wear when I go there in the first week of October?"
PLAYER = shutil.which("paplay") or "paplay"
ROOM = "Room"

# A palette of its own for each of the reader's themes; GitHub shows SVG images in either.
_NAMES = {
    "red": "red", "green": "green", "brown": "yellow", "yellow": "yellow", "blue": "blue",
    "magenta": "magenta", "cyan": "cyan",
}  # fmt: skip
_STYLE = """
  .window { fill: #fdfdfc; stroke: #d8d8d4; }
  .bar { fill: #e4e4e0; }
  text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
         fill: #24292f; white-space: pre; }
  .dim { opacity: .58; } .bold { font-weight: 600; } .italic { font-style: italic; }
  .red { fill: #b3261e; } .green { fill: #1a7f37; } .yellow { fill: #8a6100; }
  .blue { fill: #0858b8; } .magenta { fill: #8b3fb5; } .cyan { fill: #0b7285; }
  @media (prefers-color-scheme: dark) {
    .window { fill: #16181d; stroke: #31343c; } .bar { fill: #31343c; }
    text { fill: #d6d9e0; }
    .red { fill: #ff7b72; } .green { fill: #7ccf8a; } .yellow { fill: #e0b95b; }
    .blue { fill: #79b8ff; } .magenta { fill: #c89bec; } .cyan { fill: #6fc7d9; }
  }
"""
_CELL, _LINE, _MARGIN, _TOP = 8.43, 20, 22, 46


_DIM, _KEPT_AS_BLINKING, _NEITHER_BOLD_NOR_DIM, _NOT_BLINKING = 2, 5, 22, 25


class Screen(pyte.HistoryScreen):
    """A screen that knows dim text, which pyte leaves out: it is kept as blinking, never used."""

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """Take styles."""
        if private:
            return
        super().select_graphic_rendition(
            *(_KEPT_AS_BLINKING if code == _DIM else code for code in attributes)
        )
        if _NEITHER_BOLD_NOR_DIM in attributes:
            super().select_graphic_rendition(_NOT_BLINKING)


class Recording:
    """One run of Pace with its own empty settings: `pace chat`, unless other words follow it."""

    def __init__(self, *words: str, **more: str) -> None:
        self.screen = Screen(COLUMNS, ROWS, history=5000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        settings = tempfile.mkdtemp()
        environ = {name: value for name, value in os.environ.items() if name[:5] != "PACE_"}
        environ |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "XDG_CONFIG_HOME": settings}
        environ["XDG_DATA_HOME"] = settings
        # The likeliest words each time, so that the images come out alike.
        environ["PACE_PLANNER__TEMPERATURE"] = "0"
        environ["PACE_HISTORY__KEEP"] = "off"
        environ.pop("NO_COLOR", None)
        environ |= more
        pace = Path(sys.executable).with_name("pace")
        self._process = pexpect.spawn(
            str(pace),
            list(words or ("chat",)),
            env=environ,  # type: ignore[arg-type]  # a dict is what it takes
            dimensions=(ROWS, COLUMNS),
            timeout=LIMIT,
        )

    def say(self, line: str) -> None:
        """Type a line, and wait for its answer and the next prompt."""
        self._send(line)
        self._wait_prompt()

    def ask_for(self, line: str) -> None:
        """Type a line that leads to an action, and wait for its question."""
        self._send(line)
        self._until(lambda: any(row.startswith("Type y or n") for row in self.screen.display))

    def allow(self) -> None:
        """Let it be done."""
        self.read_for(1)  # an answer begins after a pause
        self._process.send("y\r")
        self._wait_prompt()

    def _send(self, line: str) -> None:
        self._wait_prompt()
        self._process.send(line)
        self._until(lambda: line[-20:] in "".join(self.screen.display))
        self._process.send("\r")
        self._until(lambda: not self._is_at_prompt())

    def type(self, line: str) -> None:
        """Type a line in `pace voice`."""
        self._process.send(f"{line}\r")

    def see(self, *words: str) -> None:
        """Wait until all of these stand on the screen."""
        self._until(lambda: all(word in "".join(self.screen.display) for word in words))

    def see_gone(self, word: str) -> None:
        """Wait until it stands nowhere on the screen."""
        self._until(lambda: word not in "".join(self.screen.display))

    def read_for(self, seconds: float) -> None:
        """Let some time pass, as a person who reads does."""
        end_at = time.monotonic() + seconds
        self._until(lambda: time.monotonic() > end_at)

    def lines(self) -> list[str]:
        """What stands on screen and scrollback."""
        return [_plain(row) for row in self.rows()]

    def rows(self) -> list[dict[int, pyte.screens.Char]]:
        """The cells of screen and scrollback."""
        return [*self.screen.history.top, *(self.screen.buffer[y] for y in range(ROWS))]

    def leave(self) -> None:
        """End the program."""
        self._process.send("\x04")
        self._process.expect(pexpect.EOF)
        self._process.close()

    def _wait_prompt(self) -> None:
        self._until(self._is_at_prompt)
        # The line below the prompt tells the tokens a moment later.
        self._until(lambda: any(" of 8," in line or "─ " in line for line in self._below()))

    def _below(self) -> list[str]:
        return self.screen.display[self.screen.cursor.y + 1 :]

    def _is_at_prompt(self) -> bool:
        row = self.screen.display[self.screen.cursor.y].rstrip()
        return row == "›" and any(line.strip() for line in self._below())

    def _until(self, is_there: Callable[[], bool]) -> None:
        give_up_at = time.monotonic() + LIMIT
        while not is_there():
            if time.monotonic() > give_up_at:
                sys.exit("gave up waiting; the screen:\n" + "\n".join(self.screen.display))
            try:
                self._stream.feed(self._process.read_nonblocking(65536, timeout=1))
            except pexpect.TIMEOUT:
                continue


def svg(rows: list[dict[int, pyte.screens.Char]], title: str) -> str:
    """Rows of cells as a window with text that can be selected."""
    width = COLUMNS * _CELL + 2 * _MARGIN
    height = len(rows) * _LINE + _TOP + _MARGIN
    drawn = "\n".join(
        line for number, row in enumerate(rows) if (line := _line(row, _TOP + number * _LINE + 14))
    )
    dots = "".join(f'<circle class="bar" cx="{24 + 18 * n}" cy="20" r="5.5"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img" aria-label="{escape(title)}">\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="window" x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1}" rx="9"/>'
        f"\n{dots}\n{drawn}\n</svg>\n"
    )


def _line(row: dict[int, pyte.screens.Char], y: int) -> str:
    """One row, a run of cells of one style after the other, each at its own place."""
    runs: list[tuple[int, str, str]] = []
    for x in range(COLUMNS):
        cell = row[x]
        style = _classes(cell)
        if runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0], style, runs[-1][2] + cell.data)
        else:
            runs.append((x, style, cell.data))
    spans = []
    for x, style, text in runs:
        if not text.strip():
            continue
        lead = len(text) - len(text.lstrip())
        words = text.strip()
        at = _MARGIN + (x + lead) * _CELL
        length = len(words) * _CELL
        kind = f' class="{style}"' if style else ""
        spans.append(
            f'<text x="{at:.1f}" y="{y}" textLength="{length:.1f}" '
            f'lengthAdjust="spacingAndGlyphs"{kind} xml:space="preserve">{escape(words)}</text>'
        )
    return "".join(spans)


def _classes(cell: pyte.screens.Char) -> str:
    names = [_NAMES[cell.fg]] if cell.fg in _NAMES else []
    names += ["bold"] * cell.bold + ["italic"] * cell.italics + ["dim"] * cell.blink
    return " ".join(names)


def _plain(row: dict[int, pyte.screens.Char]) -> str:
    return "".join(row[x].data for x in range(COLUMNS)).rstrip()


def _write(name: str, rows: list[dict[int, pyte.screens.Char]], title: str) -> None:
    while rows and not _plain(rows[-1]):
        rows = rows[:-1]
    while rows and not _plain(rows[0]):
        rows = rows[1:]
    (FOLDER / name).write_text(svg(rows, title), encoding="utf-8")


def main() -> None:
    """Hold a conversation that is drawn with its memory, one that acts, and one by voice."""
    if sys.argv[1:] != ["voice"]:
        record_talk(Recording())
        record_actions(Recording())
    with running_pulse() as pulse, tempfile.TemporaryDirectory() as folder:
        pulse.add_sink(ROOM)
        record_voice(pulse, Path(folder))


def record_voice(pulse: Pulse, folder: Path) -> None:
    """Draw what was spoken, cut in on and typed, and what is being said."""
    spoken = {
        words: asyncio.run(_spoken(folder / f"{number}.wav", words))
        for number, words in enumerate((ASKED_ALOUD, TOLD_ALOUD, STOPS, GOES_ON))
    }

    def speak(words: str) -> subprocess.Popen[bytes]:
        player = [PLAYER, f"--device={ROOM}", str(spoken[words])]
        return subprocess.Popen(player, env=pulse.environment)  # noqa: S603  # words of ours

    own = {name: pulse.environment[name] for name in ("PULSE_SERVER", "XDG_RUNTIME_DIR")}
    recording = Recording("voice", "--hands-free", **own, PACE_VOICE__HEADPHONES="off")
    recording.see("listening")
    speak(ASKED_ALOUD).wait()
    recording.see("heard", "listening")
    recording.read_for(READING / 5)
    speak(TOLD_ALOUD).wait()
    recording.see("speaking")
    recording.read_for(READING / 10)
    speak(STOPS).wait()
    recording.see("stopped")
    recording.see_gone("hearing")
    recording.see("listening")
    recording.type(TYPED)
    recording.see(TYPED, "speaking")
    recording.see("listening")
    player = speak(GOES_ON)
    recording.see("hearing", "And what")
    _write("voice.svg", recording.rows(), "A conversation with pace voice")
    player.wait()
    recording.leave()


async def _spoken(path: Path, words: str) -> Path:
    return await write_wav(await speech_models(), path, 0.2, words, 0.2)


def record_actions(recording: Recording) -> None:
    """Draw a timer that is asked for, allowed, and asked about, and the question of a note."""
    recording.say("/actions on")
    recording.ask_for(TIMER)
    recording.allow()
    recording.say(AFTER_TIMER)
    recording.ask_for(NOTE)
    begin = next(n for n, line in enumerate(recording.lines()) if line.startswith("› "))
    _write("actions.svg", recording.rows()[begin:], "A timer, asked for and allowed, and a note")
    recording.allow()
    recording.leave()


def record_talk(recording: Recording) -> None:
    """Draw a conversation's beginning and its memory."""
    for line in CHAT:
        recording.say(line)
    _write("chat.svg", recording.rows(), "A conversation with pace chat")
    recording.say("/settings activity.show_summary on")
    recording.say("/window 2")
    for line in MEMORY:
        recording.say(line)
    recording.read_for(READING)
    begin = max(n for n, line in enumerate(recording.lines()) if line.startswith("› ")) - 1
    recording.say("/memory")
    _write("memory.svg", recording.rows()[begin + 1 :], "What /memory shows")
    recording.leave()


if __name__ == "__main__":
    main()
