"""Twelve turns that are spoken and typed by turns, and what has to be true of them afterwards.

The typed sixth turn has a long reply, on which the spoken seventh cuts in.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pace.folders import Folders

PACE = Path(sys.executable).with_name("pace")
WINDOW_PAIRS = 4
LONG = " ".join(f"This is sentence number {n} of a long reply." for n in range(1, 31))
UNHEARD = "number 30"
_INTERRUPTED = " [interrupted]"
_SUMMARY = "<conversation_so_far>"


@dataclass(frozen=True, slots=True)
class Turn:
    """What is said, a word of it that a recogniser gets right, and what is replied."""

    words: str
    sign: str
    reply: str
    is_spoken: bool


_SAID = (
    ("My sister is called Hannah.", "sister", "Hannah is a nice name."),
    ("She lives in Bergen.", "bergen", "Bergen has much rain."),
    ("Her kitchen is yellow.", "yellow", "Yellow is a warm colour."),
    ("She has two cats.", "cats", "Two cats are good company."),
    ("I will visit her in October.", "october", "October is cool there."),
    ("Tell me a long story.", "story", LONG),
    ("What is the weather like in Norway?", "norway", "It is cold and clear today."),
    ("And tomorrow?", "tomorrow", "Tomorrow it rains."),
    ("Do I need an umbrella?", "umbrella", "Yes, take an umbrella."),
    ("I have a green one.", "green", "Green suits you."),
    ("How long is the flight?", "flight", "The flight takes two hours."),
    ("Good, then I will book it.", "book", "Have a good flight."),
)
TURNS = tuple(
    Turn(words, sign, reply, is_spoken=number % 2 == 0)
    for number, (words, sign, reply) in enumerate(_SAID)
)
SPOKEN = tuple(turn for turn in TURNS if turn.is_spoken)
TYPED = tuple(turn for turn in TURNS if not turn.is_spoken)
CUT = next(at for at, turn in enumerate(TURNS) if turn.reply == LONG)
LAST_WORDS = "What was the name of my sister?"


def home_with_models(folder: Path) -> Path:
    """A home of the run's own, with the models of the usual one."""
    models = Folders.of().models
    models.mkdir(parents=True, exist_ok=True)
    (folder / "cache").mkdir(parents=True)
    (folder / "cache" / "models").symlink_to(models)
    return folder


def journal(home: Path) -> list[dict[str, str]]:
    """The turns that were recorded, as `pace history export` has them."""
    told = subprocess.run(
        [str(PACE), "history", "export", "--format", "jsonl"],
        env={"PATH": "/usr/bin:/bin", "PACE_HOME": str(home), "PYTHONUTF8": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    return [json.loads(line) for line in told.stdout.splitlines()]


def is_all_right(
    screen: str, recorded: Sequence[dict[str, str]], prompts: Sequence[list[dict[str, str]]]
) -> bool:
    """Print a line for each thing that has to be true; whether all are.

    `prompts` are the messages of each of the twelve turns, and of one with LAST_WORDS.
    """
    twelve = recorded[: len(TURNS)]
    seen = " ".join(screen.split())
    cut = twelve[CUT]["reply"] if len(twelve) > CUT else ""
    checks = {
        "twelve turns are recorded, in their order": len(recorded) == len(TURNS) + 1
        and all(
            turn.sign in line["user"].casefold() for turn, line in zip(TURNS, twelve, strict=True)
        ),
        "each has its source": [line["source"] for line in twelve]
        == ["voice" if turn.is_spoken else "chat" for turn in TURNS],
        "one is marked interrupted, the others are whole": [
            (line["status"], line["reply"]) for line in twelve
        ]
        == [
            ("interrupted", cut) if at == CUT else ("answered", turn.reply)
            for at, turn in enumerate(TURNS)
        ],
        "its reply is what was heard of it": 0 < len(cut) < len(LONG)
        and LONG.startswith(cut)
        and UNHEARD not in cut,
        "the screen shows each turn": all(
            " ".join(text.split()) in seen for line in twelve for text in (line["user"], cut)
        )
        and all(turn.reply in seen for at, turn in enumerate(TURNS) if at != CUT),
        "each prompt ends with the last four turns, word for word": len(prompts) == len(recorded)
        and all(_holds(prompt, recorded, number) for number, prompt in enumerate(prompts)),
        "what is older is in its paragraph": _SUMMARY in prompts[-1][0]["content"]
        and TURNS[0].sign in prompts[-1][0]["content"].casefold(),
        "no prompt holds what was not heard": UNHEARD not in json.dumps(prompts),
    }
    for name, is_so in checks.items():
        print(f"{'yes' if is_so else 'NO':4}{name}")
    return all(checks.values())


def _holds(prompt: list[dict[str, str]], recorded: Sequence[dict[str, str]], number: int) -> bool:
    *before, last = prompt[1:]
    said = [message["content"] for message in before]
    pairs = list(zip(said[::2], said[1::2], strict=True))
    wanted = [
        (line["user"], line["reply"] + _INTERRUPTED * (line["status"] == "interrupted"))
        for line in recorded[max(0, number - WINDOW_PAIRS) : number]
    ]
    return pairs[-WINDOW_PAIRS:] == wanted and last["content"] == recorded[number]["user"]
