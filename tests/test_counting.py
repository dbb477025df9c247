"""Counts of texts seen before are the same as the first time."""

from pace.counting import Estimates
from pace.memory.tokens import estimate_tokens


def test_estimates_are_those_of_the_rule_again_and_again() -> None:
    """Short and long texts, one of them the other's beginning, and one with emoji and digits."""
    texts = ("", "Bergen", "Bergen " * 40, "Bergen " * 41, "118 \N{TEACUP WITHOUT HANDLE} " * 30)
    estimates = Estimates()
    for _ in range(2):
        assert [estimates.of(text) for text in texts] == list(map(estimate_tokens, texts))


def test_estimates_are_right_for_more_texts_than_are_known() -> None:
    """What was forgotten to make room is estimated anew."""
    texts = [f"Platform {number}, " * 10 for number in range(5000)]
    estimates = Estimates()
    for text in texts:
        estimates.of(text)
    assert estimates.of(texts[0]) == estimate_tokens(texts[0])
