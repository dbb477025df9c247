"""The reply's form as a grammar of llama.cpp (GBNF).

Why not the grammar that an engine makes of the JSON Schema: those allow white space between any two
tokens and after the last brace, some without end, and a small model that begins to indent does not
stop. Here there is none, so the engine has to end at the closing brace.

GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

import json
from collections.abc import Iterable, Mapping, Sequence

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
    Intent,
)
from pace.ports import ActionTraits

# What a person reads begins with no white space, and has an end; `char` is a character of any JSON
# string.
_COMMON = r"""words ::= "\"" first (block){0,BLOCKS} char{0,127} "\""
block ::= char{128}
string ::= "\"" char* "\""
first ::= [^"\\\x7F\x00-\x20] | "\\" ["\\]
char ::= [^"\\\x7F\x00-\x1F] | "\\" (["\\/nrt] | "u" [0-9a-fA-F]{4})
integer ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= integer ("." [0-9]{1,15})?
boolean ::= "true" | "false"
null ::= "null"
value ::= string | number | boolean | null | object | array
object ::= "{" (string ":" value ("," string ":" value)*)? "}"
array ::= "[" (value ("," value)*)? "]"
"""
_COMMA = '","'
_PLAIN_RULES = ("integer", "number", "boolean", "null")
# Arguments that nest deeper than this are left to the action itself to check.
_DEEPEST = 6
# A longer count would make the grammar as long, in every engine that unrolls it.
_LONGEST_COUNTED = 300
# Engines unroll counts: what is said is counted in blocks.
_BLOCK = 128
# English has some four characters to a token, and a run of digits one or two.
_CHARACTERS_PER_TOKEN = 2
# What is said ahead of something that is done is a word or two.
_BRIEF = {"minLength": 1, "maxLength": 200}


def grammar_of(actions: Sequence[ActionTraits], reply_tokens: int) -> str:
    """The grammar for replies of at most `reply_tokens`, with the actions of an installation.

    Words end before the reply's limit would cut them: a small model that goes on and on comes to
    the closing brace all the same.
    It gives away some of what the schema allows: a payload stands only where its intent has a use
    for it, and calls are always listed, since a model that has to choose beforehand whether it will
    name one action or several names one too often.
    """
    brief = _string(_BRIEF)
    shapes = {
        "talk": _reply(_one_of(Intent.ANSWER, Intent.CLARIFY, Intent.REFUSE)),
        "dictate": _reply(_literal(Intent.DICTATE), _object({"text": "words"}), spoken=brief),
        "edit": _reply(
            _literal(Intent.EDIT),
            _object({"replacement": "words", TARGET: _one_of(*TARGETS)}),
            spoken=brief,
        ),
    }
    rules: dict[str, str] = {}
    if actions:
        shapes["act"] = _reply(_literal(Intent.ACTION), "calls", spoken=brief)
        calls = {f"call-{number}": action for number, action in enumerate(actions, start=1)}
        rules["calls"] = _object({CALLS: f'"[" call ({_COMMA} call){{0,{MOST_CALLS - 1}}} "]"'})
        rules["call"] = " | ".join(calls)
        for rule, action in calls.items():
            args = _properties(action.arguments, 0)
            rules[rule] = _object({NAME: _literal(action.name), ARGS: args})
    blocks = reply_tokens * _CHARACTERS_PER_TOKEN // _BLOCK
    common = _COMMON.replace("BLOCKS", str(blocks))
    rules = {"root": " | ".join(shapes), **shapes, **rules}
    return "".join(f"{name} ::= {rule}\n" for name, rule in rules.items()) + common


def _reply(intent: str, payload: str = "", *, spoken: str = "words") -> str:
    fields = {INTENT: intent, SPOKEN: spoken, PAYLOAD: payload}
    return _object({key: fields[key] for key in FIELDS if fields[key]})


def _object(members: Mapping[str, str]) -> str:
    inside = f" {_COMMA} ".join(_member(key, value) for key, value in members.items())
    return f'"{{" {inside} "}}"'


def _member(key: str, value: str) -> str:
    return f'{_literal(key)} ":" {value}'


def _literal(value: object) -> str:
    """The JSON of a value, as GBNF writes what has to stand there."""
    return json.dumps(json.dumps(value, ensure_ascii=False), ensure_ascii=False)


def _one_of(*values: object) -> str:
    return _any_of(_literal(value) for value in values)


def _any_of(rules: Iterable[str]) -> str:
    return f"({' | '.join(rules)})"


# --- what an action takes


def _value(schema: object, depth: int) -> str:
    """What a schema allows, or any value where it says it in words that are not known here."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        schema = {}
    if choices := _choices(schema):
        return _one_of(*choices)
    if kinds := _kinds(schema):
        return _any_of(_value(kind, depth + 1) for kind in kinds)
    kind = schema.get("type")
    if kind == "array":
        return _array(schema, depth)
    if kind == "object":
        return _properties(schema, depth)
    if kind == "string":
        return _string(schema)
    return str(kind) if kind in _PLAIN_RULES else "value"


def _string(schema: Mapping[str, object]) -> str:
    """As long as it may be, where that is short; a small model may go on and on."""
    longest = schema.get("maxLength")
    if not isinstance(longest, int) or not 0 < longest <= _LONGEST_COUNTED:
        return "words" if schema.get("minLength") else "string"
    if not schema.get("minLength"):
        return rf'"\"" char{{0,{longest}}} "\""'
    return rf'"\"" first char{{0,{longest - 1}}} "\""'


def _choices(schema: Mapping[str, object]) -> Sequence[object]:
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    return choices if isinstance(choices, list) else []


def _kinds(schema: Mapping[str, object]) -> Sequence[object]:
    """The schemas of which one is to hold."""
    types = schema.get("type")
    if isinstance(types, list):
        return [{**schema, "type": each} for each in types]
    kinds = schema.get("anyOf") or schema.get("oneOf")
    return kinds if isinstance(kinds, list) else []


def _array(schema: Mapping[str, object], depth: int) -> str:
    item = _value(schema.get("items"), depth + 1)
    items = f"{item} ({_COMMA} {item})*"
    return f'"[" {items} "]"' if schema.get("minItems") else f'"[" ({items})? "]"'


def _properties(schema: Mapping[str, object], depth: int) -> str:
    """An object with all that has to be there, then any of the rest, each in the schema's order."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return '"{}"' if not schema.get("additionalProperties", depth > 0) else "object"
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    members = {name: _member(name, _value(kind, depth + 1)) for name, kind in properties.items()}
    must = [member for name, member in members.items() if name in needed]
    may = [member for name, member in members.items() if name not in needed]
    if must:
        return f'"{{" {_followed(f" {_COMMA} ".join(must), may)} "}}"'
    starts = [_followed(member, may[at:]) for at, member in enumerate(may, start=1)]
    return f'"{{" {_any_of(starts)}? "}}"'


def _followed(first: str, rest: Sequence[str]) -> str:
    return first + "".join(f" ({_COMMA} {member})?" for member in rest)
