"""Sets the inside of a Markdown block (bold, code, links) as styled text."""

import re
from collections.abc import Sequence

from markdown_it.token import Token
from rich.style import Style
from rich.text import Text

from pace.doors.cli.terminal.look import ACCENT, DIM
from pace.doors.safe_text import safe_text

_STYLES = {"strong": Style(bold=True), "em": Style(italic=True), "s": Style(strike=True)}
_SPAN = re.compile(r"(?P<code>`+)|(?P<mark>\*\*|~~|\*(?=\S)|(?<=\S)\*)|\\.", re.DOTALL)


def inline_text(tokens: Sequence[Token]) -> Text:
    """The words of an inline token's children. A line end that was written stays one.

    They are made safe here once more, since Markdown's `&#x202e;` has only now become a character.
    """
    text = Text()
    styles = [Style.null()]
    links: list[tuple[str, int]] = []
    for token in tokens:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if token.type == "link_open":
            links.append((str(token.attrs.get("href", "")), len(text)))
        elif token.type == "link_close":
            _append_address(text, *links.pop())
        elif token.nesting == 1:
            styles.append(_STYLES.get(name, Style.null()))
        elif token.nesting == -1:
            styles.pop()
        elif token.type in {"softbreak", "hardbreak"}:
            text.append("\n")
        elif token.type == "code_inline":
            text.append(safe_text(token.content), Style.combine([*styles, Style(color=ACCENT)]))
        elif token.type == "image":
            begin = len(text)
            text.append(safe_text(token.content), Style.combine(styles))
            _append_address(text, str(token.attrs.get("src", "")), begin)
        else:
            text.append(safe_text(token.content), Style.combine(styles))
    return text


def _append_address(text: Text, address: str, begin: int) -> None:
    """A link's address beside its words, since nothing on a screen of text can be hovered over."""
    words, address = text.plain[begin:], safe_text(address)
    if address and address not in {words, f"mailto:{words}"}:
        text.append(f" ({address})" if words else address, DIM)


def closed(source: str) -> str:
    """A paragraph still being written, with the spans that are open in it closed.

    So bold words are bold from their first letter on, and no line changes once its end has come.
    """
    open_marks: list[str] = []
    at = 0
    while found := _SPAN.search(source, at):
        at = found.end()
        if code := found["code"]:
            end = source.find(code, at)
            if end < 0:
                inside = source[at:]
                return f"{source}{code}" if inside.strip() else source[: found.start()]
            at = end + len(code)
        elif mark := found["mark"]:
            follows_word = found.start() > 0 and not source[found.start() - 1].isspace()
            if open_marks and open_marks[-1] == mark and follows_word:
                open_marks.pop()
            elif at < len(source) and not source[at].isspace():
                open_marks.append(mark)
            elif at == len(source) and not follows_word:
                source = source[: found.start()]
    trailing = source.rstrip()
    return trailing + "".join(reversed(open_marks)) if open_marks else source
