"""A browser's tabs at a window of ours, and whatever they complain of."""

from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from web.window_process import RunningWindow

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, PHONE = (1280, 800), (390, 844)
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


@dataclass  # without slots: playwright notes on it which methods it calls
class Tab:
    """A page, its troubles (errors of the console, faults, what its policy refused) and its calls.

    Whoever opens it finds no trouble at the end, unless the test forgives it.
    """

    page: Page
    troubles: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.troubles.append(message.text)

    def fault(self, error: object) -> None:
        self.troubles.append(str(error))

    def called(self, request: Request) -> None:
        self.requests.append(request.url)

    def forgive(self) -> None:
        self.troubles.clear()

    async def go(self, window: RunningWindow, path: str = "/") -> None:
        """Open one of the window's pages, and wait until it is live."""
        await self.page.goto(window.url + path)
        await self.wait_live()

    async def look(self, theme: Theme, size: tuple[int, int]) -> None:
        """Show the page that is open in this theme and size, as if the person changed theirs."""
        width, height = size
        await self.page.emulate_media(color_scheme=theme)
        await self.page.set_viewport_size({"width": width, "height": height})
        await self.page.wait_for_selector(f"body.body--{theme}")  # the framework has heard, too

    async def wait_live(self) -> None:
        await self.page.wait_for_function("window.did_handshake === true")


@dataclass(slots=True)
class Tabs:
    """Opens tabs of one person, who was let in to the window; another person gets other tabs."""

    browser: Browser
    window: RunningWindow
    opened: list[Tab] = field(default_factory=list)
    contexts: dict[tuple[str, tuple[int, int]], BrowserContext] = field(default_factory=dict)

    async def open(
        self,
        path: str = "/",
        *,
        theme: Theme = "light",
        size: tuple[int, int] = WIDE,
        script: str = "",
    ) -> Tab:
        """A further tab at a page of the window; `script` runs at the beginning of all it loads."""
        is_new = (theme, size) not in self.contexts
        tab = await self.open_blank(theme=theme, size=size)
        if is_new:
            # The secret is changed for a cookie, without the page that would be left at once.
            await tab.page.context.request.get(self.window.address, max_redirects=0)
        if script:
            await tab.page.add_init_script(script)
        await tab.go(self.window, path)
        return tab

    async def open_blank(self, *, theme: Theme = "light", size: tuple[int, int] = WIDE) -> Tab:
        """A tab that shows nothing yet."""
        context = self.contexts.get((theme, size))
        if context is None:
            width, height = size
            context = await self.browser.new_context(
                color_scheme=theme,
                viewport={"width": width, "height": height},
                reduced_motion="reduce",
            )
            self.contexts[(theme, size)] = context
        tab = Tab(await context.new_page())
        tab.page.set_default_timeout(10_000)
        tab.page.on("console", tab.hear)
        tab.page.on("pageerror", tab.fault)
        tab.page.on("request", tab.called)
        self.opened.append(tab)
        return tab

    async def open_anew(self) -> Tab:
        """A tab that opens the address with the secret, in the browser that has tabs already."""
        tab = await self.open_blank()
        await tab.page.goto(self.window.address)
        await tab.wait_live()
        return tab

    async def close(self) -> None:
        for context in self.contexts.values():
            await context.close()

    @property
    def troubles(self) -> list[str]:
        return [trouble for tab in self.opened for trouble in tab.troubles]
