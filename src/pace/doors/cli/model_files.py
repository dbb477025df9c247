"""`pace models`: model files that are here, that suit this machine, and that can be fetched."""

from pathlib import Path

import click

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fetching import FetchBar, gigabytes
from pace.doors.cli.fitting_width import show_table
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError, WeightsError
from pace.folders import Folders
from pace.planners.catalogue import LARGER, SHIPPED, ModelFile, Recommendation, known, recommended
from pace.planners.hub import hub_source
from pace.planners.this_machine import device, free_disk, free_memory
from pace.planners.tiers import fetched, open_weights
from pace.planners.weights import WeightsFolder

_HERE = "*.gguf"
_BESIDE = (".part", ".verified", ".lock")


def show_models() -> None:
    """The catalogue and whatever else is in the folder, with advice for this machine."""
    folder = open_weights(Folders.of().models)
    advice = _advice(folder)
    catalogue = (*SHIPPED, *LARGER)
    rows = [
        (
            file.name,
            file.title,
            gigabytes(file.size),
            gigabytes(file.memory),
            file.licence,
            ", ".join(_remarks(file.name, advice, is_here=folder.path_of(file).is_file())),
        )
        for file in catalogue
    ]
    files = {file.file for file in catalogue}
    rows += [
        (safe_line(path.name), "", gigabytes(path.stat().st_size), "", "see its page", "here")
        for path in sorted(folder.folder.glob(_HERE))
        if path.name not in files
    ]
    show_table(("NAME", "MODEL", "SIZE", "MEMORY", "LICENCE", ""), rows)
    click.echo()
    if advice is not None:
        click.echo(f"Recommended here: {advice.file.name}. {advice.reason}")
    click.echo(f"The engine computes on: {device() or 'nothing, it is not installed'}")
    click.echo(f"Files are in {folder.folder}")
    click.echo("Fetch one with: pace models get NAME; use it with: pace chat --model NAME")


def fetch_model(name: str, file: str | None) -> None:
    """Fetch a model of the catalogue, or any GGUF file of a repository."""
    run_until_ended(_fetch(open_weights(Folders.of().models), name, file))


def remove_model(name: str) -> None:
    """Remove a file of the folder, and what was begun of it."""
    folder = open_weights(Folders.of().models)
    files = _files_of(folder, name)
    freed = sum(path.stat().st_size for path in files)
    for path in files:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise WeightsError(f"{path} cannot be removed ({error.strerror}).") from error
    click.echo(f"Removed {safe_line(files[0].name)}; {gigabytes(freed)} are free again.")


async def _fetch(folder: WeightsFolder, name: str, file: str | None) -> None:
    model = known(name)
    if file is None and model is None:
        names = ", ".join(each.name for each in (*SHIPPED, *LARGER))
        raise SettingsError(
            f"There is no model {name!r}. Give one of {names}, or a repository and a file, like "
            "Qwen/Qwen3-4B-GGUF Qwen3-4B-Q4_K_M.gguf"
        )
    bar = FetchBar()
    if file is not None:
        bar.begins(_of_hub(name, file))
        try:
            path = await folder.fetch_from_hub(name, file, report=bar.report)
        finally:
            bar.ends()
        click.echo(f"It is here. Use it with: pace chat --model {path.name}")
    elif model is not None:
        await fetched(model, folder, bar)
        click.echo(f"It is here. Use it with: pace chat --model {model.name}")


def _of_hub(repo: str, file: str) -> ModelFile:
    """What can be said of a file before it is fetched."""
    return ModelFile(
        name=file,
        title=f"{repo}/{file}",
        file=file,
        size=0,
        licence="see its page",
        memory=0,
        hub=hub_source(repo, file),
    )


def _advice(folder: WeightsFolder) -> Recommendation | None:
    memory = free_memory()
    if memory is None:
        return None
    return recommended(free_memory=memory, free_disk=free_disk(folder.folder))


def _remarks(name: str, advice: Recommendation | None, *, is_here: bool) -> list[str]:
    remarks = ["here"] if is_here else []
    if advice is not None and advice.file.name == name:
        remarks.append("recommended")
    if advice is not None and any(file.name == name for file in advice.larger):
        remarks.append("would fit")
    return remarks


def _files_of(folder: WeightsFolder, name: str) -> list[Path]:
    """What is there of a model: its file, or what was begun of it, and what stands beside it."""
    model = known(name)
    path = folder.path_of(model) if model else folder.folder / name.replace("/", "--")
    beside = (path.with_name(path.name + ending) for ending in _BESIDE)
    files = [each for each in (path, *beside) if each.is_file()]
    if files and path.parent == folder.folder:
        return files
    raise SettingsError(f"There is no model file {name!r} here. `pace models` lists what is.")
