"""One turn, end to end, over stand-ins."""

import asyncio
import gc
import random
from datetime import timedelta

import pytest

from pace.asked import Words
from pace.errors import (
    EmptyReplyError,
    EmptyWordsError,
    PlannerError,
    PromptTooLongError,
    RepeatedTurnError,
    SessionOverError,
)
from pace.memory.prompt import Message, Prompt, Role
from pace.memory.turn import ThreadId, TurnId
from pace.ports import SUMMARIES, Finished, FinishReason, PlannerTraits, Reasoned, TextDelta
from pace.testing import Gate, GatedSummarizer, ManualClock, ScriptedPlanner, ScriptedSummarizer
from pace.threads import EndCause, SessionEnded
from pace.wiring import Parts
from turns import THREAD, Companions, unheard


async def say(parts: Parts, text: str, thread_id: ThreadId = THREAD, **more: object) -> str:
    report = await parts.companion.take_turn(thread_id, Words(text=text, **more), unheard)  # type: ignore[arg-type]
    return report.text


def said(prompt: Prompt) -> list[str]:
    """The contents after the system message."""
    return [message.content for message in prompt.messages[1:]]


def check_is_well_formed(prompt: Prompt) -> None:
    """A system message, then user and assistant in turn, the last a user's; none is blank."""
    roles = [message.role for message in prompt.messages]
    assert roles[0] is Role.SYSTEM
    assert all(
        role is (Role.ASSISTANT if index % 2 else Role.USER) for index, role in enumerate(roles[1:])
    )
    assert roles[-1] is Role.USER
    assert all(message.content.strip() for message in prompt.messages)


async def test_a_turn_sees_the_turns_before_it(companions: Companions) -> None:
    """The window stands between the system message and the current words, exactly as said."""
    with ScriptedPlanner(["It is ", "a kettle. "], "Teal.") as planner:
        async with companions(planner) as parts:
            await say(parts, " What is it?\n")
            assert await say(parts, "Its colour?") == "Teal."
            history = await parts.companion.conversation_history(THREAD)
    assert said(planner.prompts[1]) == [" What is it?\n", "It is a kettle. ", "Its colour?"]
    assert history == (
        Message(Role.USER, " What is it?\n"),
        Message(Role.ASSISTANT, "It is a kettle. "),
        Message(Role.USER, "Its colour?"),
        Message(Role.ASSISTANT, "Teal."),
    )


async def test_what_is_older_than_the_window_stands_in_the_block(companions: Companions) -> None:
    """A displaced pair is shown as pending until its fold has landed, and then in the summary."""
    gated = GatedSummarizer(ScriptedSummarizer("They own a teal kettle."))
    with ScriptedPlanner("Nice.", "Yes.", "Sure.", "Fine.") as planner:
        async with companions(planner, fallback=gated, window_size=1) as parts:
            await say(parts, "My kettle is teal.")
            await say(parts, "Do you like it?")
            fold = await gated.wait_asked()
            await say(parts, "And now?")
            gated.release(fold.version)
            gated.release_all()
            # The second fold has no script left and fails; its pair stays pending.
            await parts.background.wait_done(THREAD)
            await say(parts, "And then?")
    while_pending = planner.prompts[2].messages[0].content
    assert "My kettle is teal." in while_pending
    landed = planner.prompts[3].messages[0].content
    assert "They own a teal kettle." in landed
    assert "My kettle is teal." not in landed
    assert "Do you like it?" in landed


async def test_older_turns_are_recalled_by_the_words_that_ask_for_them(
    companions: Companions,
) -> None:
    """The pair stands at the head of the words; memory and the next window hold those alone."""
    replies = ["Noted.", "A coat, then.", "Soup.", "It is KX-4417.", "Sure."]
    with ScriptedPlanner(*replies) as planner, ScriptedSummarizer(*["They talked."] * 4) as folds:
        async with companions(planner, fallback=folds, window_size=1, recall=True) as parts:
            for words in ("My booking code is KX-4417.", "It rains today.", "What is for lunch?"):
                await say(parts, words)
                await parts.background.wait_done(THREAD)
            await say(parts, "Which booking code do I have?")
            await say(parts, "Thanks!")
    asked, thanked = (prompt.messages[-1].content for prompt in planner.prompts[3:])
    assert asked.startswith("<recalled_turns>")
    assert "User: My booking code is KX-4417." in asked
    assert asked.endswith("Which booking code do I have?")
    assert planner.prompts[3].parts.recalled > 0
    assert thanked == "Thanks!"
    assert said(planner.prompts[4])[0] == "Which booking code do I have?"
    for prompt in planner.prompts:
        check_is_well_formed(prompt)


