"""What the panel beside the conversation says of the next prompt, against the prompt itself."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from doors.running import chat_server
from pace.asked import Words
from pace.chat import RowStatus
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.web.measures import Measures
from pace.doors.web.memory_facts import MemoryFacts, memory_facts, state_of
from pace.folding import FOLD_STARTED
from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import TurnId
from pace.ports import PlannerEvent
from pace.settings_file import SettingsFile
from web.scripted import Scripted, Told
from web.tabs import PHONE, Tabs
from web.talking import Talk


async def unheard(_: PlannerEvent) -> None:
    """The reply is read from the transcript."""


@pytest_asyncio.fixture(loop_scope="module")
async def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenChat]:
    """A conversation of six turns over a server, all folded."""
    monkeypatch.setenv("PACE_HOME", str(tmp_path))
    async with chat_server() as server:
        flags = {
            "planner.tier": "local",
            "planner.base_url": server.url,
            "summaries.by": "extractive",
        }
        async with OpenChat(SettingsFile.open(flags), screen=FetchBar()) as opened:
            for number in range(1, 7):
                await opened.say(Words(text=f"Platform {number}17, gate {number}."), unheard)
            await opened.wait_folded()
            yield opened


async def facts_of(chat: OpenChat, draft: str = "") -> MemoryFacts:
    return await memory_facts(chat, await chat.memory(), draft, Measures())


async def test_shares_are_the_next_prompt(chat: OpenChat) -> None:
    """Part by part they are the prompt's own numbers; with reply and free space, the context."""
    facts = await facts_of(chat, "Which gate?")
    prompt = await chat.companion.next_prompt(chat.thread_id, "Which gate?")
    assert facts.next_prompt is not None
    shares = facts.next_prompt.shares
    tokens = {share.name: share.tokens for share in shares}
    assert tokens["System prompt"] == prompt.parts.system
    assert tokens["Summary of older turns"] == prompt.parts.summary
    assert tokens["Your next words"] == prompt.parts.words
    pairs = [share for share in shares if share.look.startswith("window")]
    assert [pair.detail for pair in pairs] == [f"Platform {n}17, gate {n}." for n in range(3, 7)]
    assert sum(pair.tokens for pair in pairs) == prompt.parts.window
    assert sum(share.tokens for share in shares) == 8192


async def test_sent_tokens_are_measured_against_the_whole_history(chat: OpenChat) -> None:
    """While all pairs stand in the window both are the same; later the whole history is more."""
    measures = (await facts_of(chat)).measures
    assert [measure.number for measure in measures] == [1, 2, 3, 4, 5, 6]
    for measure in measures[:5]:
        assert measure.whole_tokens == measure.sent_tokens
    pair = (
        estimate_tokens("Platform 117, gate 1.") + estimate_tokens("Reply 1.") + 2 * MESSAGE_TOKENS
    )
    assert measures[5].whole_tokens - measures[4].whole_tokens == pair
    assert all(measure.seconds_to_words is not None for measure in measures)


async def test_a_new_session_is_measured_from_its_beginning(chat: OpenChat) -> None:
    """What stands above a divider counts for nothing."""
    await chat.companion.reset(chat.thread_id)
    assert (await facts_of(chat)).measures == ()
    await chat.say(Words(text="Anew."), unheard)
    (measure,) = (await facts_of(chat)).measures
    assert (measure.number, measure.whole_tokens) == (1, measure.sent_tokens)


async def test_what_the_words_ask_for_is_shown_while_they_are_typed(chat: OpenChat) -> None:
    """With recall on; it stands in the prompt that would be sent."""
    assert (await facts_of(chat, "Which gate had platform 117?")).recalled == ""
    chat.settings_file.change("activity.recall", True)  # noqa: FBT003  # a setting's value
    await chat.apply()
    for number in range(7, 13):
        await chat.say(Words(text=f"Platform {number}17, gate {number}."), unheard)
    await chat.wait_folded()
    facts = await facts_of(chat, "Which gate had platform 717?")
    assert "Platform 717, gate 7." in facts.recalled
    assert facts.next_prompt is not None
    assert facts.next_prompt.prompt.parts.recalled > 0
    assert (await facts_of(chat, "Thank you!")).recalled == ""


async def test_a_row_that_has_become_whole_is_something_new(chat: OpenChat) -> None:
    """Memory holds its pair a moment before; the panel looks again when it can be measured."""
    memory = await chat.memory()
    before = state_of(chat, memory, "")
    last = chat.session.last_row
    assert last is not None
    chat.session.submit(replace(last, turn_id=TurnId("next"), status=RowStatus.WAITING))
    assert state_of(chat, memory, "") == before
    chat.session.commit(TurnId("next"), "Yes.", interrupted=False, cut_off=False)
    assert state_of(chat, memory, "") != before


