"""What a word is worth to somebody who has to remember a talk: rare words much, common ones little.

The classes are coarse on purpose. `common_words.txt` holds the most frequent words of spoken
English, cut down to their keys, one class to a line: ranks up to 300, 600, 1,000, 2,000, 3,000 and
5,000 of the frequency lists that zxcvbn ships (MIT licence). Whatever is not in it is rare. In
other languages all telling words are, so there length and repetition decide.
"""

from importlib.resources import files

from pace.memory.tokens import estimate_tokens

# Worth by class, the last for rare words. The shape is what matters: the commonest words little,
# and from rank 1,000 on nearly the same. Steeper and flatter ones keep less (see the benchmark).
_VALUES = (1.0, 1.7, 2.3, 3.4, 3.6, 3.6, 3.7)
_NAME = 6.0
_CHECKABLE = 9.0
_LONG_WORD = 10
# Shorter words and stems are left as they are.
_SHORTEST_WORD = 5
_SHORTEST_STEM = 3


def _read_classes() -> dict[str, int]:
    lines = (files("pace.summarizers") / "common_words.txt").read_text("utf-8").splitlines()
    return {key: rank for rank, line in enumerate(lines) for key in line.split()}


_CLASSES = _read_classes()
_RARE = len(_VALUES) - 1


def word_key(word: str) -> str:
    """What a word has in common with its inflections, roughly; equal keys count as repetition."""
    key = word.lower().replace("’", "'")
    if "'" in key:
        key = key.partition("'")[0] or key
    if len(key) >= _SHORTEST_WORD and key.isascii() and key.isalpha():
        return _without_ending(key)
    return key


def _without_ending(key: str) -> str:
    if key.endswith("ies"):
        return key[:-3] + "y"
    if key.endswith("s") and not key.endswith(("ss", "us", "is")):
        key = key[:-1]
        if key.endswith(("sse", "xe", "che", "she")):
            key = key[:-1]
    for ending in ("ing", "ed"):
        stem = key[: -len(ending)]
        if (
            key.endswith(ending)
            and len(stem) >= _SHORTEST_STEM
            and any(c in "aeiouy" for c in stem)
        ):
            return stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "ls" else stem
    if len(key) >= _SHORTEST_WORD and key.endswith("e"):
        return key[:-1]
    return key


def is_common(key: str) -> bool:
    """Whether a key is one of a frequent English word."""
    return key in _CLASSES


def word_value(text: str, key: str, *, is_name: bool) -> float:
    """What a telling word is worth; a number or identifier most, then a name, then a rare word."""
    if not text.isalpha() and any(map(str.isdigit, text)):
        return _CHECKABLE
    return _NAME if is_name else _VALUES[_CLASSES.get(key, _RARE)]


def word_cost(text: str, key: str) -> float:
    """About how many tokens a word takes in a row of words."""
    if key in _CLASSES:
        return 1.0 if len(text) < _LONG_WORD else 1.3
    return max(1.0, estimate_tokens(f" {text}") - 1.0, len(text) / 4 if text.isascii() else 0.0)