async def test_turns_of_one_thread_run_in_order_of_acceptance(companions: Companions) -> None:
    """B46: of two turns at once, the second waits, and sees the first (200 times, none lost)."""
    for _ in range(200):
        gate = Gate()
        with ScriptedPlanner([gate, "A1"], "A2") as planner:
            async with companions(planner) as parts, asyncio.TaskGroup() as group:
                group.create_task(say(parts, "U1"))
                group.create_task(say(parts, "U2"))
                await gate.wait_reached()
                assert len(planner.prompts) == 1
                gate.open()
        assert said(planner.prompts[1]) == ["U1", "A1", "U2"]


async def test_threads_do_not_wait_for_each_other_nor_see_each_other(
    companions: Companions,
) -> None:
    """B42: another thread's turn runs meanwhile, and none of its words are in the prompt."""
    gate = Gate()
    with ScriptedPlanner([gate, "Noted."], "What order?") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            group.create_task(say(parts, "my order is ORD-ALICE-9", ThreadId("alice")))
            await gate.wait_reached()
            await say(parts, "what is my order?", ThreadId("bob"))
            gate.open()
    assert "ORD-ALICE-9" not in str(planner.prompts[1])


async def test_a_failed_turn_leaves_no_trace(companions: Companions) -> None:
    """B49: what failed is neither in the next prompt nor with the summarizer."""
    with ScriptedPlanner([PlannerError("HTTP 500")], ["par", PlannerError("gone")], "4") as planner:
        async with companions(planner) as parts:
            before = await parts.companion.memory(THREAD)
            for words in ("delete my alarms", "delete them now"):
                with pytest.raises(PlannerError):
                    await say(parts, words)
            assert (await parts.companion.memory(THREAD)).is_empty
            assert await say(parts, "what is 2+2?") == "4"
            assert before.session_id == (await parts.companion.memory(THREAD)).session_id
    assert said(planner.prompts[2]) == ["what is 2+2?"]


@pytest.mark.parametrize("nothing", ["", " \n", "\u200b"])
async def test_an_empty_reply_is_no_turn(companions: Companions, nothing: str) -> None:
    """B54: a reply without a visible word fails the turn; the next one works."""
    empty = [nothing] if nothing else []
    with ScriptedPlanner(empty, "Hello!") as planner:
        async with companions(planner) as parts:
            with pytest.raises(EmptyReplyError):
                await say(parts, "hi")
            await say(parts, "hello?")
    assert said(planner.prompts[1]) == ["hello?"]


async def test_blank_words_are_refused_before_the_planner_is_asked(companions: Companions) -> None:
    """Words without a visible character are no turn."""
    with ScriptedPlanner() as planner:
        async with companions(planner) as parts:
            with pytest.raises(EmptyWordsError):
                await say(parts, " \u200b\n")


async def test_words_that_do_not_fit_are_refused_and_the_thread_goes_on(
    companions: Companions,
) -> None:
    """B37: an oversized paste is refused in a sentence; the next three turns work, and fit."""
    traits = PlannerTraits(name="s", model="s", context_tokens=4096, on_this_machine=True)
    with ScriptedPlanner("1", "2", "3", traits=traits) as planner:
        async with companions(planner) as parts:
            with pytest.raises(PromptTooLongError, match="too long"):
                await say(parts, "many words " * 2727)
            for reply in "123":
                assert await say(parts, "hi") == reply
    assert all(prompt.parts.total <= 4096 - 256 for prompt in planner.prompts)


