"""`pace` itself, its settings and its models, as a person types them."""

import hashlib
from pathlib import Path

import pytest

from doors.running import run_pace
from pace.planners.catalogue import TINY
from planners.raw_server import raw_server

MODEL = b"GGUF" + b"\0" * 4000


async def test_version_and_help(tmp_path: Path) -> None:
    """Version and help are printed with status 0, and no file is made for them."""
    version = await run_pace(tmp_path / "home", "--version")
    assert (version.status, version.out.split()[0]) == (0, "pace")
    for arguments in ((), ("--help",), ("chat", "--help"), ("settings", "-h"), ("models", "-h")):
        ended = await run_pace(tmp_path / "home", *arguments)
        assert (ended.status, ended.err) == (0, "")
        assert ended.out.startswith("Usage: pace")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("chat", "--window"), "pace chat"),
        (("history", "show", "--limit"), "pace history show"),
        (("models", "nothing"), "pace models"),
        (("--nothing",), "pace"),
    ],
)
async def test_wrong_flags_name_their_own_help(
    tmp_path: Path, arguments: tuple[str, ...], command: str
) -> None:
    """Whatever is wrong with them, and however deep the command."""
    ended = await run_pace(tmp_path, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.endswith(f" See: {command} --help\n")


async def test_settings_are_listed_with_their_source(tmp_path: Path) -> None:
    """The list has each setting's value, and where it comes from."""
    env = {"PACE_ACTIVITY__WINDOW": "6"}
    ended = await run_pace(tmp_path, "settings", env=env)
    rows = {line.split()[0]: line.split() for line in ended.out.splitlines() if "." in line}
    assert rows["activity.window"][1:4] == ["6", "environment", "4"]
    assert rows["activity.idle_minutes"][1:4] == ["20", "default", "20"]


@pytest.mark.parametrize(
    "address",
    [
        "redis://:hunter2@h:6379/0",
        "rediss://me:hunt@er2/x@h/0",
        "redis://h:6379/0?password=hunter2",
        "unix://:hunter2@/run/redis",
    ],
)
async def test_a_stores_password_is_not_shown(tmp_path: Path, address: str) -> None:
    """Nothing that settings print has the password of serve.store."""
    env = {"PACE_SERVE__STORE": address}
    runs = [
        await run_pace(tmp_path, "settings", env=env),
        await run_pace(tmp_path, "settings", "serve.store", env=env),
        await run_pace(tmp_path, "settings", "serve.store", address),
        await run_pace(tmp_path, "settings", "serve.store"),
    ]
    for ended in runs:
        assert ended.status == 0
        assert "er2" not in ended.out + ended.err
    assert "***" in runs[1].out


async def test_setting_is_changed_and_reset(tmp_path: Path) -> None:
    """A setting can be changed, shown and reset, and the file is where it is said to be."""
    changed = await run_pace(tmp_path, "settings", "activity.window", "6")
    shown = await run_pace(tmp_path, "settings", "activity.window")
    where = await run_pace(tmp_path, "settings", "--path")
    reset = await run_pace(tmp_path, "settings", "--reset", "activity.window")
    assert changed.out == "activity.window is now 6.\n"
    assert shown.out.startswith("activity.window = 6\n")
    assert where.out == f"{tmp_path}/settings.toml\n"
    assert reset.out == "activity.window is 4 again, its default.\n"


@pytest.mark.parametrize(
    "arguments",
    [("activity.window", "9"), ("activity.windo",), ("--reset", "nothing"), ("a", "b", "c")],
)
async def test_wrong_setting_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A wrong name or value is one sentence and status 2."""
    ended = await run_pace(tmp_path, "settings", *arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)


async def test_models_are_listed(tmp_path: Path) -> None:
    """The list names the two that Pace ships and other files that are here."""
    folder = tmp_path / "cache" / "models"
    folder.mkdir(parents=True)
    (folder / "mine.gguf").write_bytes(MODEL)
    ended = await run_pace(tmp_path, "models")
    assert ended.status == 0
    firsts = [line.split()[0] for line in ended.out.splitlines() if line]
    assert firsts[1:3] == ["default", "tiny"]
    assert "mine.gguf" in firsts
    assert "Apache-2.0" in ended.out


async def test_model_is_fetched_and_removed(tmp_path: Path) -> None:
    """A file of a repository is fetched once, found by its name, and can be removed."""
    repo, file = "Org/Model-GGUF", "model-q4.gguf"
    async with raw_server() as server:
        digest = hashlib.sha256(MODEL).hexdigest()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Length: {len(MODEL)}\r\nConnection: close\r\n"
            f'X-Linked-ETag: "{digest}"\r\n\r\n'
        )
        server.answer(f"/{repo}/resolve/main/{file}", head.encode() + MODEL)
        env = {"HF_ENDPOINT": server.url}
        got = await run_pace(tmp_path, "models", "get", repo, file, env=env)
    assert (got.status, got.err.splitlines()[-1]) == (0, "Fetched.")
    kept = tmp_path / "cache" / "models" / "Org--Model-GGUF--model-q4.gguf"
    assert kept.read_bytes() == MODEL
    assert kept.name in got.out
    removed = await run_pace(tmp_path, "models", "remove", kept.name)
    assert removed.status == 0
    assert not kept.exists()
    again = await run_pace(tmp_path, "models", "remove", kept.name)
    assert (again.status, again.err.count("\n")) == (2, 1)


async def test_what_was_begun_of_a_model_can_be_removed(tmp_path: Path) -> None:
    """A fetch that broke off leaves nothing that only a file manager could remove."""
    models = tmp_path / "cache" / "models"
    models.mkdir(parents=True)
    for ending in ("part", "lock"):
        (models / f"{TINY.file}.{ending}").write_bytes(b"begun")
    removed = await run_pace(tmp_path, "models", "remove", "tiny")
    assert removed.status == 0
    assert list(models.iterdir()) == []


@pytest.mark.parametrize("name", ["nosuch", "../../settings.toml", "/etc/hostname"])
async def test_only_models_are_removed(tmp_path: Path, name: str) -> None:
    """A name that is no file of the folder of models removes nothing."""
    (tmp_path / "settings.toml").write_text("")
    ended = await run_pace(tmp_path, "models", "remove", name)
    assert ended.status == 2
    assert (tmp_path / "settings.toml").exists()


async def test_unreachable_source_is_one_sentence(tmp_path: Path) -> None:
    """A file that cannot be had is one sentence with status 1, and no bar is left behind."""
    async with raw_server() as server:
        env = {"HF_ENDPOINT": server.url}
        ended = await run_pace(tmp_path, "models", "get", "Org/Model", "m.gguf", env=env)
    assert ended.status == 1
    assert ended.err.splitlines()[-1].startswith("pace: ")
    assert "Traceback" not in ended.err
