"""What went wrong with a program, in words that name it and the next step.

A vendor's own text may repeat the conversation, so nothing of it is shown but when a limit ends.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from pace.errors import (
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerSignedOutError,
    PlannerUnavailableError,
    PlannerUnreachableError,
)
from pace.planners.cli_bridge.resets import resets_in

# A bare number may be anything.
_STATUS = r"(?:status|http|error|code)\W{0,3}(?:code\W{0,3})?"
_LIMIT = re.compile(
    r"hit your [\w ]{0,20}limit|usage limit|limit reached|rate limit|quota|credit balance"
    rf"|{_STATUS}429\b|\b429 too many",
    re.IGNORECASE,
)
_SIGNED_OUT = re.compile(
    r"not (?:logged|signed) in|unauthori[sz]ed|please run /login|log ?in again|auth method"
    rf"|{_STATUS}401\b",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"(?:prompt|input|request) (?:is )?too (?:long|large)|context (?:window|length)", re.IGNORECASE
)
_LONGEST_NOTICE = 2000
_FORBIDDEN = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """How a program's errors are told; `install` and `sign_in` are what the person does."""

    name: str
    company: str
    install: str
    sign_in: str

    def not_used(self, names: Iterable[str]) -> str:
        """What is told of variables that would lead words elsewhere."""
        return (
            f"Not used here: {', '.join(names)}, and keys set along with it. Through {self.name}, "
            f"words go to {self.company}'s own service only, with the sign-in that {self.name} has."
        )

    def missing(self) -> PlannerUnavailableError:
        """It is not installed."""
        return PlannerUnavailableError(
            f"The program {self.name} is not installed. Install it with: {self.install}; then "
            f"sign in with: {self.sign_in}"
        )

    def cannot_start(self, error: OSError) -> PlannerUnavailableError:
        """The system does not start it; `error` says why."""
        why = error.strerror or type(error).__name__
        return PlannerUnavailableError(
            f"The program {self.name} cannot be started ({why}). Check that it runs in a terminal: "
            f"{self.name} --version"
        )

    def signed_out(self) -> PlannerSignedOutError:
        """Nobody is signed in."""
        return PlannerSignedOutError(
            f"The program {self.name} is not signed in. Sign in with: {self.sign_in}; then ask "
            "again."
        )

    def quota(self, resets: str) -> PlannerQuotaError:
        """What the person's plan allows is used up."""
        until = f" It says: {resets}." if resets else ""
        return PlannerQuotaError(
            f"What {self.name} may be asked is used up for now.{until} Wait, or choose another "
            "tier: pace tier",
            resets=resets,
        )

    def unreachable(self) -> PlannerUnreachableError:
        """It does not get through to its company."""
        return PlannerUnreachableError(
            f"The program {self.name} cannot reach {self.company}. Check this machine's network, "
            "and ask again."
        )

    def silent(self) -> PlannerUnreachableError:
        """It said nothing for too long."""
        return PlannerUnreachableError(
            f"The program {self.name} took too long to answer, so it was ended. Ask again."
        )

    def wordless(self) -> PlannerRefusedError:
        """It told much, and nothing of a reply."""
        return PlannerRefusedError(
            f"The program {self.name} wrote on and on without a word of a reply, so it was ended. "
            f"Bring it up to date with: {self.install}; then ask again."
        )

    def used_a_tool(self) -> PlannerRefusedError:
        """It began to do something by itself."""
        return PlannerRefusedError(
            f"The program {self.name} wanted to use a tool of its own, which Pace does not let it, "
            "so it was ended. Ask in other words."
        )

    def refused(self, status: int | None = None) -> PlannerRefusedError:
        """It answered with an error of another kind."""
        what = f"HTTP {status}" if status is not None else "an error"
        hint = f"Try it in a terminal, where it says more: {self.name}"
        if status == HTTPStatus.NOT_FOUND:
            hint = "Check the name of its model: pace settings planner.model"
        elif status is not None and status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            hint = "Wait a little, and ask again."
        return PlannerRefusedError(
            f"The program {self.name} answered with {what}. {hint}", status=status
        )

    def too_long(self) -> PlannerRefusedError:
        """The prompt is beyond what its model reads at once."""
        return PlannerRefusedError(
            f"This is more than the context of {self.name}'s model holds. Send less at once."
        )

    def ended(self, code: int | None) -> PlannerRefusedError:
        """It ended without a reply."""
        how = "without a reply" if not code else f"without a reply, with exit code {code}"
        return PlannerRefusedError(
            f"The program {self.name} ended {how}. Bring it up to date with: {self.install}; then "
            "ask again."
        )

    def by_status(self, status: int | None, notice: str = "") -> PlannerError:
        """An error by its HTTP status, as far as there is one."""
        if status in _FORBIDDEN:
            return self.signed_out()
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return self.quota(resets_in(notice))
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return self.too_long()
        return self.refused(status)

    def by_notice(self, notices: Iterable[str], otherwise: PlannerError) -> PlannerError:
        """An error by what was said, for a program that has no field for it.

        Notices that may repeat the conversation come without its passages (diagnosis.py).
        """
        for notice in notices:
            text = notice[:_LONGEST_NOTICE]
            if _LIMIT.search(text):
                return self.quota(resets_in(text))
            if _SIGNED_OUT.search(text):
                return self.signed_out()
            if _TOO_LONG.search(text):
                return self.too_long()
        return otherwise
