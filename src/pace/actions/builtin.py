"""The actions that Pace brings, in the order in which they are offered."""

from pace.actions.clipboard.read_clipboard import ReadClipboard
from pace.actions.clipboard.system import SystemClipboard
from pace.actions.clipboard.write_clipboard import WriteClipboard
from pace.actions.notes.append_note import AppendNote
from pace.actions.notes.folder import NotesFolder
from pace.actions.notes.search_notes import SearchNotes
from pace.actions.notes.take_note import TakeNote
from pace.actions.opening.apps_here import apps_here
from pace.actions.opening.open_address import OpenAddress
from pace.actions.opening.open_app import OpenApp
from pace.actions.opening.opener import Opener
from pace.actions.timers.cancel_timer import CancelTimer
from pace.actions.timers.list_timers import ListTimers
from pace.actions.timers.start_timer import StartTimer
from pace.actions.timers.timers import Timers
from pace.ports import Action


def builtin_actions(*, notes: NotesFolder, timers: Timers) -> tuple[Action, ...]:
    """All of them; `timers` must run for theirs to be of use."""
    clipboard = SystemClipboard()
    return (
        OpenApp(apps_here()),
        OpenAddress(Opener()),
        ReadClipboard(clipboard),
        WriteClipboard(clipboard),
        StartTimer(timers),
        ListTimers(timers),
        CancelTimer(timers),
        TakeNote(notes),
        AppendNote(notes),
        SearchNotes(notes),
    )
