"""The next prompt as it will be, part by part: a bar in proportion, and the same as a list."""

from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import ui

from pace.doors.safe_text import safe_line
from pace.doors.web.plain import Tag
from pace.memory.fitting import Room
from pace.memory.prompt import MESSAGE_TOKENS, Message, Prompt, Role
from pace.memory.thread import ThreadMemory
from pace.ports import Planner

_FIRST_WORDS = 48
_AROUND_PROMPT = frozenset({"reply", "free"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One part of a context: `look` names its colour, `detail` says more of it."""

    look: str
    name: str
    tokens: int
    detail: str = ""


async def shares_of(
    prompt: Prompt, memory: ThreadMemory, room: Room, planner: Planner
) -> list[Share]:
    """All of a planner's context in the order of the prompt: its parts, reply and free space.

    The turn pairs add up to the prompt's `window` exactly. Raises PlannerError.
    """
    parts = prompt.parts
    pending = len(memory.pending)
    shares = [
        Share(look="system", name="System prompt", tokens=parts.system),
        Share(look="summary", name="Summary of older turns", tokens=parts.summary),
        Share(
            look="pending",
            name="Not summarized yet",
            tokens=parts.pending,
            detail=f"{pending} turn pair{'s' * (pending != 1)}" if pending else "",
        ),
        *await _pairs(prompt, memory, planner),
        Share(look="words", name="Lasting facts", tokens=parts.facts),
        Share(look="words", name="Recalled turns", tokens=parts.recalled),
        Share(look="words", name="Your next words", tokens=parts.words),
    ]
    reply = room.for_reply
    free = max(room.context_tokens - parts.total - reply, 0)
    return [
        *(share for share in shares if share.tokens),
        Share(look="reply", name="Kept for the reply", tokens=reply),
        Share(look="free", name="Free", tokens=free),
    ]


class PromptBar:
    """Shows shares: the prompt's parts, and below how much of the context the prompt takes."""

    def __init__(self) -> None:
        self._shown: Sequence[Share] = ()
        self._bar = Tag("div", role="img", aria_label="The model's context in tokens").classes(
            "bar"
        )
        self._context = Tag("div", aria_hidden="true").classes("bar context")
        self._list = Tag("ul", aria_label="Parts of the next prompt").classes("parts")

    def show(self, shares: Sequence[Share]) -> None:
        """Show these and no others."""
        if shares == self._shown:
            return
        self._shown = tuple(shares)
        for place in (self._bar, self._context, self._list):
            place.clear()
        told = ", ".join(f"{share.name} {share.tokens:,}" for share in shares)
        self._bar.props["aria-label"] = f"The model's context in tokens: {told}"
        prompt = [share for share in shares if share.look not in _AROUND_PROMPT]
        _draw(self._bar, prompt)
        whole = Share(look="whole", name="Prompt", tokens=sum(share.tokens for share in prompt))
        _draw(self._context, [whole, *shares[len(prompt) :]])
        with self._list:
            for share in shares:
                _row(share)


def _draw(bar: Tag, shares: Sequence[Share]) -> None:
    with bar:
        for share in shares:
            if share.tokens:
                part = ui.element("span").classes(f"part of-{share.look}")
                part.style(f"flex-grow: {share.tokens}")


def _row(share: Share) -> None:
    with Tag("li"):
        ui.element("span").classes(f"swatch of-{share.look}").props('aria-hidden="true"')
        with Tag("span").classes("part-name"):
            Tag("span", share.name)
            if share.detail:
                Tag("span", share.detail).classes("part-detail").props('dir="auto"')
        Tag("span", f"{share.tokens:,}").classes("part-tokens")


async def _pairs(prompt: Prompt, memory: ThreadMemory, planner: Planner) -> list[Share]:
    """The pairs that stand word for word in the prompt, which are the newest of the window."""
    messages = _window_messages(prompt)
    if not messages:
        return []
    counts = await planner.count_tokens([message.content for message in messages])
    costs = [
        said + replied + 2 * MESSAGE_TOKENS
        for said, replied in zip(counts[::2], counts[1::2], strict=True)
    ]
    return [
        Share(
            look=f"window-{at % 2}",
            name=f"Turn {pair.number}",
            tokens=cost,
            detail=_beginning(pair.user_text),
        )
        for at, (pair, cost) in enumerate(zip(memory.window[-len(costs) :], costs, strict=True))
    ]


def _window_messages(prompt: Prompt) -> tuple[Message, ...]:
    has_system = prompt.messages[0].role is Role.SYSTEM
    return prompt.messages[1 if has_system else 0 : -1]


def _beginning(text: str) -> str:
    line = safe_line(text)
    return line if len(line) <= _FIRST_WORDS else f"{line[:_FIRST_WORDS].rstrip()}…"
