"""What becomes of acknowledged turns when workers die and the shared store falters.

    python benchmarks/shared_store.py --seconds 120

One Redis that writes nothing to a disk, one `pace serve --workers 4` over it, and clients that name
their threads and send only what is new. A turn counts as acknowledged when its client has the whole
answer. Afterwards each thread is read from the store: its pairs have numbers without a gap, each
is in window, pending or covered, once, and no prompt held words of another thread.
"""

import argparse
import asyncio
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import redis.asyncio

from pace.memory.thread import ThreadMemory
from pace.relayed.asked import thread_of
from pace.stores.redis.store import RedisThreadMemoryStore

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
TIME_LIMIT = 60.0


@dataclass
class Told:
    """What the clients of one thread know."""

    acknowledged: Counter[str] = field(default_factory=Counter)
    unsure: int = 0
    sessions: list[str] = field(default_factory=list)


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def start(*command: str, home: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PACE_HOME": str(home)}
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


async def wait_ready(address: str) -> None:
    async with httpx.AsyncClient() as client:
        while True:
            try:
                answer = await client.get(address)
            except httpx.TransportError:
                await asyncio.sleep(0.1)
            else:
                if answer.is_success:
                    return


def workers_of(parent: int) -> list[int]:
    """The worker processes of a running gateway."""
    listed = subprocess.run(
        [shutil.which("pgrep") or "pgrep", "-P", str(parent)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = []
    for pid in map(int, listed.stdout.split()):
        command = Path(f"/proc/{pid}/cmdline")
        if command.exists() and b"resource_tracker" not in command.read_bytes():
            found.append(pid)
    return found


async def say(client: httpx.AsyncClient, name: str, told: Told, number: int) -> None:
    """One turn; what its client then knows of it."""
    words = f"{name} says {number}."
    body = {"model": "any", "messages": [{"role": "user", "content": words}]}
    try:
        answer = await client.post(
            "/v1/chat/completions", json=body, headers={"X-Pace-Thread": name}
        )
    except httpx.HTTPError:
        told.unsure += 1
        return
    if answer.status_code == 200 and "x-pace-memory" not in answer.headers:
        session = answer.headers["x-pace-session"]
        if not told.sessions or told.sessions[-1] != session:
            told.sessions.append(session)
        told.acknowledged[session] += 1
    elif answer.status_code >= 500 or answer.status_code == 200:
        told.unsure += 1
    else:
        sys.exit(f"HTTP {answer.status_code}: {answer.text[:200]}")


def faults_of(memory: ThreadMemory | None, name: str, told: Told) -> list[str]:
    """What is wrong with a thread, by what its clients know."""
    if memory is None:
        return ["lost"] if told.acknowledged and not told.unsure else []
    pairs = [*memory.pending, *memory.window]
    numbers = [pair.number for pair in pairs]
    faults = []
    if numbers != list(range(memory.summary.covers + 1, memory.next_number)):
        faults.append("numbers with a gap")
    if len({pair.user_text for pair in pairs}) != len(pairs):
        faults.append("a pair twice")
    if any(not pair.user_text.startswith(f"{name} says ") for pair in pairs):
        faults.append("words of another thread")
    acknowledged = told.acknowledged[memory.session_id]
    held = memory.next_number - 1
    if not acknowledged <= held <= acknowledged + told.unsure:
        faults.append(f"{held} held, {acknowledged} acknowledged, {told.unsure} unsure")
    return faults


async def check(title: str, url: str, threads: dict[str, Told], upstream: str) -> None:
    store = await RedisThreadMemoryStore.open(url)
    faults: Counter[str] = Counter()
    for name, told in threads.items():
        faults.update(faults_of(await store.load(thread_of("", name)), name, told))
    await store.aclose()
    async with httpx.AsyncClient(timeout=TIME_LIMIT) as client:
        mixed = (await client.post(f"{upstream}/mixed")).json()
    sessions = sum(max(0, len(told.sessions) - 1) for told in threads.values())
    acknowledged = sum(told.acknowledged.total() for told in threads.values())
    print(
        f"{time.strftime('%H:%M:%S')}  {title:34}  {acknowledged:6}"
        f"  {sum(told.unsure for told in threads.values()):6}  {sessions:8}  {mixed:5}"
        f"  {'; '.join(f'{n} x {fault}' for fault, n in faults.items()) or 'none'}",
        flush=True,
    )


async def many_processes(base: str) -> dict[str, Told]:
    """25 processes speak on one thread at the same moment."""
    script = f"""
import httpx, sys
body = {{"model": "any", "messages": [{{"role": "user", "content": f"one says {{sys.argv[1]}}."}}]}}
answer = httpx.post("{base}/v1/chat/completions", json=body, timeout=120,
                    headers={{"X-Pace-Thread": "one"}})
print(answer.status_code, answer.headers.get("x-pace-session"))
"""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, str(number), stdout=asyncio.subprocess.PIPE
        )
        for number in range(25)
    ]
    told = Told()
    for process in processes:
        answer, _ = await process.communicate()
        status, _, session = answer.decode().strip().partition(" ")
        if status == "200":
            told.acknowledged[session] += 1
        else:
            told.unsure += 1
    return {"one": told}


async def talk_while(base: str, count: int, over: asyncio.Event, *, kind: str) -> dict[str, Told]:
    """So many threads speak, each one turn after the other, until it is over."""
    threads = {f"{kind}{number}": Told() for number in range(count)}
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(base_url=base, timeout=TIME_LIMIT, limits=limits) as client:

        async def speak(names: list[str]) -> None:
            number = 0
            while not over.is_set():
                number += 1
                for name in names:
                    if over.is_set():
                        return
                    await say(client, name, threads[name], number)

        names = list(threads)
        async with asyncio.TaskGroup() as group:
            for at in range(25):
                group.create_task(speak(names[at::25]))
    return threads


class Servers:
    """The store, the server behind the gateway and the gateway, and what may befall them."""

    def __init__(self, home: Path) -> None:
        self._home = home
        redis_port, upstream_port, port = free_port(), free_port(), free_port()
        self.url = f"redis://127.0.0.1:{redis_port}/0"
        self.upstream = f"http://127.0.0.1:{upstream_port}"
        self.base = f"http://127.0.0.1:{port}"
        store = shutil.which("valkey-server") or shutil.which("redis-server") or "redis-server"
        self._keeper = (store, "--port", str(redis_port), "--dir", str(home))
        self._keeper += ("--save", "", "--appendonly", "no")
        recording = (sys.executable, str(HERE / "recording_upstream.py"), str(upstream_port))
        self._store = start(*self._keeper, home=home)
        self._recording = start(*recording, home=home)
        self._serve = (str(BIN / "pace"), "serve", "--port", str(port), "--workers", "4")
        self._serve += ("--store", self.url, "--upstream", f"{self.upstream}/v1")
        self._gateway: subprocess.Popen[bytes] | None = None

    async def begin(self) -> None:
        await wait_ready(f"{self.upstream}/v1/models")
        self._gateway = start(*self._serve, home=self._home)
        await self.wait_ready()

    async def wait_ready(self) -> None:
        await wait_ready(f"{self.base}/readyz")

    def end(self) -> None:
        for process in (self._gateway, self._recording, self._store):
            if process is not None:
                process.terminate()
                process.wait()

    async def nothing(self) -> None:
        await asyncio.sleep(10)

    async def kill_workers(self, seconds: float) -> None:
        """`kill -9` of some worker, every second."""
        killed = 0
        for _ in range(round(seconds)):
            await asyncio.sleep(1)
            if self._gateway and (workers := workers_of(self._gateway.pid)):
                os.kill(random.choice(workers), signal.SIGKILL)  # noqa: S311
                killed += 1
        print(f"({killed} workers killed)")

    async def restart_store(self) -> None:
        await asyncio.sleep(3)
        self._store.kill()
        self._store.wait()
        await asyncio.sleep(2)
        self._store = start(*self._keeper, home=self._home)
        await asyncio.sleep(5)

    async def pause_store(self) -> None:
        await asyncio.sleep(3)
        self._store.send_signal(signal.SIGSTOP)
        await asyncio.sleep(10)
        self._store.send_signal(signal.SIGCONT)
        await asyncio.sleep(5)

    async def flush_and_cut(self) -> None:
        async with redis.asyncio.Redis.from_url(self.url) as client:
            for _ in range(10):
                await client.script_flush()
                await client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
                await asyncio.sleep(0.5)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long workers are killed")
    parser.add_argument("--threads", type=int, default=500)
    parser.add_argument("--only", default="", help="only events whose line holds this text")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(Path(folder))
        try:
            await servers.begin()
            await show(servers, args.threads, args.seconds, args.only)
        finally:
            servers.end()


async def show(servers: Servers, many: int, seconds: float, only: str) -> None:
    print(f"{'':42}  {'acked':>6}  {'unsure':>6}  sessions  mixed  faults")
    threads = await many_processes(servers.base)
    await check("25 processes on one thread", servers.url, threads, servers.upstream)
    events: list[tuple[str, int, Callable[[], Awaitable[None]]]] = [
        (f"{many} threads, nothing happens", many, servers.nothing),
        (f"{many} threads, workers killed", many, lambda: servers.kill_workers(seconds)),
        ("store restarted", 50, servers.restart_store),
        ("store paused for 10 s", 50, servers.pause_store),
        ("scripts flushed, connections cut", 50, servers.flush_and_cut),
    ]
    for number, (title, count, event) in enumerate(events):
        if only not in title:
            continue
        over = asyncio.Event()
        talking = asyncio.create_task(talk_while(servers.base, count, over, kind=f"t{number}-"))
        await event()
        over.set()
        threads = await talking
        await servers.wait_ready()
        await check(title, servers.url, threads, servers.upstream)


if __name__ == "__main__":
    asyncio.run(main())
