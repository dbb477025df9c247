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
from pace.errors import MissingExtraError, MissingKeyError, SettingsError
from pace.folders import Folders
from pace.planners.ability import why_not
from pace.planners.cli_bridge.finding import find_program, vendor_of
from pace.planners.consent import recipient_of
from pace.planners.direct.providers import FACTS
from pace.planners.local.looking import USUAL_ADDRESSES, FoundServer, find_servers
from pace.planners.local.naming import NAMES, command_of, kind_named
from pace.planners.picking import (
    BASE_URL,
    Pick,
    fitting,
    held_provider,
    takes_address,
    tier_named,
)
from pace.planners.server_facts import ServerKind
from pace.planners.tiers import choose_model, open_weights
from pace.settings import PlannerSettings, Provider, Settings, Tier

_PROGRAMS = (Provider.CLAUDE, Provider.CODEX, Provider.GEMINI)
# The names of models that one line has room for.
_MOST_MODELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One who could answer. `command` goes after `pace tier`; words go to `host`, if that is set.

    `told` says what there is, or what is missing and how to get it. Whether one that `signs_in` by
    itself has done so shows when it is asked.
    """

    command: str
    tier: Tier
    provider: Provider | None = None
    base_url: str | None = None
    is_usable: bool
    is_active: bool
    signs_in: bool = False
    host: str = ""
    told: str

    @property
    def here(self) -> str:
        """Whether it is here, in a word for a table."""
        if not self.is_usable:
            return "no"
        return "installed" if self.signs_in else "yes"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How a person picks somebody by a name, and by a name and an address."""

    pick: str
    pick_at: str


COMMAND_LINE = Ways(pick="pace tier {name}", pick_at="pace tier {name} --base-url {url}")


async def pick_named(
    name: str,
    now: PlannerSettings,
    *,
    model: str | None = None,
    base_url: str | None = None,
    ways: Ways = COMMAND_LINE,
    addresses: Sequence[LoopbackUrl] = USUAL_ADDRESSES,
) -> Pick:
    """What a person means by a tier's, a provider's or a server's name, if that could answer.

    For tier local without an address, `addresses` on this machine are searched. Raises
    SettingsError, whose next step is one of `ways`.
    """
    kind = kind_named(name)
    if kind is not None:
        url = base_url or await _server_of(kind, ways, addresses)
        return Pick(tier=Tier.LOCAL, model=model, base_url=url)
    tier, provider = tier_named(name)
    if tier is Tier.LOCAL and base_url is None and _local_address(now) is None:
        base_url = await _only_server(ways, addresses)
    pick = Pick(tier=tier, provider=provider, model=model, base_url=base_url)
    held = provider or held_provider(pick, now)
    _check_named(tier, held, ways)
    if base_url is None or takes_address(tier, held):
        if reason := await asyncio.to_thread(why_not, tier, held):
            raise reason
        if tier is Tier.EMBEDDED and model is not None:
            choose_model(model, open_weights(Folders.of().models))  # raises if there is none
        if held is Provider.CUSTOM and not (base_url or fitting(tier, held, now)[BASE_URL]):
            example = ways.pick_at.format(name=held, url="https://example.com/v1")
            raise SettingsError(f"The provider custom needs an address. Set it like: {example}")
    return pick


async def not_now(
    planner: PlannerSettings,
    *,
    ways: Ways = COMMAND_LINE,
    addresses: Sequence[LoopbackUrl] = USUAL_ADDRESSES,
) -> str:
    """That nobody answers at the address that is set, and the next step; empty for all else.

    Servers found at `addresses` are told, each with the one of `ways` that picks it.
    """
    address = _local_address(planner) if planner.tier is Tier.LOCAL else None
    if address is None:
        return ""
    found = await find_servers(also=address, addresses=addresses)
    if any(server.base_url == address for server in found):
        return ""
    others = "; ".join(
        f"{_picks(server, found, ways)} ({server.name} at {server.base_url})" for server in found
    )
    step = f"Start it, or pick what answers: {others}." if others else "Start it."
    return f"Nothing answers at {address} now. {step}"


def _picks(server: FoundServer, found: Sequence[FoundServer], ways: Ways) -> str:
    """The command that picks this one of those that were found, and no other."""
    is_only = [each.name for each in found].count(server.name) == 1
    if server.name != ServerKind.OTHER and is_only:
        return ways.pick.format(name=command_of(server.name))
    return ways.pick_at.format(name=Tier.LOCAL, url=server.base_url)


