"""Twelve turns in the real terminal, spoken and typed by turns, with one cut-in.

Run: python benchmarks/spoken/terminal.py [--headphones]

`pace voice --hands-free` in a pseudo-terminal, on devices of PulseAudio: what plays in a null sink
is heard by its monitor, Pace's own voice and that of Piper's Joe, who speaks into it. So the echo
canceller is at work; with headphones, Pace plays into a sink of its own. Devices, recogniser (base)
and voice are the real ones, replies are scripted. Then screen, journal and prompts are looked at;
the exit code is 0 if all is right.
"""

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from twelve import CUT, LAST_WORDS, PACE, SPOKEN, TURNS, home_with_models, is_all_right, journal

from doors.terminal.pty_screen import Terminal
from speech.pulse import Pulse, running_pulse
from web.scripted import scripted_server
from web.voice_browser import speech_models, write_wav

_PLAYER = shutil.which("paplay") or "paplay"
_COLUMNS, _ROWS = 88, 40
_ROOM, _EARS = "Room", "Headphones"
_LAST_REPLY = "Hannah."
_HEARD_OF_LONG = 6.0
"""Seconds of the long reply that sound before somebody cuts in."""


def open_room(pulse: Pulse, *, headphones: bool) -> None:
    """The system's own devices: one sink and its monitor, or another sink for the reply."""
    pulse.add_sink(_ROOM)
    if headphones:
        pulse.add_sink(_EARS)
    pulse.control("set-default-sink", _EARS if headphones else _ROOM)
    pulse.control("set-default-source", f"{_ROOM}.monitor")


def talk(screen: Terminal, pulse: Pulse, wavs: Mapping[str, Path], number: int) -> None:
    """One turn, until its reply has sounded; the one that is cut, until some of it has."""
    turn = TURNS[number]
    if turn.is_spoken:
        subprocess.run(
            [_PLAYER, f"--device={_ROOM}", str(wavs[turn.words])],
            env=pulse.environment,
            check=True,
        )
    else:
        screen.type(f"{turn.words}\r")
    if number == CUT:
        screen.see("speaking")
        screen.read_for(_HEARD_OF_LONG)
        return
    screen.see(turn.reply)
    screen.see_gone("speaking")
    screen.see("listening")


def held(home: Path, address: str, pulse: Pulse, wavs: Mapping[str, Path], headphones: str) -> str:
    """Hold the conversation; gives all that the terminal shows of it in the end."""
    own = {name: pulse.environment[name] for name in ("PULSE_SERVER", "XDG_RUNTIME_DIR")}
    screen = Terminal(
        str(PACE),
        ["voice", "--hands-free", "--base-url", address],
        columns=_COLUMNS,
        rows=_ROWS,
        PACE_HOME=str(home),
        PACE_SUMMARIES__BY="extractive",
        PACE_VOICE__HEADPHONES=headphones,
        **own,
    )
    try:
        screen.see("listening")
        for number, turn in enumerate(TURNS):
            talk(screen, pulse, wavs, number)
            print(f"{number + 1:3} {turn.words}", flush=True)
        screen.type(f"{LAST_WORDS}\r")
        screen.see(_LAST_REPLY)
        screen.see_gone("speaking")
        return screen.all_text()
    except AssertionError:
        print(screen.all_text())
        raise
    finally:
        screen.type("\x04")
        screen.wait_end()
        screen.close()


async def run(folder: Path, pulse: Pulse, *, headphones: bool) -> bool:
    """Hold it; whether all is right."""
    open_room(pulse, headphones=headphones)
    home, speech = home_with_models(folder / "home"), await speech_models()
    wavs = {
        turn.words: await write_wav(speech, folder / f"{turn.sign}.wav", 0.2, turn.words, 0.2)
        for turn in SPOKEN
    }
    async with scripted_server() as model:
        model.will_reply(*(turn.reply for turn in TURNS), _LAST_REPLY)
        set_to = "on" if headphones else "off"
        screen = await asyncio.to_thread(held, home, model.url, pulse, wavs, set_to)
    return is_all_right(screen, journal(home), model.sent)


def main() -> None:
    """Hold it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headphones", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_pulse() as pulse:
        is_good = asyncio.run(run(Path(folder), pulse, headphones=asked.headphones))
        raise SystemExit(0 if is_good else 1)


if __name__ == "__main__":
    main()
