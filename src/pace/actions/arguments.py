"""What an action takes: one pydantic model, from which its JSON Schema and its check are made."""

from collections.abc import Mapping
from typing import Annotated, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from pace.errors import ActionRefusedError
from pace.memory.turn import is_blank
from pace.ports import Arguments
from pace.sayable import sayable

_KEPT_OF_A_FIELD = ("type", "description", "enum", "minLength", "maxLength")


class Given(BaseModel):
    """Typed arguments of one action; nothing else comes in, and no type is bent."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


_Given = TypeVar("_Given", bound=Given)


class TypedArguments(Generic[_Given]):
    """Reads the arguments of one action. Raises ActionRefusedError with one sentence."""

    def __init__(self, action: str, model: type[_Given]) -> None:
        self._action = action
        self._model = model

    @property
    def schema(self) -> Mapping[str, object]:
        """The JSON Schema: one flat object, in the model's own order of fields."""
        made = self._model.model_json_schema()
        return {
            "type": "object",
            "properties": {
                name: {key: field[key] for key in _KEPT_OF_A_FIELD if key in field}
                for name, field in made.get("properties", {}).items()
            },
            "required": made.get("required", []),
            "additionalProperties": False,
        }

    def read(self, arguments: Arguments) -> _Given:
        """The arguments, typed and tidied."""
        try:
            return self._model.model_validate(dict(arguments))
        except ValidationError as error:
            raise ActionRefusedError(self._sentence(error)) from error

    def checked(self, arguments: Arguments) -> Arguments:
        """The arguments as they will be used; checking them again changes nothing."""
        return self.read(arguments).model_dump()

    def _sentence(self, error: ValidationError) -> str:
        """What is wrong with the first that is wrong; it quotes no value."""
        fault = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(step) for step in fault["loc"])
        if fault["type"] == "value_error":
            return str(fault["ctx"]["error"])
        if fault["type"] == "string_too_long":
            longest = fault["ctx"]["max_length"]
            return f"{name!r} of {self._action} is longer than {longest:,} characters."
        what = {
            "missing": f"{self._action} needs {name!r}. Say it, too.",
            "extra_forbidden": f"{self._action} takes no {name[:40]!r}. Leave it out.",
            "string_too_short": f"{self._action} got an empty {name!r}. Say it, too.",
            "string_type": f"{name!r} of {self._action} must be a text.",
        }
        return what.get(fault["type"], f"{name!r} of {self._action} is not what it takes.")


def _on_one_line(text: str) -> str:
    return " ".join(sayable(text).split())


def _not_too_long(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"The text is longer than {LONGEST_TEXT:,} characters. Give less at once.")
    if is_blank(text):
        raise ValueError("There are no words in the text. Say what to write.")
    return sayable(text)


LONGEST_TEXT = 20_000
"""How long a text may be that goes into a note or the clipboard.

It stands in no schema: a grammar made of it would be as long.
"""

Line = Annotated[str, AfterValidator(_on_one_line)]
"""A short text, set on one line."""

LongText = Annotated[str, AfterValidator(_not_too_long)]
"""A text that keeps its lines."""
