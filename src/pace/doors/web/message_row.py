"""How one turn of the transcript looks: its reply as HTML, and what is to be said below it."""

from nicegui.element import Element

from pace.chat import Divider, Row, RowStatus
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.spoken_times import times_told
from pace.doors.web.drawing import Drawings
from pace.journal.rows import TurnSource
from pace.ports import Loading, Reading, Risk
from pace.threads import EndCause

_MARKS = {
    TurnSource.VOICE: "Spoken",
    TurnSource.GATEWAY: "By another program",
}


class MessageRow(Element, component="components/message_row.js"):
    """A row of the transcript."""

    def __init__(self, row: Row, drawings: Drawings) -> None:
        super().__init__()
        self._drawings = drawings
        self.props["turn"] = row.turn_id
        self.props["said"] = safe_text(row.user_text)
        self.props["at"] = f"{row.said_at:%H:%M}"
        self._shows_thoughts = False
        self.show(row)

    def show_thoughts(self, row: Row, *, are_open: bool) -> None:
        """Show what the planner told of its thoughts, or show it no more."""
        self._shows_thoughts = are_open
        self.show(row)

    def show(self, row: Row) -> None:
        """Show how far the turn has come."""
        self._set("html", self._drawings.html_of(row))
        # Copied as it was written, signs of Markdown and all.
        self._set("source", "" if row.is_open else row.reply_text)
        self._set("status", row.status.value)
        self._set("open", row.is_open)
        self._set("trouble", _sentence(row.trouble))
        self._set("marks", " · ".join(_marks(row)))
        self._set("unheard", safe_text(row.unheard.strip()))
        self._set("times", "" if row.spoken is None else times_told(row.spoken))
        self._set("ask", _ask(row))
        self._set("shown", [safe_text(text) for text in row.shown])
        self._set("notices", [safe_line(text) for text in row.notices])
        self._set("thinks", bool(row.reasoning))
        self._set("thoughts", safe_text(row.reasoning) if self._shows_thoughts else "")
        self._show_activity(row, waits=False)

    def offer(self, row: Row, *, is_last: bool, waits: bool) -> None:
        """Offer what can be done with it; `waits` if another turn is answered before it."""
        self._set("actions", _actions(row, is_last=is_last))
        self._show_activity(row, waits=waits)

    def _set(self, name: str, value: object) -> None:
        """Tell the browser what is new, and nothing else."""
        if self.props.get(name) != value:
            self.props[name] = value

    def _show_activity(self, row: Row, *, waits: bool) -> None:
        self._set("activity", "waiting its turn" if waits else _activity(row))


def divider_text(divider: Divider, idle_minutes: int) -> str:
    """Why nothing above this line is remembered."""
    match divider.cause:
        case EndCause.IDLE:
            return f"The conversation was cleared after {idle_minutes} minutes"
        case EndCause.OFF:
            return "Remembering was switched off; each message stands alone"
        case _:
            return "The conversation was reset; nothing above is remembered"


def _sentence(trouble: str) -> str:
    """What is the matter, as a sentence that stands after another."""
    line = safe_line(trouble)
    return line[:1].upper() + line[1:]


def _ask(row: Row) -> dict[str, object] | None:
    """An action that waits for a word; nothing, once somebody gave it."""
    if row.asks is None:
        return None
    return {
        "call": row.asks.call_id,
        "action": safe_line(row.asks.action),
        "would": safe_line(row.asks.would),
        "careful": row.asks.risk is Risk.HIGH,
        "always": row.asks.may_be_always,
    }


def _activity(row: Row) -> str:
    if isinstance(row.activity, Loading):
        return "the server loads its model"
    if isinstance(row.activity, Reading) and row.activity.total:
        return f"reading {min(100, row.activity.done * 100 // row.activity.total)} %"
    return "thinking" if row.is_open else ""


def _marks(row: Row) -> list[str]:
    marks = [_MARKS[row.source]] if row.source in _MARKS else []
    if row.status is RowStatus.INTERRUPTED:
        marks.append("Stopped before its end")
    elif row.broke_off:
        marks.append("The model broke off")
    elif row.cut_off:
        marks.append("Cut off at the limit for a reply")
    return marks


def _actions(row: Row, *, is_last: bool) -> list[str]:
    if row.is_open:
        return []
    if row.status is RowStatus.FAILED:
        return ["again", "dismiss"]
    if not is_last:
        return ["copy"]
    return ["copy", "retry", "edit", *(["continue"] if row.cut_off else [])]
