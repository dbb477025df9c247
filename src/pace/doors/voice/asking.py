"""Asks aloud for a word on an action, and takes a spoken one: once or no, and nothing else."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from datetime import timedelta

from pace.doors.approving import asked_of, wait_answered
from pace.doors.open_chat import OpenChat
from pace.doors.voice.listening import Utterance
from pace.doors.voice.turns import SpokenTurns
from pace.memory.turn import TurnId
from pace.ports import ActionRequest, Approval, Risk
from pace.speech.answers_aloud import answer_heard

ANSWER_LIMIT = timedelta(seconds=20)
"""So much silence after a question is a no."""


class AskingAloud:
    """One question at a time; another screen may be faster with the answer.

    An answer is heard only after the question's sound has ended. An action of the highest risk is
    named aloud and waits for a key or a click. `changed` is told when an answer is listened for, or
    is not any more.
    """

    def __init__(
        self,
        chat: OpenChat,
        turns: SpokenTurns,
        *,
        tell: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        self._chat = chat
        self._turns = turns
        self._tell = tell
        self._changed = changed
        self._request: ActionRequest | None = None
        self._is_listening = False
        self._silence = timedelta()

    @property
    def is_waiting(self) -> bool:
        """Whether a question is open."""
        return self._request is not None

    @property
    def is_listening(self) -> bool:
        """Whether a spoken answer would count."""
        return self._is_listening

    async def run(self, turn_id: TurnId) -> None:
        """Ask about each action of a turn that waits for a word, until cancelled."""
        try:
            async with aclosing(asked_of(self._chat.session, turn_id)) as requests:
                async for request in requests:
                    await self._ask(request)
        finally:
            self._end()

    async def _ask(self, request: ActionRequest) -> None:
        self._request = request
        answered = asyncio.create_task(wait_answered(self._chat.session, request), name="answered")
        asked = asyncio.create_task(self._sound(request), name="question")
        try:
            await asyncio.wait({asked, answered}, return_when=asyncio.FIRST_COMPLETED)
            if not answered.done() and request.risk is not Risk.HIGH:
                self._is_listening, self._silence = True, timedelta()
                self._changed()
            await asyncio.wait({answered})
        finally:
            asked.cancel()
            answered.cancel()
            await asyncio.wait({asked, answered})
            self._end()

    async def _sound(self, request: ActionRequest) -> None:
        reply = self._turns.reply
        if reply is not None:
            await reply.interject(_question(request)).wait()

    def hear(self, utterance: Utterance) -> None:
        """Take what was said while the question is open; only an answer is one."""
        if not self._is_listening:
            return
        answer = answer_heard(utterance.text, utterance.language, utterance.log_probability)
        if answer is None:
            self._tell("That was no clear answer. Say yes or no, or use the keys.")
        else:
            self.answer(answer)

    def answer(self, approval: Approval) -> None:
        """Answer the open question, if there is one."""
        if self._request is not None:
            self._chat.approvals.answer(self._request.call_id, approval)

    def pass_time(self, silence: timedelta) -> None:
        """Nobody said anything for so long; enough of it is a no."""
        if self._is_listening:
            self._silence += silence
            if self._silence >= ANSWER_LIMIT:
                self.answer(Approval.NO)

    def give_up_listening(self) -> None:
        """No answer can be heard any more; keys and clicks still count."""
        self._is_listening = False

    def _end(self) -> None:
        self._request, self._is_listening = None, False
        self._changed()


def _question(request: ActionRequest) -> str:
    if request.risk is Risk.HIGH:
        return f"Pace would {request.would}. That needs your key or your click."
    return f"Pace would {request.would}. Yes or no?"
