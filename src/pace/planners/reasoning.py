"""Takes a model's reasoning out of its reply, also where a tag is split between two chunks."""

import re

_OPENING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_TAGS = ("think", "thinking", "reasoning")
# The longest text that may still become a tag: one character short of "</reasoning>".
_LONGEST_START = len("</reasoning")


class ReasoningFilter:
    """Gives back what a person may see, chunk by chunk; a block left open hides all that follows.

    What might be the start of a tag is held until the next chunk tells, or `finish` is called. The
    text of the blocks is held apart, for whoever takes it.
    """

    def __init__(self) -> None:
        self._held = ""
        self._inside: str | None = None
        self._reasoning: list[str] = []
        self.has_reasoned = False

    @property
    def is_inside(self) -> bool:
        """Whether a block is open now."""
        return self._inside is not None

    def feed(self, chunk: str) -> str:
        """The visible text that is certain so far; may be empty."""
        text = self._held + chunk
        self._held = ""
        visible: list[str] = []
        while text:
            if self._inside is None:
                shown, text = self._up_to_opening(text)
                visible.append(shown)
            else:
                text = self._after_closing(text, self._inside)
        return "".join(visible)

    def finish(self) -> str:
        """Whatever was held; nothing, if a block was left open."""
        held, self._held = self._held, ""
        if self.is_inside:
            self._reasoning.append(held)
            return ""
        return held

    def take_reasoning(self) -> str:
        """What stood in blocks since this was last asked; may be empty."""
        taken = "".join(self._reasoning)
        self._reasoning.clear()
        return taken

    def _up_to_opening(self, text: str) -> tuple[str, str]:
        if opening := _OPENING.search(text):
            self._inside = opening[1].lower()
            self.has_reasoned = True
            return text[: opening.start()], text[opening.end() :]
        shown, self._held = _without_start_of(text, tuple(f"<{tag}>" for tag in _TAGS))
        return shown, ""

    def _after_closing(self, text: str, tag: str) -> str:
        closing = f"</{tag}>"
        if (at := text.lower().find(closing)) >= 0:
            self._inside = None
            self._reasoning.append(text[:at])
            return text[at + len(closing) :]
        inside, self._held = _without_start_of(text, (closing,))
        self._reasoning.append(inside)
        return ""


def without_reasoning(text: str) -> str:
    """A whole text without its reasoning, and without blank space at its ends."""
    blocks = ReasoningFilter()
    return (blocks.feed(text) + blocks.finish()).strip()


def _without_start_of(text: str, tags: tuple[str, ...]) -> tuple[str, str]:
    """Split off an end that a next chunk might turn into one of the tags."""
    at = text.rfind("<", max(0, len(text) - _LONGEST_START))
    if at >= 0 and any(tag.startswith(text[at:].lower()) for tag in tags):
        return text[:at], text[at:]
    return text, ""
