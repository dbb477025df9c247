"""What recognisers make of silence is not taken for a person's words."""

import pytest

from pace.speech.phantoms import is_phantom
from pace.speech.ports import Heard


def _heard(text, *, no_speech=0.02, log_probability=-0.3, compression=1.0):
    return Heard(
        text=text,
        language="en",
        no_speech=no_speech,
        log_probability=log_probability,
        compression=compression,
    )


def test_silence_that_thanks_for_watching_is_a_phantom():
    """A sentence of film ends over silence is nobody's (case B134)."""
    assert is_phantom(_heard("Thank you for watching!", no_speech=0.9))


@pytest.mark.parametrize("text", ["Thank you.", "thank you", "you", "Bye.", "Danke", "Okay"])
def test_a_person_who_says_thank_you_is_heard(text):
    """A courtesy counts where somebody spoke, and not over silence (control of case B134)."""
    assert not is_phantom(_heard(text))
    assert is_phantom(_heard(text, no_speech=0.9))
    assert is_phantom(_heard(text, log_probability=-1.2))


@pytest.mark.parametrize(
    "text",
    [
        "Untertitel der Amara.org-Community",
        "Untertitelung im Auftrag des ZDF für funk, 2017",
        "Subtitles by the Amara.org community",
        "Subtitles by John Smith",
        "Sous-titres réalisés par la communauté d'Amara.org",
        "Subtítulos realizados por la comunidad de Amara.org",
        "Sottotitoli creati dalla comunità Amara.org",
        "Legendas pela comunidade Amara.org",
        "Ondertitels ingediend door de Amara.org gemeenschap",
        "Napisy stworzone przez społeczność Amara.org",
        "Редактор субтитров А.Синецкая Корректор А.Егорова",
        "字幕由Amara.org社区提供",
        "SWR 2021",
        "ご視聴ありがとうございました",
        "시청해주셔서 감사합니다!",
        "Thanks for watching! Thanks for watching!",
        "Vielen Dank für's Zuschauen!",
    ],
)
def test_credits_are_nobodys_words(text):
    """What only subtitles say is a phantom, however sure the recogniser is."""
    assert is_phantom(_heard(text))


@pytest.mark.parametrize(
    "text",
    ["", " ", "...", "♪", "[Music]", "(applause)", "*music*", "♪ la la la ♪", "【音楽】", "🎵"],
)
def test_a_sound_is_no_speech(text):
    """A text without words, or with nothing but the names of sounds, is nothing."""
    assert is_phantom(_heard(text))


def test_whispers_own_thresholds_hold():
    """No-speech counts only with a low probability, and repetition by itself."""
    assert is_phantom(_heard("The door is open.", no_speech=0.61, log_probability=-1.01))
    assert not is_phantom(_heard("The door is open.", no_speech=0.9))
    assert not is_phantom(_heard("The door is open.", log_probability=-1.2))
    assert is_phantom(_heard("and and and and and", compression=2.5))


@pytest.mark.parametrize(
    "text",
    [
        "Thank you for watching my dog yesterday.",
        "Translate thank you into French.",
        "Thank you. Set a timer for ten minutes.",
        "[Music] Stop please.",
        "How do I add subtitles by hand?",
        "You are right.",
        "stop stop stop",
        "42",
    ],
)
def test_a_sentence_that_only_begins_like_a_phantom_is_heard(text):
    """Only a whole phantom is dropped, even where speech is in doubt."""
    assert not is_phantom(_heard(text, no_speech=0.5))
