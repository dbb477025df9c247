"""The conversation page in a real browser, over a model whose replies are scripted."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from doors.running import run_pace
from web.scripted import FAULT, Scripted, Told
from web.tabs import PHONE, Tab, Tabs
from web.talking import Talk
from web.window_process import RunningWindow

AT_ONCE = """events => events.forEach(
    ([id, said]) => getElement(document.getElementById(id)).$emit("say", said))"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab(browser: Browser, window: RunningWindow) -> AsyncIterator[Tab]:
    """One tab for all tests of this module."""
    tabs = Tabs(browser, window)
    yield await tabs.open()
    await tabs.close()


@pytest_asyncio.fixture(loop_scope="module")
async def talk(tab: Tab, window: RunningWindow, model: Scripted) -> AsyncIterator[Talk]:
    """A fresh page at a new conversation, which has no trouble at its end."""
    await tab.go(window)
    talk = Talk(tab, model)
    # Also stops what another test holds open.
    await talk.begin()
    yield talk
    assert tab.troubles == []


async def put(talk: Talk, text: str) -> None:
    """Have the box hold a text, as if it had been pasted."""
    await talk.box.evaluate(
        "(box, json) => { box.value = JSON.parse(json); box.dispatchEvent(new Event('input')); }",
        json.dumps(text),
    )


# --- a turn


async def test_words_stand_at_once_and_the_reply_grows_in_their_row(talk: Talk) -> None:
    """The row is there before the model has said anything, and is the same row to the end."""
    told = Told()
    await talk.say_to(told, "A teal kettle?")
    await expect(talk.rows).to_have_count(1)
    await expect(talk.rows.locator(".said")).to_have_text("A teal kettle?")
    turn = await talk.rows.get_attribute("data-turn")
    told.say("Name it **Mar")
    await expect(talk.replies).to_have_text("Name it **Mar")
    told.say("low**.")
    await expect(talk.replies.locator("strong")).to_have_text("Marlow")
    told.end()
    await expect(talk.button("Retry")).to_be_visible()
    await expect(talk.rows).to_have_count(1)
    assert await talk.rows.get_attribute("data-turn") == turn


async def test_enter_sends_and_shift_enter_breaks(talk: Talk) -> None:
    """Enter sends; with Shift it begins a line, which is sent as it stands."""
    await talk.box.fill("One")
    await talk.box.press("Shift+Enter")
    await talk.box.press_sequentially("two")
    await expect(talk.rows).to_have_count(0)
    await talk.box.press("Enter")
    await expect(talk.rows.locator(".said")).to_have_text("One\ntwo")
    await expect(talk.box).to_have_value("")


async def test_an_input_method_keeps_its_enter(talk: Talk) -> None:
    """Enter that chooses what an input method offers sends nothing, in either of its two forms."""
    await talk.box.fill("かな")
    for more in ({"isComposing": True}, {"keyCode": 229}):
        await talk.box.dispatch_event("keydown", {"key": "Enter", **more})
    await expect(talk.rows).to_have_count(0)
    await expect(talk.box).to_have_value("かな")


async def test_nothing_is_sent_of_blank_words(talk: Talk) -> None:
    """Spaces and line ends alone cannot be sent."""
    await talk.box.fill("  \n ")
    await talk.box.press("Enter")
    await expect(talk.button("Send")).to_be_disabled()
    await expect(talk.rows).to_have_count(0)


async def test_half_of_a_character_does_not_cost_the_rest(talk: Talk) -> None:
    """An emoji that was cut in two leaves a sign in its place; what looks like its code stays."""
    talk.model.will_reply("Yes.")
    await put(talk, "Important words \ud83d, \\ud83d and 🔥")
    # The panel weighs what the window was told is being written.
    await expect(talk.panel.get_by_role("listitem").filter(has_text="next words")).to_be_visible()
    await talk.box.press("Enter")
    await expect(talk.replies).to_have_text(["Yes."])
    whole = "Important words \ufffd, \\ud83d and 🔥"
    await expect(talk.rows.locator(".said")).to_have_text(whole)
    assert talk.asked() == [whole]


