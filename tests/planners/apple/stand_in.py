"""Stands in for Apple's SDK: the surface that we use, and its ways, with replies of a test's own.

As there, a stream blocks the thread that reads it and gives the whole text so far, a session knows
what it was made with, and a request that was cancelled is heard of no more.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar

from pace.memory.tokens import estimate_tokens


class FoundationModelsError(Exception):
    pass


class GenerationError(FoundationModelsError):
    pass


class InvalidGenerationSchemaError(FoundationModelsError):
    pass


class ExceededContextWindowSizeError(GenerationError):
    pass


class AssetsUnavailableError(GenerationError):
    pass


class GuardrailViolationError(GenerationError):
    pass


class UnsupportedGuideError(GenerationError):
    pass


class UnsupportedLanguageOrLocaleError(GenerationError):
    pass


class DecodingFailureError(GenerationError):
    pass


class RateLimitedError(GenerationError):
    pass


class ConcurrentRequestsError(GenerationError):
    pass


class RefusalError(GenerationError):
    pass


ERRORS = (
    FoundationModelsError,
    GenerationError,
    InvalidGenerationSchemaError,
    ExceededContextWindowSizeError,
    AssetsUnavailableError,
    GuardrailViolationError,
    UnsupportedGuideError,
    UnsupportedLanguageOrLocaleError,
    DecodingFailureError,
    RateLimitedError,
    ConcurrentRequestsError,
    RefusalError,
)


class SystemLanguageModelUnavailableReason(IntEnum):
    APPLE_INTELLIGENCE_NOT_ENABLED = 0
    DEVICE_NOT_ELIGIBLE = 1
    MODEL_NOT_READY = 2
    UNKNOWN = 0xFF


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as a session was asked it."""

    entries: tuple[tuple[str, str], ...]
    """Roles, in the transcript's words, and texts."""
    prompt: str
    form: dict[str, Any] | None
    options: "GenerationOptions | None"

    @property
    def messages(self) -> list[tuple[str, str]]:
        """All of it in the words of our prompts."""
        ours = {"instructions": "system", "user": "user", "response": "assistant"}
        told = [(ours[role], text) for role, text in self.entries]
        return [*told, ("user", self.prompt)]

    @property
    def tokens(self) -> int:
        return sum(estimate_tokens(text) for _, text in self.messages)


Reply = Sequence[str | Exception | threading.Event]
"""Pieces of words, an error to end with, or an event to be held at."""


