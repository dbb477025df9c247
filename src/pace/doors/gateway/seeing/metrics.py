"""Metrics for Prometheus. Each gateway has a registry of its own; several processes share a folder.

That folder (PROMETHEUS_MULTIPROC_DIR) holds numbers in memory-mapped files, no words and no ids;
whichever process is asked for metrics then tells of all of them.
"""

import os
from collections.abc import Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

from pace.doors.gateway.seeing.outcomes import SeenTurn

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# Seconds to the first word: from a cached prompt on a GPU to a small machine that reads it anew.
_FIRST_WORD = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_STORE = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)


class Metrics:
    """What a gateway counts."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._registry = registry
        self._turns = Counter(
            "pace_turns", "Requests that a planner answers", ("endpoint", "outcome"),
            registry=registry,
        )  # fmt: skip
        self._in_flight = Gauge(
            "pace_turns_in_flight", "Requests under way",
            registry=registry, multiprocess_mode="livesum",
        )  # fmt: skip
        self._first_word = Histogram(
            "pace_first_word_seconds", "From the request to the reply's first word",
            registry=registry, buckets=_FIRST_WORD,
        )  # fmt: skip
        self._sent = Counter(
            "pace_prompt_tokens", "Tokens of prompts, by estimate", registry=registry
        )
        self._saved = Counter(
            "pace_tokens_saved", "Tokens of history that prompts did without, by estimate",
            registry=registry,
        )  # fmt: skip
        self._gave_way = Counter(
            "pace_prompts_cut", "Prompts from which something had to be left out to fit",
            registry=registry,
        )  # fmt: skip
        self._folds = Counter(
            "pace_folds", "Folds of pending pairs", ("outcome",), registry=registry
        )
        self._pending = Gauge(
            "pace_threads_pending", "Threads with something that waits for a fold",
            registry=registry, multiprocess_mode="mostrecent",
        )  # fmt: skip
        self._store = Histogram(
            "pace_store_seconds", "Requests to the memory store", ("operation",),
            registry=registry, buckets=_STORE,
        )  # fmt: skip
        self._store_faults = Counter(
            "pace_store_errors", "Requests that the memory store failed", ("operation",),
            registry=registry,
        )  # fmt: skip

    def began(self) -> None:
        """A request is under way."""
        self._in_flight.inc()

    def ended(self, seen: SeenTurn) -> None:
        """It is over."""
        self._in_flight.dec()
        self._turns.labels(seen.endpoint, seen.outcome).inc()
        if (seconds := seen.first_word_seconds) is not None:
            self._first_word.observe(seconds)
        if seen.facts is not None:
            self._sent.inc(seen.facts.prompt_tokens)
            self._saved.inc(seen.facts.tokens_saved)
            if seen.facts.gave_way:
                self._gave_way.inc()

    def folded(self, outcome: str) -> None:
        """A fold ended."""
        self._folds.labels(outcome).inc()

    def pending(self, threads: int) -> None:
        """So many threads wait for folds."""
        self._pending.set(threads)

    def stored(self, operation: str, seconds: float, *, failed: bool) -> None:
        """The store was asked."""
        self._store.labels(operation).observe(seconds)
        if failed:
            self._store_faults.labels(operation).inc()

    def text(self) -> bytes:
        """All of it, as Prometheus reads it: of every process, where there are several."""
        if FOLDER_VARIABLE not in os.environ:
            return generate_latest(self._registry)
        everyone = CollectorRegistry()
        multiprocess.MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)


def forget_process(pid: int, environment: Mapping[str, str] = os.environ) -> None:
    """What was under way in a process that is over is under way no more."""
    if folder := environment.get(FOLDER_VARIABLE):
        multiprocess.mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]
