"""Who gets a person's words off this machine, and whether the person agreed to that.

Nothing is opened that was not agreed to (tiers.py), so that no door can forget to ask.
"""

import shlex
from dataclasses import dataclass

from pace.endpoint import RemoteUrl, is_on_this_machine
from pace.errors import ConsentNeededError
from pace.planners.cli_bridge.finding import vendor_of
from pace.planners.direct.providers import FACTS
from pace.settings import PlannerSettings, Provider, Settings, SummariesBy, Tier, names_in

_COMPANIES = {
    Provider.CLAUDE: "Anthropic",
    Provider.CODEX: "OpenAI",
    Provider.GEMINI: "Google",
}
_PROVIDERS = {
    RemoteUrl(facts.base_url).host: provider
    for provider, facts in FACTS.items()
    if facts.base_url is not None
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Whoever gets words off this machine.

    `name` is what the person's agreement is kept under, `command` what `pace tier` calls it, `host`
    whom words go to as a person would say it, `tells` what the person is told beforehand,
    `agreeing` the command that agrees.
    """

    name: str
    command: str
    host: str
    tells: str
    agreeing: str


def recipient_of(planner: PlannerSettings) -> Recipient | None:
    """Who gets words with these settings; None if they stay on this machine."""
    provider = planner.provider
    if planner.tier is Tier.CLI and provider is not None and provider in _COMPANIES:
        company, keeps = _COMPANIES[provider], vendor_of(provider).facts.keeps
        return Recipient(
            name=f"cli:{provider}",
            command=provider,
            host=company,
            tells=f"Every message, and the summary of the conversation, go to {company} through "
            f"the program {provider}, under {company}'s terms and with your account there. "
            f"{keeps}".strip(),
            agreeing=f"pace tier {provider} --agree",
        )
    if planner.tier is not Tier.DIRECT or provider is None or provider not in FACTS:
        return None
    address = FACTS[provider].base_url or planner.base_url
    if address is None:
        return None
    url = RemoteUrl(address)
    how = "under its terms"
    if is_on_this_machine(url.text):
        how = "which is on this machine and may pass them on"
    elif not url.is_encrypted:
        how = "unencrypted over your network"
    whose = f"{provider} --base-url {shlex.quote(url.text)}"
    return Recipient(
        # Who agreed to an encrypted way has not agreed to one that can be read on the way.
        name=f"direct:{url.host}" if url.is_encrypted else f"direct:http://{url.host}",
        command=provider,
        host=url.host,
        tells=f"Every message, and the summary of the conversation, go to {url.host}, {how}.",
        agreeing=f"pace tier {whose if provider is Provider.CUSTOM else provider} --agree",
    )


def agreed_names(settings: Settings) -> tuple[str, ...]:
    """What was agreed to, in the order in which it was."""
    return names_in(settings.privacy.agreed)


def agreed_told(name: str) -> str:
    """Who is meant by what an agreement is kept under, as a person would say it."""
    kind, _, rest = name.partition(":")
    if kind == Tier.CLI and rest in _COMPANIES:
        return f"{_COMPANIES[Provider(rest)]}, through the program {rest}"
    if kind != Tier.DIRECT:
        return name
    host = rest.removeprefix("http://")
    return host if host == rest else f"{host}, unencrypted"


def is_agreed(settings: Settings, recipient: Recipient) -> bool:
    """Whether the person agreed to this recipient."""
    return recipient.name in agreed_names(settings)


def needs_asking(settings: Settings) -> Recipient | None:
    """Who would get words with these settings, and was not agreed to yet."""
    recipient = recipient_of(settings.planner)
    if recipient is None or is_agreed(settings, recipient):
        return None
    return recipient


def check_agreed(settings: Settings, recipient: Recipient | None) -> None:
    """Raise ConsentNeededError if words would go to somebody who was not agreed to."""
    if recipient is not None and not is_agreed(settings, recipient):
        raise ConsentNeededError(
            f"{recipient.tells} You have not agreed to that yet. If it is what you want: "
            f"{recipient.agreeing}"
        )


def check_summaries_agreed(settings: Settings) -> None:
    """Raise ConsentNeededError if nobody off this machine is to make summaries."""
    if not settings.summaries.remote:
        raise ConsentNeededError(
            "You have not agreed that summaries are made elsewhere. If it is what you want: "
            "pace settings summaries.remote on"
        )


def agreed_as(settings: Settings, word: str) -> tuple[str, ...]:
    """What was agreed to that a word may mean: a name there, a host, or what `pace tier` takes.

    `custom` means every address that the person named, and what answers now as that.
    """
    recipient = recipient_of(settings.planner)
    answering = recipient.name if recipient is not None and recipient.command == word else None
    return tuple(
        name
        for name in agreed_names(settings)
        if name == answering
        or word in {name, picked_as(name), (rest := name.partition(":")[2])}
        or word == rest.removeprefix("http://")
    )


def picked_as(name: str) -> str:
    """What `pace tier` calls whom an agreement is kept for."""
    kind, _, rest = name.partition(":")
    if kind != Tier.DIRECT:
        return rest or name
    return _PROVIDERS.get(rest, Provider.CUSTOM)


def asks_about_summaries(settings: Settings) -> bool:
    """Whether a planner off this machine would make summaries, if the person let it."""
    return (
        recipient_of(settings.planner) is not None
        and settings.summaries.by is SummariesBy.PLANNER
        and not settings.summaries.remote
    )


SUMMARIES_QUESTION = (
    "You have set that whoever answers makes the summaries, too. {host} would be sent older "
    "parts of the conversation once more, to sum them up. Without that, summaries are made on this "
    "machine."
)
