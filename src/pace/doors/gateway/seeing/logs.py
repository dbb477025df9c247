"""Logs, a line for each request: ids, counts and times, never words, and no key.

A digest stands in the place of a thread's name.
"""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

import orjson
import structlog

from pace.doors.faults import place_of
from pace.doors.gateway.seeing.digests import Digests
from pace.doors.gateway.seeing.outcomes import SeenTurn
from pace.settings import LogFormat


class Log:
    """Writes lines to standard error, or to another stream of bytes."""

    def __init__(self, form: LogFormat, digests: Digests, stream: BinaryIO | None = None) -> None:
        self._digests = digests
        self._renderer: structlog.typing.Processor
        self._renderer = structlog.processors.JSONRenderer(serializer=orjson.dumps)
        if form is LogFormat.TEXT:
            self._renderer = _as_text
        self._logger = structlog.wrap_logger(
            _Lines(stream or sys.stderr.buffer),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                self._renderer,
            ],
            wrapper_class=structlog.BoundLogger,
            cache_logger_on_first_use=True,
        )

    def turn(self, seen: SeenTurn) -> None:
        """A request is over."""
        facts: dict[str, object] = {}
        if seen.facts is not None:
            facts = {
                "memory": seen.facts.memory,
                "thread": self._digests.of(seen.thread_id) if seen.thread_id else None,
                "session": seen.facts.session_id,
                "summary_version": seen.facts.summary_version,
                "window_pairs": seen.facts.window_pairs,
                "prompt_tokens": seen.facts.prompt_tokens,
                "tokens_saved": seen.facts.tokens_saved,
            }
        first = seen.first_word_seconds
        self._logger.info(
            "turn",
            endpoint=seen.endpoint,
            outcome=seen.outcome,
            fault=seen.fault or None,
            key=seen.key_id or None,
            streamed=seen.is_streamed,
            seconds=round(seen.seconds, 4),
            first_word_seconds=None if first is None else round(first, 4),
            counted_prompt_tokens=seen.prompt_tokens,
            reply_tokens=seen.reply_tokens,
            **facts,
        )

    def fold(self, thread_id: str, outcome: str) -> None:
        """A fold ended."""
        self._logger.info("fold", thread=self._digests.of(thread_id), outcome=outcome)

    def tell(self, sentence: str) -> None:
        """A sentence of Pace's own for whoever runs it."""
        self._logger.warning("notice", sentence=sentence)

    def fault(self, kind: str, place: str) -> None:
        """Something failed that should not; of the error, only its type and place are told."""
        self._logger.error("fault", kind=kind, place=place)


class _Lines:
    """Writes lines. One that a full disk or a reader who left does not take is lost, no request."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def info(self, line: bytes) -> None:
        """Write it, or not."""
        with suppress(OSError):
            self._stream.write(line + b"\n")
            self._stream.flush()

    warning = error = info


@contextmanager
def others_quiet(log: Log) -> Iterator[None]:
    """While it lasts, what libraries log is a line of ours if it is an error, and else nothing."""
    handler = _Others(log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Others(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log
        self._told: dict[tuple[str, str], float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of an error, at most once a minute for each place: its message may quote words."""
        error = record.exc_info[1] if record.exc_info else None
        kind = record.name if error is None else type(error).__name__
        call = None if error is None else place_of(error.__traceback__)
        place = f"{record.module}:{record.lineno}" if call is None else f"{call.name}:{call.lineno}"
        now = time.monotonic()
        if now - self._told.get((kind, place), -_QUIET_SECONDS) < _QUIET_SECONDS:
            return
        self._told[kind, place] = now
        self._log.fault(kind, place)


_QUIET_SECONDS = 60.0


def _as_text(_logger: object, _method: str, event: structlog.typing.EventDict) -> bytes:
    """A line for people: the time, what it is, and what is known of it."""
    at, level = event.pop("timestamp", ""), event.pop("level", "")
    what = event.pop("event", "")
    told = " ".join(f"{name}={value}" for name, value in event.items() if value is not None)
    return f"{at} {level:<7} {what} {told}".encode("utf-8", "replace")
