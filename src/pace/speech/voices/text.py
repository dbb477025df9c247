"""What of a text a voice is given: lines that hold words, each short enough to be given up soon."""

import re
import unicodedata

from pace.speech.ports import SAMPLE_BYTES, Sound

SENTENCE_PAUSE = 0.2
"""Seconds of silence behind a sentence, without which the next one runs into it."""

# A voice that is stopped makes the sound of its line to the end; at ten times the speed of speech
# so many characters take it about a second.
_LONGEST_LINE = 160
_SENTENCE_ENDS = re.compile(r"""[.!?…。！？][\s"'”’»）)\]]*$""")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?。！？…])\s+")  # signs of other scripts


def lines_to_speak(text: str) -> list[str]:
    """The text in lines, without those in which there is nothing to say."""
    lines: list[str] = []
    for sentence in _BETWEEN_SENTENCES.split(one_line(text)):
        if lines and len(lines[-1]) + len(sentence) < _LONGEST_LINE:
            lines[-1] += f" {sentence}"
        else:
            lines.append(sentence)
    return [line for line in lines if has_words(line)]


def one_line(text: str) -> str:
    """The text with spaces for line ends and control signs (a zero byte ends Piper)."""
    kinds = {sign: unicodedata.category(sign) for sign in set(text)}
    unseen = {
        sign for sign, kind in kinds.items() if kind == "Cf"
    }  # within a word, as soft hyphens
    control = {sign for sign, kind in kinds.items() if kind in {"Cc", "Cs", "Zl", "Zp"}}
    plain = "".join(" " if sign in control else sign for sign in text if sign not in unseen)
    return " ".join(plain.split())


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(character.isalnum() for character in text)


def pause_after(text: str, sound: bytes, rate: int) -> Sound | None:
    """What its sound lacks of the silence behind it, if a sentence ends with this text.

    `sound` is the end of it, SENTENCE_PAUSE long or longer; some voices make silence themselves.
    """
    if not _SENTENCE_ENDS.search(text):
        return None
    whole = round(SENTENCE_PAUSE * rate) * SAMPLE_BYTES
    end = sound[-whole:]
    silent = (len(end) - len(end.rstrip(b"\0"))) // SAMPLE_BYTES * SAMPLE_BYTES
    return Sound(bytes(whole - silent), rate) if silent < whole else None


def end_of(sound: bytes, piece: bytes, rate: int) -> bytes:
    """The end of a sound to which a piece was added, as long as `pause_after` looks at."""
    return (sound + piece)[-round(SENTENCE_PAUSE * rate) * SAMPLE_BYTES :]
