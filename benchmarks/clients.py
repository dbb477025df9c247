"""Twenty turns by clients of others, unchanged, through the gateway: what their server then sees.

    python benchmarks/clients.py --python PYTHON --node FOLDER --clients openai,langchain,llm,ai-sdk

PYTHON is an interpreter that has `openai`, `langchain-openai` and `llm`; FOLDER holds the
`node_modules` of `ai`, `@ai-sdk/openai-compatible` and `openai`.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

HERE = Path(__file__).parent
FACT = "KX-4417"
WORDS = [
    f"My booking code is {FACT}, and I am going to Bergen.",
    *(
        f"Question {number}: what should I know about day {number} of my journey, and about the "
        f"weather, the food and the trains on that day? I would rather not walk too far."
        for number in range(2, 20)
    ),
    "What is my booking code?",
]

_OPENAI = """
import json, sys
from openai import OpenAI
client = OpenAI(base_url=sys.argv[1], api_key="none")
messages = [{"role": "system", "content": "You are a travel agent."}]
for number, text in enumerate(json.load(sys.stdin)):
    messages.append({"role": "user", "content": text})
    if number % 2:
        stream = client.chat.completions.create(model="any", messages=messages, stream=True)
        reply = "".join(c.choices[0].delta.content or "" for c in stream if c.choices)
    else:
        reply = client.chat.completions.create(model="any", messages=messages)
        reply = reply.choices[0].message.content
    messages.append({"role": "assistant", "content": reply})
"""
_LANGCHAIN = """
import json, sys
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
model = ChatOpenAI(model="any", base_url=sys.argv[1], api_key="none")
messages = [SystemMessage("You are a travel agent.")]
for number, text in enumerate(json.load(sys.stdin)):
    messages.append(HumanMessage(text))
    if number % 2:
        messages.append(AIMessage("".join(piece.text for piece in model.stream(messages))))
    else:
        messages.append(model.invoke(messages))
"""
_LLM = """
- model_id: pace
  model_name: any
  api_base: "{base}"
"""


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def wait_answers(address: str, server: subprocess.Popen[bytes]) -> None:
    while True:
        if server.poll() is not None:
            sys.exit(f"{address} ended with {server.returncode}")
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return


@contextmanager
def running(*command: str, address: str, home: Path) -> Iterator[None]:
    env = {**os.environ, "PACE_HOME": str(home)}
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as server:
        try:
            wait_answers(address, server)
            yield
        finally:
            server.terminate()


def talk(client: str, base: str, args: argparse.Namespace, home: Path) -> None:
    said = json.dumps(WORDS).encode()
    if client in {"openai", "langchain"}:
        script = _OPENAI if client == "openai" else _LANGCHAIN
        subprocess.run([args.python, "-c", script, base], input=said, check=True)
    elif client == "llm":
        talk_in_llm(base, args, home)
    else:
        script = Path(args.node) / "pace-clients.mjs"
        shutil.copy(HERE / "clients.mjs", script)  # packages are looked for beside a script
        node = shutil.which("node") or sys.exit("There is no node here. Leave out its clients.")
        subprocess.run([node, str(script), client, base], input=said, check=True, cwd=args.node)


def talk_in_llm(base: str, args: argparse.Namespace, home: Path) -> None:
    """The chat application `llm`, as a person uses it: `llm chat`, one line after the other."""
    user = home / "llm"
    user.mkdir()
    (user / "extra-openai-models.yaml").write_text(_LLM.format(base=base))
    subprocess.run(
        [args.python, "-m", "llm", "chat", "-m", "pace", "-s", "You are a travel agent."],
        input="\n".join([*WORDS, "exit", ""]).encode(),
        env={**os.environ, "LLM_USER_PATH": str(user), "OPENAI_API_KEY": "none"},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--node", default=".")
    parser.add_argument("--clients", default="openai,langchain,llm,ai-sdk,openai-js")
    args = parser.parse_args()
    upstream, gateway = free_port(), free_port()
    base = f"http://127.0.0.1:{gateway}/v1"
    server = f"http://127.0.0.1:{upstream}"
    recording = (sys.executable, str(HERE / "recording_upstream.py"), str(upstream))
    pace = (str(Path(sys.executable).with_name("pace")), "serve", "--port", str(gateway))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        print("client     turns  largest prompt, turns 1-10  turns 11-20  turn 1's code at turn 20")
        with (
            running(*recording, address=f"{server}/v1/models", home=home),
            running(*pace, "--upstream", f"{server}/v1", address=f"{base[:-3]}/healthz", home=home),
        ):
            for client in args.clients.split(","):
                talk(client, base, args, home)
                asked = httpx.post(f"{server}/asked", content=FACT).json()
                sizes = [prompt["tokens"] for prompt in asked]
                print(
                    f"{client:9}  {len(asked):5}  {max(sizes[:10]):26}  {max(sizes[10:]):11}"
                    f"  {'held' if asked[-1]['holds'] else 'LOST'}"
                )


if __name__ == "__main__":
    main()
