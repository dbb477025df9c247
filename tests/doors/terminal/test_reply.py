import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from doors.terminal.drawn import PLAIN, canvas_on
from pace.doors.cli.terminal.look import look_of
from pace.doors.cli.terminal.markdown import Markdown
from pace.doors.cli.terminal.reply import ReplyView

ARTICLE = """# A title

A paragraph with **bold words**, `code`, *slanted words* and [a link](http://127.0.0.1/a).
A line of its own.

1. first
2. second

   - inner one
   - inner two

> quoted words

| name | taste |
|------|-------|
| brie | mild and creamy |
| feta | salty |

```python
def add(a, b):
    return a + b  # a comment
```

---

The end: 你好世界 👩 done.
"""
# An update goes back to the first line that differs; apart from that, styles and clearing.
_OWN_CODES = re.compile(r"\x1b\[\?2026h\r(\x1b\[\d+A)?|\x1b\[[0-9;?]*[hlmKJ]")
WORDS = st.sampled_from(
    [
        "alpha",
        "beta",
        "**gamma** delta",
        "`eps`",
        "zeta * 2",
        "**open",
        "`open",
        "语言模型",
        "👩",
        "x_y_z",
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
BLOCKS = st.one_of(
    SENTENCES,
    SENTENCES.map(lambda text: f"## {text}"),
    st.lists(SENTENCES, min_size=1, max_size=12).map(
        lambda items: "".join(f"- {i}\n" for i in items)
    ),
    st.lists(SENTENCES, min_size=1, max_size=12).map(lambda ls: "```\n" + "\n".join(ls) + "\n```"),
    st.lists(WORDS, min_size=1, max_size=12).map(
        lambda cells: "| a | b |\n|---|---|\n" + "".join(f"| {c} | y |\n" for c in cells)
    ),
)
REPLIES = st.lists(BLOCKS, min_size=1, max_size=6).map("\n\n".join)


def streamed(text, sizes, *, columns=60, rows=12, status=()):
    drawn, canvas = canvas_on(columns, rows)
    view = ReplyView(canvas)
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        view.feed(text[at : at + size])
        view.draw(status)
        at, turn = at + size, turn + 1
    view.finish()
    return drawn


def whole(text, columns):
    return [line.plain.rstrip() for line in Markdown(FULL_LOOK).lines(text, columns - 1)]


FULL_LOOK = canvas_on(10, 10)[1].look


def letters(lines):
    return re.sub(r"\s", "", "".join(lines))


def holds_in_order(inner, outer):
    rest = iter(outer)
    return all(letter in rest for letter in inner)


@pytest.mark.parametrize("columns", [100, 60, 40])
@pytest.mark.parametrize("size", [1, 3, 17, 1000])
def test_a_streamed_reply_ends_as_if_it_had_come_at_once(columns, size):
    """Cut into chunks of any size, a reply leaves the very lines that its whole text gives."""
    drawn = streamed(ARTICLE, [size], columns=columns, rows=50)
    assert drawn.lines() == whole(ARTICLE, columns)


@given(REPLIES, st.lists(st.integers(1, 40), min_size=1), st.integers(20, 70), st.integers(5, 30))
@settings(max_examples=60, deadline=None)
def test_no_word_of_a_reply_is_lost(text, sizes, columns, rows):
    """Whatever the reply and the screen, every letter stands in scrollback and screen, in order."""
    drawn = streamed(text, sizes, columns=columns, rows=rows)
    assert holds_in_order(letters(whole(text, columns)), letters(drawn.lines()))


@pytest.mark.parametrize("item", ["- item {}\n", "line {} of a long text\n\n", "{}. point\n"])
def test_a_reply_taller_than_the_screen_is_written_once(item):
    """Lines that leave the screen are in the scrollback, each exactly once."""
    text = "".join(item.format(number) for number in range(1, 80))
    drawn = streamed(text, [5], rows=10)
    assert drawn.lines() == whole(text, 60)


def test_code_taller_than_the_screen_is_written_once():
    """A long code block comes out whole, with no line twice."""
    text = "```python\n" + "".join(f"x{n} = {n}  # note\n" for n in range(70)) + "```\n"
    assert streamed(text, [4], rows=10).lines() == whole(text, 60)


def test_a_table_taller_than_the_screen_is_written_once():
    """A long table's columns keep their widths from its first row to its last."""
    rows = "".join(f"| {'w' * (n % 20 + 1)} | {n} |\n" for n in range(40))
    text = f"| name | number |\n|---|---|\n{rows}"
    assert streamed(text, [7], rows=10).lines() == whole(text, 60)


def test_finished_blocks_are_never_written_again():
    """While a later block grows, nothing is written above it."""
    drawn, canvas = canvas_on(60, 12)
    view = ReplyView(canvas)
    view.feed("The first block.\n\nThe second")
    view.draw()
    written = len(drawn.written)
    view.feed(" goes on.")
    view.draw()
    assert "first" not in drawn.written[written:]
    assert "The second goes on." in drawn.lines()


def test_the_status_goes_when_words_come():
    """A line about what the planner does leaves no trace in the scrollback."""
    drawn = streamed(ARTICLE, [9], rows=8, status=[Text("thinking, 4 s")])
    assert "thinking" not in "\n".join(drawn.lines())


@pytest.mark.parametrize("columns", [40, 20])
def test_wide_characters_stay_within_the_screen(columns):
    """Chinese, emoji and long words fold where the screen ends, and none is lost."""
    text = "你好世界" * 20 + "\n\n" + "👩" * 30 + "\n\n" + "w" * 100 + "\n"
    drawn = streamed(text, [3], columns=columns)
    assert drawn.lines() == whole(text, columns)


def test_bold_words_are_never_shown_with_their_stars():
    """An open span is shown as closed while its words come in."""
    drawn, canvas = canvas_on(60, 12)
    view = ReplyView(canvas)
    for piece in ("Some **bo", "ld wor", "ds"):
        view.feed(piece)
        view.draw()
        assert "*" not in "\n".join(drawn.lines())


def test_a_models_escapes_are_shown_and_colours_work():
    """B102: escapes of a reply, split over chunks, come out as text; Pace's own colours do not."""
    attack = "safe\x1b[2K\x1b[1A\x1b]52;c;aGk=\x07\rover\u202etxet\x9b31m `code`"
    drawn = streamed(attack, [1], columns=90)
    assert "\x1b[36m" in drawn.written
    assert not set("\x1b\r\x07\x9b\u202e") & set(_OWN_CODES.sub("", drawn.written))
    assert r"safe\x1b[2K\x1b[1A\x1b]52;c;aGk=\x07\rover\u202etxet\x9b31m code" in "".join(
        drawn.lines()
    )
    assert "\x1b[2K" not in drawn.written
    assert "\x1b]" not in drawn.written


@pytest.mark.parametrize(
    "attack",
    ["a&#27;[2Kb", "a&#13;b", "a&#x202e;b", "`c` [a](<x&#x202e;y>)", "```p&#13;&#x202e;y\nx\n```"],
)
def test_characters_that_markdown_makes_are_safe_too(attack):
    """A control that is written as an entity becomes text, not a control."""
    drawn = streamed(attack, [2])
    assert not set("\x1b\r\u202e") & set(_OWN_CODES.sub("", drawn.written))


def test_a_plain_terminal_gets_the_words_and_nothing_else():
    """Without colour a reply is written as the model wrote it, chunk by chunk, with no escape."""
    drawn, canvas = canvas_on(60, 12, PLAIN)
    view = ReplyView(canvas)
    for piece in ("**bo", "ld**\n\n- ", "one"):
        view.feed(piece)
        view.draw()
    view.finish()
    assert drawn.written == "**bold**\n\n- one\n"


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}])
def test_dumb_terminals_and_no_color_are_plain(environ):
    """TERM=dumb and NO_COLOR are asked for, and given, plain text."""

    class Tty:
        encoding = "utf-8"

        def isatty(self):
            return True

    assert look_of(Tty(), environ).is_plain


def test_another_encoding_gets_ascii_signs():
    """A terminal that is not in UTF-8 sees no box drawing."""

    class Latin:
        encoding = "iso-8859-1"

        def isatty(self):
            return True

    signs = look_of(Latin(), {"TERM": "xterm"}).signs
    assert all(
        sign.isascii() for sign in (signs.you, signs.bar, signs.rule, signs.full, signs.dots)
    )
