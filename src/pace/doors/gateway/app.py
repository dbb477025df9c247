"""The gateway's application: its endpoints, and the document that describes them."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route

from pace.doors.gateway import others, schemas, threads
from pace.doors.gateway.chat import chat_completions
from pace.doors.gateway.entrance import Entrance
from pace.doors.gateway.faults import Fault, fault_of
from pace.doors.gateway.gateway import Gateway
from pace.doors.gateway.responses.endpoint import create_response
from pace.errors import PaceError

Opening = Callable[[], AbstractAsyncContextManager[Gateway]]

_DESCRIPTION = (
    "Any client of OpenAI's form, with threads that remember. Which thread is meant is said by the "
    "header `X-Pace-Thread`, a chat application's own chat id, `metadata.thread_id`, or the "
    "messages themselves. `X-Pace-Stateless: 1` asks for no memory. Answers tell of the turn in "
    "headers that begin with `X-Pace-`."
)
_EVENTS: dict[str, Any] = {"text/event-stream": {"schema": {}}}


def build_app(opening: Opening) -> FastAPI:
    """The application; `opening` is entered when it starts to serve, and left when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opening() as gateway:
            gateway.serve_by(app)
            yield

    app = FastAPI(
        title="Pace gateway",
        version="1",
        description=_DESCRIPTION,
        # Pages that show the document would fetch their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        # The framework's own traces would tell the names of threads.
        telemetry={"tracing": False, "metrics": False, "logs": False},
        lifespan=lifespan,
    )
    app.add_middleware(Entrance)
    app.add_exception_handler(PaceError, _tell_fault)
    app.add_exception_handler(RequestValidationError, _tell_wrong_request)
    app.add_exception_handler(HTTPException, _tell_wrong_address)
    app.add_exception_handler(Exception, _tell_fault)
    _add_turns(app)
    _add_threads(app)
    _add_others(app)
    _answer_directly(app)
    return app


def _answer_directly(app: FastAPI) -> None:
    """Have turns answered by their own functions, which read requests themselves.

    What the framework would do with a request first finds nothing to do, and takes its time; its
    own routes stay behind these for the document that they make.
    """
    app.router.routes[:0] = [
        Route("/v1/chat/completions", chat_completions, methods=["POST"]),
        Route("/v1/responses", create_response, methods=["POST"]),
    ]


def _add_turns(app: FastAPI) -> None:
    app.add_api_route(
        "/v1/chat/completions",
        chat_completions,
        methods=["POST"],
        responses=_responses(schemas.ChatCompletion, *_TURN_FAULTS, streams=True),
        openapi_extra=_body(schemas.ChatRequest),
    )
    app.add_api_route(
        "/v1/responses",
        create_response,
        methods=["POST"],
        responses=_responses(schemas.ResponseObject, *_TURN_FAULTS, streams=True),
        openapi_extra=_body(schemas.ResponsesRequest),
    )
    app.add_api_route(
        "/v1/embeddings",
        others.embed,
        methods=["POST"],
        responses=_responses(schemas.Embeddings, *_TURN_FAULTS),
        openapi_extra=_body(schemas.EmbeddingsRequest),
    )


def _add_threads(app: FastAPI) -> None:
    faults = _faults(400, 401, 403, 404, 429, 503)
    path = "/v1/threads/{thread_id:path}"
    # Ahead of the others, since an id may hold slashes.
    app.add_api_route(f"{path}/reset", threads.reset_thread, methods=["POST"], responses=faults)
    app.add_api_route(path, threads.look_at_thread, methods=["GET"], responses=faults)
    app.add_api_route(
        path,
        threads.reset_thread,
        methods=["DELETE"],
        responses=faults,
        operation_id="delete_thread",
    )


def _add_others(app: FastAPI) -> None:
    faults = _faults(400, 401, 403, 404, 429, 502, 503, 504)
    app.add_api_route("/v1/models", others.list_models, methods=["GET"], responses=faults)
    app.add_api_route(
        "/v1/models/{model_id:path}", others.show_model, methods=["GET"], responses=faults
    )
    app.add_api_route(
        "/healthz", others.tell_health, methods=["GET"], responses=_responses(schemas.Health, 403)
    )
    app.add_api_route(
        "/readyz",
        others.tell_readiness,
        methods=["GET"],
        responses={
            **_responses(schemas.Readiness, 403),
            503: {"model": schemas.Readiness, "description": "Not ready"},
        },
    )
    app.add_api_route(
        "/metrics",
        others.tell_metrics,
        methods=["GET"],
        responses={
            **_faults(400, 401, 403),
            200: {
                "description": "Metrics for Prometheus",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            },
        },
        response_class=Response,
    )


# --- the document

_TURN_FAULTS = (400, 401, 403, 404, 408, 413, 415, 422, 429, 502, 503, 504)
Documented = dict[int | str, dict[str, Any]]


def _responses(model: type[BaseModel], *faults: int, streams: bool = False) -> Documented:
    done: dict[str, Any] = {"model": model, "description": "The answer"}
    if streams:
        done["content"] = _EVENTS
    return {200: done, **_faults(*faults)}


def _faults(*statuses: int) -> Documented:
    return {
        status: {"model": schemas.FaultBody, "description": HTTPStatus(status).phrase}
        for status in statuses
    }


def _body(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema()
    defined = schema.pop("$defs", {})
    body = json.dumps(schema)
    # Where the document is one, what a form is made of has to stand in it.
    for _ in defined:
        for name, part in defined.items():
            body = body.replace(f'{{"$ref": "#/$defs/{name}"}}', json.dumps(part))
    content = {"application/json": {"schema": json.loads(body)}}
    return {"requestBody": {"required": True, "content": content}}


# --- faults


async def _tell_fault(_request: Request, error: Exception) -> Response:
    return fault_of(error).response()


async def _tell_wrong_request(_request: Request, error: Exception) -> Response:
    """A parameter of an address that cannot be; what was given is not repeated."""
    assert isinstance(error, RequestValidationError)  # noqa: S101  # as it is registered
    where = ".".join(str(step) for step in error.errors()[0]["loc"][1:])
    fault = Fault(status=400, message=f"{where} is not what it has to be.", param=where)
    return fault.response()


async def _tell_wrong_address(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # as it is registered
    message = f"{HTTPStatus(error.status_code).phrase}. GET /openapi.json tells what there is."
    if error.status_code == HTTPStatus.NOT_FOUND and not request.url.path.startswith("/v1/"):
        message = "Not Found. Does the client's base_url lack /v1 at its end?"
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods_at(request))
    return Fault(status=error.status_code, message=message, headers=headers).response()


def _methods_at(request: Request) -> list[str]:
    """What can be done at an address, by all of its routes."""
    methods: set[str] = set()
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return sorted(methods)
