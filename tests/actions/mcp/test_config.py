"""The file that names MCP servers, as people write it."""

import json
import os
import sys
from pathlib import Path

import pytest

from actions.mcp.served import write_servers
from pace.actions.mcp.config import HttpServer, ProgramServer, Wire, read_config

CANARY = "sk-CANARY-0123456789"


def test_no_file_is_no_servers(tmp_path: Path) -> None:
    """A person without the file has no servers, and no fault."""
    config = read_config(tmp_path / "mcp.json")
    assert (config.servers, config.faults) == ((), ())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"mcpServers": {\n"a": CANARY}}', "is no JSON (line 2). Correct it."),
        ("[" * 100_000, "is no JSON. Correct it."),
        ("[]", 'has no "mcpServers" object. Begin it with that.'),
        ("x" * 1_000_001, "is over 1 MB. Is it the right one?"),
    ],
)
def test_broken_file_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    """A file that cannot be used is one sentence, which quotes nothing of it."""
    path = tmp_path / "mcp.json"
    path.write_text(text)
    assert read_config(path).faults == (f"The MCP servers' file {path} {sentence}",)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
def test_what_is_no_file_is_never_waited_for(tmp_path: Path) -> None:
    """A pipe that nobody writes to, a device and a folder are one sentence at once."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path, Path("/dev/zero")):
        assert read_config(path).faults == (
            f"The MCP servers' file {path} is no file. Name another.",
        )


def test_both_kinds_of_servers(tmp_path: Path) -> None:
    """Programs and addresses are read in all the ways in which they are commonly written."""
    entries = {
        "My Files": {"command": "npx", "args": ["-y", "files"], "env": {"LEVEL": 3}, "cwd": "sub"},
        "now": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Key": "k"}},
        "old": {"serverUrl": "http://localhost:9000/sse"},
        "older": {"transport": "sse", "url": "http://192.168.1.5:9000/x"},
        "other": {"httpUrl": "http://127.0.0.1:9000/sse", "type": "streamable-http"},
        "off": {"command": "x", "disabled": True},
    }
    config = read_config(write_servers(tmp_path, entries))
    assert (config.faults, config.disabled) == ((), ("off",))
    first, *others = (server.reached for server in config.servers)
    assert config.servers[0].slug == "myfiles"
    assert isinstance(first, ProgramServer)
    assert (first.command, first.arguments) == ("npx", ("-y", "files"))
    assert (first.environment, first.folder) == ({"LEVEL": "3"}, tmp_path / "sub")
    told = [(at.wire, at.host) for at in others if isinstance(at, HttpServer)]
    assert told == [
        (Wire.HTTP, "example.com"),
        (Wire.SSE, ""),
        (Wire.SSE, "192.168.1.5"),
        (Wire.HTTP, ""),
    ]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (5, "is no object"),
        ({}, 'needs "command" or "url", one of them'),
        ({"command": "x", "url": "http://localhost"}, 'needs "command" or "url", one of them'),
        ({"command": ["x"]}, 'has a "command" that is no text'),
        ({"command": "x", "args": "a b"}, 'has "args" that is no list of texts'),
        ({"command": "x", "env": ["A"]}, 'has "env" that is no object of texts'),
        ({"command": "x", "env": {"A": {}}}, 'has "env" that is no object of texts'),
        ({"command": "x", "env": {"A": "${PACE_NOT_SET}"}}, "needs PACE_NOT_SET, which is not"),
        ({"command": "~no-such-user/x"}, 'has a "command" in the home of nobody here'),
        ({"command": "x", "cwd": "~no-such-user"}, 'has a "cwd" in the home of nobody here'),
        ({"url": "ftp://localhost/"}, "has no http address"),
        ({"url": "http://[::1"}, "has no http address"),
        ({"url": "http://localhost:99999/"}, "has no http address"),
        ({"url": f"https://me:{CANARY}@example.com"}, "has sign-in details in its address"),
        ({"url": f"http://example.com/?k={CANARY}"}, "has an address that anybody on the way"),
        ({"url": "http://localhost/", "type": "ws"}, 'has a "type" that is neither'),
    ],
)
def test_broken_entry_is_named_and_others_work(tmp_path: Path, entry: object, fault: str) -> None:
    """An entry that cannot be used is one sentence with its name, and the others are used."""
    path = write_servers(tmp_path, {"broken": entry, "good": {"command": "x"}})
    config = read_config(path, {})
    assert [server.name for server in config.servers] == ["good"]
    (told,) = config.faults
    assert told.startswith(f'The MCP server "broken" {fault}')
    assert told.endswith(f" in {path}.")
    assert "CANARY" not in told


def test_no_two_servers_share_the_beginning_of_names(tmp_path: Path) -> None:
    """Two names that come to the same are a fault, so that no server has another's actions."""
    path = write_servers(tmp_path, {"My-Files": {"command": "x"}, "my files": {"command": "y"}})
    config = read_config(path)
    assert [server.name for server in config.servers] == ["My-Files"]
    assert config.faults == (
        f'The MCP server "my files" is called nearly as "My-Files". Rename one in {path}.',
    )


def test_secrets_are_in_no_repr(tmp_path: Path) -> None:
    """Values of env, headers, arguments and addresses are shown by nothing (B78)."""
    entries = {
        "a": {"command": "x", "args": [CANARY], "env": {"KEY": "${KEY}"}},
        "b": {"url": f"https://example.com/{CANARY}", "headers": {"Authorization": CANARY}},
    }
    config = read_config(write_servers(tmp_path, entries), {"KEY": CANARY})
    assert len(config.servers) == 2
    assert config.servers[0].reached.secrets == (CANARY, CANARY)
    assert "CANARY" not in repr(config)
    assert json.loads(config.path.read_text())["mcpServers"]["a"]["env"] == {"KEY": "${KEY}"}
