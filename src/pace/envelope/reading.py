"""Reads a reply as an envelope: its words while they stream, the rest of it when it is whole.

Nothing is repaired. What is not an envelope to the last character asks for no action.
"""

from collections.abc import Collection
from enum import Enum, auto

from pace.envelope.beginning import FENCE, begins_envelope, begins_object
from pace.envelope.checking import envelope_in, fault
from pace.envelope.model import Envelope, Intent
from pace.envelope.outline import Outline
from pace.errors import EmptyReplyError, EnvelopeError
from pace.memory.turn import is_blank

# The longest reply that a planner gives is a fifth of this, and no argument is nested that deep.
_LONGEST = 1_000_000
_DEEPEST = 40


class _Kind(Enum):
    UNKNOWN = auto()
    ENVELOPE = auto()
    PLAIN = auto()
    BURIED = auto()  # an envelope with words ahead of it


class EnvelopeReader:
    """Reads one reply; `names` are the actions that there are.

    A reply that does not begin as an envelope is plain text, and so is JSON of other keys: a person
    may have asked for it.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._kind = _Kind.UNKNOWN
        self._held = ""
        self._outline = Outline()
        self._object: list[str] = []
        self._size = 0
        self._after = ""
        self._is_fenced = False
        self._shown: list[str] = []

    @property
    def is_whole(self) -> bool:
        """Whether the closing brace of an envelope came; no more than white space may follow."""
        return self._outline.is_whole

    def feed(self, chunk: str) -> str:
        """More of the words that may be shown; often empty. They only ever grow."""
        if self._kind is _Kind.UNKNOWN:
            chunk = self._held + chunk
            self._held = ""
            is_envelope = begins_envelope(chunk)
            if is_envelope is None:
                self._held = chunk
                return ""
            self._kind = _Kind.ENVELOPE if is_envelope else _Kind.PLAIN
            if is_envelope:
                head, brace, rest = chunk.partition("{")
                self._is_fenced = FENCE in head
                chunk = brace + rest
        if self._kind is _Kind.ENVELOPE:
            shown = self._from_envelope(chunk)
        elif self._kind is _Kind.PLAIN:
            shown = self._from_plain(chunk)
        else:
            return ""
        self._shown.append(shown)
        return shown

    def finish(self, *, cut_off: bool, tokens: int | None) -> Envelope:
        """The whole reply; what its `spoken_text` has beyond what `feed` gave is to be shown, too.

        Raises EnvelopeError, also for one that was cut off after its last brace: its form alone
        does not tell that nothing is missing. `tokens` is where it was cut, if that is known.
        Raises EmptyReplyError for an answer without words.
        """
        if self._kind is _Kind.UNKNOWN and cut_off and self._held.lstrip()[:1] in {"{", "`"}:
            raise _cut_off(tokens)
        if self._kind in {_Kind.UNKNOWN, _Kind.PLAIN}:
            return Envelope(spoken_text="".join(self._shown) + self._held, is_plain=True)
        if self._kind is _Kind.BURIED:
            raise fault("has words ahead of its form")
        if cut_off or not self.is_whole:
            raise _cut_off(tokens)
        if self._size > _LONGEST or self._outline.deepest > _DEEPEST:
            raise fault("is larger than any that is of use")
        if self._after and not (self._is_fenced and self._after == FENCE):
            raise fault("goes on after its end")
        envelope = envelope_in("".join(self._object), self._names)
        has_words = not is_blank(envelope.spoken_text) or envelope.payload
        if envelope.intent is not Intent.ACTION and not has_words:
            raise EmptyReplyError
        return envelope

    def _from_envelope(self, chunk: str) -> str:
        shown: list[str] = []
        for at, character in enumerate(chunk):
            if self._outline.is_whole:
                self._after = (self._after + chunk[at:].strip())[: len(FENCE) + 1]
                chunk = chunk[:at]
                break
            shown.append(self._outline.take(character))
        self._size += len(chunk)
        if self._size <= _LONGEST:
            self._object.append(chunk)
        return "".join(shown)

    def _from_plain(self, chunk: str) -> str:
        """Plain text passes, except an envelope in it: nobody is to see or hear one."""
        text, self._held = self._held + chunk, ""
        at = text.find("{")
        while at >= 0:
            is_envelope = begins_object(text[at:])
            if is_envelope:
                self._kind = _Kind.BURIED
                return text[:at]
            if is_envelope is None:
                self._held = text[at:]
                return text[:at]
            at = text.find("{", at + 1)
        return text


def _cut_off(tokens: int | None) -> EnvelopeError:
    where = "" if tokens is None else f" at {tokens:,} tokens"
    return EnvelopeError(f"The reply was cut off{where}, so nothing was done.")