async def test_words_that_are_too_long_stay_whole_and_are_not_sent(talk: Talk) -> None:
    """Nothing is cut off without a word: the box says how much fits, and takes it once it does."""
    await put(talk, "x" * 1_000_000)
    await expect(talk.page.get_by_role("alert")).to_contain_text(
        "A message holds at most 140,000 characters, and these are 1,000,000."
    )
    await talk.box.press("Enter")
    await expect(talk.button("Send")).to_be_disabled()
    assert await talk.box.evaluate("box => box.value.length") == 1_000_000
    await expect(talk.rows).to_have_count(0)
    # As much as fits, of characters that take the most room on their way.
    await put(talk, "\x01" * 139_999 + "!")
    await expect(talk.page.get_by_role("alert")).to_have_count(0)
    await talk.box.press("Enter")
    # More than this model takes, which it says itself.
    await expect(talk.rows).to_contain_text("No reply.", timeout=30_000)
    await expect(talk.button("Show all")).to_have_count(0)
    await expect(talk.box).to_have_value("")


async def test_very_long_words_are_shown_when_they_are_wanted(talk: Talk) -> None:
    """Their beginning stands for them in the transcript; the model has them all."""
    talk.model.will_reply("Read.")
    await put(talk, "word 🔥 " * 2_000 + "end")
    await talk.box.press("Enter")
    await expect(talk.replies).to_have_text(["Read."])
    said = talk.rows.locator(".said")
    assert len(await said.inner_text()) < 5_000
    await talk.button("Show all 16,003 characters").click()
    await expect(said).to_contain_text("end")
    assert talk.asked()[0].endswith(" end")


async def test_code_has_its_own_block_with_copy(talk: Talk) -> None:
    """A fence becomes a block that names its language and copies the code alone."""
    talk.model.will_reply("So:\n\n```python\nprint(1)\n```\n")
    await talk.write("Code?")
    await talk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await talk.button("Copy code").click()
    await expect(talk.button("Copy code")).to_have_text("Copied")
    assert await talk.page.evaluate("navigator.clipboard.readText()") == "print(1)\n"


async def test_a_reply_is_copied_as_it_was_written(talk: Talk) -> None:
    """Copy gives the reply's own signs, not how they look."""
    await talk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    talk.model.will_reply("It is **Marlow**.")
    await talk.write("Name?")
    await talk.button("Copy").click()
    await expect(talk.button("Copied")).to_be_visible()
    assert await talk.page.evaluate("navigator.clipboard.readText()") == "It is **Marlow**."


# --- stop, retry, edit


@pytest.mark.parametrize("way", ["button", "key"])
async def test_stop_keeps_what_was_said(talk: Talk, way: str) -> None:
    """A reply that is stopped, by button or by Esc, stays as far as it came, and is marked."""
    told = Told()
    await talk.say_to(told, "Tell me a story.")
    told.say("Once upon a time")
    await expect(talk.replies).to_have_text("Once upon a time")
    if way == "button":
        await talk.button("Stop").click()
    else:
        await talk.box.press("Escape")
    await expect(talk.rows.get_by_text("Stopped before its end")).to_be_visible()
    await expect(talk.replies).to_have_text("Once upon a time")
    await expect(talk.button("Stop")).to_have_count(0)


async def test_retry_takes_the_old_replys_place_also_in_memory(talk: Talk) -> None:
    """The last turn is asked again without its old reply, and one row is left."""
    await talk.say("A name?", "Duckling.")
    talk.model.will_reply("Marlow.")
    await talk.button("Retry").click()
    await expect(talk.replies).to_have_text(["Marlow."])
    await expect(talk.rows).to_have_count(1)
    assert talk.asked() == ["A name?"]
    await talk.say("Why?", "Because.")
    assert talk.asked() == ["A name?", "Marlow.", "Why?"]


async def test_a_retry_pressed_twice_is_one_turn(talk: Talk) -> None:
    """Pressing Retry twice asks the model once."""
    await talk.say("A name?", "Duckling.")
    before = len(talk.model.sent)
    talk.model.will_reply("Marlow.")
    await talk.button("Retry").evaluate("button => { button.click(); button.click(); }")
    await expect(talk.replies).to_have_text(["Marlow."])
    await expect(talk.button("Retry")).to_be_visible()
    assert len(talk.model.sent) == before + 1


async def test_only_the_last_turn_can_be_retried_or_edited(talk: Talk) -> None:
    """Earlier turns offer neither, and nothing does while a reply comes."""
    await talk.say("One", "First.")
    await talk.say("Two", "Second.")
    await expect(talk.button("Retry")).to_have_count(1)
    await expect(talk.rows.last.get_by_role("button", name="Edit")).to_have_count(1)
    told = Told()
    await talk.say_to(told, "Three")
    await expect(talk.button("Retry")).to_have_count(0)
    await expect(talk.button("Edit")).to_have_count(0)
    told.say("Third.")
    told.end()
    await expect(talk.rows.last.get_by_role("button", name="Edit")).to_have_count(1)


