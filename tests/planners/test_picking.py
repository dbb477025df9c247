"""What a pick sets, what it drops, and what it refuses."""

import pytest

from pace.errors import SettingsError
from pace.planners.picking import Pick, names, tier_named, values_of
from pace.settings import PlannerSettings, Provider, Tier

HERE = "http://127.0.0.1:1234/v1"
OTHER = "http://127.0.0.1:8080/v1"
AWAY = "https://api.example.com/v1"
LOCAL = PlannerSettings(tier=Tier.LOCAL, base_url=HERE, model="llama3")
CUSTOM = PlannerSettings(
    tier=Tier.DIRECT, provider=Provider.CUSTOM, base_url=AWAY, model="their-model"
)


def test_every_tier_and_provider_has_a_name() -> None:
    """A tier is picked by its own name or by who stands behind it, letter case aside."""
    assert tier_named("local") == (Tier.LOCAL, None)
    assert tier_named(" Claude ") == (Tier.CLI, Provider.CLAUDE)
    assert tier_named("openrouter") == (Tier.DIRECT, Provider.OPENROUTER)
    assert len(names()) == len(set(names())) == len(Tier) + len(Provider)


def test_another_name_is_refused_with_all_that_there_are() -> None:
    """The sentence lists what can be said."""
    with pytest.raises(SettingsError, match="embedded, local, apple, cli, direct, claude"):
        tier_named("skynet")


@pytest.mark.parametrize(
    ("pick", "now", "after"),
    [
        (
            Pick(tier=Tier.CLI, provider=Provider.CLAUDE),
            LOCAL,
            {"planner.tier": "cli", "planner.provider": "claude", "planner.model": None},
        ),
        (Pick(tier=Tier.EMBEDDED), LOCAL, {"planner.tier": "embedded", "planner.model": None}),
        (
            Pick(tier=Tier.EMBEDDED, model="tiny"),
            CUSTOM,
            {"planner.tier": "embedded", "planner.provider": None, "planner.model": "tiny"},
        ),
        (
            Pick(tier=Tier.LOCAL, base_url=HERE),
            PlannerSettings(),
            {"planner.tier": "local", "planner.base_url": HERE},
        ),
        (Pick(tier=Tier.LOCAL), LOCAL, {}),
        (Pick(tier=Tier.LOCAL, model="qwen"), LOCAL, {"planner.model": "qwen"}),
        (Pick(tier=Tier.LOCAL, base_url=HERE), LOCAL, {}),
        (
            Pick(tier=Tier.LOCAL, base_url=OTHER),
            LOCAL,
            {"planner.base_url": OTHER, "planner.model": None},
        ),
        (
            Pick(tier=Tier.DIRECT, base_url=AWAY, model="m"),
            PlannerSettings(base_url=HERE),
            {
                "planner.tier": "direct",
                "planner.provider": "custom",
                "planner.model": "m",
                "planner.base_url": AWAY,
            },
        ),
        (
            Pick(tier=Tier.DIRECT, provider=Provider.OPENAI),
            CUSTOM,
            {"planner.tier": "direct", "planner.provider": "openai", "planner.model": None},
        ),
    ],
    ids=lambda value: f"{value.tier}-{value.provider}" if hasattr(value, "provider") else "",
)
def test_a_pick_sets_what_it_names_and_drops_what_does_not_fit(
    pick: Pick, now: PlannerSettings, after: dict[str, object]
) -> None:
    """A model of the former tier or server goes with it; an address stays for who may call it."""
    changed = values_of(pick, now)
    assert {name: value for name, value in changed.items() if value is not None} == {
        name: value for name, value in after.items() if value is not None
    }
    assert all(changed.get(name, 0) is None for name, value in after.items() if value is None)


@pytest.mark.parametrize(
    ("pick", "now", "said"),
    [
        (Pick(tier=Tier.CLI), LOCAL, "claude, codex or gemini"),
        (Pick(tier=Tier.DIRECT), LOCAL, "anthropic, openai, openrouter or custom"),
        (Pick(tier=Tier.LOCAL), PlannerSettings(), "needs the address"),
        (Pick(tier=Tier.LOCAL), CUSTOM, "needs the address"),
        (Pick(tier=Tier.DIRECT, provider=Provider.CUSTOM), LOCAL, "needs an address"),
        (Pick(tier=Tier.LOCAL, base_url=AWAY), LOCAL, "tier local"),
        (
            Pick(tier=Tier.DIRECT, provider=Provider.CUSTOM, base_url="http://api.example.com"),
            LOCAL,
            "provider custom",
        ),
        (
            Pick(tier=Tier.DIRECT, provider=Provider.OPENAI, base_url=AWAY),
            LOCAL,
            "goes with local or custom",
        ),
    ],
)
def test_what_is_missing_or_does_not_fit_is_named(
    pick: Pick, now: PlannerSettings, said: str
) -> None:
    """An address of this machine is never taken for a remote one, nor the other way round."""
    with pytest.raises(SettingsError, match=said):
        values_of(pick, now)
