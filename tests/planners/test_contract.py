"""The planner contract over every planner that needs nothing from outside this machine."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pace.early import EarlyPlanner
from pace.endpoint import LoopbackUrl
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineProcess
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import Planner
from pace.settings import Provider
from pace.testing import ScriptedPlanner
from planners.cli.asking import PROGRAMS, planner_over
from planners.cli.programs import HELLO, keeping, program, received_by
from planners.contract import FaultContract, PlannerContract, ServerContract
from planners.direct import speaking
from planners.raw_server import DONE, EVENT_STREAM, RawServer, delta, event, raw_server

CHAT = "/v1/chat/completions"

pytestmark = pytest.mark.asyncio(loop_scope="session")


class TestEmbedded(ServerContract):
    @pytest.fixture
    def planner(self, embedded: EmbeddedPlanner) -> Planner:
        return embedded


class TestOpenAiWire(ServerContract):
    @pytest_asyncio.fixture(loop_scope="session")
    async def planner(self, process: EngineProcess) -> AsyncIterator[Planner]:
        planner = OpenAiWirePlanner(
            LoopbackUrl("http://localhost/v1"),
            socket=process.socket,
            options=lambda: ReplyOptions(temperature=0, reply_tokens=8),
        )
        yield planner
        await planner.aclose()


class TestOpenAiWireFaults(FaultContract):
    @pytest_asyncio.fixture(loop_scope="session")
    async def server(self) -> AsyncIterator[RawServer]:
        async with raw_server() as served:
            yield served

    @pytest_asyncio.fixture(loop_scope="session")
    async def over(self, server: RawServer) -> AsyncIterator[Planner]:
        planner = OpenAiWirePlanner(LoopbackUrl(f"{server.url}/v1"), model="m")
        yield planner
        await planner.aclose()

    @pytest.fixture
    def silent(self, server: RawServer, over: Planner) -> Planner:
        server.answer(CHAT, EVENT_STREAM, event(delta("", finish="stop")), DONE)
        return over

    @pytest_asyncio.fixture(loop_scope="session")
    async def failing(self) -> AsyncIterator[Planner]:
        async with raw_server() as gone:
            planner = OpenAiWirePlanner(LoopbackUrl(f"{gone.url}/v1"), model="m")
        yield planner
        await planner.aclose()

    @pytest.fixture
    def reasoning(self, server: RawServer, over: Planner) -> Planner:
        pieces = ("<think>secret ", "plan 991", "</think>Sure, ", "42.")
        server.answer(CHAT, EVENT_STREAM, *(event(delta(piece)) for piece in pieces), DONE)
        return over

    @pytest.fixture
    def unsized(self, over: Planner) -> Planner:
        return over

    @pytest.fixture
    def listening(self, server: RawServer, over: Planner) -> Planner:
        server.answer(CHAT, EVENT_STREAM, event(delta("Hello.", finish="stop")), DONE)
        return over

    @pytest.fixture
    def received(self, server: RawServer) -> Callable[[], list[tuple[str, str]]]:
        def sent() -> list[tuple[str, str]]:
            messages = server.requests_to(CHAT)[-1].json["messages"]
            return [(message["role"], message["content"]) for message in messages]

        return sent


class TestAnthropic(PlannerContract, FaultContract):
    @pytest_asyncio.fixture(loop_scope="session")
    async def server(self) -> AsyncIterator[RawServer]:
        async with raw_server() as served:
            yield served

    @pytest_asyncio.fixture(loop_scope="session")
    async def planner(self, server: RawServer) -> AsyncIterator[Planner]:
        server.answer(speaking.MESSAGES, speaking.ANTHROPIC_HELLO)
        planner = speaking.anthropic_over(server)
        yield planner
        await planner.aclose()

    @pytest.fixture
    def silent(self, server: RawServer, planner: Planner) -> Planner:
        server.answer(speaking.MESSAGES, EVENT_STREAM + speaking.begun() + speaking.ended())
        return planner

    @pytest.fixture
    def failing(self, server: RawServer, planner: Planner) -> Planner:
        server.answer(speaking.MESSAGES)
        return planner

    @pytest.fixture
    def reasoning(self, server: RawServer, planner: Planner) -> Planner:
        pieces = speaking.thought("secret ", "plan 991") + speaking.said("Sure, ", "42.")
        server.answer(
            speaking.MESSAGES, EVENT_STREAM + speaking.begun() + pieces + speaking.ended()
        )
        return planner

    @pytest.fixture
    def listening(self, planner: Planner) -> Planner:
        return planner

    @pytest.fixture
    def received(self, server: RawServer) -> Callable[[], list[tuple[str, str]]]:
        def text_of(content: Any) -> str:
            blocks = [{"text": content}] if isinstance(content, str) else content
            return "".join(block["text"] for block in blocks)

        def sent() -> list[tuple[str, str]]:
            asked = server.requests_to(speaking.MESSAGES)[-1].json
            system = {"role": "system", "content": asked["system"]}
            messages = [system, *asked["messages"]]
            return [(message["role"], text_of(message["content"])) for message in messages]

        return sent


class TestOpenAi(PlannerContract, FaultContract):
    @pytest_asyncio.fixture(loop_scope="session")
    async def server(self) -> AsyncIterator[RawServer]:
        async with raw_server() as served:
            yield served

    @pytest_asyncio.fixture(loop_scope="session")
    async def planner(self, server: RawServer) -> AsyncIterator[Planner]:
        server.answer(CHAT, speaking.OPENAI_HELLO)
        planner = speaking.openai_over(server)
        yield planner
        await planner.aclose()

    @pytest.fixture
    def silent(self, server: RawServer, planner: Planner) -> Planner:
        server.answer(CHAT, EVENT_STREAM, event(delta("", finish="stop")), DONE)
        return planner

    @pytest.fixture
    def failing(self, server: RawServer, planner: Planner) -> Planner:
        server.answer(CHAT)
        return planner

    @pytest.fixture
    def reasoning(self, server: RawServer, planner: Planner) -> Planner:
        thought, words = delta(None, reasoning="secret plan 991"), delta("Sure, 42.")
        server.answer(CHAT, EVENT_STREAM, event(thought), event(words), DONE)
        return planner

    @pytest_asyncio.fixture(loop_scope="session")
    async def unsized(self, server: RawServer) -> AsyncIterator[Planner]:
        planner = speaking.openai_over(server, provider=Provider.CUSTOM)
        yield planner
        await planner.aclose()

    @pytest.fixture
    def listening(self, planner: Planner) -> Planner:
        return planner

    @pytest.fixture
    def received(self, server: RawServer) -> Callable[[], list[tuple[str, str]]]:
        def sent() -> list[tuple[str, str]]:
            messages = server.requests_to(CHAT)[-1].json["messages"]
            return [(message["role"], message["content"]) for message in messages]

        return sent


class TestScripted(PlannerContract):
    @pytest.fixture
    def planner(self) -> Planner:
        return ScriptedPlanner(*[["Hello, ", "you."]] * 12)


class TestEarly(PlannerContract):
    @pytest.fixture
    def planner(self) -> Planner:
        return EarlyPlanner(ScriptedPlanner(*[["Hello, ", "you."]] * 12))


class TestCli(PlannerContract, FaultContract):
    """Over programs that speak as the vendors' do."""

    @pytest.fixture(params=PROGRAMS)
    def over(self, request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Planner]:
        """A planner over a program that reads its words, then runs this."""
        return lambda body: planner_over(program(tmp_path, request.param, body))

    @pytest.fixture
    def planner(self, over: Callable[[str], Planner]) -> Planner:
        return over(HELLO)

    @pytest.fixture
    def silent(self, over: Callable[[str], Planner]) -> Planner:
        return over("words(); system(); end()")

    @pytest.fixture
    def failing(self) -> Planner:
        pytest.skip("a program is no library; test_running.py has what the system raises")

    @pytest.fixture
    def reasoning(self, over: Callable[[str], Planner]) -> Planner:
        return over("words(); system(); piece('secret plan 991', True); piece('Sure, 42.'); end()")

    @pytest.fixture
    def unsized(self) -> Planner:
        pytest.skip("its context is assumed per vendor, see test_vendors.py")

    @pytest.fixture
    def listening(self, over: Callable[[str], Planner], tmp_path: Path) -> Planner:
        return over(f"{keeping(tmp_path)}piece('Yes.'); end()")

    @pytest.fixture
    def received(self, tmp_path: Path) -> Callable[[], list[tuple[str, str]]]:
        return lambda: received_by(tmp_path)
