"""Opens a web address in the browser, or a file or folder in its app; it starts no program."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pace.actions.arguments import Given, Line, TypedArguments
from pace.actions.opening.addresses import Address, address_of
from pace.actions.opening.opener import Opener
from pace.ports import ActionResult, ActionTraits, Arguments, Risk


def _address(text: str) -> str:
    return address_of(text).text


class _Given(Given):
    address: Annotated[Line, AfterValidator(_address)] = Field(
        min_length=1,
        description="A web address such as https://example.com, or the path of a file or folder "
        "such as ~/Documents",
    )


_ARGUMENTS = TypedArguments("open_address", _Given)


class OpenAddress:
    """The action `open_address`."""

    traits = ActionTraits(
        name="open_address",
        description="Open a website, a file or a folder: whatever has a dot or a slash in its "
        "name, kept as it was said.",
        arguments=_ARGUMENTS.schema,
        risk=Risk.LOW,
        example=("Open example.com.", {"address": "example.com"}),
    )

    def __init__(self, opener: Opener) -> None:
        self._opener = opener

    def checked(self, arguments: Arguments) -> Arguments:
        """A whole web address, or a whole path; nothing of another kind, and no program."""
        return _ARGUMENTS.checked(arguments)

    def would(self, arguments: Arguments) -> str:
        """Name the host, which is what counts, or the path."""
        return f"open {self._address(arguments).said}"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Hand it to the platform's own opener."""
        address = self._address(arguments)
        await self._opener.open(address)
        return ActionResult(line=f"Opened {address.said}.")

    @staticmethod
    def _address(arguments: Arguments) -> Address:
        return address_of(_ARGUMENTS.read(arguments).address)
