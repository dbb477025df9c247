"""How a client's request can be wrong."""

from pace.errors import PaceError


class RequestFaultError(PaceError):
    """A request that cannot be; `param` names the field, as the usual wire does."""

    kind = "asked_wrongly"

    def __init__(self, message: str, *, param: str) -> None:
        super().__init__(message)
        self.param = param
