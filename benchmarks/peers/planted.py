"""What is said in a scenario: turns that each plant one word, and summaries that repeat them all.

A planted word is a code, such as KX-1037, that stands in no other turn. Replies hold none, so that
whatever holds a code has it from its turn.
"""

import re
from itertools import cycle, islice

from pace.memory.tokens import estimate_tokens

CODE = re.compile(r"\b[A-Z]{2}-\d{4}\b")
_STATEMENT = re.compile(r"the code of the [a-z]+ [a-z]+ is ([A-Z]{2}-\d{4})")
_KNOWN = re.compile(r"<existing_facts>.*?</existing_facts>", re.DOTALL)
_COLOURS = ("green", "amber", "violet", "silver", "scarlet", "ivory", "teal", "bronze")
_THINGS = ("parcel", "ledger", "kettle", "bicycle", "lantern", "cabinet", "ticket")
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_ASKED = (
    "I keep it near the door for now, since nobody else will look after it this week.",
    "It came with the morning post, and the label on it is nearly worn away by the rain.",
    "My neighbour asked about it twice, so I would like to have it at hand when she calls.",
    "Put it with the others, and tell me whether anything about it seems odd to you.",
    "The shop said that they cannot find it under the name, only under what is written there.",
)
_ANSWERED = (
    "I have put it with the others, and nothing about it looks odd to me so far.",
    "If the label wears away any further, a strip of clear tape over it will keep it readable.",
    "People at the counter usually ask for what is printed and rarely for the name.",
    "You could keep a small list by the door, so that whoever is at home can look it up.",
    "When your neighbour calls, it is enough to read it out slowly, one sign after the other.",
    "Shops tend to keep such things for about three weeks before they send them back.",
    "Should it be needed sooner, a short call in the morning is quicker than a letter.",
)
_NOTHING_TOLD = "Nothing of note was said so far."


def code(number: int) -> str:
    """The word that turn `number` plants; of 24 times 24 letters and a number of its own."""
    return f"{_LETTERS[number % 24]}{_LETTERS[number * 7 % 24]}-{1000 + 37 * number}"


def words(number: int) -> str:
    """What the person says in turn `number`: about 45 tokens."""
    thing = f"{_COLOURS[number % len(_COLOURS)]} {_THINGS[number % len(_THINGS)]}"
    asked = " ".join(islice(cycle(_ASKED), number % len(_ASKED), number % len(_ASKED) + 2))
    return f"Please note that the code of the {thing} is {code(number)}. {asked}"


def reply(number: int) -> str:
    """What the planner answers: about 80 tokens, without any code."""
    start = number % len(_ANSWERED)
    return "Noted. " + " ".join(islice(cycle(_ANSWERED), start, start + 4))


def codes_in(text: str) -> frozenset[str]:
    return frozenset(CODE.findall(text))


def summary(text: str, budget: int) -> str:
    """A summary that loses nothing: every planted word of the text, the newest that fit."""
    told = _statements(text, budget)
    return f"The user said that {', that '.join(told)}." if told else _NOTHING_TOLD


def facts(text: str, budget: int) -> str:
    """The same for those that ask for a list of facts.

    Only the new ones, where the known ones are shown; all of them, two to a fact, where they are to
    be made fewer.
    """
    known = _KNOWN.search(text)
    if known is None or "condens" in text:
        told = _statements(text, budget)
        told = [" and ".join(told[at : at + 2]) for at in range(0, len(told), 2)]
    else:
        held = codes_in(known[0])
        told = [each for each in _statements(text, budget) if not codes_in(each) <= held]
    return f"<facts>{''.join(f'<fact>{each}</fact>' for each in told)}</facts>"


def _statements(text: str, budget: int) -> list[str]:
    """What tells each planted word of a text, once, in the order in which they were told."""
    told = {named: f"one code is {named}" for named in CODE.findall(text)}
    told |= {found[1]: found[0] for found in _STATEMENT.finditer(text)}
    kept: list[str] = []
    left = budget
    for statement in reversed(told.values()):
        left -= estimate_tokens(f" {statement};")
        if left < 0:
            break
        kept.append(statement)
    return kept[::-1]
