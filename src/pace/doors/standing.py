"""Who answers as things stand: what is set is told apart from what can answer now."""

from pace.doors.switching import who_answers
from pace.planners.offers import COMMAND_LINE, Ways, not_now
from pace.settings import Settings


async def standing(settings: Settings, *, ways: Ways = COMMAND_LINE) -> str:
    """Who answers, and where words go, or that who is set does not now and what to do.

    What to do is said in the `ways` of the door that asked.
    """
    if fault := await not_now(settings.planner, ways=ways):
        return f"{settings.planner.tier} is set; your words stay on this machine. {fault}"
    return who_answers(settings)
