"""How often a model asks for the right action, and whether all that it writes is an envelope.

    python benchmarks/actions.py right [--model default|tiny] [--part tuned|held_out] [--every N]
    python benchmarks/actions.py valid [--model default|tiny] [--count 200]

`right` asks what `action_requests.json` lists: a third of it needs no action, and a third of it was
held out while words and examples of the prompt were chosen. A request is right if the actions that
would have been run are the expected ones, in their order, and so are their main arguments, after
each action's own check. `valid` asks for actions alone and exits 1 unless every reply is an
envelope, names only known actions, took one call of the planner, and ran its calls in order.

Nothing is done: each action only notes how it was called.
"""

import argparse
import asyncio
import json
import re
import statistics
import sys
import time
import unicodedata
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from pace.acting import Acting, TurnActions
from pace.actions.builtin import builtin_actions
from pace.actions.notes.folder import NotesFolder
from pace.actions.timers.durations import duration_of
from pace.actions.timers.timers import Timers
from pace.envelope.form import reply_form
from pace.envelope.model import INTENT, Envelope, Intent
from pace.envelope.reading import EnvelopeReader
from pace.errors import ActionRefusedError, PlannerError
from pace.folders import Folders
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import Draft, Prompt, set_prompt
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, TurnId
from pace.planners.catalogue import DEFAULT, TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.options import ReplyOptions
from pace.ports import (
    Action,
    ActionResult,
    Arguments,
    Finished,
    FinishReason,
    Planner,
    PlannerEvent,
    TextDelta,
)
from pace.settings import DEFAULT_INSTRUCTIONS
from pace.testing import FixedActions, ScriptedApprover

REQUESTS = Path(__file__).with_name("action_requests.json")
THREAD, SESSION = ThreadId("bench"), SessionId("bench")
REPLY_TOKENS = 400
# What an action's name and its one telling argument are called; the others have none.
MAIN = {
    "open_app": "name",
    "open_address": "address",
    "write_clipboard": "text",
    "start_timer": "duration",
    "cancel_timer": "label",
    "take_note": "text",
    "append_note": "text",
    "search_notes": "query",
}


# No more than this is said ahead of an action.
_BRIEF = 250


class Noted:
    """An action of this installation whose runs are only noted."""

    def __init__(self, action: Action, runs: list[tuple[str, Arguments]]) -> None:
        self._action = action
        self._runs = runs
        self.traits = action.traits
        self.would = action.would

    def checked(self, arguments: Arguments) -> Arguments:
        try:
            return self._action.checked(arguments)
        except ActionRefusedError:
            self._runs.append((self.traits.name, {}))
            raise

    async def run(self, arguments: Arguments) -> ActionResult:
        self._runs.append((self.traits.name, arguments))
        return ActionResult(line="Done.")


