"""A JSON Schema in the dialect of guided generation: what is kept, looser, and cannot be."""

import json
from typing import Any

import pytest

from pace.planners.apple.guided_form import guided_form


def form_of(schema: object) -> dict[str, Any]:
    return guided_form(json.dumps(schema))


def test_an_object_tells_its_order_and_allows_no_others() -> None:
    """Properties keep their order, those required stay so, and every object has a title."""
    form = form_of(
        {
            "type": "object",
            "properties": {"b": {"type": "string", "minLength": 1}, "a": {"type": "integer"}},
            "required": ["a"],
        }
    )
    assert form == {
        "title": "P1",
        "type": "object",
        "properties": {"b": {"type": "string"}, "a": {"type": "integer"}},
        "required": ["a"],
        "x-order": ["b", "a"],
        "additionalProperties": False,
    }


def test_choices_values_and_limits_are_kept() -> None:
    """Listed words, numbers' limits, lists' lengths and choices are said in the dialect."""
    form = form_of(
        {
            "oneOf": [
                {"const": "no"},
                {"enum": ["a", "b"], "description": "A letter."},
                {"type": "array", "items": {"type": "number", "minimum": 0}, "maxItems": 3},
            ]
        }
    )
    words, letter, numbers = form["anyOf"]
    assert words == {"title": "P2", "type": "string", "enum": ["no"]}
    assert letter == {"title": "P3", "type": "string", "enum": ["a", "b"]}
    assert numbers == {"type": "array", "items": {"type": "number", "minimum": 0}, "maxItems": 3}


def test_choices_that_differ_in_one_word_are_one() -> None:
    """Actions with the same arguments share a shape, which allows the same and takes less room."""

    def call(name: str, **args: object) -> dict[str, object]:
        properties = {"name": {"enum": [name]}, "args": {"type": "object", "properties": args}}
        return {"type": "object", "properties": properties, "required": ["name", "args"]}

    title, other = {"type": "string", "description": "A."}, {"type": "string", "description": "B."}
    form = form_of({"anyOf": [call("a", title=title), call("b", title=other), call("c")]})
    names = [part["properties"]["name"]["enum"] for part in form["anyOf"]]
    assert names == [["a", "b"], ["c"]]
    assert form["anyOf"][0]["properties"]["args"]["x-order"] == ["title"]


def test_titles_are_told_apart_and_references_kept() -> None:
    """A definition's title is its name, and no other part takes that."""
    form = form_of(
        {
            "type": "object",
            "properties": {"call": {"$ref": "#/$defs/P1"}},
            "$defs": {"P1": {"anyOf": [{"type": "boolean"}, {"type": "string"}]}},
        }
    )
    assert form["properties"]["call"] == {"$ref": "#/$defs/P1"}
    assert form["$defs"]["P1"]["title"] == "P1"
    assert form["title"] == "P2"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, {"type": "string"}),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, {"type": "integer"}),
        ({"enum": [1, 2]}, {"type": "integer"}),
        ({"allOf": [{"type": "string"}], "description": "It."}, {"type": "string"}),
        ({}, {"type": "string"}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
    ],
)
def test_what_the_dialect_cannot_say_is_looser(schema: object, expected: object) -> None:
    """Nothing is left that guided generation does not know; the reply is checked all the same."""
    assert form_of(schema) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"type": "string"}, {"minLength": 1}]},
        {"not": {"type": "string"}},
        {"$ref": "#/definitions/there"},
        {"type": "null"},
        {"type": "any"},
        {"properties": {"a": 1}},
        [],
    ],
)
def test_what_cannot_be_is_an_error(schema: object) -> None:
    """A schema that no form can stand for raises ValueError, and is not half translated."""
    with pytest.raises(ValueError, match=r"guided generation|reference|object"):
        form_of(schema)
