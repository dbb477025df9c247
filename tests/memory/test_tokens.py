"""The token estimate: safe for every script, close for English, and never raising."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.memory.tokens import estimate_tokens

ENGLISH = (
    "Yesterday I went to the market with my sister and we bought bread, cheese and apples. "
    "Tomorrow at ten I have an appointment with the doctor, and afterwards I'm having lunch with "
    "Anna near the station. Please don't forget that I can't eat peanuts! We talked about the "
    "trip to Norway in June as well: five days, two trains, and one very early flight from Oslo. "
    "It should be lovely if the weather holds."
)


# Counted with the o200k vocabulary.
@pytest.mark.parametrize(
    ("text", "true_count"),
    [
        (ENGLISH, 84),
        ("market sister bought bread cheese apples. tomorrow ten appointment doctor", 11),
        ("def load(path):\n    with open(path) as file:\n        return json.load(file)\n", 18),
        ("INC-5521, eu-north-7, 14 March, 8743, #2E8B57, 4417, $13.32, 18:30", 39),
        ("https://docs.example.org/en/latest/reference/api.html#section-4", 14),
    ],
)
def test_the_estimate_is_seldom_below_and_little_above(text: str, true_count: int):
    """English is estimated at 1.0 to 1.1 times its tokens, other ASCII text within 8 tokens."""
    assert true_count <= estimate_tokens(text) <= max(true_count * 1.1, true_count + 8)


def test_four_hundred_characters_of_english_are_80_to_120_tokens():
    """Ordinary English is estimated at about a token for every four characters."""
    assert 80 <= estimate_tokens((ENGLISH * 2)[:400]) <= 120


@pytest.mark.parametrize(
    ("text", "at_least"),
    [
        ("你好世界" * 25, 60),
        ("🔥" * 50, 50),
        ("鬱鬱蔥蔥的山巒環繞其間" * 10, 104),
        ("昨日、東京駅の近くで友達と会いました。" * 10, 130),
        ("어제 서울역 근처에서 친구를 만났습니다. " * 10, 130),
        ("أعمل مهندسة برمجيات في شركة صغيرة " * 10, 90),
        ("Завтра в десять утра у меня приём у врача. " * 10, 110),
        ("👨‍👩‍👧‍👦" * 10, 110),
    ],
)
def test_other_scripts_and_emoji_are_not_taken_for_english(text: str, at_least: int):
    """Chinese, Japanese, Korean, Arabic, Russian and emoji count for at least what they cost."""
    assert estimate_tokens(text) >= at_least


def test_three_thousand_chinese_characters_are_too_long_for_2048_tokens():
    """A budget check that rests on the estimate turns away what characters / 4 would let pass."""
    assert estimate_tokens("你好世界" * 750) > 2048


@pytest.mark.parametrize("text", ["hsreltpusctapirhgwpr" * 20, "OQSLUKSLWTYXLWKJJIFD" * 20])
def test_letters_without_spaces_are_not_one_word(text: str):
    """A long row of letters costs at least a token for every three of them."""
    assert estimate_tokens(text) >= len(text) // 3


def test_only_nothing_is_free():
    """The empty text is 0 tokens, and any other is at least 1."""
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") >= 1


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_text_has_an_estimate(text: str):
    """No text raises, lone surrogates and null characters included, and none is below zero."""
    assert estimate_tokens(text) >= bool(text)


@given(st.text(max_size=100), st.text(max_size=100))
def test_more_text_is_not_fewer_tokens(first: str, second: str):
    """Two texts with a line between them cost at least as much as the first alone."""
    assert estimate_tokens(f"{first} {second}") >= estimate_tokens(first) - 1
