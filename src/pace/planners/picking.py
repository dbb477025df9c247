"""What a person can pick: each tier, or the name of who stands behind it; and what that sets."""

from dataclasses import dataclass
from enum import StrEnum

from pace.endpoint import is_on_this_machine
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

    A model or an address that only the former tier or server knows is dropped. Raises SettingsError
    for what is missing or does not fit.
    """
    provider = pick.provider or held_provider(pick, now)
    values: dict[str, object] = {TIER: pick.tier, **fitting(pick.tier, provider, now)}
    if pick.model is not None:
        values[MODEL] = pick.model
    if pick.base_url is not None:
        if not takes_address(pick.tier, provider):
            raise SettingsError("An address goes with local or custom. Leave one of the two out.")
        values[BASE_URL] = checked_address(pick.base_url, pick.tier, provider).text
        if pick.model is None and values[BASE_URL] != now.base_url:
            values[MODEL] = None  # another server has models of its own
    current = {TIER: now.tier, PROVIDER: now.provider, MODEL: now.model, BASE_URL: now.base_url}
    then = {name.removeprefix("planner."): value for name, value in (current | values).items()}
    check_whole(PlannerSettings.model_validate(then))
    # A run may have been started with flags, and the file still hold the model of another tier.
    is_other = (pick.tier, provider) != (now.tier, now.provider)
    always = {TIER, PROVIDER, MODEL} if is_other else set()
    return {name: v for name, v in values.items() if name in always or v != current[name]}


def fitting(tier: Tier, provider: Provider | None, before: PlannerSettings) -> dict[str, object]:
    """Provider, model and address as they are with a tier; what only another one knows is dropped.

    An address that this tier does not call is kept for the one that does.
    """
    if provider is not None and provider.tier is not tier:
        provider = None
    is_same = (tier, provider) == (before.tier, before.provider)
    return {
        PROVIDER: provider,
        MODEL: before.model if is_same else None,
        BASE_URL: _fitting_address(tier, provider, before),
    }


def held_provider(pick: Pick, now: PlannerSettings) -> Provider | None:
    """The provider that is set, if it stands behind the tier that was picked.

    An address with tier direct is the person's own.
    """
    if now.provider is not None and now.provider.tier is pick.tier:
        return now.provider
    return Provider.CUSTOM if pick.tier is Tier.DIRECT and pick.base_url else None


def takes_address(tier: Tier, provider: Provider | None) -> bool:
    """Whether the person names the address that is called."""
    return tier is Tier.LOCAL or (tier, provider) == (Tier.DIRECT, Provider.CUSTOM)


def _fitting_address(tier: Tier, provider: Provider | None, before: PlannerSettings) -> str | None:
    url = before.base_url
    if url is None or not takes_address(tier, provider):
        return url
    was_custom = (before.tier, before.provider) == (Tier.DIRECT, Provider.CUSTOM)
    is_local = is_on_this_machine(url) and not was_custom
    return url if is_local is (tier is Tier.LOCAL) else None


def _is_one(word: str, kind: type[StrEnum]) -> bool:
    return word in set(kind)
