"""Which programs there are, and whether one is installed."""

import shutil
from pathlib import Path

from pace.errors import PlannerUnavailableError
from pace.planners.cli_bridge.claude import Claude
from pace.planners.cli_bridge.codex import Codex
from pace.planners.cli_bridge.gemini import Gemini
from pace.planners.cli_bridge.vendor import Vendor
from pace.settings import Provider

_VENDORS: dict[Provider, Vendor] = {
    Provider.CLAUDE: Claude(),
    Provider.CODEX: Codex(),
    Provider.GEMINI: Gemini(),
}


def vendor_of(provider: Provider) -> Vendor:
    """Its way of speaking; raises PlannerUnavailableError for one that has no program."""
    if vendor := _VENDORS.get(provider):
        return vendor
    names = ", ".join(_VENDORS)
    raise PlannerUnavailableError(f"{provider} has no program. Tier cli knows {names}.")


def find_program(provider: Provider) -> Path | None:
    """Where its program is, by the search path; None if it is not installed."""
    found = shutil.which(vendor_of(provider).facts.name)
    return Path(found) if found else None


def check_installed(provider: Provider) -> None:
    """Raise PlannerUnavailableError, which says how to get it, if its program is not installed."""
    if find_program(provider) is None:
        raise vendor_of(provider).facts.faults.missing()
