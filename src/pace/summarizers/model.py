"""Has a planner fold, if it says that it can; no word is left out of what it reads."""

import json
from collections.abc import Sequence
from contextlib import aclosing, suppress

from pace.errors import (
    EmptyReplyError,
    PlannerError,
    PlannerQuotaError,
    PlannerSignedOutError,
    PlannerUnavailableError,
    PlannerUnreachableError,
    SummarizerError,
    SummarizerUnavailableError,
    SummaryRejectedError,
)
from pace.memory.prompt import MESSAGE_TOKENS, Message, Prompt, PromptParts, ReplyForm
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.turn import is_blank
from pace.planners.reasoning import without_reasoning
from pace.ports import (
    SUMMARIES,
    Finished,
    FinishReason,
    Planner,
    PlannerTraits,
    Reasoned,
    TextDelta,
)
from pace.summarizers.cleaning import cleaned, whole_sentences, within
from pace.summarizers.guard import Rejection
from pace.summarizers.instructions import Part, halves, messages_of, parts_of, turns_of

# Room for the reply, as a multiple of the budget: models think, and count words badly.
_REPLY_ROOM = 2
# A reply of more characters than this for each token of the budget is stopped: it goes nowhere.
_LONGEST_REPLY = 10
# Spare tokens for each turn of a request: texts are counted apart and read together.
_JOINT_TOKENS = 4
# A piece of a text that is shorter is not worth a request.
_SHORTEST_PIECE = 64
_SUMMARY = "summary"
_FORM = ReplyForm(
    json.dumps(
        {
            "type": "object",
            "properties": {_SUMMARY: {"type": "string", "description": "One paragraph."}},
            "required": [_SUMMARY],
            "additionalProperties": False,
        }
    )
)
# Nobody was asked, or could be: the next one may be.
_NOT_THERE = (
    PlannerUnreachableError,
    PlannerUnavailableError,
    PlannerSignedOutError,
    PlannerQuotaError,
)


