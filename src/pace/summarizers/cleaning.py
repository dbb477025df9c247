"""Takes off what models put around a summary, and cuts it where a sentence ends.

Nothing here changes the words of the summary itself.
"""

import re

from pace.memory.tokens import estimate_tokens
from pace.planners.reasoning import without_reasoning

# The end of reasoning whose beginning was in the prompt, as some templates have it.
_REASONING_END = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)\w*\s*$", re.MULTILINE)
_WRAPPING_TAG = re.compile(
    r"^<(?P<tag>(?:new_|updated_)?summary|output|answer|paragraph)>(?P<text>.*)</(?P=tag)>$",
    re.IGNORECASE | re.DOTALL,
)
_MOST_LAYERS = 12
_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
_HEADING = re.compile(r"^[^\S\n]*(?:#{1,6}\s+)+", re.MULTILINE)
_LIST_MARKER = re.compile(r"^\s*(?:[-*•–·]|\(?\d{1,2}[.)])\s+")
_SUMMARY_WORDS = (
    "summary|recap|paragraph|resumo|resumen|résumé|riassunto|zusammenfassung|samenvatting|итог"
    "|резюме|摘要|总结|總結|要約|まとめ|요약"
)
_LABEL = re.compile(
    r"^(?:(?:sure|certainly|of course|okay|ok|got it)[,.!:]*\s*)?"
    r"(?:here(?:['’]s| is| are)\b[^.:：\n]{0,80}[:：]\s*"
    rf"|(?:(?:the|an?|new|updated?|revised|rolling|final|brief|short|concise|conversation)\s+)*"
    rf"(?:{_SUMMARY_WORDS})(?:\s+(?:of|so far)\b[^.:：\n]{{0,60}})?\s*(?:[:：]\s*|\n+))",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?<=[.!?。])\s*(?:let me know|i hope (?:this|that)|feel free|would you like me|do you want me"
    r"|is there anything|please let me)\b[^.!?]*[.!?]*\s*$",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "「": "」", "„": "“"}
_LINE_END = tuple(".!?…:;,。！？：；，؟।")

# A row of points is looked at once, from its first: from each, that takes its length squared.
_ENDS_SENTENCE = re.compile(r"(?<![.!?…؟।])[.!?…؟।]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”]*")
_ENDS_CLAUSE = re.compile(r"[;；](?=\s|$|[^\x00-\x7f])")
# A point after these ends no sentence; after some of them only if what follows is no new one.
_TITLES = "dr|mr|mrs|ms|mx|prof|st|sra?|dra|mme|mlle|hr|fr"
_SHORT_FORM = re.compile(rf"\b(?:(?i:{_TITLES}|vs|e\.g|i\.e|approx|bzw)|[A-Z])\.$")
_BEFORE_A_NUMBER = re.compile(r"\b(?:nos?|nr|num|vol|op|ch|fig|pp?|ca|tel)\.$", re.IGNORECASE)
_BEFORE_MORE = re.compile(r"\b(?:[ap]\.m|etc|jr|inc|ltd|ca)\.$", re.IGNORECASE)
_LONGEST_SHORT_FORM = 8


def cleaned(text: str) -> str:
    """A model's summary as one paragraph, without reasoning, labels, quotes and Markdown."""
    text = _without_wrapping(without_reasoning(_REASONING_END.sub("", without_reasoning(text))))
    return _one_paragraph(_OFFER.sub("", text))


def lines_of(text: str) -> list[str]:
    """The lines of a text without its wrapping: where a model wrote more than a paragraph."""
    return _without_wrapping(without_reasoning(text)).splitlines()


def _without_wrapping(text: str) -> str:
    """Take layers off until none is left, or as many as no model puts around what it means."""
    for _ in range(_MOST_LAYERS):
        text = text.strip()
        inner = _FENCE.sub("", text).strip()
        if tagged := _WRAPPING_TAG.match(inner):
            inner = tagged["text"]
        inner = _HEADING.sub("", _BOLD.sub(r"\1", inner))
        inner = _unquoted(_LABEL.sub("", inner.strip(), count=1))
        if inner == text:
            break
        text = inner
    return text


def _unquoted(text: str) -> str:
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing:  # noqa: PLR2004 - two quotes
        return text
    inside = text[1:-1]
    return text if text[0] in inside or closing in inside else inside


def _one_paragraph(text: str) -> str:
    """Lines joined, list items as clauses."""
    whole = ""
    for line in text.splitlines():
        item = _LIST_MARKER.sub("", line)
        words = " ".join(item.split())
        if not words:
            continue
        if whole and item != line and not whole.endswith(_LINE_END):
            whole += ";"
        whole += f" {words}" if whole else words
    return whole


def whole_sentences(text: str) -> str:
    """A text up to the end of its last whole sentence; empty if it holds none."""
    ends = _sentence_ends(text)
    return text[: ends[-1]] if ends else ""


def sentences_of(text: str) -> list[str]:
    """A text sentence by sentence; what stands after the last end is one, too."""
    ends = _sentence_ends(text)
    parts = (text[a:b].strip() for a, b in zip((0, *ends), (*ends, len(text)), strict=True))
    return [part for part in parts if part]


def within(text: str, budget: int) -> str:
    """As many sentences of a text as stay within so many estimated tokens, else clauses.

    Empty if not even the first clause does.
    """
    if estimate_tokens(text) <= budget:
        return text
    for ends in (_sentence_ends(text), [found.start() for found in _ENDS_CLAUSE.finditer(text)]):
        for end in reversed(ends):
            if estimate_tokens(text[:end]) <= budget:
                return text[:end].rstrip()
    return ""


def _sentence_ends(text: str) -> list[int]:
    return [
        found.end()
        for found in _ENDS_SENTENCE.finditer(text)
        if not _is_short_form(text, found.end())
    ]


def _is_short_form(text: str, end: int) -> bool:
    """Whether the point at which a text is taken for ended belongs to a short form."""
    last = text[max(0, end - _LONGEST_SHORT_FORM) : end]
    if _SHORT_FORM.search(last):
        return True
    following = text[end : end + 2].lstrip()[:1]
    if following.isdigit():
        return _BEFORE_A_NUMBER.search(last) is not None
    return following.islower() and _BEFORE_MORE.search(last) is not None
