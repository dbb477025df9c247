"""Who answers as things stand: what is set is told apart from what can answer now."""

from pace.doors.switching import who_answers
from pace.planners.offers import not_now
from pace.settings import Settings


async def standing(settings: Settings) -> str:
    """Who answers, and where words go, or that who is set does not now and what to do."""
    if fault := await not_now(settings.planner):
        return f"{settings.planner.tier} is set; your words stay on this machine. {fault}"
    return who_answers(settings)
