"""Opening apps: which one a name means, how it is started, and what is said of faults."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from actions.desktop import Desktop, recorded
from pace.actions.opening.desktop_entries import DesktopEntryApps
from pace.actions.opening.open_app import OpenApp
from pace.errors import ActionError, ActionRefusedError
from planners.processes import wait_died

ACTION = OpenApp(DesktopEntryApps())


async def opened(name: str) -> str:
    return (await ACTION.run(ACTION.checked({"name": name}))).line


@pytest.mark.parametrize(
    "name",
    [
        *("Calculator", "calculator", "the calculator app", "Rechner", "gnome-calculator"),
        *("org.gnome.Calculator", "Desk Calculator", "  CALCULATOR "),
    ],
)
async def test_an_app_goes_by_all_its_names(desktop: Desktop, name: str) -> None:
    """Its name in any language, its id, its program and its kind all mean the app."""
    record = desktop.add_recorder("gnome-calculator")
    more = "Name[de]=Rechner\nGenericName=Desk Calculator"
    desktop.add_app(
        "Calculator", program="gnome-calculator", file="org.gnome.Calculator", more=more
    )
    desktop.add_app("Terminal", program="true")
    assert await opened(name) == 'Opened the app "Calculator".'
    assert recorded(record) == []


async def test_exec_is_read_as_the_specification_says(desktop: Desktop) -> None:
    """Quotes, escapes and field codes of Exec become words; none of them is read by a shell."""
    record = desktop.add_recorder("viewer")
    program = r'"viewer" --new "a b" "\\$HOME" %U --title=%c 100%% %i $HOME;x'
    desktop.add_app("Viewer", program=program)
    await opened("viewer")
    assert recorded(record) == ["--new", "a b", "$HOME", "--title=Viewer", "100%", "$HOME;x"]


async def test_an_own_entry_stands_for_a_shared_one(desktop: Desktop, tmp_path: Path) -> None:
    """What a person put into their own folder wins, also when it hides the app."""
    record = desktop.add_recorder("mine")
    shared = tmp_path / "shared" / "applications"
    shared.mkdir(parents=True)
    for name in ("Editor", "Game"):
        (shared / f"{name.lower()}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName={name}\nExec=mine --shared\n"
        )
    desktop.add_app("Editor", program="mine --own")
    desktop.add_app("Game", program="mine", more="Hidden=true")
    await opened("editor")
    assert recorded(record) == ["--own"]
    with pytest.raises(ActionError, match='no app "game"'):
        await opened("game")


async def test_what_menus_do_not_show_is_not_opened(desktop: Desktop) -> None:
    """Hidden entries, links, missing programs and what is no app are as good as not there."""
    desktop.add_recorder("there")
    desktop.add_app("One", program="there", more="NoDisplay=true")
    desktop.add_app("Two", program="not-there-at-all")
    desktop.add_app("Three", program="there", more="TryExec=not-there-at-all")
    desktop.add_app("Four", program='there "unclosed')
    five = desktop.add_app("Five", program="there")
    five.write_text("[Desktop Entry]\nType=Link\nName=Five\nExec=there\n")
    for name in ("One", "Two", "Three", "Four", "Five"):
        with pytest.raises(ActionError, match="There is no app"):
            await opened(name)


async def test_more_than_one_is_asked_about(desktop: Desktop) -> None:
    """A word that means several apps opens none; one that only one has opens that."""
    record = desktop.add_recorder("writer")
    desktop.add_app("Office Writer", program="writer w", file="a")
    desktop.add_app("Office Calc", program="writer c", file="b")
    with pytest.raises(ActionError, match=r"Office Calc, Office Writer\. Say which one"):
        await opened("office")
    assert not record.exists()
    await opened("calc")
    assert recorded(record) == ["c"]


async def test_a_near_name_is_suggested(desktop: Desktop) -> None:
    """A misspelt name opens nothing and names the nearest app."""
    desktop.add_recorder("firefox")
    desktop.add_app("Firefox", program="firefox")
    with pytest.raises(ActionError, match="Did you mean Firefox"):
        await opened("firefix")


@pytest.mark.parametrize("name", ["/bin/sh", "..\\x.exe", "-a", "a\u202eb", ""])
def test_paths_and_flags_are_no_names(name: str) -> None:
    """What could be a path or a flag is refused before anybody is asked."""
    with pytest.raises(ActionRefusedError):
        ACTION.checked({"name": name})


async def test_an_app_that_fails_at_once_is_said(desktop: Desktop) -> None:
    """An app that ends with an error at once was not opened; one of a terminal is not started."""
    desktop.add_recorder("broken", status=7)
    desktop.add_app("Broken", program="broken")
    desktop.add_app("Monitor", program="broken", more="Terminal=true")
    with pytest.raises(ActionError, match="status 7"):
        await opened("broken app")
    with pytest.raises(ActionError, match="in a terminal"):
        await opened("monitor")


async def test_an_app_that_runs_is_opened(desktop: Desktop) -> None:
    """An app that goes on is opened, and goes on after the action."""
    said, word = desktop.add_hanging("editor")
    desktop.add_app("Editor", program="editor")
    action = OpenApp(DesktopEntryApps(fails_within=0.0))
    assert (await action.run({"name": "editor"})).line == 'Opened the app "Editor".'
    process_id = int(await asyncio.to_thread(said.read_text))
    await asyncio.to_thread(word.write_text, "go\n")
    await wait_died(process_id)


async def test_cancelled_it_ends_the_app(desktop: Desktop) -> None:
    """A turn that is stopped while the app starts ends the app."""
    said, _ = desktop.add_hanging("editor")
    desktop.add_app("Editor", program="editor")
    action = OpenApp(DesktopEntryApps(fails_within=60.0))
    run = asyncio.create_task(action.run({"name": "editor"}))
    process_id = int(await asyncio.to_thread(said.read_text))
    run.cancel()
    with suppress(asyncio.CancelledError):
        await run
    await wait_died(process_id)
