"""A tool of an MCP server as an action: asked for, checked, approved and run like any other.

Its risk is never "only reads": a server's own word for that is no proof.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from mcp_types import CallToolResult, Tool
from referencing import Registry

from pace.actions.mcp.naming import on_one_line, plain_name
from pace.actions.mcp.results import text_of
from pace.actions.telling import quoted, shown
from pace.errors import ActionRefusedError
from pace.ports import ActionResult, ActionTraits, Arguments, Risk

_LONGEST_DESCRIPTION = 160
_LONGEST_ARGUMENTS = 50_000
_LONGEST_VALUE = 100
_MOST_VALUES = 6
# A little more than the call's own limit, so that the server is told to stop before the turn is.
_TIME_LIMIT = 65.0


class CalledServer(Protocol):
    """The server of a tool; `host` is where words go, if that is not this machine."""

    @property
    def name(self) -> str:
        """As the person calls it."""
        ...

    @property
    def slug(self) -> str:
        """As actions and remembered lines call it."""
        ...

    @property
    def host(self) -> str:
        """Empty for a server on this machine."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, object]) -> CallToolResult:
        """Run a tool, once. Raises ActionError and nothing else."""
        ...


@dataclass(frozen=True, slots=True)
class ToolAction:
    """One tool. `tool` is its name as the server has it."""

    traits: ActionTraits
    tool: str
    server: CalledServer
    _validator: Draft202012Validator = field(repr=False, compare=False)

    @classmethod
    def of(
        cls, tool: Tool, *, name: str, arguments: Mapping[str, object], server: CalledServer
    ) -> "ToolAction":
        """The action for a tool whose schema was made plain."""
        description = on_one_line(tool.description or tool.title or "", _LONGEST_DESCRIPTION)
        traits = ActionTraits(
            name=name,
            description=description or f"{plain_name(tool.name)} of {server.slug}",
            arguments=arguments,
            risk=_risk(tool),
            time_limit=_TIME_LIMIT,
        )
        # With a registry of its own it fetches nothing, wherever a reference leads.
        validator = Draft202012Validator(arguments, registry=Registry())
        return cls(traits, tool.name, server, validator)

    def checked(self, arguments: Arguments) -> Arguments:
        """The arguments, if they are what the tool's schema asks for."""
        try:
            text = json.dumps(dict(arguments), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ActionRefusedError(f"{self.traits.name} takes no such arguments.") from error
        if len(text) > _LONGEST_ARGUMENTS:
            raise ActionRefusedError(
                f"The arguments of {self.traits.name} are longer than {_LONGEST_ARGUMENTS:,} "
                "characters. Give less at once."
            )
        given: dict[str, object] = json.loads(text)
        fault = best_match(self._validator.iter_errors(given))
        if fault is not None:
            # Not chained: the error of the validator holds what was said.
            raise ActionRefusedError(_sentence(self.traits.name, fault))
        return given

    def would(self, arguments: Arguments) -> str:
        """The tool, its server, where it is, and the arguments, shortened."""
        text = f"run {plain_name(self.tool)[:_LONGEST_VALUE]} of {quoted(self.server.name)}"
        if arguments:
            text += f" with {', '.join(_pieces(arguments))}"
        if self.server.host:
            text += f"; this goes to {shown(self.server.host)}, off this machine"
        return text

    async def run(self, arguments: Arguments) -> ActionResult:
        """Call the tool, once. What it says is shown and not remembered."""
        result = await self.server.call(self.tool, arguments)
        called = f"{plain_name(self.tool)[:_LONGEST_VALUE]} ({self.server.slug})"
        line = f"{called} said that it failed." if result.is_error else f"Ran {called}."
        return ActionResult(line=line, shown=text_of(result))


def _risk(tool: Tool) -> Risk:
    """High, unless the server says that it changes or destroys nothing; both ask."""
    hints = tool.annotations
    if hints is not None and (hints.read_only_hint or hints.destructive_hint is False):
        return Risk.LOW
    return Risk.HIGH


def _pieces(arguments: Arguments) -> Iterator[str]:
    for number, (name, value) in enumerate(arguments.items()):
        if number == _MOST_VALUES:
            yield f"and {len(arguments) - number} more"
            return
        if isinstance(value, str):
            said = quoted(value, _LONGEST_VALUE)
        else:
            said = shown(json.dumps(value, ensure_ascii=False), _LONGEST_VALUE)
        size = len(value) if isinstance(value, str) else 0
        more = f" ({size:,} characters)" if size > _LONGEST_VALUE else ""
        yield f"{shown(name)} {said}{more}"


def _sentence(action: str, fault: ValidationError) -> str:
    """What is wrong with the first that is wrong, without the value."""
    where = ".".join(shown(str(step)) for step in fault.absolute_path)
    of = f"{quoted(where)} of {action}" if where else action
    given = fault.instance if isinstance(fault.instance, dict) else {}
    match fault.validator, fault.validator_value:
        case "required", list() as needed:
            missing = [quoted(str(name)) for name in needed if name not in given]
            return f"{of} needs {' and '.join(missing)}. Say it, too."
        case "additionalProperties", _:
            known = fault.schema.get("properties", {}) if isinstance(fault.schema, dict) else {}
            extra = next((name for name in given if name not in known), "that")
            return f"{of} takes no {quoted(str(extra))}. Leave it out."
        case "type", str() as kind:
            return f"{of} must be {_KINDS.get(kind, 'something else')}."
        case "enum", list() as choices:
            return f"{of} must be one of {', '.join(shown(str(each)) for each in choices[:10])}."
        case _:
            return f"{of} is not what it takes."


_KINDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