class ModelSummarizer:
    """Folds by a planner. A fold that is too large is made of as many pairs as fit.

    One pair that does not fit by itself is read in pieces, each request adding to the summary of
    the one before. A planner that lets words leave this machine is asked only with `remote`. One
    that constrains is held to a form for summaries, if it is to be `guided`.
    """

    def __init__(
        self, planner: Planner, *, name: str, remote: bool = False, guided: bool = False
    ) -> None:
        self._planner = planner
        self._name = name
        self._remote = remote
        self._form = _FORM if guided else None

    @property
    def name(self) -> str:
        """The name it was given, for `/memory`."""
        return self._name

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Give what the model wrote, without its reasoning and cut at a whole sentence.

        What the planner read is forgotten afterwards; when cancelled, it is kept for the next try.
        Raises SummarizerUnavailableError if the planner cannot be asked, SummaryRejectedError for a
        reply without a whole sentence, SummarizerError for whatever else goes wrong.
        """
        traits = await self._traits()
        try:
            text, covers = await self._folded(fold, traits)
        except PlannerError as error:
            await self._forget()
            raise self._fault(error) from error
        except SummarizerError:
            await self._forget()
            raise
        await self._forget()
        return SummaryUpdate(
            session_id=fold.session_id,
            version=fold.version,
            covers=covers,
            text=text,
            made_by=self._name,
            prefix=fold.prefix,
        )

    def _fault(self, error: PlannerError) -> SummarizerError:
        if isinstance(error, _NOT_THERE):
            return SummarizerUnavailableError(f"{self._name} cannot be asked now.")
        if isinstance(error, EmptyReplyError):
            return SummaryRejectedError(Rejection.EMPTY)
        return SummarizerError(f"{self._name} gave no summary ({error.kind}).")

    async def _forget(self) -> None:
        with suppress(PlannerError):
            await self._planner.forget(SUMMARIES)

    async def _traits(self) -> PlannerTraits:
        try:
            traits = await self._planner.traits()
        except PlannerError as error:
            raise SummarizerUnavailableError(f"{self._name} cannot be asked now.") from error
        if not traits.summarizes:
            raise SummarizerUnavailableError(f"{traits.model} says that it cannot summarize.")
        if not (traits.on_this_machine or self._remote):
            raise SummarizerUnavailableError(f"{self._name} is not on this machine.")
        return traits

    async def _folded(self, fold: Fold, traits: PlannerTraits) -> tuple[str, int]:
        """The new summary, and the number of the last pair in it."""
        reply = min(_REPLY_ROOM * fold.budget, traits.context_tokens // 2)
        room = traits.context_tokens - reply
        turns = [parts_of((pair,)) for pair in fold.pairs]
        fitting = await self._fitting(fold.prior.text, fold.budget, turns, room)
        if not fitting:
            return await self._in_pieces(fold, turns[0], room), fold.pairs[0].number
        parts = [part for turn in turns[:fitting] for part in turn]
        text = await self._asked(fold.prior.text, fold, parts)
        return text, fold.pairs[fitting - 1].number

    async def _in_pieces(self, fold: Fold, parts: Sequence[Part], room: int) -> str:
        """Fold one turn over as many requests as it takes; each character is in one of them."""
        waiting = list(parts)
        prior = text = fold.prior.text
        while waiting:
            fitting = await self._fitting(prior, fold.budget, [(p,) for p in waiting], room)
            if not fitting:
                waiting[:1] = self._cut(waiting[0])
                continue
            text = await self._asked(prior, fold, waiting[:fitting])
            del waiting[:fitting]
            prior = within(cleaned(text), fold.budget)
            if not prior:
                raise SummaryRejectedError(Rejection.EMPTY)
        return text

    def _cut(self, part: Part) -> tuple[Part, Part]:
        if len(part.text) < _SHORTEST_PIECE:
            raise SummarizerUnavailableError(
                f"The context of {self._name} is too small for a summary of this budget."
            )
        return halves(part)

    async def _fitting(
        self, prior: str, budget: int, groups: Sequence[Sequence[Part]], room: int
    ) -> int:
        """How many of the groups, from the first, fit into one request with the prior summary."""
        frame = [message.content for message in messages_of(prior, (), budget)]
        texts = [text for group in groups for text in turns_of(group)]
        counts = await self._planner.count_tokens([*frame, *texts])
        left = room - sum(counts[: len(frame)]) - len(frame) * MESSAGE_TOKENS
        for at, tokens in enumerate(counts[len(frame) :]):
            left -= tokens + _JOINT_TOKENS
            if left < 0:
                return at
        return len(groups)

    async def _asked(self, prior: str, fold: Fold, parts: Sequence[Part]) -> str:
        """What the planner writes for one request."""
        prompt = await self._prompt(fold, messages_of(prior, parts, fold.budget))
        text = ""
        is_whole = False
        async with aclosing(self._planner.stream(prompt)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    text += event.text
                if isinstance(event, Reasoned):
                    text = event.kept
                if isinstance(event, Finished):
                    is_whole = event.reason is FinishReason.STOP
                if len(text) > _LONGEST_REPLY * fold.budget:
                    break
        text = without_reasoning(text)
        if self._form is not None:
            text = _out_of_form(text)
        if is_blank(text):
            raise SummaryRejectedError(Rejection.EMPTY)
        if not is_whole:
            text = whole_sentences(text)
        if not text:
            raise SummaryRejectedError(Rejection.CUT_OFF)
        return text

    async def _prompt(self, fold: Fold, messages: tuple[Message, ...]) -> Prompt:
        system, words = await self._planner.count_tokens([m.content for m in messages])
        parts = PromptParts(
            system=system + MESSAGE_TOKENS,
            summary=0,
            pending=0,
            window=0,
            facts=0,
            recalled=0,
            words=words + MESSAGE_TOKENS,
        )
        return Prompt(
            thread_id=SUMMARIES,
            session_id=fold.session_id,
            messages=messages,
            parts=parts,
            reply_form=self._form,
        )


def _out_of_form(text: str) -> str:
    """The summary that stands in the form; a text that is in none is the summary itself.

    Raises SummaryRejectedError for half a form.
    """
    if not text.startswith("{"):
        return text
    try:
        summary = json.loads(text)[_SUMMARY]
    except (ValueError, LookupError) as error:
        raise SummaryRejectedError(Rejection.CUT_OFF) from error
    return str(summary)
