"""Small programs that speak as the vendors' do, for tests to run in their place."""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from pace.settings import Provider

_HEAD = f"""#!{sys.executable} -IS
import json, os, signal, subprocess, sys, time

def say(**event):
    print(json.dumps(event), flush=True)

def words():
    return sys.stdin.buffer.read().decode()

def system():
    if "--system-prompt-file" not in sys.argv:
        return None
    with open(sys.argv[sys.argv.index("--system-prompt-file") + 1], "rb") as pipe:
        return pipe.read().decode()
"""

# How each says a piece of its reply, and that it is complete.
_PIECE = {
    Provider.CLAUDE: """
def piece(text, thought=False):
    if not begun:
        begun.append(1)
        say(type="stream_event", parent_tool_use_id=None, event={
            "type": "message_start", "message": {"model": "claude-test"}})
    delta = {"type": "thinking_delta", "thinking": text} if thought else {
        "type": "text_delta", "text": text}
    say(type="stream_event", parent_tool_use_id=None, event={
        "type": "content_block_delta", "index": 0, "delta": delta})

def end():
    say(type="result", subtype="success", is_error=False, api_error_status=None, result="x",
        stop_reason="end_turn", usage={"input_tokens": 12, "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2, "output_tokens": 7})

begun = []
say(type="system", subtype="init", model="claude-test", tools=[])
""",
    Provider.CODEX: """
def piece(text, thought=False):
    begun.append(1)
    kind = "reasoning" if thought else "agent_message"
    shown = text if thought else "".join([*said, text])
    if not thought:
        said.append(text)
    say(type="item.completed" if thought else "item.updated", item={
        "id": "item_t" if thought else "item_1", "type": kind, "text": shown})

def end():
    say(type="item.completed", item={
        "id": "item_1", "type": "agent_message", "text": "".join(said)})
    say(type="turn.completed", usage={
        "input_tokens": 12, "cached_input_tokens": 5, "output_tokens": 7})

begun, said = [], []
say(type="thread.started", thread_id="t")
say(type="turn.started")
""",
    Provider.GEMINI: """
def piece(text, thought=False):
    if thought:
        text = "<think>" + text + "</think>"
    say(type="message", role="assistant", content=text, delta=True)

def end():
    say(type="result", status="success", stats={
        "input_tokens": 12, "output_tokens": 7, "cached": 5,
        "models": {"router": {"output_tokens": 1}, "gemini-test": {"output_tokens": 7}}})

say(type="init", session_id="s", model="auto")
""",
}
HELLO = "words(); system(); piece('Hello, '); piece('you.'); end()"


def program(folder: Path, provider: Provider, body: str) -> Path:
    """An executable that runs this body, with `piece` and `end` in the provider's own form."""
    path = folder / provider
    path.write_text(f"{_HEAD}{_PIECE[provider]}\n{body}\n")
    path.chmod(0o700)
    return path


def plain_program(folder: Path, name: str, body: str) -> Path:
    """One that says nothing by itself."""
    path = folder / name
    path.write_text(f"{_HEAD}\n{body}\n")
    path.chmod(0o700)
    return path


def keeping(folder: Path) -> str:
    """The beginning of a body that writes down what it is sent."""
    return f"""
system_text = system()
with open({str(folder / "sent.json")!r}, "w") as kept:
    json.dump({{"words": words(), "system": system_text, "argv": sys.argv[1:]}}, kept)
"""


def sent_to(folder: Path) -> Mapping[str, object]:
    """What `keeping` wrote down."""
    sent = json.loads((folder / "sent.json").read_text())
    assert isinstance(sent, dict)
    return sent


def received_by(folder: Path) -> list[tuple[str, str]]:
    """The roles and contents of what was sent, whatever way it came."""
    sent = sent_to(folder)
    text, system = str(sent["words"]), sent["system"]
    if system is not None:
        text = json.loads(text)["message"]["content"]
    first = [] if system is None else [("system", str(system))]
    return first + messages_in(text)


def messages_in(text: str) -> list[tuple[str, str]]:
    """Take the one text apart again, by the fence that its last line shows."""
    fence = text.rstrip("\n").rpartition("\n")[2].partition(" ")[0]
    pieces = re.split(rf"(?m)^{fence} (\w+) {fence}\n", text)
    pairs = zip(pieces[1::2], pieces[2::2], strict=True)
    return [(role, content.removesuffix("\n")) for role, content in pairs if role != "end"]
