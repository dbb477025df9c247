"""Every call to Apple's SDK, and the part of its surface that we use, in its own names.

`apple-fm-sdk` 0.2.1 runs on macOS 26 and later only; a test holds what is written here against the
signatures of its sources. What is peculiar to it:

- A stream gives snapshots, each of them the whole text so far, and blocks the thread that reads it.
  It takes no schema: a guided reply comes in one piece.
- A session keeps its own history, so each prompt gets a session of its own, made of a transcript.
- Counting a prompt's tokens or making a transcript leaks a native object; counting instructions
  does not, and needs macOS 26.4.
- Text passes as C strings, which end at a zero character.
"""

import importlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Protocol, cast

from pace.errors import MissingExtraError
from pace.memory.prompt import Message, Role

PACKAGE = "apple_fm_sdk"

# The words of a transcript for whom an entry is from.
_ROLES = {Role.SYSTEM: "instructions", Role.USER: "user", Role.ASSISTANT: "response"}


class UnavailableReason(Protocol):
    """A member of the SDK's enum of reasons."""

    @property
    def name(self) -> str:
        """Such as MODEL_NOT_READY."""
        ...


class SystemLanguageModel(Protocol):
    """The model of this Mac."""

    @property
    def context_size(self) -> int:
        """Tokens of prompt and reply together."""
        ...

    def is_available(self) -> tuple[bool, UnavailableReason | None]:
        """Whether it can be asked, and if not, why."""
        ...

    async def token_count(self, value: object = None, *, instructions: str | None = None) -> int:
        """Count one of the two."""
        ...


class GeneratedContent(Protocol):
    """A guided reply."""

    @property
    def is_complete(self) -> bool:
        """Whether the reply was not cut at its limit."""
        ...

    def to_json(self) -> str:
        """Its JSON."""
        ...


class LanguageModelSession(Protocol):
    """One conversation with the model."""

    async def respond(
        self,
        prompt: str,
        generating: None = None,
        *,
        schema: None = None,
        json_schema: dict[str, Any] | None = None,
        options: object | None = None,
    ) -> GeneratedContent:
        """A guided reply; cancelling it stops the model."""
        ...

    def stream_response(self, prompt: str, options: object | None = None) -> AsyncIterator[str]:
        """Snapshots of a reply; each blocks the thread until it comes."""
        ...


class ModelMaker(Protocol):
    """The class of models."""

    def __call__(self) -> SystemLanguageModel:
        """Make one."""
        ...


class SessionMaker(Protocol):
    """The class of sessions."""

    def __call__(
        self, instructions: str | None = None, model: SystemLanguageModel | None = None
    ) -> LanguageModelSession:
        """Make one that has heard nothing but instructions."""
        ...

    def from_transcript(
        self, transcript: object, model: SystemLanguageModel | None = None
    ) -> LanguageModelSession:
        """A session that has the history of a transcript."""
        ...


class TranscriptMaker(Protocol):
    """The class of transcripts."""

    async def from_dict(self, dict: dict[str, Any]) -> object:  # noqa: A002 - the SDK's name
        """A transcript out of its JSON."""
        ...


class OptionsMaker(Protocol):
    """The class of options."""

    def __call__(
        self,
        sampling: None = None,
        temperature: float | None = None,
        maximum_response_tokens: int | None = None,
    ) -> object:
        """Make them; raises ValueError for numbers that cannot be."""
        ...


class FoundationModels(Protocol):
    """The SDK's module."""

    @property
    def SystemLanguageModel(self) -> ModelMaker:  # noqa: N802 - the SDK's names, all of them
        """Makes the model of this Mac."""
        ...

    @property
    def LanguageModelSession(self) -> SessionMaker:  # noqa: N802
        """Makes sessions."""
        ...

    @property
    def Transcript(self) -> TranscriptMaker:  # noqa: N802
        """Makes transcripts."""
        ...

    @property
    def GenerationOptions(self) -> OptionsMaker:  # noqa: N802
        """Makes options."""
        ...

    @property
    def FoundationModelsError(self) -> type[Exception]:  # noqa: N802
        """What every error of the SDK's is; which one, its name tells."""
        ...


def load_sdk() -> FoundationModels:
    """The SDK; raises MissingExtraError where it is not installed."""
    try:
        return cast("FoundationModels", importlib.import_module(PACKAGE))
    except ImportError as error:
        raise MissingExtraError("Apple's model", "apple") from error


class AppleModel:
    """The model as the planner needs it. Raises what the SDK raises, mostly `faults`."""

    def __init__(self, sdk: FoundationModels) -> None:
        self._sdk = sdk
        self._model = sdk.SystemLanguageModel()
        self.faults = sdk.FoundationModelsError

    def unavailable(self) -> str:
        """Why it cannot be asked, in the SDK's word; empty if it can."""
        try:
            is_available, reason = self._model.is_available()
        except ValueError:
            return "UNKNOWN"  # a reason that is newer than the SDK
        if is_available:
            return ""
        return "UNKNOWN" if reason is None else reason.name

    def context_tokens(self) -> int:
        """Prompt and reply together; 0 if it does not tell."""
        try:
            return self._model.context_size
        except self.faults:
            return 0

    async def count_tokens(self, text: str) -> int:
        """A text's tokens; raises a fault before macOS 26.4."""
        return await self._model.token_count(instructions=_printable(text))

    async def session(self, messages: Sequence[Message]) -> LanguageModelSession:
        """A session that has heard all of these."""
        entries = [_entry(message) for message in messages]
        if not entries:
            return self._sdk.LanguageModelSession(model=self._model)
        transcript = await self._sdk.Transcript.from_dict(
            {
                "version": 1,
                "type": "FoundationModels.Transcript",
                "transcript": {"entries": entries},
            }
        )
        return self._sdk.LanguageModelSession.from_transcript(transcript, model=self._model)

    async def snapshots(
        self,
        session: LanguageModelSession,
        words: str,
        *,
        temperature: float | None,
        reply_tokens: int,
    ) -> AsyncGenerator[str, None]:
        """The reply so far, again and again. Blocks: read it on a thread of its own."""
        options = self._options(temperature, reply_tokens)
        stream = session.stream_response(_printable(words), options=options)
        if not isinstance(stream, AsyncGenerator):
            raise TypeError("the SDK's stream cannot be closed")
        async with aclosing(stream):
            async for snapshot in stream:
                yield snapshot

    async def guided(
        self,
        session: LanguageModelSession,
        words: str,
        form: Mapping[str, object],
        *,
        temperature: float | None,
        reply_tokens: int,
    ) -> tuple[str, bool]:
        """A reply in this form, and whether it is all of it."""
        options = self._options(temperature, reply_tokens)
        content = await session.respond(_printable(words), json_schema=dict(form), options=options)
        return content.to_json(), content.is_complete

    def _options(self, temperature: float | None, reply_tokens: int) -> object:
        return self._sdk.GenerationOptions(
            temperature=temperature, maximum_response_tokens=reply_tokens
        )


def _entry(message: Message) -> dict[str, Any]:
    """A message as an entry of a transcript."""
    entry: dict[str, Any] = {
        "id": str(uuid.uuid4()),
        "role": _ROLES[message.role],
        "contents": [
            {"type": "text", "id": str(uuid.uuid4()), "text": _printable(message.content)}
        ],
    }
    if message.role is Role.USER:
        entry["options"] = {}
    if message.role is Role.ASSISTANT:
        entry["assets"] = []
    return entry


def _printable(text: str) -> str:
    return text.replace("\0", "\ufffd")