async def test_folds_are_told_from_their_start(chat: OpenChat) -> None:
    """Each fold is there twice: that it began, and what became of it."""
    told = [news.what for news in chat.folds]
    assert told[:2] == [FOLD_STARTED, "applied"]
    assert told.count(FOLD_STARTED) == told.count("applied")


async def test_words_that_do_not_fit_are_said(chat: OpenChat) -> None:
    """A draft that is larger than the context gives a sentence, and no numbers."""
    facts = await facts_of(chat, "word " * 9000)
    assert facts.next_prompt is None
    assert "too long" in facts.trouble


# --- in the browser


@pytest_asyncio.fixture(loop_scope="module")
async def talk(tabs: Tabs, model: Scripted) -> AsyncIterator[Talk]:
    """A tab at a new conversation."""
    talk = Talk(await tabs.open(), model)
    await talk.begin()
    yield talk


def part(talk: Talk, name: str) -> Locator:
    """The tokens of a part, as they stand in the list."""
    row = talk.panel.get_by_role("listitem").filter(has_text=name)
    return row.locator(".part-tokens")


async def test_the_panel_shows_the_prompt_that_is_then_sent(talk: Talk) -> None:
    """The total with a draft is what the model gets when that draft is sent."""
    await talk.say("Gate 12, platform 417.", "Noted.")
    await talk.box.fill("Which platform?")
    expected = estimate_tokens("Which platform?") + 2 * MESSAGE_TOKENS
    await expect(part(talk, "Your next words")).to_have_text(str(expected))
    shown = await talk.panel.get_by_text("The next prompt takes").text_content()
    await talk.box.press("Enter")
    # Its request has come only once it is answered.
    await expect(talk.replies).to_have_count(2)
    sent = talk.model.sent[-1]
    tokens = sum(estimate_tokens(message["content"]) + MESSAGE_TOKENS for message in sent)
    # The beginning of the reply is counted with the words.
    assert shown == f"The next prompt takes {tokens + MESSAGE_TOKENS} of 8,192 tokens."


async def test_the_summarys_text_is_shown_when_it_is_wanted(talk: Talk) -> None:
    """It is hidden at first; the switch shows it here and in every tab, and hides it again."""
    for number in range(1, 6):
        await talk.say(f"Platform {number}17.", f"Seen {number}.")
    await expect(talk.panel.get_by_text("covers 1 turn pair")).to_be_visible()
    await expect(talk.panel.get_by_text("Platform 117")).to_be_hidden()
    await talk.button("Show its text").click()
    await expect(talk.panel.locator(".summary-text")).to_contain_text("117")
    await talk.button("Hide its text").click()
    await expect(talk.panel.locator(".summary-text")).to_be_hidden()


async def test_folds_and_the_chart_come_as_they_happen(talk: Talk) -> None:
    """A fold is told when it lands, and each turn is a row of the table that the chart is."""
    for number in range(1, 6):
        await talk.say(f"Platform {number}17.", f"Seen {number}.")
    await expect(talk.panel.get_by_text("landed in the summary").first).to_be_visible()
    await talk.panel.get_by_text("The same as a table").click()
    await expect(talk.panel.locator("tbody tr")).to_have_count(5)
    await expect(talk.panel.locator(".chart svg")).to_be_visible()


async def test_two_tabs_show_the_same_numbers(tabs: Tabs, talk: Talk) -> None:
    """Table and total are the same in a tab that was opened later."""
    await talk.say("Platform 417.", "Seen.")
    await talk.say("Platform 517.", "Seen, too.")
    other = Talk(await tabs.open(), talk.model)
    for tab in (talk, other):
        await expect(tab.panel.locator("tbody tr")).to_have_count(2)
    for place in ("tbody", ".memory-total", ".parts"):
        shown = await talk.panel.locator(place).text_content()
        assert await other.panel.locator(place).text_content() == shown


async def test_on_a_phone_it_is_a_drawer(tabs: Tabs, model: Scripted) -> None:
    """It lies over the conversation when it is asked for, holds the focus, and closes by Esc."""
    narrow = Talk(await tabs.open(size=PHONE), model)
    await expect(narrow.panel).to_be_hidden()
    await narrow.button("Memory").click()
    await expect(narrow.panel).to_be_visible()
    await expect(narrow.button("Close")).to_be_focused()
    await narrow.page.keyboard.press("Escape")
    await expect(narrow.panel).to_be_hidden()


async def test_while_a_reply_comes_the_panel_shows_what_is_held(talk: Talk) -> None:
    """A turn that is not over is in no part yet."""
    told = Told()
    await talk.say_to(told, "Platform 417.")
    await expect(talk.panel.get_by_text("0 of 4 turn pairs")).to_be_visible()
    told.say("Seen.")
    told.end()
    await expect(talk.panel.get_by_text("1 of 4 turn pairs")).to_be_visible()
