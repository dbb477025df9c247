"""Reads a talk of Pace's own schema, which gives its facts: an object with turns and facts.

See `shipped/README.md` for the fields.
"""

from collections.abc import Mapping

from pace.errors import TalksError
from pace.evaluation.exports import Item
from pace.evaluation.talks import Fact, SaidTurn, Side, Talk
from pace.memory.turn import is_blank
from pace.sayable import sayable

SCHEMA = "talks of Pace's schema"
_SOURCE = "talks"


def is_talk(value: object) -> bool:
    """Whether a value is meant as such a talk."""
    return isinstance(value, dict) and "turns" in value


def talk_of(item: Item, value: Mapping[str, object], *, otherwise: str) -> Talk:
    """Read one; without an id it is called `otherwise`.

    Raises TalksError, which names the place and the turn or the fact at fault.
    """
    found = value["turns"]
    if not isinstance(found, list) or not found:
        raise TalksError(f"{item.opening} has no turns. Give each talk a list of them.")
    turns = tuple(_turn(f"Turn {at:,} of {item.where}", turn) for at, turn in enumerate(found))
    given = value.get("facts", [])
    if not isinstance(given, list):
        raise TalksError(
            f"{item.opening} has facts that are no list. Give a list, or leave it out."
        )
    return Talk(
        id=_name(item.opening, value.get("id", otherwise), "id"),
        source=_name(item.opening, value.get("source", _SOURCE), "source"),
        turns=turns,
        facts=tuple(
            _fact(f"Fact {at:,} of {item.where}", fact, len(turns)) for at, fact in enumerate(given)
        ),
    )


def _name(where: str, value: object, field: str) -> str:
    if not isinstance(value, str) or is_blank(value):
        raise TalksError(f"{where} has no text as its {field}. Give one, or leave it out.")
    return sayable(value)


def _turn(where: str, value: object) -> SaidTurn:
    user, assistant = (
        value.get(side, "") if isinstance(value, dict) else None for side in ("user", "assistant")
    )
    if not isinstance(user, str) or not isinstance(assistant, str):
        raise TalksError(f"{where} is none. Give it a text for user and one for assistant.")
    if is_blank(user) and is_blank(assistant):
        raise TalksError(f"{where} is blank on both sides. Only one of them may be.")
    return SaidTurn(sayable(user), sayable(assistant))


def _fact(where: str, value: object, turns: int) -> Fact:
    if not isinstance(value, dict):
        raise TalksError(f"{where} is none. Give an object with turn, by, answer and keywords.")
    turn, until = value.get("turn"), value.get("until")
    if type(turn) is not int or not 0 <= turn < turns:
        raise TalksError(f"{where} has no turn of this talk. They are counted from 0.")
    if until is not None and (type(until) is not int or not turn < until < turns):
        raise TalksError(f"{where} ends at no later turn. Give until one of this talk, or none.")
    if value.get("by") not in tuple(Side):
        raise TalksError(f"{where} was said by nobody. Give by as user or assistant.")
    if value.get("weak", 0) not in (0, 1):
        raise TalksError(f"{where} is neither weak nor not. Give weak as 0 or 1.")
    keywords = _words(where, value.get("keywords"), "keywords")
    if not keywords:
        raise TalksError(f"{where} has no keywords. Give at least one.")
    return Fact(
        turn=turn,
        by=Side(value["by"]),
        answer=_text(where, value.get("answer"), "answer"),
        keywords=keywords,
        cues=_words(where, value.get("cues", []), "cues"),
        weak=bool(value.get("weak", 0)),
        question=_text(where, value.get("question", ""), "question"),
        until=until,
    )


def _text(where: str, value: object, field: str) -> str:
    if not isinstance(value, str):
        raise TalksError(f"{where} has no text as its {field}. Give one.")
    return sayable(value)


def _words(where: str, value: object, field: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(dict.fromkeys(sayable(word) for word in value))
    raise TalksError(f"{where} has {field} that are no list of words. Give one.")
