"""The vendors' own programs, not signed in: what a person reads then.

They are looked for in the folder that PACE_TEST_CLIS names, and on the search path.
"""

import os
import shutil
from pathlib import Path

import pytest

from pace.errors import PlannerSignedOutError
from pace.planners.cli_bridge.finding import vendor_of
from pace.settings import Provider
from planners.cli.asking import PROGRAMS, ask, planner_over
from planners.prompts import prompt_of

SENTENCES = {
    Provider.CLAUDE: "The program claude is not signed in. Sign in with: claude auth login; then "
    "ask again.",
    Provider.CODEX: "The program codex is not signed in. Sign in with: codex login; then ask "
    "again.",
    Provider.GEMINI: "The program gemini is not signed in. Sign in with: gemini; then ask again.",
}


@pytest.mark.parametrize("provider", PROGRAMS)
async def test_not_signed_in_is_said_in_a_sentence(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that nobody signed in to is an error that says how, and never a reply."""
    folders = [os.environ.get("PACE_TEST_CLIS", ""), os.environ["PATH"]]
    found = shutil.which(provider, path=os.pathsep.join(filter(None, folders)))
    if found is None:
        pytest.skip(f"{provider} is neither in PACE_TEST_CLIS nor on the search path")
    for name in vendor_of(provider).facts.passed:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    planner = planner_over(Path(found))
    with pytest.raises(PlannerSignedOutError) as caught:
        await ask(planner, prompt_of("canary-4471 hello"))
    assert str(caught.value) == SENTENCES[provider]
    assert "canary" not in "".join(planner.diagnosis)
