"""What the engine's own server may answer, and what its caller sees of it."""

import pytest

from pace.errors import PlannerRefusedError
from pace.memory.prompt import Message, Role
from pace.planners.client import open_client
from pace.planners.llama_server import LlamaServer
from planners.raw_server import EVENT_STREAM, body_answer, event, raw_server

DEEP = b"[" * 200_000


@pytest.mark.parametrize("data", [DEEP, b"[]", b"7", b'{"error":' + DEEP])
async def test_progress_beyond_reading_is_refused(data: bytes) -> None:
    """A prepare whose progress is no object, or is nested too deep, ends with an error of ours."""
    async with raw_server() as served, open_client() as client:
        served.answer("/completion", EVENT_STREAM + b"data: " + data + b"\n\n")
        server = LlamaServer(client, served.url, server="the engine")
        with pytest.raises(PlannerRefusedError):
            _ = [step async for step in server.read("x", 0)]


async def test_odd_progress_counts_nothing() -> None:
    """Figures that are none are no tokens."""
    async with raw_server() as served, open_client() as client:
        chunks = ({"prompt_progress": {"processed": "x"}}, {"prompt_progress": [1]}, {"tokens": 5})
        served.answer("/completion", EVENT_STREAM, *map(event, chunks))
        server = LlamaServer(client, served.url, server="the engine")
        assert [step async for step in server.read("x", 0)] == [0]


@pytest.mark.parametrize("body", [DEEP, b"[]", b"no JSON", b"x" * 9_000_000])
async def test_an_answer_beyond_reading_is_refused(body: bytes) -> None:
    """An answer that is no object, or is too deep or too long, is an error of ours."""
    async with raw_server() as served, open_client() as client:
        served.answer("/props", body_answer(body))
        server = LlamaServer(client, served.url, server="the engine")
        with pytest.raises(PlannerRefusedError):
            await server.context_tokens()


async def test_a_prefix_can_be_written() -> None:
    """Half a character in a template's text is replaced, so that it can be sent back."""
    async with raw_server() as served, open_client() as client:
        served.answer_json("/apply-template", {"prompt": "hi \ud83d"})
        server = LlamaServer(client, served.url, server="the engine")
        assert await server.prefix([Message(Role.USER, "hi")]) == "hi \ufffd"
