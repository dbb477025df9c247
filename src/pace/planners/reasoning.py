"""Takes a model's reasoning out of its reply, also where a tag is split between two chunks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

# The parts of a tag, in order: characters as they stand, and what may stand between them.
_Parts = Sequence[str]
_SPACE = r"(?:\s{1,20})?"
_ATTRIBUTES = r"(?:\s[^<>]{0,120})?"
_HEADER = r"(?:[^<\n]|<\|constrain\|>){0,120}"


def _exactly(text: str) -> _Parts:
    return [re.escape(character) for character in text]


def _letters(text: str) -> _Parts:
    return [
        f"[{character.lower()}{character.upper()}]" if character.isalpha() else re.escape(character)
        for character in text
    ]


@dataclass(frozen=True, slots=True)
class _Block:
    """How reasoning begins and ends: in any of these ways."""

    openings: tuple[_Parts, ...]
    closings: tuple[_Parts, ...]


# `<think time="3">` is an opening, too; "<thinking about it>" is none, as `_is_tag` finds.
_BLOCKS = (
    *(
        _Block(
            openings=([*_letters(f"<{name}"), _ATTRIBUTES, ">"],),
            closings=([*_letters(f"</{name}"), _SPACE, ">"],),
        )
        for name in ("think", "thinking", "thought", "reasoning", "seed:think")
    ),
    # Mistral's, Kimi's, Cohere's and Gemma's.
    _Block((_exactly("[THINK]"),), (_exactly("[/THINK]"),)),
    _Block((_exactly("◁think▷"),), (_exactly("◁/think▷"),)),
    _Block((_exactly("<|START_THINKING|>"),), (_exactly("<|END_THINKING|>"),)),
    _Block((_exactly("<|channel>thought"),), (_exactly("<channel|>"),)),
)
# OpenAI's open models write to channels, of which only the last is for the person.
_FINAL = [*_exactly("<|channel|>final"), _HEADER, *_exactly("<|message|>")]
_CHANNEL = _Block(
    openings=tuple(
        [*_exactly(f"<|channel|>{name}"), _HEADER, *_exactly("<|message|>")]
        for name in ("analysis", "commentary")
    ),
    closings=(_exactly("<|end|>"), _exactly("<|call|>"), _FINAL),
)
# What frames such messages and says nothing.
_FRAMES = tuple(map(_exactly, ("<|start|>assistant", "<|end|>", "<|return|>")))
_ALL_BLOCKS = (*_BLOCKS, _CHANNEL)
# What ends reasoning that began without a sign of it.
_LONE_CLOSINGS = (*chain.from_iterable(block.closings for block in _BLOCKS), _FINAL)
_WITH_SPACE = re.compile(r"<[\w:]+\s([^<>]*)>")
_STARTS = re.compile(r"[<\[◁]")
_LONGEST_TAG = 300
_QUOTES = frozenset("\"'`")
# How a reply begins that holds tags as quoted words only: an envelope, or another piece of code.
_CODE = ("{", "`")


def _whole(tags: Sequence[_Parts]) -> re.Pattern[str]:
    return re.compile("|".join("".join(parts) for parts in tags))


def _partly(tags: Sequence[_Parts]) -> Callable[[str], bool]:
    """Whether a text is the beginning of one of the tags, and no more."""
    nested = []
    for parts in tags:
        pattern = ""
        for part in reversed(parts):
            pattern = f"{part}(?:\\Z|{pattern})" if pattern else f"{part}\\Z"
        nested.append(pattern)
    beginning = re.compile("|".join(nested))
    return lambda text: beginning.match(text) is not None


class _Tags:
    """Some tags, and where a text holds the first of them, or may be about to."""

    def __init__(self, tags: Sequence[_Parts]) -> None:
        self._whole = _whole(tags)
        self._begins = _partly(tags)

    def first(self, text: str, at: int = 0) -> re.Match[str] | None:
        return next(filter(_is_tag, self._whole.finditer(text, at)), None)

    def is_one(self, text: str) -> bool:
        return self._whole.fullmatch(text) is not None

    def start_of_one(self, text: str) -> int:
        """Where an end begins that a next chunk might turn into a tag; the text's length if not."""
        for start in _STARTS.finditer(text, max(0, len(text) - _LONGEST_TAG)):
            if self._begins(text[start.start() :]):
                return start.start()
        return len(text)


