"""A program for a pty: the real screen over an open chat whose planner follows a script.

Its argument is a folder that holds `script.py`, which names `replies`, and perhaps
`context_tokens` and `actions`; with those, replies are envelopes. SIGUSR1 lets 21 minutes pass on
the idle clock; SIGUSR2 opens the next gate; SIGALRM has a timer ring.
"""

import asyncio
import runpy
import signal
import sys
from collections import deque
from datetime import timedelta
from pathlib import Path

from pace.doors.cli.terminal.screen import run_terminal
from pace.doors.open_chat import OpenChat
from pace.planners.tiers import OpenedPlanner
from pace.ports import PlannerTraits
from pace.settings_file import SettingsFile
from pace.testing import FixedActions, Gate, ManualClock, ScriptedPlanner

NOTE = "Script is a small model: private and quick, and often wrong."


class NoFetch:
    """Nothing is fetched for a script."""

    def begins(self, file):
        raise AssertionError(file)

    def report(self, progress):
        raise AssertionError(progress)

    def ends(self):
        raise AssertionError


async def main() -> int:
    folder = Path(sys.argv[1])
    script = runpy.run_path(str(folder / "script.py"))
    replies = script["replies"]
    traits = PlannerTraits(
        name="scripted",
        model="Script 1B",
        context_tokens=script.get("context_tokens", 8192),
        on_this_machine=True,
        constrains=True,
    )
    actions = script.get("actions", ())
    planner = ScriptedPlanner(*replies, traits=traits)
    clock = ManualClock()
    gates = [step for reply in replies for step in reply if isinstance(step, Gate)]
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, lambda: clock.advance(timedelta(minutes=21)))
    loop.add_signal_handler(signal.SIGUSR2, lambda: gates.pop(0).open())

    told = deque()
    loop.add_signal_handler(signal.SIGALRM, lambda: told.append("The timer rings."))

    async def opener(current, *, screen):  # noqa: ARG001  # a script has no settings
        return OpenedPlanner(planner=planner, note=NOTE)

    settings = SettingsFile.open({"actions.enabled": bool(actions)}, path=folder / "settings.toml")
    chat = OpenChat(
        settings, screen=NoFetch(), opener=opener, clock=clock, actions=FixedActions(*actions)
    )
    async with chat:
        try:
            return await run_terminal(chat, clock=clock, told=told)
        finally:
            (folder / "prompts.txt").write_text(
                "\n".join(repr([m.content for m in prompt.messages]) for prompt in planner.prompts)
            )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
