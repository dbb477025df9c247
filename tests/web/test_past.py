"""The page of past conversations, in a real browser."""

import json
import uuid
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from pace.history import PaceHistory
from pace.journal.rows import JournalTurn, TurnSource, TurnStatus
from pace.memory.turn import SessionId, ThreadId, TurnId
from web.scripted import Scripted, Told
from web.tabs import Tab, Tabs
from web.talk import ask, rows, say
from web.window_process import RunningWindow, running_window

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script> kumquat'


async def keep(
    home: Path,
    *pairs: tuple[str, str] | tuple[str, str, TurnStatus],
    hours_ago: float = 1,
    cause: str | None = "reset",
) -> SessionId:
    """Write a conversation into the journal of a home."""
    session = SessionId(str(uuid.uuid4()))
    began = datetime.now().astimezone() - timedelta(hours=hours_ago)
    history = PaceHistory(home / "data" / "history.db")
    try:
        for at, (said, reply, *status) in enumerate(pairs):
            turn = JournalTurn(
                turn_id=TurnId(str(uuid.uuid4())),
                thread_id=ThreadId("thread"),
                session_id=session,
                source=TurnSource.CHAT,
                planner="local",
                model="scripted",
                said_at=began + timedelta(seconds=at),
                status=status[0] if status else TurnStatus.ANSWERED,
                user_text=said,
                reply_text=reply,
            )
            await history.append(turn)
        if cause is not None:
            await history.end_session(session, cause, began + timedelta(minutes=1))
    finally:
        await history.aclose()
    return session


async def kept(home: Path, session: SessionId) -> Sequence[str]:
    """The words of a conversation as the journal holds them now."""
    history = PaceHistory(home / "data" / "history.db")
    try:
        return [entry.turn.user_text async for entry in history.entries(session_id=session)]
    finally:
        await history.aclose()


