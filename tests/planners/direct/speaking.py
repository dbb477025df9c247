"""What providers send, and time that passes as soon as it is waited for."""

import json
from asyncio import StreamWriter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pace.endpoint import RemoteUrl
from pace.planners.direct.anthropic_planner import AnthropicPlanner
from pace.planners.direct.keys import ApiKey
from pace.planners.direct.limiter import Limiter
from pace.planners.direct.openai_planner import OpenAiPlanner
from pace.planners.options import ReplyOptions
from pace.settings import Provider
from planners.raw_server import DONE, EVENT_STREAM, RawServer, Request, delta, event

MESSAGES, CHAT = "/v1/messages", "/v1/chat/completions"
CANARY = "sk-CANARY-0123456789abcdef"
KEY = ApiKey(CANARY)


@dataclass(slots=True)
class Time:
    """Passes when somebody waits, at once; chance is always the same."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def limiter(self) -> Limiter:
        return Limiter(sleep=self.sleep, monotonic=lambda: self.now, chance=lambda: 0.5)


def anthropic_over(
    server: RawServer,
    *,
    model: str = "claude-test",
    limiter: Limiter | None = None,
    options: ReplyOptions | None = None,
) -> AnthropicPlanner:
    return AnthropicPlanner(
        RemoteUrl(server.url),
        KEY,
        model=model,
        limiter=limiter or Time().limiter(),
        options=lambda: options or ReplyOptions(),
    )


def openai_over(
    server: RawServer,
    *,
    provider: Provider = Provider.OPENAI,
    model: str | None = "gpt-test",
    limiter: Limiter | None = None,
    options: ReplyOptions | None = None,
) -> OpenAiPlanner:
    return OpenAiPlanner(
        RemoteUrl(f"{server.url}/v1"),
        KEY,
        provider=provider,
        model=model,
        limiter=limiter or Time().limiter(),
        options=lambda: options or ReplyOptions(),
    )


def sse(kind: str, **fields: object) -> bytes:
    """One event as Anthropic frames it."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


def said(*texts: str) -> bytes:
    return b"".join(
        sse("content_block_delta", index=0, delta={"type": "text_delta", "text": text})
        for text in texts
    )


def thought(*texts: str) -> bytes:
    return b"".join(
        sse("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": text})
        for text in texts
    )


def begun(usage: Mapping[str, object] | None = None) -> bytes:
    message = {"id": "msg_1", "model": "claude-test", "role": "assistant", "content": []}
    return sse("message_start", message={**message, "usage": usage or {"input_tokens": 5}})


def ended(reason: str = "end_turn", *, tokens: int = 3) -> bytes:
    delta_event = sse(
        "message_delta", delta={"stop_reason": reason}, usage={"output_tokens": tokens}
    )
    return delta_event + sse("message_stop")


ANTHROPIC_HELLO = EVENT_STREAM + begun() + said("Hello, ", "you.") + ended()
OPENAI_HELLO = EVENT_STREAM + event(delta("Hello, ")) + event(delta("you.", finish="stop")) + DONE


def fault(status: int, body: object, **headers: str) -> bytes:
    """An answer of that status; headers as in `retry_after="7"`."""
    data = json.dumps(body).encode()
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{lines}"
    return f"{head}Content-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data


def anthropic_fault(kind: str, message: str = "no", **more: object) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message, **more}}


def openai_fault(message: str = "no", **more: object) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


def in_turn(server: RawServer, path: str, *answers: bytes) -> None:
    """Answer one request after another, the last answer for all that follow."""
    left = list(answers)

    async def send(_: Request, writer: StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    server.handlers[path] = send
