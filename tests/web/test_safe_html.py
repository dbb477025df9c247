"""Markdown as HTML: nothing that a text contains can run, load, lead astray or style the page."""

import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pace.doors.web.code_colours import pygments_css
from pace.doors.web.safe_html import safe_html
from web.allowed import not_allowed, text_of
from web.hostile import HOSTILE

_PIECES = st.sampled_from(
    [
        *HOSTILE,
        *("<", ">", '"', "'", "&", "`", "```", "~~~", "```html\n", "\n", "\n\n", "    ", "\t"),
        *("[", "](", ")", "![", "**", "_", "~~", "|", "|-|-|\n", "# ", "> ", "- ", "1. ", "\\"),
        *("&lt;", "&#60;", "&quot;", "javascript:", "https://a.example", "data:", "//", "\x00"),
        *("onerror=steal()", "<img ", "<a href=", "</pre>", "-->", "<!--", "\u202e", "\ud800"),
    ]
)
# Repeated, these make a parser look again and again at what it has seen; the last is a table whose
# short rows are filled up.
_COSTLY = [
    *("[", "![", "](", "[a][", "*_", "**a*", "_a ", "`a``", "<!--", "[a]: b\n", "- a\n", "> "),
    "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + "|\n" * 900 + "\n",
]
_TEXTS = st.one_of(st.text(), st.lists(st.one_of(_PIECES, st.text(max_size=5))).map("".join))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_read_and_does_nothing(text: str) -> None:
    """It holds harmless tags, attributes and addresses only, and its words are there."""
    html = safe_html(text)
    assert not_allowed(html) == []
    assert "seen" in text_of(html)


@pytest.mark.parametrize("text", HOSTILE)
def test_every_beginning_of_a_hostile_text_is_harmless(text: str) -> None:
    """Wherever a stream is cut, what has come so far is as harmless as the whole."""
    for end in range(len(text)):
        assert not_allowed(safe_html(text[:end])) == []


@given(_TEXTS)
@settings(deadline=None)
def test_any_text_is_harmless(text: str) -> None:
    """No tag, attribute, class or scheme outside of the list, and every tag closed in its place."""
    assert not_allowed(safe_html(text)) == []


@given(_TEXTS, st.integers(min_value=0))
@settings(deadline=None)
def test_any_beginning_of_any_text_is_harmless(text: str, cut: int) -> None:
    """The same holds wherever a text is cut."""
    assert not_allowed(safe_html(text[: cut % (len(text) + 1)])) == []


@given(st.text(st.characters(categories=["L", "Nd"]), min_size=1))
def test_words_are_shown_as_they_are(text: str) -> None:
    """Letters and digits of every script come out as they went in."""
    ordinary = "".join(c for c in text if c not in "\u115f\u1160\u3164\uffa0")
    assert text_of(safe_html(ordinary)).strip() == ordinary


def test_html_is_shown_as_it_was_written() -> None:
    """Tags stand on the page as text."""
    text = "<img src=x onerror=steal()> and <b>bold</b>"
    assert text_of(safe_html(text)).strip() == text


def test_an_image_is_named_and_not_loaded() -> None:
    """Its name and its address are read; only a click opens it."""
    html = safe_html("![A cat](https://a.example/cat.png)")
    assert text_of(html).strip() == "Image: A cat (https://a.example/cat.png)"
    assert 'href="https://a.example/cat.png"' in html


@pytest.mark.parametrize(
    "address", ["https://a.example/?q=1", "http://a.example", "mailto:a@b.example"]
)
def test_a_link_opens_apart_and_says_where_it_leads(address: str) -> None:
    """A link to the web or to a mail works, takes nothing along, and shows its address."""
    html = safe_html(f"[here]({address})")
    assert f'href="{address}" title="{address}"' in html
    assert 'rel="noopener noreferrer nofollow" target="_blank"' in html


@pytest.mark.parametrize(
    "text", ["```py\nx = 1", "```py\nx = 1\n", "```py\nx = 1\n``", "~~~py\nx = 1"]
)
def test_a_fence_that_is_still_open_is_code(text: str) -> None:
    """A text that ends inside a fence is shown as code already."""
    html = safe_html(text)
    assert html.count('<div class="code">') == 1
    assert text_of(html).startswith("pyCopyx = 1")


def test_code_keeps_every_character() -> None:
    """Colouring loses nothing: what is copied is what was written, and an unknown language too."""
    code = "\n\tif a < b && c:\n    print('</script>', \"&amp;\")  # é\n\n"
    for language in ("python", "html", "c++", "nosuch", ""):
        html = safe_html(f"```{language}\n{code}```")
        inside = html.partition("<code>")[2].partition("</code>")[0]
        assert text_of(inside) == code


def test_a_line_end_stays_one_and_a_dash_makes_no_heading() -> None:
    """Lines stand as they were written, also while a list's first dash has just come."""
    assert safe_html("one\ntwo") == "<p>one<br>\ntwo</p>\n"
    assert "<h" not in safe_html("Things:\n-")


def test_the_style_sheet_has_both_themes_and_loads_nothing() -> None:
    """Colours for code stand below `.code` for light and dark, without an address in them."""
    css = pygments_css()
    light, _, dark = css.partition("@media (prefers-color-scheme: dark)")
    assert ".code .hl-k " in light
    assert ".code .hl-k " in dark
    assert "url(" not in css
    assert "@import" not in css


def test_the_window_s_script_evaluates_nothing() -> None:
    """What every page runs makes no HTML and no code of a text."""
    path = Path(__file__).parents[2] / "src/pace/doors/web/static/window.js"
    script = path.read_text(encoding="utf-8")
    for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert name not in script


def calls_for(text: str) -> int:
    """How many functions are called to set a text."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        safe_html(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("piece", _COSTLY)
def test_no_text_costs_much_more_than_its_length(piece: str) -> None:
    """The longest that is read as Markdown; and one that is longer costs less for each letter."""
    for length, most in ((39_000, 120), (200_000, 10)):
        text = (piece * (length // len(piece) + 1))[:length]
        assert calls_for(text) < most * length


def test_a_very_long_text_is_shown_as_it_was_written() -> None:
    """Not a character of it is lost, or read as Markdown; a long paragraph in it neither."""
    for text in ("**a** <b>\n" * 20_000, "**a** <b>\n" * 2_000):
        html = safe_html(text)
        assert not_allowed(html) == []
        assert text_of(html).strip() == text.strip()
