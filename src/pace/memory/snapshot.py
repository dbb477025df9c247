"""A thread as versioned plain data and back, for stores that keep values outside this process.

Plain data is made of dicts, lists, strings, numbers and booleans. It holds the conversation's
words: whoever keeps it answers for rule R10.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from pace.memory.limits import ThreadLimits
from pace.memory.prefixes import Prefix
from pace.memory.recall import Displaced, kept
from pace.memory.summary import Clause, RollingSummary, Speaker
from pace.memory.thread import ThreadMemory, UnfinishedTurn
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair

SNAPSHOT_VERSION = 3


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
        "summary": _summary_to_plain(memory.summary),
        "next_number": memory.next_number,
        "last_version": memory.last_version,
        "open_turns": list(memory.open_turns),
        "recorded_turns": list(memory.recorded_turns),
        "prefixes": [_prefix_to_plain(prefix) for prefix in memory.prefixes],
        "relayed_turns": memory.relayed_turns,
        "said_characters": memory.said_characters,
        "unfinished": _unfinished_to_plain(memory.unfinished),
        "displaced": [_pair_to_plain(displaced.pair) for displaced in memory.displaced],
    }


def _unfinished_to_plain(unfinished: UnfinishedTurn | None) -> dict[str, Any] | None:
    if unfinished is None:
        return None
    return {"turn_id": unfinished.turn_id, "messages": unfinished.messages}


def _prefix_to_plain(prefix: Prefix) -> dict[str, Any]:
    return {
        "digest": prefix.digest,
        "covered": prefix.covered,
        "summary": _summary_to_plain(prefix.summary),
        "pending": [_pair_to_plain(pair) for pair in prefix.pending],
    }


def _summary_to_plain(summary: RollingSummary) -> dict[str, Any]:
    # (asdict copies deeply, which costs ten times as much.)
    return {
        "text": summary.text,
        "version": summary.version,
        "covers": summary.covers,
        "made_by": summary.made_by,
        "clauses": [
            {"speaker": clause.speaker.value, "text": clause.text, "number": clause.number}
            for clause in summary.clauses
        ],
    }


def _pair_to_plain(pair: TurnPair) -> dict[str, Any]:
    return {
        "turn_id": pair.turn_id,
        "number": pair.number,
        "user_text": pair.user_text,
        "reply_text": pair.reply_text,
        "recorded_at": pair.recorded_at.isoformat(),
        "interrupted": pair.interrupted,
    }


def from_plain(plain: Mapping[str, Any]) -> ThreadMemory:
    """Read a value back. Raises ValueError, without words of it, for anything but a snapshot."""
    try:
        memory = _thread_from_plain(plain)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        # The cause may quote what was said: it is named and not kept, not even as a context.
        fault = type(error).__name__
    else:
        fault = _fault_in(memory)
        if not fault:
            return memory
    raise ValueError(f"this is no whole snapshot of version {SNAPSHOT_VERSION} ({fault})")


def _thread_from_plain(plain: Mapping[str, Any]) -> ThreadMemory:
    if plain["snapshot"] != SNAPSHOT_VERSION:
        raise ValueError
    limits = _limits_from_plain(plain["limits"])
    displaced = [Displaced.of(_pair_from_plain(pair)) for pair in _list(plain["displaced"])]
    return ThreadMemory(
        thread_id=ThreadId(_text(plain["thread_id"])),
        session_id=SessionId(_text(plain["session_id"])),
        last_active_at=datetime.fromisoformat(plain["last_active_at"]),
        limits=limits,
        window=tuple(_pair_from_plain(pair) for pair in _list(plain["window"])),
        pending=tuple(_pair_from_plain(pair) for pair in _list(plain["pending"])),
        summary=_summary_from_plain(plain["summary"]),
        next_number=_count(plain["next_number"]),
        last_version=_count(plain["last_version"]),
        open_turns=_turns_from_plain(plain["open_turns"]),
        recorded_turns=_turns_from_plain(plain["recorded_turns"]),
        prefixes=tuple(_prefix_from_plain(prefix) for prefix in _list(plain["prefixes"])),
        relayed_turns=_count(plain["relayed_turns"]),
        said_characters=_count(plain["said_characters"]),
        unfinished=_unfinished_from_plain(plain["unfinished"]),
        displaced=kept(displaced) if limits.recall else (),
    )


def _limits_from_plain(plain: Mapping[str, Any]) -> ThreadLimits:
    return ThreadLimits(
        window_size=_count(plain["window_size"]),
        idle_after=timedelta(seconds=plain["idle_after"]),
        remember=_flag(plain["remember"]),
        summary_tokens=_count(plain["summary_tokens"]),
        recall=_flag(plain["recall"]),
    )


def _unfinished_from_plain(plain: Mapping[str, Any] | None) -> UnfinishedTurn | None:
    if plain is None:
        return None
    return UnfinishedTurn(
        turn_id=TurnId(_text(plain["turn_id"])), messages=_text(plain["messages"])
    )


def _prefix_from_plain(plain: Mapping[str, Any]) -> Prefix:
    return Prefix(
        digest=_text(plain["digest"]),
        covered=_text(plain["covered"]),
        summary=_summary_from_plain(plain["summary"]),
        pending=tuple(_pair_from_plain(pair) for pair in _list(plain["pending"])),
    )


def _summary_from_plain(plain: Mapping[str, Any]) -> RollingSummary:
    return RollingSummary(
        text=_text(plain["text"]),
        version=_count(plain["version"]),
        covers=_count(plain["covers"]),
        made_by=_text(plain["made_by"]),
        clauses=tuple(
            Clause(
                speaker=Speaker(clause["speaker"]),
                text=_text(clause["text"]),
                number=_count(clause["number"]),
            )
            for clause in _list(plain["clauses"])
        ),
    )


def _pair_from_plain(plain: Mapping[str, Any]) -> TurnPair:
    return TurnPair(
        turn_id=TurnId(_text(plain["turn_id"])),
        number=_count(plain["number"]),
        user_text=_text(plain["user_text"]),
        reply_text=_text(plain["reply_text"]),
        recorded_at=datetime.fromisoformat(plain["recorded_at"]),
        interrupted=_flag(plain["interrupted"]),
    )


def _turns_from_plain(plain: object) -> tuple[TurnId, ...]:
    return tuple(TurnId(_text(turn_id)) for turn_id in _list(plain))


def _fault_in(memory: ThreadMemory) -> str:
    """Which of the thread's own rules a value breaks, if any; no change makes such a value."""
    pairs = (*memory.pending, *memory.window)
    numbers = [memory.summary.covers, *(pair.number for pair in pairs), memory.next_number]
    if any(one >= next_one for one, next_one in pairwise(numbers)):
        return "pairs out of order"
    left = [displaced.pair.number for displaced in memory.displaced]
    behind = memory.window[0].number if memory.window else memory.next_number
    if any(one >= next_one for one, next_one in pairwise([*left, behind])):
        return "displaced pairs out of order"
    if len(memory.window) > memory.limits.window_size:
        return "window too large"
    summaries = (memory.summary, *(prefix.summary for prefix in memory.prefixes))
    if max(summary.version for summary in summaries) > memory.last_version:
        return "version never stamped"
    if memory.last_active_at.tzinfo is None:
        return "time without offset"
    return ""


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value
