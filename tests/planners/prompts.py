"""Prompts for tests of planners."""

from pace.memory.prompt import Message, Prompt, PromptParts, Role
from pace.memory.turn import SessionId, ThreadId

_PARTS = PromptParts(system=0, summary=0, pending=0, window=0, facts=0, recalled=0, words=0)


def prompt_of(
    words: str,
    *,
    thread: str = "one",
    session: str = "first",
    system: str = "You are Pace, a friendly companion.",
    window: tuple[tuple[str, str], ...] = (),
) -> Prompt:
    messages = [Message(Role.SYSTEM, system)]
    for user, reply in window:
        messages += [Message(Role.USER, user), Message(Role.ASSISTANT, reply)]
    return Prompt(
        thread_id=ThreadId(thread),
        session_id=SessionId(session),
        messages=(*messages, Message(Role.USER, words)),
        parts=_PARTS,
    )
