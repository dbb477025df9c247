"""A summary's text is what a model wrote and then its clauses; either may be missing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.memory.summary import Clause, RollingSummary, Speaker, render_clauses

CLAUSES = tuple(Clause(speaker=speaker, text=f"of {speaker}", number=1) for speaker in Speaker)
TOLD = "Earlier: of earlier. The user: of user. The assistant: of pace."


@pytest.mark.parametrize(
    ("text", "clauses", "prose"),
    [
        ("", (), ""),
        ("They met.", (), "They met."),
        (TOLD, CLAUSES, ""),
        (f"They met. {TOLD}", CLAUSES, "They met."),
        (f"{TOLD} {TOLD}", CLAUSES, TOLD),
        (TOLD, (), TOLD),
        # None that Pace makes; what it does not know, a model may have written.
        (f"{TOLD} They met.", CLAUSES, f"{TOLD} They met."),
        (f"x{TOLD}", CLAUSES, f"x{TOLD}"),
    ],
)
def test_prose_is_what_stands_before_the_clauses(
    text: str, clauses: tuple[Clause, ...], prose: str
) -> None:
    """It is known by the clauses, and not by what the text says of itself."""
    assert RollingSummary(text=text, clauses=clauses).prose == prose


WORDS = st.lists(st.sampled_from(["The", "user:", "of", "user.", ";", "met"]), min_size=1)


@given(prose=WORDS.map(" ".join), texts=st.lists(WORDS.map(" ".join), min_size=1, max_size=4))
def test_no_prose_passes_for_clauses(prose: str, texts: list[str]) -> None:
    """Whatever either says, the two are told apart."""
    clauses = tuple(replace(CLAUSES[0], text=text) for text in texts)
    text = f"{prose} {render_clauses(clauses)}"
    assert RollingSummary(text=text, clauses=clauses).prose == prose
