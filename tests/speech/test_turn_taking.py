"""When somebody begins to speak, pauses and is done, told from probabilities alone."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.speech.pauses import DICTATED, DONE, UNDECIDED, UNFINISHED, ending_pause
from pace.speech.turn_taking import CHUNK, Sign, TurnTaking

LOUD, QUIET, UNSURE = 0.9, 0.05, 0.42


def signs(probabilities: list[float], taking: TurnTaking | None = None) -> list[tuple[int, Sign]]:
    """The signs, each with the number of the chunk that gave it."""
    found = []
    taking = taking or TurnTaking()
    for at, probability in enumerate(probabilities):
        taking, sign = taking.heard(probability)
        if sign is not None:
            found.append((at, sign))
    return found


def test_a_sentence_begins_pauses_and_ends() -> None:
    """Each once; the end comes with the pause that was asked for."""
    taking = TurnTaking(ending_pause=timedelta(milliseconds=480))
    assert signs([LOUD] * 20 + [QUIET] * 30, taking) == [
        (2, Sign.BEGAN),
        (22, Sign.PAUSED),
        (34, Sign.ENDED),
    ]


def test_whoever_goes_on_is_not_done() -> None:
    """The pause then counts from its own beginning."""
    found = signs([LOUD] * 10 + [QUIET] * 10 + [LOUD] * 10 + [QUIET] * 40)
    assert [sign for _, sign in found] == [
        *(Sign.BEGAN, Sign.PAUSED, Sign.WENT_ON, Sign.PAUSED, Sign.ENDED)
    ]


@pytest.mark.parametrize(
    "sound",
    [[QUIET] * 100, [UNSURE] * 100, [LOUD, LOUD, QUIET] * 30, [LOUD, QUIET] * 50],
    ids=["silence", "a hum", "knocks", "clicks"],
)
def test_what_is_no_speech_begins_nothing(sound: list[float]) -> None:
    """However long it lasts."""
    assert signs(sound) == []


def test_a_click_in_a_pause_does_not_make_it_longer() -> None:
    """The person said no more than before."""
    quiet_after = 25
    found = signs([LOUD] * 10 + [QUIET] * 10 + [UNSURE] * 2 + [QUIET] * quiet_after)
    assert found[-1][1] is Sign.ENDED


def test_a_turn_without_end_is_ended() -> None:
    """Two minutes of speech are taken as they are; a television is not waited for."""
    found = signs([LOUD] * int(timedelta(seconds=125) / CHUNK))
    assert [sign for _, sign in found][:2] == [Sign.BEGAN, Sign.ENDED]


@given(st.lists(st.floats(0, 1), max_size=400), st.integers(0, 3000))
def test_signs_come_in_an_order_that_makes_sense(probabilities: list[float], pause: int) -> None:
    """Whatever is heard: none ends that did not begin, none goes on that did not pause."""
    may_follow = {
        None: {Sign.BEGAN},
        Sign.BEGAN: {Sign.PAUSED, Sign.ENDED},
        Sign.PAUSED: {Sign.WENT_ON, Sign.ENDED},
        Sign.WENT_ON: {Sign.PAUSED, Sign.ENDED},
        Sign.ENDED: {Sign.BEGAN},
    }
    last = None
    for _, sign in signs(probabilities, TurnTaking(ending_pause=timedelta(milliseconds=pause))):
        assert sign in may_follow[last]
        last = sign


@pytest.mark.parametrize(
    ("text", "language", "pause"),
    [
        ("What time does the ferry leave?", "en", DONE),
        ("My sister lives in Bergen.", "en", DONE),
        ("My sister lives in.", "en", UNFINISHED),
        ("I would like to", "en", UNFINISHED),
        ("We could go by train, or", "en", UNFINISHED),
        ("First of all,", "en", UNFINISHED),
        ("Well...", "en", UNFINISHED),
        ("Ich fahre mit der", "de", UNFINISHED),
        ("Ich fahre mit der Bahn.", "de", DONE),
        ("Je voudrais un", "fr", UNFINISHED),
        ("My number is 555 01", "en", DICTATED),
        ("My number is 5 5 5", "en", DICTATED),
        ("It is four one", "en", DICTATED),
        ("My number is 555, 0147.", "en", DICTATED),
        ("My number is 5550147", "en", DICTATED),
        ("It was in 1984.", "en", UNDECIDED),
        ("It costs 3.50.", "en", UNDECIDED),
        ("I have 2 dogs.", "en", DONE),
        ("Wake me at 7.", "en", UNDECIDED),
        ("no idea really what", "sv", UNDECIDED),
        ("お元気ですか。", "ja", DONE),
        ("", "en", UNDECIDED),
    ],
)
def test_a_pause_ends_what_is_whole_sooner(text: str, language: str, pause: timedelta) -> None:
    """A number being dictated and an unfinished sentence are waited for."""
    assert ending_pause(text, language) == pause
