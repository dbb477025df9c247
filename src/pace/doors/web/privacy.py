"""What is kept, and where; what leaves this machine; and how to be rid of it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pace.doors.cli.fetching import gigabytes
from pace.doors.cli.privacy import odd_told, size, when
from pace.doors.safe_text import safe_line
from pace.doors.switching import AGREED
from pace.doors.web.adjusting import Adjusting, shown_error
from pace.doors.web.confirming import confirmed
from pace.doors.web.plain import Tag, button
from pace.doors.web.saying_when import turns_of
from pace.doors.web.window import Window
from pace.errors import HistoryError, PaceError, SentLogError
from pace.folders import Folders
from pace.planners.consent import agreed_names, agreed_told, recipient_of
from pace.planners.sent_log import SentLog, SentTotal
from pace.settings import Settings, Tier
from pace.settings_file import Without

_BESIDE = ("", "-wal", "-shm")


class Privacy:
    """The facts about what is kept; `refresh` looks at the disk again."""

    def __init__(self, window: Window, adjusting: Adjusting) -> None:
        self._window = window
        self._adjusting = adjusting
        Tag("h3", "What leaves this machine")
        self._leaves = Tag("p").classes("plain-words")
        self._sent = Tag("div").classes("sent")
        Tag("h3", "What is kept, and where")
        with Tag("dl").classes("kept"):
            self._conversation = self._thing("The conversation")
            self._history = self._thing("The history")
            self._settings = self._thing("Settings")
            self._models = self._thing("Model files")
        self._said = Tag("p", role="status").classes("setting-said")

    async def refresh(self) -> None:
        """Say how it is now."""
        self._leaves.set_text(_what_leaves(self._window.chat.settings))
        await self._refresh_sent()
        _fill(
            self._conversation,
            "This program's memory, on no disk",
            "Until you reset it, leave, or pause for longer than the idle limit.",
        )
        await self._refresh_history()
        _fill(
            self._settings,
            str(self._window.chat.settings_file.path),
            "What you changed on this page. Until you change it again.",
        )
        models = Folders.of().models
        size = sum(path.stat().st_size for path in models.glob("*.gguf") if path.is_file())
        told = f"{gigabytes(size)}. " if size else "None yet. "
        _fill(
            self._models,
            str(models),
            f"{told}Nothing of yours is in them. To remove one: pace models remove NAME",
        )

    async def _refresh_sent(self) -> None:
        """How much was sent to whom, and what was agreed to."""
        self._sent.clear()
        with self._sent:
            try:
                log = SentLog(Folders.of().sent_log)
                totals = await asyncio.to_thread(log.totals)
                odd = await asyncio.to_thread(log.odd_rows)
            except SentLogError as error:
                Tag("p", str(error)).classes("hint")
            else:
                _tell_sent(totals, odd)
            self._show_agreed()

    def _show_agreed(self) -> None:
        names = agreed_names(self._window.chat.settings)
        if not names:
            return
        Tag("h4", "You agreed that your words go to")
        with Tag("ul").classes("agreed"):
            for name in names:
                with Tag("li"):
                    Tag("span", safe_line(agreed_told(name)))
                    self._withdrawal(name)

    def _withdrawal(self, name: str) -> None:
        whom = safe_line(agreed_told(name))

        async def withdraw() -> None:
            answering = recipient_of(self._window.chat.settings.planner)
            if answering is not None and answering.name == name:
                told = "It is set to answer now. Choose another planner above first."
                self._said.classes(add="error").set_text(told)
                return
            try:
                await self._adjusting.change({AGREED: Without(name)})
            except PaceError as error:
                self._said.classes(add="error").set_text(shown_error(error))
            else:
                self._said.classes(remove="error").set_text(f"Withdrawn: {whom}.")

        made = button("Withdraw", "small", withdraw)
        # By itself, it is one of many of that name.
        made.props["aria-label"] = f"Withdraw ({whom})"

    async def _refresh_history(self) -> None:
        path = self._window.history.path
        try:
            turns = await self._window.history.count()
        except HistoryError as error:
            _fill(self._history, str(path), str(error))
            return
        files = [path.with_name(path.name + ending) for ending in _BESIDE]
        size = sum(file.stat().st_size for file in files if file.exists())
        told = f"{turns_of(turns)}, {_size(size)}." if turns else "Nothing has been kept."
        history = self._window.chat.settings.history
        if not history.keep:
            told = f"{told} Nothing is added: keeping conversations is switched off."
        elif history.retention_days is None:
            told = f"{told} Until you delete it."
        else:
            told = f"{told} Each turn until it is {history.retention_days} days old."
        _fill(self._history, str(path), told)
        with self._history, Tag("div").classes("row"):
            Tag("a", "Read it", href="/conversations").classes("button small")
            made = button("Delete everything…", "danger small", self._delete)
            made.set_visibility(bool(turns))

    async def _delete(self) -> None:
        count = turns_of(await self._window.history.count())
        is_sure = await confirmed(
            "Delete the whole history?",
            f"{count} will be deleted, from the history's file too. Nothing can bring them back.",
            *self._window.outlives_deletion(),
            verb=f"Delete {count}",
        )
        if not is_sure:
            return
        try:
            gone = await self._window.history.delete_all()
        except HistoryError as error:
            self._said.classes(add="error").set_text(str(error))
        else:
            self._said.classes(remove="error").set_text(f"Deleted: {turns_of(gone)}.")
        await self._window.tell_of_history()

    def _thing(self, title: str) -> Tag:
        Tag("dt", title)
        return Tag("dd")


def _fill(place: Tag, where: str, told: str) -> None:
    place.clear()
    with place:
        Tag("code", where) if Path(where).is_absolute() else Tag("span", where)
        Tag("p", told).classes("hint")


def _tell_sent(totals: Sequence[SentTotal], odd: int) -> None:
    if odd:
        Tag("p", odd_told(odd)).classes("hint")
    elif not totals:
        Tag("p", "The log of what was sent is empty.").classes("hint")
    if not totals:
        return
    with Tag("ul"):
        for total in totals:
            Tag(
                "li",
                f"{safe_line(total.host)} (tier {total.tier}): {total.count:,} "
                f"{total.kind.value}{'s' * (total.count != 1)}, {size(total.bytes)}, "
                f"{when(total.first_at)} to {when(total.last_at)}",
            )
    told = "The log holds these numbers and no words. To empty it: pace privacy clear"
    Tag("p", told).classes("hint")


def _what_leaves(settings: Settings) -> str:
    planner = settings.planner
    if recipient := recipient_of(planner):
        return (
            f"{recipient.tells} Nothing else does, and nobody else gets it. No telemetry of Pace's."
        )
    if planner.tier is Tier.LOCAL:
        return (
            f"Pace sends what you say to {planner.base_url}, a server on this machine, and to "
            "nobody else. What that server does with it is up to that server. No telemetry, no "
            "account."
        )
    if planner.tier is Tier.APPLE:
        return (
            "Nothing that Pace sends. Apple's model runs on this machine. No telemetry, no account."
        )
    return (
        "Nothing. The model runs inside Pace. The only connection that Pace makes by itself is the "
        "one that fetches a model file, and it says so. No telemetry, no account."
    )


def _size(count: int) -> str:
    thousand, million = 1_000, 1_000_000
    return f"{count / thousand:,.0f} kB" if count < million else f"{count / million:,.1f} MB"
