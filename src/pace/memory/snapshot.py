"""A thread as versioned plain data and back, for stores that keep values outside this process.

Plain data is made of dicts, lists, strings, numbers and booleans. It holds the conversation's words:
whoever keeps it answers for rule R10.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from pace.memory.limits import ThreadLimits
from pace.memory.summary import Clause, RollingSummary, Speaker
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair

SNAPSHOT_VERSION = 1


def to_plain(memory: ThreadMemory) -> dict[str, Any]:
    """Give the whole value as plain data."""
    return {
        "snapshot": SNAPSHOT_VERSION,
        "thread_id": memory.thread_id,
        "session_id": memory.session_id,
        "last_active_at": memory.last_active_at.isoformat(),
        "limits": {
            **asdict(memory.limits),
            "idle_after": memory.limits.idle_after.total_seconds(),
        },
        "window": [_pair_to_plain(pair) for pair in memory.window],
        "pending": [_pair_to_plain(pair) for pair in memory.pending],
        "summary": asdict(memory.summary),
        "next_number": memory.next_number,
        "last_version": memory.last_version,
        "open_turns": list(memory.open_turns),
    }


def from_plain(plain: Mapping[str, Any]) -> ThreadMemory:
    """Read a value back. Raises ValueError, without words of it, for anything but a snapshot."""
    version = plain.get("snapshot")
    if version != SNAPSHOT_VERSION:
        raise ValueError(f"this is no snapshot of version {SNAPSHOT_VERSION}, but {version!r}")
    try:
        return _thread_from_plain(plain)
    except (KeyError, TypeError, AttributeError) as error:
        # The cause may quote what was said, so it is named and not kept.
        fault = type(error).__name__
        raise ValueError(f"the snapshot is damaged ({fault})") from None


def _thread_from_plain(plain: Mapping[str, Any]) -> ThreadMemory:
    limits, summary = plain["limits"], plain["summary"]
    return ThreadMemory(
        thread_id=ThreadId(plain["thread_id"]),
        session_id=SessionId(plain["session_id"]),
        last_active_at=datetime.fromisoformat(plain["last_active_at"]),
        limits=ThreadLimits(**{**limits, "idle_after": timedelta(seconds=limits["idle_after"])}),
        window=tuple(_pair_from_plain(pair) for pair in plain["window"]),
        pending=tuple(_pair_from_plain(pair) for pair in plain["pending"]),
        summary=RollingSummary(
            **{
                **summary,
                "clauses": tuple(
                    Clause(
                        speaker=Speaker(clause["speaker"]),
                        text=clause["text"],
                        number=clause["number"],
                    )
                    for clause in summary["clauses"]
                ),
            }
        ),
        next_number=plain["next_number"],
        last_version=plain["last_version"],
        open_turns=tuple(TurnId(turn_id) for turn_id in plain["open_turns"]),
    )


def _pair_to_plain(pair: TurnPair) -> dict[str, Any]:
    return {**asdict(pair), "recorded_at": pair.recorded_at.isoformat()}


def _pair_from_plain(plain: Mapping[str, Any]) -> TurnPair:
    return TurnPair(**{**plain, "recorded_at": datetime.fromisoformat(plain["recorded_at"])})