class Watched:
    """A planner whose calls are counted, and whose reply is kept as it came."""

    def __init__(self, inner: Planner) -> None:
        self._inner = inner
        self.calls = 0
        self.talks_briefly = False
        self.raw = ""
        self.finished: Finished | None = None
        self.traits = inner.traits
        self.count_tokens = inner.count_tokens
        self.prepare = inner.prepare
        self.forget = inner.forget
        self.aclose = inner.aclose

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        self.calls += 1
        self.raw, self.finished = "", None
        async with aclosing(self._inner.stream(prompt)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    self.raw += event.text
                    if self.talks_briefly and _is_talk(self.raw):
                        return
                if isinstance(event, Finished):
                    self.finished = event
                yield event


@dataclass(frozen=True)
class Asked:
    """What came of one request."""

    said: str
    runs: list[tuple[str, Arguments]]
    raw: str
    envelope: Envelope | None
    calls: int
    seconds: float
    tokens: int


@dataclass
class Desk:
    """Everything that a request is asked with."""

    planner: Watched
    runs: list[tuple[str, Arguments]] = field(default_factory=list)
    turns: int = 0

    def __post_init__(self) -> None:
        self.actions = [Noted(action, self.runs) for action in built_in()]
        self.traits = [action.traits for action in self.actions]
        self.acting = Acting(
            FixedActions(*cast("Sequence[Action]", self.actions)),
            approver=ScriptedApprover(),
            is_on=lambda: True,
            allowed=lambda: frozenset(traits.name for traits in self.traits),
        )

    async def ask(self, said: str) -> Asked:
        """One turn of a conversation that has just begun."""
        self.runs.clear()
        self.turns += 1
        began, before = time.perf_counter(), self.planner.calls
        turn = TurnActions(
            thread_id=THREAD,
            session_id=SESSION,
            turn_id=TurnId(f"turn {self.turns}"),
            reply_tokens=REPLY_TOKENS,
        )
        try:
            await self.acting.answer(self.planner, self._prompt(said), turn, _unheard)
        except PlannerError as error:
            print(f"  {said!r}: {error}")
        finished = self.planner.finished
        return Asked(
            said=said,
            runs=list(self.runs),
            raw=self.planner.raw,
            envelope=self._envelope(),
            calls=self.planner.calls - before,
            seconds=time.perf_counter() - began,
            tokens=0 if finished is None else finished.reply_tokens or 0,
        )

    def _prompt(self, said: str) -> Prompt:
        memory = ThreadMemory(
            thread_id=THREAD,
            session_id=SESSION,
            limits=ThreadLimits(),
            last_active_at=datetime.now(UTC),
        )
        system = f"{DEFAULT_INSTRUCTIONS}\n\n{self.acting.instructions()}"
        draft = Draft.of(memory, system=system, words=said)
        return set_prompt(draft, estimate_tokens)

    def _envelope(self) -> Envelope | None:
        finished = self.planner.finished
        reader = EnvelopeReader([traits.name for traits in self.traits])
        reader.feed(self.planner.raw)
        is_cut = finished is None or finished.reason is not FinishReason.STOP
        try:
            envelope = reader.finish(cut_off=is_cut, tokens=None)
        except PlannerError:
            return None
        return None if envelope.is_plain else envelope


async def _unheard(event: PlannerEvent) -> None:
    """Nobody listens."""


def built_in() -> tuple[Action, ...]:
    """The actions that ship, over nothing: none of them is run."""
    return builtin_actions(notes=cast("NotesFolder", None), timers=cast("Timers", None))


def _is_talk(raw: str) -> bool:
    """Whether a reply, so far, can no longer become one that asks for an action."""
    intent = re.search(rf'"{INTENT}": ?"(\w+)"', raw)
    return len(raw) > _BRIEF if intent is None else intent[1] != Intent.ACTION


# --- what is right


def is_right(asked: Asked, wanted: Sequence[Sequence[object]]) -> tuple[bool, bool]:
    """Whether the actions are the expected ones, and whether their main arguments are, too."""
    if [name for name, _ in asked.runs] != [name for name, _ in wanted]:
        return False, False
    pairs = zip(asked.runs, wanted, strict=True)
    return True, all(_fits(name, args, main) for (name, args), (_, main) in pairs)


def _fits(name: str, args: Arguments, main: object) -> bool:
    if main is None:
        return True
    got = str(args.get(MAIN[name], ""))
    choices = [str(choice) for choice in (main if isinstance(main, list) else [main])]
    if name == "start_timer":
        return bool(got) and any(duration_of(got) == duration_of(choice) for choice in choices)
    if name == "open_address":
        return any(_address(got) == _address(choice) for choice in choices)
    return any(set(_words(choice)) <= set(_words(got)) for choice in choices)


def _address(text: str) -> str:
    bare = str(Path(text.strip()).expanduser()) if text.strip().startswith("~") else text.strip()
    bare = bare.casefold().removeprefix("https://").removeprefix("http://")
    return bare.removeprefix("www.").rstrip("/")


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char if char.isalnum() else " " for char in plain).split()


# --- the two runs


