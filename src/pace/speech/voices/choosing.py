"""Which voice speaks a language: the first that can, so the better ones stand first."""

from collections.abc import Iterable

from pace.speech.languages import base_of
from pace.speech.ports import Voice


def preferred_first(voices: Iterable[Voice], preferred: str) -> list[Voice]:
    """The voice of that name before the others, so that it is asked first in what it speaks."""
    return sorted(voices, key=lambda voice: voice.name != preferred)


def voice_for(language: str, voices: Iterable[Voice]) -> Voice | None:
    """The first that speaks this language (an ISO 639-1 code, or one with a region), or None."""
    wanted = base_of(language)
    return next((voice for voice in voices if wanted in voice.languages), None)
