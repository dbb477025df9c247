"""The conversation page as a person uses it."""

from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

from web.scripted import Scripted, Told
from web.tabs import Tab


@dataclass(frozen=True, slots=True)
class Talk:
    """One tab at the conversation, and the model that answers."""

    tab: Tab
    model: Scripted

    @property
    def page(self) -> Page:
        return self.tab.page

    @property
    def box(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message")

    @property
    def rows(self) -> Locator:
        return self.page.get_by_role("log", name="Conversation").locator("[data-turn]")

    @property
    def replies(self) -> Locator:
        """Those that hold words."""
        return self.page.locator("[data-turn] .reply:not(:empty)")

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("complementary", name="What the model sees")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    async def begin(self) -> None:
        """Begin a new conversation, whatever was before."""
        self.model.will_reply()
        await self.page.get_by_role("toolbar").get_by_role("button", name="New").click()
        await expect(self.rows).to_have_count(0)

    async def write(self, text: str) -> None:
        """Say something, and do not wait."""
        await self.box.fill(text)
        await self.box.press("Enter")

    async def say(self, text: str, reply: str) -> None:
        """Say something, and wait for all of this reply."""
        self.model.will_reply(reply)
        await self.write(text)
        await expect(self.replies.last).to_have_text(reply)
        await expect(self.button("Retry")).to_have_count(1)

    async def say_to(self, told: Told, text: str) -> None:
        """Say something, and wait until the model has it."""
        self.model.will_reply(told)
        await self.write(text)
        await told.asked.wait()

    def asked(self, request: int = -1) -> list[str]:
        """The messages of a request to the model, without the system prompt."""
        return [message["content"] for message in self.model.sent[request][1:]]
