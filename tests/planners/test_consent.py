"""Who gets words, and that nothing is opened that nobody agreed to."""

import os
from pathlib import Path

import pytest

from pace.doors.cli.fetching import FetchBar
from pace.errors import ConsentNeededError, SettingsError
from pace.planners.consent import (
    agreed_as,
    agreed_names,
    asks_about_summaries,
    check_agreed,
    needs_asking,
    recipient_of,
)
from pace.planners.tiers import open_planner
from pace.settings import PlannerSettings, Provider, Settings, Tier, settings_of

AWAY = {"planner.base_url": "https://api.example.com/v1"}


def settings(tier: str, provider: str | None = None, **more: object) -> Settings:
    named = {name.replace("__", "."): value for name, value in more.items()}
    return settings_of({"planner.tier": tier, "planner.provider": provider, **named})


def check(held: Settings) -> None:
    check_agreed(held, recipient_of(held.planner))


@pytest.mark.parametrize("tier", ["embedded", "local", "apple"])
def test_tiers_of_this_machine_ask_nothing(tier: str) -> None:
    """Words that stay need nobody's consent."""
    here = settings(tier, planner__base_url="http://127.0.0.1:1/v1")
    assert recipient_of(here.planner) is None
    check_agreed(here, None)


@pytest.mark.parametrize(
    ("tier", "provider", "name", "parts"),
    [
        ("direct", "anthropic", "direct:api.anthropic.com", ["api.anthropic.com"]),
        ("direct", "openai", "direct:api.openai.com", ["api.openai.com"]),
        ("direct", "openrouter", "direct:openrouter.ai", ["openrouter.ai"]),
        ("cli", "claude", "cli:claude", ["Anthropic", "program claude"]),
        ("cli", "codex", "cli:codex", ["OpenAI", "program codex"]),
        ("cli", "gemini", "cli:gemini", ["Google", "program gemini"]),
    ],
)
def test_who_gets_what_is_said_in_plain_words(
    tier: str, provider: str, name: str, parts: list[str]
) -> None:
    """The error names who, what, under whose terms, and the command that agrees."""
    with pytest.raises(ConsentNeededError) as caught:
        check(settings(tier, provider))
    said = str(caught.value)
    for part in (*parts, "Every message, and the summary", f"pace tier {provider} --agree"):
        assert part in said
    check(settings(tier, provider, privacy__agreed=f"x, {name}"))


def test_a_custom_address_is_agreed_to_by_its_host() -> None:
    """Another host is another question; plain HTTP in the house is called unencrypted."""
    home = "http://192.168.1.20:8080/v1"
    asked = needs_asking(settings("direct", "custom", planner__base_url=home))
    assert asked is not None
    assert asked.name == "direct:http://192.168.1.20:8080"
    assert "unencrypted" in asked.tells
    agreed = settings(
        "direct",
        "custom",
        privacy__agreed=asked.name,
        planner__base_url="https://api.example.com/v1",
    )
    assert needs_asking(agreed) is not None


@pytest.mark.parametrize(
    ("tier", "provider", "more"),
    [("direct", "anthropic", {}), ("cli", "claude", {}), ("direct", "custom", AWAY)],
)
async def test_nothing_is_opened_without_consent(
    tmp_path: Path, tier: str, provider: str, more: dict[str, object]
) -> None:
    """The opener itself refuses, whichever door asks, before any key or program is looked for."""
    named = {name.replace(".", "__"): value for name, value in more.items()}
    held = settings(tier, provider, **named)
    with pytest.raises(ConsentNeededError):
        await open_planner(lambda: held, models=tmp_path, screen=FetchBar())
    assert not any(os.scandir(tmp_path))


async def test_what_is_not_said_yet_is_asked_first(tmp_path: Path) -> None:
    """A tier without its provider is no question of consent."""
    held = settings("cli")
    with pytest.raises(SettingsError, match="claude, codex or gemini"):
        await open_planner(lambda: held, models=tmp_path, screen=FetchBar())


