"""Forty turns through the real `pace chat`: the prompt stays bounded, and the start is still known.

    python benchmarks/forty_turns.py [--model default|tiny] [--turns 40]

The conversation runs in machine mode, without the journal, with an empty home and a temp folder of
its own. Afterwards every file under both is searched for words that were said. Exits 1 if any of it
does not hold.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from talk import ANSWERS, LINES, QUESTION

from pace.folders import Folders

PLANTED = (b"Ottilie", b"Casimir", b"KX-4417", b"Philippa")
SUMMARY, PENDING = 400, 300
# The block's tags and its fixed sentences, in any tokenizer.
FRAME = 60


class Chat:
    """A running `pace chat --jsonl`."""

    def __init__(self, home: Path, temp: Path, model: str) -> None:
        environment = {
            **{name: value for name, value in os.environ.items() if name != "PACE_HOME"},
            "HOME": str(home),
            "TMPDIR": str(temp),
            "XDG_CACHE_HOME": str(Folders.of().cache.parent),
        }
        model_flag = ("--model", "tiny") if model == "tiny" else ()
        self._process = subprocess.Popen(
            [
                str(Path(sys.executable).parent / "pace"),
                "chat",
                "--jsonl",
                "--no-history",
                *model_flag,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, line: dict[str, object]) -> dict[str, object]:
        """Send a line and give its answer."""
        assert self._process.stdin is not None  # noqa: S101  # both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        for answer in self._process.stdout:
            told: dict[str, object] = json.loads(answer)
            if told["type"] in {"reply", "memory", "error"}:
                return told
        raise RuntimeError("pace chat ended")

    def close(self) -> int:
        """End the conversation and wait for the program's end."""
        assert self._process.stdin is not None  # noqa: S101
        self._process.stdin.close()
        return self._process.wait()


def files_with_words(*folders: Path) -> Iterator[str]:
    """Where a planted word stands on disk."""
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                for word in PLANTED:
                    if word in content:
                        yield f"{word.decode()} in {path.name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("default", "tiny"), default="default")
    parser.add_argument("--turns", type=int, default=40)
    asked = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as temp:
        folders = (Path(home), Path(temp))
        chat = Chat(*folders, asked.model)
        sizes: list[int] = []
        lines = (*LINES[: asked.turns - 1], QUESTION)
        answer = ""
        for turn, line in enumerate(lines, 1):
            began = time.monotonic()
            reply = chat.ask({"text": line})
            if reply["type"] != "reply":
                faults.append(f"turn {turn}: {reply.get('message')}")
                continue
            answer = str(reply["text"])
            prompt = reply["prompt"]
            assert isinstance(prompt, dict)  # noqa: S101
            parts: dict[str, int] = prompt["parts"]
            sizes.append(prompt["tokens"])
            bounded = parts["system"] + parts["window"] + parts["words"]
            if prompt["tokens"] > bounded + SUMMARY + PENDING + FRAME or prompt["gave_way"]:
                faults.append(f"turn {turn}: the prompt passed its budget: {parts}")
            print(f"turn {turn:>2}  {time.monotonic() - began:5.1f} s  {prompt['tokens']} {parts}")
        memory = chat.ask({"command": "settle"})
        while_running = list(files_with_words(*folders))
        status = chat.close()
        afterwards = list(files_with_words(*folders))
    summary = str(memory.get("summary", ""))
    print(f"\nsummary: {summary}\n\nanswer at turn {len(lines)}: {answer}")
    faults += [f"{value} is not in the summary" for value in ANSWERS if value not in summary]
    faults += [f"{value} is not in the answer" for value in ANSWERS if value not in answer]
    faults += [f"on disk: {found}" for found in (*while_running, *afterwards)]
    if status:
        faults.append(f"pace chat ended with {status}")
    half = len(sizes) // 2
    print(
        f"\nlargest prompt, turns 1-{half}: {max(sizes[:half])}, later: {max(sizes[half:])} tokens"
    )
    print("\n".join(faults) or "bounded, remembered, answered, and on no disk")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
