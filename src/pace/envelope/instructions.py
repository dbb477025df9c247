"""What the system prompt says of the form and of the actions, on every tier the same.

It is in every prompt, so it is short.
"""

import json
from collections.abc import Mapping, Sequence

from pace.envelope.model import ARGS, CALLS, INTENT, NAME, PAYLOAD, SPOKEN, Intent
from pace.ports import ActionTraits

_FORM = """\
Reply with one JSON object: "intent", "spokenText" (what you say to the person) and, only for the \
intent action, "payload".
Intents: answer (you answer or talk; the usual one), action (the person asks you to do one of the \
actions below now), dictate (you write down their words, payload {"text"}), edit (you rewrite \
their text, payload {"replacement", "target": "selection"}), clarify (you ask what they mean), \
refuse.
Ask for an action only if the person wants it done now. Questions about a thing, also about how \
to do it, are answered.

Actions:"""
_EXAMPLE = "\n\nExamples:"


def instructions(actions: Sequence[ActionTraits]) -> str:
    """The form in words, a line for each action, and examples."""
    lines = [f"- {_signature(action)}: {action.description}" for action in actions]
    examples = [_asked(*shown) for shown in _examples(actions)]
    return "\n".join([_FORM, *lines]) + _EXAMPLE + "".join(f"\n{example}" for example in examples)


def _signature(action: ActionTraits) -> str:
    properties = action.arguments.get("properties")
    required = action.arguments.get("required")
    needed = required if isinstance(required, list) else []
    names = properties if isinstance(properties, Mapping) else {}
    shown = ", ".join(name if name in needed else f"{name}?" for name in names)
    return f"{action.name}({shown})"


def _examples(actions: Sequence[ActionTraits]) -> list[tuple[str, dict[str, object]]]:
    shown: list[tuple[str, dict[str, object]]] = [
        ("What is a timer?", _reply(Intent.ANSWER, "A clock that counts down and then rings."))
    ]
    calls = []
    for action in actions:
        if action.example is not None:
            said, args = action.example
            call: dict[str, object] = {NAME: action.name, ARGS: dict(args)}
            shown.append((said, _reply(Intent.ACTION, "Doing that now.", call)))
            calls.append((said, call))
    if len(calls) > 1:
        (first, one), (second, other) = calls[0], calls[-1]
        said = f"{first.rstrip('.')}, and then {second[:1].lower()}{second[1:]}"
        shown.append((said, _reply(Intent.ACTION, "Doing both.", {CALLS: [one, other]})))
    return shown


def _reply(
    intent: Intent, spoken: str, payload: Mapping[str, object] | None = None
) -> dict[str, object]:
    reply: dict[str, object] = {INTENT: intent.value, SPOKEN: spoken}
    return {**reply, PAYLOAD: payload} if payload is not None else reply


def _asked(said: str, reply: Mapping[str, object]) -> str:
    return f"{said}\n{json.dumps(reply, ensure_ascii=False)}"
