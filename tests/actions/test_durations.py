"""Durations: what is understood, and what is refused rather than guessed."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.actions.timers.durations import LONGEST, duration_of, said

UNDERSTOOD = {
    "10 minutes": 600,
    "1h 30m": 5400,
    "1h30m": 5400,
    "90 seconds": 90,
    "90s": 90,
    "5min": 300,
    "5-minute": 300,
    "half an hour": 1800,
    "half hour": 1800,
    "a half hour": 1800,
    "half a minute": 30,
    "an hour": 3600,
    "a minute": 60,
    "an hour and a half": 5400,
    "one hour and a half": 5400,
    "one and a half hours": 5400,
    "an hour and a quarter": 4500,
    "1 hour and half a minute": 3630,
    "1.5 hours": 5400,
    "1,5 hours": 5400,
    "2 1/2 hours": 9000,
    "1½ hours": 5400,
    "½ hour": 1800,
    "quarter of an hour": 900,
    "a quarter of an hour": 900,
    "three quarters of an hour": 2700,
    "twenty-five minutes": 1500,
    "five and a half minutes": 330,
    "two minutes and thirty seconds": 150,
    "2 hours, 5 minutes and 3 seconds": 7503,
    "for 10 minutes.": 600,
    "10 MINUTES": 600,
    "٣ minutes": 180,
    "1:30:00": 5400,
    "PT1H30M": 5400,
    "1 day": 86_400,
}
REFUSED = (
    *("10", "ten", "1:30", "minutes", "", "m", "half", "-5 minutes", "1e9 hours", "1 hour 30"),
    *(
        "0 minutes",
        "25 hours",
        "1/0 hours",
        "10 minutes 5 minutes",
        "halbe Stunde",
        "10 lightyears",
    ),
    *("10 minutes or so", "tomorrow", "10minutesx", "999999 hours", "a b", "1.2.3 hours"),
)


@pytest.mark.parametrize(("text", "seconds"), UNDERSTOOD.items())
def test_understood(text: str, seconds: int) -> None:
    """Durations as people and models write them mean what they say."""
    assert duration_of(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    """What has no unit, leaves something over or is out of range is refused in one sentence."""
    with pytest.raises(ValueError, match=r"^(The duration|A timer) .*\.$"):
        duration_of(text)


@given(st.integers(1, int(LONGEST.total_seconds())))
def test_what_is_said_is_understood(seconds: int) -> None:
    """A duration in our words is read back as itself."""
    duration = timedelta(seconds=seconds)
    assert duration_of(said(duration)) == duration


@given(st.text(alphabet="0123456789 .,/:-½ahmsinutesorecdlfqptw", max_size=40))
def test_nothing_breaks_it(text: str) -> None:
    """Any text is a duration within the limits, or refused."""
    try:
        duration = duration_of(text)
    except ValueError:
        return
    assert timedelta(seconds=1) <= duration <= LONGEST
