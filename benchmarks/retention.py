"""How many of the checkable facts of long talks are still in Pace's prompt at their end.

Run: python benchmarks/retention.py DATA.jsonl --script PATH/retention.py [--source locomo4]

Talks are replayed turn by turn through Pace's own memory, each displaced pair folded at once by the
extractive summarizer, K = 4, 400 tokens of summary. The measuring script and its data are not ours
and stand elsewhere; the script wants `snowballstemmer`. Exits 1 if anything is below its floor.
"""

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from pace.memory.prompt import Draft, set_prompt
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId
from pace.summarizers.extractive import fold_extractively

_NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_SESSION = SessionId("session")
_WINDOW = 4
_BUDGET = 400
_FOLD_MS = 5.0
_FUNCTION_WORDS = 0.30
# Least per cent of facts kept at the end of a talk: anywhere in the prompt, and beside a word that
# ties them to their subject.
_FLOORS = {
    "locomo4": (65.0, 55.0),
    "sgd3": (94.0, None),
    "mwoz5": (83.0, None),
    "dialogsum8": (75.0, None),
}
# Our own lead is no word that nobody said.
_LEADS = {"pace", "user", "earlier"}


class _Replay:
    """One talk through a thread of its own, in the form that the measuring script asks for."""

    fold_ms: list[float]

    def __init__(self, fold_ms: list[float]) -> None:
        self.fold_ms = fold_ms
        self._turns = 0
        self._memory = ThreadMemory(
            thread_id=ThreadId("thread"), session_id=_SESSION, last_active_at=_NOW
        )

    def record(self, user: str, assistant: str) -> None:
        self._turns += 1
        turn_id = TurnId(str(self._turns))
        turn = FinishedTurn(
            turn_id=turn_id,
            session_id=_SESSION,
            user_text=user or "…",
            reply_text=assistant or "…",
            recorded_at=_NOW,
        )
        memory, _ = self._memory.accept(turn_id).record(turn, now=_NOW)
        memory, fold = memory.stamp_fold()
        if fold is not None:
            begun_at = time.process_time()
            update = fold_extractively(fold)
            self.fold_ms.append((time.process_time() - begun_at) * 1000)
            memory, _ = memory.apply_summary_update(update)
        self._memory = memory

    def context(self) -> str:
        prompt = set_prompt(Draft.of(self._memory, system="", words=""), estimate_tokens)
        return "\n".join(f"{m.role}: {m.content}" for m in prompt.messages[:-1])

    def summary(self) -> str:
        return self._memory.summary.text


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("measuring", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python script.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.FRAME |= _LEADS
    return module


def _counter() -> tuple[Callable[[str], int], str]:
    try:
        import bpe_openai  # noqa: PLC0415 - not a dependency of ours
    except ModuleNotFoundError:
        return estimate_tokens, "our estimate (install bpe-openai for true counts)"
    encoding = bpe_openai.get_encoding("o200k_base")
    return lambda text: len(encoding.encode(text)), "o200k"


def _row(name: str, value: float, floor: str, *, reached: bool) -> bool:
    print(f"  {name:<28}{value:>9.2f}   {floor:<12}{'' if reached else 'BELOW THE FLOOR'}")
    return reached


def _measured(
    source: str, talks: list[Any], script: ModuleType, count: Callable[[str], int]
) -> bool:
    fold_ms: list[float] = []
    results = script.evaluate(lambda: _Replay(fold_ms), talks, count, k=_WINDOW, budget=_BUDGET)
    figures = script.summarise(results)
    kept, bound = 100 * figures["R_end"][0], 100 * figures["RB_end"][0]
    names = sum(len(s["novel_words"]) for result in results for s in result["sums"])
    p95 = sorted(fold_ms)[int(0.95 * (len(fold_ms) - 1))]
    floor, bound_floor = _FLOORS.get(source, (None, None))
    print(f"{source}: {len(talks)} talks, {figures['R_end'][3]} facts older than the window")
    return all(
        [
            _row("facts kept, %", kept, _least(floor), reached=kept >= (floor or 0)),
            _row(
                "with their subject, %",
                bound,
                _least(bound_floor),
                reached=bound >= (bound_floor or 0),
            ),
            _row(
                "function words",
                figures["function_words"],
                _least(_FUNCTION_WORDS),
                reached=figures["function_words"] >= _FUNCTION_WORDS,
            ),
            _row(
                "digits nobody said",
                figures["halluc_digits"],
                "0",
                reached=not figures["halluc_digits"],
            ),
            _row("words nobody said", names, "0", reached=not names),
            _row(
                "summaries over budget",
                figures["over_budget"],
                "0",
                reached=not figures["over_budget"],
            ),
            _row("tokens of summary, most", figures["sum_max"], f"<= {_BUDGET}", reached=True),
            _row("fold, p95 ms of processor", p95, f"< {_FOLD_MS:g}", reached=p95 < _FOLD_MS),
        ]
    )


def _least(floor: float | None) -> str:
    return "" if floor is None else f">= {floor:g}"


def main() -> None:
    """Print the figures of each source, with the floor beside each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--source", help="one of the sources only, such as locomo4")
    asked = parser.parse_args()
    script = _loaded(asked.script)
    count, counter = _counter()
    print(f"Tokens by {counter}; K = {_WINDOW}, budget {_BUDGET}.")
    talks = script.load(asked.data)
    sources = [asked.source] if asked.source else list(_FLOORS)
    reached = [
        _measured(source, [talk for talk in talks if talk["source"] == source], script, count)
        for source in sources
    ]
    if not all(reached):
        sys.exit(1)


if __name__ == "__main__":
    main()
