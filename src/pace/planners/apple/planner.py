"""Answers with Apple's on-device model, one session for each prompt."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from pace.errors import (
    EmptyReplyError,
    PlannerError,
    PlannerRefusedError,
    PlannerUnavailableError,
    SettingsError,
)
from pace.memory.prompt import MESSAGE_TOKENS, Message, Prompt, Role
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId, is_blank
from pace.planners.apple.availability import elsewhere, why_unavailable
from pace.planners.apple.faults import is_no_such_form, is_too_long, planner_error
from pace.planners.apple.guided_form import as_read, guided_form
from pace.planners.apple.sdk import AppleModel, FoundationModels, load_sdk
from pace.planners.apple.snapshots import read_apart
from pace.planners.options import ReplyOptions
from pace.ports import (
    Finished,
    FinishReason,
    Notice,
    PlannerEvent,
    PlannerTraits,
    Reading,
    TextDelta,
)

CONTEXT_TOKENS = 4096
"""The model's context, prompt and reply together, where it does not tell (Apple, TN3193)."""
MODEL = "Apple Foundation Models"


class AppleFmPlanner:
    """The model that macOS brings. Raises PlannerUnavailableError with the reason where it cannot.

    A prompt with a form is answered in that form and in one piece, since the SDK streams text only.
    A form that the model turns down is asked for in words alone from then on. `sdk` stands in for
    Apple's in tests.
    """

    def __init__(
        self,
        *,
        options: Callable[[], ReplyOptions] = ReplyOptions,
        sdk: FoundationModels | None = None,
    ) -> None:
        self._options = options
        self._sdk = sdk
        self._opened: AppleModel | None = None
        self._guides = True
        self._counts = True

    async def traits(self) -> PlannerTraits:
        """What the model says of itself."""
        context_tokens = self._model().context_tokens()
        return PlannerTraits(
            name="apple",
            model=MODEL,
            context_tokens=context_tokens or CONTEXT_TOKENS,
            assumes_context=not context_tokens,
            on_this_machine=True,
            summarizes=True,
            constrains=self._guides,
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply event by event.

        A form takes room that nobody has kept for it, so the oldest pairs may have to give way. If
        the model finds the prompt too long all the same, it is asked once more with the newer half.
        """
        model = self._model()
        yield Reading(0, prompt.parts.total)
        messages, dropped = await self._beside_form(model, prompt)
        if dropped:
            yield _left_out(dropped)
        has_begun = False
        try:
            async with aclosing(self._reply(model, prompt, messages)) as events:
                async for event in events:
                    has_begun = True
                    yield event
        except PlannerError:
            raise
        except Exception as error:
            messages, dropped = _newer_half(messages)
            if has_begun or not dropped or not is_too_long(error):
                raise self._fault(model, error) from error
        else:
            return
        yield _left_out(dropped)
        try:
            async with aclosing(self._reply(model, prompt, messages)) as events:
                async for event in events:
                    yield event
        except PlannerError:
            raise
        except Exception as error:
            raise self._fault(model, error) from error

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the model's own tokenizer where macOS offers it, else by the estimate."""
        counts = [await self._count(text) for text in texts]
        return [
            estimate_tokens(text) if count is None else count
            for text, count in zip(texts, counts, strict=True)
        ]

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002 - the port's
        """Nothing: the SDK has no word for it."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing: a session ends with its reply."""

    async def aclose(self) -> None:
        """Nothing was started; the model is the system's."""

    def _model(self) -> AppleModel:
        """The model; raises PlannerUnavailableError if it cannot be asked now."""
        if self._opened is None:
            if self._sdk is None and (sentence := elsewhere()):
                raise PlannerUnavailableError(sentence)
            try:
                self._opened = AppleModel(self._sdk or load_sdk())
            except SettingsError as error:
                raise PlannerUnavailableError(str(error)) from error
        if sentence := why_unavailable(self._opened.unavailable()):
            raise PlannerUnavailableError(sentence)
        return self._opened

    def _fault(self, model: AppleModel, error: Exception) -> PlannerError:
        return planner_error(error, context_tokens=model.context_tokens() or CONTEXT_TOKENS)

    def _form(self, prompt: Prompt) -> dict[str, Any] | None:
        if prompt.reply_form is None or not self._guides:
            return None
        try:
            return guided_form(prompt.reply_form.schema)
        except ValueError:
            self._guides = False
            return None

    async def _beside_form(
        self, model: AppleModel, prompt: Prompt
    ) -> tuple[Sequence[Message], int]:
        """The messages that fit beside a form and a reply, and how many pairs went."""
        messages = list(prompt.messages)
        if (form := self._form(prompt)) is None:
            return messages, 0
        texts = [as_read(form), *(message.content for message in messages)]
        of_form, *counts = await self.count_tokens(texts)
        context = model.context_tokens() or CONTEXT_TOKENS
        room = context - self._options().reply_tokens - of_form - len(counts) * MESSAGE_TOKENS
        first, dropped = _window_start(messages), 0
        while sum(counts) > room and len(messages) > first + 1:
            del messages[first : first + 2], counts[first : first + 2]
            dropped += 1
        return messages, dropped

    async def _reply(
        self, model: AppleModel, prompt: Prompt, messages: Sequence[Message]
    ) -> AsyncGenerator[PlannerEvent, None]:
        """The words and Finished; raises the SDK's errors."""
        if (form := self._form(prompt)) is not None:
            try:
                whole = await self._guided(model, messages, form)
            except Exception as error:
                if not is_no_such_form(error):
                    raise
                self._guides = False
            else:
                for event in whole:
                    yield event
                return
        async with aclosing(self._streamed(model, messages)) as events:
            async for event in events:
                yield event

    async def _guided(
        self, model: AppleModel, messages: Sequence[Message], form: Mapping[str, object]
    ) -> list[PlannerEvent]:
        options = self._options()
        text, is_whole = await model.guided(
            await model.session(messages[:-1]),
            messages[-1].content,
            form,
            temperature=options.temperature,
            reply_tokens=options.reply_tokens,
        )
        if is_blank(text):
            raise EmptyReplyError
        reason = FinishReason.STOP if is_whole else FinishReason.LENGTH
        return [TextDelta(text), Finished(reason=reason, model=MODEL)]

    async def _streamed(
        self, model: AppleModel, messages: Sequence[Message]
    ) -> AsyncGenerator[PlannerEvent, None]:
        options = self._options()
        session = await model.session(messages[:-1])
        words = _Words()

        def snapshots() -> AsyncGenerator[str, None]:
            return model.snapshots(
                session,
                messages[-1].content,
                temperature=options.temperature,
                reply_tokens=options.reply_tokens,
            )

        is_full = False
        try:
            async with aclosing(read_apart(snapshots)) as arriving:
                async for snapshot in arriving:
                    if new := words.take(snapshot):
                        yield TextDelta(new)
        except Exception as error:
            if not is_too_long(error) or is_blank(words.said):
                raise
            is_full = True  # the reply itself came to the end of the context
        if rest := words.rest:
            yield TextDelta(rest)
        if is_blank(words.said):
            raise EmptyReplyError
        tokens = await self._count(words.said)
        is_cut = is_full or (tokens or estimate_tokens(words.said)) >= options.reply_tokens
        yield Finished(
            reason=FinishReason.LENGTH if is_cut else FinishReason.STOP,
            reply_tokens=tokens,
            model=MODEL,
        )

    async def _count(self, text: str) -> int | None:
        """By the model; None if it does not count."""
        if not self._counts:
            return None
        try:
            model = self._model()
        except PlannerError:
            return None  # the turn itself will say what is wrong; a count need not
        try:
            return await model.count_tokens(text)
        except model.faults:
            self._counts = False
            return None


class _Words:
    """Finds what is new in each snapshot of a reply."""

    def __init__(self) -> None:
        self.said = ""
        self.rest = ""

    def take(self, snapshot: str) -> str:
        """What a snapshot adds. The half of a character waits for its other half."""
        certain = snapshot.rstrip("\ufffd")
        if not certain.startswith(self.said):
            raise PlannerRefusedError(
                "Apple's model took back what it had said already. Ask again."
            )
        new = certain[len(self.said) :]
        self.said, self.rest = certain, snapshot[len(certain) :]
        return new


def _window_start(messages: Sequence[Message]) -> int:
    return int(messages[0].role is Role.SYSTEM)


def _newer_half(messages: Sequence[Message]) -> tuple[Sequence[Message], int]:
    """The messages without the older half of the window, and how many pairs went."""
    first = _window_start(messages)
    dropped = (len(messages) - 1 - first + 2) // 4
    return [*messages[:first], *messages[first + 2 * dropped :]], dropped


def _left_out(pairs: int) -> Notice:
    turns = "turn" if pairs == 1 else f"{pairs} turns"
    return Notice(f"The oldest {turns} did not fit the context of Apple's model this time.")
