"""What is taken out of a model's summary, and that nothing else is."""

import pytest

from pace.memory.summary import Clause, Speaker
from pace.summarizers.languages import Spoken
from pace.summarizers.mending import (
    Said,
    founded,
    in_the_language_of,
    without_copies,
    without_repeats,
)

CLAUSES = (
    Clause(
        speaker=Speaker.USER, text="flies to Oslo on 14 March at 3 p.m. with Dr. Okafor", number=1
    ),
    Clause(speaker=Speaker.PACE, text="noted INC-5521", number=1),
    Clause(speaker=Speaker.EARLIER, text="oolong", number=0),
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("They met. The user: noted INC-5521. The assistant: oolong.", "They met."),
        ("Earlier: oolong. They met.", "They met."),
        ("The assistant: noted INC-5521; they met.", "The assistant: they met."),
        (
            "The assistant: they met; noted INC-5521. They left.",
            "The assistant: they met. They left.",
        ),
        ("The user: flies to Oslo on 14 March at 3 p.m. with Dr. Okafor. They met.", "They met."),
        ("The user: flies to Oslo on 14 March; they met.", "The user: they met."),
        ("Flies to Oslo on 14 March. They met.", "They met."),
        ("The user flies to Oslo on 14 March.", "The user flies to Oslo on 14 March."),
        ("They like oolong.", "They like oolong."),
        ("On 14. They met.", "On 14. They met."),
    ],
)
def test_what_was_copied_of_the_clauses_goes(text: str, left: str) -> None:
    """Clauses and pieces of them go, whoever they are said to be of; own words stay."""
    assert without_copies(text, CLAUSES) == left


def test_without_clauses_nothing_was_copied() -> None:
    """The text is left as it is, leads and all."""
    text = "The user: oolong; oolong."
    assert without_copies(text, ()) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("They met. They met.", "They met."),
        ("They met. It rained. They MET!", "They met. It rained."),
        ("They met. They met in Oslo.", "They met in Oslo."),
        ("They met in Oslo. They met.", "They met in Oslo."),
        ("Bo met Anna. Anna met Bo.", "Bo met Anna. Anna met Bo."),
        ("She eats no fish. She eats fish, but no meat.",) * 2,
    ],
)
def test_what_stands_in_another_sentence_goes(text: str, left: str) -> None:
    """Word for word in its order; else it may say something else."""
    assert without_repeats(text) == left


SAID = "Mirela flies to Oslo with code 4417 and then she will go on to Bergen with her sister."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Mirela flies to Oslo. Her code is 4417.", None),
        ("Mirela flies to Oslo. Her code is 4471.", "Mirela flies to Oslo."),
        (
            "She flies to Oslo. She met Okonkwo. Her code is 4417.",
            "She flies to Oslo. Her code is 4417.",
        ),
        ("Okonkwo flies. Okonkwo met her. She is in Oslo.", ""),
        ("They met Okonkwo in Oslo", ""),
    ],
)
def test_sentences_that_invent_go(text: str, left: str | None) -> None:
    """What nobody said takes its sentence along; of a text that is half invented, nothing stays."""
    assert founded(text, Said(SAID, ())) == (text if left is None else left)


def test_sentences_in_another_language_go() -> None:
    """In the language of the talk they would be read as what they are not."""
    spoken = Spoken(SAID)
    german = "Der Nutzer hat auch mit dem Kollegen über die Reise geredet."
    english = "The user flies to Oslo and will go on to Bergen with their sister."
    assert in_the_language_of(spoken, f"{english} {german}") == english
    assert in_the_language_of(spoken, f"{german} {german} {english}") == ""
    assert in_the_language_of(spoken, english) == english
