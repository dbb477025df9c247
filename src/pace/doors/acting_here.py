"""What one open conversation may do: its actions, the work behind them, the person's word."""

import asyncio
from collections.abc import Callable, Sequence

from pace.acting import Acting, permission_for
from pace.chat import ChatSession
from pace.doors.approving import Approvals
from pace.ports import Action, ActionRequest, ActionsAtWork
from pace.settings_file import SettingsFile, With

# A server's connection that does not let go, in seconds; Pace's end does not wait for it longer.
_END_LIMIT = 10.0
_ENABLED, _ALLOWED = "actions.enabled", "actions.allowed"


class ActingHere:
    """Actions for as long as a conversation is open; without any, every turn is plain talk.

    `approvals` gets the person's word, `tell` a sentence about what ends with the conversation.
    """

    def __init__(
        self,
        settings_file: SettingsFile,
        session: ChatSession,
        actions: ActionsAtWork | None,
        *,
        tell: Callable[[str], None],
    ) -> None:
        self.approvals = Approvals(session, allow=self._allow)
        self._settings_file = settings_file
        self._actions = actions
        self._tell = tell
        self._work: asyncio.Task[None] | None = None
        self.acting = None if actions is None else self._acting(actions)
        """What turns use; None without actions."""

    @property
    def offered(self) -> Sequence[Action]:
        """What there is, whether it is switched on or not."""
        return () if self._actions is None else self._actions.offered()

    def begin(self) -> None:
        """Start the work behind the actions."""
        if self._actions is not None:
            self._work = asyncio.create_task(self._actions.run(), name="actions")

    def settings_changed(self) -> None:
        """Look at the settings again."""
        if self._actions is not None:
            self._actions.settings_changed()

    async def end(self) -> None:
        """End the work, and say what is lost with it. Harmless when repeated."""
        work, self._work = self._work, None
        if work is None or self._actions is None:
            return
        if farewell := self._actions.farewell():
            self._tell(farewell)
        work.cancel()
        await asyncio.wait([work], timeout=_END_LIMIT)

    # --- inside

    def _acting(self, actions: ActionsAtWork) -> Acting:
        return Acting(
            actions,
            approver=self.approvals,
            is_on=self._is_on,
            allowed=self._allowed,
        )

    def _is_on(self) -> bool:
        """Whether the file says so now: `pace actions off` holds for open conversations, too."""
        before = self._settings_file.current.actions.enabled
        self._settings_file.catch_up(_ENABLED)
        is_on = self._settings_file.current.actions.enabled
        if is_on is not before:
            self.settings_changed()
        return is_on

    def _allowed(self) -> frozenset[str]:
        """What the file allows now."""
        self._settings_file.catch_up(_ALLOWED)
        return self._settings_file.current.actions.allowed_names

    def _allow(self, request: ActionRequest) -> None:
        """Keep an action that the person allows for good in the settings, and say so."""
        permission = permission_for(request.action, request.risk)
        change = self._settings_file.change(_ALLOWED, With(permission))
        self._tell(
            change.sentence
            if change.is_overridden
            else f"{request.action} asks no more. Undo it with: pace actions ask {permission}"
        )
