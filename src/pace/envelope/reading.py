"""Reads a reply as an envelope: its words while they stream, the rest of it when it is whole.

Nothing is repaired. What is not an envelope to the last character asks for no action.
"""

from collections.abc import Collection
from enum import Enum, auto

from pace.envelope.beginning import FENCE, OPENER, Opening, blank_size
from pace.envelope.checking import envelope_in, fault
from pace.envelope.model import Envelope, Intent
from pace.envelope.outline import DEEPEST, Found, Outline
from pace.errors import EmptyReplyError, EnvelopeError
from pace.memory.turn import is_blank

_TOO_LARGE = "is larger than any that is of use"


class _Kind(Enum):
    PLAIN = auto()
    ENVELOPE = auto()
    REFUSED = auto()  # neither words nor an envelope as it should be: nobody is to see the rest


class EnvelopeReader:
    """Reads one reply; `names` are the actions that there are.

    A reply that does not begin as an envelope is plain text, and so is JSON of other keys: a person
    may have asked for it. What comes of a reply does not depend on the pieces in which it came.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._kind = _Kind.PLAIN
        self._shown: list[str] = []
        self._blanks: list[str] = []  # ahead of everything
        self._has_begun = False
        self._opening: Opening | None = None
        self._held: list[str] = []  # what the opening has read
        self._is_first = False  # whether nothing but blanks stands ahead of the opening
        self._refusal = ""
        self._outline = Outline(names)
        self._is_fenced = False
        self._object: list[str] = []
        self._after = ""
        self._words: EnvelopeReader | None = None  # what reads the envelope's words

    @property
    def is_whole(self) -> bool:
        """Whether the closing brace of an envelope came; no more than white space may follow."""
        return self._kind is _Kind.ENVELOPE and self._outline.found is Found.END

    @property
    def is_form(self) -> bool:
        """Whether what came is, or tries to be, an envelope; known to be none otherwise, so far."""
        return self._kind is not _Kind.PLAIN

    def feed(self, chunk: str) -> str:
        """More of the words that may be shown; often empty. They only ever grow."""
        if self._kind is _Kind.ENVELOPE:
            shown = self._from_envelope(chunk)
        elif self._kind is _Kind.PLAIN:
            shown = self._from_reply(chunk)
        else:
            return ""
        if shown:
            self._shown.append(shown)
        return shown

    def finish(self, *, cut_off: bool, tokens: int | None) -> Envelope:
        """The whole reply; what its `spoken_text` has beyond what `feed` gave is to be shown, too.

        Raises EnvelopeError, also for one that was cut off after its last brace: its form alone
        does not tell that nothing is missing. `tokens` is where it was cut, if that is known.
        Raises EmptyReplyError for an answer without words.
        """
        if self._kind is _Kind.REFUSED:
            raise fault(self._refusal)
        if self._kind is _Kind.PLAIN:
            if self._opening is not None and self._is_lost(self._opening, cut_off=cut_off):
                raise _cut_off(tokens)
            text = "".join((*self._shown, *self._blanks, *self._held))
            return Envelope(spoken_text=text, is_plain=True)
        if cut_off or not self.is_whole:
            raise _cut_off(tokens)
        if self._outline.deepest > DEEPEST:
            raise fault(_TOO_LARGE)
        if self._after and not (self._is_fenced and self._after.rstrip() == FENCE):
            raise fault("goes on after its end")
        if self._words is not None and self._words.is_form:
            raise fault("holds another one in its words")
        envelope = envelope_in("".join(self._object), self._names)
        if envelope.intent is not Intent.ACTION and any(
            self._is_form(text) for text in envelope.payload.values()
        ):
            raise fault("holds another one in its payload")
        has_words = not is_blank(envelope.spoken_text) or envelope.payload
        if envelope.intent is not Intent.ACTION and not has_words:
            raise EmptyReplyError
        return envelope

    # --- inside

    def _from_reply(self, text: str) -> str:
        if not self._has_begun:
            size = blank_size(text, 0)
            self._blanks.append(text[:size])
            text = text[size:]
            self._has_begun = bool(text)
        shown = self._from_text(text)
        if not shown:
            return ""
        shown = "".join((*self._blanks, shown))
        self._blanks.clear()
        return shown

    def _from_text(self, text: str) -> str:
        """Text passes; a JSON value in it only once it is whole and known to be no envelope."""
        shown: list[str] = []
        start = at = 0  # what is shown next, and what is read next
        while True:
            if self._opening is None:
                opener = OPENER.search(text, at)
                end = len(text) if opener is None else opener.start()
                shown.append(text[start:end])
                if opener is None:
                    return "".join(shown)
                start = at = end
                self._opening = Opening(self._names)
                self._is_first = not self._shown and not any(shown)
            at = self._opening.read(text, at)
            if self._opening.found is Found.UNTOLD:
                self._held.append(text[start:])
                return "".join(shown)
            opening, self._opening = self._opening, None
            if self._held:
                held = "".join(self._held)
                self._held.clear()
                text, at = held + text, at + len(held)
            if opening.found is Found.NOTHING:
                at = start + 1
            elif opening.found is not Found.END or opening.outline.is_attempt:
                return "".join(shown) + self._from_value(opening, text[start:], at - start)

    def _from_value(self, opening: Opening, text: str, at: int) -> str:
        """What is no plain text, read so far: an envelope, if it stands where one may."""
        outline = opening.outline
        is_bare = opening.head_size == 0 or opening.is_fenced
        if outline.found is Found.FIELDS and self._is_first and is_bare and not outline.is_list:
            self._kind = _Kind.ENVELOPE
            self._blanks.clear()
            self._outline, self._is_fenced = outline, opening.is_fenced
            self._object.append(text[opening.head_size : at])
            return self._from_envelope(text[at:])
        if outline.found is Found.TOO_LARGE:
            self._refuse(_TOO_LARGE)
        elif outline.found is Found.END:
            self._refuse("asks for an action in another form")
        elif self._is_first and is_bare:
            self._refuse("is not in the form that was asked for")
        else:
            self._refuse("has words ahead of its form")
        return ""

    def _refuse(self, why: str) -> None:
        self._kind, self._refusal = _Kind.REFUSED, why
        self._object.clear()

    def _from_envelope(self, text: str) -> str:
        at = self._outline.read(text, 0)
        self._object.append(text[:at])
        if self._outline.found is Found.END:
            self._follow(text[at:])
        elif self._outline.found is Found.TOO_LARGE:
            self._refuse(_TOO_LARGE)
        return self._spoken(self._outline.said())

    def _spoken(self, words: str) -> str:
        """What may be shown of the words: some models put the whole envelope in there once more."""
        if not words:
            return ""
        if self._words is None:
            self._words = EnvelopeReader(self._names)
        shown = self._words.feed(words)
        return "" if self._words.is_form else shown

    def _is_form(self, text: str) -> bool:
        reader = EnvelopeReader(self._names)
        reader.feed(text)
        return reader.is_form

    def _follow(self, text: str) -> None:
        """Keep of what comes after the end as much as tells whether it may stand there."""
        text = (self._after + text).lstrip()
        shut = text.rstrip()
        self._after = (shut + text[len(shut) :][:1])[: len(FENCE) + 2]

    def _is_lost(self, opening: Opening, *, cut_off: bool) -> bool:
        """Whether what is still held at the end is a piece of an envelope, as far as one can tell.

        A reply that begins with an object and is cut off is one, whatever its keys are so far.
        """
        outline = opening.outline
        return (cut_off and self._is_first) or outline.is_attempt or outline.may_be_field


def _cut_off(tokens: int | None) -> EnvelopeError:
    where = "" if tokens is None else f" at {tokens:,} tokens"
    return EnvelopeError(f"The reply was cut off{where}, so nothing was done.")
