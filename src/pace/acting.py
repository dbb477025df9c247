"""Lets a turn act: a reply in the envelope, a person's word for what changes something, one run.

A planner that is held to the envelope while it decodes is called once, however many calls its reply
has (R15). Any other may go on step by step, as often as MOST_STEPS, by a counted loop that nothing
a model writes can prolong.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from pace.envelope.form import reply_form
from pace.envelope.instructions import instructions
from pace.envelope.model import Call, Envelope, Intent
from pace.envelope.reading import EnvelopeReader
from pace.errors import (
    ActionError,
    ActionRefusedError,
    ActionUncertainError,
    EnvelopeError,
)
from pace.memory.fitting import Room
from pace.memory.markers import BlockName, harmless
from pace.memory.prompt import (
    MESSAGE_TOKENS,
    ExtraBlock,
    Message,
    Prompt,
    ReplyForm,
    Role,
    clipped_to,
)
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, TurnId, is_blank
from pace.ports import (
    Action,
    ActionRequest,
    Actions,
    ActionTraits,
    Approval,
    Approver,
    Arguments,
    Finished,
    FinishReason,
    Planner,
    PlannerEvent,
    Reasoned,
    Risk,
    Shown,
    TextDelta,
)

MOST_STEPS = 8
"""How often a planner that is not held to the envelope is called in one turn, at most."""
DONE = "[DONE]"
"""What such a planner writes when nothing is left to do."""
# What a planner that goes on step by step, or the next turn, is shown of an action's result.
_RESULT_TOKENS = 300
_PARAGRAPH = "\n\n"
_WRITTEN: Mapping[Intent, tuple[str, ...]] = {
    Intent.DICTATE: ("text",),
    Intent.EDIT: ("replacement",),
    Intent.ACTION: (),
}

Hear = Callable[[PlannerEvent], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class TurnActions:
    """What one turn does. `asks_again`: a turn that is made anew repeats nothing unasked.

    `has_begun` says that an action was started, so that the turn is recorded whatever comes, and
    `is_over` that nothing more is to be tried: the person said no, or the planner repeats itself.
    """

    thread_id: ThreadId
    session_id: SessionId
    turn_id: TurnId
    reply_tokens: int
    asks_again: bool = False
    has_begun: bool = False
    is_over: bool = False
    _calls: int = field(default=0, init=False)
    _seen: set[str] = field(default_factory=set, init=False)

    def is_new(self, name: str, arguments: Arguments) -> bool:
        """Whether this very call was not made in this turn before; it counts as made from now.

        White space makes no other call.
        """
        key = json.dumps([name, _tidied(arguments)], sort_keys=True)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def next_call_id(self) -> str:
        """An id that no other call has, in this turn or any."""
        self._calls += 1
        return f"{self.turn_id}/{self._calls}"


def _tidied(value: object) -> object:
    match value:
        case str():
            return " ".join(value.split())
        case Mapping():
            return {key: _tidied(held) for key, held in value.items()}
        case list() | tuple():
            return [_tidied(held) for held in value]
        case _:
            return value


@dataclass(frozen=True, slots=True)
class _Brought:
    """What the actions of one turn brought to the screen."""

    turn_id: TurnId
    text: str


@dataclass(frozen=True, slots=True)
class _Offer:
    """What can be asked for now, and how that is told to a planner."""

    by_name: Mapping[str, Action]
    traits: tuple[ActionTraits, ...]
    text: str


class Acting:
    """Answers turns in the envelope and does what they ask for, while `is_on` says so.

    `allowed` names the actions that a person lets run without asking each time, by
    `permission_for`.
    """

    def __init__(
        self,
        actions: Actions,
        *,
        approver: Approver,
        is_on: Callable[[], bool],
        allowed: Callable[[], frozenset[str]],
    ) -> None:
        self._actions = actions
        self._approver = approver
        self._is_on = is_on
        self._allowed = allowed
        self._offer: _Offer | None = None
        self._form: tuple[tuple[ActionTraits, ...], int, ReplyForm] | None = None
        self._brought: dict[ThreadId, _Brought] = {}

    @property
    def is_on(self) -> bool:
        """Whether turns may act now: switched on, and there is something to do."""
        return self._is_on() and bool(self._actions.offered())

    def instructions(self) -> str:
        """What the system prompt says of it, the same on every tier; nothing while it is off."""
        return self._offered().text if self.is_on else ""

    def blocks(self, memory: ThreadMemory) -> tuple[ExtraBlock, ...]:
        """What the last pair's actions brought; nothing once another pair is the last one.

        So it is there for the next turn alone, and not if the pair was taken back or replaced, the
        session ended, or nothing is remembered.
        """
        brought = self._brought.get(memory.thread_id)
        last = memory.window[-1].turn_id if memory.window else None
        if brought is None or brought.turn_id != last or not self.is_on:
            return ()
        return (
            ExtraBlock(
                name=BlockName.ACTION_RESULTS,
                text=brought.text,
                max_tokens=_RESULT_TOKENS,
                gives_way=1,
            ),
        )

    def forget(self, thread_id: ThreadId) -> None:
        """Let go of what actions brought."""
        self._brought.pop(thread_id, None)

    def formed(self, prompt: Prompt, reply_tokens: int) -> Prompt:
        """A prompt that asks for the envelope."""
        return replace(prompt, reply_form=self._form_of(self._offered().traits, reply_tokens))

    async def answer(self, planner: Planner, prompt: Prompt, turn: TurnActions, hear: Hear) -> None:
        """Have the planner reply in the envelope, and do what it asks for.

        `hear` gets the words as they come and a line for each thing done; never JSON. Raises
        PlannerError; what was begun before that stands in `turn`. Cancelled, a running action is
        told of as uncertain.
        """
        offer = self._offered()
        traits = await planner.traits()
        most = 1 if traits.constrains else MOST_STEPS
        room = Room(context_tokens=traits.context_tokens, reply_tokens=turn.reply_tokens)
        spoken = _Spoken(hear)
        asked = self.formed(prompt, turn.reply_tokens)
        size = prompt.parts.total
        for step in range(1, most + 1):
            reply = await _asked(planner, asked, offer, spoken, may_end=step > 1)
            if reply.envelope is None:
                return
            done = await self._do(reply.envelope.calls, offer, turn, spoken)
            if reply.is_last or not done or most == 1 or turn.is_over:
                return
            if step == most:
                await spoken.line(f"Stopped after {most} steps.")
                return
            following = _observed(asked, reply.raw, done)
            size += sum(
                estimate_tokens(m.content) + MESSAGE_TOKENS for m in following.messages[-2:]
            )
            if size > room.for_prompt:
                await spoken.line("Stopped: there is no room for another step.")
                return
            asked = following

    # --- inside

    def _offered(self) -> _Offer:
        actions = {action.traits.name: action for action in self._actions.offered()}
        traits = tuple(action.traits for action in actions.values())
        if self._offer is None or self._offer.traits != traits:
            self._offer = _Offer(actions, traits, instructions(traits))
        # The same traits may stand for other objects, as after a server came back.
        return replace(self._offer, by_name=actions)

    def _form_of(self, traits: tuple[ActionTraits, ...], reply_tokens: int) -> ReplyForm:
        if self._form is None or self._form[:2] != (traits, reply_tokens):
            self._form = traits, reply_tokens, reply_form(traits, reply_tokens)
        return self._form[2]

    async def _do(
        self, calls: Sequence[Call], offer: _Offer, turn: TurnActions, spoken: "_Spoken"
    ) -> list[str]:
        """Run the calls in their order; a paragraph for each, for a planner that goes on."""
        told = []
        brought = []
        for call in calls:
            line, shown = await self._do_one(call, offer.by_name[call.name], turn, spoken)
            told.append(f"{call.name}: {line}" + (f"\n{shown}" if shown else ""))
            if shown:
                brought.append(f"{line}\n{shown}")
        if brought:
            text = clipped_to(_PARAGRAPH.join(brought), _RESULT_TOKENS)
            self._brought[turn.thread_id] = _Brought(turn.turn_id, text)
        return told

    async def _do_one(
        self, call: Call, action: Action, turn: TurnActions, spoken: "_Spoken"
    ) -> tuple[str, str]:
        """Ask if need be, run once, and say what came of it; the line, and what it brought."""
        if not self._is_on():
            turn.is_over = True
            return await spoken.line("Not done, since actions were switched off."), ""
        try:
            arguments = action.checked(call.args)
        except ActionRefusedError as error:
            if not turn.is_new(call.name, call.args):
                turn.is_over = True
            return await spoken.line(f"Not done: {error}"), ""
        would = action.would(arguments)
        if not turn.is_new(call.name, arguments):
            turn.is_over = True
            return await spoken.line(f"Asked for again, and done once: {would}."), ""
        if not await self._may_run(action, would, turn):
            turn.is_over = True
            return await spoken.line(f"Not done, since you did not allow it: {would}."), ""
        turn.has_begun = True
        line, shown = await _run(action, arguments, spoken)
        if shown:
            await spoken.show(shown)
        return await spoken.line(line), shown

    async def _may_run(self, action: Action, would: str, turn: TurnActions) -> bool:
        """The person's word, given now or before; in a turn that is made anew, only now."""
        traits = action.traits
        if traits.risk is Risk.READS:
            return True
        if not turn.asks_again and self._is_allowed(traits):
            return True
        request = ActionRequest(
            call_id=turn.next_call_id(),
            thread_id=turn.thread_id,
            turn_id=turn.turn_id,
            action=traits.name,
            would=would,
            risk=traits.risk,
        )
        return await self._approver.ask(request) is not Approval.NO

    def _is_allowed(self, traits: ActionTraits) -> bool:
        """Whether the person let it run for good, at this risk or at a higher one."""
        allowed = self._allowed()
        return any(
            permission_for(traits.name, risk) in allowed for risk in {traits.risk, Risk.HIGH}
        )


