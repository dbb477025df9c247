"""Which voice speaks a language: the first that can, so the better ones stand first."""

from collections.abc import Iterable

from pace.speech.ports import Voice


def voice_for(language: str, voices: Iterable[Voice]) -> Voice | None:
    """The first that speaks this language (an ISO 639-1 code, or one with a region), or None."""
    wanted = language.replace("_", "-").partition("-")[0].lower()
    return next((voice for voice in voices if wanted in voice.languages), None)
