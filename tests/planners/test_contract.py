"""The planner contract over every planner that needs nothing from outside this machine."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pace.endpoint import LoopbackUrl
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineProcess
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import Planner
from pace.testing import ScriptedPlanner
from planners.contract import PlannerContract, ServerContract

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


class TestScripted(PlannerContract):
    @pytest.fixture
    def planner(self) -> Planner:
        return ScriptedPlanner(*[["Hello, ", "you."]] * 12)
