"""The words of a text as any recogniser would write them: no case, no marks, no punctuation."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHES = str.maketrans("", "", "'’‘ʼ`")


def plain_words(text: str) -> list[str]:
    """Its words in lower case, with accents and apostrophes left out ("Don't, José" is two)."""
    parts = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES).casefold())
    kept = "".join(char for char in parts if unicodedata.category(char) != "Mn")
    return _WORD.findall(unicodedata.normalize("NFKC", kept))
