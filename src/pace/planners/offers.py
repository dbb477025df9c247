"""Who could answer here and now: every tier and provider, with one line on whether and why not.

Looking sends nobody a word: programs are looked for, keys counted, servers on this machine asked
for their names.
"""

import asyncio
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pace.endpoint import LoopbackUrl
from pace.errors import MissingExtraError, SettingsError
from pace.planners.cli_bridge.finding import find_program
from pace.planners.consent import recipient_of
from pace.planners.direct.providers import FACTS
from pace.planners.local.looking import FoundServer, find_servers
from pace.planners.picking import Pick, tier_named
from pace.planners.server_facts import ServerKind
from pace.planners.tiers import choose_model, open_weights
from pace.settings import PlannerSettings, Provider, Settings, Tier

_PROGRAMS = (Provider.CLAUDE, Provider.CODEX, Provider.GEMINI)
# The names of models that one line has room for.
_MOST_MODELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One who could answer. `command` goes after `pace tier`; words go to `host`, if that is set.

    `told` says what there is, or what is missing and how to get it.
    """

    command: str
    tier: Tier
    provider: Provider | None = None
    base_url: str | None = None
    is_usable: bool
    is_active: bool
    host: str = ""
    told: str


async def offers(settings: Settings, *, models: Path) -> tuple[Offer, ...]:
    """All of them, in the order in which words travel further. Raises nothing."""
    planner = settings.planner
    servers, others = await asyncio.gather(
        find_servers(also=_local_address(planner)), asyncio.to_thread(_others, settings, models)
    )
    embedded, *further = others
    return (embedded, *_local(planner, servers), *further)


def usable_others(found: Sequence[Offer]) -> tuple[Offer, ...]:
    """Those that could answer in the place of who is chosen."""
    return tuple(offer for offer in found if offer.is_usable and not offer.is_active)


async def pick_named(
    name: str, now: PlannerSettings, *, model: str | None = None, base_url: str | None = None
) -> Pick:
    """What a person means by a tier's, a provider's or a found server's name.

    For tier local without an address, this machine is searched. Raises SettingsError.
    """
    try:
        tier, provider = tier_named(name)
    except SettingsError:
        for server in await find_servers():
            if _command_of(server) == "-".join(name.lower().split()):
                url = base_url or server.base_url.text
                return Pick(tier=Tier.LOCAL, model=model, base_url=url)
        raise
    if tier is Tier.LOCAL and base_url is None and _local_address(now) is None:
        base_url = await _only_server()
    return Pick(tier=tier, provider=provider, model=model, base_url=base_url)


async def _only_server() -> str:
    servers = await find_servers()
    if len(servers) == 1:
        return servers[0].base_url.text
    if not servers:
        raise SettingsError(
            "No server answers on this machine at the ports of LM Studio, Ollama or llama-server. "
            "Start one, or name its address: pace tier local --base-url http://127.0.0.1:PORT/v1"
        )
    raise SettingsError(
        "More than one server answers on this machine. Say which: "
        + ", ".join(f"pace tier {_command_of(server)}" for server in servers)
    )


def _local_address(now: PlannerSettings) -> LoopbackUrl | None:
    """The address that tier local would call; None if it has none."""
    if now.base_url is None or (now.tier, now.provider) == (Tier.DIRECT, Provider.CUSTOM):
        return None
    try:
        return LoopbackUrl(now.base_url)
    except SettingsError:
        return None


def _command_of(server: FoundServer) -> str:
    """A server's name as one word; that of its tier for one that does not say who made it."""
    if server.name == ServerKind.OTHER:
        return Tier.LOCAL
    return "-".join(server.name.lower().split())


