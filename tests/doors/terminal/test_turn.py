"""What a turn shows: words, a question below them, and whatever is told meanwhile above both."""

import asyncio

from rich.text import Text

from doors.terminal.drawn import canvas_on
from pace.doors.cli.terminal.turn import TurnView
from pace.ports import TextDelta


async def drawn_so(drawn, lines):
    """Wait for a frame that leaves these lines on the screen."""
    async with asyncio.timeout(20):
        while drawn.lines() != lines:  # noqa: ASYNC110  # frames come by a clock of their own
            await asyncio.sleep(0)


def begun():
    """A turn on a screen: the screen, what it is to tell, its view, and the frames at work."""
    told = []
    drawn, canvas = canvas_on(60, 12)
    view = TurnView(canvas, lambda: [told.pop() for _ in range(len(told))])
    return drawn, told, view, asyncio.create_task(view.run())


async def test_what_is_told_meanwhile_stands_between_the_words_and_the_question():
    """A timer that rings is told above a question that is open, below the words before it."""
    drawn, told, view, frames = begun()
    await view.say(TextDelta("On it."))
    view.ask([Text("Pace would ring."), Text("Type y or n")])
    question = ["", "Pace would ring.", "Type y or n"]
    await drawn_so(drawn, ["On it.", *question])
    told += [Text(), Text("The timer rings.")]
    rings = ["On it.", "", "The timer rings."]
    await drawn_so(drawn, [*rings, *question])
    told += [Text(), Text("It rings again.")]
    rings += ["", "It rings again."]
    await drawn_so(drawn, [*rings, *question])
    view.ask(())
    await view.say(TextDelta("\n\nDid ring ten."))
    await drawn_so(drawn, [*rings, "", "Did ring ten."])
    frames.cancel()
    await asyncio.wait([frames])


async def test_what_is_told_in_the_middle_of_a_block_waits_for_its_end():
    """A block that outgrew the screen is not broken by a timer that rings."""
    drawn, told, view, frames = begun()
    lines = [f"line {number}" for number in range(30)]
    await view.say(TextDelta("  \n".join(lines[:-1])))
    await drawn_so(drawn, lines[:-1])
    told.append(Text("The timer rings."))
    await view.say(TextDelta(f"  \n{lines[-1]}"))
    await drawn_so(drawn, lines)
    frames.cancel()
    await asyncio.wait([frames])
    view.finish()
    assert drawn.lines() == [*lines, "", "The timer rings."]


async def test_what_is_told_as_a_turn_ends_stands_below_its_words():
    """Words that could be read before the timer rang stay above it."""
    drawn, told, view, frames = begun()
    await view.say(TextDelta("Started a timer."))
    await drawn_so(drawn, ["Started a timer."])
    frames.cancel()
    await asyncio.wait([frames])
    told.append(Text("The timer rings."))
    view.finish()
    assert drawn.lines() == ["Started a timer.", "", "The timer rings."]
