"""What the system prompt says of the form and of the actions, on every tier the same.

It is in every prompt, so it is short. What it says and shows was chosen by measuring
(`benchmarks/actions.py`).
"""

import json
from collections.abc import Mapping, Sequence

from pace.envelope.model import ARGS, CALLS, FIELDS, INTENT, NAME, PAYLOAD, SPOKEN, Intent
from pace.ports import ActionTraits, Arguments

_FORM = """\
Reply with one JSON object: {"spokenText": ..., "intent": ...}. spokenText is what you say to the \
person, in their language. The intent is one of:
- action: they want something done now that is in the list of actions, or ask what only an action \
can tell. Then "payload" is {"calls": [...]}, a call for each thing to do.
- answer: you talk, answer, explain, joke, write or translate, and do nothing else.
- dictate: they dictate; "payload" is {"text": their words}.
- edit: they want the text changed that they selected; "payload" is {"replacement": the new text, \
"target": "selection"}.
- clarify: you ask what they mean.
- refuse: you will not do it.
What they do not want done, or only talk about, is no action.

Actions:"""
_EXAMPLES = "\n\nExamples:\n"
_TALK = (
    ("Hallo!", "Hallo! Wie geht es dir?"),
    ("How do I open a zip file?", "Right-click it, then choose Extract."),
    ("Say it politely: Open the door.", "Could you please open the door?"),
    ("I opened a new book today.", "Nice! What is it about?"),
    ("Don't copy that.", "Okay, I won't copy it."),
)


def instructions(actions: Sequence[ActionTraits]) -> str:
    """The form in words, a line for each action, and examples."""
    return "\n".join([_FORM, *map(_line, actions)]) + _EXAMPLES + "\n".join(_examples(actions))


def _line(action: ActionTraits) -> str:
    """Its name, what it takes, what it does, and what one says to have it done."""
    line = f"- {action.name}({_taken(action)}): {action.description}"
    if action.example is None:
        return line + _meanings(action)
    said, args = action.example
    return f'{line} "{said}" -> {_json(dict(args))}'


def _taken(action: ActionTraits) -> str:
    required = action.arguments.get("required")
    needed = required if isinstance(required, list) else []
    return ", ".join(name if name in needed else f"{name}?" for name in _properties(action))


def _meanings(action: ActionTraits) -> str:
    """What each argument is, for an action of others that shows no example."""
    said = {name: kind.get("description") for name, kind in _properties(action).items()}
    return "".join(f" {name}: {meaning}" for name, meaning in said.items() if meaning)


def _properties(action: ActionTraits) -> Mapping[str, Mapping[str, object]]:
    properties = action.arguments.get("properties")
    found = properties if isinstance(properties, Mapping) else {}
    return {name: kind if isinstance(kind, Mapping) else {} for name, kind in found.items()}


_Example = tuple[str, str, Arguments]


def _examples(actions: Sequence[ActionTraits]) -> list[str]:
    """Orders, questions that are orders, too, and two things at once; talk between them, and last.

    Models take up what stands last, so that is talk.
    """
    named: list[_Example] = [
        (action.example[0], action.name, action.example[1])
        for action in actions
        if action.example is not None
    ]
    questions = [one for one in named if one[0].endswith("?")]
    orders = [one for one in named if one not in questions]
    acts = [_asked(one) for one in (*orders[:2], *questions[:1], *questions[1:][-1:])]
    if len(orders) > 1:
        acts.append(_asked(*orders[-2:]))
    talk = [_exchange(said, _reply(Intent.ANSWER, spoken)) for said, spoken in _TALK]
    return [*acts[:2], *talk[:2], *acts[2:], *talk[2:]]


def _asked(*examples: _Example) -> str:
    calls = [{NAME: name, ARGS: dict(args)} for _, name, args in examples]
    said = " And then: ".join(said for said, _, _ in examples)
    return _exchange(said, _reply(Intent.ACTION, _agreed(said, len(calls)), {CALLS: calls}))


def _agreed(said: str, calls: int) -> str:
    """What one says to an order. Saying again what was asked, models notice when nothing was."""
    if said.endswith("?"):
        return "Let me look."
    if calls > 1:
        return "Okay, I'll do both."
    return f"Okay, I'll {said[:1].lower()}{said[1:]}"


def _reply(intent: Intent, spoken: str, payload: Arguments | None = None) -> Arguments:
    fields = {INTENT: intent.value, SPOKEN: spoken, PAYLOAD: payload}
    return {key: fields[key] for key in FIELDS if fields[key] is not None}


def _exchange(said: str, reply: Arguments) -> str:
    return f"{said}\n{_json(reply)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
