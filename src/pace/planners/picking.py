"""What a person can pick: each tier, or the name of who stands behind it; and what that sets."""

from dataclasses import dataclass
from enum import StrEnum

from pace.endpoint import LoopbackUrl
from pace.errors import SettingsError
from pace.settings import PlannerSettings, Provider, Tier, check_whole, checked_address

TIER, PROVIDER = "planner.tier", "planner.provider"
MODEL, BASE_URL = "planner.model", "planner.base_url"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """Who is to answer, and with what; what is None stays as it is, if it fits."""

    tier: Tier
    provider: Provider | None = None
    model: str | None = None
    base_url: str | None = None


def names() -> tuple[str, ...]:
    """Every name that can be picked."""
    return tuple(str(name) for kind in (Tier, Provider) for name in kind)


def tier_named(name: str) -> tuple[Tier, Provider | None]:
    """The tier of that name, or of the provider of that name. Raises SettingsError."""
    word = name.strip().lower()
    if _is_one(word, Tier):
        return Tier(word), None
    if _is_one(word, Provider):
        return Provider(word).tier, Provider(word)
    raise SettingsError(
        f"There is no tier {name[:60]!r}. It has to be one of {', '.join(names())}. "
        "`pace tier` shows which can be used here."
    )


def values_of(pick: Pick, now: PlannerSettings) -> dict[str, object]:
    """The settings that a pick changes, in an order in which each fits those before it.

    A model or an address that only the former tier knows is dropped. Raises SettingsError for what
    is missing or does not fit.
    """
    provider = pick.provider or _held_provider(pick, now)
    is_same = (pick.tier, provider) == (now.tier, now.provider)
    values: dict[str, object] = {TIER: pick.tier, PROVIDER: provider}
    if pick.model is not None:
        values[MODEL] = pick.model
    elif not is_same:
        values[MODEL] = None
    values[BASE_URL] = _address(pick, provider, now)
    check_whole(
        PlannerSettings(
            tier=pick.tier,
            provider=provider,
            model=pick.model if pick.model is not None or not is_same else now.model,
            base_url=None if values[BASE_URL] is None else str(values[BASE_URL]),
        )
    )
    current = {
        TIER: now.tier,
        PROVIDER: now.provider,
        MODEL: now.model,
        BASE_URL: now.base_url,
    }
    return {name: value for name, value in values.items() if value != current[name]}


def _held_provider(pick: Pick, now: PlannerSettings) -> Provider | None:
    """The provider that is set, if it stands behind the tier that was picked."""
    if now.provider is not None and now.provider.tier is pick.tier:
        return now.provider
    return Provider.CUSTOM if pick.tier is Tier.DIRECT and pick.base_url else None


def _address(pick: Pick, provider: Provider | None, now: PlannerSettings) -> str | None:
    """The address that fits the pick; one of another tier is kept only where nobody calls it."""
    is_custom = pick.tier is Tier.DIRECT and provider is Provider.CUSTOM
    takes_one = is_custom or pick.tier is Tier.LOCAL
    if pick.base_url is not None:
        if not takes_one:
            raise SettingsError("An address goes with local or custom. Leave one of the two out.")
        return checked_address(pick.base_url, pick.tier, provider).text
    if now.base_url is None or not takes_one:
        return now.base_url
    is_here = _is_here(now.base_url)
    was_custom = now.tier is Tier.DIRECT and now.provider is Provider.CUSTOM
    fits = (was_custom or not is_here) if is_custom else (is_here and not was_custom)
    return now.base_url if fits else None


def _is_here(url: str) -> bool:
    try:
        LoopbackUrl(url)
    except SettingsError:
        return False
    return True


def _is_one(word: str, kind: type[StrEnum]) -> bool:
    return word in set(kind)
