"""Apple's model as a planner, over the stand-in for its SDK."""

import asyncio
import json
import sys
import threading
from contextlib import aclosing
from datetime import UTC, datetime

import pytest

from pace.errors import (
    EmptyReplyError,
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerUnavailableError,
)
from pace.memory.fitting import Room, compose
from pace.memory.prompt import Draft, Prompt, ReplyForm
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair
from pace.planners.apple.availability import ELSEWHERE, apple_unavailable
from pace.planners.apple.planner import CONTEXT_TOKENS, AppleFmPlanner
from pace.planners.options import ReplyOptions
from pace.ports import Finished, FinishReason, Notice, PlannerEvent, Reading, TextDelta
from planners.apple.stand_in import (
    ERRORS,
    AssetsUnavailableError,
    ExceededContextWindowSizeError,
    GenerationError,
    GuardrailViolationError,
    InvalidGenerationSchemaError,
    RateLimitedError,
    RefusalError,
    Script,
    StandInSdk,
    SystemLanguageModelUnavailableReason,
    UnsupportedGuideError,
)
from planners.prompts import prompt_of

FORM = ReplyForm(
    json.dumps(
        {
            "type": "object",
            "properties": {"spokenText": {"type": "string"}},
            "required": ["spokenText"],
            "additionalProperties": False,
        }
    )
)


def planner_over(script: Script, **options: object) -> AppleFmPlanner:
    return AppleFmPlanner(
        sdk=StandInSdk(script),
        options=lambda: ReplyOptions(**{"reply_tokens": 256, **options}),  # type: ignore[arg-type]
    )


async def reply(planner: AppleFmPlanner, prompt: Prompt) -> list[PlannerEvent]:
    async with aclosing(planner.stream(prompt)) as events:
        return [event async for event in events]


def words_of(events: list[PlannerEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, TextDelta)]


def guided(form: ReplyForm = FORM) -> Prompt:
    asked = prompt_of("hi")
    return Prompt(
        thread_id=asked.thread_id,
        session_id=asked.session_id,
        messages=asked.messages,
        parts=asked.parts,
        reply_form=form,
    )


async def test_snapshots_become_pieces_of_words() -> None:
    """Each snapshot gives what it adds, and half a character waits for its other half."""
    script = Script(snapshots=("Hel", "Hel", "Hello \ufffd", "Hello 🌍"))
    events = await reply(planner_over(script), prompt_of("hi"))
    assert words_of(events) == ["Hel", "lo ", "🌍"]
    assert events[0] == Reading(0, 0)
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is FinishReason.STOP
    assert events[-1].reply_tokens == estimate_tokens("Hello 🌍")


async def test_a_stream_that_blocks_is_read_on_its_own_thread() -> None:
    """The event loop goes on while the SDK waits, and no thread is left afterwards."""
    gate = threading.Event()
    script = Script(reply=lambda _: ("Hello.", gate, " More."))
    before = threading.active_count()
    async with aclosing(planner_over(script).stream(prompt_of("hi"))) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                gate.set()
    assert threading.get_ident() not in script.threads
    assert threading.active_count() == before


@pytest.mark.parametrize("is_guided", [False, True])
async def test_a_cancelled_turn_stops_the_model(is_guided: bool) -> None:  # noqa: FBT001
    """Cancelled within its words, or before a reply that comes in one piece: the model is told."""
    gate = threading.Event()
    script = Script(reply=lambda _: ("Hello.", gate, " More.", " And more."))
    planner = planner_over(script)
    turn = asyncio.create_task(reply(planner, guided() if is_guided else prompt_of("hi")))
    while not script.asked:  # noqa: ASYNC110  # nobody tells when the thread has asked
        await asyncio.sleep(0)
    turn.cancel()
    asyncio.get_running_loop().call_soon(gate.set)
    await asyncio.wait([turn])
    assert turn.cancelled()
    assert script.cancelled == 1


async def test_a_form_is_answered_in_one_piece() -> None:
    """A prompt with a form is asked for in Apple's dialect, and its JSON comes whole."""
    script = Script(reply=lambda _: ('{"spokenText":', ' "Hello."}'))
    events = await reply(planner_over(script), guided())
    assert words_of(events) == ['{"spokenText": "Hello."}']
    (asked,) = script.asked
    assert asked.form is not None
    assert asked.form["x-order"] == ["spokenText"]
    assert asked.options is not None
    assert asked.options.maximum_response_tokens == 256


async def test_a_form_that_was_cut_says_so() -> None:
    """B86: a guided reply that the model did not complete ends with LENGTH."""
    script = Script(reply=lambda _: ('{"spokenText": "Hel',))
    events = await reply(planner_over(script), guided())
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is FinishReason.LENGTH


