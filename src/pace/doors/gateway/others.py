"""Endpoints with no turn in them: models, embeddings, and whether the gateway is well."""

import asyncio
from http import HTTPStatus

import orjson
from fastapi import Request
from starlette.responses import JSONResponse, Response

from pace.doors.gateway.bodies import check_form, read_body
from pace.doors.gateway.client import Client, ClientGoneError
from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.gateway import Gateway, gateway_of, key_of
from pace.doors.gateway.naming import STATELESS_MODEL
from pace.doors.gateway.schemas import ModelEntry, ModelList
from pace.doors.gateway.seeing.metrics import CONTENT_TYPE
from pace.doors.gateway.seeing.outcomes import Outcome, SeenTurn
from pace.errors import PlannerError, StoreError
from pace.memory.turn import ThreadId

# A thread that nobody can name, since ids say how long their scope is.
_NOBODYS = ThreadId("ready")
# Whoever looks after processes does not wait long for an answer (seconds).
_PATIENCE = 2.0


async def list_models(request: Request) -> ModelList:
    """The models that can be asked for."""
    entries = await gateway_of(request).upstream.models()
    return ModelList(data=[_entry(dict(entry)) for entry in entries])


async def show_model(request: Request, model_id: str) -> ModelEntry:
    """One of them; a name that ends in :stateless is the same model without memory."""
    wanted = model_id.removesuffix(STATELESS_MODEL)
    for entry in await gateway_of(request).upstream.models():
        if entry.get("id") == wanted:
            return _entry({**entry, "id": model_id})
    raise RefusedError(
        "There is no model by this name. GET /v1/models lists those that there are.",
        status=HTTPStatus.NOT_FOUND,
        code="model_not_found",
        param="model",
    )


def _entry(entry: dict[str, object]) -> ModelEntry:
    return ModelEntry.model_validate({**entry, "id": str(entry.get("id")), "object": "model"})


async def embed(request: Request) -> Response:
    """Have the planner embed texts; nothing of them is kept."""
    gateway = gateway_of(request)
    body = await read_body(request, most=gateway.longest_body)
    check_form(body)
    model = str(body.get("model") or "")
    seen = SeenTurn("embeddings", key_of(request), model, is_streamed=False)
    try:
        with gateway.watching.turn(seen):
            async with Client(request.receive) as client, client.staying():
                answer = await gateway.upstream.embed(body)
            seen.counted(answer.get("usage"))
            seen.outcome = Outcome.ANSWERED
    except ClientGoneError:
        return Response(status_code=HTTPStatus.NO_CONTENT)  # nobody gets it
    return Response(orjson.dumps(answer), media_type="application/json")


async def tell_health(_request: Request) -> Response:
    """Say that the process lives."""
    return JSONResponse({"status": "ok"})


async def tell_readiness(request: Request) -> Response:
    """Say whether requests can be answered, and with memory."""
    gateway = gateway_of(request)
    store, upstream = await asyncio.gather(_has_store(gateway), _has_upstream(gateway))
    is_ready = store and upstream
    return JSONResponse(
        {"status": "ready" if is_ready else "not ready", "store": store, "upstream": upstream},
        status_code=HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE,
    )


async def _has_store(gateway: Gateway) -> bool:
    try:
        async with asyncio.timeout(_PATIENCE):
            await gateway.parts.threads.peek(_NOBODYS)
    except (StoreError, TimeoutError):
        return False
    return True


async def _has_upstream(gateway: Gateway) -> bool:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await gateway.upstream.is_ready()
    except (PlannerError, TimeoutError):
        return False


async def tell_metrics(request: Request) -> Response:
    """Metrics, as Prometheus reads them."""
    gateway = gateway_of(request)
    try:
        async with asyncio.timeout(_PATIENCE):
            gateway.watching.metrics.pending(len(await gateway.parts.threads.unfolded()))
    except (StoreError, TimeoutError):
        gateway.watching.metrics.pending(0)
    return Response(gateway.watching.metrics.text(), media_type=CONTENT_TYPE)
