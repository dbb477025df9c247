"""What a page of the window may do in a real browser, and what it asks for."""

from pathlib import Path

import pytest

from web.tabs import Tabs
from web.window_process import running_window

PAGES = ["/", "/conversations", "/settings"]


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_keeps_to_its_policy_and_to_its_server(tabs: Tabs, path: str) -> None:
    """It shows itself without a complaint of the browser, and asks no other server for anything."""
    tab = await tabs.open(path)
    assert await tab.page.locator("#page").is_visible()
    assert [url for url in tab.requests if not url.startswith(tabs.window.url)] == []


async def test_a_script_that_comes_into_the_page_does_not_run(tabs: Tabs) -> None:
    """Neither text in a script, nor a handler, nor a script from elsewhere, nor a link of code."""
    tab = await tabs.open()
    await tab.page.evaluate(
        """() => {
            window.stolen = 0;
            window.refused = 0;
            document.addEventListener("securitypolicyviolation", () => { window.refused += 1; });
            const add = (tag, set) => {
                const made = document.createElement(tag);
                Object.assign(made, set);
                document.body.append(made);
                return made;
            };
            add("script", { textContent: "window.stolen = 1" });
            add("script", { src: "data:text/javascript,window.stolen=2" });
            add("script", { src: "https://evil.example/x.js" });
            add("div", { innerHTML: "<img src=x onerror='window.stolen = 3'>" });
            add("div", { innerHTML: "<svg onload='window.stolen = 4'></svg>" });
            add("iframe", { srcdoc: "<script>parent.stolen = 5</script>" });
            add("a", { href: "javascript:window.stolen = 6" }).click();
        }"""
    )
    # Three scripts, the link, and the image's handler once it has failed to load.
    await tab.page.wait_for_function("window.refused >= 5")
    assert await tab.page.evaluate("window.stolen") == 0
    tab.forgive()


async def test_nothing_of_another_server_is_loaded(tabs: Tabs) -> None:
    """An image, a font, a style sheet, a frame, a form or a call to another server is refused."""
    tab = await tabs.open()
    await tab.page.evaluate(
        """() => {
            window.refused = new Set();
            document.addEventListener("securitypolicyviolation",
                (event) => window.refused.add(event.effectiveDirective));
            const add = (tag, set) => document.body.append(
                Object.assign(document.createElement(tag), set));
            add("img", { src: "http://evil.example/x.png" });
            add("link", { rel: "stylesheet", href: "http://evil.example/x.css" });
            add("iframe", { src: "http://evil.example/" });
            add("object", { data: "http://evil.example/" });
            add("base", { href: "http://evil.example/" });
            const form = Object.assign(
                document.createElement("form"), { action: "http://evil.example/" });
            document.body.append(form);
            form.submit();
            fetch("http://evil.example/").catch(() => {});
            try { new WebSocket("ws://evil.example/"); } catch {}
        }"""
    )
    await tab.page.wait_for_function("window.refused.size >= 7")
    assert await tab.page.evaluate("[...window.refused].sort()") == [
        *("base-uri", "connect-src", "form-action", "frame-src"),
        *("img-src", "object-src", "style-src-elem"),
    ]
    tab.forgive()


async def test_each_page_has_a_number_of_its_own(tabs: Tabs) -> None:
    """The number that lets the page's own scripts run is another for each answer."""
    tab = await tabs.open()
    numbers = set()
    for _ in range(3):
        answer = await tab.page.goto(tabs.window.url)
        assert answer is not None
        policy = answer.headers["content-security-policy"]
        numbers.add(policy.partition("'nonce-")[2].partition("'")[0])
        await tab.wait_live()
    assert len(numbers) == 3


async def test_the_secret_is_in_no_page_and_no_script_can_read_it(tabs: Tabs) -> None:
    """The address that is shown, what links would tell and what scripts see are without it."""
    tab = await tabs.open()
    assert tabs.window.secret not in tab.page.url
    assert tabs.window.secret not in await tab.page.content()
    assert await tab.page.evaluate("document.cookie") == ""
    assert await tab.page.evaluate("document.referrer") == ""


async def test_the_framework_writes_no_file_of_its_own(tabs: Tabs, tmp_path: Path) -> None:
    """The folder in which Pace was started stays empty, and home holds Pace's files alone."""
    folder, home = tmp_path / "started in", tmp_path / "home"
    folder.mkdir()
    async with running_window(home, base_url="http://127.0.0.1:9/v1", folder=folder) as window:
        other = Tabs(tabs.browser, window)
        tab = await other.open()
        await tab.go(window, "/settings")
        await other.close()
        await window.end()
    assert list(folder.iterdir()) == []
    assert not [path for path in home.rglob("*") if "nicegui" in path.name]
