"""Whether one who is picked could answer on this machine as it is; nobody is sent a word for it."""

import importlib.util

from pace.errors import MissingExtraError, PlannerUnavailableError, SettingsError
from pace.planners.cli_bridge.finding import check_installed
from pace.settings import Provider, Tier


def why_not(tier: Tier, provider: Provider | None) -> SettingsError | None:
    """Why it could not, with the next step; None if it could.

    Whether a server answers or a program is signed in shows when it is asked. May wait for the
    person to unlock the keyring.
    """
    if tier is Tier.EMBEDDED:
        return _without("xllamacpp", "The engine", "embedded")
    if tier is Tier.APPLE:
        from pace.planners.apple.availability import apple_unavailable  # noqa: PLC0415  # an extra

        return SettingsError(why) if (why := apple_unavailable()) else None
    if tier is Tier.CLI and provider is not None:
        return _without_program(provider)
    if tier is Tier.DIRECT and provider is not None:
        library = "anthropic" if provider is Provider.ANTHROPIC else "openai"
        return _without(library, "Tier direct", "direct") or _without_key(provider)
    return None


def _without(library: str, part: str, extra: str) -> SettingsError | None:
    return None if importlib.util.find_spec(library) else MissingExtraError(part, extra)


def _without_program(provider: Provider) -> SettingsError | None:
    try:
        check_installed(provider)
    except PlannerUnavailableError as error:
        return SettingsError(str(error))
    return None


def _without_key(provider: Provider) -> SettingsError | None:
    from pace.planners.direct.keys import find_key  # noqa: PLC0415  # an extra

    try:
        find_key(provider)
    except SettingsError as error:
        return error
    return None
