"""Asks a provider's list of models what one of them can take in, and whether it keeps to a form."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import httpx
import httpx2
import openai

from pace.endpoint import RemoteUrl
from pace.errors import PlannerError
from pace.planners import server_facts
from pace.planners.answers import body_of, mapping, parsed, whole
from pace.planners.client import open_client
from pace.planners.direct.faults import FaultError
from pace.planners.direct.keys import ApiKey
from pace.planners.model_names import is_for_chat
from pace.planners.server_facts import ANY_MODEL, ServerKind

_ANSWER_LIMIT = 10.0
# No model's context has more tokens; a larger figure is none.
_LONGEST_CONTEXT = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """What a list says of a model; `context_tokens` None if it does not."""

    name: str
    context_tokens: int | None = None
    keeps_to_form: bool = False


async def look_up_in_the_house(
    base: RemoteUrl, key: ApiKey | None, model: str | None
) -> ListedModel | None:
    """The same of a server that people run themselves, which tells more in its own words.

    None if nothing answers now, or it still loads its model.
    """
    client = open_client(key=key.reveal() if key else None)
    async with client:
        try:
            facts = await server_facts.look_up(client, base.text, model=model, server=base.host)
        except PlannerError:
            return None
    if facts.is_loading:
        return None
    return ListedModel(
        name=facts.model,
        context_tokens=facts.context_tokens,
        keeps_to_form=facts.kind is not ServerKind.OTHER,
    )


async def look_up(
    client: openai.AsyncOpenAI, model: str | None, *, host: str
) -> ListedModel | None:
    """The model of that name, or the first for chats; None if nothing answers now.

    A server that has no list, or not that model in it, tells nothing but the name.
    """
    entries: list[Mapping[str, object]] = []
    try:
        async with (
            asyncio.timeout(_ANSWER_LIMIT),
            client.models.with_streaming_response.list() as answer,
        ):
            framed = httpx.Response(HTTPStatus.OK, content=answer.iter_bytes())
            data = mapping(parsed(await body_of(framed, server=host))).get("data")
        entries = [mapping(entry) for entry in data] if isinstance(data, list) else []
    except (FaultError, PlannerError):
        pass
    except (TimeoutError, openai.OpenAIError, httpx2.HTTPError):
        return None
    named = {name: entry for entry in entries if isinstance(name := entry.get("id"), str)}
    if model is None:
        model = next(filter(is_for_chat, named), ANY_MODEL)
    return _listed(whole(model), named.get(model, {}))


def _listed(name: str, entry: Mapping[str, object]) -> ListedModel:
    """OpenRouter's `context_length` is the most that any of its hosts has; `top_provider` is one's.

    vLLM calls it `max_model_len`.
    """
    figures = (
        entry.get("context_length"),
        mapping(entry.get("top_provider")).get("context_length"),
        entry.get("max_model_len"),
    )
    contexts = [
        figure for figure in figures if isinstance(figure, int) and 0 < figure <= _LONGEST_CONTEXT
    ]
    parameters = entry.get("supported_parameters")
    return ListedModel(
        name=name,
        context_tokens=min(contexts, default=None),
        keeps_to_form=isinstance(parameters, list) and "structured_outputs" in parameters,
    )
