"""Finds where a text that is to be forgotten may still stand."""

import re
import string
import unicodedata

from pace.memory.turn import TurnPair, is_blank, is_invisible

# A struck word of this many letters or more tells a clause apart; shorter ones may have been
# dropped from it as function words.
_TELLING_LETTERS = 4
# Thai, kana, Han and Hangul are written without spaces, or their words change at their ends.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")


class Struck:
    """A text to be forgotten. Raises ValueError for a blank one."""

    def __init__(self, text: str) -> None:
        if is_blank(text):
            raise ValueError("striking needs a text that is not blank")
        self._text = _flat(text)
        words = {word.strip(string.punctuation) for word in self._text.split()} - {""}
        telling = {word for word in words if len(word) >= _TELLING_LETTERS or _has_digit(word)}
        for row in _UNSPACED.findall(self._text):
            telling |= {row[at : at + 2] for at in range(len(row) - 1)}
        self._telling = telling or words

    def stands_in(self, pair: TurnPair) -> bool:
        """Whether either half of a pair holds the text, letter case and spacing aside."""
        return self._text in _flat(pair.user_text) or self._text in _flat(pair.reply_text)

    def may_stand_in(self, clause: str) -> bool:
        """Whether a clause holds the text, a piece of it, a number of it, or half of its words.

        A clause may be cut short and have lost words, so it need not hold the whole text; to forget
        a clause too many is the smaller harm.
        """
        clause = _flat(clause)
        if self._text in clause or clause in self._text:
            return True
        found = [word for word in self._telling if _is_in(word, clause)]
        if any(map(_has_digit, found)):
            return True
        return bool(found) and 2 * len(found) >= len(self._telling)


def _is_in(word: str, text: str) -> bool:
    """A short word only as a whole, since a 7 is not in 4711 by meaning."""
    if len(word) >= _TELLING_LETTERS or _UNSPACED.match(word):
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _flat(text: str) -> str:
    seen = "".join(char for char in text if not is_invisible(char))
    return " ".join(unicodedata.normalize("NFKC", seen).casefold().split())
