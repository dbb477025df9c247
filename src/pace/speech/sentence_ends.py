"""Finds where the next sentence of a streaming Markdown text ends, as soon as that is certain.

Whatever more text could change is not decided, so that the ends do not depend on how the text
comes in.
"""

import re
from dataclasses import dataclass

from pace.speech.ear_phrases import language_code

_FEWEST_WORDS = 4
_FEWEST_IDEOGRAPHS = 8
_LONGEST_LINK_TEXT = 300
# German writes a day of the month, and a rank, with a full stop.
_FIGURES_OF_A_DAY = 2

_MARKER = re.compile(r"(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t])?|#{1,6}[ \t]+|>[ \t]?")
_FENCE = re.compile(r"`{3,}|~{3,}")
_BLOCK = re.compile(
    r"[-*+•◦▪‣][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|\||>|([-*_])(?:[ \t]*\1){2,}[ \t]*\n"
)
_MAY_BE_BLOCK = re.compile(r"[•◦▪‣]|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2}|[-*_+ \t]*")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_QUOTE = re.compile(r"[ \t]*>")
_WORD = re.compile(r"\w+")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_INLINE = re.compile(r"[\\`\[\n.!?…。！？؟।,;:،、，；：–—-]")
_END = re.compile(r"[.!?…。！？؟।]+[\"'”’»)\]*_~」』）]*")
_ENDS_WITHOUT_SPACE = re.compile(r"[。！？]")
_LAST_WORD = re.compile(r"[^\s(\[*_\"'“‘«„]+$")

