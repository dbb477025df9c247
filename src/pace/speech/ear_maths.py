"""How the signs of arithmetic, and those between words, are said."""

import re

from pace.speech.ear_phrases import EarPhrases

_BEFORE = r"(?:(?<=\d)|(?<=\))|(?<=\b[A-Za-z]))"
_AFTER = r"(?=\d|\(|[A-Za-z]\b|[-−]\d)"
_TIMES = re.compile(rf"{_BEFORE}\s*[*×⋅·]\s*{_AFTER}")
_OVER = re.compile(rf"{_BEFORE}\s*÷\s*{_AFTER}|{_BEFORE}\s/\s{_AFTER}")
_FRACTION = re.compile(r"(?<![\d/])(\d+)/(\d+)(?![\d/])")
_FIGURES_APART = re.compile(r"\b24/7\b|(?<!\d)\d+(?:/\d+){2,}")
_PLUS = re.compile(rf"{_BEFORE}\s*\+\s*{_AFTER}")
_MINUS = re.compile(r"(?<=[\d)])\s*[-−–]\s*(?=[\d(])")
_MINUS_OF_LETTERS = re.compile(rf"{_BEFORE}\s*[-−–]\s*{_AFTER}")
_NEGATIVE = re.compile(r"(?<![\w.)])[-−](?=\d)")
_POSITIVE = re.compile(r"(?<!\w)\+(?=\d)")
_EQUALS = re.compile(r"(?<=[\w)%])\s*(?<![<>!=])={1,3}(?!>)\s*(?=[\w(−-])")
_POWER = re.compile(r"(?<=[\w)])\^\{?(?=[\w-])")
_RAISED = re.compile(r"(?<=[\w)])([²³⁴-⁹])")
_RAISED_FIGURES = str.maketrans("²³⁴⁵⁶⁷⁸⁹", "23456789")
_ABOUT = re.compile(r"(?<!\w)[~≈]\s?(?=\d)|\s≈\s")
_LESS = re.compile(r"(?<=\w)\s<\s(?=\w)|(?<!\w)<\s?(?=\d)")
_MORE = re.compile(r"(?<=\w)\s>\s(?=\w)|(?<!\w)>\s?(?=\d)")
_AND = re.compile(r"(?<=\s)&(?=\s)")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])/(?=[^\W\d_])")
_PAUSES = re.compile(r"\s*(?:\s[-–—]+>?\s|—|\s=>\s|[→⇒➜←↔⟶]|\s\|+\s)\s*")
_ROOTS_OF_PATHS = re.compile(r"(?<!\S)[~.]{0,2}/(?=\w)")


def without_signs(text: str, phrases: EarPhrases | None) -> str:
    """The text with words for its signs; with pauses alone, for a language without phrases."""
    if phrases is None:
        return _with_pauses(_TIMES.sub(" × ", text))
    is_sum = _EQUALS.search(text) is not None
    apart = _FIGURES_APART.sub(lambda found: found[0].replace("/", " "), text)
    text = _POWER.sub(f" {phrases.power} ", apart)
    text = _RAISED.sub(lambda found: _raised(found[1], phrases), text)
    text = _TIMES.sub(f" {phrases.times} ", text)
    text = _OVER.sub(f" {phrases.over} ", _FRACTION.sub(rf"\1 {phrases.over} \2", text))
    text = _PLUS.sub(f" {phrases.plus} ", text)
    text = (_MINUS_OF_LETTERS if is_sum else _MINUS).sub(
        lambda found: f" {phrases.minus} " if is_sum or " " in found[0] else " ", text
    )
    text = _NEGATIVE.sub(f"{phrases.minus} ", text)
    text = _POSITIVE.sub(f"{phrases.plus} ", text)
    text = _EQUALS.sub(f" {phrases.equals} ", text)
    text = _ABOUT.sub(f" {phrases.about} ", text)
    text = _LESS.sub(f" {phrases.less} ", text)
    text = _MORE.sub(f" {phrases.more} ", text)
    return _with_pauses(_AND.sub(phrases.and_, text))


def _raised(figure: str, phrases: EarPhrases) -> str:
    return f" {phrases.power} {figure.translate(_RAISED_FIGURES)}"


def _with_pauses(text: str) -> str:
    text = _BETWEEN_WORDS.sub(" ", _ROOTS_OF_PATHS.sub("", text))
    return _PAUSES.sub(lambda found: ", " if found.start() else "", text)
