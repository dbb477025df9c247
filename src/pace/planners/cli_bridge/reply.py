"""Takes the words of one reply together, whoever tells them: no blank start, no reasoning in it."""

from pace.errors import EmptyReplyError
from pace.planners.cli_bridge.vendor import Told
from pace.planners.spoken import SpokenWords
from pace.ports import Finished, FinishReason, PlannerEvent, TextDelta, Thinking


class Reply:
    """A reply of at most `longest` characters, reasoning included; beyond them it counts as cut."""

    def __init__(self, *, longest: int) -> None:
        self._room = longest
        self._words = SpokenWords()

    @property
    def has_words(self) -> bool:
        """Whether anything was said that a person may see."""
        return self._words.has_words

    @property
    def has_reasoned(self) -> bool:
        """Whether there was any reasoning."""
        return self._words.has_reasoned

    @property
    def is_full(self) -> bool:
        """Whether the program told all that will be taken."""
        return self._room <= 0

    def take(self, event: PlannerEvent) -> list[PlannerEvent]:
        """What of an event goes on to the person."""
        if isinstance(event, Thinking):
            self._room -= len(event.text)
            return self._words.think(event.text)
        if not isinstance(event, TextDelta):
            return [event]
        taken = event.text[: max(0, self._room)]
        self._room -= len(event.text)
        return self._words.say(taken)

    def pass_over(self) -> None:
        """A line without words counts, too, so that no reply is endless."""
        self._room -= 1

    def finish(self, told: Told) -> list[PlannerEvent]:
        """What was held, then Finished; raises EmptyReplyError for a reply without words."""
        events = self._words.finish()
        if not self.has_words:
            if self._words.has_reasoned:
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
