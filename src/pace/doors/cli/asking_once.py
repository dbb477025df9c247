"""Asks about an action while `pace chat TEXT` answers, if a person sits at the terminal."""

import asyncio
import sys
from contextlib import aclosing

import click

from pace.doors.approving import asked_of
from pace.doors.cli.lines import InputLines, throw_away_typed
from pace.doors.cli.terminal.asking import SETTLE
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.memory.turn import TurnId
from pace.ports import ActionRequest, Approval, Risk

_WORDS = {"y": Approval.ONCE, "yes": Approval.ONCE, "a": Approval.ALWAYS, "always": Approval.ALWAYS}


async def ask_for(chat: OpenChat, turn_id: TurnId) -> None:
    """Ask about each action of the turn, until cancelled; whatever is not a yes is a no."""
    lines = InputLines(sys.stdin.fileno())
    async with aclosing(asked_of(chat.session, turn_id)) as requests:
        async for request in requests:
            click.echo(_question(request), err=True, nl=False)
            await asyncio.sleep(SETTLE)
            throw_away_typed(sys.stdin.fileno())
            said = (await lines.next() or b"n").decode("utf-8", "replace").strip().lower()
            chat.approvals.answer(request.call_id, _WORDS.get(said, Approval.NO))


def answering_asks(chat: OpenChat, turn_id: TurnId) -> asyncio.Task[None] | None:
    """That, as a task; without a person at a terminal there is none, and every answer is no."""
    chat.approvals.can_ask = sys.stdin.isatty() and sys.stderr.isatty()
    if not chat.approvals.can_ask:
        return None
    return asyncio.create_task(ask_for(chat, turn_id), name="asking")


def _question(request: ActionRequest) -> str:
    ahead = "Careful: " if request.risk is Risk.HIGH else ""
    always = "/always" if request.may_be_always else ""
    would = safe_line(request.would)
    return f"\npace: {ahead}Pace would {would}. Allow it? [yes{always}/NO] "
