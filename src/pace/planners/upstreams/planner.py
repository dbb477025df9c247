"""Any tier of Pace as an upstream: a client's messages become a prompt, its events chunks."""

import json
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus

from pace.errors import PlannerRefusedError, PlannerUnreachableError
from pace.memory.tokens import estimate_tokens
from pace.planners.upstreams.port import Answer, Body, Chunk
from pace.planners.upstreams.prompts import prompt_of, without_offered_tools
from pace.ports import Finished, FinishReason, Planner, PlannerEvent, Reasoned, TextDelta

ANY_MODEL = "pace"
"""The name that clients are told besides the model's own, to ask for whichever there is."""


class PlannerUpstream:
    """Answers by a planner, whose model is the only one.

    It answers by whatever name it is asked for, since clients ask for what they were set up with;
    the answer's `model` says who it was.

    Words, and nothing else: tools, pictures and several replies are refused (`prompts.py`). How
    long and how warm a reply is, is the planner's own setting, whatever a request says of it
    (`max_tokens`, `temperature`). A stream cannot take back words that turn out to have been
    reasoning; they stay where the client has put them.
    """

    def __init__(self, planner: Planner, *, now: Callable[[], float] = time.time) -> None:
        """`now` is the wall clock in seconds, for the moment at which an answer was made."""
        self._planner = planner
        self._now = now

    @property
    def name(self) -> str:
        """The planner on this machine, or the tier that leads off it."""
        return "this machine's planner"

    # --- turns

    def answerable(self, body: Body) -> Body:
        """The request without tools that it leaves the choice of; chat applications offer many."""
        return without_offered_tools(body)

    async def complete(self, body: Body, *, affinity: str = "") -> Answer:
        """The whole answer; raises EmptyReplyError for one without words."""
        reply, finished = "", None
        async with aclosing(self._events(body, affinity)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    reply += event.text
                elif isinstance(event, Reasoned):
                    reply = event.kept
                elif isinstance(event, Finished):
                    finished = event
        reason = _reason_of(finished)
        message = {"role": "assistant", "content": reply, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        return {
            **await self._head("chat.completion", finished),
            "choices": [choice],
            "usage": _usage(body, finished, reply),
        }

    async def stream(self, body: Body, *, affinity: str = "") -> AsyncGenerator[Chunk, None]:
        """The chunks: the words, why they end, and token counts if asked for."""
        head = await self._head("chat.completion.chunk", None)
        reply, finished = "", None
        async with aclosing(self._events(body, affinity)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    # Not sooner, so that a fault before the first word is told by a status.
                    speaker = {} if reply else {"role": "assistant"}
                    reply += event.text
                    yield _chunk(head, {**speaker, "content": event.text})
                elif isinstance(event, Finished):
                    finished = event
        yield _chunk(head, {}, finish=_reason_of(finished))
        options = body.get("stream_options")
        if isinstance(options, Mapping) and options.get("include_usage"):
            counts = {**head, "choices": [], "usage": _usage(body, finished, reply)}
            yield Chunk(counts, json.dumps(counts).encode())

    async def embed(self, body: Body) -> Answer:  # noqa: ARG002  # whatever it holds
        """Refused: a planner makes words."""
        raise PlannerRefusedError(
            "This planner makes no vectors. Give pace serve an --upstream that does.",
            status=HTTPStatus.NOT_FOUND,
        )

    # --- facts

    async def models(self) -> Sequence[Mapping[str, object]]:
        """The planner's one model, by its own name and by the one that stays."""
        traits = await self._planner.traits()
        entry = {"object": "model", "created": 0, "owned_by": traits.name}
        return [{"id": name, **entry} for name in dict.fromkeys((traits.model, ANY_MODEL))]

    async def context_tokens(self, model: str) -> int | None:  # noqa: ARG002  # there is one model
        """The planner's own, or its cautious guess."""
        return (await self._planner.traits()).context_tokens

    async def is_ready(self) -> bool:
        """Always: what has to be started for a reply is started for it."""
        return True

    async def run(self) -> None:
        """There is no other work."""

    async def aclose(self) -> None:
        """End the planner."""
        await self._planner.aclose()

    # --- one reply

    async def _events(self, body: Body, affinity: str) -> AsyncGenerator[PlannerEvent, None]:
        prompt = prompt_of(body, affinity)
        async with aclosing(self._planner.stream(prompt)) as events:
            async for event in events:
                yield event

    async def _head(self, kind: str, finished: Finished | None) -> dict[str, object]:
        answered_by = finished.model if finished is not None else None
        return {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": kind,
            "created": int(self._now()),
            "model": answered_by or (await self._planner.traits()).model,
        }


def _chunk(head: Mapping[str, object], delta: object, *, finish: str | None = None) -> Chunk:
    made = {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return Chunk(made, json.dumps(made).encode())


def _reason_of(finished: Finished | None) -> str:
    """Why a reply ended, in OpenAI's words; raises PlannerUnreachableError if it broke off."""
    if finished is None or finished.reason is FinishReason.BROKEN_OFF:
        raise PlannerUnreachableError("The planner broke off. Ask again.")
    return finished.reason.value


def _usage(body: Body, finished: Finished | None, reply: str) -> Mapping[str, object]:
    """The planner's counts, or the estimate."""
    read = finished.prompt_tokens if finished is not None else None
    made = finished.reply_tokens if finished is not None else None
    if read is None:
        read = estimate_tokens(json.dumps(body.get("messages"), ensure_ascii=False))
    if made is None:
        made = estimate_tokens(reply)
    usage: dict[str, object] = {
        "prompt_tokens": read,
        "completion_tokens": made,
        "total_tokens": read + made,
    }
    if finished is not None and finished.cached_tokens is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": finished.cached_tokens}
    return usage
