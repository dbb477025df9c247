"""How a spoken conversation hears and speaks, as rows of the page."""

from collections.abc import Callable

from pace.doors.web.adjusting import Adjusting
from pace.doors.web.setting_rows import ChoiceRow, LineRow, SettingRow, SliderRow
from pace.settings import Settings
from pace.speech.languages import LANGUAGES
from pace.speech.voice_catalogue import PLATFORM_VOICES, VOICES


def voice_rows(adjusting: Adjusting, current: Callable[[], Settings]) -> list[SettingRow]:
    """All of the section; each is taken up by the next spoken conversation."""

    def choice(name: str, hint: str, choices: dict[str, str]) -> SettingRow:
        return ChoiceRow(adjusting, current, name, hint, choices=choices)

    return [
        choice(
            "voice.mode",
            "When the microphone is open, from the next spoken conversation on.",
            {
                "push-to-talk": "while you have Pace listen",
                "hands-free": "until nobody has spoken for a minute",
            },
        ),
        choice(
            "voice.recogniser",
            "Who makes words of what you say; it never leaves this machine.",
            {"base": "base, about a hundred languages", "tiny.en": "tiny.en, English, quicker"},
        ),
        choice(
            "voice.voice",
            "Who is asked first for what it speaks. `pace voices` lists who is here, and fetches "
            "others.",
            _voices(current().voice.voice),
        ),
        SliderRow(
            adjusting,
            current,
            "voice.speed",
            "How fast Pace speaks; 2 takes half the time.",
            span=(0.5, 2, 0.1),
        ),
        choice(
            "voice.headphones",
            "With headphones the microphone never hears Pace speak, and is simply open.",
            {"": "ask once", "on": "worn", "off": "not worn"},
        ),
        LineRow(
            adjusting,
            current,
            "voice.device",
            "Part of the name of a microphone and a loudspeaker, for the terminal; empty for the "
            "system's own.",
        ),
    ]


def _voices(held: str) -> dict[str, str]:
    """All names; the one that is held, too, if nobody knows it any more."""
    named = {
        voice.name: f"{voice.name}, {', '.join(LANGUAGES[code] for code in voice.languages or ())}"
        for voice in VOICES
    }
    own = {held: f"{held}, the system's own"} if held in PLATFORM_VOICES else {}
    unknown = {held: f"{held}, not known"} if held and held not in {**named, **own} else {}
    return {"": "the best one here", **named, **own, **unknown}
