"""The form of a reply as a JSON Schema, made of the envelope's model and this machine's actions."""

import json
from collections.abc import Mapping, Sequence

from pace.envelope.grammar import grammar_of
from pace.envelope.model import (
    ARGS,
    CALLS,
    FIELDS,
    INTENT,
    MOST_CALLS,
    NAME,
    PAYLOAD,
    SPOKEN,
    TARGET,
    TARGETS,
    TEXTS,
    Intent,
)
from pace.memory.prompt import ReplyForm
from pace.ports import ActionTraits

_TEXT = {"type": "string"}
_CALL = "call"
_NOTES = ("title", "description", "default", "examples", "$schema")
_VALUES = ("enum", "const")


def reply_form(actions: Sequence[ActionTraits], reply_tokens: int) -> ReplyForm:
    """The form of a reply of at most `reply_tokens`; the same text for the same actions."""
    schema = json.dumps(reply_schema(actions), ensure_ascii=False, separators=(",", ":"))
    return ReplyForm(schema, grammar_of(actions, reply_tokens))


def reply_schema(actions: Sequence[ActionTraits]) -> Mapping[str, object]:
    """A JSON Schema of two shapes: a reply that asks for actions, and one that asks for none.

    An action can only be asked for by its name and with arguments of its types.
    """
    talk = _reply([intent for intent in Intent if intent is not Intent.ACTION], _words_alone())
    if not actions:
        return talk
    calls = {"type": "array", "items": _call(), "minItems": 1, "maxItems": MOST_CALLS}
    act = _reply([Intent.ACTION], {"anyOf": [_call(), _object({CALLS: calls}, [CALLS])]})
    act["required"] = list(FIELDS)
    return {
        "anyOf": [talk, act],
        "$defs": {_CALL: {"anyOf": [_named(action) for action in actions]}},
    }


def _reply(intents: Sequence[Intent], payload: Mapping[str, object]) -> dict[str, object]:
    parts = {INTENT: _one_of([str(intent) for intent in intents]), SPOKEN: _TEXT, PAYLOAD: payload}
    return _object({key: parts[key] for key in FIELDS}, [INTENT, SPOKEN])


def _words_alone() -> Mapping[str, object]:
    texts: dict[str, object] = dict.fromkeys(TEXTS, _TEXT)
    return _object({**texts, TARGET: _one_of(TARGETS)}, [])


def _call() -> Mapping[str, object]:
    return {"$ref": f"#/$defs/{_CALL}"}


def _named(action: ActionTraits) -> Mapping[str, object]:
    args = _without_notes(action.arguments)
    return _object({NAME: _one_of([action.name]), ARGS: args}, [NAME, ARGS])


def _without_notes(schema: object) -> object:
    """A schema without what only explains it: the instructions do, and each word has its price."""
    if isinstance(schema, list):
        return [_without_notes(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: {name: _without_notes(kind) for name, kind in part.items()}
        if key == "properties" and isinstance(part, Mapping)
        else part
        if key in _VALUES
        else _without_notes(part)
        for key, part in schema.items()
        if key not in _NOTES
    }


def _one_of(words: Sequence[str]) -> Mapping[str, object]:
    return {"type": "string", "enum": list(words)}


def _object(properties: Mapping[str, object], required: Sequence[str]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
