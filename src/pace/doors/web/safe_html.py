"""Sets Markdown as HTML that is read, and does nothing: safe by what it can write at all.

Every tag, attribute and scheme it writes stands in this file. HTML of a model, a journal or an
error is shown as it was written, an image is named instead of loaded, and what could turn or hide
text is shown as in the terminal.
"""

import re
from collections.abc import MutableMapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from pace.doors.safe_text import safe_line, safe_text
from pace.doors.web.code_colours import coloured

# With anything before the colon that is not exactly this, a browser would look for a scheme of its
# own, or take the address for one of ours.
_SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_LINK = 'rel="noopener noreferrer nofollow" target="_blank"'
# The page and the message have headings above those of a reply.
_HEADINGS_BELOW = 2
_DEEPEST_HEADING = 6
_LONGEST_LANGUAGE = 24
# What is longer is shown as it was written. Signs that never close make a paragraph cost its length
# squared, and everything costs on every new word; both are bounded by this.
LONGEST_MARKDOWN = 40_000
_LONGEST_PARAGRAPH = 8_000
# A row of a table that is too short is filled up, and so costs as much as the widest.
_MOST_CELLS = 20_000
_Environment = MutableMapping[str, Any]


def safe_html(markdown: str) -> str:
    """HTML to be shown without further cleaning; a text that is cut anywhere is shown as far."""
    if len(markdown) > LONGEST_MARKDOWN:
        return f'<div class="as-written">{escape(safe_text(markdown))}</div>\n'
    text = safe_text(markdown)
    lines = text.split("\n")
    may_hold_tables = max(line.count("|") for line in lines) * len(lines) <= _MOST_CELLS
    rendered = (_PARSER if may_hold_tables else _PARSER_WITHOUT_TABLES).render(text)
    assert isinstance(rendered, str)  # noqa: S101  # for the type checker
    return rendered


class _Renderer(RendererHTML):
    """Writes what the parser's own renderer writes, apart from what a page needs otherwise."""

    def text(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """Words, made safe once more: Markdown's `&#x202e;` has only now become a character."""
        del options, env
        return escape(safe_text(tokens[idx].content))

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """A link shows where it leads, whatever it calls itself."""
        del options, env
        return _opening(str(tokens[idx].attrs.get("href", "")))

    def image(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """What would be an image: its name and address, loaded by nobody."""
        address = str(tokens[idx].attrs.get("src", ""))
        name = safe_text(self.renderInlineAsText(tokens[idx].children or [], options, env))
        shown = escape(f"Image: {name} ({address})" if name else f"Image: {address}")
        depth = sum(token.nesting for token in tokens[:idx] if token.type.startswith("link_"))
        # A link cannot stand in a link.
        return f"<span>{shown}</span>" if depth else f"{_opening(address)}{shown}</a>"

    def fence(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """Code under a bar that names its language and copies it."""
        del options, env
        token = tokens[idx]
        language = (safe_line(token.info).split() or [""])[0][:_LONGEST_LANGUAGE]
        return (
            f'<div class="code"><div class="code-bar"><span>{escape(language)}</span>'
            '<button class="copy" type="button" aria-label="Copy code">Copy</button></div>'
            f'<pre tabindex="0"><code>{coloured(token.content, language)}</code></pre></div>\n'
        )

    code_block = fence

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """A heading below those of the page."""
        del options, env
        return f"<{_heading(tokens[idx])}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """Its end."""
        del options, env
        return f"</{_heading(tokens[idx])}>\n"

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """A table that is wider than its place is moved by mouse, finger or arrow keys."""
        del tokens, idx, options, env
        return '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """Its end."""
        del tokens, idx, options, env
        return "</table></div>\n"

    def th_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """A cell whose side is a class: styles stand in no message."""
        del options, env
        return f'<th scope="col"{_side(tokens[idx])}>'

    def td_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Environment
    ) -> str:
        """As above."""
        del options, env
        return f"<td{_side(tokens[idx])}>"


def _opening(address: str) -> str:
    shown = escape(address)
    return f'<a href="{shown}" title="{shown}" {_LINK}>'


def _heading(token: Token) -> str:
    return f"h{min(int(token.tag[1:]) + _HEADINGS_BELOW, _DEEPEST_HEADING)}"


def _side(token: Token) -> str:
    for side in ("center", "right"):
        if token.attrs.get("style") == f"text-align:{side}":
            return f' class="{side}"'
    return ""


class _Parser(MarkdownIt):
    """Takes for links what leads to the web or to a mail, and nothing else."""

    def validateLink(self, url: str) -> bool:  # noqa: N802  # the parser's own name
        """What it turns down stays as it was written."""
        return _SAFE_ADDRESS.match(url) is not None


def _inline(state: StateCore) -> None:
    """The signs within paragraphs, apart from those of the longest, which are shown."""
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > _LONGEST_PARAGRAPH:
            token.children = [
                piece
                for line in token.content.split("\n")
                for piece in (Token("text", "", 0, content=line), Token("softbreak", "br", 0))
            ]
        elif token.type == "inline":
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _parser(*blocks: str) -> _Parser:
    """A parser for what is common, strikethrough and these blocks."""
    made = _Parser(
        "commonmark",
        {"html": False, "breaks": True, "xhtmlOut": False},
        renderer_cls=_Renderer,
    )
    made.enable(["strikethrough", *blocks])
    # A line under a text would make a heading of it while a list's first dash has just come.
    made.disable("lheading")
    made.core.ruler.at("inline", _inline)
    return made


_PARSER = _parser("table")
_PARSER_WITHOUT_TABLES = _parser()
