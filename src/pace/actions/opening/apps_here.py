"""Chooses the apps of this platform."""

import sys

from pace.actions.opening.apps import Apps
from pace.actions.opening.desktop_entries import DesktopEntryApps
from pace.actions.opening.mac_apps import MacApps
from pace.actions.opening.start_menu import StartMenuApps


def apps_here() -> Apps:
    """Those of the platform that Pace runs on."""
    if sys.platform == "darwin":
        return MacApps()
    if sys.platform == "win32":
        return StartMenuApps()
    return DesktopEntryApps()
