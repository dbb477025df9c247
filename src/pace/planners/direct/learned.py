"""Remembers what a model was found not to take, so that it costs one call and no more."""

import re
from collections.abc import Iterable, Mapping

from pace.planners.direct.faults import Fault

# How a refusal may name a parameter besides by its own name.
_OTHER_SIGNS = {
    "output_config": ("output_format", "structured output", "schema"),
    "response_format": ("json_schema", "structured output", "requested parameters", "schema"),
}
# Reasoning counts among a reply's tokens, and takes thousands of them.
_ROOM_TO_REASON = 8192


class Learned:
    """What one model does not take of the parameters that could be left out.

    `other_names` are what else a parameter may be called; one that is refused by both is left out.
    """

    def __init__(self, *, other_names: Mapping[str, str] | None = None) -> None:
        self._other_names = other_names or {}
        self._renamed: set[str] = set()
        self._refused: set[str] = set()
        self._reasons = False

    def takes(self, name: str) -> bool:
        """Whether nothing is known against a parameter."""
        return name not in self._refused

    def room(self, tokens: int) -> int:
        """The limit to ask for, so that so many tokens are left for the reply."""
        return tokens + _ROOM_TO_REASON if self._reasons else tokens

    def fitted(self, optional: Mapping[str, object]) -> dict[str, object]:
        """The parameters without what is refused, under the names that are taken."""
        return {
            self._name(name): value for name, value in optional.items() if name not in self._refused
        }

    def learn(self, fault: Fault, sent: Iterable[str]) -> bool:
        """Whether a call failed for one of the parameters sent, which is known from here on."""
        if not fault.is_of_request:
            return False
        for name in sent:
            if name in self._refused or not _speaks_of(fault.about, self._name(name)):
                continue
            if name in self._other_names and name not in self._renamed:
                self._renamed.add(name)
            else:
                self._refused.add(name)
            return True
        return False

    def learn_reasoning(self) -> bool:
        """Whether it is news that the model reasons away a whole limit; it then gets more room."""
        is_news, self._reasons = not self._reasons, True
        return is_news

    def _name(self, name: str) -> str:
        return self._other_names[name] if name in self._renamed else name


def _speaks_of(about: str, name: str) -> bool:
    if re.search(rf"(?<![A-Za-z_]){re.escape(name)}(?![A-Za-z_])", about):
        return True
    return any(sign in about.lower() for sign in _OTHER_SIGNS.get(name, ()))
