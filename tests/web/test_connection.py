"""Tabs come, go, lose their connection and find it again; what was said is there once."""

import json
import signal
from pathlib import Path

from playwright.async_api import Page, expect

from doors.running import run_pace
from web.scripted import Scripted, Told
from web.tabs import PHONE, Tab, Tabs
from web.talk import ANOTHER, LOST, ask, banner, box, reply, rows, say, turn_ids
from web.window_process import RunningWindow, running_window

WITHIN = 3_000


async def begin(tabs: Tabs) -> Tab:
    """A tab with a conversation of its own."""
    tab = await tabs.open()
    await tab.page.get_by_role("button", name="New").first.click()
    await expect(rows(tab.page)).to_have_count(0)
    return tab


async def cut(page: Page) -> None:
    """Cut the connection under the page's feet; it tries again by itself."""
    await page.evaluate("window.socket.io.engine.close()")


async def wait_joined(page: Page) -> None:
    await page.wait_for_function("window.socket.connected")


async def test_a_tab_that_closes_leaves_the_turn_to_its_end(tabs: Tabs, model: Scripted) -> None:
    """The reply is finished and recorded; another tab shows it once, and the next turn knows it."""
    told = Told()
    model.will_reply(told, "Next.")
    tab = await begin(tabs)
    await say(tab.page, "What is it?")
    told.say("It is ")
    await expect(reply(tab.page)).to_have_text("It is")
    await tab.page.close()
    told.say("a kettle.")
    told.end()
    other = await tabs.open()
    await expect(rows(other.page)).to_have_count(1)
    await expect(reply(other.page)).to_have_text("It is a kettle.")
    await ask(other.page, "And then?", "Next.")
    sent = [message["content"] for message in model.sent[-1]]
    assert sent[1:] == ["What is it?", "It is a kettle.", "And then?"]


async def test_a_reconnect_neither_repeats_nor_loses(tabs: Tabs, model: Scripted) -> None:
    """Cut off in the middle of a reply, the same row goes on and ends with every word once."""
    told = Told()
    model.will_reply(told)
    tab = await begin(tabs)
    await say(tab.page, "Count")
    told.say("one ")
    await expect(reply(tab.page)).to_have_text("one")
    before, asked = await turn_ids(tab.page), len(model.sent)
    for piece in ("two ", "three ", "four "):
        await cut(tab.page)
        told.say(piece)
        await wait_joined(tab.page)
    told.say("five")
    told.end()
    await expect(reply(tab.page)).to_have_text("one two three four five")
    await expect(tab.page.get_by_role("button", name="Stop")).to_have_count(0)
    assert await turn_ids(tab.page) == before
    assert len(model.sent) == asked


async def test_two_tabs_show_one_truth(tabs: Tabs, model: Scripted) -> None:
    """What is said in either stands in both, in the same order, while the reply still comes."""
    told = Told()
    model.will_reply("One.", "Two.", told)
    first = await begin(tabs)
    second = await tabs.open()
    await ask(first.page, "1", "One.")
    await expect(reply(second.page)).to_have_text("One.")
    await ask(second.page, "2", "Two.")
    await say(first.page, "3")
    told.say("Thr")
    for tab in (first, second):
        await expect(reply(tab.page)).to_have_text("Thr")
    told.say("ee.")
    told.end()
    for tab in (first, second):
        await expect(reply(tab.page)).to_have_text("Three.")
    assert await turn_ids(first.page) == await turn_ids(second.page)
    assert len(await turn_ids(first.page)) == 3


async def test_a_stale_tab_overwrites_nothing(tabs: Tabs, model: Scripted) -> None:
    """What a tab says that missed three turns follows them: asked from what is, not what it saw."""
    first = await begin(tabs)
    stale = await tabs.open(size=PHONE)
    model.will_reply("A1", "A2", "A3", "A4", "AX")
    await ask(first.page, "Q1", "A1")
    await expect(reply(stale.page)).to_have_text("A1")
    await stale.page.context.set_offline(offline=True)
    await cut(stale.page)
    for number in (2, 3, 4):
        await ask(first.page, f"Q{number}", f"A{number}")
    await expect(rows(stale.page)).to_have_count(1)
    await box(stale.page).fill("QX")
    await stale.page.context.set_offline(offline=False)
    await wait_joined(stale.page)
    await box(stale.page).press("Enter")
    for tab in (first, stale):
        await expect(rows(tab.page)).to_have_count(5)
        await expect(reply(tab.page)).to_have_text("AX")
    sent = [message["content"] for message in model.sent[-1]]
    assert sent[1:] == ["Q1", "A1", "Q2", "A2", "Q3", "A3", "Q4", "A4", "QX"]
    stale.forgive()  # what it asked for in vain
    assert await turn_ids(first.page) == await turn_ids(stale.page)


