"""Which planner answers: the tier that the person chose, and never another one instead."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pace.endpoint import LoopbackUrl
from pace.errors import SettingsError
from pace.folders import Folders
from pace.memory.prompt import Prompt
from pace.planners.catalogue import DEFAULT, LARGER, SHIPPED, TINY, ModelFile, known, recommended
from pace.planners.cli_bridge.finding import check_installed
from pace.planners.consent import check_agreed, check_summaries_agreed, recipient_of
from pace.planners.download import Progress
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import SLOT_TOKENS
from pace.planners.falling_back import FallBackPlanner
from pace.planners.hub import HUB_URL, Hub
from pace.planners.options import ReplyOptions
from pace.planners.sent_log import CountedPlanner, SentLog
from pace.planners.this_machine import free_disk, free_memory
from pace.planners.weights import WeightsFolder
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import SUMMARIES, Planner
from pace.settings import PlannerSettings, Provider, Settings, Tier, check_whole

_SMALL = (
    "{title} is a small model: private and quick, and often wrong. For better answers see "
    "`pace models`, or who else could answer: pace tier"
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
    current: Callable[[], Settings],
    *,
    models: Path,
    screen: FetchScreen,
    sent: SentLog | None = None,
) -> OpenedPlanner:
    """Open the planner of the settings; a model file that is missing is fetched first.

    `current` is asked at each turn for what may change between turns, the person's consent among
    it; whatever leaves this machine is counted in `sent`, or, without one, in the person's own log.
    Raises SettingsError, among them ConsentNeededError if nobody agreed that words go where they
    would, and WeightsError; whether the planner answers shows at the first turn.
    """
    settings = current()
    check_whole(settings.planner)
    recipient = recipient_of(settings.planner)
    check_agreed(settings, recipient)

    def options() -> ReplyOptions:
        now = current().planner
        return ReplyOptions(temperature=now.temperature, reply_tokens=now.reply_tokens)

    planner = settings.planner
    if planner.tier is Tier.EMBEDDED:
        return await _embedded(planner.model, options, models=models, screen=screen)
    chosen = await _elsewhere(planner, options)
    if recipient is not None:

        def check(prompt: Prompt) -> None:
            now = current()
            check_agreed(now, recipient)
            if prompt.thread_id == SUMMARIES:
                check_summaries_agreed(now)
            if planner.tier is Tier.CLI and planner.provider is not None:
                check_installed(planner.provider)

        chosen = CountedPlanner(
            chosen,
            sent or SentLog(Folders.of().sent_log),
            tier=planner.tier,
            host=recipient.host,
            check=check,
        )
    if not planner.fall_back:
        return OpenedPlanner(planner=chosen)
    return await _with_fall_back(chosen, options, models=models)


def opened_by(settings: Settings) -> tuple[object, ...]:
    """What a planner is opened by: when it changes, another one has to be.

    Consent is no part of it: it is asked for at each turn, so that a withdrawal can be saved while
    whoever it was given for is still set.
    """
    planner = settings.planner
    return (
        planner.tier,
        planner.provider,
        planner.base_url,
        planner.model,
        planner.fall_back,
    )


def answered_by(settings: Settings, opened: Settings) -> Settings:
    """Settings with what the planner was opened by in place of what they say of that."""
    if opened_by(settings) == opened_by(opened):
        return settings
    was = opened.planner
    planner = settings.planner.model_copy(
        update={
            "tier": was.tier,
            "provider": was.provider,
            "base_url": was.base_url,
            "model": was.model,
            "fall_back": was.fall_back,
        }
    )
    return settings.model_copy(update={"planner": planner})


async def _elsewhere(planner: PlannerSettings, options: Callable[[], ReplyOptions]) -> Planner:
    """The planner of any tier but the embedded one; each branch loads what it needs alone."""
    if planner.tier is Tier.LOCAL:
        return OpenAiWirePlanner(
            LoopbackUrl(str(planner.base_url)), model=planner.model, options=options
        )
    if planner.tier is Tier.APPLE:
        from pace.planners.apple.planner import AppleFmPlanner  # noqa: PLC0415  # an extra

        return AppleFmPlanner(options=options)
    assert planner.provider is not None  # noqa: S101  # check_whole saw to it
    if planner.tier is Tier.CLI:
        from pace.planners.cli_bridge import CliPlanner  # noqa: PLC0415  # used by few

        return CliPlanner(planner.provider, model=planner.model, options=options)
    from pace.planners.direct.opening import open_direct  # noqa: PLC0415  # an extra

    base_url = planner.base_url if planner.provider is Provider.CUSTOM else None
    return await open_direct(
        planner.provider, model=planner.model, base_url=base_url, options=options
    )


async def _embedded(
    name: str | None, options: Callable[[], ReplyOptions], *, models: Path, screen: FetchScreen
) -> OpenedPlanner:
    folder = open_weights(models)
    chosen = choose_model(name, folder)
    path = chosen.path or await fetched(chosen.file, folder, screen)
    note = _SMALL.format(title=chosen.file.title) if chosen.file in SHIPPED else ""
    return OpenedPlanner(
        planner=EmbeddedPlanner.of(chosen.file, path, options=options),
        reason=chosen.reason,
        note=" ".join(filter(None, (chosen.reason, note))),
    )


async def _with_fall_back(
    chosen: Planner, options: Callable[[], ReplyOptions], *, models: Path
) -> OpenedPlanner:
    """The chosen planner and the model that is here already; none is fetched for this."""
    folder = open_weights(models)
    suited = choose_model(None, folder).file
    for file in dict.fromkeys((suited, *SHIPPED)):
        if path := await folder.find(file):
            here = EmbeddedPlanner.of(file, path, options=options)
            return OpenedPlanner(planner=FallBackPlanner(chosen, here, here_tokens=SLOT_TOKENS))
    reason = (
        "planner.fall_back is on, but no model is on this machine yet. Fetch one with: "
        f"pace models get {suited.name}"
    )
    return OpenedPlanner(planner=chosen, reason=reason, note=reason)


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
