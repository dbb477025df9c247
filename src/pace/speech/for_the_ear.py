"""Turns Markdown into what is said: no markup, code bodies, addresses, wide tables or emoji."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from pace.speech.ear_numbers import words_of
from pace.speech.ear_phrases import code_language, language_code, phrases_of
from pace.speech.ear_text import host, said

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

_BULLET = re.compile(r"^(\s*)[•◦▪‣·]\s", re.MULTILINE)
_POWER_OF_FIGURES = re.compile(r"(?<=\d)\*\*(?=\d)")
_TIMES_OF_FIGURES = re.compile(r"(?<=\d)\*(?=\d)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\](?::[ \t]*)?")
_TASK = re.compile(r"^\[[ xX]\]\s")
_WORD = re.compile(r"[^\W_]")
_WORDS = re.compile(r"\w+")
_SAID_AT_ITS_END = re.compile(r"[.!?…:;,。！？；：，、؟।][\"'”’»)\]]*$")
_COMMENT = re.compile(
    r"<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1>|$)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"</?([A-Za-z][\w-]*)[^>]*>")
# What stands in angle brackets and is none of these is a word: "hello <name>".
_TAGS = re.compile(
    "a|abbr|b|blockquote|body|br|button|center|code|dd|del|details|div|dl|dt|em|figure|font|form"
    "|h[1-6]|head|hr|html|i|iframe|img|input|ins|kbd|label|li|link|mark|meta|ol|option|p|pre|q|s"
    "|samp|section|select|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead"
    "|title|tr|tt|u|ul|var|video",
    re.IGNORECASE,
)
_MOST_COLUMNS = 3
_MOST_ROWS = 4
_HARD_BREAK = "\v"


def for_the_ear(text: str, language: str) -> str:
    """What is said of this Markdown, in sentences; empty only if there is nothing to say.

    `language` is a tag such as "en" or "pt-BR". In a language without phrases of Pace's own, code
    and wide tables are left out, unless there is nothing else.
    """
    source = _BULLET.sub(r"\1- ", _FOOTNOTE.sub("", text.replace(_HARD_BREAK, "\n")))
    source = _TIMES_OF_FIGURES.sub("×", _POWER_OF_FIGURES.sub("^", source))
    tree = SyntaxTreeNode(_PARSER.parse(source))
    spoken = " ".join(filter(None, _blocks(tree, language)))
    if spoken:
        return spoken
    unnamed = (n.content for n in tree.walk() if n.type in {"fence", "code_block", "inline"})
    return _sentence(" ".join(_WORDS.findall(" ".join(unnamed))), language)


def _blocks(node: SyntaxTreeNode, language: str) -> Iterator[str]:
    for child in node.children:
        match child.type:
            case "bullet_list" | "blockquote" | "list_item":
                yield from _blocks(child, language)
            case "ordered_list":
                yield from _numbered(child, language)
            case "table":
                yield from _table(child, language)
            case "fence" | "code_block":
                yield _code(child, language)
            case "html_block":
                yield from (_sentence(line, language) for line in _visible(child.content))
            case "paragraph" | "heading":
                yield _paragraph(child, language)
            case _:
                pass


def _numbered(node: SyntaxTreeNode, language: str) -> Iterator[str]:
    for number, item in enumerate(node.children, int(node.attrs.get("start", 1))):
        words = words_of(number, language)
        parts = list(filter(None, _blocks(item, language)))
        yield " ".join((f"{words[0].upper()}{words[1:]}:", *parts)) if parts else ""


def _table(node: SyntaxTreeNode, language: str) -> Iterator[str]:
    rows = [
        [_line(_inline(cell, language), language) for cell in row.children]
        for part in node.children
        for row in part.children
    ]
    phrases = phrases_of(language)
    small = len(rows[0]) <= _MOST_COLUMNS and len(rows) - 1 <= _MOST_ROWS
    if small:
        yield from (_closed(", ".join(filter(None, row)), language) for row in rows)
    elif phrases:
        yield _opened(phrases.table.format(", ".join(filter(None, rows[0]))), language)


def _code(node: SyntaxTreeNode, language: str) -> str:
    phrases = phrases_of(language)
    if phrases is None:
        return ""
    name = code_language(node.info)
    return _opened(phrases.code_in.format(name) if name else phrases.code, language)


def _paragraph(node: SyntaxTreeNode, language: str) -> str:
    text = _TASK.sub("", _inline(node, language))
    lines = (_sentence(line, language) for line in text.split(_HARD_BREAK))
    return " ".join(filter(None, lines))


def _inline(node: SyntaxTreeNode, language: str) -> str:
    match node.type:
        case "softbreak":
            return "\n"
        case "hardbreak":
            return _HARD_BREAK
        case "html_inline":
            return " ".join(_visible(node.content))
        case "text" | "code_inline":
            return node.content
        case _:
            return _named(node, language)


def _named(node: SyntaxTreeNode, language: str) -> str:
    """What is in it; an image by its description, a link without text by its host."""
    inside = "".join(_inline(child, language) for child in node.children)
    if node.type == "image" and not inside.strip():
        phrases = phrases_of(language)
        return phrases.image.capitalize() if phrases else ""
    return inside or host(str(node.attrs.get("href", "")))


def _visible(html: str) -> list[str]:
    bare = _TAG.sub(
        lambda found: "" if _TAGS.fullmatch(found[1]) else f" {found[1]} ", _COMMENT.sub("", html)
    )
    return bare.splitlines()


def _sentence(text: str, language: str) -> str:
    return _closed(_line(text, language), language)


def _line(text: str, language: str) -> str:
    """Lines of one paragraph, joined; those of an unfinished table are sentences."""
    lines = []
    for line in text.strip().split("\n"):
        cells = [said(cell, language) for cell in line.strip().split("|")]
        row = line.strip().startswith("|") and len(cells) > 1
        joined = ", ".join(cell for cell in cells if _WORD.search(cell))
        lines.append(_closed(joined, language) if row else said(line, language))
    spoken = " ".join(filter(None, lines))
    return spoken if _WORD.search(spoken) else ""


def _opened(phrase: str, language: str) -> str:
    return _closed(phrase[0].upper() + phrase[1:], language)


def _closed(text: str, language: str) -> str:
    """The text with a mark at which a voice makes a pause."""
    if not text or _SAID_AT_ITS_END.search(text):
        return text
    return f"{text}。" if language_code(language) in {"ja", "zh"} else f"{text}."
