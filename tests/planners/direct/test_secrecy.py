"""B78: no key and no word of a conversation in any log, output, error or trace."""

import logging
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from pace.endpoint import RemoteUrl
from pace.errors import PlannerError, PlannerUnreachableError, SettingsError
from pace.planners.direct.anthropic_planner import AnthropicPlanner
from pace.planners.direct.openai_planner import OpenAiPlanner
from pace.settings import Provider
from planners.contract import complete
from planners.direct.speaking import (
    ANTHROPIC_HELLO,
    CANARY,
    CHAT,
    KEY,
    MESSAGES,
    OPENAI_HELLO,
    Time,
    anthropic_over,
    fault,
    openai_over,
)
from planners.prompts import prompt_of
from planners.raw_server import RawServer, raw_server

WORDS = "canary words 77"
LOGGERS = (
    "",
    "anthropic",
    "anthropic._base_client",
    "openai",
    "openai._base_client",
    "httpx2",
    "httpcore2",
    "httpcore2.http11",
    "httpcore2.connection",
)

# Both libraries' own switches are on, and everything is logged to standard error.
TALK = """
import asyncio, logging, sys, traceback
sys.path.insert(0, sys.argv[1])
logging.basicConfig(level=logging.DEBUG)
from pace.errors import PlannerError
from planners.direct.speaking import *
from planners.prompts import prompt_of
from planners.contract import complete
from planners.raw_server import raw_server

async def main():
    async with raw_server() as server:
        for path, over, hello in ((MESSAGES, anthropic_over, ANTHROPIC_HELLO),
                                  (CHAT, openai_over, OPENAI_HELLO)):
            planner = over(server)
            server.answer(path, hello)
            print(await complete(planner, prompt_of("canary words 77")))
            for status in (400, 401, 500):
                echo = {"error": {"type": "authentication_error",
                                  "message": f"Bearer {CANARY} said canary words 77"}}
                server.answer(path, fault(status, echo, www_authenticate=f"Bearer {CANARY}"))
                try:
                    await complete(planner, prompt_of("canary words 77"))
                except PlannerError:
                    traceback.print_exc()
            print(planner, await planner.traits())
            await planner.aclose()
    logging.getLogger("httpx2").debug("a level that was lowered: %s", CANARY)
    await complete(planner, prompt_of("canary words 77"))  # a crash: the client is closed

asyncio.run(main())
"""


def test_a_talk_with_all_logging_on_shows_neither_key_nor_words() -> None:
    """B78: not in logs, output, traces or a crash, with both libraries' debug switches on."""
    tests = str(Path(__file__).parents[2])
    told = subprocess.run(
        [sys.executable, "-c", TALK, tests],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug", "PYTHONPATH": ""},
    )
    output = told.stdout + told.stderr
    assert output.count("HTTP 401 (authentication_error)") >= 2, output
    assert "Traceback" in told.stderr
    assert "Hello, " in told.stdout
    assert "CANARY" not in output
    assert WORDS not in output