def _is_tag(found: re.Match[str]) -> bool:
    """Whether what follows a tag's name, if anything, are attributes and no words."""
    spaced = _WITH_SPACE.fullmatch(found[0])
    return spaced is None or not spaced[1].strip() or "=" in spaced[1]


_OUTSIDE = _Tags(
    [
        *chain.from_iterable(block.openings for block in _ALL_BLOCKS),
        *_LONE_CLOSINGS,
        *_FRAMES,
    ]
)
_LONE = _Tags(_LONE_CLOSINGS)
_FRAMING = _Tags(_FRAMES)
_OPENING_OF = [(_Tags(block.openings), _Tags(block.closings)) for block in _ALL_BLOCKS]


class ReasoningFilter:
    """Gives back what a person may see, chunk by chunk; a block left open hides all that follows.

    What might be the start of a tag is held until the next chunk tells, or `finish` is called. The
    text of the blocks is held apart, for whoever takes it. A closing tag alone tells that all
    before it was reasoning, whose opening stood in the prompt: who showed it is told to take it
    back. A tag in quotes is a word about tags.
    """

    def __init__(self) -> None:
        self._held = ""
        self._inside: _Tags | None = None
        self._reasoning: list[str] = []
        self._visible: list[str] = []
        self._before = ""
        self._begins = ""
        self._takes_back = False
        self.has_reasoned = False

    @property
    def is_inside(self) -> bool:
        """Whether a block is open now."""
        return self._inside is not None

    def feed(self, chunk: str) -> str:
        """The visible text that is certain so far; may be empty."""
        return self._fed(chunk, is_last=False)

    def finish(self) -> str:
        """Whatever was held; nothing, if a block was left open."""
        return self._fed("", is_last=True)

    def take_reasoning(self) -> str:
        """What stood in blocks since this was last asked; may be empty."""
        taken = "".join(self._reasoning)
        self._reasoning.clear()
        return taken

    def takes_back(self) -> bool:
        """Whether all that was given back before the last `feed` turned out to be reasoning."""
        taken, self._takes_back = self._takes_back, False
        return taken

    def _fed(self, chunk: str, *, is_last: bool) -> str:
        text, self._held = self._held + chunk, ""
        self._visible.clear()
        while text:
            if self._inside is None:
                text = self._outside(text, is_last=is_last)
            else:
                text = self._within(text, self._inside, is_last=is_last)
        return "".join(self._visible)

    def _outside(self, text: str, *, is_last: bool) -> str:
        """Show what stands ahead of the first tag; gives the text that follows that."""
        found = _OUTSIDE.first(text)
        if found is None:
            at = len(text) if is_last else _OUTSIDE.start_of_one(text)
            self._show(text[:at])
            self._held = text[at:]
            return ""
        self._show(text[: found.start()])
        tag, rest = found[0], text[found.end() :]
        if self._before in _QUOTES:
            if not (rest or is_last):
                self._held = tag
                return ""
            if rest[:1] in {self._before, "\\"}:
                self._show(tag)
                return rest
        if _LONE.is_one(tag):
            self._end_unopened(tag)
        elif not _FRAMING.is_one(tag):
            self._inside = next(closing for opening, closing in _OPENING_OF if opening.is_one(tag))
            self.has_reasoned = True
        return rest

    def _within(self, text: str, closing: _Tags, *, is_last: bool) -> str:
        """Put aside what stands ahead of the block's end; gives the text that follows that."""
        if found := closing.first(text):
            self._inside = None
            self._before = ""
            self._reasoning.append(text[: found.start()])
            return text[found.end() :]
        at = len(text) if is_last else closing.start_of_one(text)
        self._reasoning.append(text[:at])
        self._held = text[at:]
        return ""

    def _end_unopened(self, tag: str) -> None:
        if self._begins.startswith(_CODE):
            self._show(tag)
            return
        self._takes_back = self.has_reasoned = True
        self._reasoning += self._visible
        self._visible.clear()
        self._before = self._begins = ""

    def _show(self, text: str) -> None:
        if text:
            self._visible.append(text)
            self._before = text[-1]
            self._begins = self._begins or text.lstrip()[:1]


def without_reasoning(text: str) -> str:
    """A whole text without its reasoning, and without blank space at its ends."""
    blocks = ReasoningFilter()
    visible = blocks.feed(text)
    blocks.takes_back()  # from nobody: it was all fed at once
    last = blocks.finish()
    return (last if blocks.takes_back() else visible + last).strip()
