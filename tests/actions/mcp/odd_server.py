"""An MCP server of 2025 without the SDK, that does whatever its first argument, JSON, tells it.

What it is sent goes, line by line, into the file named by "log".
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

told = json.loads(sys.argv[1])
tools = told.get("tools", [])
tools += [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(told.get("many", 0))]
page = told.get("page", 1000)


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(number, result):
    send(id=number, result=result)


def text(said, **more):
    return {"content": [{"type": "text", "text": said}], **more}


def initialize(number, params):
    answer(
        number,
        {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "odd", "version": "1"},
        },
    )


def list_tools(number, params):
    at = int(params.get("cursor") or 0)
    more = {"nextCursor": str(at + page)} if at + page < len(tools) else {}
    answer(number, {"tools": tools[at : at + page], **more})


def call(number, params):
    name = params["name"]
    if name in ANSWERS:
        ANSWERS[name](number)
    else:
        answer(number, text(json.dumps(params.get("arguments"))))


def ask(number):
    for kind, params in ASKED.items():
        send(id=f"{number}:{kind}", method=kind, params=params)
    answer(number, text("asked"))


def grow(number):
    tools.append({"name": "grown", "inputSchema": {"type": "object"}})
    send(method="notifications/tools/list_changed")
    answer(number, text("one more"))


def swap(number):
    """A tool whose name comes to nearly the same is listed ahead of the others."""
    schema = {"type": "object"}
    tools[:0] = [{"name": name, "inputSchema": schema} for name in told["swaps"]]
    send(method="notifications/tools/list_changed")
    answer(number, text("ahead"))


def picture(number):
    block = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    answer(number, {"content": [{"type": "text", "text": "a \x1b[31mred"}, block]})


ANSWERS = {
    "ask": ask,
    "grow": grow,
    "swap": swap,
    "picture": picture,
    "end": lambda _: os._exit(3),
    "never": lambda _: None,
    "fail": lambda number: answer(number, text("the disk is full", isError=True)),
    "refuse": lambda number: send(id=number, error={"code": -32602, "message": "SECRET WORDS"}),
    "break": lambda number: send(id=number, error={"code": -32603, "message": "SECRET WORDS"}),
    "garbage": lambda number: answer(number, {"content": "SECRET WORDS"}),
    "many": lambda number: answer(number, {"content": text("bit")["content"] * 300_000}),
    "facts": lambda number: answer(number, text(json.dumps(FACTS))),
    "structured": lambda number: answer(number, {"content": [], "structuredContent": FACTS}),
    "long": lambda number: answer(number, text("x" * 1_000_000)),
    "environment": lambda number: answer(
        number, text("got " + json.dumps({**os.environ, "cwd": str(Path.cwd())}))
    ),
}
FACTS = {
    "zone": "Asia/Tokyo",
    "is_dst": False,
    "more": [{"n": 1}, "x\x1b[2J", None, []],
    "deep": [[[[[[1]]]]]],
}
ASKED = {
    "sampling/createMessage": {"messages": [], "maxTokens": 5},
    "elicitation/create": {
        "message": "Your key?",
        "requestedSchema": {"type": "object", "properties": {}},
    },
    "roots/list": {},
}

if told.get("children"):
    child = subprocess.Popen(["sleep", "600"])
    Path(told["children"]).write_text(f"{os.getpid()} {child.pid}")
if told.get("stubborn"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if told.get("complaint"):
    sys.stderr.write(Path(told["complaint"]).read_text())
sys.stderr.write("c" * told.get("floods", 0))
sys.stderr.flush()
if told.get("ends"):
    sys.exit(1)
if told.get("chatters"):
    sys.stdout.write("Welcome!\n{\n[1]\n" + "[" * 100_000 + "\n")
for line in sys.stdin:
    if told.get("log"):
        with Path(told["log"]).open("a") as log:
            log.write(line)
    if told.get("silent"):
        continue
    message = json.loads(line)
    number, params = message.get("id"), message.get("params", {})
    match message.get("method"):
        case "initialize":
            initialize(number, params)
        case "tools/list":
            list_tools(number, params)
        case "tools/call":
            call(number, params)
        case str() if number is not None:
            if told.get("strict"):
                sys.exit(2)
            send(id=number, error={"code": -32601, "message": "unknown"})
while told.get("stubborn"):
    time.sleep(600)
