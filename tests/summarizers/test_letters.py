"""What hides a word from whoever compares it: unseen signs, marks, and letters that look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.memory.turn import is_invisible
from pace.summarizers.letters import legible
from pace.summarizers.values import normal, values_in


@pytest.mark.parametrize(
    ("text", "shown", "compared"),
    [
        ("R\u00adoberto, 7\u200b5", "Roberto, 75", "Roberto, 75"),
        ("R\u0332oberto, 7\u03325", "Roberto, 75", "Roberto, 75"),
        ("\u0280oberto", "\u0280oberto", "Roberto"),
        ("\U0001f181ob \u278f", "\U0001f181ob \u278f", "Rob 6"),
        ("Zoe\u0308 in Vie\u0323\u0302t", "Zo\u00eb in Vi\u1ec7t", "Zo\u00eb in Vi\u1ec7t"),
        ("7\ufe0f\u20e3 \u0661\u0665", "7 \u0661\u0665", "7 15"),
        ("n\u0456ne, K\u0430rl", "n\u0456ne, K\u0430rl", "nine, Karl"),
        (
            "\u0441\u043e\u0440\u043e\u043a, 5 \u03bc",
            "\u0441\u043e\u0440\u043e\u043a, 5 \u03bc",
            "\u0441\u043e\u0440\u043e\u043a, 5 \u03bc",
        ),
        ("हिन्दी, שָׁלוֹם", "हिन्दी, שָׁלוֹם", "हिन्दी, שָׁלוֹם"),
        ("a\ud800b\tc\nd", "ab\tc\nd", "ab\tc\nd"),
    ],
)
def test_what_looks_the_same_is_the_same(text, shown, compared):
    """What shows nothing goes, real accents stay, and look-alikes are compared as they look."""
    assert legible(text) == shown
    assert normal(text) == compared


@pytest.mark.parametrize("text", ["it is \u043aarl", "it is \u03c1aul", "it is \ua4e3oberto"])
def test_a_word_that_opens_with_another_script_is_a_name(text):
    """A small letter of another script passes for a capital, and is looked at as one."""
    assert len(values_in(text).names) == 1


@given(st.text())
def test_nothing_invisible_is_legible(text):
    """Of any text, what is left shows something or is white space."""
    assert not any(map(is_invisible, legible(text)))
