"""Puts a JSON Schema into the subset that providers hold replies to.

Both want closed objects and know no limits of length or size: whoever uses the reply checks those.
OpenAI besides wants every property required, so that one that may be left out may be null there;
whoever reads the reply takes null for left out. (Sources: the SDKs' own translations, openai 3.57
`lib/_pydantic.py` and anthropic 2.15 `lib/_parse/_transform.py`.)
"""

from collections.abc import Mapping, Sequence

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_KEPT = ("type", "description", "enum", "const", "$ref")


class OpenSchemaError(ValueError):
    """A part of the schema allows any field, which no provider can hold a reply to."""


def strict_schema(schema: Mapping[str, object], *, all_required: bool) -> dict[str, object]:
    """The schema for a provider; raises OpenSchemaError for an object with fields of any name."""
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in kept:
        kept["enum"] = [kept.pop("const")]
    if isinstance(choices := kept.get("enum"), list) and "type" not in kept:
        names = {_TYPES.get(type(choice)) for choice in choices}
        if len(names) == 1 and (name := names.pop()):
            kept["type"] = name
    if isinstance(named := schema.get("$defs"), Mapping):
        kept["$defs"] = {
            name: _part(part, all_required=all_required) for name, part in named.items()
        }
    for key in ("anyOf", "oneOf"):
        if isinstance(parts := schema.get(key), Sequence):
            kept["anyOf"] = [_part(part, all_required=all_required) for part in parts]
    if "items" in schema:
        kept["items"] = _part(schema["items"], all_required=all_required)
    if schema.get("type") == "object" or "properties" in schema:
        kept |= _object(schema, all_required=all_required)
    return kept


def _object(schema: Mapping[str, object], *, all_required: bool) -> dict[str, object]:
    properties, more = schema.get("properties"), schema.get("additionalProperties")
    is_open = isinstance(more, Mapping) or more is True or (properties is None and more is None)
    if is_open or "patternProperties" in schema:
        raise OpenSchemaError("an object may have fields of any name")
    listed = schema.get("required")
    required = list(listed) if isinstance(listed, Sequence) else []
    parts = {
        name: _part(part, all_required=all_required)
        for name, part in (properties.items() if isinstance(properties, Mapping) else ())
    }
    if all_required:
        parts = {
            name: part if name in required else {"anyOf": [part, {"type": "null"}]}
            for name, part in parts.items()
        }
        required = list(parts)
    return {
        "type": "object",
        "properties": parts,
        "required": required,
        "additionalProperties": False,
    }


def _part(schema: object, *, all_required: bool) -> dict[str, object]:
    """A schema within another; one that says nothing allows anything."""
    if not isinstance(schema, Mapping) or not schema.keys() & {*_KEPT, "anyOf", "oneOf"}:
        raise OpenSchemaError("a field may hold anything")
    return strict_schema(schema, all_required=all_required)
