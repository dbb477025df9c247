"""Makes a reply's words into events, whoever sends them: no reasoning in it, no blank start."""

from pace.memory.turn import is_blank
from pace.planners.answers import HalfCharacters
from pace.planners.reasoning import ReasoningFilter
from pace.ports import PlannerEvent, Reasoned, TextDelta, Thinking


class SpokenWords:
    """The words of one reply, as they come."""

    def __init__(self) -> None:
        self._halves = HalfCharacters()
        self._thought_halves = HalfCharacters()
        self._blocks = ReasoningFilter()
        self._held = ""
        self._was_told_thoughts = False
        self.has_words = False

    @property
    def has_reasoned(self) -> bool:
        """Whether any reasoning came."""
        return self._was_told_thoughts or self._blocks.has_reasoned

    def say(self, text: str) -> list[PlannerEvent]:
        """More of the reply."""
        return self._events(self._blocks.feed(self._halves.feed(text)))

    def think(self, text: str) -> list[PlannerEvent]:
        """More of the reasoning, from one who keeps it apart."""
        self._was_told_thoughts = True
        return [Thinking(self._thought_halves.feed(text))]

    def finish(self) -> list[PlannerEvent]:
        """What was held."""
        events = self._events(self._blocks.feed(self._halves.finish()))
        return [*events, *self._events(self._blocks.finish())]

    def _events(self, visible: str) -> list[PlannerEvent]:
        events: list[PlannerEvent] = []
        if self._blocks.takes_back():
            events += [Reasoned()] if self.has_words else []
            self.has_words, self._held = False, ""
        thought = self._blocks.take_reasoning()
        if thought or self._blocks.is_inside:
            events.append(Thinking(thought))
        return [*events, *self._shown(visible)]

    def _shown(self, text: str) -> list[PlannerEvent]:
        """Hold blank text until a word follows, so that no reply begins with white space."""
        self._held += text
        if not self.has_words:
            if is_blank(self._held):
                return []
            self._held = self._held.lstrip()
            self.has_words = True
        shown, self._held = self._held, ""
        return [TextDelta(shown)] if shown else []
