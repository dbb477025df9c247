"""Devices that fail, come, go and change while people talk: one sentence, and the talk goes on."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from pace.chat import RowStatus
from pace.doors.voice.live import VoiceState
from pace.ports import Approval
from pace.speech.devices.speaker import DeviceSpeaker
from pace.testing import FixedActions, ScriptedAction, ScriptedPlanner
from speech.living import (
    FIRST_SENTENCE,
    LOUD,
    QUIET,
    REPLY,
    SAID,
    HandMicrophone,
    living,
    settled,
    typed,
)
from speech.pulse import Pulse, needs_pulse, running_pulse
from speech.test_spoken_answers import ACTING, ASKED, ENVELOPES

pytestmark = pytest.mark.usefixtures("own_home")

NO_MICROPHONE = "There is no microphone on this machine. Plug one in."
NO_SPEAKER = "There is no speaker on this machine. Plug one in."
SHORT = ("It does.", "It did.", "It will.")


async def test_a_microphone_that_fails_is_told_and_typing_goes_on() -> None:
    """One sentence, and the conversation goes on."""
    async with living(ScriptedPlanner("Yes.")) as on:
        on.live.hands_free(on=True)
        await settled()
        on.microphone.fail("The microphone is gone. Plug it in, or type.")
        await settled()
        assert on.told == ["The microphone is gone. Plug it in, or type."]
        assert on.live.state is VoiceState.OFF
        await on.live.type(typed("Are you there?"))
        await settled()
        await on.over()
        assert len(await on.pairs()) == 1


async def test_a_microphone_that_fails_in_a_word_loses_that_word_alone() -> None:
    """Nothing of it stays open, and what is said after it was plugged in again is a turn."""
    async with living(ScriptedPlanner(REPLY), "When?") as on:
        await on.listen()
        await on.microphone.hear(LOUD, SAID)
        on.microphone.fail(NO_MICROPHONE)
        await settled()
        assert (on.told, on.live.state, on.live.words) == ([NO_MICROPHONE], VoiceState.OFF, "")
        assert (await on.chat.memory()).open_turns == ()
        on.live.talk()
        await settled()
        await on.say()
        await on.over()
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_a_microphone_that_fails_while_pace_speaks_leaves_the_sound() -> None:
    """A reply that was held for somebody's speech goes on, since nobody can finish it."""
    async with living(ScriptedPlanner(REPLY), "When?") as on:
        await on.listen()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.microphone.hear(LOUD, SAID)
        assert on.speaker.is_paused
        on.microphone.fail(NO_MICROPHONE)
        await settled()
        assert not on.speaker.is_paused
        await on.over()
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_a_question_outlasts_the_microphone() -> None:
    """No silence is counted where nobody can be heard; a key or a click still answers."""
    action = ScriptedAction("ring")
    planner = ScriptedPlanner(ASKED, traits=ENVELOPES)
    async with living(planner, "Ring at ten.", actions=FixedActions(action), flags=ACTING) as on:
        await on.listen()
        await on.say()
        await on.over()
        on.microphone.fail(NO_MICROPHONE)
        await settled()
        await on.microphone.hear(QUIET, 900)
        request = on.rows[0].asks
        assert (request is not None, on.told) == (True, [NO_MICROPHONE])
        assert request is not None
        assert on.chat.approvals.answer(request.call_id, Approval.ONCE)
        await settled()
        await on.over()
        assert len(action.runs) == 1


async def test_a_speaker_that_fails_leaves_text_and_is_tried_again() -> None:
    """Its sentence comes once, the turn is whole, and the next reply sounds."""
    gone = "The speaker is gone. Plug it in again."
    async with living(ScriptedPlanner(REPLY, "Nine."), "When?", "How much?") as on:
        await on.listen()
        await on.say()
        on.speaker.fail(gone)
        await on.over()
        assert on.told == [gone]
        assert await on.pairs() == [("When?", REPLY, False)]
        await on.say()
        await on.over()
        assert on.told == [gone]
        assert on.voice.spoken[-1] == "Nine."
        assert len(await on.pairs()) == 2


async def test_without_any_device_one_types_and_reads() -> None:
    """Each device that lacks is told of when it is wanted, in its own sentence."""
    async with living(ScriptedPlanner(REPLY, "Nine.")) as on:
        on.microphone.fail(NO_MICROPHONE)
        await on.listen()
        assert (on.told, on.live.state) == ([NO_MICROPHONE], VoiceState.OFF)
        for number, text in enumerate(("When?", "How much?"), start=1):
            on.speaker.fail(NO_SPEAKER)
            await on.live.type(typed(text))
            await settled()
            assert on.told == [NO_MICROPHONE, *[NO_SPEAKER] * number]
        assert [row.status for row in on.rows] == [RowStatus.ANSWERED] * 2
        assert await on.pairs() == [("When?", REPLY, False), ("How much?", "Nine.", False)]


# --- over real devices


@pytest.fixture
def pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    with running_pulse() as running:
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_SERVER"):
            monkeypatch.setenv(name, running.environment[name])
        yield running


@pytest.fixture
async def speaker(pulse: Pulse) -> AsyncIterator[DeviceSpeaker]:  # noqa: ARG001  # it stands on it
    speaker = DeviceSpeaker()
    yield speaker
    await speaker.aclose()


async def wait_open(speaker: DeviceSpeaker) -> None:
    while not speaker.is_open:
        await asyncio.to_thread(lambda: None)


@needs_pulse
async def test_another_speaker_takes_over_from_one_that_is_unplugged(
    pulse: Pulse, speaker: DeviceSpeaker
) -> None:
    """In the middle of a reply: one sentence, the reply as text, and the next one sounds there."""
    module = pulse.add_sink("First", rate=96_000)
    planner = ScriptedPlanner(REPLY, "Nine.")
    async with living(planner, devices=(HandMicrophone(), speaker)) as on:
        await on.live.type(typed("When?"))
        await wait_open(speaker)
        pulse.remove(module)
        await on.kept()
        assert [sentence.split(".")[0] for sentence in on.told] == ["The speaker is gone"]
        pulse.add_sink("Second", rate=8_000, channels=1)
        await on.live.type(typed("How much?"))
        await on.kept()
        assert speaker.played >= len("Nine.") / 10
        assert len(on.told) == 1
        assert await on.pairs() == [("When?", REPLY, False), ("How much?", "Nine.", False)]


@needs_pulse
async def test_another_default_speaker_changes_nothing_in_a_turn(
    pulse: Pulse, speaker: DeviceSpeaker
) -> None:
    """The system moves what sounds, or leaves it; nobody is told anything."""
    pulse.add_sink("First", rate=8_000, channels=1)
    pulse.add_sink("Second", rate=44_100)
    async with living(ScriptedPlanner("Nine."), devices=(HandMicrophone(), speaker)) as on:
        await on.live.type(typed("How much?"))
        await wait_open(speaker)
        pulse.control("set-default-sink", "Second")
        await on.kept()
        assert (on.told, speaker.played) == ([], len("Nine.") / 10)
        assert await on.pairs() == [("How much?", "Nine.", False)]