async def test_sending_twice_is_saying_it_once(tabs: Tabs, model: Scripted) -> None:
    """A double click and a key that bounces make one turn; saying the same again makes another."""
    tab = await begin(tabs)
    asked = len(model.sent)
    model.will_reply("Yes.", "Still yes.", "Again.")
    await box(tab.page).fill("ok")
    await tab.page.get_by_role("button", name="Send").dblclick()
    await expect(reply(tab.page)).to_have_text("Yes.")
    await box(tab.page).fill("ok")
    await box(tab.page).evaluate(
        """(box) => {
            for (let count = 0; count < 3; count += 1)
                box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        }"""
    )
    await expect(reply(tab.page)).to_have_text("Still yes.")
    await ask(tab.page, "done", "Again.")
    assert await rows(tab.page).count() == 3
    assert len(model.sent) == asked + 3


async def test_words_that_came_back_are_the_same_turn_when_they_are_sent_again(
    tabs: Tabs, model: Scripted
) -> None:
    """B118: Pace had them, and was cut off before it could say so; sent again, it is one turn."""
    told = Told()
    model.will_reply(told, "Never.")
    tab = await begin(tabs)
    asked = len(model.sent)
    await tab.page.evaluate("window.socket.io.engine.transport.ws.onmessage = () => {}")
    await box(tab.page).fill("Only once")
    await box(tab.page).press("Enter")
    await told.asked.wait()
    await cut(tab.page)
    await expect(box(tab.page)).to_have_value("Only once")
    await wait_joined(tab.page)
    await expect(rows(tab.page)).to_have_count(1)
    await box(tab.page).press("Enter")
    await expect(box(tab.page)).to_have_value("")
    told.say("Once.")
    told.end()
    await expect(reply(tab.page)).to_have_text("Once.")
    await expect(tab.page.get_by_role("button", name="Stop")).to_have_count(0)
    assert await rows(tab.page).count() == 1
    assert len(model.sent) == asked + 1


async def test_the_server_s_death_is_said_and_nothing_is_sent_by_itself(
    tabs: Tabs, tmp_path: Path, model: Scripted
) -> None:
    """Within 3 s, in our words. What was pressed meanwhile is not done; words stay in their box.

    Started anew on the same port, it is another Pace, and the tab says so; once the person has
    opened that one, the tab goes on.
    """
    asked = len(model.sent)
    async with running_window(tmp_path, base_url=model.url) as window:
        mine = Tabs(tabs.browser, window)
        tab = await mine.open()
        window.send_signal(signal.SIGKILL)
        await expect(banner(tab.page)).to_contain_text(LOST, timeout=WITHIN)
        await expect(tab.page.get_by_role("alert").filter(has_text=LOST)).to_be_visible()
        await expect(tab.page.locator("#popup")).to_be_hidden()
        await box(tab.page).fill("Still there?")
        await box(tab.page).press("Enter")
        await tab.page.get_by_role("button", name="Send").click()
        await tab.page.get_by_role("link", name="Settings").click()
        await expect(box(tab.page)).to_have_value("Still there?")
        await window.wait_ended()
        await _goes_on(tab, window, mine, model)
        await mine.close()
        tab.forgive()
        assert mine.troubles == []
    assert len(model.sent) == asked


async def _goes_on(tab: Tab, window: RunningWindow, mine: Tabs, model: Scripted) -> None:
    port = ("--port", str(window.port))
    async with running_window(window.home, *port, base_url=model.url) as again:
        await expect(banner(tab.page)).to_contain_text(ANOTHER)
        await expect(rows(tab.page)).to_have_count(0)
        mine.window = again
        fresh = await mine.open_anew()
        await expect(banner(tab.page)).to_be_hidden(timeout=15_000)
        await tab.wait_live()
        for page in (tab.page, fresh.page):
            await expect(rows(page)).to_have_count(0)
        status, _, err = await again.end()
        assert (status, err) == (130, "")
        fresh.forgive()


async def test_ended_during_a_reply_it_keeps_what_was_said(
    tabs: Tabs, tmp_path: Path, model: Scripted
) -> None:
    """SIGTERM with a tab open and words on their way: status 130, and the journal has the pair."""
    told = Told()
    model.will_reply(told)
    async with running_window(tmp_path, base_url=model.url) as window:
        mine = Tabs(tabs.browser, window)
        tab = await mine.open()
        await say(tab.page, "What is it?")
        told.say("It is a ket")
        await expect(reply(tab.page)).to_have_text("It is a ket")
        status, _, err = await window.end()
        assert (status, err) == (130, "")
        await mine.close()
    ended = await run_pace(tmp_path, "history", "export", "--format", "jsonl")
    (kept,) = [
        line for line in map(json.loads, ended.out.splitlines()) if "It is a ket" in str(line)
    ]
    assert "interrupted" in kept.values()
