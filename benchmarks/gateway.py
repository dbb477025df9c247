"""Times what it costs to stand in between: nothing, `pace serve`, and the LiteLLM proxy.

    python benchmarks/gateway.py [--litellm PATH/TO/litellm] [--seconds 20] [--rates 50 200]

A server of fixed latency answers; requests come at random moments, whatever became of the ones
before (an open loop). Each is a turn of one of many conversations, whose client sends its whole
history of 12 turns and more: Pace has to know it again, compose, record and fold, LiteLLM passes it
on. Each conversation is opened before the clock starts. What is added is the median (and the 99th
percentile) less that of asking the server itself, at the first word for streams and at the end for
whole answers. Both gateways check a key. Processor time is that of the gateway's processes alone.
LiteLLM needs a virtual environment of its own: `pip install 'litellm[proxy]'`.
"""

import argparse
import asyncio
import json
import os
import random
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import uvloop
from fixed_upstream import MODEL, REPLY

HERE = Path(__file__).parent
HISTORY_TURNS = 12
SECONDS_BETWEEN_TURNS = 2.0
LATEST = 30.0
_OPENED_AT_ONCE = 5
_FIRST_WORD = b'"content":"Token'
_FIRST_WORD_SPACED = b'"content": "Token'
_THINGS = ("garden", "harbour", "kitchen", "library", "orchard", "stable", "workshop")
_PEOPLE = ("Marta", "Lindqvist", "Okonkwo", "Ines", "Tanaka", "Pavel", "Roisin")


@dataclass(frozen=True)
class Target:
    name: str
    url: str
    process: int | None = None
    key: str = "none"


@dataclass
class Conversation:
    """What one client holds of its talk."""

    name: str
    messages: list[dict[str, str]] = field(default_factory=list)

    @classmethod
    def begun(cls, name: str) -> "Conversation":
        """One that is nobody else's by its first words."""
        made = cls(name, [{"role": "system", "content": "You are a calm assistant. " * 8}])
        for _ in range(HISTORY_TURNS - 1):
            made.say()
            made.hear(f"Yes: {made.words()}")
        return made

    def words(self) -> str:
        turn = len(self.messages) // 2
        draw = random.Random(f"{self.name} {turn}")  # noqa: S311  # words, not secrets
        thing, person = draw.choice(_THINGS), draw.choice(_PEOPLE)
        return (
            f"for {self.name} the {thing} gate's code is {draw.randrange(10_000)} since Tuesday, "
            f"so please tell {person} that the oak boards come before {draw.randrange(7, 12)} and "
            f"that somebody has to sign for them at door {draw.randrange(90)}, because the yard of "
            f"the {thing} stays closed until the paving is dry, which {person} thinks will take "
            "until Friday"
        )

    def say(self) -> None:
        self.messages.append({"role": "user", "content": f"Note that {self.words()}. Is it clear?"})

    def hear(self, reply: str) -> None:
        self.messages.append({"role": "assistant", "content": reply})


@dataclass
class Measured:
    latencies: list[float]
    failed: int
    processor: float
    sent_bytes: float

    def at(self, share: float) -> float:
        """In milliseconds."""
        if not self.latencies:
            return float("nan")
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


class FailedError(Exception):
    """What came is no whole answer."""


class Load:
    """Conversations that go on at a rate, in turn, each with its whole history."""

    def __init__(self, target: Target, rate: float, *, streamed: bool) -> None:
        self._url = f"{target.url}/chat/completions"
        self._rate = rate
        self._streamed = streamed
        run = f"{'s' if streamed else 'w'}{rate:.0f}"
        count = int(rate * SECONDS_BETWEEN_TURNS)
        self._talks = [Conversation.begun(f"{run}-{at}") for at in range(count)]
        self.latencies: list[float] = []
        self.failed = 0

    async def run(self, session: aiohttp.ClientSession, seconds: float) -> None:
        """Open every conversation, slowly; then let them go on for so long, on the clock."""
        for first in range(0, len(self._talks), _OPENED_AT_ONCE):
            some = self._talks[first : first + _OPENED_AT_ONCE]
            await asyncio.gather(*(self._turn(session, talk, counts=False) for talk in some))
        draw = random.Random(self._rate)  # noqa: S311  # the same moments for every target
        now = asyncio.get_running_loop().time
        begins = now()
        at, number = 0.0, 0
        async with asyncio.TaskGroup() as group:
            while (at := at + draw.expovariate(self._rate)) < seconds:
                await asyncio.sleep(begins + at - now())
                talk = self._talks[number % len(self._talks)]
                group.create_task(self._turn(session, talk, counts=True))
                number += 1

    async def _turn(
        self, session: aiohttp.ClientSession, talk: Conversation, *, counts: bool
    ) -> None:
        talk.say()
        body = {"model": MODEL, "messages": talk.messages, "stream": self._streamed}
        data = json.dumps(body).encode()
        began = time.perf_counter()
        try:
            async with asyncio.timeout(LATEST):
                took = await self._answered(session, data, began)
        except (TimeoutError, aiohttp.ClientError, FailedError):
            self.failed += counts
            talk.messages.pop()
            return
        talk.hear(REPLY)
        if counts:
            self.latencies.append(took)

    async def _answered(self, session: aiohttp.ClientSession, data: bytes, began: float) -> float:
        took, answer = 0.0, b""
        async with session.post(self._url, data=data) as response:
            if response.status != 200:
                raise FailedError
            async for piece in response.content.iter_any():
                answer += piece
                is_first = _FIRST_WORD in answer or _FIRST_WORD_SPACED in answer
                if self._streamed and not took and is_first:
                    took = time.perf_counter() - began
        if b" all." not in answer:
            raise FailedError
        return took or time.perf_counter() - began


