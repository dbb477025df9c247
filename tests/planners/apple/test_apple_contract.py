"""The planner contract over Apple's model, with the stand-in for its SDK."""

from collections.abc import Callable

import pytest

from pace.planners.apple.planner import AppleFmPlanner
from pace.ports import Planner
from planners.apple.stand_in import GuardrailViolationError, Script, StandInSdk
from planners.contract import FaultContract, ServerContract


def over(script: Script) -> Planner:
    return AppleFmPlanner(sdk=StandInSdk(script))


class TestAppleFm(ServerContract):
    @pytest.fixture
    def planner(self) -> Planner:
        return over(Script())


class TestAppleFmFaults(FaultContract):
    @pytest.fixture
    def silent(self) -> Planner:
        return over(Script(reply=lambda _: ()))

    @pytest.fixture
    def failing(self) -> Planner:
        return over(Script(reply=lambda asked: (GuardrailViolationError(asked.prompt),)))

    @pytest.fixture
    def unsized(self) -> Planner:
        return over(Script(context_size=GuardrailViolationError("no size")))

    @pytest.fixture
    def script(self) -> Script:
        return Script()

    @pytest.fixture
    def listening(self, script: Script) -> Planner:
        return over(script)

    @pytest.fixture
    def received(self, script: Script) -> Callable[[], list[tuple[str, str]]]:
        return lambda: script.asked[-1].messages