@pytest.mark.parametrize(("agreed", "asked"), [("https", "http"), ("http", "https")], ids=str)
def test_an_encrypted_way_is_agreed_to_apart(agreed: str, asked: str) -> None:
    """A yes to https is none to what can be read on the way to the same host, nor the reverse."""

    def custom(scheme: str, names: str = "") -> Settings:
        url = f"{scheme}://192.168.1.20:8080/v1"
        return settings("direct", "custom", planner__base_url=url, privacy__agreed=names)

    first = needs_asking(custom(agreed))
    assert first is not None
    assert needs_asking(custom(agreed, first.name)) is None
    assert needs_asking(custom(asked, first.name)) is not None


def test_a_custom_address_is_part_of_the_command_that_agrees() -> None:
    """Without it the command would not know whom it is about."""
    url = "https://api.example.com/a path/v1".replace(" ", "(")
    with pytest.raises(ConsentNeededError) as caught:
        check(settings("direct", "custom", planner__base_url=url))
    assert str(caught.value).endswith(f"pace tier custom --base-url '{url}' --agree")


def test_what_was_agreed_to_goes_by_several_names() -> None:
    """Its own, a host with or without its scheme, and what `pace tier` calls it."""
    names = "direct:api.openai.com, direct:http://10.0.0.1:8080, direct:10.0.0.1:8080, cli:claude"
    held = settings(
        "direct", "custom", planner__base_url="http://10.0.0.1:8080", privacy__agreed=names
    )
    assert agreed_names(held) == tuple(names.split(", "))
    assert agreed_as(held, "claude") == agreed_as(held, "cli:claude") == ("cli:claude",)
    assert agreed_as(held, "openai") == agreed_as(held, "api.openai.com")
    assert agreed_as(held, "openai") == ("direct:api.openai.com",)
    assert agreed_as(held, "custom") == ("direct:http://10.0.0.1:8080", "direct:10.0.0.1:8080")
    assert agreed_as(held, "http://10.0.0.1:8080") == ("direct:http://10.0.0.1:8080",)
    assert len(agreed_as(held, "10.0.0.1:8080")) == 2
    assert agreed_as(held, "direct") == agreed_as(held, "") == ()
    assert agreed_as(held, "anthropic") == agreed_as(held, "codex") == ()


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openrouter", "claude", "gemini"])
def test_whoever_is_picked_by_a_name_is_withdrawn_by_it(provider: str) -> None:
    """Also when somebody else answers by then."""
    asked = needs_asking(settings(Provider(provider).tier, provider))
    assert asked is not None
    assert agreed_as(settings("embedded", privacy__agreed=asked.name), provider) == (asked.name,)


def test_summaries_are_a_question_of_their_own() -> None:
    """Only where whoever answers is to make them, and is not on this machine, and was not let."""
    by = {"summaries__by": "planner"}
    assert asks_about_summaries(settings("cli", "claude", **by))
    assert not asks_about_summaries(settings("cli", "claude"))
    assert not asks_about_summaries(settings("cli", "claude", summaries__remote=True, **by))
    assert not asks_about_summaries(settings("embedded", **by))


@pytest.mark.parametrize(
    ("url", "how"),
    [
        ("http://127.0.0.1:9/v1", "which is on this machine and may pass them on"),
        ("http://192.168.1.20:8080/v1", "unencrypted over your network"),
        ("https://api.example.com/v1", "under its terms"),
    ],
)
def test_the_way_that_words_take_is_told(url: str, how: str) -> None:
    """What stays on this machine crosses no network, and what may be read on the way is said."""
    custom = PlannerSettings(tier=Tier.DIRECT, provider=Provider.CUSTOM, base_url=url)
    recipient = recipient_of(custom)
    assert recipient is not None
    assert how in recipient.tells