@pytest.mark.parametrize("name", LOGGERS)
async def test_a_level_lowered_afterwards_lets_nothing_out(
    server: RawServer, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """B78: whoever turns a library's logging on later still gets no request."""
    server.answer(MESSAGES, ANTHROPIC_HELLO)
    server.answer(CHAT, OPENAI_HELLO)
    planners = (anthropic_over(server), openai_over(server))
    with caplog.at_level(logging.DEBUG, logger=name):
        for planner in planners:
            await complete(planner, prompt_of(WORDS))
    shown = caplog.text + repr([record.args for record in caplog.records])
    assert "CANARY" not in shown
    assert WORDS not in shown
    for planner in planners:
        await planner.aclose()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
async def test_an_error_repeats_no_body(server: RawServer, status: int) -> None:
    """B78: a body that echoes key and words is in no error and no trace; the status stays."""
    echo = {"error": {"type": CANARY, "code": WORDS, "message": f"{CANARY} {WORDS}"}}
    for path, planner in ((MESSAGES, anthropic_over(server)), (CHAT, openai_over(server))):
        server.answer(path, fault(status, echo))
        with pytest.raises(PlannerError, match=f"127.0.0.1.*HTTP {status}") as caught:
            await complete(planner, prompt_of(WORDS))
        shown = "".join(traceback.format_exception(caught.value))
        assert "CANARY" not in shown + repr(planner) + repr(vars(caught.value))
        assert "canary words" not in shown
        await planner.aclose()


async def test_an_address_that_leads_nowhere_is_told_without_the_key() -> None:
    """B78: a name that nobody knows, or a port where nobody listens, is named, and no more."""
    async with raw_server() as gone:
        pass
    for url in (RemoteUrl("https://nobody.invalid"), RemoteUrl(gone.url)):
        limiter = Time().limiter()
        planners = (
            AnthropicPlanner(url, KEY, model="claude-test", limiter=limiter),
            OpenAiPlanner(url, KEY, provider=Provider.OPENAI, model="gpt-test", limiter=limiter),
        )
        for planner in planners:
            with pytest.raises(PlannerUnreachableError, match=url.host) as caught:
                await complete(planner, prompt_of(WORDS))
            shown = "".join(traceback.format_exception(caught.value))
            assert CANARY not in shown
            assert WORDS not in shown
            await planner.aclose()


async def test_the_environment_adds_nothing(
    server: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers, keys and addresses meant for the libraries go to no provider; nor do their own."""
    for name, value in {
        "ANTHROPIC_CUSTOM_HEADERS": "X-Other: sk-OTHER\nAuthorization: Bearer sk-OTHER",
        "OPENAI_CUSTOM_HEADERS": "X-Other: sk-OTHER\nAuthorization: Bearer sk-OTHER",
        "ANTHROPIC_AUTH_TOKEN": "sk-OTHER",
        "OPENAI_ADMIN_KEY": "sk-OTHER",
        "OPENAI_ORG_ID": "sk-OTHER",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    server.answer(MESSAGES, fault(401, {}))
    server.answer(CHAT, fault(401, {}))
    for planner in (anthropic_over(server), openai_over(server)):
        with pytest.raises(PlannerError, match="401"):
            await complete(planner, prompt_of("Hi."))
        await planner.aclose()
    for request in server.requests:
        assert "sk-OTHER" not in repr(request.headers)
        assert request.headers["user-agent"] == "pace"
        libraries_own = [name for name in request.headers if name.startswith("x-stainless")]
        assert libraries_own == ["x-stainless-raw-response"]


async def test_a_proxy_sees_whom_is_called_and_no_more(
    server: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTPS goes through the environment's proxy, which gets a host's name and no key or word."""
    monkeypatch.setenv("HTTPS_PROXY", server.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    planner = OpenAiPlanner(
        RemoteUrl("https://api.example.com/v1"),
        KEY,
        provider=Provider.OPENAI,
        model="gpt-test",
        limiter=Time().limiter(),
    )
    with pytest.raises(PlannerUnreachableError):
        await complete(planner, prompt_of(WORDS))
    assert {(each.method, each.path) for each in server.requests} == {
        ("CONNECT", "api.example.com:443")
    }
    assert "CANARY" not in repr(server.requests)
    assert WORDS not in repr(server.requests)
    await planner.aclose()


async def test_a_proxy_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of a kind that nothing here speaks is said when the tier is opened."""
    monkeypatch.setenv("HTTPS_PROXY", "gopher://me:sk-CANARY@127.0.0.1:9")
    with pytest.raises(SettingsError, match="HTTPS_PROXY") as refused:
        OpenAiPlanner(
            RemoteUrl("https://api.example.com/v1"), KEY, provider=Provider.OPENAI, model="gpt-test"
        )
    assert "CANARY" not in str(refused.value)
