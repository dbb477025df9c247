"""For how long conversations are kept; what a new limit makes too old is deleted, if agreed."""

from datetime import datetime, time, timedelta

from pace.doors.web.adjusting import Adjusting
from pace.doors.web.confirming import confirmed
from pace.doors.web.saying_when import turns_of
from pace.doors.web.setting_rows import NumberRow
from pace.doors.web.window import Window
from pace.errors import HistoryError, SettingsError
from pace.journal.rows import Period
from pace.settings import check_value

_NAME = "history.retention_days"


class RetentionRow(NumberRow):
    """Days, or nothing. Asks once before a shorter time deletes something."""

    def __init__(self, window: Window, adjusting: Adjusting) -> None:
        self._window = window
        super().__init__(
            adjusting,
            lambda: window.chat.settings,
            _NAME,
            "After so many days a turn is deleted, for good. Leave it empty to keep everything.",
            span=(1, 3650),
            unit="days",
            placeholder="for ever",
        )

    async def set(self, value: object) -> None:
        """Change it, and delete what is too old by it."""
        try:
            days = check_value(_NAME, value)
        except SettingsError:
            # Explained as for any setting.
            days = None
        if not isinstance(days, int):
            await super().set(value)
            return
        try:
            old = await self._older_than(days)
        except HistoryError as error:
            self.tell(str(error), bad=True)
            return
        if old and not await self._agreed(old, days):
            self.tell("Nothing was changed.")
            self.refresh()
            return
        await super().set(value)
        if old and self.value == days:
            await self._let_go(days)

    async def _agreed(self, old: int, days: int) -> bool:
        return await confirmed(
            f"Keep conversations for {days} day{'s' * (days != 1)}?",
            f"{turns_of(old)} {'are' if old != 1 else 'is'} older than that and will be deleted at "
            "once, from the history's file too. Nothing can bring them back.",
            verb=f"Delete {turns_of(old)}",
        )

    async def _let_go(self, days: int) -> None:
        try:
            gone = await self._window.history.let_go_of_old(days, now=_now())
        except HistoryError as error:
            self.tell(str(error), bad=True)
            return
        self.tell(f"Keep for is now {days} days. Deleted: {turns_of(gone)}.")
        await self._window.tell_of_history()

    async def _older_than(self, days: int) -> int:
        # Whole days go, as history.py lets go of them.
        day = (_now() - timedelta(days=days)).date()
        begins = datetime.combine(day, time(), tzinfo=_now().tzinfo)
        return await self._window.history.count(period=Period(before=begins))


def _now() -> datetime:
    return datetime.now().astimezone()