async def test_stop_keeps_what_was_said_and_marks_it(companions: Companions) -> None:
    """B52: a stopped reply is recorded as far as it was said, as interrupted; roles alternate."""
    gate = Gate()
    with ScriptedPlanner(["Step one. Ste", gate, "p two."], "Yes.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(parts.companion.take_turn(THREAD, Words(text="Go"), unheard))
            await gate.wait_reached()
            assert parts.companion.stop(THREAD)
            report = await turn
            assert (report.text, report.interrupted) == ("Step one. Ste", True)
            await say(parts, "Go on")
            (first, _) = (await parts.companion.memory(THREAD)).window
    assert (first.reply_text, first.interrupted) == ("Step one. Ste", True)
    assert said(planner.prompts[1])[1].startswith("Step one. Ste")
    assert said(planner.prompts[1])[1] != "Step one. Ste"
    check_is_well_formed(planner.prompts[1])


async def test_stop_before_the_first_word_is_no_turn(companions: Companions) -> None:
    """B52, B55: stopped before a word came, nothing is recorded, and no message is empty."""
    gate = Gate()
    with ScriptedPlanner([gate, "late"], "Hello.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(parts.companion.take_turn(THREAD, Words(text="Go"), unheard))
            await gate.wait_reached()
            parts.companion.stop(THREAD)
            report = await turn
            assert (report.text, report.remembered) == ("", False)
            await say(parts, "Hello")
    assert said(planner.prompts[1]) == ["Hello"]


async def test_cancelling_the_turn_keeps_what_was_said(companions: Companions) -> None:
    """A door that goes away in mid-reply leaves an interrupted pair, and the planner is stopped."""
    gate = Gate()
    with ScriptedPlanner(["Some", gate]) as planner:
        async with companions(planner) as parts:
            turn = asyncio.create_task(parts.companion.take_turn(THREAD, Words(text="Go"), unheard))
            await gate.wait_reached()
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn
            memory = await parts.companion.memory(THREAD)
    assert [(p.reply_text, p.interrupted) for p in memory.window] == [("Some", True)]
    assert memory.open_turns == ()
    assert planner.stopped == planner.prompts


async def test_a_reset_stops_the_turn_and_nothing_of_it_comes_back(companions: Companions) -> None:
    """B43: after a reset, neither the reply in progress nor an old fold is in the thread."""
    gate = Gate()
    gated = GatedSummarizer(ScriptedSummarizer("An old story."))
    ended: list[SessionEnded] = []

    async def heard(end: SessionEnded) -> None:
        ended.append(end)

    with ScriptedPlanner("A1", "A2", ["A long ", gate, "story"], "Hello.") as planner:
        async with companions(planner, fallback=gated, window_size=1) as parts:
            parts.threads.when_ended(heard)
            await say(parts, "U1")
            await say(parts, "U2")
            fold = await gated.wait_asked()
            first = await parts.companion.memory(THREAD)
            async with asyncio.TaskGroup() as group:
                turn = group.create_task(
                    parts.companion.take_turn(THREAD, Words(text="long story"), unheard)
                )
                await gate.wait_reached()
                await parts.companion.reset(THREAD)
                report = await turn
            gated.release(fold.version)
            gated.release_all()
            await parts.background.wait_done(THREAD)
            memory = await parts.companion.memory(THREAD)
            assert (report.interrupted, report.remembered) == (True, False)
            assert memory.is_empty
            assert memory.summary.version == 0
            await say(parts, "hello")
    assert [(e.session_id, e.cause) for e in ended] == [(first.session_id, EndCause.RESET)]
    assert planner.forgotten == [THREAD, SUMMARIES]
    assert [m.content for m in planner.prompts[3].messages] == ["You are Pace.", "hello"]


async def test_an_idle_thread_is_forgotten_before_the_next_turn_and_said_once(
    companions: Companions, clock: ManualClock
) -> None:
    """B41: after 21 idle minutes nothing said before is in the prompt, and one ending was told."""
    ended: list[EndCause] = []

    async def heard(end: SessionEnded) -> None:
        ended.append(end.cause)

    with ScriptedPlanner("One.", "Which?", "Why?") as planner:
        async with companions(planner) as parts:
            parts.threads.when_ended(heard)
            await say(parts, "first")
            clock.advance(timedelta(minutes=21))
            await say(parts, "and the second one?")
            await say(parts, "hm")
    assert ended == [EndCause.IDLE]
    assert said(planner.prompts[1]) == ["and the second one?"]


async def test_the_sweep_drops_an_idle_thread_though_nobody_speaks(
    companions: Companions, clock: ManualClock
) -> None:
    """B40: time in sleep counts, and the sweep alone ends a session when its time has come."""
    with ScriptedPlanner("One.") as planner:
        async with companions(planner) as parts:
            await say(parts, "first")
            clock.advance(timedelta(minutes=20))
            await parts.threads.sweep()
            assert not (await parts.companion.memory(THREAD)).is_empty
            clock.advance(timedelta(seconds=1))
            await parts.threads.sweep()
            assert (await parts.companion.memory(THREAD)).is_empty


async def test_a_long_reply_is_not_idle_time(companions: Companions, clock: ManualClock) -> None:
    """B38: a reply of 25 minutes lands in its own session, and idle time runs from its end."""
    gate = Gate()
    with ScriptedPlanner(["Slow", gate, "."]) as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(parts.companion.take_turn(THREAD, Words(text="Go"), unheard))
            await gate.wait_reached()
            clock.advance(timedelta(minutes=25))
            await parts.threads.sweep()
            gate.open()
            assert (await turn).remembered
            clock.advance(timedelta(minutes=19, seconds=59))
            await parts.threads.sweep()
            assert not (await parts.companion.memory(THREAD)).is_empty
            clock.advance(timedelta(seconds=2))
            await parts.threads.sweep()
            assert (await parts.companion.memory(THREAD)).is_empty


async def test_a_change_of_the_wall_clock_is_not_idle_time(
    companions: Companions, clock: ManualClock
) -> None:
    """A wall clock set three hours ahead ends nothing."""
    with ScriptedPlanner("One.") as planner:
        async with companions(planner) as parts:
            await say(parts, "first")
            clock.set_local_time(clock.local_time() + timedelta(hours=3))
            await parts.threads.sweep()
            assert not (await parts.companion.memory(THREAD)).is_empty


async def test_replacing_asks_without_the_old_pair_and_takes_its_place(
    companions: Companions,
) -> None:
    """A regenerated turn's prompt does not hold the old reply, which is gone once it succeeds."""
    with ScriptedPlanner("One.", "Two.", "Zwei.") as planner:
        async with companions(planner) as parts:
            await say(parts, "1?")
            await say(parts, "2?")
            last = (await parts.companion.memory(THREAD)).window[-1]
            await say(parts, "2 in German?", replaces=last.turn_id)
            memory = await parts.companion.memory(THREAD)
    assert said(planner.prompts[2]) == ["1?", "One.", "2 in German?"]
    assert [p.reply_text for p in memory.window] == ["One.", "Zwei."]
    assert [p.number for p in memory.window] == [1, 2]


async def test_a_replacement_that_fails_leaves_the_old_pair(companions: Companions) -> None:
    """What was to be replaced stays if the new turn fails."""
    with ScriptedPlanner("One.", [PlannerError("down")]) as planner:
        async with companions(planner) as parts:
            await say(parts, "1?")
            before = await parts.companion.memory(THREAD)
            with pytest.raises(PlannerError):
                await say(parts, "1 again?", replaces=before.window[-1].turn_id)
            assert (await parts.companion.memory(THREAD)).window == before.window


async def test_taking_back_lets_the_last_pair_go(companions: Companions) -> None:
    """The pair taken back is given, and is not in the next prompt."""
    with ScriptedPlanner("One.", "Two.") as planner:
        async with companions(planner) as parts:
            await say(parts, "1?")
            taken = await parts.companion.take_back(THREAD)
            assert taken is not None
            assert taken.user_text == "1?"
            assert await parts.companion.take_back(THREAD) is None
            await say(parts, "2?")
    assert said(planner.prompts[1]) == ["2?"]


async def test_striking_leaves_nothing_of_it_to_the_planner(companions: Companions) -> None:
    """A struck text is in no later prompt, and the planner's cache of the thread is erased."""
    with ScriptedPlanner("Noted.", "Nice.", "What?") as planner:
        async with companions(planner) as parts:
            await say(parts, "My PIN is 4417.")
            await say(parts, "I like tea.")
            await parts.companion.strike(THREAD, "4417")
            await say(parts, "What do you know?")
    assert said(planner.prompts[2]) == ["I like tea.", "Nice.", "What do you know?"]
    assert planner.forgotten == [THREAD, SUMMARIES]


async def test_a_turn_id_taken_twice_is_one_pair(companions: Companions) -> None:
    """B118: a turn's id that comes again is refused, without a call; one pair is held."""
    with ScriptedPlanner("One.") as planner:
        async with companions(planner) as parts:
            await say(parts, "1?", turn_id=TurnId("t"))
            with pytest.raises(RepeatedTurnError):
                await say(parts, "1?", turn_id=TurnId("t"))
            memory = await parts.companion.memory(THREAD)
    assert [p.reply_text for p in memory.window] == ["One."]


async def test_a_reply_cut_by_its_limit_says_so(companions: Companions) -> None:
    """A reply that met the limit is recorded whole and reported as cut off."""
    cut = Finished(reason=FinishReason.LENGTH)
    with ScriptedPlanner(["Once upon", cut]) as planner:
        async with companions(planner) as parts:
            report = await parts.companion.take_turn(THREAD, Words(text="Tell"), unheard)
    assert (report.cut_off, report.interrupted) == (True, False)


async def test_a_turn_never_waits_for_a_fold(companions: Companions) -> None:
    """R5: with a summarizer that never answers, every turn is answered and every pair is shown."""
    gated = GatedSummarizer(ScriptedSummarizer())
    with ScriptedPlanner(*(f"A{n}" for n in range(8))) as planner:
        async with companions(planner, fallback=gated, window_size=2) as parts:
            for n in range(8):
                await say(parts, f"words {n}")
            memory = await parts.companion.memory(THREAD)
    assert [p.number for p in (*memory.pending, *memory.window)] == list(range(1, 9))
    assert all(f"words {n}" in str(planner.prompts[-1]) for n in range(8))


async def test_a_detached_fold_survives_the_garbage_collector(companions: Companions) -> None:
    """B32: a fold that nobody refers to but its owner lands all the same."""
    gated = GatedSummarizer(ScriptedSummarizer("Kept."))
    with ScriptedPlanner("A", "B") as planner:
        async with companions(planner, fallback=gated, window_size=1) as parts:
            await say(parts, "one")
            await say(parts, "two")
            await gated.wait_asked()
            gc.collect()
            gated.release_all()
            await parts.background.wait_done(THREAD)
            assert (await parts.companion.memory(THREAD)).summary.text == "Kept."


async def test_two_hundred_random_steps_send_only_well_formed_prompts(
    companions: Companions, clock: ManualClock
) -> None:
    """B55: whatever people and planners do, roles alternate and no message is empty."""
    chance = random.Random(7)  # noqa: S311  # for variety, not for secrets
    kinds = ["say", "fail", "stop", "empty", "reset", "expire", "back"]
    steps = [chance.choice(kinds) for _ in range(200)]
    gates = {n: Gate() for n, step in enumerate(steps) if step == "stop"}
    scripts = {"say": ["reply"], "fail": [PlannerError("no")], "empty": [" "]}
    replies = [
        ["part", gates[n]] if step == "stop" else scripts[step]
        for n, step in enumerate(steps)
        if step in {*scripts, "stop"}
    ]
    with ScriptedPlanner(*replies) as planner:
        async with companions(planner, window_size=2) as parts:
            for n, step in enumerate(steps):
                await _random_step(parts, clock, step, f"words {n}", gates.get(n))
    for prompt in planner.prompts:
        check_is_well_formed(prompt)


async def _random_step(
    parts: Parts, clock: ManualClock, step: str, words: str, gate: Gate | None
) -> None:
    if gate is not None:
        async with asyncio.TaskGroup() as group:
            group.create_task(say(parts, words))
            await gate.wait_reached()
            parts.companion.stop(THREAD)
    elif step in {"fail", "empty"}:
        with pytest.raises(PlannerError):
            await say(parts, words)
    elif step == "say":
        await say(parts, words)
    elif step == "reset":
        await parts.companion.reset(THREAD)
    elif step == "expire":
        clock.advance(timedelta(hours=1))
    elif step == "back":
        await parts.companion.take_back(THREAD)


@pytest.mark.parametrize("ends", ["reset", "stop"])
async def test_a_turn_that_is_still_composing_can_be_ended(
    companions: Companions, ends: str
) -> None:
    """R4: a reset or a stop before the prompt is made sends nothing of what was said."""
    gate = Gate()
    with ScriptedPlanner("Fresh.", traits_gate=gate) as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(
                parts.companion.take_turn(THREAD, Words(text="my CANARY"), unheard)
            )
            await gate.wait_reached()
            if ends == "reset":
                await parts.companion.reset(THREAD)
            else:
                assert parts.companion.stop(THREAD)
            report = await turn
            assert (report.text, report.interrupted, report.remembered) == ("", True, False)
            gate.open()
            assert await say(parts, "hello") == "Fresh."
    assert said(planner.prompts[0]) == ["hello"]


async def test_half_a_character_harms_neither_this_turn_nor_the_next(
    companions: Companions,
) -> None:
    """B64: half of an emoji, in words or reply, becomes a mark that every encoding can carry."""
    with ScriptedPlanner("cut \ud83d", "Yes.") as planner:
        async with companions(planner) as parts:
            assert await say(parts, "hi \udcff") == "cut ?"
            await say(parts, "and?")
    assert said(planner.prompts[1]) == ["hi ?", "cut ?", "and?"]


async def test_a_reply_cannot_take_a_turn_of_its_own_thread(companions: Companions) -> None:
    """What would wait for itself for ever is refused at once."""
    with ScriptedPlanner("One.") as planner:
        async with companions(planner) as parts:

            async def answer_within(_: object) -> None:
                await say(parts, "two")

            with pytest.raises(RuntimeError, match="own thread"):
                await parts.companion.take_turn(THREAD, Words(text="one"), answer_within)


async def test_words_that_waited_while_the_session_was_reset_are_not_answered(
    companions: Companions,
) -> None:
    """R4: what was said before a reset is not carried into the session after it."""
    gate = Gate()
    with ScriptedPlanner(["Half ", gate], "New.") as planner:
        async with companions(planner) as parts:
            first = asyncio.create_task(say(parts, "First"))
            await gate.wait_reached()
            waiting = asyncio.create_task(say(parts, "secrettwo"))
            await asyncio.sleep(0)
            await parts.companion.reset(THREAD)
            assert await first == "Half "
            with pytest.raises(SessionOverError):
                await waiting
            await say(parts, "Brand new")
            memory = await parts.companion.memory(THREAD)
    assert [pair.user_text for pair in memory.window] == ["Brand new"]
    assert "secrettwo" not in str(planner.prompts)


async def test_words_are_answered_in_the_session_they_were_meant_for_or_not_at_all(
    companions: Companions,
) -> None:
    """A session that is over answers nothing, the live one does."""
    with ScriptedPlanner("One.", "Two.") as planner:
        async with companions(planner) as parts:
            await say(parts, "First")
            over = (await parts.companion.memory(THREAD)).session_id
            await parts.companion.reset(THREAD)
            with pytest.raises(SessionOverError):
                await say(parts, "Second", said_in=over)
            live = (await parts.companion.memory(THREAD)).session_id
            assert await say(parts, "Third", said_in=live) == "Two."


async def test_a_reply_that_broke_off_is_kept_as_interrupted(companions: Companions) -> None:
    """R11: whose planner was gone in mid-word is no whole reply, and the next prompt says so."""
    broken: list[object] = ["Half a wo", Finished(reason=FinishReason.BROKEN_OFF)]
    with ScriptedPlanner(broken, "Whole.") as planner:  # type: ignore[arg-type]
        async with companions(planner) as parts:
            await say(parts, "Well?")
            assert (await parts.companion.memory(THREAD)).window[0].interrupted
            await say(parts, "Go on.")
    assert said(planner.prompts[1])[1] == "Half a wo [interrupted]"


async def test_what_turns_out_to_be_reasoning_is_never_remembered(companions: Companions) -> None:
    """B60: words that were taken back are in no report, no memory and no later prompt."""
    steps = [TextDelta("secret991"), Reasoned(), TextDelta("Teal.")]
    with ScriptedPlanner(steps, "Yes.") as planner:
        async with companions(planner) as parts:
            assert await say(parts, "Its colour?") == "Teal."
            await say(parts, "Sure?")
    assert said(planner.prompts[1]) == ["Its colour?", "Teal.", "Sure?"]


async def test_a_reply_that_was_taken_back_whole_is_empty(companions: Companions) -> None:
    """Reasoning alone is no reply, also where it was shown before that was told."""
    with ScriptedPlanner([TextDelta("secret991"), Reasoned()]) as planner:
        async with companions(planner) as parts:
            with pytest.raises(EmptyReplyError):
                await say(parts, "Its colour?")
            assert await parts.companion.conversation_history(THREAD) == ()