async def numbers_of(home: Path, session: SessionId) -> list[int]:
    """The numbers of a conversation's turns."""
    history = PaceHistory(home / "data" / "history.db")
    try:
        return [entry.number async for entry in history.entries(session_id=session)]
    finally:
        await history.aclose()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A window over a journal with a past."""
    home = tmp_path_factory.mktemp("home")
    await keep(home, ("Three days old", "Indeed."), hours_ago=72, cause="idle")
    await keep(home, ("Said yesterday", "It was."), hours_ago=24, cause="closed")
    async with running_window(home, base_url=model.url) as running:
        yield running


async def opened(tabs: Tabs, session: SessionId) -> Tab:
    """A tab with a conversation open."""
    tab = await tabs.open(f"/conversations?conversation={session}")
    await expect(tab.page.locator(".past-turn").first).to_be_visible()
    return tab


async def search(page: Page, text: str) -> None:
    await page.get_by_label("Search the history").fill(text)


async def test_conversations_stand_in_groups_by_day(tabs: Tabs) -> None:
    """The newest first, each with its first words, its turns and how it ended."""
    page = (await tabs.open("/conversations")).page
    days = await page.locator(".past-day").all_inner_texts()
    assert days[0] in {"Yesterday", "Today"}
    assert "Yesterday" in days
    await expect(page.locator("li", has_text="Said yesterday")).to_contain_text(
        "1 turn · ended with the program"
    )
    await expect(page.locator("li", has_text="Three days old")).to_contain_text(
        "ended after a pause"
    )


async def test_what_is_typed_is_found_and_marked(tabs: Tabs, window: RunningWindow) -> None:
    """Any text may be searched for, beginnings of words and words without spaces too."""
    await keep(window.home, ("Don't forget the C++ book. 我们周末去爬山吧", "Pomelo it is."))
    page = (await tabs.open("/conversations")).page
    for typed, found in (
        ("don't \"forget", ["Don't", "forget"]),
        ("c++", ["C++"]),
        ("爬山", ["爬山"]),
        ("pom", ["Pomelo"]),
    ):
        await search(page, typed)
        await expect(page.locator(".past-found li").first.locator("mark")).to_have_text(found)


async def test_a_result_leads_to_its_turn_without_a_word_in_the_address(
    tabs: Tabs, window: RunningWindow
) -> None:
    """The turn stands out and has the keyboard; the way back leads back."""
    pairs = [(f"Row {number}", "Yes.") for number in range(60)]
    session = await keep(window.home, *pairs, ("The zucchini turn", "Green."))
    tab = await tabs.open("/conversations")
    await search(tab.page, "zucchini")
    await tab.page.locator(".past-found a").first.click()
    turn = tab.page.locator(".past-turn", has_text="The zucchini turn")
    await expect(turn).to_be_focused()
    await expect(turn).to_be_in_viewport()
    assert session in tab.page.url
    assert not [url for url in tab.requests if "zucchini" in url]
    await tab.page.go_back()
    await expect(tab.page.locator(".past-opened .empty")).to_be_visible()


async def test_what_is_nowhere_is_said_to_be_nowhere(tabs: Tabs) -> None:
    """And a text without a word shows the list again."""
    page = (await tabs.open("/conversations")).page
    await search(page, "quixotically")
    await expect(page.get_by_text("Nothing found.")).to_be_visible()
    await search(page, '"*')
    await expect(page.get_by_text("Nothing found.")).to_be_visible()
    await search(page, "")
    await expect(page.locator(".past-item", has_text="Said yesterday")).to_be_visible()


async def test_a_long_conversation_comes_in_pages(tabs: Tabs, window: RunningWindow) -> None:
    """Fifty turns, and the others when asked for."""
    session = await keep(window.home, *((f"Line {number}", "Yes.") for number in range(70)))
    page = (await opened(tabs, session)).page
    await expect(page.locator(".past-turn")).to_have_count(50)
    await page.get_by_role("button", name="Show 20 more of 20").click()
    await expect(page.locator(".past-turn")).to_have_count(70)


async def test_a_late_turn_is_shown_among_its_neighbours(tabs: Tabs, window: RunningWindow) -> None:
    """A link into a long conversation shows one page; what is before and after it comes if asked.

    What is said later, or deleted, changes the page without moving it.
    """
    session = await keep(window.home, *((f"Line {number}.", "Yes.") for number in range(1, 131)))
    numbers = await numbers_of(window.home, session)
    tab = await tabs.open(f"/conversations?conversation={session}&turn={numbers[99]}")
    page, turns = tab.page, tab.page.locator(".past-turn")
    await expect(turns).to_have_count(50)
    await expect(turns.filter(has_text="Line 100.")).to_be_focused()
    await expect(turns.first).to_contain_text("Line 75.")
    await page.get_by_role("button", name="Show 6 more of 6").click()
    await expect(turns).to_have_count(56)
    await page.get_by_role("button", name="Show 50 earlier of 74").click()
    await expect(turns).to_have_count(106)
    assert await turns.locator(".said").all_inner_texts() == [
        f"Line {number}." for number in range(25, 131)
    ]
    turn = turns.filter(has_text="Line 100.")
    await turn.hover()
    await turn.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete the turn").click()
    await expect(turns).to_have_count(105)
    await expect(turns.filter(has_text="Line 99.")).to_be_focused()
    await page.get_by_role("button", name="Show 24 earlier of 24").click()
    await expect(turns.first).to_contain_text("Line 1.")
    await expect(page.locator(".past-rest button")).to_have_count(0)


async def test_another_turn_of_an_open_conversation_is_gone_to(
    tabs: Tabs, window: RunningWindow
) -> None:
    """A result far from what is shown is shown with its own neighbours."""
    pairs = [(f"Row {number}", "Yes.") for number in range(120)]
    session = await keep(window.home, *pairs, ("The persimmon turn", "Orange."))
    tab = await opened(tabs, session)
    await search(tab.page, "persimmon")
    await tab.page.locator(".past-found a").first.click()
    await expect(tab.page.locator(".past-turn", has_text="persimmon")).to_be_focused()
    await expect(tab.page.locator(".past-turn")).to_have_count(26)


async def test_more_turns_join_those_to_choose_from(tabs: Tabs, window: RunningWindow) -> None:
    """What is chosen stays chosen while more is shown, and is quoted in the order it was said."""
    session = await keep(window.home, *((f"Line {number}.", "Yes.") for number in range(1, 61)))
    numbers = await numbers_of(window.home, session)
    tab = await tabs.open(f"/conversations?conversation={session}&turn={numbers[59]}")
    page = tab.page
    await page.get_by_role("button", name="Continue…").click()
    await page.get_by_role("button", name="Show 34 earlier of 34").click()
    await expect(page.locator(".past-turn")).to_have_count(60)
    await page.get_by_label("Quote this turn").first.check()
    await expect(page.get_by_label("Your next message begins with")).to_have_value(
        "Earlier we said:\n\n> I: Line 1.\n>\n> You: Yes.\n>\n> I: Line 60.\n>\n> You: Yes.\n\n"
    )


async def test_a_very_long_turn_is_shown_whole_when_it_is_wanted(
    tabs: Tabs, window: RunningWindow
) -> None:
    """Its beginning stands for it, in words and reply, until it is asked for."""
    session = await keep(window.home, ("a" * 9_999 + "W", "b " * 25_000 + "R"))
    turn = (await opened(tabs, session)).page.locator(".past-turn")
    assert len(await turn.inner_text()) < 10_000
    await turn.get_by_role("button", name="Show all 10,000 characters").click()
    await expect(turn.locator(".said")).to_contain_text("aW")
    await turn.get_by_role("button", name="Show all 50,001 characters").click()
    await expect(turn.locator(".reply")).to_contain_text("b R")
    await expect(turn.get_by_role("button", name="Show all")).to_have_count(0)


async def test_what_became_of_a_turn_stands_beside_it(tabs: Tabs, window: RunningWindow) -> None:
    """Interrupted, replaced, taken back, failed; an answered one needs no mark."""
    session = await keep(
        window.home,
        ("one", "First."),
        ("two", "Seco", TurnStatus.INTERRUPTED),
        ("three", "Third.", TurnStatus.REPLACED),
        ("four", "Fourth.", TurnStatus.TAKEN_BACK),
        ("five", "", TurnStatus.FAILED),
    )
    page = (await opened(tabs, session)).page
    marks = [
        await turn.locator(".status").all_inner_texts()
        for turn in await page.locator(".past-turn").all()
    ]
    assert marks == [[], ["interrupted"], ["replaced by a later turn"], ["taken back"], ["failed"]]


async def test_hostile_words_are_shown_and_do_nothing(tabs: Tabs, window: RunningWindow) -> None:
    """In the list, in what a search found, in name, words and reply."""
    session = await keep(window.home, (HOSTILE, HOSTILE))
    tab = await opened(tabs, session)
    await search(tab.page, "kumquat")
    await expect(tab.page.locator(".past-found")).to_contain_text("<script>")
    await expect(tab.page.locator(".past-turn .said")).to_contain_text(HOSTILE)
    assert await tab.page.locator(".past img").count() == 0
    assert await tab.page.title() == "Conversations · Pace"


async def test_a_name_is_given_in_place_and_in_every_tab(tabs: Tabs, window: RunningWindow) -> None:
    """Enter saves it, Escape does not, and an empty one gives the first words back."""
    session = await keep(window.home, ("About the greenhouse", "Warm."))
    other, page = (await tabs.open("/conversations")).page, (await opened(tabs, session)).page
    await page.get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name")
    await name.fill("Never mind")
    await name.press("Escape")
    await expect(page.get_by_role("heading", name="About the greenhouse")).to_be_visible()
    await expect(page.get_by_role("button", name="Rename")).to_be_focused()
    await page.keyboard.press("Enter")
    await name.fill("Panes <b>")
    await name.press("Enter")
    await expect(page.get_by_role("heading", name="Panes <b>")).to_be_visible()
    await expect(other.locator(".past-name", has_text="Panes <b>")).to_be_visible()
    await page.get_by_role("button", name="Rename").click()
    await name.fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(other.locator(".past-name", has_text="About the greenhouse")).to_be_visible()


async def test_half_of_a_character_does_not_cost_a_name_or_a_search(
    tabs: Tabs, window: RunningWindow
) -> None:
    """An emoji that was cut in two leaves a sign in its place, in a name and in what is found."""
    session = await keep(window.home, ("The salsify field", "Yes."))
    page = (await opened(tabs, session)).page
    await page.get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name")
    await name.evaluate("field => { field.value = 'Fields \\ud83d'; }")
    await name.press("Enter")
    await expect(page.get_by_role("heading", name="Fields \ufffd")).to_be_visible()
    await page.get_by_label("Search the history").evaluate(
        "field => { field.value = 'salsify \\ud83d'; field.dispatchEvent(new Event('input')); }"
    )
    await expect(page.locator(".past-found mark").first).to_have_text("salsify")


async def test_a_turn_is_deleted_after_one_question(tabs: Tabs, window: RunningWindow) -> None:
    """No leaves it; yes takes it from the page, the search and every byte of the history."""
    session = await keep(window.home, ("Keep the papaya", "Yes."), ("Drop the tamarillo", "Gone."))
    page = (await opened(tabs, session)).page
    turn = page.locator(".past-turn", has_text="tamarillo")
    question = page.get_by_role("dialog")
    await turn.hover()
    await turn.get_by_role("button", name="Delete").click()
    await expect(question).to_contain_text("nothing can bring it back")
    await expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(question).to_have_count(0)
    assert len(await kept(window.home, session)) == 2
    await turn.get_by_role("button", name="Delete").click()
    await question.get_by_role("button", name="Delete the turn").click()
    await expect(turn).to_have_count(0)
    await search(page, "tamarillo")
    await expect(page.get_by_text("Nothing found.")).to_be_visible()
    assert await kept(window.home, session) == ["Keep the papaya"]
    files = (window.home / "data").glob("history.db*")
    assert not [file for file in files if b"tamarillo" in file.read_bytes()]


async def test_a_conversation_is_deleted_after_one_question(
    tabs: Tabs, window: RunningWindow
) -> None:
    """It says how many turns go; they leave the list of every tab, and the search."""
    session = await keep(window.home, ("The rambutan talk", "Sweet."), ("More", "Yes."))
    other, page = (await tabs.open("/conversations")).page, (await opened(tabs, session)).page
    await page.get_by_role("button", name="Delete…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete 2 turns").click()
    for each in (page, other):
        await expect(each.locator(".past-item", has_text="rambutan")).to_have_count(0)
    await search(other, "rambutan")
    await expect(other.get_by_text("Nothing found.")).to_be_visible()
    assert await kept(window.home, session) == []
    assert page.url.endswith("/conversations")


async def test_an_export_holds_the_words_exactly(tabs: Tabs, window: RunningWindow) -> None:
    """As JSON lines and as Markdown, under an address and a name without a word of them."""
    said, reply = 'Quote "this" \\ 爬山\nand this', "# Done\n\n* yes"
    session = await keep(window.home, (said, reply), ("Lost", "", TurnStatus.FAILED))
    tab = await opened(tabs, session)
    written = {}
    for form in ("JSON lines", "Markdown"):
        async with tab.page.expect_download() as started:
            await tab.page.get_by_role("link", name=f"Export {form}").click()
        download = await started.value
        assert download.suggested_filename.startswith("pace-conversation-")
        assert "Quote" not in download.url
        written[form] = _read(await download.path())
    lines = [json.loads(line) for line in written["JSON lines"].splitlines()]
    assert [(line["user"], line["reply"], line["status"]) for line in lines] == [
        (said, reply, "answered"),
        ("Lost", "", "failed"),
    ]
    assert '> Quote "this" \\ 爬山\n> and this\n' in written["Markdown"]
    assert "> # Done\n>\n> * yes\n" in written["Markdown"]


def _read(path: Path) -> str:
    return path.read_text("utf-8")


async def test_chosen_turns_are_quoted_into_the_next_message(
    tabs: Tabs, window: RunningWindow
) -> None:
    """The last that was answered is chosen first; what was changed by hand stays as it is."""
    session = await keep(
        window.home,
        ("First words", "First reply."),
        ("Second words", "Second\nreply."),
        ("Third words", "", TurnStatus.FAILED),
    )
    page = (await opened(tabs, session)).page
    await page.get_by_role("button", name="Continue…").click()
    box = page.get_by_label("Your next message begins with")
    quoted = "Earlier we said:\n\n> I: Second words\n>\n> You: Second\n> reply.\n\n"
    await expect(box).to_have_value(quoted)
    await page.get_by_label("Quote this turn").first.check()
    await expect(box).to_have_value(
        quoted.replace("> I: S", "> I: First words\n>\n> You: First reply.\n>\n> I: S")
    )
    await box.fill("Earlier: second reply. ")
    await page.get_by_label("Quote this turn").first.uncheck()
    await expect(box).to_have_value("Earlier: second reply. ")
    await page.get_by_role("button", name="Quote the chosen turns anew").click()
    await expect(box).to_have_value(quoted)
    await box.fill("Earlier: second reply. ")
    await page.get_by_role("button", name="Put it into the message box").click()
    await expect(page.get_by_role("textbox", name="Message")).to_have_value(
        "Earlier: second reply. "
    )


async def test_a_conversation_is_opened_and_left_with_the_keyboard(
    tabs: Tabs, window: RunningWindow
) -> None:
    """On a narrow screen the list makes way, and comes back."""
    await keep(window.home, ("By keys alone", "Yes."))
    page = (await tabs.open("/conversations", size=(390, 844))).page
    await page.get_by_role("link", name="By keys alone").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".past-turn")).to_be_visible()
    await expect(page.get_by_label("Search the history")).to_be_hidden()
    await page.get_by_role("link", name="All conversations").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Search the history")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_an_address_of_what_is_gone_says_so(tabs: Tabs) -> None:
    """A conversation that was deleted, and a turn number that is none."""
    page = (await tabs.open(f"/conversations?conversation={uuid.uuid4()}&turn=-1x")).page
    await expect(page.get_by_text("not in the history any more")).to_be_visible()


async def test_the_live_conversation_is_marked_and_outlives_its_deletion(
    tabs: Tabs, model: Scripted
) -> None:
    """A turn that is over appears in the list by itself; deleting it says what is still held."""
    other, tab = await tabs.open("/conversations"), await tabs.open("/")
    box = tab.page.get_by_role("textbox", name="Message")
    model.replies.append("Noted.")
    await box.fill("The cherimoya talk")
    await box.press("Enter")
    await expect(tab.page.locator(".reply", has_text="Noted.")).to_be_visible()
    await other.page.bring_to_front()
    live = other.page.locator(".past-item", has_text="cherimoya")
    await expect(live).to_contain_text("Live")
    await live.click()
    await other.page.get_by_role("button", name="Delete…").click()
    question = other.page.get_by_role("dialog")
    await expect(question).to_contain_text("goes on and remembers it until it is reset")
    await question.get_by_role("button", name="Delete 1 turn").click()
    await expect(live).to_have_count(0)
    model.replies.append("Still here.")
    await tab.page.bring_to_front()
    await box.fill("And now?")
    await box.press("Enter")
    await expect(tab.page.locator(".reply", has_text="Still here.")).to_be_visible()
    assert "The cherimoya talk" in str(model.sent[-1])


async def test_a_turn_that_is_being_answered_outlives_its_conversation_s_deletion(
    tabs: Tabs, model: Scripted
) -> None:
    """The question says that it will be kept, and then it is."""
    tab = await tabs.open("/")
    await tab.page.get_by_role("button", name="New").first.click()
    await expect(rows(tab.page)).to_have_count(0)
    told = Told()
    model.will_reply("Noted.", told)
    await ask(tab.page, "The first loquat", "Noted.")
    await say(tab.page, "The second loquat")
    await told.asked.wait()
    other = await tabs.open("/conversations")
    page = other.page
    await page.locator(".past-item", has_text="The first loquat").click()
    await page.get_by_role("button", name="Delete…").click()
    question = page.get_by_role("dialog")
    await expect(question).to_contain_text("being answered now will be kept when it is over")
    await question.get_by_role("button", name="Delete 1 turn").click()
    await expect(page.locator(".past-item", has_text="loquat")).to_have_count(0)
    told.say("Ripe.")
    told.end()
    await expect(page.locator(".past-item", has_text="The second loquat")).to_be_visible()
