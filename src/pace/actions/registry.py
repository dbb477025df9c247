"""All actions of this installation, in one order, each name once."""

from collections.abc import Iterable, Sequence

from pace.errors import SettingsError
from pace.ports import Action


class Registry:
    """The built-in actions first, then what is added, such as those of MCP servers. An `Actions`.

    The order is that of adding, so that a prompt made of it stays the same.
    """

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self._actions: dict[str, Action] = {}
        for action in actions:
            self.add(action)

    def add(self, action: Action) -> None:
        """Offer one more. Raises SettingsError if its name is taken."""
        name = action.traits.name
        if name in self._actions:
            raise SettingsError(f"Two actions are called {name}. Rename one of them.")
        self._actions[name] = action

    def remove(self, name: str) -> None:
        """Offer one no more; nothing happens if there is none of that name."""
        self._actions.pop(name, None)

    def named(self, name: str) -> Action | None:
        """The one of that name."""
        return self._actions.get(name)

    def offered(self) -> Sequence[Action]:
        """All of them."""
        return tuple(self._actions.values())