async def test_edit_puts_the_words_back_and_replaces_the_turn(talk: Talk) -> None:
    """What was said stands in the box; sent anew, it takes the old turn's place everywhere."""
    await talk.say("A name for a blue kettle?", "Lagoon.")
    await talk.button("Edit").click()
    await expect(talk.box).to_have_value("A name for a blue kettle?")
    await expect(talk.page.get_by_text("Editing your last message")).to_be_visible()
    await talk.say("A name for a teal kettle?", "Petrol.")
    await expect(talk.rows.locator(".said")).to_have_text(["A name for a teal kettle?"])
    assert talk.asked() == ["A name for a teal kettle?"]
    await expect(talk.page.get_by_text("Editing your last message")).to_have_count(0)


async def test_an_edit_that_is_left_changes_nothing(talk: Talk) -> None:
    """Cancel gives back what was being written before, and the turn stays."""
    await talk.say("One", "First.")
    await talk.box.fill("Half a thought")
    await talk.button("Edit").click()
    await expect(talk.box).to_have_value("One")
    await talk.button("Cancel edit").click()
    await expect(talk.box).to_have_value("Half a thought")
    await expect(talk.replies).to_have_text(["First."])


async def test_an_edit_of_a_turn_that_another_tab_went_past_is_a_new_message(
    tabs: Tabs, talk: Talk
) -> None:
    """The words stay in the box, and the tab says that they no longer replace anything."""
    await talk.say("One", "First.")
    await talk.button("Edit").click()
    other = Talk(await tabs.open(), talk.model)
    await other.say("Two", "Second.")
    await expect(talk.page.get_by_role("alert")).to_contain_text("not the last one any more")
    await expect(talk.box).to_have_value("One")
    await talk.say("One again", "Third.")
    assert talk.asked() == ["One", "First.", "Two", "Second.", "One again"]


# --- order and identity


async def test_what_is_said_during_a_reply_waits_its_turn(talk: Talk) -> None:
    """Words stand below at once, and are answered in the order in which they were said."""
    told = Told()
    talk.model.will_reply(told, "Second.", "Third.")
    for text in ("One", "Two", "Three"):
        await talk.write(text)
    await expect(talk.rows).to_have_count(3)
    await expect(talk.page.get_by_text("waiting its turn")).to_have_count(2)
    told.say("First.")
    told.end()
    await expect(talk.replies).to_have_text(["First.", "Second.", "Third."])
    assert talk.asked() == ["One", "First.", "Two", "Second.", "Three"]


async def test_the_same_message_sent_twice_is_one_turn(talk: Talk) -> None:
    """A message keeps its id: at once or later, a repetition is no turn; other ids are, always."""
    talk.model.will_reply("First.", "Second.")
    box = await talk.page.locator(".composer").get_attribute("id")
    once = {"id": "11111111-aaaa", "text": "ok", "replaces": ""}
    await talk.page.evaluate(AT_ONCE, [[box, once], [box, once]])
    await expect(talk.replies).to_have_text(["First."])
    await talk.page.evaluate(AT_ONCE, [[box, once], [box, {**once, "id": "22222222-bbbb"}]])
    await expect(talk.replies).to_have_text(["First.", "Second."])
    assert talk.asked() == ["ok", "First.", "ok"]


async def test_a_reload_keeps_the_transcript_and_what_was_being_written(talk: Talk) -> None:
    """After a reload, also during a reply, each turn stands there once; the draft, too."""
    await talk.say("One", "First.")
    told = Told()
    await talk.say_to(told, "Two")
    told.say("Sec")
    await expect(talk.replies.last).to_have_text("Sec")
    await talk.box.fill("Half a thought")
    # It is in the panel once the window knows it.
    await expect(talk.panel.get_by_role("listitem").filter(has_text="next words")).to_have_text(
        "Your next words14"
    )
    await talk.page.reload()
    await talk.tab.wait_live()
    await expect(talk.rows).to_have_count(2)
    await expect(talk.box).to_have_value("Half a thought")
    told.say("ond.")
    told.end()
    await expect(talk.replies).to_have_text(["First.", "Second."])
    await talk.box.fill("")


