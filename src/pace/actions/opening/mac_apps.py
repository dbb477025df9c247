"""Apps of macOS, found and started by its own `open`."""

from pace.actions.opening.programs import started
from pace.actions.telling import quoted
from pace.errors import ActionError, ActionUncertainError

_ANSWERS_WITHIN = 10.0


class MacApps:
    """Apps that Launch Services knows."""

    async def open(self, name: str) -> str:
        """Open the app of that name."""
        status = await started(("open", "-a", name), within=_ANSWERS_WITHIN)
        if status is None:
            raise ActionUncertainError(
                f"open did not come back; {quoted(name)} may have been opened or not. Look before "
                "you ask again."
            )
        if status != 0:
            raise ActionError(f"There is no app {quoted(name)} here. Check its name.")
        return name