async def right(desk: Desk, part: str | None, every: int) -> None:
    """Print how often action and main argument are right, by part, and what was not."""
    listed: Mapping[str, list[dict[str, object]]] = json.loads(REQUESTS.read_text("utf-8"))
    for name, requests in listed.items():
        if part not in {None, name}:
            continue
        seconds, counts = [], {"action": [0, 0, 0], "none": [0, 0, 0]}
        for request in requests[::every]:
            wanted = cast("list[list[object]]", request["calls"])
            asked = await desk.ask(str(request["said"]))
            seconds.append(asked.seconds)
            named, fitting = is_right(asked, wanted)
            tally = counts["action" if wanted else "none"]
            tally[0] += 1
            tally[1] += named
            tally[2] += fitting
            if not fitting:
                print(f"  {asked.said}\n    wanted {wanted}\n    {asked.raw}", flush=True)
        total, names, mains = (sum(kind[at] for kind in counts.values()) for at in range(3))
        print(f"{name}: {total} requests, median {statistics.median(seconds):.1f} s")
        print(f"  the right action: {names} ({names / total:.0%})")
        print(f"  and the right main argument: {mains} ({mains / total:.0%})")
        for kind, (asked_for, _, good) in counts.items():
            print(f"  of {asked_for} that need {kind}: {good}", flush=True)


async def valid(desk: Desk, count: int) -> bool:
    """Ask for actions alone; print what holds, and tell whether all of it does."""
    known = {traits.name for traits in desk.traits}
    whole = known_only = once = ordered = doubles = 0
    for said in prompts(count):
        asked = await desk.ask(said)
        envelope = asked.envelope
        if envelope is None:
            print(
                f"  no envelope: {said}\n    {asked.raw[:200]} ... {asked.raw[-200:]}", flush=True
            )
            continue
        whole += 1
        known_only += all(call.name in known for call in envelope.calls)
        once += asked.calls == 1
        ordered += [name for name, _ in asked.runs] == _unrepeated(envelope)
        doubles += len(envelope.calls) > 1
    print(f"{count} prompts: {whole} envelopes, {known_only} with known actions only,")
    print(f"  {once} with one call, {ordered} run in order ({doubles} of several actions)")
    return {whole, known_only, once, ordered} == {count}


def _unrepeated(envelope: Envelope) -> list[str]:
    """The names of what is run: the very same call is made once."""
    seen: list[tuple[str, Arguments]] = []
    for call in envelope.calls:
        if (call.name, call.args) not in seen:
            seen.append((call.name, call.args))
    return [name for name, _ in seen]


def prompts(count: int) -> list[str]:
    """Requests for one action and, every fourth time, for two."""
    things = "tea pasta rice laundry bread the-call".replace("-", " ").split(" ")
    single = [
        lambda n: f"Set a timer for {n} minutes.",
        lambda n: f"Start a {n} second timer for {things[n % len(things)]}.",
        lambda n: f"Open example{n}.org",
        lambda n: f"Open the app Editor {n}.",
        lambda n: f"Take a note: room {n} is free.",
        lambda n: f"Add {n} eggs to my shopping list.",
        lambda n: f"Copy the number {n} to the clipboard.",
        lambda n: f"Search my notes for invoice {n}.",
        lambda n: f"Cancel the {things[n % len(things)]} timer.",
    ]
    made = []
    for n in range(1, count + 1):
        first, second = single[n % 9](n), single[(n * 4 + 1) % 9](n + 1)
        both = f"{first[:-1]} and then {second[0].lower()}{second[1:]}"
        made.append(both if n % 4 == 0 else first)
    return made


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", choices=["right", "valid"])
    parser.add_argument("--model", choices=["default", "tiny"])
    parser.add_argument("--part", choices=["tuned", "held_out"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--brief", action="store_true", help="stop a reply that is no action")
    parser.add_argument("--temperature", type=float, default=0.4)
    asked = parser.parse_args()
    model = asked.model or ("tiny" if asked.run == "valid" else "default")
    file = TINY if model == "tiny" else DEFAULT
    options = ReplyOptions(temperature=asked.temperature, reply_tokens=REPLY_TOKENS)
    path = Folders.of().models / file.file
    async with aclosing(EmbeddedPlanner.of(file, path, options=lambda: options)) as planner:
        desk = Desk(Watched(planner))
        desk.planner.talks_briefly = asked.brief
        form = reply_form(desk.traits, REPLY_TOKENS)
        counted = await planner.count_tokens([desk.acting.instructions(), form.schema])
        print(f"{file.title}: instructions {counted[0]} tokens, schema {counted[1]}", flush=True)
        if asked.run == "right":
            await right(desk, asked.part, asked.every)
            return 0
        return 0 if await valid(desk, asked.count) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
