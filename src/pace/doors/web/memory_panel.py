"""What the model will see at the next turn, and why: the two tiers of the conversation, live."""

from collections.abc import Callable

from nicegui import ui

from pace.doors.open_chat import FoldNews
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.web.adjusting import Adjusting, shown_error
from pace.doors.web.chart import CostChart
from pace.doors.web.memory_facts import MemoryFacts, NextPrompt, memory_facts, state_of
from pace.doors.web.plain import Tag, button
from pace.doors.web.prompt_bar import PromptBar
from pace.doors.web.window import Window
from pace.errors import PaceError
from pace.folding import FOLD_STARTED
from pace.memory.summary import SummaryOutcome
from pace.memory.thread import ThreadMemory
from pace.summarizers.chain import in_words

_LOOK_SECONDS = 0.5
_FOLDS_SHOWN = 4
_FOLD_WORDS = {
    FOLD_STARTED: "started",
    SummaryOutcome.APPLIED.value: "landed in the summary",
    "pre-empted": "stopped for a turn; it comes after",
    "late": "dropped: the model was too slow",
}


class MemoryPanel:
    """The panel beside the conversation, or over it where there is no room beside it."""

    def __init__(self, window: Window, *, closed: Callable[[], None]) -> None:
        """`closed` hears that a panel that lay over the conversation was put away."""
        self._window = window
        self._closed = closed
        self._is_open = False
        self._draft = ""
        self._state: object = None
        self._place = Tag("aside", id="memory", aria_labelledby="memory-title").classes("memory")
        with self._place:
            with Tag("div").classes("memory-head"):
                Tag("h2", "What the model sees", id="memory-title")
                self._close = button("Close", "small quiet memory-close", self.close)
            self._total = Tag("p").classes("memory-total")
            self._bar = PromptBar()
            self._trouble = Tag("p").classes("warning small")
            self._lines = _Lines()
            self._summary = _Summary(self._show_summary)
            self._folds = _Folds()
            self._chart = CostChart()
        ui.timer(_LOOK_SECONDS, self._look)

    def draft(self, text: str) -> None:
        """What is being written; the next prompt would end with it."""
        self._draft = text

    def open(self) -> None:
        """Show it over the conversation, where there is no room beside it."""
        self._is_open = True
        self._place.classes(add="open")
        self._close.run_method("focus")

    def close(self) -> None:
        """Put it away again, if it was open."""
        if self._is_open:
            self._is_open = False
            self._place.classes(remove="open")
            self._closed()

    # --- inside

    async def _look(self) -> None:
        """Ask what is held, and show it if anything is new."""
        chat = self._window.chat
        try:
            memory = await chat.memory()
        except PaceError as error:
            self._trouble.set_text(str(error))
            return
        state = state_of(chat, memory, self._draft)
        if state == self._state:
            return
        facts = await memory_facts(chat, memory, self._draft, self._window.measures)
        # A planner that is not there is asked again at the next look.
        self._state = None if facts.trouble else state
        self._show(facts)

    def _show(self, facts: MemoryFacts) -> None:
        self._trouble.set_text(safe_line(facts.trouble))
        self._trouble.set_visibility(bool(facts.trouble))
        if facts.next_prompt is not None:
            self._total.set_text(_total(facts.next_prompt))
            self._bar.show(facts.next_prompt.shares)
        self._lines.show(facts)
        self._summary.show(facts)
        self._folds.show(facts)
        self._chart.show(facts.measures)

    async def _show_summary(self) -> None:
        shows = self._window.chat.settings.activity.show_summary
        try:
            await Adjusting(self._window).change({"activity.show_summary": not shows})
        except PaceError as error:
            self._trouble.set_text(shown_error(error))
            self._trouble.set_visibility(True)


