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


async def test_what_is_told_meanwhile_leaves_words_and_question_where_they_were():
    """A timer that rings is told above a question that is open, which still stands there."""
    told = []

    def notices():
        return [told.pop() for _ in range(len(told))]

    drawn, canvas = canvas_on(60, 12)
    view = TurnView(canvas, notices)
    frames = asyncio.create_task(view.run())
    await view.say(TextDelta("On it."))
    view.ask([Text("Pace would ring."), Text("Type y or n")])
    question = ["On it.", "", "Pace would ring.", "Type y or n"]
    await drawn_so(drawn, question)
    told.append(Text("The timer rings."))
    await drawn_so(drawn, ["The timer rings.", *question])
    told.append(Text("It rings again."))
    await drawn_so(drawn, ["The timer rings.", "It rings again.", *question])
    frames.cancel()
    await asyncio.wait([frames])
