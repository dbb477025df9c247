"""Dates and ends of past conversations in words, by the day on which something was said."""

from datetime import date, datetime, timedelta

_ENDS = {
    "reset": "reset",
    "idle": "ended after a pause",
    "off": "ended as memory was switched off",
    "closed": "ended with the program",
}


def day_of(day: date, *, today: date) -> str:
    """A day as a person calls it; the year stands there if it is another."""
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    named = f"{day:%A}, {day.day} {day:%B}"
    return named if day.year == today.year else f"{named} {day.year}"


def time_of(moment: datetime) -> str:
    """Hours and minutes, as the clock showed them there and then."""
    return f"{moment:%H:%M}"


def turns_of(count: int) -> str:
    """A number of turns."""
    return f"{count:,} turn{'s' * (count != 1)}"


def end_of(cause: str | None, *, is_live: bool) -> str:
    """How a conversation ended."""
    if is_live:
        return "going on now"
    return "not ended, its program stopped" if cause is None else _ENDS.get(cause, cause)


def date_of(moment: datetime) -> str:
    """A day with its year."""
    return f"{moment.day} {moment:%B %Y}"