async def measured(
    target: Target, upstream: str, rate: float, seconds: float, *, streamed: bool
) -> Measured:
    load = Load(target, rate, streamed=streamed)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {target.key}"}
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=3), headers=headers
    ) as session:
        before = processor_seconds(target.process)
        async with session.get(f"{upstream}/seen") as answer:
            await answer.read()
        await load.run(session, seconds)
        async with session.get(f"{upstream}/seen") as answer:
            seen = await answer.json()
        used = processor_seconds(target.process) - before
    answered = max(1, seen["chats"])
    return Measured(load.latencies, load.failed, used / answered, seen["bytes"] / answered)


def processor_seconds(process: int | None) -> float:
    """What a process and all that it started have used."""
    if process is None:
        return 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for one in (process, *descendants(process)):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / ticks
    return total


def descendants(process: int) -> Iterator[int]:
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            yield child
            yield from descendants(child)


# --- what is measured


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port


@contextmanager
def running(command: list[str], ready: str, **environment: str) -> Iterator[int]:
    """A program, from when it answers at an address until the block ends; gives its number."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, env={**os.environ, **environment}
        )
        try:
            if not is_ready(process, ready):
                said.seek(0)
                raise SystemExit(said.read().decode(errors="replace")[-2000:])
            yield process.pid
        finally:
            process.terminate()
            process.wait()


def is_ready(process: "subprocess.Popen[bytes]", url: str) -> bool:
    """Wait until a program answers at an address; false if it does not."""
    host, _, path = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        try:
            with socket.create_connection((name, int(port)), timeout=5) as opened:
                opened.sendall(f"GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
                if b" 200 " in opened.recv(64):
                    return True
        except OSError:
            pass
        time.sleep(0.2)
    return False


def pace(upstream: str, folder: Path, opened: ExitStack) -> Target:
    port = free_port()
    program = str(Path(sys.executable).with_name("pace"))
    settings = {
        "PACE_HOME": str(folder / "pace"),
        "PACE_SERVE__TURNS_AT_ONCE": "10000",
        "PACE_SERVE__REQUESTS_PER_MINUTE": "1000000",
    }
    made = subprocess.run(
        [program, "keys", "new", "benchmark"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    command = [program, "serve", "--port", str(port), "--upstream", f"{upstream}/v1"]
    url = f"http://127.0.0.1:{port}"
    process = opened.enter_context(running(command, f"{url}/healthz", **settings))
    return Target("pace serve", f"{url}/v1", process, made.stdout.strip())


def litellm(program: str, upstream: str, folder: Path, opened: ExitStack) -> Target:
    port, key = free_port(), f"sk-{secrets.token_hex(32)}"
    config = folder / "litellm.yaml"
    config.write_text(
        f"model_list:\n  - model_name: {MODEL}\n    litellm_params:\n"
        f"      model: openai/{MODEL}\n      api_base: {upstream}/v1\n      api_key: none\n"
        "litellm_settings:\n  telemetry: false\n"
    )
    url = f"http://127.0.0.1:{port}"
    command = [program, "--config", str(config), "--port", str(port), "--host", "127.0.0.1"]
    # What its documents advise for use in earnest.
    process = opened.enter_context(
        running(
            command,
            f"{url}/health/liveliness",
            LITELLM_LOCAL_MODEL_COST_MAP="True",
            LITELLM_LOG="ERROR",
            LITELLM_MASTER_KEY=key,
            LITELLM_MODE="PRODUCTION",
        )
    )
    return Target("LiteLLM", f"{url}/v1", process, key)


async def measure_all(
    targets: list[Target], upstream: str, rates: list[float], seconds: float
) -> None:
    print("                          added, ms         whole, ms     processor  upstream   not")
    print("  a second  target      median    p99    median    p99    ms/turn   kB/turn  answered")
    for streamed in (True, False):
        print("streamed, to the first word" if streamed else "whole, to the end")
        for rate in rates:
            base: Measured | None = None
            for target in targets:
                found = await measured(target, upstream, rate, seconds, streamed=streamed)
                base = base or found
                print(
                    f"  {rate:8.0f}  {target.name:10}"
                    f"{found.at(0.5) - base.at(0.5):8.2f}{found.at(0.99) - base.at(0.99):7.2f}"
                    f"{found.at(0.5):10.2f}{found.at(0.99):7.2f}"
                    f"{found.processor * 1000:11.2f}{found.sent_bytes / 1000:10.1f}"
                    f"{found.failed:10}",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--litellm", help="its program")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rates", type=float, nargs="+", default=[50, 200])
    told = parser.parse_args()
    print(f"{os.cpu_count()} cores, {statistics.mean(os.getloadavg()):.2f} load before")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        port = free_port()
        upstream = f"http://127.0.0.1:{port}"
        fixed = [sys.executable, str(HERE / "fixed_upstream.py"), str(port)]
        opened.enter_context(running(fixed, f"{upstream}/v1/models"))
        targets = [Target("nothing", f"{upstream}/v1"), pace(upstream, Path(folder), opened)]
        if told.litellm:
            targets.append(litellm(told.litellm, upstream, Path(folder), opened))
        uvloop.run(measure_all(targets, upstream, told.rates, told.seconds))


if __name__ == "__main__":
    main()