_INNER_DOTS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_ABBREVIATIONS = frozenset(
    {
        *("dr", "mr", "mrs", "ms", "prof", "st", "sr", "sra", "jr", "vs", "approx", "fig", "gen"),
        *("rev", "capt", "sgt", "gov", "sen", "rep", "hon", "mt", "ft", "dept", "est", "cf", "al"),
        *("bzw", "ca", "nr", "vgl", "ggf", "evtl", "inkl", "bzgl", "hr", "fr", "str", "mio", "mrd"),
        *("ex", "env", "mme", "mlle", "dra", "aprox", "ej", "uu", "ee", "dott", "sig", "ad es"),
        *("bijv", "bv", "dhr", "mevr", "resp", "z", "d", "jan", "feb", "aug", "sept", "nov", "dec"),
    }
)
# These end a sentence if the next begins with a capital.
_LIST_ENDS = frozenset(
    {"etc", "usw", "ecc", "enz", "inc", "ltd", "co", "corp", "a.m", "p.m", "u.a"}
)
# Words of their own, unless a figure follows.
_BEFORE_FIGURES = frozenset({"no", "art", "pp", "p", "s", "vol", "ch", "sec", "pag", "abs"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What has come of a text so far; more may follow unless it `is_whole`."""

    text: str
    is_whole: bool
    language: str

    def piece_end(self, start: int, *, early: bool) -> int | None:
        """Where the piece that begins at `start` ends; None if that is not certain yet.

        An `early` piece may be a clause of a few words. Space before a piece is its own.
        """
        rest = re.compile(r"\s*").match(self.text, start)
        at = rest.end() if rest else start
        if at == len(self.text):
            return None
        begins_line = not self.text[:at].rpartition("\n")[2].strip()
        while marker := _MARKER.match(self.text, at):
            at = marker.end()
        if begins_line and self.text.startswith("|", at):
            return self._table_end(at)
        if begins_line and self.text[at : at + 3] in {"`", "``", "~", "~~"} and not self.is_whole:
            return None
        if begins_line and (fence := _FENCE.match(self.text, at)):
            end = self._fence_end(fence)
            if end != -1:
                return end
        return self._sentence_end(at, early=early)

    def _fence_end(self, fence: re.Match[str]) -> int | None:
        """Where a code block ends; -1 if it is none."""
        line_end = self.text.find("\n", fence.end())
        info = self.text[fence.end() : line_end if line_end >= 0 else None]
        if fence[0][0] == "`" and "`" in info:
            return -1
        whole = len(self.text) if self.is_whole else None
        if line_end < 0:
            return whole
        close = rf"^[ \t>]*{re.escape(fence[0])}{fence[0][0]}*[ \t]*\n"
        found = re.compile(close, re.MULTILINE).search(self.text, line_end + 1)
        return found.end() if found else whole

    def _table_end(self, at: int) -> int | None:
        while (line_end := self.text.find("\n", at)) >= 0:
            rest = self.text[line_end + 1 :].lstrip(" \t")
            if not rest:
                break
            if rest[0] != "|":
                return line_end
            at = line_end + 1
        return len(self.text) if self.is_whole else None

    def _sentence_end(self, begin: int, *, early: bool) -> int | None:
        at = begin
        while mark := _INLINE.search(self.text, at):
            at = mark.start()
            following = self._after(at, begin, early=early)
            if following is None:
                break
            at, is_end = following
            if is_end:
                return at
        return len(self.text) if self.is_whole else None

    def _after(self, at: int, begin: int, *, early: bool) -> tuple[int, bool] | None:
        """Where to go on from a mark, and whether the piece ends there; None if not certain."""
        match self.text[at]:
            case "\\":
                return at + 2, False
            case "`":
                return self._after_code(at)
            case "[":
                return self._after_link(at)
            case "\n":
                return self._after_line(at)
            case "." | "!" | "?" | "…" | "。" | "！" | "？" | "؟" | "।":
                return self._after_stop(at, begin)
            case _:
                return self._after_clause(at, begin) if early else (at + 1, False)

    def _after_code(self, at: int) -> tuple[int, bool] | None:
        ticks = re.compile(r"`+").match(self.text, at)
        length = len(ticks[0]) if ticks else 1
        after = at + length
        if after == len(self.text):
            return (after, False) if self.is_whole else None
        closing = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(self.text, after)
        blank = re.compile(r"\n[ \t]*\n").search(self.text, after)
        if closing and not (blank and blank.start() < closing.start()):
            certain = self.is_whole or closing.end() < len(self.text)
            return (closing.end(), False) if certain else None
        return (after, False) if self.is_whole or blank else None

    def _after_link(self, at: int) -> tuple[int, bool] | None:
        """Past the address of a link, if this is one."""
        link = re.compile(rf"\[[^\]\n]{{0,{_LONGEST_LINK_TEXT}}}\]\([^)\n]*\)").match(self.text, at)
        if link:
            return link.end(), False
        unfinished = re.compile(rf"\[[^\]\n]{{0,{_LONGEST_LINK_TEXT}}}(?:\](?:\([^)\n]*)?)?")
        rest = unfinished.match(self.text, at)
        may_come = rest is not None and rest.end() == len(self.text) and not self.is_whole
        return None if may_come else (at + 1, False)

    def _after_line(self, at: int) -> tuple[int, bool] | None:
        """A line ends a piece before a blank line or another block, and after a heading."""
        line = self.text[:at].rpartition("\n")[2]
        rest = self.text[at + 1 :].lstrip(" \t")
        if not rest and not self.is_whole:
            return None
        if not rest or rest[0] == "\n" or _HEADING.match(line):
            return at, True
        if rest[0] == ">" and _QUOTE.match(line):
            return at + 1, False
        if _BLOCK.match(rest):
            return at, True
        if _MAY_BE_BLOCK.fullmatch(rest) and not self.is_whole:
            return None
        return at + 1, False

    def _after_stop(self, at: int, begin: int) -> tuple[int, bool] | None:
        stop = _END.match(self.text, at)
        after = stop.end() if stop else at + 1
        if after == len(self.text):
            return (after, True) if self.is_whole else None
        marks = self.text[at:after]
        has_words = _WORD.search(self.text, begin, at) is not None
        if _ENDS_WITHOUT_SPACE.search(marks):
            return after, has_words
        if not self.text[after].isspace() or not has_words:
            return after, False
        following = self.text[after:].lstrip()[:1]
        last = _LAST_WORD.search(self.text, max(begin, at - 40), at)
        ends = self._ends(marks, last[0] if last else "", following)
        return None if ends is None else (after, ends)

    def _ends(self, marks: str, word: str, following: str) -> bool | None:
        """Whether a sentence ends behind this word; `following` is empty if nothing came yet."""
        small = word.lower()
        if marks.startswith(("…", "..")):
            ends = not following.islower()
        elif marks[0] != ".":
            return True
        elif small in _LIST_ENDS:
            ends = not following or following.isupper()
        elif small in _BEFORE_FIGURES:
            ends = not following.isdigit()
        else:
            return not self._is_shortened(word)
        return ends if following or self.is_whole else None

    def _is_shortened(self, word: str) -> bool:
        """Whether a full stop behind it stands for letters left out, or makes it an ordinal."""
        if word.lower() in _ABBREVIATIONS or _INNER_DOTS.fullmatch(word):
            return True
        code = language_code(self.language)
        if len(word) == 1 and word.isupper():
            return not (code == "en" and word == "I")
        return code == "de" and word.isdigit() and len(word) <= _FIGURES_OF_A_DAY

    def _after_clause(self, at: int, begin: int) -> tuple[int, bool] | None:
        if at + 1 == len(self.text):
            return None if not self.is_whole else (at + 1, False)
        mark = self.text[at]
        if mark in "、，；：—":
            is_clause = True
        elif mark in "–-":
            is_clause = self.text[at - 1].isspace() and self.text[at + 1].isspace()
        else:
            is_clause = self.text[at + 1].isspace()
        said = self.text[begin:at]
        words = len(_WORD.findall(said))
        ideographs = len(_IDEOGRAPH.findall(said))
        long_enough = ideographs >= _FEWEST_IDEOGRAPHS if ideographs else words >= _FEWEST_WORDS
        return at + 1, is_clause and long_enough