@pytest.mark.parametrize(
    "fault", [UnsupportedGuideError, InvalidGenerationSchemaError, GenerationError]
)
async def test_a_form_that_is_turned_down_is_learned(fault: type[Exception]) -> None:
    """It is asked for without the form then and later on, and the planner no longer constrains."""
    script = Script(reply=lambda asked: (fault("no"),) if asked.form else ("Hello.",))
    planner = planner_over(script)
    assert (await planner.traits()).constrains
    for _ in range(2):
        assert words_of(await reply(planner, guided())) == ["Hello."]
    assert [asked.form is not None for asked in script.asked] == [True, False, False]
    assert not (await planner.traits()).constrains


async def test_a_form_that_cannot_be_said_is_not_asked_for() -> None:
    """A schema beyond Apple's dialect is left to the words of the prompt."""
    script = Script()
    planner = planner_over(script)
    strange = guided(ReplyForm('{"not": {"type": "string"}}'))
    assert words_of(await reply(planner, strange)) == ["Hello, ", "you."]
    assert script.asked[0].form is None


async def test_a_reply_at_its_limit_is_cut() -> None:
    """A reply that has as many tokens as it may ends with LENGTH, since the SDK does not tell."""
    script = Script(reply=lambda _: ("word " * 30,))
    events = await reply(planner_over(script, reply_tokens=10), prompt_of("hi"))
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is FinishReason.LENGTH


async def test_a_reply_that_fills_the_context_is_cut() -> None:
    """If the context ends within the reply, its words stand, and nothing is asked again."""
    script = Script(reply=lambda _: ("Some words", ExceededContextWindowSizeError("full")))
    events = await reply(planner_over(script), prompt_of("hi", window=(("a", "b"),)))
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is FinishReason.LENGTH
    assert len(script.asked) == 1


def long_pair(number: int) -> TurnPair:
    return TurnPair(
        turn_id=TurnId(str(number)),
        number=number,
        user_text="Say it. " * 180,
        reply_text="It is so. " * 150,
        recorded_at=datetime(2026, 6, 1, 12, tzinfo=UTC),
    )


def long_draft() -> Draft:
    """K pairs of 900 tokens, a summary of 400, a system prompt of 600 (B81)."""
    return Draft(
        thread_id=ThreadId("small"),
        session_id=SessionId("one"),
        system="You are Pace. " * 150,
        words="And now?",
        window=tuple(long_pair(number) for number in range(1, 5)),
        pending=(),
        summary="They met. " * 130,
    )


async def test_a_small_context_is_fitted_to() -> None:
    """B81: four long pairs are fitted into 4,096 tokens, the model is asked once, and answers."""
    script = Script()
    planner = planner_over(script)
    traits = await planner.traits()
    room = Room(context_tokens=traits.context_tokens, reply_tokens=256)
    prompt = compose(long_draft(), room, estimate_tokens)
    assert isinstance(prompt, Prompt)
    assert prompt.gave_way
    assert words_of(await reply(planner, prompt)) == ["Hello, ", "you."]
    assert len(script.asked) == 1
    assert script.asked[0].tokens + 256 <= CONTEXT_TOKENS


async def test_a_prompt_that_is_too_long_is_made_shorter_once() -> None:
    """B81: too long after all, it goes once more with the newer half of the window, and says so."""
    script = Script(longest=90)
    window = tuple((f"Question {n} of mine", "Answer. " * 12) for n in range(4))
    events = await reply(planner_over(script), prompt_of("Now?", window=window))
    assert words_of(events) == ["Hello, ", "you."]
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert "oldest 2 turns" in notice.sentence
    first, second = script.asked
    assert [text for _, text in second.messages[1:]] == [text for _, text in first.messages[5:]]
    assert second.messages[0] == first.messages[0]


async def test_a_form_has_its_room() -> None:
    """B81: the oldest pairs make room for the form, before any request, and it is said."""
    plain = prompt_of("Now?", window=tuple((f"Number {n}?", "word " * 40) for n in range(4)))
    asked = Prompt(
        thread_id=plain.thread_id,
        session_id=plain.session_id,
        messages=plain.messages,
        parts=plain.parts,
        reply_form=FORM,
    )
    script = Script(reply=lambda _: ('{"spokenText": "Hello."}',), context_size=420)
    events = await reply(planner_over(script), asked)
    assert [type(event) for event in events] == [Reading, Notice, TextDelta, Finished]
    (sent,) = script.asked
    assert [text for _, text in sent.messages[1:]] == [m.content for m in plain.messages[-3:]]


