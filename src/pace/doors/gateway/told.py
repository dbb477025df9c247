"""What a client is told of its turn, in the headers of the answer."""

from pace.relayed.asked import MemoryUse, TurnFacts

RawHeaders = list[tuple[bytes, bytes]]

TOLD = (
    "X-Pace-Thread",
    "X-Pace-Session",
    "X-Pace-Session-Began",
    "X-Pace-Summary-Version",
    "X-Pace-Window-Pairs",
    "X-Pace-Prompt-Tokens",
    "X-Pace-Tokens-Saved",
    "X-Pace-Memory",
)
"""The headers that an answer may have; a browser's page may read them, too."""


def headers_of(facts: TurnFacts, *, is_kept: bool = True) -> RawHeaders:
    """The headers of an answer; `is_kept` says whether its turn could be remembered."""
    if facts.memory is MemoryUse.STATELESS:
        return [(b"x-pace-memory", b"stateless")]
    headers = [
        (b"x-pace-thread", facts.thread.encode("utf-8", "replace")),
        (b"x-pace-summary-version", b"%d" % facts.summary_version),
        (b"x-pace-window-pairs", b"%d" % facts.window_pairs),
        (b"x-pace-prompt-tokens", b"%d" % facts.prompt_tokens),
        (b"x-pace-tokens-saved", b"%d" % facts.tokens_saved),
    ]
    if facts.session_id is not None:
        headers.append((b"x-pace-session", facts.session_id.encode()))
    if facts.session_began:
        headers.append((b"x-pace-session-began", b"1"))
    if facts.memory is MemoryUse.UNAVAILABLE or not is_kept:
        headers.append((b"x-pace-memory", b"unavailable"))
    return headers
