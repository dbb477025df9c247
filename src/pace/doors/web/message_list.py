"""The transcript in one tab: rows that come at once, and replies that grow in them."""

from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from pace.chat import Change, ChangeKind, Divider, Line, Row
from pace.doors.open_chat import OpenChat
from pace.doors.web.composer import turn_id_of
from pace.doors.web.drawing import Drawings
from pace.doors.web.message_row import MessageRow, divider_text
from pace.doors.web.plain import Tag
from pace.memory.turn import TurnId
from pace.ports import Approval

# How often growing replies are shown, in seconds, if they can be drawn as often.
_FRAME = 0.1

Act = Callable[[str, Row, TurnId], Awaitable[None]]
"""Does what a row's button says: its name, the row, and the id of the turn that it may begin."""


class MessageList:
    """Shows the lines of the chat's session, for as long as its page lives."""

    def __init__(
        self, chat: OpenChat, drawings: Drawings, act: Act, *, changed: Callable[[], None]
    ) -> None:
        """`act` does what a row's button says; `changed` hears of every change of the lines."""
        self._chat = chat
        self._drawings = drawings
        self._act = act
        self._changed = changed
        self._shown: dict[str, Element] = {}
        self._dirty: set[str] = set()
        self._wanted = ""
        self._place = _Transcript()
        self._arrange()
        ui.context.client.on_delete(chat.session.subscribe(self._hear))
        ui.timer(_FRAME, self._draw, immediate=False)

    def to_end(self) -> None:
        """Show the newest line."""
        self._place.run_method("toEnd")

    def filter(self, text: str) -> int:
        """Show only rows that hold a text; gives how many."""
        self._wanted = text.strip()
        return self._apply_filter()

    # --- inside

    def _hear(self, change: Change) -> None:
        if change.kind is ChangeKind.CHANGED and isinstance(change.line, Row):
            self._dirty.add(change.line.turn_id)
            if change.line.is_open:
                return
            # A turn that is over is shown whole before anything is offered to be done with it.
            self._draw()
        else:
            self._arrange()
        self._refresh_actions()
        self._changed()

    def _arrange(self) -> None:
        """Have the page hold exactly the lines there are, in their order."""
        lines = self._chat.session.lines
        keys = [_key(line) for line in lines]
        for gone in self._shown.keys() - set(keys):
            self._shown.pop(gone).delete()
        with self._place:
            for at, (key, line) in enumerate(zip(keys, lines, strict=True)):
                if key not in self._shown:
                    self._shown[key] = self._made(line)
                if self._place.default_slot.children[at] is not self._shown[key]:
                    self._shown[key].move(self._place, target_index=at)
        self._refresh_actions()
        self._apply_filter()

    def _made(self, line: Line) -> Element:
        if isinstance(line, Divider):
            minutes = self._chat.settings.activity.idle_minutes
            with Tag("div", role="separator").classes("divider") as divider:
                Tag("span", divider_text(line, minutes))
            return divider
        row = MessageRow(line, self._drawings)
        row.on("act", self._pressed)
        row.on("word", self._word_given)
        row.on("thoughts", lambda event, row=row: self._thoughts_opened(row, event))
        return row

    def _draw(self) -> None:
        """Show what has changed since the last frame; long replies are drawn less often."""
        due = {key for key in self._dirty if self._show(key)}
        self._dirty -= due
        if due and self._wanted:
            self._apply_filter()

    def _show(self, key: str) -> bool:
        """Show a row as it is; False if that has to wait."""
        shown = self._shown.get(key)
        row = self._chat.session.row(TurnId(key))
        if not isinstance(shown, MessageRow) or row is None:
            return True
        if not self._drawings.is_due(row):
            return False
        shown.show(row)
        return True

    def _refresh_actions(self) -> None:
        """Offer a second thought on the last row alone, and none while a reply comes."""
        session = self._chat.session
        first_open = session.open_row
        last = None if first_open is not None else session.last_row
        for line in session.lines:
            shown = self._shown.get(_key(line))
            if isinstance(line, Row) and isinstance(shown, MessageRow):
                is_last = last is not None and line.turn_id == last.turn_id
                waits = first_open is not None and line.turn_id != first_open.turn_id
                shown.offer(line, is_last=is_last, waits=waits)

    def _apply_filter(self) -> int:
        session = self._chat.session
        found = {row.turn_id for row in session.filtered(self._wanted)}
        for key, shown in self._shown.items():
            shown.set_visibility(not self._wanted or key in found)
        return len(found)

    async def _pressed(self, event: GenericEventArguments) -> None:
        given = event.args if isinstance(event.args, dict) else {}
        turn_id, again = turn_id_of(given.get("turn")), turn_id_of(given.get("id"))
        row = None if turn_id is None else self._chat.session.row(turn_id)
        if row is not None and again is not None:
            await self._act(str(given.get("name")), row, again)

    def _word_given(self, event: GenericEventArguments) -> None:
        """Take the person's word on an action; a late one, or an unknown one, does nothing."""
        given = event.args if isinstance(event.args, dict) else {}
        call_id, word = given.get("call"), given.get("word")
        if isinstance(call_id, str) and word in set(Approval):
            self._chat.approvals.answer(call_id, Approval(word))

    def _thoughts_opened(self, shown: MessageRow, event: GenericEventArguments) -> None:
        given = event.args if isinstance(event.args, dict) else {}
        row = self._chat.session.row(TurnId(str(shown.props["turn"])))
        if row is not None:
            shown.show_thoughts(row, are_open=given.get("open") is True)


class _Transcript(Element, component="components/transcript.js"):
    """The list in the browser."""


def _key(line: Line) -> str:
    return line.turn_id if isinstance(line, Row) else f"end of {line.session_id}"
