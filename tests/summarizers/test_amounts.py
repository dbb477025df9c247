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


@pytest.mark.parametrize(
    ("said", "text", "is_invented"),
    [
        ("minus five degrees", "-5 degrees", False),
        ("five degrees", "minus five degrees", True),
        ("20 percent", "minus twenty percent", True),
        ("tengo 27 euros", "tengo veintisiete euros", False),
        ("tengo 7 euros", "tengo veintisiete euros", True),
        ("28 euro", "ventotto euro", False),
        ("8 euro", "ventotto euro", True),
        ("47 euro", "neljäkymmentäseitsemän euroa, syvogfyrre euro", False),
        ("7 euro", "neljäkymmentäseitsemän euroa", True),
        ("7 euro", "syvogfyrre euro", True),
        ("47 ευρώ", "σαράντα επτά ευρώ", False),
        ("40 ευρώ", "σαράντα επτά ευρώ", True),
        ("它要7欧元", "七欧元", False),
        ("它要8欧元", "七欧元", True),
    ],
)
def test_a_number_in_words_is_the_one_in_digits_with_its_sign(said, text, is_invented):
    """Compounds of other languages, Greek, Han and signs in words come to what digits come to."""
    assert invents(said, text) is is_invented


@pytest.mark.parametrize(
    ("said", "text", "is_invented"),
    [
        ("a half", "two thirds of it", True),
        ("2/3 of it", "two thirds of it", False),
        ("20% of it", "a quarter of it", True),
        ("25% of it", "a quarter of it", False),
        ("she is 43", "in her forties", False),
        ("she is 53", "in her forties", True),
        ("born in 1994", "born in the nineties", False),
        ("14:00", "for a fortnight", True),
        ("two weeks", "for a fortnight", False),
        ("eight days", "ni-ne days", True),
        ("twenty-one days", "twenty-one days in a co-op", False),
        ("14:30", "thirty people", True),
    ],
)
def test_a_share_a_decade_and_a_span_are_amounts(said, text, is_invented):
    """Fractions, decades, fortnights and split number words have to have been said as well."""
    assert invents(said, text) is is_invented


@pytest.mark.parametrize(
    ("said", "text", "is_invented"),
    [
        ("at 20:00", "at 8 AM", True),
        ("at 8 pm", "at 8 am", True),
        ("at 20:00", "at 8 p.m.", False),
        ("at 8.", "at 8 AM", False),
        ("at 8:15, and at 8 pm", "at 8:15 am", False),
        ("at noon", "at 12 PM", False),
        ("at 13:00", "at 1 AM", True),
    ],
)
def test_a_time_is_of_the_half_of_the_day_in_which_it_was_said(said, text, is_invented):
    """Morning for evening is another time; where nobody said which, either may stand."""
    assert invents(said, text) is is_invented
