"""Sets a JSON Schema in the dialect that guided generation reads.

The dialect is that of the schemas which Apple's own types encode themselves as: each object, choice
and list of words has a title, an object names the order of its properties and allows no others, and
what applies to a value are `enum` for words, `minimum` and `maximum`, `minItems` and `maxItems`.
What it cannot say is left out: a form is looser then, and whoever reads the reply checks it all.
So are descriptions, and titles are short: the model reads the form with each prompt, and has little
room; what an action takes, the instructions say.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_DEFS = "#/$defs/"
_FOR_PEOPLE = frozenset({"title", "description", "default", "examples", "$schema", "$id"})
_LIMITS = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}


def guided_form(schema: str) -> dict[str, Any]:
    """The form; raises ValueError for a schema that it cannot stand for at all."""
    return _Translation(_bare(_mapping(json.loads(schema)))).form()


def as_read(form: Mapping[str, Any]) -> str:
    """A form as the model reads it, or nearly: what takes room in its context."""
    return json.dumps(form, ensure_ascii=False, separators=(",", ":"))


class _Translation:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._defs = _mapping(schema.get("$defs", {}))
        self._titles = 0

    def form(self) -> dict[str, Any]:
        form = self._part(self._schema)
        if self._defs:
            form["$defs"] = {
                name: {**self._part(_mapping(part)), "title": name}
                for name, part in self._defs.items()
            }
        return form

    def _part(self, part: Mapping[str, Any]) -> dict[str, Any]:
        if "$ref" in part:
            return self._reference(str(part["$ref"]))
        if isinstance(part.get("allOf"), list) and len(part["allOf"]) == 1:
            return self._part({**_without(part, "allOf"), **_mapping(part["allOf"][0])})
        for key in ("anyOf", "oneOf"):
            if isinstance(part.get(key), list):
                return self._choice([_mapping(choice) for choice in part[key]])
        if unknown := {"allOf", "not", "if"} & part.keys():
            raise ValueError(f"guided generation has no {min(unknown)}")
        if "const" in part:
            part = {**_without(part, "const"), "enum": [part["const"]]}
        if isinstance(part.get("enum"), list):
            return self._values(part["enum"])
        kind = part.get("type", "object" if "properties" in part else "string")
        if isinstance(kind, list):
            return self._choice([{**part, "type": each} for each in kind])
        return self._value(str(kind), part)

    def _value(self, kind: str, part: Mapping[str, Any]) -> dict[str, Any]:
        if kind == "object":
            return self._object(part)
        if kind not in {"string", "integer", "number", "boolean", "array"}:
            raise ValueError(f"guided generation has no {kind}")
        value: dict[str, Any] = {"type": kind}
        if kind == "array":
            value["items"] = self._part(_mapping(part.get("items", {})))
        for limit in _LIMITS.get(kind, ()):
            if isinstance(part.get(limit), int | float):
                value[limit] = part[limit]
        return value

    def _object(self, part: Mapping[str, Any]) -> dict[str, Any]:
        properties = _mapping(part.get("properties", {}))
        return {
            "title": self._title(),
            "type": "object",
            "properties": {name: self._part(_mapping(each)) for name, each in properties.items()},
            "required": [name for name in part.get("required", ()) if name in properties],
            "x-order": list(properties),
            "additionalProperties": False,
        }

    def _choice(self, choices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Null is no choice: what may be null need not be said."""
        said = _merged([choice for choice in choices if choice.get("type") != "null"])
        if not said:
            raise ValueError("guided generation has no null")
        if len(said) == 1:
            return self._part(said[0])
        return {"title": self._title(), "anyOf": [self._part(choice) for choice in said]}

    def _values(self, values: Sequence[Any]) -> dict[str, Any]:
        """Words can be listed; of anything else only the kind can be told."""
        said = [value for value in values if value is not None]
        if all(isinstance(value, str) for value in said):
            return {"title": self._title(), "type": "string", "enum": said}
        kinds = {_kind(value) for value in said}
        return self._choice([{"type": kind} for kind in sorted(kinds)])

    def _reference(self, reference: str) -> dict[str, Any]:
        if not reference.startswith(_DEFS) or reference.removeprefix(_DEFS) not in self._defs:
            raise ValueError("a reference leads out of the schema's $defs")
        return {"$ref": reference}

    def _title(self) -> str:
        self._titles += 1
        title = f"P{self._titles}"
        return title if title not in self._defs else self._title()


def _bare(part: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without what only tells people of it."""
    bare: dict[str, Any] = {}
    for key, value in part.items():
        if key in {"properties", "$defs"} and isinstance(value, Mapping):
            bare[key] = {name: _bare_value(each) for name, each in value.items()}
        elif key not in _FOR_PEOPLE:
            is_list = isinstance(value, list) and key != "enum"
            bare[key] = [_bare_value(each) for each in value] if is_list else _bare_value(value)
    return bare


def _bare_value(value: object) -> object:
    return _bare(value) if isinstance(value, Mapping) else value


def _merged(choices: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The choices, those that differ only in the words of one list as one: it takes less room."""
    merged: dict[str, Mapping[str, Any]] = {}
    for choice in choices:
        properties = _mapping(choice.get("properties", {}))
        listing = _listing(properties)
        if listing is None:
            merged[json.dumps(choice)] = choice
            continue
        words = properties[listing]["enum"]
        alike = json.dumps({**choice, "properties": {**properties, listing: None}})
        if alike in merged:
            words = [*merged[alike]["properties"][listing]["enum"], *words]
        listed = {**properties[listing], "enum": words}
        merged[alike] = {**choice, "properties": {**properties, listing: listed}}
    return list(merged.values())


def _listing(properties: Mapping[str, Any]) -> str | None:
    """The one property that is a list of words, if there is one."""
    lists = [
        name
        for name, part in properties.items()
        if isinstance(part, Mapping) and isinstance(part.get("enum"), list)
    ]
    return lists[0] if len(lists) == 1 else None


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def _without(part: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != key}


def _mapping(part: object) -> Mapping[str, Any]:
    if part is True:
        return {}
    if not isinstance(part, Mapping):
        raise ValueError("a schema is an object")  # noqa: TRY004  # the one error of this file
    return part
