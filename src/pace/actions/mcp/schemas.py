"""Makes a tool's input schema small and plain, so that a prompt and a grammar can hold it.

What only narrows is left out (patterns, formats, conditions): the server checks its arguments
itself, and a pattern of others is not run here. References are resolved within the schema, never
fetched. What is then still too much is refused with its reason.
"""

import json
import re
from collections.abc import Mapping

from pace.actions.mcp.naming import on_one_line

Schema = dict[str, object]

LONGEST_SCHEMA = 3000
"""How many characters of JSON a tool's arguments may take."""
_DEEPEST = 5
_MOST_PARTS = 120
_MOST_CHOICES = 40
_LONGEST_CHOICE = 60
_LONGEST_DESCRIPTION = 160
_MOST_BRANCHES = 4
# Longer counts make a grammar as long; a server still refuses what it does not take.
_LARGEST_COUNT = 32
_LARGEST_NUMBER = 10**15
_TYPES = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength")
_RANGES = ("minimum", "maximum")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$-]{0,63}")


class UnfitSchemaError(ValueError):
    """A schema that cannot be offered; the text says why, after "its arguments"."""


def plain_schema(schema: Mapping[str, object]) -> Schema:
    """The schema of one object, of few kinds of words; raises UnfitSchemaError."""
    if schema.get("type", "object") != "object":
        raise UnfitSchemaError("are no object")
    made = _Reading(schema).whole()
    if len(json.dumps(made)) > LONGEST_SCHEMA:
        made = _without_descriptions(made)
    if len(json.dumps(made)) > LONGEST_SCHEMA:
        raise UnfitSchemaError("are too long")
    return made


class _Reading:
    """One schema being read; it counts its parts, since references can multiply them."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._parts = 0

    def whole(self) -> Schema:
        resolved = self._resolved(self._root, ())
        if resolved is None or not isinstance(resolved[0].get("properties", {}), dict):
            raise UnfitSchemaError("are no object")
        top, seen = resolved
        made = self._object(top, 0, seen)
        # A tool without arguments takes none, whatever its schema leaves open.
        made.setdefault("properties", {})
        if top.get("additionalProperties") is not True:
            made["additionalProperties"] = False
        return made

    def _part(self, schema: object, depth: int, seen: tuple[str, ...]) -> Schema:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise UnfitSchemaError("have too many parts")
        if not isinstance(schema, dict):
            return {}
        resolved = self._resolved(schema, seen)
        if resolved is None:
            return {"type": "object"}
        schema, seen = resolved
        made = self._of_kind(schema, depth, seen)
        description = schema.get("description")
        if isinstance(description, str) and description.strip():
            made["description"] = on_one_line(description, _LONGEST_DESCRIPTION)
        return made

    def _of_kind(self, schema: Mapping[str, object], depth: int, seen: tuple[str, ...]) -> Schema:
        choices = _choices(schema)
        if choices:
            return {"enum": choices}
        branches = schema.get("anyOf", schema.get("oneOf"))
        if isinstance(branches, list) and branches:
            return self._branches(branches, depth, seen)
        match _type(schema):
            case "object":
                return self._object(schema, depth, seen)
            case "array":
                made: Schema = {"type": "array", **_counts(schema)}
                if isinstance(schema.get("items"), dict) and depth < _DEEPEST:
                    made["items"] = self._part(schema["items"], depth + 1, seen)
                return made
            case None:
                return {}
            case kind:
                return {"type": kind, **_counts(schema)}

    def _branches(self, branches: list[object], depth: int, seen: tuple[str, ...]) -> Schema:
        if len(branches) > _MOST_BRANCHES or depth >= _DEEPEST:
            return {}
        made = [self._part(branch, depth + 1, seen) for branch in branches]
        return made[0] if len(made) == 1 else {"anyOf": made}

    def _object(self, schema: Mapping[str, object], depth: int, seen: tuple[str, ...]) -> Schema:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or not properties or depth >= _DEEPEST:
            return {"type": "object"}
        made = {
            name: self._part(part, depth + 1, seen)
            for name, part in properties.items()
            if isinstance(name, str) and _NAME.fullmatch(name)
        }
        needed = schema.get("required")
        required = [name for name in _texts(needed) if name in properties]
        if not set(required) <= set(made):
            raise UnfitSchemaError("have a name that cannot be written")
        return {
            "type": "object",
            "properties": made,
            "required": required,
            "additionalProperties": False,
        }

    def _resolved(
        self, schema: Mapping[str, object], seen: tuple[str, ...]
    ) -> tuple[Mapping[str, object], tuple[str, ...]] | None:
        """What a reference leads to, or a lone `allOf`; None if it leads nowhere or back."""
        for _ in range(_DEEPEST):
            reference, parts = schema.get("$ref"), schema.get("allOf")
            if isinstance(reference, str):
                if reference in seen:
                    return None
                seen = (*seen, reference)
                found = self._found(reference)
            elif isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
                found = {**{k: v for k, v in schema.items() if k != "allOf"}, **parts[0]}
            else:
                return schema, seen
            if found is None:
                return None
            schema = found
        return None

    def _found(self, reference: str) -> Mapping[str, object] | None:
        found: object = self._root
        if reference != "#" and not reference.startswith("#/"):
            return None
        for step in reference.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else None


def _type(schema: Mapping[str, object]) -> str | None:
    """The one type that a part has; of several, none is held to."""
    given = schema.get("type")
    if isinstance(given, list) and len(kinds := [kind for kind in given if kind != "null"]) == 1:
        given = kinds[0]
    if isinstance(given, str) and given in _TYPES:
        return given
    return "object" if isinstance(schema.get("properties"), dict) else None


def _choices(schema: Mapping[str, object]) -> list[object]:
    given = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(given, list) or not 0 < len(given) <= _MOST_CHOICES:
        return []
    fits = all(
        value is None
        or isinstance(value, bool | int)
        or (isinstance(value, str) and len(value) <= _LONGEST_CHOICE and value.isprintable())
        for value in given
    )
    return given if fits else []


def _counts(schema: Mapping[str, object]) -> Schema:
    made: Schema = {}
    for key in (*_COUNTS, *_RANGES):
        value = schema.get(key)
        most = _LARGEST_COUNT if key in _COUNTS else _LARGEST_NUMBER
        least = 0 if key in _COUNTS else -_LARGEST_NUMBER
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            made[key] = value
    return made


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _without_descriptions(schema: Schema) -> Schema:
    """The same without a word of explanation; a property may be called `description`, though."""
    made = {key: value for key, value in schema.items() if key != "description"}
    if isinstance(properties := made.get("properties"), dict):
        made["properties"] = {
            name: _without_descriptions(part) for name, part in properties.items()
        }
    if isinstance(items := made.get("items"), dict):
        made["items"] = _without_descriptions(items)
    if isinstance(branches := made.get("anyOf"), list):
        made["anyOf"] = [_without_descriptions(branch) for branch in branches]
    return made
