"""Speaks with Piper, a program of its own under the GPL-3.0; nothing of it is imported here."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

from pace.errors import MissingExtraError, VoiceError
from pace.speech.ports import Sound
from pace.speech.voices.piper_child import PiperChild
from pace.speech.voices.text import SENTENCE_PAUSE, end_of, lines_to_speak, pause_after

PROGRAM = (sys.executable, "-P", "-m", "piper")
# A first line waits for the model, too: 2 s here, and a slow disk may take ten times as long.
ANSWERS_WITHIN = timedelta(seconds=60)
# Piper reads what stands in doubled brackets as phonemes, not as text.
_DOUBLED_BRACKET = re.compile(r"\[(?=\[)")


class PiperVoice:
    """A voice file and its settings beside it; raises VoiceError if they cannot be used.

    One child speaks, one text after the other, from the first call or `warm` until `aclose`. It
    ends when Pace does, since its standard input ends; one that died is replaced. `speed` 2 takes
    half the time.
    """

    def __init__(
        self,
        path: Path,
        *,
        program: Sequence[str] = PROGRAM,
        speed: float = 1.0,
        answers_within: timedelta = ANSWERS_WITHIN,
    ) -> None:
        self._path = path
        self._rate, language = _settings(path)
        self._languages = frozenset({language})
        self._command = (
            *(*program, "-m", str(path.resolve()), "--output-raw", "--debug"),
            *("--length-scale", f"{1 / speed:.3f}"),
            # Between sentences that stand on one line; what follows a line is added below.
            *("--sentence-silence", f"{SENTENCE_PAUSE}"),
        )
        self._answers_within = answers_within
        self._turn = asyncio.Lock()
        self._child: PiperChild | None = None
        self._is_closed = False

    @property
    def name(self) -> str:
        """As it is set and shown."""
        return self._path.stem

    @property
    def languages(self) -> frozenset[str]:
        """The one that it speaks."""
        return self._languages

    async def warm(self) -> None:
        """Start the child, which loads its model meanwhile; raises VoiceError."""
        async with self._turn:
            await self._running()

    async def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:  # noqa: ARG002  # it has one language
        """The sound of a text, sentence by sentence; raises VoiceError."""
        async with self._turn:
            for line in lines_to_speak(_DOUBLED_BRACKET.sub("[ ", text)):
                child = await self._running()
                try:
                    await child.settle(answers_within=self._answers_within)
                    said = child.say(line, answers_within=self._answers_within)
                    end = b""
                    async with aclosing(said) as pieces:
                        async for samples in pieces:
                            end = end_of(end, samples, self._rate)
                            yield Sound(samples, self._rate)
                    if (pause := pause_after(line, end, self._rate)) is not None:
                        yield pause
                except VoiceError as error:
                    raise await self._failed(child) from error

    async def aclose(self) -> None:
        """End the child, also if it speaks; more than once is no harm."""
        self._is_closed = True
        child, self._child = self._child, None
        if child is not None:
            await child.aclose()

    async def _running(self) -> PiperChild:
        if self._is_closed:
            raise VoiceError(f"The voice {self.name} was closed. Start Pace again.")
        if self._child is not None and self._child.has_ended:
            child, self._child = self._child, None
            await child.aclose()
        if self._child is None:
            self._child = await PiperChild.start(self._command)
        return self._child

    async def _failed(self, child: PiperChild) -> VoiceError:
        """End what is left of it; the next text starts another."""
        if self._child is child:
            self._child = None
        has_ended = child.has_ended
        await child.aclose()
        if child.lacks_program:
            return VoiceError(str(MissingExtraError(f"The voice {self.name}", "piper")))
        what = "ended" if has_ended else "did not answer"
        return VoiceError(f"The voice {self.name} {what}. It starts anew with the next sentence.")


def _settings(path: Path) -> tuple[int, str]:
    """The rate of a voice's sound and its language, as the file beside it says."""
    beside = path.with_name(f"{path.name}.json")
    try:
        if not path.is_file():
            raise FileNotFoundError(path)
        told = json.loads(beside.read_text(encoding="utf-8"))
        spoken = told.get("language", {}).get("code") or told["espeak"]["voice"]
        rate, language = int(told["audio"]["sample_rate"]), re.split("[-_]", str(spoken))[0]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise VoiceError(
            f"The voice {path.name} is not whole: it needs {path} and {beside.name} beside it. "
            "Fetch it again."
        ) from error
    return rate, language.lower()
