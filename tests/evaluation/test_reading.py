"""A reader is asked what it is shown, and its answers are counted by the facts in them."""

import asyncio

from evaluation.talking import fact, small_talk, talk
from pace.evaluation.reading import SYSTEM, Shown, questions_of, read
from pace.evaluation.replay import Replay, replay
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import Prompt
from pace.ports import PlannerTraits, Reasoned, TextDelta
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.testing import ScriptedPlanner

QUESTION = "What is my booking?"
FACTS = (
    fact(0, "KX-4417", cues="booking", question=QUESTION),
    fact(0, "9:15", cues="train"),
)
TOLD = ("My booking is KX-4417.", "Noted: your train leaves at 9:15.")


def replayed(name: str = "talk") -> Replay:
    """A talk whose first turn has left the window."""
    of = talk(TOLD, *small_talk(8), facts=FACTS, name=name)
    return asyncio.run(replay(of, ExtractiveSummarizer(), ThreadLimits()))


def text_of(prompt: Prompt) -> str:
    """All that stands in a prompt."""
    return "\n".join(message.content for message in prompt.messages)


def test_reader_is_shown_three_things() -> None:
    """Pace's prompt and the whole history hold the fact, the window does not; each is asked."""
    with ScriptedPlanner("It is KX-4417.", "I do not know.", "KX 4417") as reader:
        reading = asyncio.run(read([replayed()], reader))
    for prompt in reader.prompts:
        assert prompt.messages[0].content.startswith(SYSTEM)
        assert prompt.messages[-1].content == QUESTION
    texts = [text_of(prompt) for prompt in reader.prompts]
    assert [TOLD[1] in text for text in texts] == [False, False, True]
    assert ["KX-4417" in text for text in texts] == [True, False, True]
    right = {what: answered.right.part for what, answered in reading.by_shown.items()}
    assert right == {Shown.PACE: 1, Shown.WINDOW: 0, Shown.HISTORY: 1}
    tokens = [reading.by_shown[what].prompt_tokens for what in Shown]
    assert tokens[1] < tokens[0]
    assert reading.questions == 1


def test_reasoning_is_no_answer() -> None:
    """What a reader thinks aloud counts for nothing."""
    script = (
        (TextDelta("KX-4417, or was it?"), Reasoned(), TextDelta("No idea.")),
        "<think>KX-4417</think> No idea.",
    )
    with ScriptedPlanner(*script) as reader:
        reading = asyncio.run(read([replayed("a"), replayed("b")], reader, shown=[Shown.PACE]))
    assert reading.by_shown[Shown.PACE].right.part == 0


def test_reply_without_end_is_stopped() -> None:
    """It is no answer in a few words, and the planner is not left at it."""
    with ScriptedPlanner(["Well, "] * 2_000) as reader:
        asyncio.run(read([replayed()], reader, shown=[Shown.PACE]))
    assert len(reader.stopped) == 1


def test_questions_are_drawn_evenly() -> None:
    """Of many talks, a few questions are of several of them."""
    talks = [replayed(str(number)) for number in range(6)]
    assert [at for at, _ in questions_of(talks)] == [0, 1, 2, 3, 4, 5]
    assert [at for at, _ in questions_of(talks, most=3)] == [0, 2, 4]


def test_history_that_does_not_fit_is_shortened_and_counted() -> None:
    """A reader with a small context sees less of it, and the figures say so."""
    traits = PlannerTraits(name="small", model="s", context_tokens=400, on_this_machine=True)
    with ScriptedPlanner("No idea.", traits=traits) as reader:
        reading = asyncio.run(read([replayed()], reader, shown=[Shown.HISTORY]))
    assert reading.by_shown[Shown.HISTORY].shortened == 1
