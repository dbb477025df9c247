"""Hostile texts in a real browser, by whichever way they come: they are read, and do nothing.

That the policy would stop them is tested apart (test_safety.py); here it never has to.
"""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from web.hostile import HOSTILE as ALL
from web.scripted import Refused, Scripted, Told, scripted_server
from web.tabs import Tab, Tabs
from web.talk import ask, box, reply, rows, say
from web.window_process import running_window

# A server cannot send half a character.
HOSTILE = [text for text in ALL if "\ud83d" not in text]
IMAGE = "<img src=x onerror=steal()>"
LINK = "[seen](javascript:steal())"
# Within a page, whatever runs, loads or leads astray; the window's own icons are drawings (svg).
_HARM = """() => {
    const harm = [];
    const app = document.getElementById("app");
    for (const element of app.querySelectorAll("*")) {
        const name = element.localName;
        if (/^(script|style|iframe|object|embed|link|meta|base|video|audio|math)$/.test(name))
            harm.push(name);
        if (name === "img") harm.push(`img ${element.src}`);
        for (const { name: attribute, value } of element.attributes) {
            if (attribute.startsWith("on")) harm.push(`${name} ${attribute}`);
            if (/^(href|src|action|formaction|xlink:href|data|srcdoc)$/.test(attribute)
                && !/^(https?:\\/\\/|mailto:|\\/|#)/i.test(value))
                harm.push(`${name} ${attribute}=${value}`);
        }
    }
    for (const element of app.querySelectorAll(".reply [style], .said [style]"))
        harm.push(`${element.localName} style`);
    if (window.stolen) harm.push(`ran ${window.stolen}`);
    return harm;
}"""


async def open_watched(tabs: Tabs, path: str = "/") -> Tab:
    """A tab in which any deed of a text would be counted."""
    script = "window.stolen = 0; window.steal = () => { stolen += 1; };"
    return await tabs.open(path, script=script)


async def assert_harmless(tab: Tab) -> None:
    assert await tab.page.evaluate(_HARM) == []
    assert [url for url in tab.requests if "evil" in url] == []


async def begin(tabs: Tabs) -> Tab:
    tab = await open_watched(tabs)
    await tab.page.get_by_role("button", name="New").first.click()
    await expect(rows(tab.page)).to_have_count(0)
    return tab


async def wait_answered(page: Page) -> None:
    """Return once the last turn is over and its reply stands there whole."""
    await expect(rows(page).last).to_contain_class("answered")
    await expect(reply(page)).not_to_be_empty()


async def shown(page: Page) -> str:
    return await reply(page).inner_text()


@pytest.mark.parametrize("begins", range(0, len(HOSTILE), 40))
async def test_hostile_replies_and_words_do_nothing(
    tabs: Tabs, model: Scripted, begins: int
) -> None:
    """As a reply and as a person's own words, while they come and when the page is opened anew."""
    texts = HOSTILE[begins : begins + 40]
    whole = "\n\n".join(texts)
    model.will_reply(whole)
    tab = await begin(tabs)
    said = "\n".join(text for text in texts if text.isprintable())
    await say(tab.page, said)
    await wait_answered(tab.page)
    for _ in range(2):
        await assert_harmless(tab)
        assert await rows(tab.page).nth(0).locator(".said").text_content() == said
        assert (await shown(tab.page)).count("seen") >= len(texts)
        await tab.page.reload()
        await tab.wait_live()
        await wait_answered(tab.page)


async def test_a_reply_that_comes_letter_by_letter_does_nothing_at_any_moment(
    tabs: Tabs, model: Scripted
) -> None:
    """Not even for a moment is there an element that the text names."""
    told = Told()
    model.will_reply(told)
    tab = await begin(tabs)
    await tab.page.evaluate(
        """() => {
            window.seen = [];
            new MutationObserver((records) => {
                for (const record of records)
                    for (const node of record.addedNodes)
                        for (const found of node.querySelectorAll?.("img, script, svg") ?? [])
                            window.seen.push(found.outerHTML);
            }).observe(document.querySelector("[role=log]"), { childList: true, subtree: true });
        }"""
    )
    await say(tab.page, "Go on")
    text = (
        f"{IMAGE} <svg/onload=steal()> {LINK} ```html\n</script><script>steal()</script>\n```\nend"
    )
    for letter in text:
        told.say(letter)
    await expect(reply(tab.page)).to_contain_text("end")
    told.end()
    await wait_answered(tab.page)
    assert await tab.page.evaluate("window.seen") == []
    assert IMAGE in await shown(tab.page)
    await assert_harmless(tab)


async def test_an_error_s_text_does_nothing(tabs: Tabs, model: Scripted) -> None:
    """Whatever a server says of a request that it refuses, and calls that."""
    model.will_reply(Refused(f"{IMAGE} {LINK} <script>steal()</script>"))
    tab = await begin(tabs)
    await say(tab.page, "Hello")
    await expect(rows(tab.page).last).to_contain_text("HTTP 400")
    await assert_harmless(tab)


async def test_the_past_does_nothing(tabs: Tabs, model: Scripted) -> None:
    """In the list, as a name, in what a search finds, and opened: words are words."""
    model.will_reply(f"{LINK} {IMAGE} kettle <script>steal()</script>")
    tab = await begin(tabs)
    await say(tab.page, f"{IMAGE} teal <b onclick=steal()>x</b>")
    await expect(reply(tab.page)).to_contain_text("kettle")
    await tab.go(tabs.window, "/conversations")
    page = tab.page
    first = page.get_by_text(f"{IMAGE} teal").first
    await expect(first).to_be_visible()
    await assert_harmless(tab)
    await page.get_by_role("searchbox").fill("kettle")
    await expect(page.locator("mark").first).to_have_text("kettle")
    await assert_harmless(tab)
    await page.locator("mark").first.click()
    await expect(page.locator(".reply").first).to_contain_text(IMAGE)
    await assert_harmless(tab)


async def test_a_model_s_name_and_the_instructions_do_nothing(tabs: Tabs, tmp_path: Path) -> None:
    """What a server calls its model, and what Pace is told to be, stand on the pages as words."""
    async with scripted_server("Hello.", model=IMAGE) as server:
        system = f"</textarea>{IMAGE}<script>steal()</script>"
        async with running_window(tmp_path, "--system", system, base_url=server.url) as window:
            mine = Tabs(tabs.browser, window)
            tab = await open_watched(mine)
            await expect(tab.page.get_by_text(IMAGE).first).to_be_visible()
            await ask(tab.page, "Hi", "Hello.")
            await assert_harmless(tab)
            await tab.go(window, "/settings")
            await expect(tab.page.get_by_label("Instructions").first).to_have_value(system)
            await assert_harmless(tab)
            await mine.close()
            assert mine.troubles == []
            status, _, err = await window.end()
    assert (status, err) == (130, "")


async def test_code_is_copied_as_it_was_written(tabs: Tabs, model: Scripted) -> None:
    """The button beside a block of code puts its very characters on the clipboard."""
    code = 'if a < b && c:\n    print("</script>")\n'
    model.will_reply(f"Look:\n```python\n{code}```\n")
    tab = await begin(tabs)
    await tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await say(tab.page, "Code?")
    button = tab.page.get_by_role("button", name="Copy code")
    await button.click()
    await expect(button).to_have_text("Copied")
    assert await tab.page.evaluate("navigator.clipboard.readText()") == code
    await box(tab.page).focus()
