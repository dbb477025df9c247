"""Days as a person writes them, and as they are shown: by the clock on the wall."""

from datetime import date, datetime, time, timedelta

from pace.errors import SettingsError
from pace.journal.rows import Period


def period_of(since: str | None, before: str | None, *, now: datetime) -> Period:
    """What lies between two days, the first one included. Raises SettingsError."""
    period = Period(
        since=None if since is None else moment(since, flag="--since", now=now),
        before=None if before is None else moment(before, flag="--before", now=now),
    )
    if period.since is not None and period.before is not None and period.since >= period.before:
        raise SettingsError("--since has to be earlier than --before.")
    return period


def moment(written: str, *, flag: str, now: datetime) -> datetime:
    """The moment at which a day begins here, or the local time that was given with it."""
    text = written.strip()
    today = now.astimezone().date()
    try:
        match text.lower():
            case "today":
                return _begin_of(today)
            case "yesterday":
                return _begin_of(today - timedelta(days=1))
            case _ if len(text) <= len("2026-07-05"):
                return _begin_of(date.fromisoformat(text))
            case _:
                # A time without an offset is one of the local clock.
                return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError) as error:
        raise SettingsError(
            f"{flag} cannot be {written!r}; it has to be a day like 2026-07-05, today or yesterday."
        ) from error


def shown_time(said_at: datetime) -> str:
    """Day and time as they were where it was said."""
    return f"{said_at:%Y-%m-%d %H:%M}"


def _begin_of(day: date) -> datetime:
    # A time without an offset becomes one of the local clock, whatever the offset was on that day.
    return datetime.combine(day, time()).astimezone()
