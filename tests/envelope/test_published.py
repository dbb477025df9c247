"""What the documentation says of the envelope is what the code does."""

import json
import re

import jsonschema

from envelope.published import DOCUMENT, TRAITS, published
from pace.envelope.form import reply_form, reply_schema
from pace.envelope.instructions import instructions
from pace.envelope.model import FIELDS, TARGETS, TEXTS, Intent
from pace.envelope.reading import EnvelopeReader
from pace.memory.tokens import estimate_tokens

PAGE = DOCUMENT.with_name("envelope.md")


def test_the_published_schema_is_true() -> None:
    """docs/envelope.schema.json is what is sent; `published.py` beside this file writes it."""
    assert DOCUMENT.read_text("utf-8") == published()


def test_every_example_on_the_page_is_an_envelope() -> None:
    """Each JSON example of docs/envelope.md is valid by the schema, and is read as it stands."""
    examples = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(examples) > 3
    for example in examples:
        jsonschema.validate(json.loads(example), reply_schema(TRAITS))
        reader = EnvelopeReader([traits.name for traits in TRAITS])
        reader.feed(example)
        assert not reader.finish(cut_off=False, tokens=None).is_plain


def test_the_page_names_every_field() -> None:
    """Each intent and each field stands on the page."""
    page = PAGE.read_text("utf-8")
    for name in (*FIELDS, *TEXTS, *TARGETS, *Intent):
        assert f"`{name}`" in page


def test_form_and_instructions_leave_half_of_a_small_context() -> None:
    """B81: together they take under half of 4,096 tokens, by the cautious estimate."""
    tokens = estimate_tokens(instructions(TRAITS)) + estimate_tokens(reply_form(TRAITS, 400).schema)
    assert tokens < 2048


def test_every_example_in_the_instructions_is_an_envelope() -> None:
    """What models are shown is what is asked of them: valid, and of known actions."""
    shown = [line for line in instructions(TRAITS).splitlines() if line.startswith("{")]
    assert len(shown) > 4
    for line in shown:
        jsonschema.validate(json.loads(line), reply_schema(TRAITS))


def test_every_action_has_its_line() -> None:
    """The instructions name each action with what it takes."""
    text = instructions(TRAITS)
    assert "- start_timer(duration, label?): " in text
    assert all(f"- {traits.name}(" in text for traits in TRAITS)
    assert all(traits.description in text for traits in TRAITS)
