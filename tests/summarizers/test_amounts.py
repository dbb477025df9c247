"""Amounts: a number that was said is another one with another sign, scale, share or currency."""

import pytest

from pace.summarizers.amounts import Amounts
from pace.summarizers.source import Source

SAID = (
    "It is 5 degrees, 7% of 1,200,000 euros, three hundred people, 4 km, -9 at night, and "
    "half of it is dreiundzwanzig; the fourth floor has 21 rooms and 三百 chairs, 百分之八 new."
)


def invents(said, text):
    return Amounts(said, Source(said)).invents(text)


@pytest.mark.parametrize(
    "text",
    [
        "5k people",
        "5m people",
        "5 million people",
        "five million people",
        "5% of it",
        "5 percent",
        "five per cent",
        "it was -5",
        "minus 5 at night",
        "a hundred thousand million",
        "a dozen of them",
        "zero of them",
        "two sons",
        "twice as many",
        "the twentieth",
        "twenty-four rooms",
        "zweihundert Leute",
        "deux personnes",
        "cuatrocientos euros",
        "тысяч двести",
        "四百把椅子",
        "百分之九",
        "$5",
        "5 pounds is £5",
        "einhundertdreiundzwanzig",
    ],
)
def test_an_amount_that_nobody_said_is_found(text):
    """Number words of any of the languages, and a said number in another unit, are inventions."""
    assert invents(SAID, text)


@pytest.mark.parametrize(
    "text",
    [
        "5 degrees, or five",
        "7 percent, seven per cent",
        "1.2 million euros, or €1.2m",
        "1200k euros",
        "millions of euros",
        "300 people, or three hundred",
        "hundreds of people",
        "4k of running",
        "minus 9, and -9",
        "half of it",
        "twenty-three, vingt-trois",
        "the fourth of them",
        "the two of them",
        "one of them, or another one",
        "twenty-one rooms",
        "300 chairs, 三百",
        "8% new",
        "pages 5-7, INC-5, 2026-12-05, version 2.3.1",
        "三百把椅子很好，十分好",
        "on the 20th at 5pm",
    ],
)
def test_an_amount_that_was_said_is_none_whatever_its_notation(text):
    """Words for digits, digits for words, scales written out, and words that only point pass."""
    assert not invents(SAID, text)


@pytest.mark.parametrize(
    ("said", "text", "is_invented"),
    [
        ("seven people", "seven million people", True),
        ("7 people, and a million birds", "7 million people", True),
        ("quatre-vingt-dix euros", "90 ou quatre-vingt-dix euros", False),
        ("it was 7 below zero", "it was -7", False),
        ("half past 3", "at half past three", False),
        ("at 3:30", "at half past three", False),
        ("it costs 5 dollars", "it costs $5", False),
        ("it costs 5 dollars", "it costs 5 euros", True),
        ("ninety nine", "ninety-nine", False),
        ("nine, ninety", "ninety-nine", True),
        ("一千零五十", "1050, or one thousand and fifty", False),
        ("二〇二六年", "二〇二六年", False),
        ("1050", "一千零五十", False),
        ("105", "一百零五, 一百五十", True),
    ],
)
def test_a_row_of_number_words_is_one_number(said, text, is_invented):
    """What the words of a number come to has to have been said, and not its parts alone."""
    assert invents(said, text) is is_invented
