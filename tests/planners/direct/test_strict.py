"""The subset of JSON Schema that providers hold replies to."""

import copy
from typing import Any

import jsonschema
import pytest

from pace.planners.direct.strict import OpenSchemaError, strict_schema

FORM: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Reply",
    "type": "object",
    "properties": {
        "spokenText": {"type": "string", "maxLength": 4000, "pattern": "^[^{]"},
        "intent": {"enum": ["answer", "action"]},
        "payload": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {
                        "name": {"const": "set_timer"},
                        "args": {
                            "type": "object",
                            "properties": {
                                "minutes": {"type": "integer", "minimum": 1, "maximum": 60},
                                "label": {"type": "string", "default": ""},
                            },
                            "required": ["minutes"],
                            "additionalProperties": False,
                        },
                    },
                    "required": ["name", "args"],
                },
                {"$ref": "#/$defs/words"},
            ]
        },
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    },
    "required": ["spokenText", "intent"],
    "additionalProperties": False,
    "$defs": {"words": {"type": "object", "properties": {}, "additionalProperties": False}},
}
REPLIES: list[dict[str, Any]] = [
    {"spokenText": "Hi.", "intent": "answer"},
    {"spokenText": "Hi.", "intent": "answer", "payload": {}},
    {
        "spokenText": "Set.",
        "intent": "action",
        "payload": {"name": "set_timer", "args": {"minutes": 5}},
        "tags": ["a"],
    },
]
ANYTHING_ELSE: list[dict[str, Any]] = [
    {"spokenText": "Hi.", "intent": "sing"},
    {"spokenText": "Hi.", "intent": "answer", "more": 1},
    {"spokenText": "Hi.", "intent": "action", "payload": {"name": "other", "args": {"minutes": 5}}},
    {"intent": "answer"},
]


def objects_of(schema: object) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for part in schema for found in objects_of(part)]
    if not isinstance(schema, dict):
        return []
    inner = [found for part in schema.values() for found in objects_of(part)]
    return [schema, *inner] if schema.get("type") == "object" else inner


def test_every_object_is_closed_and_says_all_it_has() -> None:
    """OpenAI's strict form: closed objects, every property required, no limits, no `oneOf`."""
    strict = strict_schema(FORM, all_required=True)
    objects = objects_of(strict)
    assert len(objects) == 4
    for each in objects:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
    text = repr(strict)
    for keyword in ("oneOf", "pattern", "maxLength", "minimum", "maxItems", "default", "$schema"):
        assert keyword not in text


def test_what_may_be_left_out_may_be_null() -> None:
    """What was not required takes null in OpenAI's form, and stays as it was in Anthropic's."""
    properties = strict_schema(FORM, all_required=True)["properties"]
    assert isinstance(properties, dict)
    assert properties["payload"]["anyOf"][1] == {"type": "null"}
    assert properties["spokenText"] == {"type": "string"}
    other = strict_schema(FORM, all_required=False)
    assert other["required"] == ["spokenText", "intent"]
    assert "null" not in repr(other)


@pytest.mark.parametrize("reply", REPLIES)
def test_every_reply_of_the_form_is_one_of_the_subset(reply: dict[str, Any]) -> None:
    """Nothing that the form allows is lost by the translation."""
    jsonschema.validate(reply, FORM)
    jsonschema.validate(reply, strict_schema(FORM, all_required=False))
    strict = strict_schema(FORM, all_required=True)
    whole = {name: reply.get(name) for name in FORM["properties"]}
    if isinstance(whole["payload"], dict) and whole["payload"]:
        whole["payload"] = {**whole["payload"], "args": {"minutes": 5, "label": None}}
    jsonschema.validate(whole, strict)


@pytest.mark.parametrize("reply", ANYTHING_ELSE)
@pytest.mark.parametrize("all_required", [True, False])
def test_names_and_values_stay_the_only_ones(reply: dict[str, Any], *, all_required: bool) -> None:
    """What is no reply of the form by its names or words is none of the subset."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reply, strict_schema(FORM, all_required=all_required))


@pytest.mark.parametrize(
    "part",
    [
        {},
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {}, "patternProperties": {"^x": {"type": "string"}}},
        {"type": "array", "items": {}},
        True,
    ],
)
def test_a_part_of_any_shape_cannot_be_held_to(part: object) -> None:
    """An object with fields of any name, or a field with any value, is told instead of closed."""
    schema = {"type": "object", "properties": {"args": part}}
    with pytest.raises(OpenSchemaError):
        strict_schema(schema, all_required=True)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"enum": ["a", "b"]}, "string"),
        ({"const": "a"}, "string"),
        ({"const": 1}, "integer"),
        ({"enum": [True]}, "boolean"),
        ({"enum": [1.5]}, "number"),
        ({"enum": ["a"], "type": "string"}, "string"),
        ({"enum": ["a", None]}, None),
    ],
)
def test_a_choice_says_its_type(part: dict[str, object], kind: str | None) -> None:
    """A strict provider wants a type beside the values that it can tell one of."""
    assert strict_schema(part, all_required=True).get("type") == kind


def test_the_form_itself_stays_as_it_was() -> None:
    """Translating changes nothing of what it was given."""
    before = copy.deepcopy(FORM)
    strict_schema(FORM, all_required=True)
    assert before == FORM