@dataclass
class Script:
    """What the stand-in does. `reply` is asked for each request; `longest` refuses longer ones.

    `snapshots` are given as they are, instead of a reply's pieces one after the other.
    """

    reply: Callable[[Asked], Reply] = lambda _: ("Hello, ", "you.")
    snapshots: tuple[str, ...] = ()
    unavailable: SystemLanguageModelUnavailableReason | int | None = None
    context_size: int | FoundationModelsError = 4096
    counts: bool = True
    longest: int = 4096
    asked: list[Asked] = field(default_factory=list)
    cancelled: int = 0
    """How many requests ended before their reply did."""
    threads: set[int] = field(default_factory=set)
    """The threads that streams were read on."""

    def ask(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if asked.tokens > self.longest:
            raise ExceededContextWindowSizeError(f"Context window size exceeded: {asked.prompt}")
        return self.reply(asked)


class SystemLanguageModel:
    script: ClassVar[Script]

    def __init__(self, use_case: int = 0, guardrails: int = 0) -> None:
        self.made_with = (use_case, guardrails)

    def is_available(self) -> tuple[bool, SystemLanguageModelUnavailableReason | None]:
        reason = self.script.unavailable
        if reason is None:
            return True, None
        return False, SystemLanguageModelUnavailableReason(reason)

    @property
    def context_size(self) -> int:
        if isinstance(self.script.context_size, Exception):
            raise self.script.context_size
        return self.script.context_size

    async def token_count(self, value: object = None, *, instructions: str | None = None) -> int:
        if not self.script.counts:
            raise GenerationError("Token counting requires macOS 26.4")
        if (instructions is None) == (value is None):
            raise ValueError("one of the two")
        return estimate_tokens(str(value) if instructions is None else instructions)


class Transcript:
    def __init__(self, entries: tuple[tuple[str, str], ...]) -> None:
        self.entries = entries

    @classmethod
    async def from_dict(cls, dict: dict[str, Any]) -> "Transcript":  # noqa: A002
        if (dict["version"], dict["type"]) != (1, "FoundationModels.Transcript"):
            raise DecodingFailureError("Failed to create transcript from dictionary")
        return cls(tuple(_read(entry) for entry in dict["transcript"]["entries"]))


def _read(entry: dict[str, Any]) -> tuple[str, str]:
    role, (content,) = entry["role"], entry["contents"]
    own = {"instructions": set(), "user": {"options"}, "response": {"assets"}}[role]
    if set(entry) != {"id", "role", "contents"} | own or content["type"] != "text":
        raise DecodingFailureError("Failed to create transcript from dictionary")
    return role, content["text"]


@dataclass
class GenerationOptions:
    sampling: object | None = None
    temperature: float | None = None
    maximum_response_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.maximum_response_tokens is not None and self.maximum_response_tokens <= 0:
            raise ValueError("'maximum_response_tokens' must be positive")


class GeneratedContent:
    def __init__(self, text: str) -> None:
        self._text = text

    def to_json(self) -> str:
        return self._text

    @property
    def is_complete(self) -> bool:
        return self._text.rstrip().endswith("}")


class LanguageModelSession:
    script: ClassVar[Script]

    def __init__(
        self,
        instructions: str | None = None,
        model: SystemLanguageModel | None = None,
        tools: list[object] | None = None,
    ) -> None:
        self._entries = (("instructions", instructions),) if instructions else ()
        self.made_with = (model, tools)

    @classmethod
    def from_transcript(
        cls,
        transcript: Transcript,
        model: SystemLanguageModel | None = None,
        tools: list[object] | None = None,
    ) -> "LanguageModelSession":
        session = cls(None, model, tools)
        session._entries = transcript.entries
        return session

    async def respond(
        self,
        prompt: str,
        generating: object | None = None,
        *,
        schema: object | None = None,
        json_schema: dict[str, Any] | None = None,
        options: GenerationOptions | None = None,
    ) -> GeneratedContent:
        if generating is not None or schema is not None:
            raise ValueError("this stand-in knows forms as JSON only")
        reply = self.script.ask(Asked(self._entries, prompt, json_schema, options))
        text = ""
        try:
            for piece in reply:
                if isinstance(piece, Exception):
                    raise piece
                if isinstance(piece, str):
                    text += piece
                else:
                    while not piece.is_set():  # noqa: ASYNC110  # a thread could not be left
                        await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.script.cancelled += 1
            raise
        return GeneratedContent(text)

    async def stream_response(
        self, prompt: str, options: GenerationOptions | None = None
    ) -> AsyncIterator[str]:
        self.script.threads.add(threading.get_ident())
        reply = self.script.ask(Asked(self._entries, prompt, None, options))
        text, is_over = "", False
        try:
            for snapshot in self.script.snapshots:
                yield snapshot
            for piece in () if self.script.snapshots else reply:
                if isinstance(piece, Exception):
                    is_over = True
                    raise piece
                if isinstance(piece, str):
                    text += piece
                    yield text
                else:
                    piece.wait()
            is_over = True
        finally:
            self.script.cancelled += not is_over


class StandInSdk:
    """The module, as far as it is used; `script` tells what it does and what it was asked."""

    GenerationOptions = GenerationOptions
    Transcript = Transcript
    FoundationModelsError = FoundationModelsError

    def __init__(self, script: Script | None = None) -> None:
        told = self.script = script or Script()

        class Model(SystemLanguageModel):
            script = told

        class Session(LanguageModelSession):
            script = told

        self.SystemLanguageModel = Model
        self.LanguageModelSession = Session
