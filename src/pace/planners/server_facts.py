"""Asks a server on this machine which model it runs and how long a prompt may be.

The usual wire has no word for the context, so each kind of server is asked in its own. A context
that is too large would be cut in silence by some servers, so only what is in force counts, never
what the model could do at most.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from http import HTTPStatus

import httpx

from pace.errors import PlannerRefusedError
from pace.planners.answers import body_of, mapping, parsed, whole
from pace.planners.chat_stream import unreachable

# What Ollama and LM Studio load a model with unless told otherwise.
ASSUMED_CONTEXT = 4096
# These questions are answered without the model, so at once; the limit is for all together.
ANSWER_LIMIT = 10.0
# No model's context has more tokens; a larger figure is none.
_LONGEST_CONTEXT = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server says of itself; `context_tokens` None if it does not say.

    `is_loading` means that it will say more later. One that `has_tokenizer` is llama.cpp's.
    """

    model: str
    context_tokens: int | None
    has_tokenizer: bool = False
    is_loading: bool = False


async def look_up(
    client: httpx.AsyncClient,
    base: str,
    *,
    model: str | None,
    server: str,
    limit: float = ANSWER_LIMIT,
) -> ServerFacts:
    """Ask the server at `base` (its OpenAI-style address); raises PlannerUnreachableError.

    Whatever it has not said after `limit` seconds it does not say.
    """
    root = base.removesuffix("/v1")
    asking = _Asking(client, server, limit)
    models = _list(await asking.get(f"{base}/models"), "data")
    name = model or _first_chat_model(models)
    props = await asking.get(f"{root}/props")
    settings = mapping(props.get("default_generation_settings"))
    context = (
        _positive(settings.get("n_ctx"))
        or _positive(_named(models, name).get("max_model_len"))  # vLLM
        or await _lm_studio_context(asking, root, name)
        or await _ollama_context(asking, root, name)
    )
    return ServerFacts(
        model=name,
        context_tokens=context,
        has_tokenizer=bool(settings),
        is_loading=asking.was_told_to_wait,
    )


class _Asking:
    """Questions that a server may not know; it then answers with nothing."""

    def __init__(self, client: httpx.AsyncClient, server: str, limit: float) -> None:
        self._client = client
        self._server = server
        self._ends_at = asyncio.get_running_loop().time() + limit
        self.was_told_to_wait = False

    async def get(self, url: str) -> Mapping[str, object]:
        return await self._ask(self._client.build_request("GET", url))

    async def post(self, url: str, body: Mapping[str, object]) -> Mapping[str, object]:
        return await self._ask(self._client.build_request("POST", url, json=body))

    async def _ask(self, request: httpx.Request) -> Mapping[str, object]:
        try:
            async with asyncio.timeout_at(self._ends_at):
                return await self._answered(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise unreachable(error, self._server) from error
        except (TimeoutError, httpx.HTTPError, PlannerRefusedError):
            return {}

    async def _answered(self, request: httpx.Request) -> Mapping[str, object]:
        response = await self._client.send(request, stream=True)
        async with aclosing(response):
            if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                self.was_told_to_wait = True
            if response.status_code != HTTPStatus.OK:
                return {}
            return mapping(parsed(await body_of(response, server=self._server)))


async def _lm_studio_context(asking: _Asking, root: str, name: str) -> int | None:
    models = _list(await asking.get(f"{root}/api/v0/models"), "data")
    return _positive(_named(models, name).get("loaded_context_length"))


async def _ollama_context(asking: _Asking, root: str, name: str) -> int | None:
    loaded = _list(await asking.get(f"{root}/api/ps"), "models")
    if context := _positive(_named(loaded, name).get("context_length")):
        return context
    shown = await asking.post(f"{root}/api/show", {"model": name})
    # One line for each parameter that its maker set, as "num_ctx    8192".
    for line in str(shown.get("parameters") or "").splitlines():
        words = line.split()
        if words[:1] == ["num_ctx"]:
            return _positive(parsed(words[-1]))
    return None


def _first_chat_model(models: list[object]) -> str:
    """The first model that is not for embeddings; a server without a list takes any name."""
    names = list(_names(models))
    return next((name for name in names if "embed" not in name.lower()), "") or "default"


def _names(models: list[object]) -> Iterator[str]:
    for entry in models:
        if isinstance(name := mapping(entry).get("id"), str):
            yield whole(name)


def _named(models: list[object], name: str) -> Mapping[str, object]:
    for entry in map(mapping, models):
        if name in (entry.get("id"), entry.get("name"), entry.get("model")):
            return entry
    return {}


def _list(answer: Mapping[str, object], key: str) -> list[object]:
    value = answer.get(key)
    return value if isinstance(value, list) else []


def _positive(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value <= _LONGEST_CONTEXT else None
