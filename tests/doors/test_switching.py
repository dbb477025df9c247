"""Switching decides by what stands in the file now; who is offered is told with what it takes."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from pace.doors.switching import AGREED, others_sentence, values_to_switch
from pace.planners.offers import Offer
from pace.planners.picking import PROVIDER, TIER, Pick
from pace.settings import Provider, Tier
from pace.settings_file import SettingsFile, With, Without

GEMINI = Pick(tier=Tier.CLI, provider=Provider.GEMINI)


def answering(asked: list[str], *, answer: bool) -> Callable[[str], Awaitable[bool]]:
    async def ask(sentence: str) -> bool:
        asked.append(sentence)
        return answer

    return ask


async def test_a_yes_that_was_withdrawn_elsewhere_is_asked_for_again(tmp_path: Path) -> None:
    """A Pace that runs asks its ordinary question, and a new yes is kept before anything is set."""
    path, asked = tmp_path / "settings.toml", list[str]()
    SettingsFile.open(path=path).change(AGREED, With("cli:gemini"))
    running = SettingsFile.open(path=path)
    SettingsFile.open(path=path).change(AGREED, Without("cli:gemini"))
    planner = running.current.planner
    refused = await values_to_switch(running, planner, GEMINI, answering(asked, answer=False))
    assert refused is None
    values = await values_to_switch(running, planner, GEMINI, answering(asked, answer=True))
    assert values is not None
    assert next(iter(values)) == AGREED
    assert (values[TIER], values[PROVIDER]) == (Tier.CLI, Provider.GEMINI)
    assert len(asked) == 2
    running.change_all(values)
    assert SettingsFile.open(path=path).current.privacy.agreed == "cli:gemini"


async def test_a_yes_that_was_given_elsewhere_is_not_asked_for(tmp_path: Path) -> None:
    """Whoever agreed in one terminal has agreed in all of them."""
    path, asked = tmp_path / "settings.toml", list[str]()
    running = SettingsFile.open(path=path)
    SettingsFile.open(path=path).change(AGREED, With("cli:gemini"))
    values = await values_to_switch(
        running, running.current.planner, GEMINI, answering(asked, answer=False)
    )
    assert values is not None
    assert AGREED not in values
    assert asked == []


def test_who_may_have_to_sign_in_is_offered_with_that() -> None:
    """That a program is installed says nothing of its sign-in; a key and a server need none."""
    codex = Offer(
        command="codex",
        tier=Tier.CLI,
        is_usable=True,
        is_active=False,
        signs_in=True,
        host="OpenAI",
        told="installed",
    )
    api = replace(codex, command="openai", signs_in=False, host="api.openai.com")
    here = replace(api, command="llama.cpp", host="")
    assert others_sentence([codex, api, here], command="pace tier") == (
        "Others that could answer: "
        "pace tier codex (sends words to OpenAI; has to be signed in), "
        "pace tier openai (sends words to api.openai.com), pace tier llama.cpp (here)."
    )
