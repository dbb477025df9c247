"""Switches who answers, for every door; asks before words are to leave this machine."""

from collections.abc import Awaitable, Callable, Sequence

from pace.planners.consent import (
    SUMMARIES_QUESTION,
    asks_about_summaries,
    needs_asking,
    recipient_of,
)
from pace.planners.offers import Offer
from pace.planners.picking import Pick, values_of
from pace.settings import PlannerSettings, Settings
from pace.settings_file import SettingsFile, With

AGREED, REMOTE = "privacy.agreed", "summaries.remote"

Ask = Callable[[str], Awaitable[bool]]
"""Shows a person some sentences and gives their yes or no."""


async def values_to_switch(
    file: SettingsFile, planner: PlannerSettings, pick: Pick, ask: Ask
) -> dict[str, object] | None:
    """What to set so that the pick answers instead of `planner`; None if the person says no.

    Asks for nothing that is agreed to by the file as it is now: a yes may have been given or
    withdrawn in another process. Raises SettingsError.
    """
    values = values_of(pick, planner)
    for name in (AGREED, REMOTE):
        file.catch_up(name)
    then = _as_set(file.current, planner, values)
    recipient = needs_asking(then)
    if recipient is None:
        return values
    if not await ask(recipient.tells):
        return None
    agreed: dict[str, object] = {AGREED: With(recipient.name)}
    if asks_about_summaries(then) and await ask(SUMMARIES_QUESTION.format(host=recipient.host)):
        agreed[REMOTE] = True
    # The consent first: what is in force is agreed to at every moment.
    return {**agreed, **values}


def _as_set(settings: Settings, planner: PlannerSettings, values: dict[str, object]) -> Settings:
    """The settings with this planner, and these values in it."""
    then = planner.model_dump()
    then |= {name.removeprefix("planner."): value for name, value in values.items()}
    return settings.model_copy(update={"planner": PlannerSettings.model_validate(then)})


def who_answers(settings: Settings) -> str:
    """Who answers by these settings, and where words go, or what is missing for that."""
    planner = settings.planner
    recipient = recipient_of(planner)
    name = planner.provider if recipient is not None and planner.provider else planner.tier
    if recipient is None:
        return f"{name} answers; your words stay on this machine."
    if needs_asking(settings):
        return f"{name} is set, and gets no word until you agree (with: {recipient.agreeing})."
    return f"{name} answers; your words go to {recipient.host}."


def remote_sentence(settings: Settings) -> str:
    """That words leave this machine, and for whom; empty if they do not."""
    return "" if recipient_of(settings.planner) is None else who_answers(settings)


def others_sentence(others: Sequence[Offer], *, command: str) -> str:
    """Who else could answer, as commands to type; empty if nobody could."""
    if not others:
        return ""
    told = (f"{command} {offer.command} ({_offered(offer)})" for offer in others)
    return f"Others that could answer: {', '.join(told)}."


def _offered(offer: Offer) -> str:
    where = f"sends words to {offer.host}" if offer.host else "here"
    return f"{where}; has to be signed in" if offer.signs_in else where


def goes_to(settings: Settings) -> str:
    """Who gets the words, as a person would name it; empty while they stay here."""
    recipient = recipient_of(settings.planner)
    return "" if recipient is None else recipient.host


def mark_of(settings: Settings) -> str:
    """A word for the prompt line while words leave this machine; empty while they do not."""
    recipient = recipient_of(settings.planner)
    return "" if recipient is None else recipient.command
