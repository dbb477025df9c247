"""Which planner answers: the tier that the person chose, and never another one instead."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pace.endpoint import LoopbackUrl
from pace.errors import SettingsError
from pace.planners.catalogue import DEFAULT, LARGER, SHIPPED, TINY, ModelFile, known, recommended
from pace.planners.download import Progress
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.hub import HUB_URL, Hub
from pace.planners.options import ReplyOptions
from pace.planners.this_machine import free_disk, free_memory
from pace.planners.weights import WeightsFolder
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import Planner
from pace.settings import Settings, Tier

_SMALL = (
    "{title} is a small model: private and quick, and often wrong. For better answers see "
    "`pace models`, or use LM Studio or Ollama: pace chat --base-url http://127.0.0.1:PORT/v1"
)


class FetchScreen(Protocol):
    """Shows the person that a model file is being fetched; called on the event loop."""

    def begins(self, file: ModelFile) -> None:
        """A file is missing, and will be fetched now."""
        ...

    def report(self, progress: Progress) -> None:
        """How far it is."""
        ...

    def ends(self) -> None:
        """It is over, well or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPlanner:
    """A planner, and what to tell the person once about it; what is empty says nothing.

    `reason` says why it is not the usual model, `note` what a screen has room for besides.
    """

    planner: Planner
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModel:
    """A model file to use, where it is if that is no matter of fetching, and why this one."""

    file: ModelFile
    path: Path | None = None
    reason: str = ""


async def open_planner(
    current: Callable[[], Settings], *, models: Path, screen: FetchScreen
) -> OpenedPlanner:
    """Open the planner of the settings; a model file that is missing is fetched first.

    `current` is asked at each turn for what may change between turns. Raises SettingsError and
    WeightsError; whether the planner answers shows at the first turn.
    """
    planner = current().planner

    def options() -> ReplyOptions:
        now = current().planner
        return ReplyOptions(temperature=now.temperature, reply_tokens=now.reply_tokens)

    if planner.tier is Tier.LOCAL:
        if planner.base_url is None:
            raise SettingsError(
                "Tier local needs the address of a server on this machine. "
                "Set it like: pace settings planner.base_url http://127.0.0.1:1234/v1"
            )
        url = LoopbackUrl(planner.base_url)
        return OpenedPlanner(planner=OpenAiWirePlanner(url, model=planner.model, options=options))
    folder = open_weights(models)
    chosen = choose_model(planner.model, folder)
    path = chosen.path or await fetched(chosen.file, folder, screen)
    note = _SMALL.format(title=chosen.file.title) if chosen.file in SHIPPED else ""
    return OpenedPlanner(
        planner=EmbeddedPlanner.of(chosen.file, path, options=options),
        reason=chosen.reason,
        note=" ".join(filter(None, (chosen.reason, note))),
    )


def open_weights(models: Path) -> WeightsFolder:
    """The folder of model files, fetched from Hugging Face or the mirror that HF_ENDPOINT names."""
    return WeightsFolder(models, hub=Hub(os.environ.get("HF_ENDPOINT") or HUB_URL))


def choose_model(name: str | None, folder: WeightsFolder) -> ChosenModel:
    """The model file of that name; without a name the one that suits this machine.

    A name is one of the catalogue, a file's path, or a file in the folder of models. Raises
    SettingsError for any other.
    """
    if name is None:
        return _suiting(folder)
    if file := known(name):
        return ChosenModel(file=file)
    for path in (Path(name).expanduser(), folder.folder / name.replace("/", "--")):
        if path.is_file():
            return ChosenModel(file=_described(path), path=path)
    names = ", ".join(file.name for file in (*SHIPPED, *LARGER))
    raise SettingsError(
        f"There is no model {name!r}. Give a .gguf file that exists, or one of {names}."
    )


def _suiting(folder: WeightsFolder) -> ChosenModel:
    memory = free_memory()
    if memory is None:
        return ChosenModel(file=DEFAULT)
    if folder.path_of(DEFAULT).is_file() and memory > DEFAULT.memory:
        return ChosenModel(file=DEFAULT)
    advice = recommended(free_memory=memory, free_disk=free_disk(folder.folder))
    why = f"The tiny model answers: {advice.reason}" if advice.file is TINY else ""
    return ChosenModel(file=advice.file, reason=why)


def _described(path: Path) -> ModelFile:
    """What is known of a file that a person named."""
    for file in (*SHIPPED, *LARGER):
        if file.file == path.name:
            return file
    return ModelFile(
        name=path.stem,
        title=path.stem,
        file=path.name,
        size=path.stat().st_size,
        licence="see its page",
        memory=0,
    )


async def fetched(file: ModelFile, folder: WeightsFolder, screen: FetchScreen) -> Path:
    """The file; if it is missing it is fetched, and the screen told. Raises WeightsError."""
    if found := await folder.find(file):
        return found
    screen.begins(file)
    try:
        return await folder.fetch(file, report=screen.report)
    finally:
        screen.ends()
