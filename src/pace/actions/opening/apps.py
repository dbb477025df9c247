"""Which installed app goes by a name."""

import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pace.actions.telling import quoted, shown
from pace.errors import ActionError

_MOST_NAMED = 5


class Apps(Protocol):
    """The apps that are installed here. Raises ActionError and nothing else."""

    async def open(self, name: str) -> str:
        """Open the one that goes by a name; gives its own name."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """One that is installed: its names in all languages, by-names, kinds, and how it is started."""

    name: str
    names: frozenset[str] = frozenset()
    by_names: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    start: Callable[[], Awaitable[None]]


def app_named(name: str, apps: Sequence[App]) -> App:
    """The one app that is meant. Raises ActionError if there is none, or more than one."""
    wanted = plain(name)
    words = set(wanted.split())
    for found in (
        [app for app in apps if wanted in {plain(app.name), *app.names}],
        [app for app in apps if wanted in app.by_names],
        [app for app in apps if wanted in app.kinds],
        [app for app in apps if words <= set(plain(app.name).split())],
    ):
        if len({app.name for app in found}) == 1:
            return found[0]
        if found:
            raise ActionError(f"Several apps go by {quoted(name)}: {_named(found)}. Say which one.")
    near = difflib.get_close_matches(wanted, {plain(app.name): app for app in apps}, n=1)
    close = [app for app in apps if near and plain(app.name) == near[0]]
    step = f"Did you mean {shown(close[0].name)}?" if close else "Check its name."
    raise ActionError(f"There is no app {quoted(name)} here. {step}")


def plain(name: str) -> str:
    """A name as names are compared: "The Calculator app" is calculator."""
    words = name.casefold().split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if len(words) > 1 and words[-1] in {"app", "application", "program"}:
        words = words[:-1]
    return " ".join(words)


def _named(apps: Sequence[App]) -> str:
    names = sorted({shown(app.name, 40) for app in apps})
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
