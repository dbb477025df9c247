"""Asks upstreams, and gives what came."""

from contextlib import aclosing

from pace.errors import PlannerError
from pace.planners.upstreams.port import Body, Chunk, Upstream

CHAT = "/v1/chat/completions"
BODY: dict[str, object] = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
STREAMED: dict[str, object] = {**BODY, "stream": True}
WHOLE = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello."},
            "finish_reason": "stop",
        }
    ],
}


async def chunks_of(
    upstream: Upstream, body: Body = STREAMED, *, affinity: str = ""
) -> list[Chunk]:
    async with aclosing(upstream.stream(body, affinity=affinity)) as chunks:
        return [chunk async for chunk in chunks]


async def broken_stream(
    upstream: Upstream, body: Body = STREAMED
) -> tuple[list[Chunk], PlannerError]:
    """The chunks before the fault with which a stream ends, and the fault."""
    chunks: list[Chunk] = []
    try:
        async with aclosing(upstream.stream(body)) as stream:
            async for chunk in stream:
                chunks.append(chunk)  # noqa: PERF401  # those before the fault are kept
    except PlannerError as fault:
        return chunks, fault
    raise AssertionError("the stream ended without a fault")


def words_of(chunks: list[Chunk]) -> str:
    """The words of the first reply."""
    return "".join(
        choice["delta"].get("content") or ""
        for chunk in chunks
        for choice in chunk.data["choices"]  # type: ignore[attr-defined]
        if choice["index"] == 0
    )
