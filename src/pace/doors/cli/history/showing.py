"""`pace history show`: a turn or a conversation, word for word."""

from contextlib import suppress

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.history.days import shown_time
from pace.doors.cli.history.opened import is_number, open_history, session_named
from pace.doors.cli.history.page import Page
from pace.doors.cli.history.words import called, counted, how_it_ended, marked, short_id
from pace.doors.cli.terminal.look import ACCENT, DIM, STRONG
from pace.doors.safe_text import safe_line, safe_text
from pace.errors import NotInHistoryError
from pace.history import PaceHistory
from pace.journal.rows import Entry, PastConversation
from pace.memory.turn import SessionId


def show(named: str) -> None:
    """Show a turn by its number, or a conversation by the beginning of its id."""
    run_until_ended(_show(named.strip()))


async def _show(named: str) -> None:
    page = Page()
    async with open_history() as history:
        found = await _named(history, named)
        if isinstance(found, Entry):
            _write_head(page, await history.conversation_of(found))
            _write_turn(page, found)
            return
        _write_head(page, await history.conversation(found))
        async for each in history.entries(session_id=found):
            _write_turn(page, each)


async def _named(history: PaceHistory, named: str) -> Entry | SessionId:
    """The turn of this number, or else a conversation: its id may begin with digits alone."""
    if not is_number(named):
        return await session_named(history, named)
    try:
        return await history.entry(int(named))
    except NotInHistoryError:
        with suppress(NotInHistoryError):
            return await session_named(history, named)
        raise


def _write_head(page: Page, conversation: PastConversation) -> None:
    page.heading((called(conversation), STRONG))
    page.write(
        (
            ", ".join(
                (
                    short_id(conversation.session_id),
                    shown_time(conversation.began_at),
                    counted(conversation.turns, "turn"),
                    how_it_ended(conversation.cause),
                )
            ),
            DIM,
        )
    )


def _write_turn(page: Page, entry: Entry) -> None:
    turn = entry.turn
    who = safe_line(" ".join(part for part in (turn.planner, turn.model) if part))
    heading = f"{entry.number}  {shown_time(turn.said_at)}{marked(turn.status)}"
    page.write()
    page.write((f"{heading}  {who}".rstrip(), DIM))
    page.write(("You", STRONG))
    page.write(safe_text(turn.user_text))
    if turn.reply_text:
        page.write(("Pace", f"{STRONG} {ACCENT}"))
        page.write(safe_text(turn.reply_text))
