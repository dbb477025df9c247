"""A conversation that is open: settings that change meanwhile, planners that take over, its end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from doors.running import ChatServer, chat_server
from pace.asked import Words
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.switching import AGREED, REMOTE
from pace.errors import ConsentNeededError, SettingsError
from pace.ports import PlannerEvent
from pace.settings_file import SettingsFile, With, Without
from pace.threads import EndCause


async def unheard(_: PlannerEvent) -> None:
    """The reply is read from the report."""


async def say(chat: OpenChat, text: str) -> str:
    return (await chat.companion.take_turn(chat.thread_id, Words(text=text), unheard)).text


def is_untouched(folder: Path) -> bool:
    return not any(folder.iterdir())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACE_HOME", str(tmp_path))
    return tmp_path


@asynccontextmanager
async def opened(server: ChatServer, **overrides: object) -> AsyncIterator[OpenChat]:
    flags = {name.replace("__", "."): value for name, value in overrides.items()}
    file = SettingsFile.open({"planner.tier": "local", "planner.base_url": server.url, **flags})
    async with OpenChat(file, screen=FetchBar()) as chat:
        yield chat


@pytest.mark.usefixtures("home")
async def test_another_server_takes_over_the_thread() -> None:
    """A changed address applies at the next turn, which sees what was said to the one before."""
    async with chat_server("One.") as first, chat_server("Two.") as second, opened(first) as chat:
        await say(chat, "Flight 417.")
        session = (await chat.memory()).session_id
        chat.settings_file.change("planner.base_url", second.url)
        await chat.apply()
        assert await say(chat, "Which?") == "Two."
        assert (await chat.memory()).session_id == session
    assert len(first.sent) == 1
    assert [message["content"] for message in second.sent[0][1:]] == [
        *("Flight 417.", "One.", "Which?")
    ]


@pytest.mark.usefixtures("home")
async def test_planner_that_cannot_be_opened_changes_nothing() -> None:
    """If the planner that was asked for cannot be opened, the one before goes on answering."""
    async with chat_server() as server, opened(server) as chat:
        await say(chat, "Flight 417.")
        chat.settings_file.wish("planner.tier", "embedded")
        chat.settings_file.wish("planner.model", "nosuch")
        with pytest.raises(SettingsError, match="There is no model"):
            await chat.apply()
        assert await say(chat, "Which?") == "Reply 2."
    assert server.sent[1][1]["content"] == "Flight 417."


@pytest.mark.usefixtures("home")
async def test_instructions_and_lengths_apply_at_the_next_turn() -> None:
    """Instructions, reply length and temperature are asked for anew at each turn."""
    async with chat_server() as server, opened(server) as chat:
        await say(chat, "One")
        chat.settings_file.change("planner.instructions", "Be a lighthouse keeper.")
        chat.settings_file.change("planner.reply_tokens", 77)
        chat.settings_file.change("planner.temperature", 0)
        await chat.apply()
        await say(chat, "Two")
    body = server.server.requests_to("/v1/chat/completions")[1].json
    assert body["messages"][0]["content"] == "Be a lighthouse keeper."
    assert (body["max_tokens"], body["temperature"]) == (77, 0)


@pytest.mark.usefixtures("home")
async def test_displaced_pairs_are_folded_at_once() -> None:
    """A smaller window nudges the folding, and what it displaced is in the next request's block."""
    async with chat_server() as server, opened(server, summaries__by="extractive") as chat:
        for number in range(1, 5):
            await say(chat, f"Platform {number}17.")
        chat.settings_file.change("activity.window", 2)
        await chat.apply()
        await chat.wait_folded()
        memory = await chat.memory()
        assert (len(memory.window), memory.pending, memory.summary.covers) == (2, (), 2)
        await say(chat, "Next.")
    assert "117" in server.sent[-1][0]["content"]