async def test_a_second_tab_shows_the_same_as_it_comes(tabs: Tabs, talk: Talk) -> None:
    """Two tabs show one transcript, whichever of them speaks."""
    other = Talk(await tabs.open(), talk.model)
    told = Told()
    await talk.say_to(told, "From the first")
    told.say("Half")
    await expect(other.replies).to_have_text(["Half"])
    told.say(" and half.")
    told.end()
    await expect(other.button("Retry")).to_be_visible()
    await other.say("From the second", "Seen.")
    for tab in (talk, other):
        await expect(tab.rows.locator(".said")).to_have_text(["From the first", "From the second"])
        await expect(tab.replies).to_have_text(["Half and half.", "Seen."])


async def test_a_reply_goes_on_when_its_tab_is_closed(tabs: Tabs, talk: Talk) -> None:
    """Whoever comes back finds the whole reply, once."""
    leaver = Talk(await tabs.open(), talk.model)
    told = Told()
    await leaver.say_to(told, "A long one")
    told.say("It begins")
    await expect(leaver.replies).to_have_text(["It begins"])
    await leaver.page.close()
    told.say(" and it ends.")
    told.end()
    back = Talk(await tabs.open(), talk.model)
    await expect(back.replies).to_have_text(["It begins and it ends."])


# --- when something is the matter


async def test_a_turn_that_failed_says_why_and_can_be_tried_again(talk: Talk) -> None:
    """The row says what is the matter; Try again asks once more, and leaves one row."""
    talk.model.will_reply(FAULT)
    await talk.write("One")
    await expect(talk.page.get_by_text("No reply.")).to_be_visible()
    talk.model.will_reply("First.")
    await talk.button("Try again").click()
    await expect(talk.replies).to_have_text(["First."])
    await expect(talk.page.get_by_text("No reply.")).to_have_count(0)
    assert talk.asked() == ["One"]


async def test_a_turn_that_failed_can_be_dismissed(talk: Talk) -> None:
    """Dismiss takes the row away, from every tab."""
    talk.model.will_reply(FAULT)
    await talk.write("One")
    await talk.button("Dismiss").click()
    await expect(talk.rows).to_have_count(0)
    await talk.say("Two", "Second.")
    assert talk.asked() == ["Two"]


async def test_a_retry_that_fails_leaves_what_it_was_to_replace(talk: Talk) -> None:
    """The old reply is back beside the failure, and tried again it is replaced after all."""
    await talk.say("One", "First.")
    talk.model.will_reply(FAULT)
    await talk.button("Retry").click()
    await expect(talk.page.get_by_text("No reply.")).to_be_visible()
    await expect(talk.replies.filter(has_text="First.")).to_be_visible()
    talk.model.will_reply("Better.")
    await talk.button("Try again").click()
    await expect(talk.rows).to_have_count(1)
    await expect(talk.replies).to_have_text(["Better."])


# --- finding, beginning anew


async def test_a_filter_shows_the_turns_that_hold_a_text(talk: Talk) -> None:
    """Letter case aside, in words or reply; Done shows everything again."""
    await talk.say("A teal kettle", "Named Marlow.")
    await talk.say("A red one", "Named Petrol.")
    await talk.button("Find").click()
    field = talk.page.get_by_role("searchbox", name="Find in this conversation")
    await field.fill("TEAL")
    await expect(talk.rows.filter(visible=True)).to_have_count(1)
    await expect(talk.page.get_by_text("1 turn", exact=True)).to_be_visible()
    await field.fill("named")
    await expect(talk.rows.filter(visible=True)).to_have_count(2)
    await talk.button("Done").click()
    await expect(talk.rows.filter(visible=True)).to_have_count(2)


async def test_new_forgets_and_shows_things_to_try(talk: Talk) -> None:
    """By its key: an empty screen, an empty memory, and a thing to try that fills the box."""
    await talk.say("My code is 7301", "Noted.")
    await talk.page.keyboard.press("Control+Alt+n")
    await expect(talk.rows).to_have_count(0)
    await talk.button("Suggest three names for a teal kettle.").click()
    await expect(talk.box).to_have_value("Suggest three names for a teal kettle.")
    talk.model.will_reply("Marlow.")
    await talk.box.press("Enter")
    await expect(talk.replies).to_have_text(["Marlow."])
    assert talk.asked() == ["Suggest three names for a teal kettle."]


