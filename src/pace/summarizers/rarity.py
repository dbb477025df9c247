"""What a word is worth to somebody who has to remember a talk: rare words much, common ones little.

The classes are coarse on purpose. `common_words.txt` holds the most frequent words of spoken
English, cut down to their keys, one class to a line: ranks up to 300, 600, 1,000, 2,000, 3,000 and
5,000 of the frequency lists that zxcvbn ships (MIT licence). Whatever is not in it is rare. In
other languages all telling words are, so there length and repetition decide.
"""

import re
from pkgutil import get_data

from pace.memory.tokens import estimate_tokens
from pace.summarizers.words import COUNTS, EVERYDAY_VERBS, JUDGEMENTS, LOOSE_NOUNS

# Worth by class, the last for rare words. The shape is what matters: the commonest words little,
# and from rank 1,000 on nearly the same. Steeper and flatter ones keep less (see the benchmark).
_VALUES = (1.6, 2.6, 2.8, 3.6, 3.7, 3.7, 3.8)
_NAME = 8.0
_COUNT = 6.0
_CHECKABLE = 12.0
# A long identifier is cut into many tokens, and would go before a short one: it is worth this much
# for each of them.
_CHECKABLE_PER_TOKEN = 3.0
# Tokens of common words; what each letter after the second adds to rare ones, and to names.
_COMMON_COST = 1.05
_RARE_COST = 0.05
_NAME_COST = 0.12
# What the estimate of a word alone, with a space, has too much: of digits exactly this, of times,
# prices and codes about the other, on public dialogues.
_DIGITS_ALONE = 2.0
_SIGNS_ALONE = 1.2
_LONGEST_WORD = 20
# A row of so many capitals that is no word stands for something, as a number does; and its tokens
# are short.
_SHORTEST_CODE = 6
_CODE_COST = 0.65
# Shorter words and stems are left as they are.
_SHORTEST_WORD = 5
_SHORTEST_STEM = 3


def _read_classes() -> dict[str, int]:
    lines = (get_data("pace.summarizers", "common_words.txt") or b"").decode().splitlines()
    return {key: rank for rank, line in enumerate(lines) for key in line.split()}


def word_key(word: str) -> str:
    """What a word has in common with its inflections, roughly; equal keys count as repetition."""
    key = word.lower()
    if not key.isalpha():
        key = key.replace("’", "'").partition("'")[0] or key
    if len(key) < _SHORTEST_WORD or key[-1] not in _ENDS or not (key.isascii() and key.isalpha()):
        return key
    return _without_ending(key)


def _without_ending(key: str) -> str:
    if key.endswith("ies"):
        return key[:-3] + "y"
    if key.endswith("s") and not key.endswith(("ss", "us", "is")):
        key = key[:-1]
        if key.endswith(("sse", "xe", "che", "she")):
            key = key[:-1]
    if key.endswith(("ing", "ed")):
        stem = key[:-3] if key.endswith("g") else key[:-2]
        if len(stem) >= _SHORTEST_STEM and not _VOWELS.isdisjoint(stem):
            return stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "ls" else stem
    if len(key) >= _SHORTEST_WORD and key.endswith("e"):
        return key[:-1]
    return key


_VOWELS = frozenset("aeiouy")
_ENDS = "sgde"
_CLASSES = _read_classes()
# Said often and seldom asked for later, however rare: judgements, everyday verbs, loose nouns; and
# what describes, by its ending.
_PLAIN = frozenset(map(word_key, JUDGEMENTS | EVERYDAY_VERBS | LOOSE_NOUNS))
_PLAIN_VALUE = 1.2
_DESCRIBING_SHARE = 0.5
_DESCRIBING = ("ly", "ful", "abl", "ible", "iv", "ous")
_COUNTS = frozenset(map(word_key, COUNTS))
# A word with such an end is nobody's name, as a rule, wherever it stands.
_ORDINARY_END = re.compile(
    r"(?:ed|ing|ly|tion|tions|sion|ment|ments|ness|ity|ities|ful|less|able|ible|ous|ive|ally|ism|ure"
    r"|ance|ence|ancy|ency|ship|wise|ward|wards|ware|th)$"
)
_RARE = len(_VALUES) - 1


def _value_of_key(key: str) -> float:
    if key in _COUNTS:
        return _COUNT
    if key in _PLAIN:
        return _PLAIN_VALUE
    value = _VALUES[_CLASSES.get(key, _RARE)]
    return value * _DESCRIBING_SHARE if key.endswith(_DESCRIBING) else value


# By how many digits they are, since the estimate knows no more of them.
_DIGITS_COSTS = tuple(max(1.0, estimate_tokens(f" {10**n}"[:-1]) - _DIGITS_ALONE) for n in range(9))
# Most words of a talk are these, and every fold asks anew: once made, it costs a look.
_VALUES_OF_KEYS = {key: _value_of_key(key) for key in (*_CLASSES, *_PLAIN, *_COUNTS)}


def is_common(key: str) -> bool:
    """Whether a key is one of a frequent English word."""
    return key in _CLASSES


def has_ordinary_end(word: str) -> bool:
    """Whether a word, in lower case, ends as verbs, adverbs and abstract nouns of English do."""
    return _ORDINARY_END.search(word) is not None


def is_ordinary(word: str, key: str) -> bool:
    """Whether an English word has a capital only because a sentence opens with it."""
    return key in _CLASSES or key in _PLAIN or has_ordinary_end(word)


def word_value(text: str, key: str, cost: float, *, is_name: bool) -> float:
    """What a telling word is worth; a number or identifier most, then a name, then a rare word."""
    if (not text.isalpha() and any(map(str.isdigit, text))) or _is_code(text, key):
        return max(_CHECKABLE, _CHECKABLE_PER_TOKEN * cost)
    if is_name:
        return _NAME
    return _VALUES_OF_KEYS.get(key) or _value_of_key(key)


def plain_word(text: str) -> tuple[str, float, float]:
    """Key, value and cost of a word of small ASCII letters, in a third of the time."""
    key = text
    if len(text) >= _SHORTEST_WORD and text[-1] in _ENDS:
        key = _without_ending(text)
    value = _VALUES_OF_KEYS.get(key) or _value_of_key(key)
    if key in _CLASSES:
        return key, value, _COMMON_COST
    if len(text) <= _LONGEST_WORD:
        return key, value, 1.0 + (len(text) - 2) * _RARE_COST
    return key, value, word_cost(text, key)


def word_cost(text: str, key: str) -> float:
    """About how many tokens a word takes in a row of words.

    o200k cuts common words 1.05 times on average; rare ones by their length, names most.
    """
    if key in _CLASSES:
        return _COMMON_COST
    if _is_code(text, key):
        return _CODE_COST * len(text)
    if len(text) <= _LONGEST_WORD and text.isascii() and text.isalpha():
        return 1.0 + (len(text) - 2) * (_RARE_COST if text.islower() else _NAME_COST)
    if text.isdigit() and text.isascii() and len(text) < len(_DIGITS_COSTS):
        return _DIGITS_COSTS[len(text)]
    alone = _DIGITS_ALONE if text.isdigit() else _SIGNS_ALONE
    return max(1.0, estimate_tokens(f" {text}") - alone)


def _is_code(text: str, key: str) -> bool:
    return (
        len(text) >= _SHORTEST_CODE
        and text.isupper()
        and text.isascii()
        and text.isalpha()
        and not is_ordinary(text.lower(), key)
    )
