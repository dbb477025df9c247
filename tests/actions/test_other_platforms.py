"""What is done on macOS and Windows, with small programs in the place of theirs.

What only Windows itself can do, `os.startfile`, is an error elsewhere, and named as one.
"""

import json
from pathlib import Path

import pytest

from actions.desktop import Desktop, recorded
from pace.actions.opening.mac_apps import MacApps
from pace.actions.opening.open_address import OpenAddress
from pace.actions.opening.open_app import OpenApp
from pace.actions.opening.opener import Opener
from pace.actions.opening.start_menu import StartMenuApps
from pace.errors import ActionError

LISTED = [
    {"Name": "Calculator", "AppID": "Microsoft.WindowsCalculator_8wekyb3d8bbwe!App"},
    {"Name": "Notepad", "AppID": "Notepad!App"},
    {"Name": None, "AppID": 7},
    "odd",
]


async def test_macos_opens_addresses(desktop: Desktop) -> None:
    """On macOS its own `open` gets the address as one argument, and needs no screen's name."""
    record = desktop.add_recorder("open")
    action = OpenAddress(Opener(platform="darwin"))
    await action.run(action.checked({"address": "https://example.com/?a=$(id)"}))
    assert recorded(record) == ["https://example.com/?a=$(id)"]
    desktop.add_recorder("open", status=1)
    with pytest.raises(ActionError, match="open could not open"):
        await action.run({"address": "https://example.com"})


async def test_macos_opens_apps(desktop: Desktop) -> None:
    """On macOS the name goes to `open -a`, which says whether there is such an app."""
    record = desktop.add_recorder("open")
    action = OpenApp(MacApps())
    assert (await action.run({"name": "Photo Booth"})).line == 'Opened the app "Photo Booth".'
    assert recorded(record) == ["-a", "Photo Booth"]
    desktop.add_recorder("open", status=1)
    with pytest.raises(ActionError, match="There is no app"):
        await action.run({"name": "Photo Booth"})


def menu(folder: Path, *names: str) -> None:
    programs = folder / "Microsoft" / "Windows" / "Start Menu" / "Programs"
    programs.mkdir(parents=True)
    for name in names:
        (programs / f"{name}.lnk").write_bytes(b"")


async def test_windows_opens_what_its_start_menu_has(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shortcut of the start menu is taken first; uninstallers are no apps."""
    menu(tmp_path / "mine", "Firefox", "Uninstall Game")
    monkeypatch.setenv("APPDATA", str(tmp_path / "mine"))
    monkeypatch.setenv("PROGRAMDATA", "")
    action = OpenApp(StartMenuApps())
    with pytest.raises(ActionError, match='Windows could not open "Firefox"'):
        await action.run({"name": "firefox"})
    with pytest.raises(ActionError, match="There is no app"):
        await action.run({"name": "uninstall game"})
    assert not list(desktop.programs.iterdir())


async def test_windows_opens_what_it_lists(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app of the store is started by the id that Windows lists; the name goes nowhere."""
    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.delenv("PROGRAMDATA", raising=False)
    listing = desktop.home / "listing"
    listing.write_text(json.dumps(LISTED))
    asked = desktop.home / "asked"
    desktop.add("powershell.exe", f"echo \"$@\" > '{asked}'\ncat '{listing}'")
    record = desktop.add_recorder("explorer.exe", status=1)
    action = OpenApp(StartMenuApps())
    assert (await action.run({"name": "calculator"})).line == 'Opened the app "Calculator".'
    assert recorded(record) == ["shell:AppsFolder\\Microsoft.WindowsCalculator_8wekyb3d8bbwe!App"]
    assert "alculator" not in asked.read_text()
    listing.write_text("not JSON")
    with pytest.raises(ActionError, match="There is no app"):
        await action.run({"name": "calculator"})


async def test_windows_opens_addresses(desktop: Desktop) -> None:
    """Away from Windows its way of opening is an error, never a silent nothing."""
    action = OpenAddress(Opener(platform="win32"))
    with pytest.raises(ActionError, match="Windows could not open example"):
        await action.run({"address": "https://example.com"})
    assert not list(desktop.programs.iterdir())
