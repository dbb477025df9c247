"""Who answers as things stand: what is set is told apart from what can answer now."""

from pace.doors.switching import who_answers
from pace.planners.consent import needs_asking
from pace.planners.offers import not_now
from pace.settings import Settings


async def standing(settings: Settings) -> str:
    """Who answers, and where words go, or that who is set gives no answer now and what to do."""
    recipient = needs_asking(settings)
    if recipient is not None:
        return (
            f"{recipient.command} is set, and gets no word until you agree. If you want it: "
            f"{recipient.agreeing}"
        )
    if fault := await not_now(settings.planner):
        return f"{settings.planner.tier} is set; your words stay on this machine. {fault}"
    return who_answers(settings)
