"""The pairs that leave a window, kept beside the thread for what reads further back.

The list is of the live session alone. What ends the session, or strikes something out of it, ends
the list: nothing that was forgotten may be found there.
"""

import json
from collections.abc import Sequence

from pace.memory.snapshot import pairs_from_plain, pairs_to_plain
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, TurnPair


def newly_displaced(before: ThreadMemory | None, after: ThreadMemory) -> list[bytes]:
    """The pairs that left the window with this change, each as it is kept."""
    last = 0
    if before is not None and before.session_id == after.session_id:
        last = before.pending[-1].number if before.pending else before.summary.covers
    pairs = [pair for pair in after.pending if pair.number > last]
    return [_bytes(after.session_id, plain) for plain in pairs_to_plain(pairs)]


def ends_list(before: ThreadMemory | None, after: ThreadMemory) -> bool:
    """Whether what was kept so far must go: another session, or something was struck.

    Striking is the one change that gives the summary a new version and covers nothing more.
    """
    if before is None or before.session_id != after.session_id:
        return True
    is_anew = before.summary.version != after.summary.version
    return is_anew and after.summary.covers <= before.summary.covers


def kept_pairs(items: Sequence[bytes], session_id: SessionId) -> tuple[TurnPair, ...]:
    """Read the pairs of a session back. Raises ValueError, without words, for anything else."""
    try:
        found = [json.loads(item.decode("utf-8", "surrogatepass")) for item in items]
        plain = [one["pair"] for one in found if one["session"] == session_id]
    except (ValueError, LookupError, TypeError) as error:
        fault = type(error).__name__  # and not its text, which may hold what was said
    else:
        return pairs_from_plain(plain)
    raise ValueError(f"these are no kept pairs ({fault})")


def _bytes(session_id: SessionId, pair: dict[str, object]) -> bytes:
    text = json.dumps(
        {"session": session_id, "pair": pair}, ensure_ascii=False, separators=(",", ":")
    )
    return text.encode("utf-8", "surrogatepass")
