"""Asks a server questions that it may not know, all within one limit of time."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from http import HTTPStatus

import httpx

from pace.errors import PlannerRefusedError
from pace.planners.answers import body_of, mapping, parsed
from pace.planners.chat_stream import unreachable

# These questions are answered without the model, so at once; the limit is for all together.
ANSWER_LIMIT = 10.0
# llama.cpp's word for that its model is still being read.
_STILL_LOADING = "unavailable_error"


class Asking:
    """Questions to one server. What it does not know, or not in time, it answers with nothing.

    Only where nobody listens PlannerUnreachableError is raised.
    """

    def __init__(self, client: httpx.AsyncClient, server: str, limit: float) -> None:
        self._client = client
        self._server = server
        self._ends_at = asyncio.get_running_loop().time() + limit
        self.was_told_to_wait = False

    async def get(self, url: str) -> Mapping[str, object]:
        """The object that it answers with."""
        return await self._ask(self._client.build_request("GET", url))

    async def post(self, url: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """The object that it answers with."""
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
            answer = mapping(parsed(await body_of(response, server=self._server)))
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            is_loading = mapping(answer.get("error")).get("type") == _STILL_LOADING
            self.was_told_to_wait = self.was_told_to_wait or is_loading
        return answer if response.status_code == HTTPStatus.OK else {}
