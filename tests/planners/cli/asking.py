"""Asks a planner over a scripted program."""

from contextlib import aclosing
from pathlib import Path

from pace.memory.prompt import Prompt
from pace.planners.cli_bridge import CliPlanner
from pace.planners.cli_bridge.patience import Limits
from pace.ports import PlannerEvent, TextDelta
from pace.settings import Provider
from planners.prompts import prompt_of

PROGRAMS = (Provider.CLAUDE, Provider.CODEX, Provider.GEMINI)


def planner_over(
    executable: Path, *, model: str | None = None, limits: Limits | None = None
) -> CliPlanner:
    """The planner for the program of that name."""
    return CliPlanner(Provider(executable.name), model=model, executable=executable, limits=limits)


async def ask(planner: CliPlanner, prompt: Prompt | None = None) -> list[PlannerEvent]:
    """All events of one reply."""
    async with aclosing(planner.stream(prompt or prompt_of("hi"))) as events:
        return [event async for event in events]


def said(events: list[PlannerEvent]) -> str:
    """The words of a reply."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))
