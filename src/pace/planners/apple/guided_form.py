"""Sets a JSON Schema in the dialect that guided generation reads.

The dialect is that of the schemas which Apple's own types encode themselves as: each object, choice
and list of words has a title, an object names the order of its properties and allows no others, and
what applies to a value are `enum` for words, `minimum` and `maximum`, `minItems` and `maxItems`.
What it cannot say is left out: a form is looser then, and whoever reads the reply checks it all.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_DEFS = "#/$defs/"
_LIMITS = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}


def guided_form(schema: str) -> dict[str, Any]:
    """The form; raises ValueError for a schema that it cannot stand for at all."""
    return _Translation(_mapping(json.loads(schema))).form()


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
            return self._values(part["enum"], part)
        kind = part.get("type", "object" if "properties" in part else "string")
        if isinstance(kind, list):
            return self._choice([{**part, "type": each} for each in kind])
        return self._value(str(kind), part)

    def _value(self, kind: str, part: Mapping[str, Any]) -> dict[str, Any]:
        if kind == "object":
            return self._object(part)
        if kind not in {"string", "integer", "number", "boolean", "array"}:
            raise ValueError(f"guided generation has no {kind}")
        value: dict[str, Any] = {"type": kind, **_described(part)}
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
            **_described(part),
            "properties": {name: self._part(_mapping(each)) for name, each in properties.items()},
            "required": [name for name in part.get("required", ()) if name in properties],
            "x-order": list(properties),
            "additionalProperties": False,
        }

    def _choice(self, choices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Null is no choice: what may be null need not be said."""
        said = [choice for choice in choices if choice.get("type") != "null"]
        if not said:
            raise ValueError("guided generation has no null")
        if len(said) == 1:
            return self._part(said[0])
        return {"title": self._title(), "anyOf": [self._part(choice) for choice in said]}

    def _values(self, values: Sequence[Any], part: Mapping[str, Any]) -> dict[str, Any]:
        """Words can be listed; of anything else only the kind can be told."""
        said = [value for value in values if value is not None]
        if all(isinstance(value, str) for value in said):
            return {"title": self._title(), "type": "string", **_described(part), "enum": said}
        kinds = {_kind(value) for value in said}
        return self._choice([{"type": kind} for kind in sorted(kinds)])

    def _reference(self, reference: str) -> dict[str, Any]:
        if not reference.startswith(_DEFS) or reference.removeprefix(_DEFS) not in self._defs:
            raise ValueError("a reference leads out of the schema's $defs")
        return {"$ref": reference}

    def _title(self) -> str:
        self._titles += 1
        title = f"Part{self._titles}"
        return title if title not in self._defs else self._title()


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def _described(part: Mapping[str, Any]) -> dict[str, Any]:
    description = part.get("description")
    return {"description": description} if isinstance(description, str) else {}


def _without(part: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != key}


def _mapping(part: object) -> Mapping[str, Any]:
    if part is True:
        return {}
    if not isinstance(part, Mapping):
        raise ValueError("a schema is an object")  # noqa: TRY004  # the one error of this file
    return part
