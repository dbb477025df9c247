"""Who gets a person's words off this machine, and whether the person agreed to that.

Nothing is opened that was not agreed to (tiers.py), so that no door can forget to ask.
"""

from dataclasses import dataclass

from pace.endpoint import RemoteUrl
from pace.errors import ConsentNeededError
from pace.planners.cli_bridge.finding import vendor_of
from pace.planners.direct.providers import FACTS
from pace.settings import PlannerSettings, Provider, Settings, SummariesBy, Tier, names_in

_COMPANIES = {
    Provider.CLAUDE: "Anthropic",
    Provider.CODEX: "OpenAI",
    Provider.GEMINI: "Google",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Whoever gets words off this machine.

    `name` is what the person's agreement is kept under, `command` what `pace tier` calls it, `host`
    whom words go to as a person would say it, `tells` what the person is told beforehand.
    """

    name: str
    command: str
    host: str
    tells: str


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
        )
    if planner.tier is not Tier.DIRECT or provider is None or provider not in FACTS:
        return None
    address = FACTS[provider].base_url or planner.base_url
    if address is None:
        return None
    url = RemoteUrl(address)
    how = "under its terms" if url.is_encrypted else "unencrypted over your network"
    return Recipient(
        name=f"direct:{url.host}",
        command=provider,
        host=url.host,
        tells=f"Every message, and the summary of the conversation, go to {url.host}, {how}.",
    )


def agreed_names(settings: Settings) -> tuple[str, ...]:
    """What was agreed to, in the order in which it was."""
    return names_in(settings.privacy.agreed)


def is_agreed(settings: Settings, recipient: Recipient) -> bool:
    """Whether the person agreed to this recipient."""
    return recipient.name in agreed_names(settings)


def needs_asking(settings: Settings) -> Recipient | None:
    """Who would get words with these settings, and was not agreed to yet."""
    recipient = recipient_of(settings.planner)
    if recipient is None or is_agreed(settings, recipient):
        return None
    return recipient


def check_agreed(settings: Settings) -> None:
    """Raise ConsentNeededError if words would go to somebody who was not agreed to."""
    if recipient := needs_asking(settings):
        raise ConsentNeededError(
            f"{recipient.tells} You have not agreed to that yet. If it is what you want: "
            f"pace tier {recipient.command} --agree"
        )


def with_agreed(settings: Settings, recipient: Recipient) -> str:
    """The setting privacy.agreed with this recipient in it."""
    names = agreed_names(settings)
    return ", ".join(names if recipient.name in names else (*names, recipient.name))


def without_agreed(settings: Settings, name: str) -> str:
    """The setting privacy.agreed without this name."""
    return ", ".join(held for held in agreed_names(settings) if held != name)


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
