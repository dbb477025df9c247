"""A process that asks once, to be ended from outside."""

ANSWERING = """
import asyncio, signal, sys
from pathlib import Path
from pace.memory.prompt import Message, Prompt, PromptParts, Role
from pace.memory.turn import SessionId, ThreadId
from pace.planners.cli_bridge import CliPlanner
from pace.settings import Provider

async def main():
    path = Path(sys.argv[1])
    parts = PromptParts(system=0, summary=0, pending=0, window=0, facts=0, recalled=0, words=0)
    prompt = Prompt(thread_id=ThreadId("t"), session_id=SessionId("s"), parts=parts,
        messages=(Message(Role.USER, "hi"),))
    async for _ in CliPlanner(Provider(path.name), executable=path).stream(prompt):
        pass

# Whoever runs the tests in a shell's background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
asyncio.run(main())
"""
