"""The installed `pace serve` and `pace keys`, as processes."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from doors.gateway.answering import Held, answering
from doors.gateway.gateways import CHAT, MODEL, user
from doors.running import PACE, environment, run_pace
from doors.test_embedded_chat import folders, words_on_disk
from stores.servers import redis_program, running

Process = asyncio.subprocess.Process


@asynccontextmanager
async def serving(home: Path, *flags: str, **env: str) -> AsyncIterator[tuple[Process, str]]:
    """A gateway as a process, and the base_url that it printed."""
    process = await asyncio.create_subprocess_exec(
        *(str(PACE), "serve", "--port", "0", *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home, **env),
    )
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode()
        found = re.search(r"http://\S+/v1", line)
        assert found, line
        yield process, found.group()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_serves_until_it_is_ended(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    """It says where it is, who answers and where memory lives; a signal ends it in order.

    Whoever looks after services ends them by SIGTERM, and takes any status but 0 for a failure.
    """
    async with (
        answering("Hello.") as server,
        serving(tmp_path, "--upstream", server.url) as (process, url),
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):
        answer = await client.post(
            "/chat/completions", json={"model": MODEL, "messages": [user("Secret words")]}
        )
        process.send_signal(number)
        out, err = await process.communicate()
    assert answer.status_code == 200
    assert MODEL in out.decode()
    assert "Memory: in this process" in out.decode()
    assert process.returncode == status
    (logged,) = [json.loads(line) for line in err.splitlines()]
    assert logged["outcome"] == "answered"
    assert b"Secret" not in err


async def test_turns_may_end_when_it_is_ended(tmp_path: Path) -> None:
    """A turn that is under way when the gateway is to end goes on to its end."""
    held = Held("Once upon")
    async with (
        answering(held) as server,
        serving(tmp_path, "--upstream", server.url) as (process, url),
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):
        body = {"model": MODEL, "stream": True, "messages": [user("Hello")]}
        async with client.stream("POST", "/chat/completions", json=body) as answer:
            lines = answer.aiter_lines()
            while "Once" not in await anext(lines):
                pass
            process.send_signal(signal.SIGTERM)
            await _until_nobody_listens(url)
            held.gate.set()
            rest = [line async for line in lines if line]
        await process.communicate()
    assert rest[-1] == "data: [DONE]"


async def _until_nobody_listens(url: str) -> None:
    while True:
        try:
            async with httpx.AsyncClient(timeout=60) as client:
                await client.get(f"{url}/models")
        except httpx.TransportError:
            return


async def test_other_machines_need_keys(tmp_path: Path) -> None:
    """Without a key the gateway does not listen to other machines; with one it lets that in."""
    refused = await run_pace(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104
    made = await run_pace(tmp_path, "keys", "new", "laptop")
    listed = await run_pace(tmp_path, "keys", "list")
    key = made.out.strip()
    async with (
        answering() as server,
        serving(tmp_path, "--host", "0.0.0.0", "--upstream", server.url) as (process, url),  # noqa: S104
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):
        without = await client.get("/models")
        right = await client.get("/models", headers={"Authorization": f"Bearer {key}"})
        process.send_signal(signal.SIGTERM)
        _, err = await process.communicate()
    revoked = await run_pace(tmp_path, "keys", "revoke", "laptop")
    again = [(await run_pace(tmp_path, "keys", "new", "phone")).status for _ in range(2)]
    ambiguous = await run_pace(tmp_path, "keys", "revoke", "phone")
    assert again == [0, 0]
    assert ambiguous.status == 2
    assert "2 keys" in ambiguous.err
    for line in (await run_pace(tmp_path, "keys", "list")).out.splitlines()[:-1]:
        assert (await run_pace(tmp_path, "keys", "revoke", line.split()[0])).status == 0
    assert refused.status == 2
    assert "pace keys new" in refused.err
    assert key.startswith("pace-")
    assert key not in listed.out
    assert "laptop" in listed.out
    assert str(tmp_path / "data" / "gateway-keys.json") in listed.out
    assert (await run_pace(tmp_path, "keys")).status == 0
    assert without.status_code == 401
    assert b"(401)" in err
    assert right.status_code == 200
    assert revoked.status == 0
    assert "no keys" in (await run_pace(tmp_path, "keys", "list")).out


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--workers", "2"), "--store"),
        (("--workers", "0"), "--workers"),
        (("--port", "x"), "--port"),
        (("--upstream", "http://example.com/v1"), "--upstream"),
        (("--upstream", "nonsense"), "--upstream"),
        (("--store", "redis://127.0.0.1:1/0", "--upstream", "http://127.0.0.1:1/v1"), "127.0.0.1"),
        (("--upstream", "http://127.0.0.1:1/v1", "--upstream-key-env", "NO_KEY"), "NO_KEY"),
        (("--host", "no.such.host.invalid", "--upstream", "http://127.0.0.1:1/v1"), "--host"),
        (("--upstream", ""), "--upstream is blank"),
        (("--store", ""), "--store is blank"),
        (("--upstream", "http://127.0.0.1:1/v1", "--model", "tiny"), "--model"),
        (("--upstream", "http://127.0.0.1:1/v1", "--tier", "embedded"), "--tier"),
        (("--port", "7297", "--upstream", "http://127.0.0.1:7297/v1"), "this gateway itself"),
        (("--system", "x"), "instructions"),
        (("--journal", "--no-history"), "--journal and --no-history"),
        (("--tier", "claude"), "claude"),
    ],
)
async def test_what_cannot_be_served(tmp_path: Path, flags: tuple[str, ...], named: str) -> None:
    """What was asked wrongly is one sentence that names it, before anything listens."""
    ended = await run_pace(tmp_path, "serve", *flags)
    assert ended.status in {1, 2}
    assert named in ended.err
    assert ended.err.count("\n") == 1
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("flags", [("--model", "nope"), ("--model", "tiny")])
async def test_model_that_cannot_be_had(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """Such a model ends `pace serve` as it ends `pace chat`, and nothing was said to serve."""
    # A proxy that nobody answers at, so that no model can be fetched.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:1")
    env = {**nowhere, **{name.upper(): value for name, value in nowhere.items()}}
    served = await run_pace(tmp_path, "serve", "--port", "0", *flags, env=env)
    chatted = await run_pace(tmp_path, "chat", *flags, "Hello", env=env)
    assert served.out == ""
    assert served.err.startswith(("pace: ", "Fetching "))
    assert served.err.splitlines()[-1] == chatted.err.splitlines()[-1]
    assert served.status == chatted.status != 0


async def test_planner_that_comes_later(tmp_path: Path) -> None:
    """The gateway serves while its planner is not there yet, and says so."""
    async with answering() as server:
        nobody = server.url
    async with (
        serving(tmp_path, "--upstream", nobody) as (process, url),
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):
        answer = await client.get("/models")
        process.send_signal(signal.SIGTERM)
        out, _ = await process.communicate()
    assert answer.status_code == 503
    assert "does not answer yet" in out.decode()


@pytest.mark.skipif(redis_program() is None, reason="needs redis-server")
async def test_workers_over_one_store(short_path: Path, tmp_path: Path) -> None:
    """Threads outlive the worker that answered, a dead one is replaced, and none is left behind."""
    program = redis_program()
    assert program is not None
    with running(program, short_path) as store:
        flags = ("--workers", "2", "--store", store.url)
        async with (
            answering() as server,
            serving(tmp_path, "--upstream", server.url, *flags) as (process, url),
            httpx.AsyncClient(base_url=url, timeout=60, headers={"X-Pace-Thread": "t"}) as client,
        ):
            body = {"model": MODEL, "messages": [user("I am Ada.")]}
            await client.post("/chat/completions", json=body)
            for worker in (before := await _workers(process.pid)):
                os.kill(worker, signal.SIGKILL)
            while len(await _workers(process.pid) - before) < 2:
                pass
            async with httpx.AsyncClient(
                base_url=url, timeout=60, headers={"X-Pace-Thread": "t"}
            ) as again:
                await again.post("/chat/completions", json=body)
                metrics = await again.get(f"{url.removesuffix('/v1')}/metrics")
            process.kill()
            await _until_nobody_listens(url)
    assert len(server.prompts[1]) == 3
    assert 'outcome="answered"} 2.0' in metrics.text


async def _workers(parent: int) -> set[int]:
    """The processes that serve: children of this one, without what Python starts besides."""
    listing = await asyncio.create_subprocess_exec(
        *("ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await listing.communicate()
    lines = [line.split(maxsplit=1) for line in out.decode().splitlines()]
    return {int(pid) for pid, args in lines if "spawn_main" in args}


async def test_journal(tmp_path: Path) -> None:
    """Turns are in the history if it is asked for, and only then."""
    for flags, kept in (((), False), (("--journal",), True)):
        async with (
            answering("Hello.") as server,
            serving(tmp_path, "--upstream", server.url, *flags) as (process, url),
            httpx.AsyncClient(base_url=url, timeout=60) as client,
        ):
            body = {"model": MODEL, "messages": [user("A turtle")]}
            await client.post("/chat/completions", json=body)
            process.send_signal(signal.SIGTERM)
            out, _ = await process.communicate()
        assert (f"in your history, too: {tmp_path}" in out.decode()) is kept
        found = await run_pace(tmp_path, "history", "search", "turtle")
        assert ("A turtle" in found.out) is kept


async def test_embedded_model(short_path: Path, tiny: Path) -> None:
    """A client holds a conversation with the model inside Pace, and memory is in no file."""
    home, temp = folders(short_path, tiny)
    env = {"TMPDIR": str(temp), "PACE_PLANNER__REPLY_TOKENS": "16"}
    flags = ("--model", "tiny", "--window", "1")
    async with (
        serving(home, *flags, **env) as (process, url),
        httpx.AsyncClient(base_url=url.removesuffix("/v1"), timeout=60) as client,
    ):
        headers = {"X-Pace-Thread": "t"}
        for number in range(4):
            text = (
                "I am Ottilie, my code is KX-4417, I own a teal kettle." if not number else "And?"
            )
            body = {"model": "any", "stream": number % 2 == 1, "messages": [user(text)]}
            answer = await client.post(CHAT, json=body, headers=headers)
            assert answer.status_code == 200, answer.text
        held = (await client.get("/v1/threads/t")).json()
        listed = [entry["id"] for entry in (await client.get("/v1/models")).json()["data"]]
        for name in listed:
            for shown in (name, f"{name}:stateless"):
                assert (await client.get(f"/v1/models/{shown}")).json()["id"] == shown
        assert list(words_on_disk(short_path)) == []
        process.send_signal(signal.SIGTERM)
        out, _ = await process.communicate()
    # On a busy machine the model is not asked for its own name for longer than a moment.
    assert any(f"Answers: tier embedded, {name}." in out.decode() for name in (listed[0], "tiny"))
    assert len(listed) == 2
    assert len(held["window"]) == 1
    told = json.dumps([held["summary"], held["pending"]])
    assert all(word in told for word in ("Ottilie", "KX-4417"))
    assert list(words_on_disk(short_path)) == []


def limits_of(pid: int) -> str:
    """What the system lets a process use."""
    return Path(f"/proc/{pid}/limits").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="reads limits from /proc")
async def test_no_process_leaves_a_crash_report(tmp_path: Path) -> None:
    """A core file would hold what was said; none of them may write one."""
    async with (
        answering() as server,
        serving(tmp_path, "--upstream", server.url) as (process, _),
    ):
        limits = limits_of(process.pid)
        process.send_signal(signal.SIGTERM)
        await process.communicate()
    assert re.search(r"Max core file size +0 +0 ", limits)
