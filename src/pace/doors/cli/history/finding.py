"""`pace history search`: the turns that hold some words, the best first."""

from pace.clock import SystemClock
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.history.days import period_of, shown_time
from pace.doors.cli.history.listing import checked_limit
from pace.doors.cli.history.opened import begins_how, open_history, tell
from pace.doors.cli.history.page import Page
from pace.doors.cli.history.words import called, marked, short_id
from pace.doors.cli.terminal.look import ACCENT, DIM, STRONG
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError
from pace.journal.rows import Found, PastConversation
from pace.journal.words import Query, Snippet
from pace.memory.turn import SessionId

_FOUND = f"{STRONG} {ACCENT}"


def search(text: str, *, since: str | None, before: str | None, limit: str) -> None:
    """Show what holds every word of a text. Any text may be searched for."""
    if not Query.of(text).phrases:
        raise SettingsError("There is no word to search for. Give one, or a number.")
    run_until_ended(_search(text, since, before, checked_limit(limit)))


async def _search(text: str, since: str | None, before: str | None, limit: int) -> None:
    period = period_of(since, before, now=SystemClock().local_time())
    async with open_history() as history:
        if not await history.count():
            tell(begins_how())
            return
        found = await history.search(text, limit=limit + 1, period=period)
        conversations = {
            session_id: await history.conversation_of(entry)
            for session_id, entry in {
                each.entry.turn.session_id: each.entry for each in found
            }.items()
        }
    if not found:
        tell("Nothing in the history holds all of that.")
        return
    page = Page()
    for each in found[:limit]:
        _show(page, each, conversations)
    if len(found) > limit:
        tell(f"There is more. See it with: pace history search --limit {limit * 10} TEXT")


def _show(page: Page, found: Found, conversations: dict[SessionId, PastConversation]) -> None:
    turn = found.entry.turn
    where = f"{short_id(turn.session_id)}  {called(conversations[turn.session_id])}"
    page.heading(
        (f"{found.entry.number}", STRONG),
        f"  {shown_time(turn.said_at)}  ",
        (f"{where}{marked(turn.status)}", DIM),
    )
    for speaker, snippet in (("You ", found.said), ("Pace", found.reply)):
        if snippet.text:
            page.write((f"    {speaker}  ", DIM), *_pieces(snippet))


def _pieces(snippet: Snippet) -> list[str | tuple[str, str]]:
    """A snippet made safe piece by piece, so that what was found can be told apart."""
    pieces: list[str | tuple[str, str]] = []
    at = 0
    for start, end in snippet.found:
        pieces += [_safe(snippet.text[at:start]), (_safe(snippet.text[start:end]), _FOUND)]
        at = end
    return [*pieces, _safe(snippet.text[at:])]


def _safe(piece: str) -> str:
    """A piece with the spaces at its ends, which part it from the next one."""
    safe = safe_line(piece)
    before = " " if piece[:1].isspace() and safe else ""
    after = " " if piece[-1:].isspace() else ""
    return f"{before}{safe}{after}"
