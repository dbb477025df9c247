"""What is judged and quoted of a program's failure, and that the conversation decides neither."""

import json
from pathlib import Path

import pytest

from pace.errors import PlannerQuotaError, PlannerRefusedError, PlannerSignedOutError
from pace.memory.prompt import Message, Role
from pace.planners.cli_bridge.diagnosis import Said
from pace.planners.cli_bridge.resets import resets_in
from pace.settings import Provider
from planners.cli.asking import PROGRAMS, ask, planner_over
from planners.cli.programs import program
from planners.prompts import prompt_of

every_program = pytest.mark.parametrize("provider", PROGRAMS)
CANARY = "zanzibar4471"
TELLING = {
    Provider.CLAUDE: {"type": "result", "is_error": True, "result": "{notice}"},
    Provider.CODEX: {"type": "turn.failed", "error": {"message": "{notice}"}},
    Provider.GEMINI: {"type": "result", "status": "error", "error": {"message": "{notice}"}},
}
MISLEADING = (
    "my 401 k plan",
    "why was I not logged in yesterday?",
    "What does an error code 401 mean?",
    "explain the rate limit to me, try again at 5pm",
    "is the input too long for a poem",
    "quota",
)


def failing(provider: Provider, notice: str, how: str) -> str:
    """A body that tells this notice by an event, or on either output."""
    told = json.dumps(TELLING[provider]).replace("{notice}", json.dumps(notice)[1:-1])
    tells = {
        "event": f"say(**json.loads({told!r}))",
        "stderr": f"print({notice!r}, file=sys.stderr); sys.exit(2)",
        "stdout": f"print({notice!r}); sys.exit(2)",
    }
    return f"words(); system(); {tells[how]}"


@every_program
@pytest.mark.parametrize("how", ["event", "stderr", "stdout"])
@pytest.mark.parametrize("words", MISLEADING)
async def test_the_persons_words_decide_no_diagnosis(
    provider: Provider, how: str, words: str, tmp_path: Path
) -> None:
    """What a program repeats of the conversation is neither a sign-in nor a limit."""
    path = program(tmp_path, provider, failing(provider, f"debug: input was: {words}", how))
    with pytest.raises(PlannerRefusedError) as caught:
        await ask(planner_over(path), prompt_of(words))
    assert "Send less" not in str(caught.value)


@every_program
@pytest.mark.parametrize("how", ["event", "stderr", "stdout"])
async def test_nothing_but_a_time_is_quoted(provider: Provider, how: str, tmp_path: Path) -> None:
    """Of a notice, only the time at which a limit ends is shown."""
    notice = f"usage limit reached {CANARY} resets at 5pm {CANARY} try again at 5 {CANARY} zebra"
    path = program(tmp_path, provider, failing(provider, notice, how))
    with pytest.raises(PlannerQuotaError) as caught:
        await ask(planner_over(path))
    assert caught.value.resets == "resets at 5pm"
    assert CANARY not in str(caught.value)


async def test_a_true_notice_is_understood_by_those_who_speak_of_it(tmp_path: Path) -> None:
    """Somebody who talks about limits and sign-ins is told of their own all the same."""
    talk = prompt_of("What is a rate limit? And why was I unauthorized, status 401?")
    path = program(tmp_path, Provider.CODEX, failing(Provider.CODEX, "hit the rate limit", "event"))
    with pytest.raises(PlannerQuotaError):
        await ask(planner_over(path), talk)
    notice = "unexpected status 401 Unauthorized"
    path = program(tmp_path, Provider.CODEX, failing(Provider.CODEX, notice, "event"))
    with pytest.raises(PlannerSignedOutError):
        await ask(planner_over(path), talk)


@pytest.mark.parametrize(
    ("notice", "resets"),
    [
        ("You've hit your limit · resets 1pm (Europe/Berlin)", "resets 1pm (Europe/Berlin)"),
        ("limit; resets 1pm (Europe/Zebra)", "resets 1pm"),
        ("Your quota will reset after 5h32m10s.", "reset after 5h32m10s"),
        ("try again at Dec 5th, 2026 3:14 PM.", "try again at Dec 5th, 2026 3:14 PM"),
        ("try again in 3 days 4 hours 12 minutes", "try again in 3 days 4 hours 12 minutes"),
        ("Please try again in 20s, zebra", "try again in 20s"),
        ("resets Thursday at 17:00 UTC", "resets Thursday at 17:00 UTC"),
        ("resets at 2026-12-05T17:00:00Z for zebra", "resets at 2026-12-05T17:00:00Z"),
        ("it resets zebra. Try again tomorrow", "Try again tomorrow"),
        ("try again at 5 zebra", ""),
        ("try again at 4417", ""),
        ("resets in 10 seconds" + "x", ""),
        ("resets when zebra", ""),
    ],
)
def test_a_time_is_told_from_other_words(notice: str, resets: str) -> None:
    """Times in the forms that the programs use are quoted, and nothing after them."""
    assert resets_in(notice) == resets


def test_passages_are_blanked_and_single_words_stay() -> None:
    """Three words in a row, or the whole of a shorter message, are taken for a repetition."""
    said = Said([Message(Role.USER, "The red house stands"), Message(Role.USER, "Ok then")])
    text = "a red house; THE RED, house stands! ok then, ok"
    assert said.without_passages(text) == "a red house; … …, … …! … …, ok"
