"""What the system prompt says of the form and of the actions, on every tier the same.

It is in every prompt, so it is short. What it says and shows was chosen by measuring
(`benchmarks/actions.py`).
"""

import json
from collections.abc import Mapping, Sequence

from pace.envelope.model import ARGS, CALLS, FIELDS, INTENT, NAME, PAYLOAD, SPOKEN, Intent
from pace.ports import ActionTraits, Arguments

_FORM = """\
Reply with one JSON object: {"spokenText": what you say to the person, in their language, \
"intent": ...}. The intent is one of:
- action: they want something of this list done now. Then "payload" is {"calls": [...]}, a call \
for each thing to do.
- answer: you talk, answer, explain, write or translate, and nothing is done.
- dictate: they dictate; "payload" is {"text": their words}.
- edit: they want a selected text changed; "payload" is {"replacement": ..., "target": "selection"}.
- clarify or refuse: you ask what they mean, or decline.
What they do not want done, or only talk about, is no action.

Actions:"""
_EXAMPLES = "\n\nExamples:\n"
_TALK = (
    ("Hallo!", "Hallo! Wie geht es dir?"),
    ("How do I open a zip file?", "Right-click it, then choose Extract."),
    ("I started a new book today.", "Nice! What is it about?"),
    ("Don't copy that.", "Okay, I won't copy it."),
)


def instructions(actions: Sequence[ActionTraits]) -> str:
    """The form in words, a line for each action, and examples."""
    return "\n".join([_FORM, *map(_line, actions)]) + _EXAMPLES + "\n".join(_examples(actions))


def _line(action: ActionTraits) -> str:
    """Its name, what it takes and what it does."""
    line = f"- {action.name}({_taken(action)}): {action.description}"
    return line if action.example is not None else line + _meanings(action)


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
    """Each action once, and two at once; talk between them, and last, where models look most."""
    named: list[_Example] = [
        (action.example[0], action.name, action.example[1])
        for action in actions
        if action.example is not None
    ]
    orders = [one for one in named if not one[0].endswith("?")]
    acts = [_asked(one) for one in named]
    if len(orders) > 1:
        acts.append(_asked(orders[0], orders[len(orders) // 2]))
    talk = [_exchange(said, _reply(Intent.ANSWER, spoken)) for said, spoken in _TALK]
    share = -(-len(acts) // len(talk))
    return [
        example
        for at, reply in enumerate(talk)
        for example in (*acts[at * share : (at + 1) * share], reply)
    ]


def _asked(*examples: _Example) -> str:
    calls = [{NAME: name, ARGS: dict(args)} for _, name, args in examples]
    first, *more = (said for said, _, _ in examples)
    said = " and ".join([first.rstrip(".") if more else first, *map(_within, more)])
    return _exchange(said, _reply(Intent.ACTION, _agreed(said), {CALLS: calls}))


def _agreed(said: str) -> str:
    """What one says to an order. Saying again what was asked, models notice when nothing was."""
    return "Let me look." if said.endswith("?") else f"Okay, I'll {_within(said)}"


def _within(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _reply(intent: Intent, spoken: str, payload: Arguments | None = None) -> Arguments:
    fields = {INTENT: intent.value, SPOKEN: spoken, PAYLOAD: payload}
    return {key: fields[key] for key in FIELDS if fields[key] is not None}


def _exchange(said: str, reply: Arguments) -> str:
    return f"{said}\n{_json(reply)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
