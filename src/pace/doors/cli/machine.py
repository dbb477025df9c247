"""Machine mode: one JSON object a line, in and out, each line in answered by exactly one.

Before the answer there may be `delta`, `taken_back`, `ended` and `ask` lines, and nothing else is
ever written there. Only after an `ask` another line is read before the answer: the person's word
on it.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import timedelta
from typing import NoReturn, Protocol

from pace.asked import TurnReport, Words
from pace.doors.approving import asked_of
from pace.doors.faults import fault_sentence
from pace.doors.open_chat import OpenChat
from pace.errors import PaceError, RequestError, SettingsError
from pace.folding import FOLD_TIME_LIMIT
from pace.memory.prompt import recalled_turns
from pace.memory.thread import ThreadMemory
from pace.memory.turn import TurnId, TurnPair, is_blank
from pace.ports import ActionRequest, Approval, Notice, PlannerEvent, Reasoned, Shown, TextDelta

INTERRUPTED = 130
_LONGEST_SETTLE = 3600
# What each command may be told besides its name.
_COMMANDS: dict[str, frozenset[str]] = {
    "memory": frozenset(),
    "reset": frozenset(),
    "take_back": frozenset(),
    "settle": frozenset({"seconds"}),
    "window": frozenset({"value"}),
    "idle": frozenset({"value"}),
    "remember": frozenset({"value"}),
    "allow": frozenset({"always"}),
    "deny": frozenset(),
}
_WORDS_ON_ASKS = {"allow", "deny"}
_SETTINGS = {
    "window": "activity.window",
    "idle": "activity.idle_minutes",
    "remember": "activity.remember",
}
_NEXT_STEP = 'Send {"text": "..."}, or {"command": "..."} with one of ' + ", ".join(_COMMANDS) + "."
_SHOWN = 40

Answer = Mapping[str, object]


class Lines(Protocol):
    """Where lines come from."""

    async def next(self) -> bytes | None:
        """The next line, None at the end. Raises RequestError for one that is too long."""
        ...


class MachineMode:
    """Answers lines one at a time. `write` gets each line out, whole, and flushes it.

    `tell` hears a notice about a reply as soon as there is one; the reply holds them, too.
    """

    def __init__(
        self,
        chat: OpenChat,
        lines: Lines,
        write: Callable[[bytes], None],
        tell: Callable[[str], None],
    ) -> None:
        self._chat = chat
        self._lines = lines
        self._write = write
        self._tell = tell
        self._interrupted = asyncio.Event()
        self._answering: asyncio.Task[Answer] | None = None
        self._reading: asyncio.Task[bytes | None] | None = None
        self._shown: list[str] = []
        self._notices: list[str] = []
        self._in_turn = False
        self._is_unwritable = False

    async def run(self) -> int:
        """Answer until the input ends; gives the exit status."""
        while (following := await self._next()) is not None:
            answer = await self._answer(following)
            self._tell_ended()
            self._put(answer)
        if not self._interrupted.is_set():
            await self._unless_interrupted(self._chat.wait_folded(FOLD_TIME_LIMIT))
        await self._chat.close()
        self._tell_ended()
        return INTERRUPTED if self._interrupted.is_set() else 0

    def interrupt(self) -> None:
        """Stop the reply in progress; if there is none, end."""
        if not self._in_turn:
            self._interrupted.set()
        elif not self._chat.stop() and self._answering is not None:
            self._answering.cancel()

    # --- in

    async def _next(self) -> bytes | RequestError | None:
        """The next line; None at the end of input or when interrupted."""
        reading = self._begin_reading()
        await self._unless_interrupted(_quietly(reading))
        if not reading.done():
            reading.cancel()
            await asyncio.wait([reading])
            return None
        return self._read()

    def _begin_reading(self) -> asyncio.Task[bytes | None]:
        """Begin with the next line, unless somebody did who then had no use for it."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._lines.next())
        return self._reading

    def _read(self) -> bytes | RequestError | None:
        """The line that has come."""
        reading, self._reading = self._reading, None
        assert reading is not None, "no line was asked for"  # noqa: S101  # asked too early
        try:
            return reading.result()
        except RequestError as error:
            return error

    async def _unless_interrupted(self, work: Coroutine[None, None, None]) -> None:
        """Wait for the work's end or an interruption, whichever comes first."""
        task = asyncio.create_task(work)
        interruption = asyncio.create_task(self._interrupted.wait())
        try:
            await asyncio.wait({task, interruption}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in (task, interruption):
                waiting.cancel()
            await asyncio.wait({task, interruption})
        if not task.cancelled():
            task.result()

    # --- answers

    async def _answer(self, line: bytes | RequestError) -> Answer:
        self._answering = asyncio.create_task(self._answer_line(line))
        try:
            await asyncio.wait([self._answering])
        finally:
            if not self._answering.done():
                self._answering.cancel()
                await asyncio.wait([self._answering])
        if self._answering.cancelled():
            return _stopped_early()
        return self._answering.result()

    async def _answer_line(self, line: bytes | RequestError) -> Answer:
        try:
            request = _request(line)
            if "text" in request:
                return await self._reply(str(request["text"]))
            await self._obey(str(request["command"]), request)
            return await self._memory()
        except PaceError as error:
            return {"type": "error", "kind": error.kind, "message": str(error)}
        except Exception as error:
            if self._is_unwritable:
                raise
            return {"type": "error", "kind": "fault", "message": fault_sentence(error)}

    async def _reply(self, text: str) -> Answer:
        words = Words(text=text)
        self._shown.clear()
        self._notices.clear()
        self._in_turn = True
        turn = asyncio.create_task(self._chat.say(words, self._say))
        asking = asyncio.create_task(self._ask_for(words.turn_id))
        try:
            # Asking ends by a fault alone, after which nobody would answer.
            await asyncio.wait({turn, asking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._in_turn = False
            for task in (turn, asking):
                task.cancel()
            await asyncio.wait({turn, asking})
        if not asking.cancelled():
            asking.result()
        report = turn.result()
        if is_blank(report.text):
            return _stopped_early()
        return _reply_of(report, shown=self._shown, notices=self._notices)

    async def _ask_for(self, turn_id: TurnId) -> None:
        """Put each action that waits for a word, and read that word, for as long as the turn is."""
        async with aclosing(asked_of(self._chat.session, turn_id)) as requests:
            async for request in requests:
                self._tell_ended()
                self._put(_ask_of(request))
                self._chat.approvals.answer(request.call_id, await self._word())

    async def _word(self) -> Approval:
        """What the next lines say on an action; an end of input is a no."""
        while True:
            await asyncio.wait([self._begin_reading()])
            line = self._read()
            if line is None:
                return Approval.NO
            try:
                return _approval(_request(line))
            except RequestError as error:
                self._put({"type": "error", "kind": error.kind, "message": str(error)})

    async def _say(self, event: PlannerEvent) -> None:
        if isinstance(event, TextDelta):
            self._tell_ended()
            self._put({"type": "delta", "text": event.text})
        elif isinstance(event, Reasoned):
            self._put({"type": "taken_back", "kept": event.kept})
        elif isinstance(event, Shown):
            self._shown.append(event.text)
        elif isinstance(event, Notice):
            self._notices.append(event.sentence)
            self._tell(event.sentence)

    async def _obey(self, command: str, request: Mapping[str, object]) -> None:
        match command:
            case "reset":
                await self._chat.companion.reset(self._chat.thread_id)
            case "take_back":
                if await self._chat.take_back() is None:
                    raise RequestError("There is no turn to take back; the window is empty.")
            case "settle":
                limit = _seconds(request.get("seconds", FOLD_TIME_LIMIT.total_seconds()))
                await self._unless_interrupted(self._chat.wait_folded(limit))
            case "window" | "idle" | "remember":
                await self._change(command, request.get("value"))
            case "allow" | "deny":
                raise RequestError("No action waits for a word; allow and deny answer an ask.")

    async def _change(self, command: str, value: object) -> None:
        wanted = bool if command == "remember" else int
        if type(value) is not wanted:
            kind = "true or false" if wanted is bool else "a whole number"
            raise RequestError(f'The command {command} needs "value": {kind}.')
        try:
            self._chat.settings_file.wish(_SETTINGS[command], value)
        except SettingsError as error:
            raise RequestError(str(error)) from error
        await self._chat.apply()

    async def _memory(self) -> Answer:
        memory = await self._chat.memory()
        return {
            "type": "memory",
            "session": memory.session_id,
            "version": memory.summary.version,
            "summary": memory.summary.text,
            "made_by": memory.summary.made_by,
            "remember": memory.limits.remember,
            "pending": _pairs(memory.pending),
            "window": _pairs(memory.window),
            **_recall_of(memory),
        }

    # --- out

    def _tell_ended(self) -> None:
        with suppress(asyncio.QueueEmpty):
            while True:
                ended = self._chat.ended.get_nowait()
                self._put({"type": "ended", "session": ended.session_id, "cause": ended.cause})

    def _put(self, answer: Answer) -> None:
        # Half a surrogate pair cannot be written as UTF-8; as an escape it is still good JSON.
        text = json.dumps(answer, ensure_ascii=False)
        try:
            self._write(text.encode("utf-8", "backslashreplace") + b"\n")
        except OSError:
            self._is_unwritable = True
            raise


async def _quietly(task: asyncio.Task[bytes | None]) -> None:
    await asyncio.wait([task])


def _reply_of(report: TurnReport, *, shown: Sequence[str], notices: Sequence[str]) -> Answer:
    parts = report.parts
    return {
        "type": "reply",
        "turn": report.turn_id,
        "text": report.text,
        "interrupted": report.interrupted or report.broke_off,
        "model": report.model,
        **({"trouble": report.trouble} if report.trouble else {}),
        **({"shown": list(shown)} if shown else {}),
        **({"notices": list(notices)} if notices else {}),
        "prompt": {
            "tokens": parts.total,
            "parts": {
                "system": parts.system,
                "summary": parts.summary,
                "pending": parts.pending,
                "window": parts.window,
                "facts": parts.facts,
                "recalled": parts.recalled,
                "words": parts.words,
            },
            "gave_way": list(report.gave_way),
        },
    }


def _ask_of(request: ActionRequest) -> Answer:
    return {
        "type": "ask",
        "action": request.action,
        "would": request.would,
        "risk": request.risk.value,
    }


def _approval(request: Mapping[str, object]) -> Approval:
    if request.get("command") not in _WORDS_ON_ASKS:
        raise RequestError("An action waits for a word. Send allow or deny first.")
    always = request.get("always", False)
    if not isinstance(always, bool):
        raise RequestError('"always" has to be true or false.')
    if request["command"] == "deny":
        return Approval.NO
    return Approval.ALWAYS if always else Approval.ONCE


def _stopped_early() -> Answer:
    """A turn that was stopped before its first word counts as failed (R11)."""
    return {
        "type": "error",
        "kind": "interrupted",
        "message": "The reply was stopped before its first word; nothing of it is remembered.",
    }


def _recall_of(memory: ThreadMemory) -> Answer:
    """With recall on: how many older pairs are kept whole, and what the last words ask for."""
    if not memory.limits.recall:
        return {}
    return {"recall": {"kept": len(memory.displaced), "recalled": recalled_turns(memory)}}


def _pairs(pairs: Iterable[TurnPair]) -> list[dict[str, object]]:
    return [
        {
            "turn": pair.turn_id,
            "user": pair.user_text,
            "reply": pair.reply_text,
            "interrupted": pair.interrupted,
        }
        for pair in pairs
    ]


# --- lines


def _request(line: bytes | RequestError) -> Mapping[str, object]:
    """A line that holds `text`, or a known `command` with nothing but what it may be told."""
    if isinstance(line, RequestError):
        raise line
    request = _parsed(line)
    if not isinstance(request, dict):
        raise RequestError(f"The line is no JSON object. {_NEXT_STEP}")
    if ("text" in request) == ("command" in request):
        raise RequestError(f"The line asks for nothing, or for two things. {_NEXT_STEP}")
    if "text" in request:
        _refuse_others(request, frozenset({"text"}))
        if not isinstance(request["text"], str):
            raise RequestError('"text" has to be a string.')
        return request
    command = request["command"]
    if not isinstance(command, str) or command not in _COMMANDS:
        raise RequestError(f"There is no command {_shown(command)}. {_NEXT_STEP}")
    _refuse_others(request, _COMMANDS[command] | {"command"})
    return request


def _parsed(line: bytes) -> object:
    try:
        return json.loads(
            line.decode("utf-8-sig", "replace"),
            object_pairs_hook=_each_once,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The line is no valid JSON. {_NEXT_STEP}") from error


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    held = dict(pairs)
    if len(held) != len(pairs):
        raise RequestError("The line says a key twice. Send each key once.")
    return held


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _refuse_others(request: Mapping[str, object], allowed: frozenset[str]) -> None:
    others = sorted(set(request) - allowed)
    if others:
        known = ", ".join(f'"{key}"' for key in sorted(allowed))
        raise RequestError(f"{_shown(others[0])} means nothing here; this line may hold {known}.")


def _seconds(value: object) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RequestError('"seconds" has to be a number.')
    if not 0 <= value <= _LONGEST_SETTLE:
        raise RequestError(f'"seconds" has to be 0 to {_LONGEST_SETTLE}.')
    return timedelta(seconds=value)


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
