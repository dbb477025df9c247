"""Counts tokens, each text once: by the planner's own tokenizer, or by the estimate.

Texts are known by a digest, so none of them is kept here.
"""

from collections import OrderedDict
from hashlib import blake2b

from pace.errors import PlannerError
from pace.memory.fitting import DoesNotFit, Room, compose
from pace.memory.prompt import Draft, Prompt
from pace.memory.tokens import estimate_tokens
from pace.ports import Planner

# A prompt has about a dozen texts, most of them seen before; this holds those of many threads.
_REMEMBERED = 4096
# Texts that fitting makes smaller are new; after this many rounds the estimate has to do.
_ROUNDS = 4


# A text of fewer characters is estimated sooner than its digest is made and looked for.
_WORTH_KNOWING = 100


class Estimates:
    """What texts cost by the estimate, for those who see the same ones turn after turn."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, int] = OrderedDict()

    def of(self, text: str) -> int:
        """Estimated tokens of a text."""
        if len(text) < _WORTH_KNOWING:
            return estimate_tokens(text)
        key = _digest(text)
        if (known := self._known.get(key)) is not None:
            return known
        count = self._known[key] = estimate_tokens(text)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return count


class TokenCounts:
    """What one planner's texts cost."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._counts: OrderedDict[bytes, int] = OrderedDict()

    async def compose(self, draft: Draft, room: Room) -> Prompt | DoesNotFit:
        """Compose with the planner's own counts; with the estimate, if it cannot be asked."""
        for _ in range(_ROUNDS):
            composed, missing = self._compose_once(draft, room)
            if not missing or not await self._learn(missing):
                return composed
        return self._compose_once(draft, room)[0]

    def _compose_once(
        self, draft: Draft, room: Room
    ) -> tuple[Prompt | DoesNotFit, dict[bytes, str]]:
        """Compose with what is known, and say which texts had to be estimated."""
        missing: dict[bytes, str] = {}
        return compose(draft, room, lambda text: self._count(text, missing)), missing

    def _count(self, text: str, missing: dict[bytes, str]) -> int:
        key = _digest(text)
        known = self._counts.get(key)
        if known is not None:
            self._counts.move_to_end(key)
            return known
        missing[key] = text
        return estimate_tokens(text)

    async def _learn(self, missing: dict[bytes, str]) -> bool:
        try:
            counts = await self._planner.count_tokens(list(missing.values()))
        except PlannerError:
            return False
        self._counts.update(zip(missing, counts, strict=True))
        while len(self._counts) > _REMEMBERED:
            self._counts.popitem(last=False)
        return True


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()
