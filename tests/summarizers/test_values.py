"""Names, numbers, dates and identifiers: what counts as one, and when two texts hold the same."""

from datetime import date

import pytest

from pace.summarizers.dates import dates_in, dates_of
from pace.summarizers.mending import Said
from pace.summarizers.source import Source
from pace.summarizers.values import values_in
from summarizers.made_folds import fold_of


@pytest.mark.parametrize(
    ("text", "names", "numbers"),
    [
        ("She met Mirela in Oslo.", {"Mirela", "Oslo"}, set()),
        ("I asked Dr. Okafor and J. Ünal.", {"Okafor", "Ünal"}, set()),
        ("Dinner is at the harbour. Kubernetes is not.", {"Kubernetes"}, set()),
        ("The user said that Pace and I are fine.", set(), set()),
        ("Moro em Lisboa. Jantar com o Tiago.", {"Lisboa", "Tiago"}, set()),
        ("Der Mann und die Frau gehen zu Anna Schmidt.", {"Schmidt"}, set()),
        ("NASA's launch", {"NASA"}, set()),
        ("They ran 4 k. The rest is easy.", set(), {"4"}),
        ("用户在北京见王先生", {"王先生"}, set()),
        ("INC-5521 for €1,200.50", set(), {"INC-5521", "1,200.50"}),
        ("#2E8B57 in eu-north-7, 88-B", set(), {"#2E8B57", "eu-north-7", "88-B"}),
        ("20kg for 3-day trips, 10-12 people", set(), {"20", "3", "10", "12"}),
        ("see https://x.y/z?q=1 or a@b.de", set(), {"https://x.y/z?q=1", "a@b.de"}),
        ("foo_bar, camelCase and config.toml", set(), {"foo_bar", "camelCase", "config.toml"}),
        ("seven of the two, and/or one", set(), {"seven"}),
        ("it was on 14 March", {"March"}, {"14"}),
        ("Play No. 1, Nr. 2 and Vol. 3", set(), {"1", "2", "3"}),
        ("They met the PM at 2 PM, at 9AM and at two AM", {"PM"}, {"2", "9"}),
        ("They met @bob and B.o.b. for fun, e.g. at 5 p.m.", {"B.o.b"}, {"@bob", "5"}),
        ("", set(), set()),
    ],
)
def test_values_are_found(text, names, numbers):
    """What can be checked is found as it was written, and ordinary words are not."""
    found = values_in(text)
    assert (found.names, found.numbers) == (names, numbers)
    assert len(found) == len(names) + len(numbers)


@pytest.mark.parametrize(
    ("text", "name", "holds"),
    [
        ("it is mirela's kettle", "Mirela", True),
        ("they live in norway and italy", "Italian", True),
        ("they live in Brazil", "Brazilian", True),
        ("they love new york city", "NYC", True),
        ("they met Martha in town", "Martin", False),
        ("they met Maria in town", "Mario", False),
        ("they met Al in town", "Alan", False),
        ("os amigos de Lisboa", "Lisboeta", True),
        ("Zürich", "Zurich", True),
        ("they met in 2026x", "X", False),
        ("it's being made", "IBM", False),
        ("what we want to do", "WWT", False),
        ("a loan of the Bank of America", "BOA", True),
        ("a book by J.R.R. Tolkien", "JRR", True),
        ("in the United Kingdom", "UK", True),
        ("they met. Uma knew", "TU", False),
        ("near the Market", "Mark", False),
        ("they watched television", "TV", True),
        ("they watched TV", "TV", True),
        ("in the United States", "USA", True),
        ("in the US", "States", True),
        ("in the U.S. of old", "United", True),
        ("tell us of it", "States", False),
        ("they met bob", "B.o.b", True),
        ("they met Ann", "B.o.b", False),
        ("the Annual list", "Ann", False),
        ("in Ankara'da", "Ankara", True),
        ("\u5728\u5317\u4eac\u89c1\u738b\u5148\u751f\u5417", "\u738b\u5148\u751f", True),
    ],
)
def test_a_name_may_be_inflected_but_is_no_other(text, name, holds):
    """Case, accents, possessives and inflection make no other name; other letters do."""
    assert Source(text).has_name(name) is holds


