"""Sets Markdown as lines for a terminal, such that a longer text begins with the same lines.

What is set so far therefore never has to be repainted when more of a list, a paragraph or a code
block comes in. Tables are the exception: their columns grow.
"""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from rich.text import Text

from pace.doors.cli.terminal.code import code_lines
from pace.doors.cli.terminal.inline import inline_text
from pace.doors.cli.terminal.look import DIM, STRONG, Look
from pace.doors.cli.terminal.table import table_lines
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.safe_text import safe_line

_LONGEST_RULE = 40
# Lists in lists move to the right no further than this leaves room.
_NARROWEST = 8


class Markdown:
    """Reads and sets Markdown. HTML is shown as it was written."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])

    def block_starts(self, source: str) -> list[int]:
        """The line numbers at which the blocks of a text begin."""
        tokens = self._parser.parse(source)
        return [t.map[0] for t in tokens if t.level == 0 and t.nesting >= 0 and t.map]

    def last_block(self, source: str) -> str:
        """What kind the last block of a text is, the innermost that is not a paragraph's inside."""
        tokens = [t for t in self._parser.parse(source) if t.map and t.type != "inline"]
        kinds = [t.type.removesuffix("_open") for t in tokens if t.nesting >= 0]
        return "table" if "table" in kinds and kinds[-1] == "tr" else kinds[-1] if kinds else ""

    def lines(self, source: str, width: int) -> list[Text]:
        """Lines that take at most `width` cells, with an empty one between blocks."""
        tree = SyntaxTreeNode(self._parser.parse(source))
        return list(self._blocks(tree.children, width))

    def _blocks(self, nodes: list[SyntaxTreeNode], width: int) -> Iterator[Text]:
        for number, node in enumerate(nodes):
            if number and not (node.type.endswith("_list") and node.level):
                yield Text()
            yield from self._block(node, width)

    def _block(self, node: SyntaxTreeNode, width: int) -> list[Text]:
        match node.type:
            case "bullet_list" | "ordered_list":
                return list(self._items(node, width))
            case "blockquote":
                bar = f"{self._look.signs.bar} "
                room = max(width - 2, _NARROWEST)
                return [
                    Text.assemble((bar, DIM), line) for line in self._blocks(node.children, room)
                ]
            case "table":
                return table_lines(_rows(node), width, self._look)
            case "hr":
                return [Text(self._look.signs.rule * min(width, _LONGEST_RULE), DIM)]
            case _:
                return _leaf(node, width)

    def _items(self, node: SyntaxTreeNode, width: int) -> Iterator[Text]:
        for item in node.children:
            if node.type == "ordered_list":
                mark = f"{item.info}{item.markup} "
            else:
                mark = f"{self._look.signs.bullet} "
            room = max(width - len(mark), _NARROWEST)
            for number, line in enumerate(self._blocks(item.children, room)):
                yield Text.assemble((" " * len(mark) if number else mark, DIM), line)
            if not item.children:
                yield Text(mark, DIM)


def _leaf(node: SyntaxTreeNode, width: int) -> list[Text]:
    """A block that holds words or code, not other blocks."""
    if node.type in {"fence", "code_block"}:
        language = (safe_line(node.info).split() or [""])[0]
        return code_lines(node.content, language, width)
    words = _words(node)
    if node.type == "heading":
        words.stylize(STRONG)
    return wrapped(words, width)


def _rows(table: SyntaxTreeNode) -> list[list[Text]]:
    rows = [row for part in table.children for row in part.children]
    return [[_words(cell) for cell in row.children] for row in rows]


def _words(node: SyntaxTreeNode) -> Text:
    """What an inline child of a block says."""
    text = Text()
    for child in node.children:
        if child.token is not None:
            text += inline_text(child.token.children or [])
    return text