class _Lines:
    """What is held, what was read ahead, and when it is forgotten."""

    def __init__(self) -> None:
        with Tag("dl").classes("facts"):
            self._window = _fact("Word for word")
            self._pending = _fact("Not summarized")
            self._prepared = _fact("Read ahead")
            self._idle = _fact("Forgets")
            with Tag("div") as self._kept_line:
                Tag("dt", "Kept to be recalled")
                self._kept = Tag("dd")
            with Tag("div") as self._gave_way_line:
                Tag("dt", "Left out")
                self._gave_way = Tag("dd")
        self._recalled_line = Tag("p", "Recalled for your words:").classes("muted small")
        self._recalled = Tag("p", dir="auto").classes("recalled-text")

    def show(self, facts: MemoryFacts) -> None:
        memory = facts.memory
        size = memory.limits.window_size
        self._window.set_text(f"{len(memory.window)} of {_pairs(size)}")
        self._pending.set_text(_pairs(len(memory.pending)) if memory.pending else "nothing")
        self._prepared.set_text(
            f"{facts.prepared_tokens:,} tokens" if facts.prepared_tokens else "nothing"
        )
        self._idle.set_text(_idle(facts))
        self._kept.set_text(_pairs(len(memory.displaced)))
        self._kept_line.set_visibility(memory.limits.recall)
        self._recalled.set_text(safe_text(facts.recalled))
        for tag in (self._recalled_line, self._recalled):
            tag.set_visibility(bool(facts.recalled))
        gave_way = () if facts.next_prompt is None else facts.next_prompt.prompt.gave_way
        self._gave_way.set_text("; ".join(gave_way))
        self._gave_way_line.set_visibility(bool(gave_way))


class _Summary:
    """The rolling summary: who made it and what it covers, and its text if that is wanted."""

    def __init__(self, switch: Callable[[], object]) -> None:
        with Tag("section", aria_labelledby="summary-title").classes("memory-part"):
            with Tag("div").classes("memory-part-head"):
                Tag("h3", "Summary", id="summary-title")
                self._switch = button("Show its text", "small quiet", switch)
            self._about = Tag("p").classes("muted small")
            self._text = Tag("p", dir="auto").classes("summary-text")

    def show(self, facts: MemoryFacts) -> None:
        summary, shows = facts.memory.summary, facts.shows_summary
        self._about.set_text(_about(facts.memory))
        self._text.set_text(safe_text(summary.text) if shows else "")
        self._text.set_visibility(shows and bool(summary.text))
        self._switch.set_text("Hide its text" if shows else "Show its text")
        self._switch.set_visibility(bool(summary.text) or shows)


class _Folds:
    """The newest folds, as they happen."""

    def __init__(self) -> None:
        self._shown: tuple[FoldNews, ...] = ()
        with Tag("section", aria_labelledby="folds-title").classes("memory-part"):
            with Tag("div").classes("memory-part-head"):
                Tag("h3", "Folds", id="folds-title")
            self._none = Tag(
                "p", "None yet. The first comes when a turn leaves the window."
            ).classes("muted small")
            self._list = Tag("ol").classes("folds")
            self._turned_down = Tag("p").classes("muted small")

    def show(self, facts: MemoryFacts) -> None:
        whose = in_words(facts.turned_down)
        self._turned_down.set_text(safe_line(f"Summaries turned down: {whose}."))
        self._turned_down.set_visibility(bool(whose))
        newest = facts.folds[-_FOLDS_SHOWN:]
        if newest == self._shown:
            return
        self._shown = newest
        self._none.set_visibility(not newest)
        self._list.clear()
        with self._list:
            for news in reversed(newest):
                with Tag("li"):
                    Tag("time", f"{news.at:%H:%M:%S}")
                    Tag("span", _fold_words(news.what))


def _fact(name: str) -> Tag:
    with Tag("div"):
        Tag("dt", name)
        return Tag("dd")


def _total(following: NextPrompt) -> str:
    used, whole = following.prompt.parts.total, following.room.context_tokens
    return f"The next prompt takes {used:,} of {whole:,} tokens."


def _pairs(count: int) -> str:
    return f"{count} turn pair{'s' * (count != 1)}"


def _about(memory: ThreadMemory) -> str:
    summary = memory.summary
    if not summary.text:
        return "None; nothing is older than the window."
    return f"Version {summary.version}, {summary.made_by}, covers {_pairs(summary.covers)}."


def _idle(facts: MemoryFacts) -> str:
    if not facts.memory.limits.remember:
        return "at once; remembering is off"
    if facts.memory.is_empty:
        return "nothing to forget yet"
    minutes = max(-(-int(facts.idle_left.total_seconds()) // 60), 1)
    return f"in {minutes} min, if nobody speaks"


def _fold_words(what: str) -> str:
    return _FOLD_WORDS.get(what, f"dropped: {what}")
