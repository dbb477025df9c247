"""Looking for servers on this machine: told apart by their own words, and offered by name."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from pace.endpoint import LoopbackUrl
from pace.planners.local.looking import USUAL_ADDRESSES, find_servers
from planners.raw_server import RawServer, raw_server


@pytest.fixture
async def servers() -> AsyncIterator[list[RawServer]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(raw_server()) for _ in range(4)]


def address(server: RawServer) -> LoopbackUrl:
    return LoopbackUrl(f"{server.url}/v1")


def be_lm_studio(server: RawServer) -> None:
    models = [
        {"type": "embedding", "key": "text-embedding-nomic", "loaded_instances": []},
        {"type": "llm", "key": "google/gemma-3-1b", "loaded_instances": []},
        {
            "type": "llm",
            "key": "qwen/qwen3-4b",
            "loaded_instances": [{"id": "qwen/qwen3-4b", "config": {"context_length": 8192}}],
            "max_context_length": 262144,
        },
    ]
    server.answer_json("/api/v1/models", {"models": models})


def be_ollama(server: RawServer) -> None:
    tags = [
        {"name": "all-minilm:latest", "details": {"family": "bert"}},
        {"name": "vectors:latest", "details": {"family": "nomic-bert"}},
        {"name": "llama3.2:3b", "details": {"family": "llama"}},
    ]
    server.answer_json("/api/tags", {"models": tags})
    server.answer_json("/api/ps", {"models": []})


def be_llama_cpp(server: RawServer) -> None:
    server.answer_json("/v1/models", {"data": [{"id": "/models/tiny.gguf"}]})
    server.answer_json("/props", {"default_generation_settings": {"n_ctx": 6144}})


async def test_each_kind_is_told_by_its_own_endpoints(servers: list[RawServer]) -> None:
    """LM Studio, Ollama and llama.cpp are offered by name, with the models that can answer."""
    studio, ollama, llama, other = servers
    be_lm_studio(studio)
    be_ollama(ollama)
    be_llama_cpp(llama)
    other.answer_json("/v1/models", {"data": [{"id": "a"}, {"id": "b"}]})
    found = await find_servers(addresses=[address(server) for server in servers])
    assert [server.offer for server in found] == [
        f"LM Studio at 127.0.0.1:{studio.port}, 2 models",
        f"Ollama at 127.0.0.1:{ollama.port}, 1 model",
        f"llama.cpp at 127.0.0.1:{llama.port}, 1 model",
        f"OpenAI-compatible server at 127.0.0.1:{other.port}, 2 models",
    ]
    assert [server.models for server in found[:3]] == [
        ("google/gemma-3-1b", "qwen/qwen3-4b"),
        ("llama3.2:3b",),
        ("/models/tiny.gguf",),
    ]
    assert [server.context_tokens for server in found] == [8192, None, 6144, None]
    assert found[0].model == "qwen/qwen3-4b"


async def test_nothing_found_is_no_error(servers: list[RawServer]) -> None:
    """A port where nobody listens, and one with something else on it, offer nothing."""
    async with raw_server() as gone:
        pass
    servers[0].answer_json("/v1/models", {"error": "Unexpected endpoint or method."})
    assert await find_servers(addresses=[address(gone), *map(address, servers)]) == ()


async def test_a_server_that_loads_is_offered_as_that(servers: list[RawServer]) -> None:
    """A server that answers 503 while it reads its model is there all the same."""
    fault = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    servers[0].answer_json("/props", fault, status=503)
    (found,) = await find_servers(addresses=[address(servers[0])])
    assert found.offer.endswith("still loading its model")


async def test_the_address_of_the_settings_is_looked_at_once(servers: list[RawServer]) -> None:
    """It comes first, and is not asked twice where it is a usual one."""
    for server in servers[:2]:
        be_ollama(server)
    first, second = map(address, servers[:2])
    found = await find_servers(also=second, addresses=[first, second])
    assert [server.base_url for server in found] == [second, first]
    assert len(servers[1].requests_to("/api/ps")) == 1


async def test_a_silent_server_hides_no_other(servers: list[RawServer]) -> None:
    """A port that takes connections and never answers is given up; the others are found."""
    servers[0].hold("/v1/models")
    be_ollama(servers[1])
    assert len(await find_servers(addresses=list(map(address, servers[:2])))) == 1


async def test_looking_sends_no_word(servers: list[RawServer]) -> None:
    """Only questions are asked, and none of them is a chat."""
    be_lm_studio(servers[0])
    be_ollama(servers[1])
    await find_servers(addresses=list(map(address, servers)))
    paths = {request.path for server in servers for request in server.requests}
    assert not {path for path in paths if "chat" in path or "completion" in path}


def test_the_usual_ports() -> None:
    """LM Studio, Ollama and llama.cpp's server, on loopback."""
    ports = [url.text for url in USUAL_ADDRESSES]
    assert ports == [f"http://127.0.0.1:{port}/v1" for port in (1234, 11434, 8080)]


async def test_one_server_under_two_names_is_found_once(servers: list[RawServer]) -> None:
    """An address that says localhost is the one in figures, and is called as it was written."""
    be_ollama(servers[0])
    named = LoopbackUrl(address(servers[0]).text.replace("127.0.0.1", "localhost"))
    found = await find_servers(also=named, addresses=[address(servers[0])])
    assert [server.base_url for server in found] == [named]
