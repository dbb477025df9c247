"""The OpenAPI document, against what the gateway does."""

import asyncio
import sys
from pathlib import Path

import pytest

from doors.gateway.answering import answering
from doors.gateway.gateways import MODEL, gateway
from doors.running import environment

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)


async def test_requests_made_from_the_document_find_no_fault(tmp_path: Path) -> None:
    """Whatever the document allows or forbids, answers are those it tells of, and none is a 5xx."""
    program = Path(sys.executable).with_name("schemathesis")
    async with (
        answering(*["Hello."] * 5000) as server,
        gateway(server.url, tmp_path, per_minute=1_000_000) as served,
    ):
        process = await asyncio.create_subprocess_exec(
            *(str(program), "run", f"{served.url}/openapi.json", "--checks", CHECKS),
            *("--max-examples", "10", "--phases", "fuzzing", "--generation-database", "none"),
            *("--seed", "1", "--no-color"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=environment(tmp_path),
            cwd=tmp_path,
        )
        told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()


@pytest.mark.parametrize(
    "item",
    [
        {"type": "function_call_output", "call_id": "c", "output": [{"type": {}, "text": ""}]},
        {"role": "user", "content": [{"type": [], "text": ""}]},
        {"type": {}, "role": []},
    ],
)
async def test_a_kind_that_is_no_text_is_refused(tmp_path: Path, item: dict[str, object]) -> None:
    """Lists and objects where a word names a kind are the client's fault, and said as one."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.client.post("/v1/responses", json={"model": MODEL, "input": [item]})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"]
