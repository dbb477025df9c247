"""What the gateway needs of whoever answers its turns, and what a client is told when they fail."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from pace.errors import (
    PlannerCrashedError,
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerUnavailableError,
    PlannerUnreachableError,
)

Body = Mapping[str, object]
"""The body of an OpenAI-style request."""
Answer = Mapping[str, object]
"""The whole object that answers one."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One `chat.completion.chunk`: read, and on one line as it came, to be passed on unmade."""

    data: Mapping[str, object] = field(repr=False)
    raw: bytes = field(repr=False)


class NothingSentError(PlannerUnreachableError):
    """Nothing of a request left, since nobody listens: it may be asked of another."""


class Upstream(Protocol):
    """Answers requests in OpenAI's form. Raises PlannerError and nothing else.

    A body is answered as it is: what it may hold is the door's affair. `affinity` tells requests of
    one conversation, which a server answers sooner that has read its beginning before.
    """

    @property
    def name(self) -> str:
        """How errors and logs name it; never with a key."""
        ...

    def answerable(self, body: Body) -> Body:
        """The request without what a planner may leave unused, so that no room is kept for it."""
        ...

    async def complete(self, body: Body, *, affinity: str = "") -> Answer:
        """The whole answer of a request that asks for no stream."""
        ...

    def stream(self, body: Body, *, affinity: str = "") -> AsyncGenerator[Chunk, None]:
        """The chunks of one that does, [DONE] left out; closing it stops the planner at once.

        Raises after the last chunk for an answer that broke off before it was complete.
        """
        ...

    async def embed(self, body: Body) -> Answer:
        """The answer of /v1/embeddings."""
        ...

    async def models(self) -> Sequence[Mapping[str, object]]:
        """The entries of /v1/models."""
        ...

    async def context_tokens(self, model: str) -> int | None:
        """The whole context of a model, prompt and reply together; None if nobody says.

        What was said is remembered, so that each turn may ask.
        """
        ...

    async def is_ready(self) -> bool:
        """Whether a request could be answered now."""
        ...

    async def run(self) -> None:
        """Work besides answering, such as looking who is well; until cancelled. Owned by a door."""
        ...

    async def aclose(self) -> None:
        """Close connections, and end what was started."""
        ...


# A planner's status that tells a client of its own request; any other one tells it of our planner.
_CLIENTS_OWN = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
)
_PASSING = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})


def status_for_client(error: PlannerError) -> int:
    """The HTTP status with which a client is told; a key of ours that fails is not its affair."""
    if isinstance(error, PlannerRefusedError) and error.status in _CLIENTS_OWN | _PASSING:
        return error.status
    if isinstance(error, PlannerQuotaError):
        return HTTPStatus.TOO_MANY_REQUESTS
    if isinstance(error, PlannerUnavailableError | PlannerCrashedError | NothingSentError):
        return HTTPStatus.SERVICE_UNAVAILABLE
    if isinstance(error.__cause__, TimeoutError):
        return HTTPStatus.GATEWAY_TIMEOUT
    return HTTPStatus.BAD_GATEWAY
