"""Facts are found by their words, close together and beside their subject."""

import pytest

from evaluation.talking import fact
from pace.evaluation.matching import Positions
from pace.evaluation.stems import Stem, stems_of, telling_stems

FAR = "and so on " * 20


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 7pm", "at 7 p.m."),
        ("on the 8th", "on the eight"),
        ("1,200 euros", "1200 euros"),
        ("Tues", "Tuesday"),
        ("07:00", "7"),
        ("07:30", "7:30"),
        ("adopting agencies", "Adoption agency"),
        ("TR1234", "tr 1234"),
        ("Marta’s", "Marta"),  # as people type it
        ("１２月", "12月"),
        ("CAFÉ", "cafe\u0301"),
    ],
)
def test_ways_to_write_one_thing_are_one(one: str, other: str) -> None:
    """What people write in several ways has the same telling stems."""
    assert telling_stems(one) == telling_stems(other)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("杭州", "火车去杭州西湖。"),
        ("東京", "明日東京へ行きます。"),
        ("กรุงเทพ", "ไปกรุงเทพพรุ่งนี้"),
        ("서울", "내일 서울에서 만나요"),
        ("Москва", "Поезд в Москва-Сити"),
        ("Αθήνα", "στην Αθήνα αύριο"),
        ("दिल्ली", "कल दिल्ली में"),
        ("Pinhão", "the train to Pinhão"),
        ("1,200", "票价1,200元"),
    ],
)
def test_words_of_any_script_are_found(value: str, sentence: str) -> None:
    """Each value has stems, and is found by them in a sentence that says it, and in no other."""
    assert telling_stems(value)
    assert Positions(sentence).hold(fact(0, value))
    assert not Positions("一二三四 and nothing").hold(fact(0, value))


def test_two_characters_are_one_word_of_distance() -> None:
    """Eighty characters are forty words; what small characters make tells nothing."""
    both = fact(0, "杭州 火车")
    assert Positions(f"杭州{'天' * 60}火车").hold(both)
    assert not Positions(f"杭州{'天' * 90}火车").hold(both)
    assert not telling_stems("我的 です")


def test_small_words_keep_their_place_and_tell_nothing() -> None:
    """They count as words between others; so distances are those of the text."""
    stems = stems_of("I have not the ticket")
    assert [stem.text for stem in stems] == ["i", "have", "not", "the", "ticket"]
    assert [stem.tells for stem in stems] == [False, False, False, False, True]
    assert stems_of("one") == [Stem("1", tells=False)]


def test_up_to_three_keywords_have_to_stand_there_all() -> None:
    """And of four, three are enough."""
    assert Positions("the red boat in Bergen").hold(fact(0, "red boat Bergen"))
    assert not Positions("the red boat").hold(fact(0, "red boat Bergen"))
    assert Positions("the red boat in Bergen").hold(fact(0, "red boat Bergen harbour"))


def test_keywords_have_to_stand_close_together() -> None:
    """Within forty words of each other."""
    assert not Positions(f"red {FAR} boat").hold(fact(0, "red boat"))
    assert Positions(f"red {FAR} red boat").hold(fact(0, "red boat"))


def test_weak_fact_needs_a_word_of_its_subject() -> None:
    """ "Two" is everywhere; two of something is not."""
    guests = fact(0, "two", cues="guests", weak=True)
    assert Positions("two guests").hold(guests)
    assert not Positions("two trains").hold(guests)
    assert not Positions(f"two trains {FAR} guests").hold(guests)


def test_by_subject_is_stricter_than_held() -> None:
    """A value may stand there without what it is the value of."""
    code = fact(0, "KX-4417", cues="booking")
    assert Positions("KX-4417").hold(code)
    assert not Positions("KX-4417").hold_by_subject(code)
    assert Positions("booking KX-4417").hold_by_subject(code)
    assert Positions("KX-4417").hold_by_subject(fact(0, "KX-4417"))
