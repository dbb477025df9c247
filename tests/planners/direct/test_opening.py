"""Opening tier direct: what is sent by it, and what is loaded for it."""

import subprocess
import sys
from typing import get_args

import pytest
from anthropic.types import ModelParam
from openai.types import ChatModel

from pace.endpoint import RemoteUrl
from pace.errors import SettingsError
from pace.planners.direct.opening import open_direct
from pace.planners.direct.providers import FACTS, known_context
from pace.settings import Provider
from planners.contract import complete
from planners.direct.speaking import ANTHROPIC_HELLO, CANARY, MESSAGES
from planners.prompts import prompt_of
from planners.raw_server import RawServer

LOADED = """
import sys
import pace.planners.tiers, pace.planners.direct.opening, pace.planners.direct.keys
print([name for name in ("anthropic", "openai", "httpx2", "keyring") if name in sys.modules])
"""
WITHOUT = """
import asyncio, sys
sys.modules["openai"] = sys.modules["anthropic"] = None
from pace.errors import MissingExtraError
from pace.planners.direct.opening import open_direct
from pace.settings import Provider
for provider in (Provider.ANTHROPIC, Provider.OPENAI):
    try:
        asyncio.run(open_direct(provider, model=None, base_url=None))
    except MissingExtraError as error:
        print(error)
"""
WITHOUT_KEY = """
import asyncio
from pace.errors import MissingKeyError
from pace.planners.direct.opening import open_direct
from pace.settings import Provider
try:
    asyncio.run(open_direct(Provider.OPENAI, model=None, base_url=None))
except MissingKeyError as error:
    print(error)
"""


def told_by(program: str, environment: dict[str, str]) -> str:
    told = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment,
    )
    return told.stdout.strip()


@pytest.mark.parametrize("provider", FACTS)
async def test_opening_sends_nothing(
    server: RawServer, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B73: until the first turn a provider is not called, though a key is there."""
    monkeypatch.setenv(FACTS[provider].variable, CANARY)
    planner = await open_direct(provider, model=None, base_url=server.url)
    assert not server.requests
    await planner.aclose()
    assert not server.requests


async def test_each_provider_has_its_own_address_and_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without more than a key the planner is the provider's, by its usual model."""
    for provider in (Provider.ANTHROPIC, Provider.OPENAI):
        monkeypatch.setenv(FACTS[provider].variable, CANARY)
        planner = await open_direct(provider, model=None, base_url=None)
        traits = await planner.traits()
        assert traits.host == RemoteUrl(FACTS[provider].base_url or "").host
        assert traits.model == FACTS[provider].model
        assert not traits.on_this_machine
        await planner.aclose()


def test_the_usual_models_are_in_the_libraries_lists() -> None:
    """A default model is one that its maker's own library names."""
    names = {name for part in get_args(ModelParam) for name in get_args(part)}
    assert FACTS[Provider.ANTHROPIC].model in names
    assert FACTS[Provider.OPENAI].model in get_args(ChatModel)


@pytest.mark.parametrize(
    ("model", "context"),
    [
        ("claude-sonnet-5-5", 200_000),
        ("gpt-4", 8_192),
        ("gpt-4-0613", 8_192),
        ("gpt-4o-mini", 128_000),
        ("gpt-4.1-nano", 1_047_576),
        ("gpt-5.1", 400_000),
        ("gpt-5.1-chat-latest", 128_000),
        ("o1-mini", 128_000),
        ("o3", 200_000),
        ("something", None),
    ],
)
def test_the_context_is_that_of_the_line(model: str, context: int | None) -> None:
    """The longest prefix that is known decides; of other models nothing is claimed."""
    assert known_context(model) == context


@pytest.mark.parametrize(
    ("provider", "base_url", "told"),
    [
        (Provider.CUSTOM, None, "planner.base_url"),
        (Provider.CUSTOM, "http://example.com/v1", "Plain http"),
        (Provider.CLAUDE, None, "no API"),
    ],
)
async def test_what_cannot_be_opened_is_said(
    provider: Provider, base_url: str | None, told: str
) -> None:
    """No address, one that could be read on the way, no such provider: each in a sentence."""
    with pytest.raises(SettingsError, match=told):
        await open_direct(provider, model=None, base_url=base_url)


def test_a_missing_key_is_said_on_a_machine_without_a_keyring() -> None:
    """Where no keyring is to be had, the sentence is that of a missing key."""
    told = told_by(WITHOUT_KEY, {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"})
    assert "pace tier key openai, or set OPENAI_API_KEY" in told


def test_other_tiers_load_none_of_it() -> None:
    """B73: choosing among tiers loads no provider's library; only opening this one does."""
    assert told_by(LOADED, {}) == "[]"


def test_a_missing_library_says_what_to_install() -> None:
    """Without the extra the sentence names it."""
    told = told_by(WITHOUT, {"ANTHROPIC_API_KEY": CANARY, "OPENAI_API_KEY": CANARY})
    assert told.count("pip install '.[direct]'") == 2


async def test_a_base_url_may_end_in_v1(server: RawServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anthropic's library adds the version itself, so that both spellings lead to one path."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    server.answer(MESSAGES, ANTHROPIC_HELLO)
    for base in (server.url, f"{server.url}/v1"):
        planner = await open_direct(Provider.ANTHROPIC, model=None, base_url=base)
        await complete(planner, prompt_of("Hi."))
        await planner.aclose()
    assert len(server.requests_to(MESSAGES)) == 2
