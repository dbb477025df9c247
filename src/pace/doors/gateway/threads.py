"""`/v1/threads/{id}`: what a thread holds, for whoever has its key, and how it is made to forget.

A thread here is memory, and no thread of OpenAI's Assistants.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Query, Request

from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.gateway import gateway_of, key_of
from pace.doors.gateway.naming import checked_name, scope_of
from pace.doors.gateway.schemas import Pair, Reset, Summary, ThreadLook
from pace.memory.summary import RollingSummary
from pace.memory.thread import ThreadMemory
from pace.memory.turn import TurnPair

# Something that is no space, and no control character.
_NAME = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"

ThreadName = Annotated[
    str,
    Path(
        description="The thread's id, as a client gave it or X-Pace-Thread told it.",
        json_schema_extra={"maxLength": 512, "pattern": _NAME},
    ),
]
User = Annotated[
    str | None,
    Query(description="The `user` whose thread it is, if requests name one.", max_length=512),
]


async def look_at_thread(request: Request, thread_id: ThreadName, user: User = None) -> ThreadLook:
    """What the thread holds now."""
    name = checked_name(thread_id, "thread_id")
    scope = scope_of(key_of(request), user or None)
    memory = await gateway_of(request).parts.relay.look(scope, name)
    if memory is None:
        raise _unknown()
    return _look(name, memory)


async def reset_thread(request: Request, thread_id: ThreadName, user: User = None) -> Reset:
    """Have the thread forget all that was said, and what is being answered in it now."""
    name = checked_name(thread_id, "thread_id")
    await gateway_of(request).parts.relay.reset(scope_of(key_of(request), user or None), name)
    return Reset(id=name)


def _unknown() -> RefusedError:
    return RefusedError(
        "Nothing is held of a thread by this id. It may have been idle for too long.",
        status=HTTPStatus.NOT_FOUND,
        code="thread_not_found",
        param="thread_id",
    )


def _look(name: str, memory: ThreadMemory) -> ThreadLook:
    return ThreadLook(
        id=name,
        session=memory.session_id,
        expires_at=memory.expires_at,
        turns=memory.relayed_turns,
        summary=_summary(memory.summary),
        pending=_pairs(memory.pending),
        window=_pairs(memory.window),
        histories=[_summary(prefix.summary) for prefix in memory.prefixes],
        histories_pending=[_pairs(prefix.pending) for prefix in memory.prefixes],
    )


def _summary(summary: RollingSummary) -> Summary:
    return Summary(
        version=summary.version,
        covers=summary.covers,
        made_by=summary.made_by,
        text=summary.text,
    )


def _pairs(pairs: Sequence[TurnPair]) -> list[Pair]:
    return [
        Pair(
            turn=pair.turn_id,
            number=pair.number,
            user=pair.user_text,
            reply=pair.reply_text,
            interrupted=pair.interrupted,
        )
        for pair in pairs
    ]
