"""The page at /: the conversation, what may be done in it, and what the model sees of it."""

from collections.abc import Sequence

from nicegui import app, background_tasks, ui

from pace.asked import Words
from pace.chat import Line, Row, RowStatus
from pace.doors.safe_text import safe_line
from pace.doors.switching import goes_to
from pace.doors.taking_turns import STOPPED_EARLY
from pace.doors.web.beginning import Beginning
from pace.doors.web.composer import Composer
from pace.doors.web.frame import Around, frame
from pace.doors.web.key_list import KeyList
from pace.doors.web.memory_panel import MemoryPanel
from pace.doors.web.message_list import MessageList
from pace.doors.web.plain import Tag
from pace.doors.web.planner_choices import offered
from pace.doors.web.talk_bar import TalkBar
from pace.doors.web.voice.button import VoiceButton
from pace.doors.web.window import Window
from pace.folders import Folders
from pace.memory.turn import TurnId
from pace.planners.offers import offers, usable_others

_DRAFT = "draft"
_GO_ON = "Please go on where you stopped."
_NOT_LAST = "That message is not the last one any more. Send this as a new message, or change it."


def conversation_page(window: Window) -> None:
    """Show it."""
    with frame(window, "/") as around:
        _Page(window, around)


class _Page:
    """One tab's page over the conversation that all tabs share."""

    def __init__(self, window: Window, around: Around) -> None:
        self._window = window
        self._chat = window.chat
        self._around = around
        self._editing: TurnId | None = None
        self._was_replying = False
        self._is_restored = False
        self._keys = KeyList()
        with Tag("div").classes("talk"):
            with Tag("section", aria_label="Conversation").classes("talk-main"):
                self._bar = TalkBar(
                    new=lambda: self._begin(temporary=False),
                    temporary=lambda: self._begin(temporary=True),
                    find=self._find,
                    memory=self._see_memory,
                    keys=self._keys.open,
                )
                self._list = MessageList(
                    self._chat, window.drawings, self._act, changed=self._changed
                )
                self._empty = Beginning(self._try)
                self._composer = Composer.build()
                with self._composer.box:
                    self._voice = VoiceButton(window)
            self._memory = MemoryPanel(window, closed=self._bar.focus_memory)
        self._composer.said.subscribe(self._said)
        self._composer.stopped.subscribe(self._stop)
        self._composer.drafted.subscribe(self._drafted)
        self._composer.pressed.subscribe(self._pressed)
        window.settings_changed.subscribe(self._changed)
        self._changed()
        ui.context.client.on_connect(self._connected)

    # --- what a person does

    def _said(self, words: Words) -> None:
        if words.replaces is not None and not self._is_last(words.replaces):
            self._composer.give_back(words, _NOT_LAST)
            return
        self._editing = None
        self._submit(words)
        self._composer.took(words)

    def _submit(self, words: Words) -> None:
        self._composer.offer("")
        if not self._voice.type(words):
            self._chat.submit(words)
        self._list.to_end()

    async def _act(self, name: str, row: Row, again: TurnId) -> None:
        """Do what a row's button says, if it may still be done."""
        is_last = self._is_last(row.turn_id)
        match name:
            case "retry" if is_last:
                self._submit(Words(text=row.user_text, turn_id=again, replaces=row.turn_id))
            case "edit" if is_last:
                self._editing = row.turn_id
                self._composer.edit(row.turn_id, row.user_text)
            case "continue" if is_last:
                self._submit(Words(text=_GO_ON, turn_id=again))
            case "again" if row.trouble:
                replaces = row.replaces if self._is_last(row.replaces) else None
                self._chat.session.remove(row.turn_id)
                self._submit(Words(text=row.user_text, turn_id=again, replaces=replaces))
            case "dismiss" if row.trouble:
                self._chat.session.remove(row.turn_id)

    async def _stop(self) -> None:
        if await self._voice.stop() or self._chat.stop():
            self._around.announce("Stopped.")

    async def _begin(self, *, temporary: bool) -> None:
        await self._chat.begin_anew(temporary=temporary)
        kind = "temporary" if temporary else "new"
        self._around.announce(f"A {kind} conversation begins.")
        self._composer.focus()

    def _find(self, text: str) -> None:
        found = self._list.filter(text)
        self._bar.found(found if text.strip() else None)

    def _see_memory(self) -> None:
        self._memory.open()

    def _try(self, text: str) -> None:
        self._composer.put(text)

    async def _pressed(self, name: str) -> None:
        match name:
            case "escape" if self._chat.session.open_row is not None:
                await self._stop()
            case "escape" if self._voice.close_microphone():
                self._around.announce("The microphone is closed.")
            case "escape":
                self._memory.close()
                self._bar.end_finding()
            case "new" | "temporary":
                await self._begin(temporary=name == "temporary")
            case "memory":
                self._see_memory()
            case "find":
                self._bar.begin_finding()
            case "help":
                self._keys.open()

    # --- what is being written

    def _drafted(self, text: str) -> None:
        self._memory.draft(text)
        app.storage.tab[_DRAFT] = text

    def _connected(self) -> None:
        """Give the page what another page handed over, and what was being written in this tab."""
        if self._is_restored:
            return
        self._is_restored = True
        handed = self._window.drafts.take()
        kept = str(app.storage.tab.get(_DRAFT, ""))
        self._composer.restore("\n\n".join(filter(None, (handed, kept))))

    # --- what happens

    def _changed(self) -> None:
        session = self._chat.session
        replying = session.open_row is not None
        self._composer.show(
            replying=replying,
            temporary=self._chat.is_temporary,
            goes_to=goes_to(self._chat.settings),
        )
        self._bar.show(temporary=self._chat.is_temporary)
        self._empty.show(
            self._chat.settings, is_empty=not session.lines, temporary=self._chat.is_temporary
        )
        if self._editing is not None and not self._is_last(self._editing):
            self._composer.end_editing(self._editing)
            self._editing = None
        if self._was_replying and not replying:
            self._around.announce("The reply is complete.")
            if _could_not_answer(session.lines):
                background_tasks.create(self._offer_others(), name="others")
        self._was_replying = replying

    async def _offer_others(self) -> None:
        """Name who else could answer; nothing is done before the person says so."""
        found = await offers(self._chat.settings, models=Folders.of().models)
        self._composer.offer(safe_line(offered(usable_others(found))))

    def _is_last(self, turn_id: TurnId | None) -> bool:
        """Whether this turn can still be replaced."""
        session = self._chat.session
        last = session.last_row
        return session.open_row is None and last is not None and last.turn_id == turn_id


def _could_not_answer(lines: Sequence[Line]) -> bool:
    """Whether the newest turn failed, and nobody stopped it."""
    last = lines[-1] if lines else None
    if not isinstance(last, Row) or last.status is not RowStatus.FAILED:
        return False
    return last.trouble != STOPPED_EARLY
