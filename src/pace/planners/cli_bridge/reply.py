"""Takes the words of one reply together, whoever tells them: no blank start, no reasoning in it."""

from pace.errors import EmptyReplyError
from pace.memory.turn import is_blank
from pace.planners.answers import HalfCharacters, whole
from pace.planners.cli_bridge.vendor import Told
from pace.planners.reasoning import ReasoningFilter
from pace.ports import Finished, FinishReason, PlannerEvent, TextDelta, Thinking


class Reply:
    """A reply of at most `longest` characters, reasoning included; beyond them it counts as cut."""

    def __init__(self, *, longest: int) -> None:
        self._room = longest
        self._halves = HalfCharacters()
        self._blocks = ReasoningFilter()
        self._held = ""
        self._has_reasoned = False
        self.has_words = False

    @property
    def is_full(self) -> bool:
        """Whether the program told all that will be taken."""
        return self._room <= 0

    def take(self, event: PlannerEvent) -> list[PlannerEvent]:
        """What of an event goes on to the person."""
        if isinstance(event, Thinking):
            self._has_reasoned = True
            self._room -= len(event.text)
            return [Thinking(whole(event.text))]
        if not isinstance(event, TextDelta):
            return [event]
        taken = event.text[: max(0, self._room)]
        self._room -= len(event.text)
        had_reasoned = self._blocks.has_reasoned
        visible = self._blocks.feed(self._halves.feed(taken))
        reasons = self._blocks.is_inside or self._blocks.has_reasoned is not had_reasoned
        thinking: list[PlannerEvent] = [Thinking()] if reasons else []
        return [*thinking, *self._shown(visible)]

    def finish(self, told: Told) -> list[PlannerEvent]:
        """What was held, then Finished; raises EmptyReplyError for a reply without words."""
        last = self._blocks.feed(self._halves.finish())
        events = self._shown(last + self._blocks.finish())
        if not self.has_words:
            if self._has_reasoned or self._blocks.has_reasoned:
                raise EmptyReplyError("The model only reasoned and gave no reply. Ask again.")
            raise EmptyReplyError
        reason = FinishReason.LENGTH if self.is_full else told.reason
        return [
            *events,
            Finished(
                reason=reason or FinishReason.BROKEN_OFF,
                prompt_tokens=told.prompt_tokens,
                cached_tokens=told.cached_tokens,
                reply_tokens=told.reply_tokens,
                model=told.model,
            ),
        ]

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
