"""What a person does with the conversation: messages, and second thoughts about the last one."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from rich.text import Text

from pace.asked import TurnReport, Words
from pace.doors.approving import asked_of, wait_answered
from pace.doors.cli.terminal.asking import InputLine
from pace.doors.cli.terminal.attachment import Attachment, attachment_of
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.clipboard import copy_text
from pace.doors.cli.terminal.look import DIM, ERROR
from pace.doors.cli.terminal.question import question
from pace.doors.cli.terminal.turn import TurnView
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.doors.switching import others_sentence
from pace.doors.taking_turns import STOPPED_EARLY
from pace.errors import PaceError
from pace.folders import Folders
from pace.memory.fitting import Room
from pace.memory.turn import TurnId, TurnPair
from pace.planners.falling_back import CANNOT_ANSWER
from pace.planners.offers import offers, usable_others
from pace.ports import Approval

_WORDS = {
    **dict.fromkeys(("y", "yes"), Approval.ONCE),
    **dict.fromkeys(("n", "no"), Approval.NO),
    "always": Approval.ALWAYS,
}
_GO_ON = "Go on exactly where you stopped."
_EXCERPT = 60


class Talking:
    """The turns of one conversation on a canvas, and what waits for the next one."""

    def __init__(
        self, chat: OpenChat, canvas: Canvas, line: InputLine, notices: Callable[[], list[Text]]
    ) -> None:
        self._chat = chat
        self._canvas = canvas
        self._line = line
        self._notices = notices
        self._files: list[Attachment] = []
        self._stop: Callable[[], None] | None = None
        self._has_offered_others = False
        self.prefill = ""
        """What the input line is to begin with."""
        self.replacing: TurnId | None = None
        """The turn whose place the next message takes."""
        self._unsent = ""
        """Words that wait for another planner, after the one they went to could not answer."""

    # --- turns

    async def say(self, text: str) -> None:
        """Send a message, with the files that wait for it."""
        whole = "\n\n".join([text, *(file.block for file in self._files)])
        replaces, self.replacing = self.replacing, None
        self.prefill = self._unsent = ""
        was_answered = False
        try:
            was_answered = await self._turn(Words(text=whole, replaces=replaces))
        finally:
            if was_answered:
                self._files.clear()
            elif self._has_offered_others:
                # Who follows the offer types a command, which may not stand behind these words.
                self._unsent, self.replacing = text, replaces
            else:
                self.prefill, self.replacing = text, replaces

    async def retry(self) -> None:
        """Have the last message answered anew; the new reply takes the old one's place.

        One that nobody could answer is sent again.
        """
        if self._unsent:
            await self.say(self._unsent)
            return
        pair = await self._last_pair("try again")
        if pair is not None:
            await self._turn(Words(text=pair.user_text, replaces=pair.turn_id))

    async def go_on(self) -> None:
        """Ask for the rest of a reply that was cut or stopped."""
        pair = await self._last_pair("go on with")
        if pair is None:
            return
        row = self._chat.session.row(pair.turn_id)
        if not (pair.interrupted or (row is not None and row.cut_off)):
            self.tell("The last reply is whole. Ask for more in your own words.")
            return
        await self._turn(Words(text=_GO_ON))

    def stop(self) -> bool:
        """Stop the reply that comes; False if there is none."""
        if self._stop is None:
            return False
        self._stop()
        return True

    async def _turn(self, words: Words) -> bool:
        """Take one turn on the screen; whether anything was said in reply."""
        self._has_offered_others = False
        self._canvas.hide_cursor()
        view = TurnView(self._canvas, self._notices)
        try:
            report = await self._answer(words, view)
        except PaceError as error:
            self.tell_error(str(error))
            if isinstance(error, CANNOT_ANSWER):
                await self._offer_others()
            return False
        finally:
            self._canvas.show_cursor()
        if report is None or not report.text.strip():
            self.tell(STOPPED_EARLY)
            return False
        view.report(report)
        self._canvas.write("")
        return True

    async def _answer(self, words: Words, view: TurnView) -> TurnReport | None:
        """Let the companion answer; None if it was stopped before it began."""
        turn = asyncio.create_task(self._chat.say(words, view.say), name="turn")
        frames = asyncio.create_task(view.run(), name="frames")
        asking = asyncio.create_task(self._ask_for(words.turn_id, view), name="asking")

        def stop() -> None:
            if not self._chat.stop():
                turn.cancel()

        self._stop = stop
        try:
            with self._line.replying(stop):
                # The last two end by a fault alone.
                await asyncio.wait([turn, frames, asking], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._stop = None
            for task in (turn, frames, asking):
                task.cancel()
            await asyncio.wait([turn, frames, asking])
        for task in (frames, asking):
            if not task.cancelled():
                task.result()
        view.finish()
        return None if turn.cancelled() else turn.result()

    async def _ask_for(self, turn_id: TurnId, view: TurnView) -> None:
        """Ask about each action of the turn that waits for a word; another screen may be faster."""
        async with aclosing(asked_of(self._chat.session, turn_id)) as requests:
            async for request in requests:
                view.ask(question(request, self._canvas.width, self._canvas.look.signs.dot))
                word = asyncio.create_task(self._line.choose(_WORDS, view.show_typed))
                over = asyncio.create_task(wait_answered(self._chat.session, request))
                try:
                    await asyncio.wait({word, over}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    word.cancel()
                    over.cancel()
                    await asyncio.wait({word, over})
                    view.ask(())
                if not word.cancelled():
                    self._chat.approvals.answer(request.call_id, _WORDS[word.result()])

    # --- second thoughts

    async def edit(self) -> None:
        """Put the last message into the input line; what is sent then takes its place."""
        pair = await self._last_pair("edit")
        if pair is not None:
            self.prefill, self.replacing = pair.user_text, pair.turn_id

    async def undo(self) -> None:
        """Take the last pair back, and show what it was."""
        pair = await self._chat.take_back()
        if pair is None:
            self.tell("There is nothing to take back: no turn stands in the window.")
            return
        self.forget()
        for who, words in (("you", pair.user_text), ("Pace", pair.reply_text)):
            self._canvas.write(Text(f"  {who:<5}{self._excerpt(words)}", DIM))
        self.tell("Taken back; the model will not see it.")

    async def copy(self) -> None:
        """Copy the last reply, as it was written."""
        row = self._chat.session.last_row
        if row is None:
            self.tell("There is no reply to copy yet. Say something first.")
        elif await copy_text(row.reply_text, self._canvas.send):
            self.tell(f"Copied {len(row.reply_text):,} characters.")
        else:
            self.tell("Nothing here can reach the clipboard. Select the text instead.")

    async def add_file(self, written: str) -> None:
        """Have a text file go with the next message."""
        if not written:
            waiting = ", ".join(safe_line(file.name) for file in self._files)
            self.tell(f"Waiting for your next message: {waiting}." if waiting else _FILE_USAGE)
            return
        if written == "off":
            self._files.clear()
            self.tell("No file goes with your next message.")
            return
        try:
            file = attachment_of(written, room=await self._room())
        except PaceError as error:
            self.tell_error(str(error))
            return
        self._files.append(file)
        self.tell(
            f"{safe_line(file.name)} goes with your next message: {len(file.text):,} characters, "
            f"about {file.tokens:,} tokens. /file off drops it."
        )

    def forget(self) -> None:
        """Let go of what belongs to a session that is over, or to a turn taken back."""
        self.replacing = None
        self._unsent = ""

    @property
    def waiting_files(self) -> int:
        """How many files go with the next message."""
        return len(self._files)

    # --- words of Pace's own

    def tell(self, sentence: str) -> None:
        """Say something about the conversation, quietly."""
        self._write(Text(sentence, DIM))

    def tell_error(self, sentence: str) -> None:
        """Say what went wrong, and what to do."""
        self._write(Text(safe_line(sentence), ERROR))

    def _write(self, text: Text) -> None:
        self._canvas.write(*wrapped(text, self._canvas.width), "")

    # --- inside

    async def _offer_others(self) -> None:
        """Name who else could answer; nothing is done before the person says so."""
        found = await offers(self._chat.settings, models=Folders.of().models)
        if sentence := others_sentence(usable_others(found), command="/tier"):
            self.tell(f"{sentence} /retry then sends your message again.")
            self._has_offered_others = True

    async def _last_pair(self, doing: str) -> TurnPair | None:
        memory = await self._chat.companion.memory(self._chat.thread_id)
        if not memory.window:
            self.tell(f"There is nothing to {doing} yet: no turn stands in the window.")
            return None
        return memory.window[-1]

    async def _room(self) -> int:
        """The tokens that words may have, by what the next prompt needs for the rest."""
        prompt = await self._chat.companion.next_prompt(self._chat.thread_id, "")
        traits = await self._chat.parts.planner.traits()
        waiting = sum(file.tokens for file in self._files)
        room = Room(
            context_tokens=traits.context_tokens,
            reply_tokens=self._chat.settings.planner.reply_tokens,
        )
        return max(room.for_prompt - prompt.parts.system - waiting, 0)

    def _excerpt(self, words: str) -> str:
        line = safe_line(words)
        room = min(_EXCERPT, self._canvas.width - 8)
        return line if len(line) <= room else f"{line[:room]}{self._canvas.look.signs.dots}"


_FILE_USAGE = "Name a text file: /file PATH adds it to your next message."
