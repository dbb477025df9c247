import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.doors.safe_text import SafeTextStream, safe_line, safe_text

ALLOWED_CONTROLS = {"\n", "\t"}
SPECIALS = (
    "\x00\x07\x08\r\n\t\x1b\x7f\x85\x9b\xad\u200b\u200c\u200d\u202e\u2066\ufe0f\ufeff\U000e0041"
)
TEXTS = st.text(
    st.one_of(
        st.sampled_from(SPECIALS),
        st.sampled_from("aZ09*[]()é語❤👩👧می"),
        st.characters(),
    )
)


def in_pieces(text, cuts):
    stream = SafeTextStream()
    begin, shown = 0, ""
    for cut in sorted(cut % (len(text) + 1) for cut in cuts):
        shown += stream.feed(text[begin:cut])
        begin = cut
    return shown + stream.feed(text[begin:]) + stream.finish()


@given(TEXTS)
def test_nothing_that_steers_a_terminal_is_left(text):
    """No control but line feed and tab, and nothing that turns or hides text, is in the result."""
    for character in safe_text(text):
        category = unicodedata.category(character)
        assert category not in {"Cc", "Cs", "Zl", "Zp"} or character in ALLOWED_CONTROLS
        assert not "\u202a" <= character <= "\u202e"
        assert not "\u2066" <= character <= "\u2069"
        assert category != "Cf" or character in "\u200c\u200d"


@given(TEXTS, st.lists(st.integers(min_value=0)))
def test_cuts_change_nothing(text, cuts):
    """However a text is cut into chunks, the same is shown."""
    assert in_pieces(text, cuts) == safe_text(text)


@given(TEXTS)
def test_safe_text_is_a_fixed_point(text):
    """Safe text made safe again is the same text."""
    once = safe_text(text)
    assert safe_text(once) == once


@given(st.text(st.characters(categories=["L", "Nd", "Zs", "P", "Sm", "Sc"])))
def test_ordinary_text_stays_as_it_is(text):
    """Letters of every script, digits, spaces and signs are not touched."""
    ordinary = "".join(c for c in text if c not in "\u115f\u1160\u3164\uffa0")
    assert safe_text(ordinary) == ordinary


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2K\x1b[1A", r"\x1b[2K\x1b[1A"),
        ("\x1b]52;c;aGk=\x07", r"\x1b]52;c;aGk=\x07"),
        ("new\rover", r"new\rover"),
        ("line\r\nline", "line\nline"),
        ("end\r", r"end\r"),
        ("a\u202eb", r"a\u202eb"),
        ("pa\u200bss", r"pa\u200bss"),
        ("a\u200db", r"a\u200db"),
        ("\x9b31m", r"\x9b31m"),
        ("\ud83d", r"\ud83d"),
        ("\U000e0041", r"\U000e0041"),
        ("a\u034fb\u180bc\u2065", r"a\u034fb\u180bc\u2065"),
        ("a\ufe00\U000e0101", r"a\ufe00\U000e0101"),
        ("\U000e0000", r"\U000e0000"),
    ],
)
def test_trickery_is_shown(text, shown):
    """What would act on the terminal, or hide, can be read instead."""
    assert safe_text(text) == shown


@pytest.mark.parametrize("text", ["👩‍👧 ❤️ 1️⃣", "⣿⠀⣿", "می‌خواهم", "क्‍ष", "tab\tand\nline"])
def test_joiners_that_are_spelling_stay(text):
    """Emoji, keycaps, Persian, Hindi and braille keep the invisible characters they need."""
    assert safe_text(text) == text


@given(TEXTS)
def test_a_safe_line_is_one_line(text):
    """A line has no line ends."""
    assert len(safe_line(text).splitlines()) <= 1
