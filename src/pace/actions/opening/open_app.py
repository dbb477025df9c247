"""Opens an app that is installed here; what is not installed as an app is not started."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pace.actions.arguments import Given, Line, TypedArguments
from pace.actions.opening.apps import Apps
from pace.actions.telling import quoted
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


def _app_name(name: str) -> str:
    if not name:
        raise ValueError("An app needs a name. Say which one.")
    if "/" in name or "\\" in name or name.startswith("-") or not name.isprintable():
        raise ValueError(f"{quoted(name)} is no app's name. Give the name as the menu shows it.")
    return name


class _Given(Given):
    name: Annotated[Line, AfterValidator(_app_name)] = Field(
        min_length=1, max_length=80, description="The app's name, such as Firefox or Calculator"
    )


_ARGUMENTS = TypedArguments("open_app", _Given)


class OpenApp:
    """The action `open_app`."""

    traits = ActionTraits(
        name="open_app",
        description="Open, start, launch or run an app, by its name.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=("Start the calculator.", {"name": "calculator"}),
    )

    def __init__(self, apps: Apps) -> None:
        self._apps = apps

    def checked(self, arguments: Arguments) -> Arguments:
        """A name, and no path to a program."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Name the app."""
        return f"open the app {quoted(_ARGUMENTS.read(arguments).name)}"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Start it, if exactly one installed app goes by that name."""
        opened = await self._apps.open(_ARGUMENTS.read(arguments).name)
        return ActionResult(line=f"Opened the app {quoted(opened)}.")
