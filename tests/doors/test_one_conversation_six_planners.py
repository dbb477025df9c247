"""R13: a conversation that changes its planner every two turns, and one that never did, are one.

Six planners answer: the embedded model, a real llama.cpp server, Apple's model (a stand-in for its
SDK), a command-line program (scripted), and the SDKs of Anthropic and OpenAI against servers on
loopback.
"""

import stat
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from pace.asked import Words
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.endpoint import LoopbackUrl
from pace.memory.prompt import Message, Prompt
from pace.memory.turn import ThreadId
from pace.planners.apple.planner import AppleFmPlanner
from pace.planners.catalogue import TINY
from pace.planners.cli_bridge.planner import CliPlanner
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineProcess, EngineSettings
from pace.planners.options import ReplyOptions
from pace.planners.tiers import OpenedPlanner
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import Planner, PlannerEvent, PlannerTraits
from pace.settings import Provider, Settings, Tier
from pace.settings_file import SettingsFile
from pace.testing import ScriptedPlanner
from planners.apple.stand_in import Script, StandInSdk
from planners.direct.speaking import (
    ANTHROPIC_HELLO,
    CHAT,
    MESSAGES,
    OPENAI_HELLO,
    anthropic_over,
    in_turn,
    openai_over,
)
from planners.raw_server import RawServer, raw_server

SHORT = ReplyOptions(temperature=0, reply_tokens=24)
PROGRAM = """#!{python}
import json, sys
given = sys.stdin.read()
print(json.dumps({{"type": "assistant", "message": {{
    "model": "claude-test", "content": [{{"type": "text", "text": "A program's answer."}}]}}}}))
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False,
    "result": "A program's answer."}}))
"""
TURNS = (
    "My booking code is KX-4417 and I fly to Bergen.",
    "I am allergic to hazelnuts.",
    "My sister Ottilie comes along.",
    "She likes trains more than planes.",
    "We meet at gate B12 at 9:40.",
    "What should we pack for rain?",
    "And for her?",
    "The hotel is called Nordlys.",
    "It has 14 rooms.",
    "Is that small?",
    "Say it again, shorter.",
    "What is my booking code?",
)
ORDER = (
    (Tier.EMBEDDED, None),
    (Tier.LOCAL, None),
    (Tier.CLI, Provider.CLAUDE),
    (Tier.DIRECT, Provider.ANTHROPIC),
    (Tier.DIRECT, Provider.OPENAI),
    (Tier.APPLE, None),
)


class Recording:
    """Keeps every prompt that another planner is asked to answer."""

    def __init__(self, planner: Planner, prompts: list[tuple[Message, ...]]) -> None:
        self._planner = planner
        self._prompts = prompts

    async def traits(self) -> PlannerTraits:
        return await self._planner.traits()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        self._prompts.append(prompt.messages)
        async with aclosing(self._planner.stream(prompt)) as events:
            async for event in events:
                yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self._planner.count_tokens(texts)

    async def prepare(self, prompt: Prompt) -> int:
        return await self._planner.prepare(prompt)

    async def forget(self, thread_id: ThreadId) -> None:
        await self._planner.forget(thread_id)

    async def aclose(self) -> None:
        await self._planner.aclose()


@asynccontextmanager
async def planners_of(
    tiny: Path, folder: Path
) -> AsyncIterator[tuple[Callable[[Settings], Planner], RawServer, RawServer]]:
    """Makes the planner that settings name, and the two servers that stand for vendors."""
    program = folder / "claude"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    engine = await EngineProcess.start(EngineSettings(path=tiny, name="tiny"))
    async with raw_server() as anthropic, raw_server() as openai:
        in_turn(anthropic, MESSAGES, ANTHROPIC_HELLO)
        in_turn(openai, CHAT, OPENAI_HELLO)

        def made(current: Settings) -> Planner:
            match current.planner.tier, current.planner.provider:
                case Tier.LOCAL, _:
                    return OpenAiWirePlanner(
                        LoopbackUrl("http://localhost/v1"),
                        socket=engine.socket,
                        options=lambda: SHORT,
                    )
                case Tier.APPLE, _:
                    return AppleFmPlanner(sdk=StandInSdk(Script()))
                case Tier.CLI, _:
                    return CliPlanner(Provider.CLAUDE, executable=program)
                case Tier.DIRECT, Provider.ANTHROPIC:
                    return anthropic_over(anthropic)
                case Tier.DIRECT, _:
                    return openai_over(openai)
                case _:
                    return EmbeddedPlanner.of(TINY, tiny, options=lambda: SHORT)

        try:
            yield made, anthropic, openai
        finally:
            await engine.aclose()


async def hold(
    made: Callable[[Settings], Planner], *, switches: bool
) -> tuple[list[tuple[Message, ...]], list[str]]:
    """Hold the twelve turns; gives each turn's prompt and its reply."""
    prompts: list[tuple[Message, ...]] = []
    replies: list[str] = []

    async def opener(current: Callable[[], Settings], *, screen: object) -> OpenedPlanner:  # noqa: ARG001
        return OpenedPlanner(planner=Recording(made(current()), prompts))

    file = SettingsFile.open({"summaries.by": "extractive"})
    async with OpenChat(file, screen=FetchBar(), opener=opener) as chat:
        for number, text in enumerate(TURNS):
            if switches and number % 2 == 0:
                tier, provider = ORDER[number // 2]
                file.wish("planner.provider", None)
                file.wish("planner.tier", tier)
                file.wish("planner.provider", provider)
                await chat.apply()
            replies.append((await chat.say(Words(text=text))).text)
            await chat.wait_folded()
    return prompts, replies


@pytest.mark.usefixtures("own_home")
async def test_switching_tiers_forks_nothing(tiny: Path, tmp_path: Path) -> None:
    """Each prompt is, byte for byte, what one planner alone would have got after those turns."""
    async with planners_of(tiny, tmp_path) as (made, anthropic, openai):
        switched, replies = await hold(made, switches=True)
    with ScriptedPlanner(*([reply] for reply in replies)) as alone:
        unswitched, _ = await hold(lambda _: alone, switches=False)
    assert len(switched) == len(TURNS)
    assert switched == unswitched
    # Of what passed, all is there: the last of twelve holds the first one's fact.
    assert "KX-4417" in switched[-1][0].content
    # The vendors' own wires carried the very same contents.
    sent = [request.json for request in openai.requests_to(CHAT)]
    assert [
        [(message["role"], message["content"]) for message in body["messages"]] for body in sent
    ] == [[(m.role.value, m.content) for m in prompt] for prompt in switched[8:10]]
    for body, prompt in zip(
        [request.json for request in anthropic.requests_to(MESSAGES)], switched[6:8], strict=True
    ):
        assert "".join(block["text"] for block in body["system"]) == prompt[0].content
        assert [_content(message) for message in body["messages"]] == [
            m.content for m in prompt[1:]
        ]


def _content(message: dict[str, object]) -> str:
    content = message["content"]
    if isinstance(content, list):
        return "".join(block["text"] for block in content)
    return str(content)


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_HOME", str(tmp_path / "home"))
