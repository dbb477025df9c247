"""Colours of code, as classes in the page and as their style sheet for light and dark."""

from html import escape

from pygments import highlight  # type: ignore[import-untyped]  # it ships no types
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]  # as above
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # as above
from pygments.style import Style  # type: ignore[import-untyped]  # as above
from pygments.token import Token  # type: ignore[import-untyped]  # as above

# A lexer is a program that text is given to, and some of the rarer ones take very long over some
# texts. Who wrote the text names the language, so these are the ones that may be named.
_LANGUAGES = frozenset(
    [
        "bash",
        "c",
        "c++",
        "cmake",
        "cpp",
        "cs",
        "csharp",
        "css",
        "diff",
        "docker",
        "dockerfile",
        "go",
        "golang",
        "graphql",
        "hcl",
        "html",
        "http",
        "ini",
        "java",
        "javascript",
        "js",
        "json",
        "jsonc",
        "jsx",
        "kotlin",
        "lua",
        "make",
        "makefile",
        "nginx",
        "objective-c",
        "php",
        "powershell",
        "proto",
        "py",
        "python",
        "python3",
        "r",
        "rb",
        "ruby",
        "rs",
        "rust",
        "scala",
        "scss",
        "sh",
        "shell",
        "sql",
        "swift",
        "terraform",
        "toml",
        "ts",
        "tsx",
        "typescript",
        "xml",
        "yaml",
        "yml",
        "zsh",
        "console",
    ]
)
# Beyond this, colouring on every new word would cost more than it gives.
_LONGEST_COLOURED = 20_000
_PREFIX = "hl-"


class _Light(Style):  # type: ignore[misc]  # it ships no types
    """On a light ground; each colour has at least 4.5 to 1 against #f1efea."""

    background_color = "transparent"
    styles = {  # noqa: RUF012  # the library's form
        Token.Comment: "italic #5d6470",
        Token.Keyword: "#8a2be2",
        Token.Literal.String: "#1a6b3a",
        Token.Literal.Number: "#9a4a00",
        Token.Operator.Word: "#8a2be2",
        Token.Name.Function: "#0b5cad",
        Token.Name.Class: "#0b5cad",
        Token.Name.Decorator: "#9a4a00",
        Token.Name.Tag: "#8a2be2",
        Token.Name.Attribute: "#0b5cad",
        Token.Generic.Deleted: "#b3261e",
        Token.Generic.Inserted: "#1a6b3a",
    }


class _Dark(Style):  # type: ignore[misc]  # as above
    """On a dark ground; each colour has at least 4.5 to 1 against #201f1d."""

    background_color = "transparent"
    styles = {  # noqa: RUF012  # as above
        Token.Comment: "italic #a0a7b4",
        Token.Keyword: "#c9a3ff",
        Token.Literal.String: "#8fd6a5",
        Token.Literal.Number: "#f0b27a",
        Token.Operator.Word: "#c9a3ff",
        Token.Name.Function: "#8cc4ff",
        Token.Name.Class: "#8cc4ff",
        Token.Name.Decorator: "#f0b27a",
        Token.Name.Tag: "#c9a3ff",
        Token.Name.Attribute: "#8cc4ff",
        Token.Generic.Deleted: "#ff9a93",
        Token.Generic.Inserted: "#8fd6a5",
    }


def coloured(code: str, language: str) -> str:
    """Code as HTML: all of its characters, in spans that have a class and nothing else."""
    if language.lower() not in _LANGUAGES or len(code) > _LONGEST_COLOURED:
        return escape(code)
    lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix=_PREFIX)))


def pygments_css() -> str:
    """The style sheet for `coloured`, inside of `.code`; dark where the system is."""
    light, dark = (
        "\n".join(HtmlFormatter(style=style, classprefix=_PREFIX).get_token_style_defs(".code"))
        for style in (_Light, _Dark)
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
