"""Asks the person whether an action may run, on every screen at once; the first word counts."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from pace.chat import Change, ChatSession, Row
from pace.memory.turn import TurnId
from pace.ports import ActionRequest, Approval


class Approvals:
    """Holds an action until somebody answers for it. Where nobody can be asked, the answer is no.

    `allow` is told of a request that the person allows for good.
    """

    def __init__(self, session: ChatSession, *, allow: Callable[[ActionRequest], None]) -> None:
        self.can_ask = True
        """Whether there is a screen with a person before it."""
        self._session = session
        self._allow = allow
        self._waiting: dict[str, asyncio.Future[Approval]] = {}

    async def ask(self, request: ActionRequest) -> Approval:
        """The person's word, from whichever screen gives it first."""
        if not self.can_ask:
            return Approval.NO
        word: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._waiting[request.call_id] = word
        self._session.ask(request.turn_id, request)
        try:
            approval = await word
        finally:
            del self._waiting[request.call_id]
            self._session.ask(request.turn_id, None)
        if approval is Approval.ALWAYS and request.may_be_always:
            self._allow(request)
        return approval

    def answer(self, call_id: str, approval: Approval) -> bool:
        """Give the person's word; False if nothing of that id waits any more."""
        word = self._waiting.get(call_id)
        if word is None or word.done():
            return False
        word.set_result(approval)
        return True


async def asked_of(session: ChatSession, turn_id: TurnId) -> AsyncGenerator[ActionRequest, None]:
    """Each action of a turn that waits for a word, as it comes; goes on until it is closed."""
    changed = asyncio.Event()
    asked = ""

    def hear(change: Change) -> None:
        if isinstance(change.line, Row) and change.line.turn_id == turn_id:
            changed.set()

    unsubscribe = session.subscribe(hear)
    try:
        while True:
            row = session.row(turn_id)
            request = None if row is None else row.asks
            if request is not None and request.call_id != asked:
                asked = request.call_id
                yield request
                continue
            await changed.wait()
            changed.clear()
    finally:
        unsubscribe()


async def wait_answered(session: ChatSession, request: ActionRequest) -> None:
    """Wait until an action waits for no word any more, whoever gave it."""
    changed = asyncio.Event()
    unsubscribe = session.subscribe(lambda _: changed.set())
    try:
        while (row := session.row(request.turn_id)) is not None and row.asks == request:
            await changed.wait()
            changed.clear()
    finally:
        unsubscribe()
