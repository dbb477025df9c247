"""Speaking, typing or a key while Pace replies: the reply is what was heard of it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from pace.chat import RowStatus
from pace.doors.voice.live import VoiceState
from pace.journal.rows import TurnSource
from pace.memory.prompt import Prompt, Role
from pace.ports import PlannerEvent
from pace.testing import Gate, ScriptedPlanner
from speech.living import (
    FIRST_SENTENCE,
    LOUD,
    REMOTE,
    REPLY,
    SAID,
    living,
    settled,
    typed,
)

pytestmark = pytest.mark.usefixtures("own_home")

LONG_REPLY = "Rain is likely. Wind is low. Take a coat. Come back soon."
TWO_SENTENCES = "Rain is likely. Wind is low."


class LingeringPlanner(ScriptedPlanner):
    """Is done with being stopped only at its gate."""

    lingers: Gate

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        self.lingers = Gate()
        try:
            async with aclosing(super().stream(prompt)) as events:
                async for event in events:
                    yield event
        finally:
            await self.lingers.wait_opened()


async def test_whoever_cuts_in_is_heard_out_and_answered() -> None:
    """B136: what was cut is what was heard of it; the next prompt shows no more."""
    async with living(ScriptedPlanner(REPLY, "At eight."), "When?", "And back again?") as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.say()
        await on.over()
        assert await on.pairs() == [
            ("When?", "The ferry leaves at noon.", True),
            ("And back again?", "At eight.", False),
        ]
        assert on.rows[0].unheard == " It costs nine crowns."
        assert "crowns" not in str(on.planner.prompts[1].messages)


@pytest.mark.parametrize("word", ["Stop.", "Wait!", "Stop, please."])
async def test_a_word_to_stop_stops_and_is_no_turn(word: str) -> None:
    """Nothing else is made of it."""
    async with living(ScriptedPlanner(REPLY), "When?", word) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.say()
        assert await on.pairs() == [("When?", "The ferry leaves at noon.", True)]
        assert on.live.state is VoiceState.LISTENING
        assert (await on.chat.memory()).open_turns == ()


async def test_whoever_goes_on_before_the_answer_adds_to_their_words() -> None:
    """B139: no part is lost, and no half of a sentence is answered."""
    gate = Gate()
    planner = ScriptedPlanner([gate, "Never."], "Press the button.")
    async with living(planner, "I need to reset", "my front door sensor.") as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        assert on.live.state is VoiceState.THINKING
        await on.say()
        await on.over()
        said = "I need to reset my front door sensor."
        assert await on.pairs() == [(said, "Press the button.", False)]
        assert [row.user_text for row in on.rows] == [said]


async def test_typed_words_cut_at_once_and_share_the_thread() -> None:
    """Speaking and typing are one conversation."""
    async with living(ScriptedPlanner(REPLY, "Two."), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.live.type(typed("How many?"))
        await settled()
        await on.over()
        assert await on.pairs() == [
            ("When?", "The ferry leaves at noon.", True),
            ("How many?", "Two.", False),
        ]
        assert [row.source for row in on.rows] == [TurnSource.VOICE, TurnSource.CHAT]


async def test_what_is_typed_before_it_listens_is_a_turn() -> None:
    """A page may be faster than the devices."""
    async with living(ScriptedPlanner("Two."), typed_early=[typed("How many?")]) as on:
        await on.over()
        assert await on.pairs() == [("How many?", "Two.", False)]


async def test_cut_before_any_sound_there_was_no_turn() -> None:
    """B136: it failed, and memory holds nothing of it."""
    async with living(ScriptedPlanner([Gate(), "Never."]), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        assert await on.live.stop()
        assert await on.pairs() == []
        assert on.rows[0].status is RowStatus.FAILED
        assert not await on.live.stop()


async def test_words_that_come_at_once_are_taken_one_after_the_other() -> None:
    """Typed while they are cut in on: each is a row, and the last one is answered."""
    planner = ScriptedPlanner([Gate(), "Never."], "Three.")
    async with living(planner, "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        async with asyncio.TaskGroup() as group:
            group.create_task(on.live.type(typed("How many?")))
            group.create_task(on.live.type(typed("How many boats?")))
        await settled()
        await on.over()
        assert await on.pairs() == [("How many boats?", "Three.", False)]
        assert [row.status for row in on.rows] == [
            *(RowStatus.FAILED, RowStatus.FAILED, RowStatus.ANSWERED)
        ]


async def test_the_sound_ends_before_the_model_does() -> None:
    """Silence waits for no engine, and what was heard is known from that moment."""
    planner = LingeringPlanner([REPLY, Gate()])
    async with living(planner, "When?") as on:
        await on.listen()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        stopping = asyncio.create_task(on.live.stop())
        await planner.lingers.wait_reached()
        assert (on.speaker.stops, stopping.done()) == (1, False)
        planner.lingers.open()
        assert await stopping
        assert await on.pairs() == [("When?", "The ferry leaves at noon.", True)]


async def test_the_sound_is_held_before_anybody_knows_what_was_said() -> None:
    """With the first sign of speech; whether it is a turn comes later."""
    async with living(ScriptedPlanner(REPLY, "At eight."), "When?", "And back?") as on:
        await on.listen()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.microphone.hear(LOUD, 3)
        assert (on.speaker.is_paused, len(on.recogniser.sounds)) == (True, 1)
        await on.microphone.hear(LOUD, SAID)
        await on.say()
        assert len(on.rows) == 2


async def test_two_sentences_of_four_are_what_was_said() -> None:
    """B136: the next prompt holds them as an interrupted reply, in its turn, and nothing else."""
    planner = ScriptedPlanner(LONG_REPLY, "Yes.")
    async with living(planner, "What is the weather?", "Shall I take a hat?") as on:
        await on.listen()
        await on.say()
        assert " ".join(on.voice.spoken) == LONG_REPLY
        on.speaker.played = len(TWO_SENTENCES) / 10
        await on.say()
        await on.over()
        assert (await on.pairs())[0] == ("What is the weather?", TWO_SENTENCES, True)
        system, *said = on.planner.prompts[1].messages
        assert system.role is Role.SYSTEM
        assert [(message.role, message.content) for message in said] == [
            (Role.USER, "What is the weather?"),
            (Role.ASSISTANT, f"{TWO_SENTENCES} [interrupted]"),
            (Role.USER, "Shall I take a hat?"),
        ]
        assert [row.unheard.strip() for row in on.rows] == ["Take a coat. Come back soon.", ""]


async def test_what_was_cut_before_its_sound_is_in_no_prompt() -> None:
    """B136: neither the words nor an empty reply nor a word about stopping."""
    planner = ScriptedPlanner(LONG_REPLY, "Yes.")
    async with living(planner, "What is the weather?", "Shall I take a hat?") as on:
        await on.listen()
        await on.say()
        assert await on.live.stop()
        await on.say()
        await on.over()
        (_, *said) = on.planner.prompts[1].messages
        assert [(message.role, message.content) for message in said] == [
            (Role.USER, "Shall I take a hat?")
        ]
        assert await on.pairs() == [("Shall I take a hat?", "Yes.", False)]


async def test_who_is_named_before_a_reply_is_no_part_of_it() -> None:
    """Cut while Pace says who gets the words, nothing of the reply was heard."""
    async with living(ScriptedPlanner(REPLY), "When?", flags=REMOTE) as on:
        await on.listen()
        await on.say()
        on.speaker.played = 1.0
        assert await on.live.stop()
        assert await on.pairs() == []
        assert on.rows[0].status is RowStatus.FAILED


async def test_every_part_of_a_sentence_is_kept_in_its_order() -> None:
    """B139: three parts, each taken for the whole, and two that were recognised too early."""
    planner = ScriptedPlanner([Gate(), "Never."], [Gate(), "Never."], "Press the button.")
    heard = ("I nee", "I need to reset", "my front", "my fro", "door sensor")
    async with living(planner, *heard) as on:
        await on.listen()
        await on.say_and_pause()
        await on.say()
        await on.say()
        await on.say_and_pause()
        await on.say()
        await on.over()
        said = "I need to reset my front door sensor"
        assert await on.pairs() == [(said, "Press the button.", False)]
        assert [row.user_text for row in on.rows] == [said]
        assert [prompt.messages[-1].content for prompt in planner.prompts] == [
            *("I need to reset", "I need to reset my front", said)
        ]