async def test_a_temporary_conversation_says_so_and_is_not_kept(tabs: Tabs, talk: Talk) -> None:
    """It is shown plainly, and the history knows nothing of it; after New, turns are kept again."""
    await talk.page.keyboard.press("Control+Alt+t")
    await expect(talk.page.get_by_text("nothing of this is kept")).to_be_visible()
    await talk.say("quendelin", "Zanthia.")
    await talk.page.keyboard.press("Control+Alt+n")
    await expect(talk.page.get_by_text("nothing of this is kept")).to_be_hidden()
    await talk.say("ottilie", "Bo.")
    home = tabs.window.home
    assert "ottilie" in (await run_pace(home, "history", "search", "ottilie")).out
    assert "quendelin" not in (await run_pace(home, "history", "search", "quendelin")).out


async def test_a_reset_elsewhere_is_a_divider(tabs: Tabs, talk: Talk) -> None:
    """What stands above a reset stays to be read, and can neither be retried nor edited."""
    await talk.say("One", "First.")
    settings = await tabs.open("/settings")
    await settings.page.get_by_role("button", name="Reset thread").click()
    await settings.page.get_by_role("button", name="Reset", exact=True).click()
    await expect(talk.page.get_by_role("separator")).to_contain_text("nothing above is remembered")
    await expect(talk.replies).to_have_text(["First."])
    await expect(talk.button("Retry")).to_have_count(0)
    await talk.say("Two", "Second.")
    assert talk.asked() == ["Two"]


# --- keys and sizes


async def test_keys_reach_the_box_and_the_list_of_keys(talk: Talk) -> None:
    """/ goes to the box without writing itself, ? shows the keys, Esc closes them."""
    await talk.page.locator("body").click(position={"x": 400, "y": 300})
    await talk.page.keyboard.press("?")
    await expect(talk.page.get_by_role("dialog", name="Keys")).to_be_visible()
    await talk.page.keyboard.press("Escape")
    await expect(talk.page.get_by_role("dialog", name="Keys")).to_be_hidden()
    await talk.page.keyboard.press("/")
    await expect(talk.box).to_be_focused()
    await expect(talk.box).to_have_value("")
    await talk.page.keyboard.type("1/2?")
    await expect(talk.box).to_have_value("1/2?")


async def test_the_list_follows_only_whoever_is_at_its_end(talk: Talk) -> None:
    """Who reads above stays there while the reply grows, and has a way to the newest words."""
    told = Told()
    await talk.say_to(told, "A long one")
    told.say("\n\n".join(f"Line {number}." for number in range(60)))
    await expect(talk.replies.get_by_text("Line 59.")).to_be_in_viewport()
    await talk.page.get_by_role("log").evaluate("log => { log.scrollTop = 0; }")
    await expect(talk.button("Jump to latest")).to_be_visible()
    told.say("\n\nThe end.")
    told.end()
    await expect(talk.button("Retry")).to_be_attached()
    await expect(talk.rows.locator(".said")).to_be_in_viewport()
    await talk.button("Jump to latest").click()
    await expect(talk.replies.get_by_text("The end.")).to_be_in_viewport()
    await expect(talk.button("Jump to latest")).to_be_hidden()


async def test_only_the_transcript_scrolls(talk: Talk) -> None:
    """However long it is, nothing around it can be moved, so that the box stays where it is."""
    for number in range(8):
        await talk.say(f"Message {number}", f"Answer {number}.")
    moving = await talk.page.evaluate(
        """() => {
            const moving = [];
            let place = document.querySelector(".scroller").parentElement;
            for (; place; place = place.parentElement)
                if (place.scrollHeight > place.clientHeight + 1) moving.push(place.className);
            return moving;
        }"""
    )
    assert moving == []


@pytest.mark.parametrize("size", [(360, 740), PHONE, (900, 800), (1440, 900)])
async def test_nothing_is_wider_than_the_screen(
    tabs: Tabs, talk: Talk, size: tuple[int, int]
) -> None:
    """At no width does the page scroll sideways, whatever a reply holds."""
    wide = f"{'x' * 300}\n\n```\n{'y' * 300}\n```\n\n| {' | '.join('abcdefghijklmnopqrst')} |\n"
    talk.model.will_reply(wide + f"|{'---|' * 20}\n")
    await talk.write("w" * 300)
    await expect(talk.button("Retry")).to_be_attached()
    narrow = Talk(await tabs.open(size=size), talk.model)
    await expect(narrow.rows).to_have_count(1)
    assert await narrow.page.evaluate(
        "['#page', '.scroller', '.talk-main'].every(name => {"
        " const place = document.querySelector(name);"
        " return place.scrollWidth <= place.clientWidth; })"
        " && document.documentElement.scrollWidth <= innerWidth"
    )