def _check_named(tier: Tier, provider: Provider | None, ways: Ways) -> None:
    """Raise SettingsError for a tier of many without one of them."""
    names = [each for each in Provider if each.tier is tier]
    if names and provider is None:
        raise SettingsError(
            f"Tier {tier} needs to know who: {', '.join(names[:-1])} or {names[-1]}. "
            f"Say it like: {ways.pick.format(name=names[0])}"
        )


async def _server_of(kind: ServerKind, ways: Ways, addresses: Sequence[LoopbackUrl]) -> str:
    """The address of the one server of that kind."""
    known = NAMES[kind]
    servers = await find_servers(also=known.address, addresses=addresses)
    found = [server for server in servers if server.name == kind]
    if found:
        return _one_of(found, ways)
    elsewhere = ways.pick_at.format(name=Tier.LOCAL, url="http://127.0.0.1:PORT/v1")
    raise SettingsError(
        f"No {kind} answers at {known.address}. Start it with: {known.start}; or, if it listens "
        f"elsewhere, name its address: {elsewhere}"
    )


async def _only_server(ways: Ways, addresses: Sequence[LoopbackUrl]) -> str:
    """The address of the one server on this machine."""
    servers = await find_servers(addresses=addresses)
    if servers:
        return _one_of(servers, ways)
    example = ways.pick_at.format(name=Tier.LOCAL, url="http://127.0.0.1:PORT/v1")
    raise SettingsError(
        "No server answers on this machine at the ports of LM Studio, Ollama or llama-server. "
        f"Start one, or name its address: {example}"
    )


def _one_of(servers: Sequence[FoundServer], ways: Ways) -> str:
    """The address of the only one. Names can be shared or missing, so several are told by it."""
    if len(servers) == 1:
        return servers[0].base_url.text
    listed = ", ".join(f"{server.name} at {server.base_url}" for server in servers)
    example = ways.pick_at.format(name=Tier.LOCAL, url=servers[0].base_url)
    raise SettingsError(
        f"More than one server answers on this machine: {listed}. Say which by its address, like: "
        f"{example}"
    )


def _local_address(now: PlannerSettings) -> LoopbackUrl | None:
    """The address that tier local would call; None if it has none."""
    if now.base_url is None or (now.tier, now.provider) == (Tier.DIRECT, Provider.CUSTOM):
        return None
    try:
        return LoopbackUrl(now.base_url)
    except SettingsError:
        return None


def _local(planner: PlannerSettings, servers: Sequence[FoundServer]) -> list[Offer]:
    is_set = planner.tier is Tier.LOCAL
    found = [
        Offer(
            command=command_of(server.name),
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
    told = f"installed; signs in with: {vendor_of(provider).facts.faults.sign_in}"
    return _remote(
        planner,
        provider,
        is_usable=is_here,
        told=told if is_here else f"the program {provider} is not installed",
        signs_in=True,
    )


def _api(planner: PlannerSettings, provider: Provider) -> Offer:
    reason = why_not(provider.tier, provider)
    if reason is not None:
        is_keyless = isinstance(reason, MissingKeyError)
        told = f"no key: pace tier key {provider}" if is_keyless else str(reason)
        return _remote(planner, provider, is_usable=False, told=told)
    if provider is Provider.CUSTOM:
        url = fitting(provider.tier, provider, planner)[BASE_URL]
        told = f"at {url}" if url else "any address that you name"
        return _remote(planner, provider, is_usable=url is not None, told=told)
    from pace.planners.direct.keys import has_key  # noqa: PLC0415  # an extra

    told = f"there is a key in the {has_key(provider)}"
    return _remote(planner, provider, is_usable=True, told=told)


def _remote(
    planner: PlannerSettings,
    provider: Provider,
    *,
    is_usable: bool,
    told: str,
    signs_in: bool = False,
) -> Offer:
    # The address may be that of a server on this machine, which is nobody's but tier local's.
    url = fitting(provider.tier, provider, planner)[BASE_URL]
    as_if = planner.model_copy(
        update={"tier": provider.tier, "provider": provider, "base_url": url}
    )
    recipient = recipient_of(as_if)
    return Offer(
        command=provider,
        tier=provider.tier,
        provider=provider,
        is_usable=is_usable,
        is_active=(planner.tier, planner.provider) == (provider.tier, provider),
        signs_in=signs_in,
        host="" if recipient is None else recipient.host,
        told=told,
    )