@pytest.mark.usefixtures("home")
async def test_a_planner_that_summarizes_is_asked_first() -> None:
    """With summaries by auto the server in use folds, and the fold has no system prompt in it."""
    async with (
        chat_server("Noted.", "Fine.", "The user takes flight 417 from gate 12.") as server,
        opened(server, activity__window=1, planner__instructions="Be Quendelin.") as chat,
    ):
        await say(chat, "I take flight 417 from gate 12.")
        await say(chat, "Fine?")
        await chat.wait_folded()
        summary = (await chat.memory()).summary
    assert (summary.made_by, summary.covers) == ("local", 1)
    assert "417" in summary.text
    assert "Quendelin" not in str(server.sent[2])


@pytest.mark.usefixtures("home")
async def test_extractive_asks_no_model() -> None:
    """With summaries by extractive no request but the turns' own is made, also after a change."""
    async with chat_server() as server, opened(server, activity__window=1) as chat:
        chat.settings_file.change("summaries.by", "extractive")
        await chat.apply()
        await say(chat, "I take flight 417 from gate 12.")
        await say(chat, "Fine?")
        await chat.wait_folded()
        assert (await chat.memory()).summary.made_by == "extractive"
    assert len(server.sent) == 2


@pytest.mark.usefixtures("home")
async def test_a_withdrawn_consent_holds_at_once() -> None:
    """R14: what another process withdraws is sent no further word, and stays withdrawn here."""
    async with chat_server("One.") as server:
        file = SettingsFile.open()
        custom: dict[str, object] = {
            "planner.tier": "direct",
            "planner.provider": "custom",
            "planner.base_url": server.url,
        }
        name = f"direct:{server.url.removesuffix('/v1')}"
        file.change_all({AGREED: With(name), **custom})
        async with OpenChat(file, screen=FetchBar()) as chat:
            assert (await chat.say(Words(text="One"))).text == "One."
            SettingsFile.open().change(AGREED, Without(name))
            with pytest.raises(ConsentNeededError, match="You have not agreed"):
                await chat.say(Words(text="Two"))
            chat.settings_file.change(AGREED, With("cli:claude"))
            await chat.apply()
            with pytest.raises(ConsentNeededError):
                await chat.say(Words(text="Three"))
            assert SettingsFile.open().current.privacy.agreed == "cli:claude"
        assert len(server.sent) == 1


@pytest.mark.usefixtures("home")
async def test_summaries_elsewhere_are_withdrawn_at_once() -> None:
    """R14: what another process withdraws is asked no further summary; turns go on."""
    async with chat_server("One.", "Two.") as server:
        file = SettingsFile.open()
        file.change_all(
            {
                AGREED: With(f"direct:{server.url.removesuffix('/v1')}"),
                REMOTE: True,
                "summaries.by": "planner",
                "activity.window": 1,
                "planner.tier": "direct",
                "planner.provider": "custom",
                "planner.base_url": server.url,
            }
        )
        async with OpenChat(file, screen=FetchBar()) as chat:
            await say(chat, "I take flight 417 from gate 12.")
            SettingsFile.open().change(REMOTE, value=False)
            await say(chat, "Fine?")
            await chat.wait_folded()
            assert (await chat.memory()).summary.made_by == "extractive"
        assert len(server.sent) == 2


@pytest.mark.usefixtures("home")
async def test_a_withdrawal_can_be_saved_while_its_tier_answers() -> None:
    """Nothing is opened anew for it, so that nothing undoes it."""
    file = SettingsFile.open()
    file.change_all(
        {
            AGREED: With("direct:http://127.0.0.1:9"),
            "planner.tier": "direct",
            "planner.provider": "custom",
            "planner.base_url": "http://127.0.0.1:9/v1",
        }
    )
    async with OpenChat(file, screen=FetchBar()) as chat:
        file.change(AGREED, "")
        await chat.apply()
        assert SettingsFile.open().current.privacy.agreed == ""


async def test_closing_ends_the_session_once(home: Path) -> None:
    """Closing tells one end, holds nothing any more, and may be repeated."""
    async with chat_server() as server, opened(server) as chat:
        await say(chat, "Flight 417.")
        session = (await chat.memory()).session_id
        await chat.close()
        await chat.close()
    assert chat.ended.qsize() == 1
    ended = chat.ended.get_nowait()
    assert (ended.session_id, ended.cause) == (session, EndCause.CLOSED)
    assert (await chat.companion.memory(chat.thread_id)).is_empty
    assert is_untouched(home)
