"""Tells where the time went until a spoken turn's reply was heard, on every screen alike."""

from datetime import timedelta

from pace.chat import SpokenTimes


def times_told(times: SpokenTimes, dot: str = "·") -> str:
    """All of it and its parts, in seconds."""
    parts = (
        ("heard", times.pause),
        ("recognised", times.recognised),
        ("read", times.read),
        ("first words", times.written),
        ("sound", times.voiced),
    )
    told = f" {dot} ".join(f"{name} {_seconds(part)}" for name, part in parts)
    return f"{_seconds(times.total)} s: {told}"


def _seconds(time: timedelta) -> str:
    return f"{max(time.total_seconds(), 0):.1f}"
