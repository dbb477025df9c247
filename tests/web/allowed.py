"""Reads HTML as a browser would, and says what in it is not on a list of harmless things."""

from html.parser import HTMLParser

_ATTRIBUTES = {
    "a": {"href", "title", "rel", "target"},
    "button": {"class", "type", "aria-label"},
    "div": {"class", "role", "aria-label", "tabindex"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class", "scope"},
}
_PLAIN = {
    "blockquote",
    "br",
    "code",
    "em",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "s",
    "strong",
    "table",
    "tbody",
    "thead",
    "tr",
    "ul",
}
_TAGS = {*_PLAIN, *_ATTRIBUTES}
_VOID = {"br", "hr"}
_CLASSES = {"as-written", "code", "code-bar", "copy", "table", "center", "right"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.text = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.found.append(f"<{tag}>")
        if tag == "a" and "a" in self._open:
            self.found.append("a link in a link")
        for name, value in attrs:
            self._check(tag, name, value or "")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.found.append(f"</{tag}> of nothing")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.found.append(f"<![{data}]>")

    def close(self) -> None:
        super().close()
        self.found += [f"<{tag}> that is not closed" for tag in self._open]

    def _check(self, tag: str, name: str, value: str) -> None:
        allowed = name in _ATTRIBUTES.get(tag, set())
        if name == "class":
            allowed = allowed and all(c in _CLASSES or c.startswith("hl-") for c in value.split())
        if name == "href":
            allowed = allowed and value.lower().startswith(("http://", "https://", "mailto:"))
        if name == "start":
            allowed = allowed and value.isdigit()
        if not allowed:
            self.found.append(f"<{tag} {name}={value!r}>")


def not_allowed(html: str) -> list[str]:
    """Every tag, attribute or address that is not harmless, and every tag out of its place."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found


def text_of(html: str) -> str:
    """The words that a person would read."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text
