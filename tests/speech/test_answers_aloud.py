"""What answers a question for consent aloud, and what stops Pace."""

from pathlib import Path

import pytest

from pace.ports import Approval
from pace.speech.answers_aloud import answer_to, is_stop

_NO_ANSWERS = [
    line.split("|") for line in Path(__file__).with_name("no_answers.txt").read_text().splitlines()
]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Yes."),
        ("en", "Yes, please!"),
        ("en", "Just this once"),
        ("en-GB", "OK"),
        ("de", "Ja, bitte."),
        ("fr", "D’accord."),
        ("es", "Sí."),
        ("it", "Va bene"),
        ("pt-BR", "Sim"),
        ("nl", "Oké"),
    ],
)
def test_a_listed_yes_allows_once(language, text):
    """A phrase of the language's list allows the action this once, however it is punctuated."""
    assert answer_to(text, language) is Approval.ONCE


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "No."),
        ("en", "Don't!"),
        ("en", "No, thank you."),
        ("de", "Nein, danke."),
        ("fr", "Non merci"),
        ("es", "No"),
        ("it", "No, grazie"),
        ("pt", "Não."),
        ("nl", "Nee"),
    ],
)
def test_a_listed_no_refuses(language, text):
    """A phrase of the language's list refuses the action."""
    assert answer_to(text, language) is Approval.NO


@pytest.mark.parametrize(("language", "text"), _NO_ANSWERS)
def test_all_else_is_no_answer(language, text):
    """What is longer than a listed phrase, asks back, or says "always" answers nothing."""
    assert answer_to(text, language) is None


def test_two_hundred_sentences_are_tried():
    """The table of sentences that answer nothing has two hundred or more, all different."""
    assert len({tuple(line) for line in _NO_ANSWERS}) >= 200


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Stop!"),
        ("en", "wait"),
        ("en", "Stop, please."),
        ("en", "Okay, stop."),
        ("en", "stop stop stop"),
        ("de", "Stopp!"),
        ("de", "Hör auf."),
        ("fr", "Arrête"),
        ("es", "¡Para!"),
        ("it", "Basta."),
        ("pt", "Pare."),
        ("nl", "Hou op"),
        ("sv", "stop"),
    ],
)
def test_a_listed_stop_stops(language, text):
    """A phrase that asks for silence is known, also when it is said several times."""
    assert is_stop(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "don't stop",
        "stop the timer at ten",
        "where is the bus stop",
        "wait until tomorrow",
        "I can't wait",
        "the rain will stop soon",
        "",
        "yes",
    ],
)
def test_a_sentence_with_stop_in_it_stops_nothing(text):
    """Only a whole listed phrase stops Pace."""
    assert not is_stop(text, "en")
