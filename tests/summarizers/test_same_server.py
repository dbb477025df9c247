"""B34: a turn on the server that is folding is not kept waiting, and the fold comes after it."""

import asyncio

from pace.asked import Words
from pace.endpoint import LoopbackUrl
from pace.planners.wire import OpenAiWirePlanner
from pace.summarizers.chain import SummarizerChain
from planners.raw_server import DONE, EVENT_STREAM, RawServer, Request, delta, event, raw_server
from turns import THREAD, Companions, unheard

CHAT = "/v1/chat/completions"
SAID, REPLY, SUMMARY = "I prefer oolong.", "Noted: oolong.", "The user prefers oolong."


class OneAtATime:
    """A server that answers one request after the other, and takes its time with a fold."""

    def __init__(self, server: RawServer) -> None:
        self.folding = asyncio.Event()
        self.may_fold = asyncio.Event()
        self._turn = asyncio.Lock()
        server.handlers[CHAT] = self._answer

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        async with self._turn:
            writer.write(EVENT_STREAM)
            await writer.drain()
            words = REPLY
            if request.json["messages"][-1]["content"] != SAID:
                self.folding.set()
                await self.may_fold.wait()
                words = SUMMARY
            writer.write(event(delta(words, finish="stop")) + DONE)
            await writer.drain()


async def test_a_turn_pre_empts_a_fold_on_the_same_server(companions: Companions) -> None:
    """B34: the fold's request is given up for the turn's, and the fold is done after the turn."""
    async with raw_server() as server:
        slow = OneAtATime(server)
        planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m")
        chain = SummarizerChain.of(planner, name="local")
        async with companions(planner, model=chain, window_size=1) as parts:
            for _ in range(2):
                await parts.companion.take_turn(THREAD, Words(text=SAID), unheard)
            await slow.folding.wait()
            report = await parts.companion.take_turn(THREAD, Words(text=SAID), unheard)
            assert report.text == REPLY
            assert server.hung_up.is_set()
            assert parts.folding.outcomes["pre-empted"] == 1
            slow.may_fold.set()
            await parts.background.wait_done(THREAD)
            memory = await parts.companion.memory(THREAD)
            assert not memory.pending
            assert (memory.summary.text, memory.summary.made_by) == (SUMMARY, "local")
        await planner.aclose()
