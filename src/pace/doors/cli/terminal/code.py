"""Sets code as indented lines that can be copied, coloured where the language is known."""

from pygments import lex  # type: ignore[import-untyped]  # it ships no types
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # as above
from pygments.token import Token  # type: ignore[import-untyped]  # as above
from pygments.util import ClassNotFound  # type: ignore[import-untyped]  # as above
from rich.text import Text

from pace.doors.cli.terminal.look import ACCENT, DIM, GOOD, WARNING
from pace.doors.cli.terminal.wrapping import folded

# The most special kind comes first; everything else stands in the terminal's own foreground.
_STYLES = (
    (Token.Comment, "dim italic"),
    (Token.Literal.String, GOOD),
    (Token.Literal.Number, WARNING),
    (Token.Keyword, "magenta"),
    (Token.Operator.Word, "magenta"),
    (Token.Name.Function, ACCENT),
    (Token.Name.Class, ACCENT),
    (Token.Name.Decorator, WARNING),
    (Token.Name.Tag, "magenta"),
    (Token.Name.Attribute, ACCENT),
    (Token.Generic.Deleted, "red"),
    (Token.Generic.Inserted, GOOD),
)
_INDENT = "  "
# Beyond this, colouring on every new line would cost more than it gives.
_LONGEST_COLOURED = 40_000


def code_lines(code: str, language: str, width: int) -> list[Text]:
    """A code block's lines, each within `width`; long ones are folded, so that nothing is lost."""
    indent = Text(_INDENT)
    lines = [indent + Text(language, DIM)] if language else []
    for line in _coloured(code.rstrip("\n"), language).split("\n", allow_blank=True):
        lines += [indent + part for part in folded(line, width - len(_INDENT))]
    return lines


def _coloured(code: str, language: str) -> Text:
    if not language or len(code) > _LONGEST_COLOURED:
        return Text(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return Text(code)
    text = Text()
    for kind, part in lex(code, lexer):
        text.append(part, next((style for base, style in _STYLES if kind in base), None))
    return text if text.plain == code else Text(code)
