"""A gateway at work: what its endpoints stand on, for as long as it serves."""

from dataclasses import dataclass, field

from fastapi import FastAPI, Request

from pace.doors.gateway.admission import KEY_ID
from pace.doors.gateway.limits import KeyLimits
from pace.doors.gateway.room import Place, Room
from pace.doors.gateway.seeing.watching import Watching
from pace.doors.gateway.turns import Turns
from pace.planners.upstreams.port import Upstream
from pace.wiring import RelayParts

PLACE = "pace.place"
"""Where a request's scope holds its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The parts of one process. `longest_body` is in bytes."""

    parts: RelayParts
    upstream: Upstream
    turns: Turns
    limits: KeyLimits
    watching: Watching
    longest_body: int
    room: Room = field(default_factory=Room)

    def serve_by(self, app: FastAPI) -> None:
        """Have an application's endpoints stand on this gateway."""
        app.state.gateway = self


def gateway_of(request: Request) -> Gateway:
    """The gateway behind a request."""
    gateway = request.app.state.gateway
    assert isinstance(gateway, Gateway)  # noqa: S101  # nothing is served before it is open
    return gateway


def key_of(request: Request) -> str:
    """The id of a request's key; empty for whoever needs none."""
    return str(request.scope[KEY_ID])


def place_of(request: Request) -> Place:
    """What a request takes up."""
    place = request.scope[PLACE]
    assert isinstance(place, Place)  # noqa: S101  # nothing gets in without one
    return place
