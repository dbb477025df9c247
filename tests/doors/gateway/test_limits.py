"""How much one key may ask for."""

import pytest

from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.limits import KeyLimits


class Seconds:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ask(limits: KeyLimits, key: str = "key") -> None:
    with limits.turn(key):
        pass


def test_turns_at_once() -> None:
    """A key with as many turns under way as it may have gets no other until one ends."""
    limits = KeyLimits(at_once=1, per_minute=100)
    with limits.turn("key"):
        with pytest.raises(RefusedError) as refused:
            ask(limits)
        ask(limits, "another key")
    assert refused.value.fault.status == 429
    assert refused.value.fault.headers["Retry-After"] == "1"
    ask(limits)


def test_requests_a_minute() -> None:
    """A key that asked too often is told when it may again, and then may."""
    seconds = Seconds()
    limits = KeyLimits(at_once=9, per_minute=6, seconds=seconds)
    for _ in range(6):
        ask(limits)
    with pytest.raises(RefusedError) as refused:
        ask(limits)
    assert refused.value.fault.headers["Retry-After"] == "10"
    seconds.now += 10
    ask(limits)


def test_requests_that_are_no_turns() -> None:
    """They count by the minute, and need no turn to end."""
    limits = KeyLimits(at_once=1, per_minute=2)
    with limits.turn("key"):
        limits.ask("key")
        with pytest.raises(RefusedError):
            limits.ask("key")


def test_no_limits_without_a_key() -> None:
    """Whoever needs no key has no limits of one."""
    limits = KeyLimits(at_once=1, per_minute=1)
    with limits.turn(""):
        ask(limits, "")
        ask(limits, "")
        limits.ask("")
        limits.ask("")