def permission_for(name: str, risk: Risk) -> str:
    """How a permission is kept: one for a low risk does not outlive a change to a high one."""
    return f"{name}:high" if risk is Risk.HIGH else name


@dataclass(frozen=True, slots=True)
class _Reply:
    """One reply of a planner; `envelope` is None if what came is no whole one."""

    raw: str
    envelope: Envelope | None
    is_last: bool


class _Spoken:
    """Hands on what a person sees: spoken words and lines, as paragraphs of one text."""

    def __init__(self, hear: Hear) -> None:
        self.hear = hear
        self.text = ""
        self._is_paragraph_due = False

    @property
    def has_words(self) -> bool:
        return bool(self.text)

    def begin(self) -> None:
        """What is said next is a paragraph of its own."""
        self._is_paragraph_due = self.has_words

    async def say(self, text: str) -> None:
        """Words of the reply, as they come."""
        if not text or (not self.has_words and is_blank(text)):
            return
        ahead = _PARAGRAPH if self._is_paragraph_due else ""
        self._is_paragraph_due = False
        self.text += ahead + text
        await self.hear(TextDelta(ahead + text))

    async def take_back_to(self, text: str) -> None:
        """What followed this text was reasoning."""
        self.text = text
        self.begin()
        await self.hear(Reasoned(text))

    async def line(self, line: str) -> str:
        """A line of what was done, or not; it is remembered."""
        self.begin()
        await self.say(line)
        self.begin()
        return line

    async def show(self, text: str) -> None:
        """What an action brought, for the screen alone."""
        await self.hear(Shown(text))


