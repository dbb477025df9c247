"""The program's own voice is not taken for a person's words."""

import random

import pytest

from pace.speech.echo import is_echo

_SPOKEN = [
    "The bread needs about thirty minutes in the oven.",
    "Keep the door closed, and do not open it before the crust is brown.",
    "I set the timer for five minutes.",
    "Shall I remind you when it is done?",
]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _with_typos(text, seed):
    chance = random.Random(seed)  # noqa: S311 (the same typos each time)
    letters = list(text)
    for place in chance.sample(range(len(letters)), len(letters) // 10):
        letters[place] = chance.choice(_LETTERS)
    return "".join(letters)


@pytest.mark.parametrize("sentence", _SPOKEN)
def test_a_sentence_heard_as_it_was_spoken_is_an_echo(sentence):
    """A last sentence is known without its case and punctuation."""
    assert is_echo(sentence.lower().rstrip(".?"), _SPOKEN)


@pytest.mark.parametrize("seed", range(25))
def test_a_sentence_with_typos_is_an_echo(seed):
    """One wrong letter in ten does not make it a person's (case B137)."""
    assert is_echo(_with_typos(_SPOKEN[1], seed), _SPOKEN)


@pytest.mark.parametrize("place", range(14))
def test_a_sentence_with_a_wrong_word_is_an_echo(place):
    """One wrong word in ten or more does not make it a person's."""
    words = _SPOKEN[1].split()
    words[place] = "banana"
    assert is_echo(" ".join(words), _SPOKEN)


@pytest.mark.parametrize(
    "heard",
    [
        "before the crust is brown",
        "open it before the crust",
        "needs about thirty minutes",
        "in the oven keep the door closed",
        "I set the timer for five minutes shall I remind you when it is done",
        "the crust is brown i set the timer for five minutes shall I remind",
    ],
)
def test_a_part_and_two_run_together_are_echoes(heard):
    """The middle or the end of a sentence is known, and so are two in a row."""
    assert is_echo(heard, _SPOKEN)


@pytest.mark.parametrize(
    "heard",
    [
        "stop please",
        "stop",
        "yes",
        "open it",
        "the timer",
        "",
        "Set the timer for ten minutes please.",
        "Set the timer to nine minutes.",
        "How long does the bread need in the fridge?",
        "Keep the window closed and tell me a story.",
        "What if I open the door now?",
        "Remind me tomorrow when the oven is hot.",
        "Before the crust is brown stop please and wait.",
    ],
)
def test_a_persons_sentence_gets_through(heard):
    """A person is heard while Pace speaks, also with half of Pace's words (case B137)."""
    assert not is_echo(heard, _SPOKEN)


def test_a_short_sentence_is_an_echo_only_as_a_whole():
    """A word or two that were spoken among others are a person's answer."""
    assert is_echo("okay", ["Okay."])
    assert not is_echo("blue", ["Do you want red or blue?"])


def test_nothing_spoken_gives_no_echo():
    """Before Pace has said anything, all is a person's."""
    assert not is_echo("keep the door closed please", [])


def test_languages_without_spaces_have_echoes():
    """A sentence that no space parts into words is compared by its letters."""
    spoken = ["今日の東京の天気は晴れで、最高気温は二十度です。"]
    assert is_echo("今日の東京の天気は晴れで最高気温は二十度です", spoken)
    assert not is_echo("明日の予定を教えてくれませんかそれと音楽も", spoken)
