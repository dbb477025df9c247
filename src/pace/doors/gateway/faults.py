"""What a client is told when a request fails: a status, and an object in OpenAI's form."""

from dataclasses import dataclass, field
from http import HTTPStatus

import orjson
from starlette.responses import Response

from pace.errors import (
    PaceError,
    PlannerError,
    PlannerQuotaError,
    PromptTooLongError,
    StoreError,
)
from pace.planners.upstreams.port import status_for_client
from pace.relayed.faults import RequestFaultError, TurnGoneError

_RETRY_SECONDS = "5"


class RefusedError(PaceError):
    """A request that is answered with this status, and with nothing done.

    `code` is the word that programs see; `param` names the field, if one is at fault.
    """

    kind = "refused"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str | None = None,
        param: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.fault = Fault(
            status=status, message=message, code=code, param=param, headers=headers or {}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A failed request, as its client is told."""

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """The kind of fault, by the words that OpenAI's clients know."""
        match self.status:
            case HTTPStatus.UNAUTHORIZED:
                return "authentication_error"
            case HTTPStatus.FORBIDDEN:
                return "permission_error"
            case HTTPStatus.NOT_FOUND:
                return "not_found_error"
            case HTTPStatus.TOO_MANY_REQUESTS:
                return "rate_limit_error"
            case status if status < HTTPStatus.INTERNAL_SERVER_ERROR:
                return "invalid_request_error"
            case _:
                return "server_error"

    def as_json(self) -> bytes:
        """The object that stands in a body, or in the middle of a stream."""
        return orjson.dumps({"error": self.as_object()})

    def as_object(self) -> dict[str, object]:
        """What stands under `error`."""
        return {
            "message": self.message,
            "type": self.type,
            "param": self.param,
            "code": self.code,
        }

    def response(self) -> Response:
        """The whole answer."""
        return Response(
            self.as_json(),
            status_code=self.status,
            media_type="application/json",
            headers=self.headers,
        )


def fault_of(error: BaseException) -> Fault:  # noqa: PLR0911  # each kind has its own
    """How an error is told; one that nobody foresaw says nothing of itself."""
    match error:
        case RefusedError():
            return error.fault
        case RequestFaultError():
            return Fault(status=HTTPStatus.BAD_REQUEST, message=str(error), param=error.param)
        case TurnGoneError():
            return Fault(
                status=HTTPStatus.NOT_FOUND,
                message=str(error),
                code="previous_response_not_found",
                param="previous_response_id",
            )
        case PromptTooLongError():
            return Fault(
                status=HTTPStatus.BAD_REQUEST,
                message=str(error),
                code="context_length_exceeded",
                param="messages",
            )
        case StoreError():
            return Fault(
                status=HTTPStatus.SERVICE_UNAVAILABLE,
                message=f"{error} A request that brings its whole history is answered meanwhile.",
                code="memory_unavailable",
                headers={"Retry-After": _RETRY_SECONDS},
            )
        case PlannerError():
            status = status_for_client(error)
            is_passing = status == HTTPStatus.SERVICE_UNAVAILABLE
            is_used_up = isinstance(error, PlannerQuotaError)
            return Fault(
                status=status,
                message=str(error),
                code="insufficient_quota" if is_used_up else error.kind,
                headers={"Retry-After": _RETRY_SECONDS} if is_passing else {},
            )
        case _:
            return Fault(
                status=HTTPStatus.INTERNAL_SERVER_ERROR,
                message=f"Pace failed at this request ({type(error).__name__}). Ask again.",
                code="internal_error",
            )
