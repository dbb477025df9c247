"""What went wrong with one call, and what a person is told: never a word of the answer's body.

A body may quote the conversation or the key, so that only a status and a word that all know are
kept of it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from math import isfinite

from pace.errors import (
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerSignedOutError,
    PlannerUnreachableError,
)
from pace.planners.answers import mapping, parsed

# Words of the makers' documents and SDKs (openai 3.57, anthropic 2.15), with the status that they
# come with: within a stream there is no other.
_STATUS_OF = {
    "api_error": 500,
    "authentication_error": 401,
    "billing_error": 402,
    "billing_hard_limit_reached": 402,
    "conflict_error": 409,
    "context_length_exceeded": 400,
    "contract_spend_limit_reached": 402,
    "enforced_spend_limit_reached": 402,
    "insufficient_quota": 402,
    "invalid_api_key": 401,
    "invalid_request_error": 400,
    "model_not_found": 404,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "request_too_large": 413,
    "server_error": 500,
    "timeout_error": 504,
    "unsupported_parameter": 400,
    "unsupported_value": 400,
}
_QUOTA_WORDS = frozenset(
    word for word, status in _STATUS_OF.items() if status == HTTPStatus.PAYMENT_REQUIRED
)
_STATUSES = range(100, 600)
_SERVERS_OWN = 500
_PASSING = frozenset({408, 409, 429})
# How Anthropic, vLLM, llama.cpp and OpenRouter say it where they have no word of their own for it.
_TOO_LONG = re.compile(r"prompt is too long|context (?:length|size|window)", re.IGNORECASE)
_HINTS = {
    400: "Check the model's name, or choose another model.",
    404: "Check the model's name, and the address if you set one.",
    413: "The prompt is too long for it; send less at once.",
    429: "It is busy; wait a little and ask again.",
    529: "It is busy; wait a little and ask again.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a call gave no reply. Without a status nothing answered, which `cause` tells of.

    `retry_after` is in seconds. `about` is what the answer says of our request, for finding the
    parameter that it does not take, and for nobody's eyes.
    """

    status: int | None = None
    word: str | None = None
    retry_after: float | None = None
    about: str = field(default="", repr=False)
    cause: Exception | None = None
    may_repeat: bool = True

    @property
    def is_passing(self) -> bool:
        """Whether the same call may well succeed a little later."""
        if self.word in _QUOTA_WORDS or not self.may_repeat:
            return False
        return self.status is None or self.status in _PASSING or self.status >= _SERVERS_OWN

    @property
    def is_of_request(self) -> bool:
        """Whether something about the request was wrong."""
        return self.status in {400, 404, 422} and self.word not in _QUOTA_WORDS


class FaultError(Exception):
    """A fault on its way to whoever decides about another call; never leaves this package."""

    def __init__(self, fault: Fault) -> None:
        super().__init__("a call failed")
        self.fault = fault


def fault_of_answer(status: int | None, body: object, headers: Mapping[str, str]) -> Fault:
    """The fault that an answer tells of; without a status it stood within a stream."""
    told = mapping(parsed(body) if isinstance(body, str) else body)
    told = mapping(told.get("error")) or told
    code = told.get("code")
    if status is None and isinstance(code, int) and code in _STATUSES:
        status = code
    words = (mapping(told.get("details")).get("error_code"), code, told.get("type"))
    word = next((word for word in words if isinstance(word, str) and word in _STATUS_OF), None)
    param, message = told.get("param"), told.get("message")
    about = param if isinstance(param, str) and param else message
    return Fault(
        status=status or _STATUS_OF.get(word or "", 500),
        word=word,
        retry_after=retry_after(headers),
        about=about if isinstance(about, str) else "",
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """How many seconds an answer asks to wait; None if it does not say.

    A date counts from the answer's own, so that no clock here needs to be right, unless there is
    none.
    """
    if (seconds := _seconds(headers.get("retry-after-ms"))) is not None:
        return seconds / 1000
    text = headers.get("retry-after")
    if (seconds := _seconds(text)) is not None:
        return seconds
    if (until := _date(text)) is None:
        return None
    since = _date(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - since).total_seconds())


def error_of(fault: Fault, *, host: str, provider: str) -> PlannerError:
    """What a person is told; `provider` is what `pace tier key` takes."""
    if fault.status is None:
        error = PlannerUnreachableError(_no_answer(fault, host))
        error.__cause__ = fault.cause
        return error
    status = fault.status
    why = f" ({fault.word})" if fault.word else ""
    said = f"{host} answered with HTTP {status}{why}."
    if status == HTTPStatus.PAYMENT_REQUIRED or fault.word in _QUOTA_WORDS:
        return PlannerQuotaError(
            f"{said} What your key may use is used up; see to it there, or choose another tier "
            "with: pace tier"
        )
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return PlannerSignedOutError(
            f"{said} It wants a key that it knows; give it with: pace tier key {provider}"
        )
    hint = _HINTS.get(status, "Ask again, or choose another tier with: pace tier")
    if fault.word == "context_length_exceeded" or _TOO_LONG.search(fault.about):
        hint = "The prompt does not fit its context; send less at once."
    if fault.retry_after is not None and fault.is_passing:
        hint = f"It asks to wait {_in_words(fault.retry_after)}; ask again then."
    return PlannerRefusedError(f"{said} {hint}", status=status)


def _no_answer(fault: Fault, host: str) -> str:
    if fault.may_repeat:
        return f"Nothing answers at {host}. Check the connection to the net and the address."
    return f"{host} took too long to answer, or broke off. Ask again."


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _in_words(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes:,} minutes" if minutes > 1 else f"{max(1, round(seconds))} seconds"