async def _asked(
    planner: Planner, prompt: Prompt, offer: _Offer, spoken: _Spoken, *, may_end: bool
) -> _Reply:
    """One call of the planner: its words are handed on as they come, its envelope is read.

    Only where it `may_end` what it was told to go on with, the mark of the end is one.
    """
    reader = EnvelopeReader(offer.by_name)
    marks = _WithoutDone(is_looked_for=may_end)
    finished: Finished | None = None
    raw: list[str] = []
    shown = 0
    before = spoken.text
    spoken.begin()
    async with aclosing(planner.stream(prompt)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                raw.append(event.text)
                words = reader.feed(event.text)
                shown += len(words)
                await spoken.say(marks.feed(words))
            elif isinstance(event, Reasoned):
                reader, shown = EnvelopeReader(offer.by_name), 0
                marks = _WithoutDone(is_looked_for=may_end)
                raw.clear()
                await spoken.take_back_to(before)
            elif isinstance(event, Finished):
                finished = event
            else:
                await spoken.hear(event)
    is_cut = finished is None or finished.reason is not FinishReason.STOP
    tokens = None if finished is None else finished.reply_tokens
    try:
        envelope = reader.finish(cut_off=is_cut, tokens=tokens)
    except EnvelopeError as error:
        await spoken.say(marks.finish())
        return await _broken(error, finished, spoken)
    await spoken.say(marks.feed(envelope.spoken_text[shown:]) + marks.finish())
    for text in _written(envelope):
        spoken.begin()
        await spoken.say(text)
    if finished is not None:
        await spoken.hear(finished)
    is_last = marks.was_seen or envelope.intent is not Intent.ACTION
    return _Reply("".join(raw), envelope, is_last)


def _written(envelope: Envelope) -> tuple[str, ...]:
    """What is to be read besides the words: a text to dictate, or to put in another's place.

    Some models put their answer there, and few words or none in front of it.
    """
    names = _WRITTEN.get(envelope.intent, ("answer", "text"))
    found = [envelope.payload.get(name) for name in names]
    texts = [text for text in found if isinstance(text, str) and text != envelope.spoken_text]
    if envelope.intent in _WRITTEN:
        return tuple(texts)
    return tuple(text for text in texts if text not in envelope.spoken_text)


async def _broken(error: EnvelopeError, finished: Finished | None, spoken: _Spoken) -> _Reply:
    """A reply that is no whole envelope: its words stand, nothing is done, and that is said."""
    if not spoken.has_words:
        raise error
    spoken.begin()
    await spoken.say(str(error))
    if finished is not None:
        await spoken.hear(finished)
    return _Reply("", None, is_last=True)


async def _run(action: Action, arguments: Arguments, spoken: _Spoken) -> tuple[str, str]:
    """Run an action, once; whatever happens, a line says what is known of it."""
    limit = action.traits.time_limit
    would = action.would(arguments)
    try:
        async with asyncio.timeout(limit):
            result = await action.run(arguments)
    except TimeoutError:
        return f"It is uncertain whether this was done within {limit:.0f} s: {would}.", ""
    except ActionUncertainError as error:
        return f"It is uncertain whether this was done: {would}. {error}", ""
    except ActionError as error:
        return f"Not done: {error}", ""
    except asyncio.CancelledError:
        await spoken.line(f"Stopped; it is uncertain whether this was done: {would}.")
        raise
    except Exception as error:  # noqa: BLE001  # what an action breaks must not hide that it began
        fault = type(error).__name__
        return f"It is uncertain whether this was done ({fault}): {would}.", ""
    return result.line, result.shown


def _observed(prompt: Prompt, raw: str, done: Sequence[str]) -> Prompt:
    """The prompt of the next step: what the planner wrote, and what came of it."""
    results = harmless(_PARAGRAPH.join(clipped_to(text, _RESULT_TOKENS) for text in done))
    told = (
        f"What came of it:\n{results}\n\nIf something that I asked for is still to be done, reply "
        f"in the same form; if not, tell me briefly and end with {DONE}."
    )
    messages = (
        *prompt.messages,
        Message(Role.ASSISTANT, harmless(raw)),
        Message(Role.USER, told),
    )
    return replace(prompt, messages=messages)


class _WithoutDone:
    """Takes the mark of the end off the end of a reply, also where it comes in pieces."""

    def __init__(self, *, is_looked_for: bool) -> None:
        self._is_looked_for = is_looked_for
        self._held = ""
        self.was_seen = False

    def feed(self, text: str) -> str:
        """What is certain so far; what may be the mark, or white space around it, is held."""
        whole = self._held + text
        if not self._is_looked_for:
            return whole
        at = _where_mark_may_begin(whole)
        self._held = whole[at:]
        return whole[:at]

    def finish(self) -> str:
        """What was held, if it is not the mark."""
        held, self._held = self._held, ""
        self.was_seen = held.strip() == DONE
        return "" if self.was_seen else held


def _where_mark_may_begin(text: str) -> int:
    """Where the end of a text begins that is the mark, or its beginning, and white space."""
    bare = text.rstrip()
    sizes = [len(DONE)] if bare.endswith(DONE) else []
    if bare == text:
        sizes += [size for size in range(len(DONE) - 1, 0, -1) if text.endswith(DONE[:size])]
    return len(bare[: len(bare) - sizes[0]].rstrip()) if sizes else len(text)