@pytest.mark.parametrize(("pairs", "requests"), [(0, 1), (1, 2), (4, 2)])
async def test_what_is_too_long_even_then_is_told(pairs: int, requests: int) -> None:
    """B81: after one rebuild comes one clear sentence, without a word of what was said."""
    script = Script(longest=5)
    window = tuple((f"secret {n}", "Answer. " * 12) for n in range(pairs))
    with pytest.raises(PlannerRefusedError, match="context of Apple's model, 4,096") as caught:
        await reply(planner_over(script), prompt_of("secret words", window=window))
    assert len(script.asked) == requests
    assert "secret" not in str(caught.value)
    assert isinstance(caught.value.__cause__, ExceededContextWindowSizeError)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("said", [(), ("Some ",)])
async def test_every_error_is_ours_and_in_words(
    error: type[Exception], said: tuple[str, ...]
) -> None:
    """Each error of the SDK becomes a PlannerError with its cause and no word of the SDK's text."""
    if said and error is ExceededContextWindowSizeError:
        return  # the reply is cut then
    script = Script(reply=lambda _: (*said, error("canary: what was said")))
    with pytest.raises(PlannerError) as caught:
        await reply(planner_over(script), prompt_of("hi"))
    assert "canary" not in str(caught.value)
    assert type(caught.value.__cause__) is error


@pytest.mark.parametrize(
    ("error", "ours", "words"),
    [
        (GuardrailViolationError, PlannerRefusedError, "safety rules"),
        (RefusalError, PlannerRefusedError, "refused to answer"),
        (AssetsUnavailableError, PlannerUnavailableError, "missing"),
        (RateLimitedError, PlannerQuotaError, "how often"),
        (MemoryError, PlannerRefusedError, "failed"),
    ],
)
async def test_refusals_are_told_apart(
    error: type[Exception], ours: type[PlannerError], words: str
) -> None:
    """A person reads what the model means: its rules, its refusal, what is missing, a limit."""
    script = Script(reply=lambda _: (error("x"),))
    with pytest.raises(ours, match=words):
        await reply(planner_over(script), prompt_of("hi"))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (SystemLanguageModelUnavailableReason.APPLE_INTELLIGENCE_NOT_ENABLED, "System Settings"),
        (SystemLanguageModelUnavailableReason.DEVICE_NOT_ELIGIBLE, "This Mac cannot"),
        (SystemLanguageModelUnavailableReason.MODEL_NOT_READY, "not ready yet"),
        (SystemLanguageModelUnavailableReason.UNKNOWN, "does not say why"),
        (77, "does not say why"),
    ],
)
async def test_a_model_that_is_not_there_says_why(reason: int, words: str) -> None:
    """Every reason of the SDK's, and one that it does not know, is a sentence."""
    script = Script(unavailable=reason)
    planner = planner_over(script)
    with pytest.raises(PlannerUnavailableError, match=words):
        await planner.traits()
    with pytest.raises(PlannerUnavailableError, match=words):
        await reply(planner, prompt_of("hi"))
    assert await planner.count_tokens(["some words"]) == [estimate_tokens("some words")]
    assert not script.asked
    script.unavailable = None
    assert (await planner.traits()).context_tokens == CONTEXT_TOKENS


@pytest.mark.skipif(sys.platform == "darwin", reason="this is where the model may be")
async def test_elsewhere_one_sentence_says_what_it_needs() -> None:
    """On a machine that can never have it, the tier says so in one sentence, without the SDK."""
    assert apple_unavailable() == ELSEWHERE
    assert ELSEWHERE.startswith("Apple's model needs macOS 26 or later on a Mac with Apple silicon")
    with pytest.raises(PlannerUnavailableError, match="macOS 26 or later"):
        await AppleFmPlanner().traits()


async def test_an_older_macos_counts_by_the_estimate() -> None:
    """Where the model does not count, the estimate does, and it is asked only once."""
    planner = planner_over(Script(counts=False))
    assert await planner.count_tokens(["a b c"] * 3) == [estimate_tokens("a b c")] * 3


async def test_a_zero_character_ends_no_text() -> None:
    """C strings end at a zero character, so none is sent."""
    script = Script()
    await reply(planner_over(script), prompt_of("one\0two", window=(("a\0b", "c"),)))
    assert [text for _, text in script.asked[0].messages[1:]] == ["a\ufffdb", "c", "one\ufffdtwo"]


async def test_words_that_are_taken_back_end_the_turn() -> None:
    """A snapshot that contradicts what was shown is an error, not a garbled reply."""
    script = Script(snapshots=("Hello", "Other words"))
    with pytest.raises(PlannerRefusedError, match="took back"):
        await reply(planner_over(script), prompt_of("hi"))


async def test_a_reply_without_words_is_empty() -> None:
    """Blank text is no reply, in a form or out of it."""
    for asked in (prompt_of("hi"), guided()):
        with pytest.raises(EmptyReplyError):
            await reply(planner_over(Script(reply=lambda _: (" ",))), asked)
