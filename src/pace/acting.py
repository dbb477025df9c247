"""Lets a turn act: in what form a planner replies, what a person is asked, what is done, once."""

from collections.abc import Callable
from dataclasses import dataclass

from pace.ports import Action, ActionRequest, Approval, Approver, Risk


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What a person allowed beforehand: names of actions that run without asking."""

    allowed: frozenset[str] = frozenset()


class Asking:
    """Asks before anything is changed, unless the person allowed that action for good."""

    def __init__(self, approver: Approver, permissions: Callable[[], Permissions]) -> None:
        self._approver = approver
        self._permissions = permissions

    async def may_run(self, action: Action, request: ActionRequest, *, asks_again: bool) -> bool:
        """The person's word, given now or before; with `asks_again` only one given now counts."""
        traits = action.traits
        if traits.risk is Risk.READS:
            return True
        if not asks_again and traits.name in self._permissions().allowed:
            return True
        return await self._approver.ask(request) is not Approval.NO
