"""Recognises speech with faster-whisper, in int8 on the processor; nothing leaves this machine."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from pace.errors import MissingExtraError, RecogniserError
from pace.speech.ports import Heard, Sound

# Without one of these the library would look for it in the network.
_FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
_ENGLISH = "en"


class _Engine(Protocol):
    """A model, loaded; its module needs what is installed with an extra alone."""

    languages: Sequence[str]

    def heard(self, sound: Sound, language: str | None, *, words: bool) -> Heard: ...


class FasterWhisperRecogniser:
    """A Whisper model of a folder, loaded with the first call or with `warm`.

    It is at one call at a time, in a thread of its own. A call that is cancelled at work goes on
    there, its result is dropped, and the next one waits for its end: the library knows no stop.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._engine: _Engine | None = None
        self._is_closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recogniser")

    @property
    def name(self) -> str:
        """As it is set and shown."""
        return self._name

    async def warm(self) -> None:
        """Load the model; raises RecogniserError."""
        self._check_open()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._loaded)

    async def recognise(
        self, sound: Sound, *, language: str | None = None, words: bool = False
    ) -> Heard:
        """What is said; raises RecogniserError, also for a language that it does not know."""
        self._check_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._recognise, sound, language, words)

    async def aclose(self) -> None:
        """Let go of the model, once the call that it is at has ended; more than once is no harm."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._forget)
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def _check_open(self) -> None:
        if self._is_closed:
            raise RecogniserError(f"The recogniser {self._name} was closed. Start Pace again.")

    def _recognise(self, sound: Sound, language: str | None, words: bool) -> Heard:  # noqa: FBT001
        engine = self._loaded()
        if language is not None and language not in engine.languages:
            raise RecogniserError(self._unknown(language, engine.languages))
        if not sound.samples:
            return _nothing(language or _ENGLISH)
        try:
            return engine.heard(sound, language, words=words)
        except (RuntimeError, ValueError, MemoryError) as error:
            raise RecogniserError(
                f"The recogniser {self._name} failed ({type(error).__name__}). Say it again, or "
                "choose a smaller one."
            ) from error

    def _loaded(self) -> _Engine:
        if self._engine is None:
            missing = [name for name in _FILES if not (self._folder / name).is_file()]
            if missing:
                raise RecogniserError(
                    f"The recogniser {self._name} lacks {', '.join(missing)} in {self._folder}. "
                    "Fetch it again."
                )
            try:
                from pace.speech.recognisers.whisper_engine import (  # noqa: PLC0415  # slow, an extra
                    WhisperEngine,
                )

                self._engine = WhisperEngine(self._folder)
            except (ModuleNotFoundError, MissingExtraError) as error:
                raise RecogniserError(str(MissingExtraError("Listening", "voice"))) from error
            except Exception as error:  # the libraries raise whatever their parsers do
                raise RecogniserError(
                    f"The recogniser {self._name} cannot be loaded from {self._folder}. Fetch it "
                    "again, or free some memory."
                ) from error
        return self._engine

    def _forget(self) -> None:
        self._engine = None

    def _unknown(self, language: str, languages: Sequence[str]) -> str:
        if len(languages) == 1:
            return f"The recogniser {self._name} hears English only. Choose base for {language!r}."
        return f"The recogniser {self._name} knows no language {language!r}. Name one like 'en'."


def _nothing(language: str) -> Heard:
    return Heard(text="", language=language, no_speech=1.0, log_probability=0.0, compression=0.0)
