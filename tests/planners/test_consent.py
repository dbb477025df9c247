"""Who gets words, and that nothing is opened that nobody agreed to."""

import os
from pathlib import Path

import pytest

from pace.doors.cli.fetching import FetchBar
from pace.errors import ConsentNeededError, SettingsError
from pace.planners.consent import (
    agreed_names,
    asks_about_summaries,
    check_agreed,
    needs_asking,
    recipient_of,
    with_agreed,
    without_agreed,
)
from pace.planners.tiers import open_planner
from pace.settings import Settings, settings_of

AWAY = {"planner.base_url": "https://api.example.com/v1"}


def settings(tier: str, provider: str | None = None, **more: object) -> Settings:
    named = {name.replace("__", "."): value for name, value in more.items()}
    return settings_of({"planner.tier": tier, "planner.provider": provider, **named})


@pytest.mark.parametrize("tier", ["embedded", "local", "apple"])
def test_tiers_of_this_machine_ask_nothing(tier: str) -> None:
    """Words that stay need nobody's consent."""
    here = settings(tier, planner__base_url="http://127.0.0.1:1/v1")
    assert recipient_of(here.planner) is None
    check_agreed(here)


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
        check_agreed(settings(tier, provider))
    said = str(caught.value)
    for part in (*parts, "Every message, and the summary", f"pace tier {provider} --agree"):
        assert part in said
    check_agreed(settings(tier, provider, privacy__agreed=f"x, {name}"))


def test_a_custom_address_is_agreed_to_by_its_host() -> None:
    """Another host is another question; plain HTTP in the house is called unencrypted."""
    home = "http://192.168.1.20:8080/v1"
    asked = needs_asking(settings("direct", "custom", planner__base_url=home))
    assert asked is not None
    assert asked.name == "direct:192.168.1.20:8080"
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


def test_consent_is_kept_once_and_can_be_withdrawn() -> None:
    """Agreeing twice keeps one name; withdrawing takes that one away."""
    held = settings("cli", "claude", privacy__agreed="direct:api.openai.com")
    asked = needs_asking(held)
    assert asked is not None
    both = settings("cli", "claude", privacy__agreed=with_agreed(held, asked))
    assert agreed_names(both) == ("direct:api.openai.com", "cli:claude")
    assert with_agreed(both, asked) == both.privacy.agreed
    assert without_agreed(both, "cli:claude") == "direct:api.openai.com"


def test_summaries_are_a_question_of_their_own() -> None:
    """Only where whoever answers is to make them, and is not on this machine, and was not let."""
    by = {"summaries__by": "planner"}
    assert asks_about_summaries(settings("cli", "claude", **by))
    assert not asks_about_summaries(settings("cli", "claude"))
    assert not asks_about_summaries(settings("cli", "claude", summaries__remote=True, **by))
    assert not asks_about_summaries(settings("embedded", **by))