@pytest.mark.parametrize(
    ("text", "number", "holds"),
    [
        ("it costs 1200 euros", "1,200", True),
        ("it costs 1 200 euros", "1200", True),
        ("it costs 1.200,50 euros", "1200.5", True),
        ("it costs 12.50", "1250", False),
        ("it costs 12.50", "12", False),
        ("it costs 12.50", "50", False),
        ("room 12 15 people", "1215", False),
        ("inc 5521", "INC-5521", True),
        ("INC-5521", "5521", True),
        ("INC-5521", "INC-5522", False),
        ("at 3 pm", "15:00", True),
        ("at 12 am", "0:00", True),
        ("at 15:30", "3:30", True),
        ("three cats", "3", True),
        ("3 cats", "three", True),
        ("four cats", "three", False),
        ("twenty-one cats", "21", True),
        ("twenty-one cats", "20", False),
        ("five cats", "05", False),
        ("one hundred and twenty cats", "120", True),
        ("one hundred and twenty cats", "20", False),
        ("veintisiete gatos", "27", True),
        ("1.5 million cats", "1,500,000", True),
        ("1.5 million cats", "15,000,000", False),
        ("14.2k cats", "14200", True),
        ("the third of them", "3", False),
        ("١٥ كتاب", "15", True),
        ("on 2026-11-20", "20", True),
        ("on 14 March 2026", "2026-03-14", True),
        ("on 14 March 2026", "2026-03-15", False),
        ("on 31 February 2026", "2026-02-31", False),
        ("all about it", "a_b", False),
        ("version 2.3.1", "2.3.1", True),
    ],
)
def test_a_number_is_there_as_a_whole_in_any_notation(text, number, holds):
    """Separators, clocks and words make no other number; missing or other digits do."""
    assert Source(text).has_number(number) is holds


@pytest.mark.parametrize(
    ("said", "time", "is_told"),
    [
        ("half past five", "5:30", True),
        ("a quarter to one", "12:45", True),
        ("at ten past two", "2:10", True),
        ("it rang ten past two", "2:10", True),
        ("three o'clock", "3:00", True),
        ("until noon", "12:00", True),
        ("until noon", "12", True),
        ("at midnight", "0:00", True),
        ("we meet at ten.", "10:00", True),
        ("we meet between 8 and 1.", "13:00", True),
        ("we wait from ten to five", "4:50", False),
        ("after 5 years", "5:00", False),
        ("ten people came", "10:00", False),
        ("five to ten people", "9:55", False),
        ("Midnight the cat", "0:00", False),
    ],
)
def test_a_time_in_words_tells_the_one_in_digits_and_does_not_keep_it(said, time, is_told):
    """Who tells a time in words may be quoted in digits; what has to be kept is kept in digits."""
    text = f"They said that it is {time}"
    assert (time not in Said(said, ()).invented_in(text).numbers) is is_told
    assert not Source(said).has_number(time)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("nothing", {19}),
        ("tomorrow", {19, 20}),
        ("amanhã", {19, 20}),
        ("明天", {19, 20}),
        ("yesterday", {18, 19}),
        ("the day after tomorrow", {19, 20, 21}),
        ("in 3 days", {16, 19, 22}),
        ("next week", {19, 26}),
        ("on Saturday", {14, 19, 21, 28}),
        ("on 24 November", {19, 24}),
        ("on November 24th, 2026", {19, 24}),
    ],
)
def test_days_are_counted_from_the_day_of_the_turn(said, days):
    """What is said of other days is counted from the day on which it was said, a Thursday."""
    (pair,) = fold_of((said, "ok")).pairs
    assert dates_of(pair) == {date(2026, 11, day) for day in days}


def test_a_date_without_a_year_is_no_date_of_itself():
    """Day and month name a day only where the year is known."""
    assert dates_in("14 March") == frozenset()
    assert dates_in("14 March", 2026) == {date(2026, 3, 14)}
