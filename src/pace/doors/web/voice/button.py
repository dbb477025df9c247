"""The microphone at the message box of one tab, with its switches for free hands and for mute."""

from nicegui import background_tasks, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from pace.asked import Words
from pace.doors.cli.fetching import gigabytes
from pace.doors.safe_text import safe_line
from pace.doors.web.window import Window
from pace.errors import PaceError
from pace.planners.catalogue import ModelFile
from pace.planners.download import Progress

_LOADING = "Getting ready…"


class VoiceButton:
    """Stands where the page is being built; a `Tab` of the window's desk.

    Sentences go to the page, or, if nobody is there any more, to the window's notices.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._desk = window.voice
        self._fetching = ""
        self._made = _Voice()
        self._client = self._made.client
        self._made.on("open", self._open)
        self._made.on("mute", self._mute)
        ui.context.client.on_delete(lambda: self._desk.forget(self))

    # --- what the page does with it

    def type(self, words: Words) -> bool:
        """Send typed words where Pace speaks; False if it does not, here and now."""
        session = self._window.chat.session
        talking = self._desk.talking_in(self)
        if talking is None or session.is_muted or session.row(words.turn_id) is not None:
            return False
        background_tasks.create(talking.type(words), name="typed")
        return True

    async def stop(self) -> bool:
        """Cut the reply of a spoken conversation; False if there is none."""
        talking = self._desk.talking_in(self)
        return talking is not None and await talking.stop()

    def close_microphone(self) -> bool:
        """Listen no more; False if nobody listened."""
        talking = self._desk.talking_in(self)
        return talking is not None and talking.close_microphone()

    # --- what the desk does with it

    def connect(self, ticket: str) -> None:
        """Have the page open its sound connection."""
        self._show(opening="", muted=self._window.chat.session.is_muted)
        self._made.run_method("connect", ticket)

    def tell(self, sentence: str) -> None:
        """Tell the person, wherever they are."""
        if self._client.has_socket_connection:
            self._made.run_method("tell", safe_line(sentence))
        else:
            self._window.notices.append(sentence)

    def begins(self, file: ModelFile) -> None:
        """A model is missing, and will be fetched now."""
        self._fetching = f"Fetching {file.title}, {gigabytes(file.size)}, once"
        self._show(opening=f"{self._fetching}…")

    def report(self, progress: Progress) -> None:
        """How far it is."""
        if progress.total:
            share = min(100, progress.done * 100 // progress.total)
            self._show(opening=f"{self._fetching}: {share} %")

    def ends(self) -> None:
        """It is over."""
        self._show(opening=_LOADING)

    # --- inside

    async def _open(self) -> None:
        self._show(opening=_LOADING)
        try:
            await self._desk.open_for(self)
        except PaceError as error:
            self._made.run_method("fail", safe_line(str(error)))
        finally:
            self._show(opening="")

    def _mute(self, event: GenericEventArguments) -> None:
        is_muted = event.args is True
        self._window.chat.session.is_muted = is_muted
        self._show(muted=is_muted)
        talking = self._desk.talking_in(self)
        if talking is not None:
            talking.mute(is_muted=is_muted)

    def _show(self, **shown: object) -> None:
        """Tell the browser what is new, and nothing else."""
        for name, value in shown.items():
            if self._made.props.get(name) != value:
                self._made.props[name] = value


class _Voice(Element, component="../components/voice.js"):
    """The controls in the browser."""
