"""How a client's request can be wrong."""

from pace.errors import PaceError


class RequestFaultError(PaceError):
    """A request that cannot be; `param` names the field, as the usual wire does."""

    kind = "asked_wrongly"

    def __init__(self, message: str, *, param: str) -> None:
        super().__init__(message)
        self.param = param


class TurnGoneError(PaceError):
    """The turn that a request goes on from is not held any more."""

    kind = "turn_gone"

    def __init__(self) -> None:
        super().__init__(
            "The response that this one goes on from leads to nothing that is held: its thread was "
            "idle for too long, or has gone on since. Leave previous_response_id out, and send in "
            "input what belongs to the turn."
        )
