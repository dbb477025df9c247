"""What a person does and sees on the page of the conversation."""

from playwright.async_api import Locator, Page, expect

LOST = "Pace does not answer; it may have ended."
ANOTHER = "Pace was started anew."


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def rows(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").locator("[data-turn]")


def reply(page: Page, at: int = -1) -> Locator:
    """The reply of a row, by default of the last."""
    return rows(page).nth(at).locator(".reply")


def banner(page: Page) -> Locator:
    """What the page says of its connection."""
    return page.locator("#connection")


async def say(page: Page, text: str) -> None:
    """Write and send a message, and see it in the transcript."""
    before = await rows(page).count()
    await box(page).fill(text)
    await box(page).press("Enter")
    await expect(rows(page)).to_have_count(before + 1)


async def ask(page: Page, text: str, answer: str) -> None:
    """Say something, and see it answered."""
    await say(page, text)
    await expect(reply(page)).to_have_text(answer)


async def turn_ids(page: Page) -> list[str]:
    ids = [await row.get_attribute("data-turn") for row in await rows(page).all()]
    return [turn_id or "" for turn_id in ids]
