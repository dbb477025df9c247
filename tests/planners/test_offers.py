"""What a name means that a person picks by: who could answer, or why not and what to do."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from pace.endpoint import LoopbackUrl
from pace.errors import SettingsError
from pace.planners.offers import Ways, not_now, offers, pick_named
from pace.planners.picking import Pick
from pace.settings import PlannerSettings, Provider, Settings, Tier
from planners.raw_server import RawServer, raw_server

HERE = Ways(pick="/tier {name}", pick_at="/tier {name} {url}")
NOBODY = PlannerSettings()


@pytest.fixture
async def servers() -> AsyncIterator[list[RawServer]]:
    """Two servers: llama.cpp's own, and one that does not say who made it."""
    async with AsyncExitStack() as stack:
        llama, other = [await stack.enter_async_context(raw_server()) for _ in range(2)]
        llama.answer_json("/v1/models", {"data": [{"id": "tiny"}]})
        llama.answer_json("/props", {"default_generation_settings": {"n_ctx": 4096}})
        other.answer_json("/v1/models", {"data": [{"id": "a"}]})
        yield [llama, other]


def addresses(servers: list[RawServer]) -> list[LoopbackUrl]:
    return [LoopbackUrl(f"{server.url}/v1") for server in servers]


async def test_several_servers_are_told_apart_by_their_addresses(servers: list[RawServer]) -> None:
    """The advice picks: each address it names is one, and leads to nobody else."""
    at = addresses(servers)
    with pytest.raises(SettingsError) as told:
        await pick_named("local", NOBODY, addresses=at)
    for url in at:
        assert str(url) in str(told.value)
    assert f"pace tier local --base-url {at[0]}" in str(told.value)
    picked = await pick_named("local", NOBODY, base_url=str(at[1]), addresses=at)
    assert picked == Pick(tier=Tier.LOCAL, base_url=str(at[1]))


async def test_in_a_conversation_the_advice_can_be_typed_there(servers: list[RawServer]) -> None:
    """The next step is a command of the door that asked."""
    at = addresses(servers)
    with pytest.raises(SettingsError, match=f"like: /tier local {at[0]}"):
        await pick_named("local", NOBODY, addresses=at, ways=HERE)
    with pytest.raises(SettingsError, match=r"like: /tier custom https://example\.com/v1"):
        await pick_named("custom", NOBODY, ways=HERE)
    with pytest.raises(SettingsError, match="like: /tier claude"):
        await pick_named("cli", NOBODY, ways=HERE)


@pytest.mark.parametrize("name", ["llama.cpp", "llama-server", "llama_server", "LLAMA CPP"])
async def test_a_server_goes_by_the_names_that_people_use(
    servers: list[RawServer], name: str
) -> None:
    """The project's name and the program's mean the same server."""
    picked = await pick_named(name, NOBODY, addresses=addresses(servers))
    assert picked.base_url == str(addresses(servers)[0])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ollama", "No Ollama answers at http://127.0.0.1:11434/v1. Start it with: ollama serve"),
        ("lmstudio", "No LM Studio answers at http://127.0.0.1:1234/v1."),
        ("LM-Studio", "Start it with: lms server start"),
        ("vllm", "pace tier local --base-url http://127.0.0.1:PORT/v1"),
    ],
)
async def test_a_server_that_is_not_up_is_known_by_name(name: str, said: str) -> None:
    """Where it usually listens and how it is started is said, not that there is no such tier."""
    with pytest.raises(SettingsError) as told:
        await pick_named(name, NOBODY, addresses=[])
    assert said in str(told.value)


async def test_a_servers_name_with_an_address_needs_no_looking() -> None:
    """Whoever names the address knows better."""
    url = "http://127.0.0.1:9/v1"
    picked = await pick_named("ollama", NOBODY, base_url=url, addresses=[])
    assert picked == Pick(tier=Tier.LOCAL, base_url=url)


async def test_what_cannot_answer_is_refused_with_the_next_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program that is missing and a key that is missing are told before anybody is asked."""
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    with pytest.raises(SettingsError, match=r"program claude is not installed\. Install it with"):
        await pick_named("claude", NOBODY)
    with pytest.raises(SettingsError, match="Store one with: pace tier key openai"):
        await pick_named("openai", NOBODY)
    held = PlannerSettings(tier=Tier.CLI, provider=Provider.CODEX)
    with pytest.raises(SettingsError, match="program codex is not installed"):
        await pick_named("cli", held)


async def test_a_server_that_is_down_is_told_with_those_that_are_not() -> None:
    """The address that is set is named; it may come, so nothing is refused."""
    async with raw_server() as server:
        server.answer_json("/v1/models", {"data": [{"id": "a"}]})
        url = f"{server.url}/v1"
        assert await not_now(PlannerSettings(tier=Tier.LOCAL, base_url=url)) == ""
    said = await not_now(PlannerSettings(tier=Tier.LOCAL, base_url=url))
    assert said.startswith(f"Nothing answers at {url} now. Start it")
    assert await not_now(NOBODY) == ""


async def test_where_nothing_answers_the_others_are_told_by_what_picks_them(
    servers: list[RawServer],
) -> None:
    """By name where that means one alone, else by address; each command leads where it says."""
    at = addresses(servers)
    down = PlannerSettings(tier=Tier.LOCAL, base_url="http://127.0.0.1:9/v1")
    said = await not_now(down, addresses=at)
    assert f"pace tier llama.cpp (llama.cpp at {at[0]})" in said
    assert f"pace tier local --base-url {at[1]} (" in said
    assert (await pick_named("llama.cpp", down, addresses=at)).base_url == str(at[0])
    typed_there = await not_now(down, addresses=at, ways=HERE)
    assert f"/tier llama.cpp (llama.cpp at {at[0]}); /tier local {at[1]} (" in typed_there


async def test_an_address_of_tier_local_is_nobody_elses(tmp_path) -> None:
    """Words go to custom's own address; where none is set up, to nobody."""
    local = PlannerSettings(tier=Tier.LOCAL, base_url="http://127.0.0.1:9/v1")
    away = PlannerSettings(tier=Tier.LOCAL, base_url="https://api.example.com/v1")
    hosts = []
    for planner in (local, away):
        found = await offers(Settings(planner=planner), models=tmp_path)
        hosts += [offer.host for offer in found if offer.command == "custom"]
    assert hosts == ["", "api.example.com"]
