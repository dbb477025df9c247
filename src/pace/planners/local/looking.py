"""Looks for servers on this machine that could answer, at the ports where they usually listen."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pace.endpoint import LoopbackUrl
from pace.errors import PlannerError
from pace.planners.client import open_client
from pace.planners.server_facts import ServerKind, look_up

# LM Studio, Ollama, and llama.cpp's own server.
USUAL_ADDRESSES = tuple(LoopbackUrl(f"http://127.0.0.1:{port}/v1") for port in (1234, 11434, 8080))
# Seconds for all of them together. A server that is there answers such questions within some
# milliseconds, and a port where nobody listens refuses at once.
_LOOK_LIMIT = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServer:
    """A server that answered, and what it says of itself.

    `models` are those that can be asked for. `model` is the one that would answer if none is named,
    and `context_tokens` its context, None while that is not known. One that `is_loading` says more
    later.
    """

    name: str
    base_url: LoopbackUrl
    models: tuple[str, ...]
    model: str
    context_tokens: int | None
    is_loading: bool

    @property
    def offer(self) -> str:
        """How it is offered to a person, as "LM Studio at 127.0.0.1:1234, 3 models"."""
        many = len(self.models)
        what = f"{many} model{'' if many == 1 else 's'}" if many else "no model yet"
        if self.is_loading:
            what = "still loading its model"
        return f"{self.name} at {urlsplit(self.base_url.text).netloc}, {what}"


async def find_servers(
    *, also: LoopbackUrl | None = None, addresses: Sequence[LoopbackUrl] = USUAL_ADDRESSES
) -> tuple[FoundServer, ...]:
    """The servers that answer now, `also` (an address of the settings) first; often none.

    They are asked at the same time, and only what they are; no model is loaded for it. An address
    that says localhost is the same as the one in figures.
    """
    unique: dict[str, LoopbackUrl] = {}
    for url in (*([also] if also else []), *addresses):
        unique.setdefault(url.text.replace("//localhost", "//127.0.0.1", 1), url)
    found = await asyncio.gather(*map(_look, unique.values()))
    return tuple(server for server in found if server is not None)


async def _look(url: LoopbackUrl) -> FoundServer | None:
    try:
        async with open_client() as client:
            facts = await look_up(
                client, url.text, model=None, server=f"the server at {url}", limit=_LOOK_LIMIT
            )
    except PlannerError:
        return None
    if facts.kind is ServerKind.OTHER and not (facts.models or facts.is_loading):
        return None  # something else listens there
    return FoundServer(
        name=facts.kind.value,
        base_url=url,
        models=facts.models,
        model=facts.model,
        context_tokens=facts.context_tokens,
        is_loading=facts.is_loading,
    )