def _local(planner: PlannerSettings, servers: Sequence[FoundServer]) -> list[Offer]:
    is_set = planner.tier is Tier.LOCAL
    found = [
        Offer(
            command=_command_of(server),
            tier=Tier.LOCAL,
            base_url=server.base_url.text,
            is_usable=True,
            is_active=is_set and planner.base_url == server.base_url.text,
            told=f"{server.name} at {server.base_url}: {_listed(server)}",
        )
        for server in servers
    ]
    if any(offer.is_active for offer in found) or (found and not is_set):
        return found
    told = "no server answers at the ports of LM Studio, Ollama or llama-server"
    if is_set:
        told = f"nothing answers at {planner.base_url}; start it, or pick another"
    own = Offer(command="local", tier=Tier.LOCAL, is_usable=False, is_active=is_set, told=told)
    return [own, *found]


def _listed(server: FoundServer) -> str:
    if server.is_loading:
        return "it loads its model"
    if not server.models:
        return "it has no model yet"
    shown = ", ".join(server.models[:_MOST_MODELS])
    more = len(server.models) - _MOST_MODELS
    return f"{shown} and {more} more" if more > 0 else shown


def _others(settings: Settings, models: Path) -> list[Offer]:
    """What takes a look at the disk or the keyring."""
    planner = settings.planner
    return [
        _embedded(planner, models),
        _apple(planner),
        *(_program(planner, provider) for provider in _PROGRAMS),
        *(_api(planner, provider) for provider in FACTS),
    ]


def _embedded(planner: PlannerSettings, models: Path) -> Offer:
    is_active = planner.tier is Tier.EMBEDDED
    folder = open_weights(models)
    try:
        chosen = choose_model(planner.model if is_active else None, folder)
    except SettingsError as error:
        is_here, told = False, str(error)
    else:
        is_here = chosen.path is not None or folder.path_of(chosen.file).is_file()
        told = f"{chosen.file.title} is here"
        if not is_here:
            told = f"its model is not here yet: pace models get {chosen.file.name}"
    if importlib.util.find_spec("xllamacpp") is None:
        is_here, told = False, str(MissingExtraError("The engine", "embedded"))
    return Offer(
        command=Tier.EMBEDDED,
        tier=Tier.EMBEDDED,
        is_usable=is_here,
        is_active=is_active,
        told=told,
    )


def _apple(planner: PlannerSettings) -> Offer:
    from pace.planners.apple.availability import apple_unavailable  # noqa: PLC0415  # an extra

    why_not = apple_unavailable()
    return Offer(
        command=Tier.APPLE,
        tier=Tier.APPLE,
        is_usable=not why_not,
        is_active=planner.tier is Tier.APPLE,
        told=why_not.partition(" Choose another")[0] or "Apple's on-device model is ready",
    )


def _program(planner: PlannerSettings, provider: Provider) -> Offer:
    is_here = find_program(provider) is not None
    told = f"{provider} is installed; it signs in by itself"
    return _remote(
        planner,
        provider,
        is_usable=is_here,
        told=told if is_here else f"the program {provider} is not installed",
    )


def _api(planner: PlannerSettings, provider: Provider) -> Offer:
    from pace.planners.direct.keys import has_key  # noqa: PLC0415  # an extra

    facts = FACTS[provider]
    try:
        source = has_key(provider)
    except ModuleNotFoundError:
        missing = str(MissingExtraError("Tier direct", "direct"))
        return _remote(planner, provider, is_usable=False, told=missing)
    except SettingsError as error:
        return _remote(planner, provider, is_usable=False, told=str(error))
    if facts.base_url is None:
        is_set = planner.provider is provider and planner.base_url is not None
        told = f"at {planner.base_url}" if is_set else "an address that you name with --base-url"
        return _remote(planner, provider, is_usable=is_set, told=told)
    told = f"there is a key in the {source}" if source else f"no key: pace tier key {provider}"
    return _remote(planner, provider, is_usable=source is not None, told=told)


def _remote(planner: PlannerSettings, provider: Provider, *, is_usable: bool, told: str) -> Offer:
    as_if = planner.model_copy(update={"tier": provider.tier, "provider": provider})
    recipient = recipient_of(as_if)
    return Offer(
        command=provider,
        tier=provider.tier,
        provider=provider,
        is_usable=is_usable,
        is_active=(planner.tier, planner.provider) == (provider.tier, provider),
        host="" if recipient is None else recipient.host,
        told=told,
    )
