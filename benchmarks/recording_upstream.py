"""An OpenAI-compatible server that answers at once and tells of each prompt how large it was.

It is what benchmarks put behind the gateway. `POST /asked` gives the sizes of the prompts so far,
in estimated tokens, and whether each held the text that was asked for, and forgets them.
"""

import json
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from pace.memory.tokens import estimate_tokens

REPLY = "I have noted that. Is there anything else that you would like me to keep in mind for you?"
_asked: list[list[dict[str, Any]]] = []


async def chat(request: Request) -> Response:
    body = await request.json()
    _asked.append(body["messages"])
    if not body.get("stream"):
        message = {"role": "assistant", "content": REPLY}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse(_answer("chat.completion", [choice]))
    return StreamingResponse(_streamed(), media_type="text/event-stream")


async def _streamed() -> AsyncIterator[str]:
    for word in REPLY.split(" "):
        yield _event({"content": f"{word} "}, None)
    yield _event({}, "stop")
    yield "data: [DONE]\n\n"


def _event(delta: dict[str, str], reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps(_answer('chat.completion.chunk', [choice]))}\n\n"


def _answer(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1,
        "model": "recording",
        "choices": choices,
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


async def models(_request: Request) -> Response:
    entry = {"id": "recording", "object": "model", "created": 1, "owned_by": "benchmarks"}
    return JSONResponse({"object": "list", "data": [entry]})


async def asked(request: Request) -> Response:
    wanted = (await request.body()).decode()
    told = [
        {
            "tokens": sum(estimate_tokens(str(message.get("content"))) for message in messages),
            "messages": len(messages),
            "holds": wanted in json.dumps(messages),
        }
        for messages in _asked
    ]
    _asked.clear()
    return JSONResponse(told)


async def mixed(_request: Request) -> Response:
    """How many prompts held words of more than one speaker, who begin with "NAME says"."""
    count = 0
    for messages in _asked:
        said = " ".join(str(m.get("content")) for m in messages if m["role"] != "assistant")
        count += len(set(re.findall(r"(\S+) says \d", said))) > 1
    _asked.clear()
    return JSONResponse(count)


app = Starlette(
    routes=[
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/models", models),
        Route("/asked", asked, methods=["POST"]),
        Route("/mixed", mixed, methods=["POST"]),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
