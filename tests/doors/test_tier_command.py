"""`pace tier` and `pace privacy`: who could answer, who gets words, and that none leave unasked."""

import json
import os
import shlex
import sqlite3
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from doors.running import FAULT, chat_server, machine, run_pace
from pace.planners.sent_log import SentKind, SentLog

KEY = "sk-CANARY-0123456789abcdef"
BESIDE = Path(__file__).parent


def nobody(tmp_path: Path) -> dict[str, str]:
    """An environment with no programs, no keys and a keyring of its own."""
    return {
        "PATH": str(tmp_path / "bin"),
        "PYTHONPATH": f"{BESIDE}:{os.environ.get('PYTHONPATH', '')}",
        "PYTHON_KEYRING_BACKEND": "kept_in_a_file.FileKeyring",
        "PACE_TEST_KEYRING": str(tmp_path / "keyring.json"),
        "ANTHROPIC_API_KEY": "",
        "OPENAI_API_KEY": "",
        "OPENROUTER_API_KEY": "",
        "PACE_API_KEY": "",
    }


def everybody(tmp_path: Path) -> dict[str, str]:
    """An environment with each vendor's program, which does nothing, and each key."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name in ("claude", "codex", "gemini"):
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"), KEY)
    return nobody(tmp_path) | keys


def saved(home: Path) -> dict[str, Any]:
    return tomllib.loads((home / "settings.toml").read_text())


def rows_of(table: str) -> dict[str, str]:
    """Each line of the table by its name."""
    lines = [line.lstrip("* ") for line in table.partition("\n\n")[0].splitlines()[1:]]
    return {line.split()[0]: line for line in lines}


async def test_all_that_could_answer_are_listed(tmp_path: Path) -> None:
    """Every tier and provider has a line: here or not and why, who gets words; one is active."""
    home, env = tmp_path / "home", nobody(tmp_path)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "claude"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    ended = await run_pace(home, "tier", env={**env, "OPENAI_API_KEY": KEY})
    assert (ended.status, ended.err) == (0, "")
    rows = rows_of(ended.out)
    assert "  installed  " in rows["claude"]
    assert "signs in with: claude auth login" in rows["claude"]
    assert "Anthropic" in rows["claude"]
    assert "  yes  " in rows["openai"]
    assert "api.openai.com" in rows["openai"]
    assert "not installed" in rows["codex"]
    assert "pace tier key anthropic" in rows["anthropic"]
    assert "pace models get" in rows["embedded"]
    assert {"apple", "custom", "gemini", "openrouter"} <= set(rows)
    assert next(line for line in ended.out.splitlines() if line.startswith("*")).split()[1] == (
        "embedded"
    )
    assert "your words stay on this machine" in ended.out
    assert KEY not in ended.out
    assert not home.exists()


async def test_a_server_here_is_listed_with_its_models(tmp_path: Path) -> None:
    """The server of the settings is asked what it is, and is sent no word; down, it is said so."""
    env = nobody(tmp_path)
    async with chat_server() as server:
        await run_pace(tmp_path, "tier", "local", "--base-url", server.url, env=env)
        up = await run_pace(tmp_path, "tier", env=env)
        assert server.sent == []
    down = await run_pace(tmp_path, "tier", env=env)
    assert up.out.count("\n*") == down.out.count("\n*") == 1
    assert f"vLLM at {server.url}: scripted" in rows_of(up.out)["vllm"]
    assert "  yes  " in rows_of(up.out)["vllm"]
    assert f"nothing answers at {server.url}" in rows_of(down.out)["local"]


@pytest.mark.parametrize("name", ["anthropic", "claude", "openai", "codex", "gemini", "openrouter"])
async def test_without_consent_nothing_is_switched(tmp_path: Path, name: str) -> None:
    """Where nobody can be asked, one sentence says who would get what, and how to agree."""
    ended = await run_pace(tmp_path / "home", "tier", name, env=everybody(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("pace: Every message, and the summary of the conversation, go to")
    assert ended.err.endswith(f"pace tier {name} --agree\n")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claude", "The program claude is not installed. Install it with: npm install"),
        ("codex", "sign in with: codex login"),
        ("gemini", "The program gemini is not installed."),
        ("anthropic", "There is no key for Anthropic. Store one with: pace tier key anthropic"),
        ("openrouter", "set OPENROUTER_API_KEY"),
        pytest.param(
            *("apple", "needs macOS 26"),
            marks=pytest.mark.skipif(sys.platform == "darwin", reason="it may be there"),
        ),
    ],
)
async def test_who_cannot_answer_is_not_switched_to(tmp_path: Path, name: str, said: str) -> None:
    """What is missing is said before any agreement is asked for or kept, and nothing is saved."""
    ended = await run_pace(tmp_path / "home", "tier", name, "--agree", env=nobody(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
    assert "answers" not in ended.err
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("codex", "The program codex is not installed."),
        ("openai", "There is no key for OpenAI. Store one with: pace tier key openai"),
    ],
)
@pytest.mark.parametrize("agreed", ["", "cli:codex, direct:api.openai.com"])
@pytest.mark.parametrize("words", [("Hi",), ("--jsonl",)], ids=["once", "machine"])
async def test_who_cannot_answer_is_not_named_by_a_flag(
    tmp_path: Path, name: str, said: str, agreed: str, words: tuple[str]
) -> None:
    """One sentence says what is missing, agreed to or not; no question, and no yes that is kept."""
    env = nobody(tmp_path) | {"PACE_PRIVACY__AGREED": agreed}
    ended = await run_pace(tmp_path / "home", "chat", "--tier", name, *words, env=env)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"pace: {said}")
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "home" / "settings.toml").exists()


async def test_nothing_is_counted_for_a_program_that_is_not_there(tmp_path: Path) -> None:
    """Where no program was started, no word left this machine, and the log says so."""
    home = tmp_path / "home"
    await run_pace(home, "tier", "claude", "--agree", env=everybody(tmp_path))
    gone = nobody(tmp_path) | {"PATH": "/nonexistent"}
    ended = await run_pace(home, "chat", "Hi", env=gone)
    assert ended.status == 1
    assert "The program claude is not installed" in ended.err
    assert json.loads((await run_pace(home, "privacy", "--json", env=gone)).out)["sent"] == []


async def test_a_key_that_cannot_be_kept_is_not_asked_for(tmp_path: Path) -> None:
    """Without a keyring that is said first; what was piped in is not read."""
    env = {**nobody(tmp_path), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    ended = await run_pace(tmp_path / "home", "tier", "key", "openai", given=b"short", env=env)
    assert (ended.status, ended.out) == (2, "")
    assert "no keyring that keeps keys. Set OPENAI_API_KEY instead." in ended.err


async def test_a_server_that_is_not_up_is_known(tmp_path: Path) -> None:
    """Its name is no unknown tier: where it would answer is said, and how it is started."""
    ended = await run_pace(tmp_path / "home", "tier", "vllm", env=nobody(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert "No vLLM answers at http://127.0.0.1:8000/v1. Start it with: vllm serve" in ended.err


async def test_a_flag_needs_consent_too(tmp_path: Path) -> None:
    """A tier of one run is asked for like any other, and sends nothing unasked."""
    async with chat_server() as server:
        flags = ("--tier", "custom", "--base-url", server.url)
        once = await run_pace(tmp_path / "home", "chat", *flags, "Hi", env=nobody(tmp_path))
        async with machine(tmp_path / "home", None, *flags, env=nobody(tmp_path)) as pace:
            status, _, told = await pace.end()
    assert (once.status, status) == (2, 2)
    for said in (once.err, told):
        assert said.endswith(f"pace tier custom --base-url {server.url} --agree\n")
    assert server.server.requests == []


async def test_what_was_agreed_to_is_sent_counted_and_shown(tmp_path: Path) -> None:
    """After consent words go there, are counted without being kept, and each answer says so."""
    home, env = tmp_path / "home", nobody(tmp_path)
    async with chat_server("One.", "Two.") as server:
        agreed = await run_pace(
            *(home, "tier", "custom", "--base-url", server.url, "--agree"), env=env
        )
        assert (agreed.status, agreed.err) == (0, "")
        host = server.url.removeprefix("http://").removesuffix("/v1")
        assert f"go to {host}" in agreed.out
        assert saved(home)["privacy"]["agreed"] == f"direct:http://{host}"
        for words in ("CANARYONE", "CANARYTWO"):
            ended = await run_pace(home, "chat", words, env=env)
            assert (ended.status, ended.err) == (
                0,
                f"pace: custom answers; your words go to {host}.\n",
            )
    told = json.loads((await run_pace(home, "privacy", "--json", env=env)).out)
    [sent] = told["sent"]
    assert (sent["tier"], sent["host"], sent["kind"], sent["requests"]) == (
        *("direct", host, "turn", 2),
    )
    assert sent["bytes"] == sum(
        len(message["content"].encode()) for messages in server.sent for message in messages
    )
    assert b"CANARY" not in (home / "data" / "sent.db").read_bytes()
    shown = await run_pace(home, "privacy", env=env)
    assert f"{host}, unencrypted  (withdraw it: pace privacy forget http://{host})" in shown.out
    cleared = await run_pace(home, "privacy", "clear", env=env)
    assert cleared.status == 0
    assert json.loads((await run_pace(home, "privacy", "--json", env=env)).out)["sent"] == []


async def test_consent_can_be_withdrawn(tmp_path: Path) -> None:
    """Whoever was agreed to by mistake gets nothing more; what was not agreed to is said."""
    home, env = tmp_path / "home", everybody(tmp_path)
    await run_pace(home, "tier", "claude", "--agree", env=env)
    withdrawn = await run_pace(home, "privacy", "forget", "claude", env=env)
    assert "Withdrawn: Anthropic, through the program claude." in withdrawn.out
    listed = await run_pace(home, "tier", env=env)
    assert (
        "claude is set, and gets no word until you agree (with: pace tier claude --agree)."
        in listed.out
    )
    assert "claude answers" not in listed.out
    assert saved(home)["privacy"]["agreed"] == ""
    refused = await run_pace(home, "chat", "Hi", env=env)
    assert refused.status == 2
    again = await run_pace(home, "privacy", "forget", "claude", env=env)
    assert (again.status, again.err) == (
        2,
        "pace: You have not agreed to 'claude'. You have agreed to: nothing.\n",
    )


async def test_consent_is_withdrawn_by_the_name_that_picks(tmp_path: Path) -> None:
    """Whoever answers by then; what is not agreed to is said with the names of what is."""
    home, env = tmp_path / "home", everybody(tmp_path)
    for name in ("openai", "claude", "embedded"):
        await run_pace(home, "tier", name, "--agree", env=env)
    shown = await run_pace(home, "privacy", env=env)
    assert "api.openai.com  (withdraw it: pace privacy forget openai)" in shown.out
    wrong = await run_pace(home, "privacy", "forget", "anthropic", env=env)
    assert wrong.status == 2
    assert wrong.err == (
        "pace: You have not agreed to 'anthropic'. You have agreed to: openai (api.openai.com); "
        "claude (Anthropic, through the program claude).\n"
    )
    withdrawn = await run_pace(home, "privacy", "forget", "openai", env=env)
    assert withdrawn.out.startswith("Withdrawn: api.openai.com.")
    assert saved(home)["privacy"]["agreed"] == "cli:claude"


async def test_the_command_that_agrees_works_as_it_is_told(tmp_path: Path) -> None:
    """What the refusal names, typed as it stands, agrees to that address and switches to it."""
    home, env = tmp_path / "home", nobody(tmp_path)
    url = "https://api.example.com/v1"
    for refused in (
        ("chat", "--tier", "custom", "--base-url", url, "Hi"),
        ("tier", "custom", "--base-url", url, "--model", "two words"),
    ):
        told = (await run_pace(home, *refused, env=env)).err
        _, _, command = told.strip().rpartition("pace tier ")
        agreed = await run_pace(home, "tier", *shlex.split(command), env=env)
        assert agreed.status == 0
        assert saved(home)["privacy"]["agreed"] == "direct:api.example.com"
        assert saved(home)["planner"]["base_url"] == url
        await run_pace(home, "privacy", "forget", "custom", env=env)
    assert saved(home)["planner"]["model"] == "two words"


async def test_an_odd_row_of_the_log_is_told(tmp_path: Path) -> None:
    """Privacy shows what it can, and says that there is more."""
    home, env = tmp_path / "home", nobody(tmp_path)
    log = SentLog(home / "data" / "sent.db")
    log.add(tier="direct", host="api.example.com", kind=SentKind.TURN, size=5)
    with closing(sqlite3.connect(log.path)) as connection, connection:
        connection.execute("INSERT INTO sent VALUES (1, 'direct', 'x', 'dream', 1, 1)")
    shown = await run_pace(home, "privacy", env=env)
    assert (shown.status, shown.err) == (0, "")
    assert "1 row of the log makes no sense" in shown.out
    assert "api.example.com" in shown.out
    assert (
        json.loads((await run_pace(home, "privacy", "--json", env=env)).out)["sent_odd_rows"] == 1
    )


async def test_switching_drops_what_only_the_former_tier_knows(tmp_path: Path) -> None:
    """A model's name goes with its tier, and the address of a server here is kept for its own."""
    home, env = tmp_path / "home", everybody(tmp_path)
    url = "http://127.0.0.1:9/v1"
    await run_pace(home, "tier", "local", "--base-url", url, "--model", "llama3", env=env)
    assert saved(home)["planner"] == {"tier": "local", "base_url": url, "model": "llama3"}
    await run_pace(home, "tier", "anthropic", "--agree", env=env)
    assert saved(home)["planner"] == {"tier": "direct", "provider": "anthropic", "base_url": url}
    ended = await run_pace(home, "tier", "local", env=env)
    said = f"local is set; your words stay on this machine. Nothing answers at {url} now. Start it"
    assert ended.out.startswith(said)
    assert saved(home)["planner"] == {"tier": "local", "base_url": url}


async def test_one_run_takes_a_server_by_its_name(tmp_path: Path) -> None:
    """What `pace tier` calls a server is a word for --tier, and what is set stays set."""
    home, env = tmp_path / "home", nobody(tmp_path)
    async with chat_server("Here.") as server:
        named = ("--tier", "Ollama", "--base-url", server.url)
        ended = await run_pace(home, "chat", *named, "Hi", env=env)
    assert (ended.status, ended.out, ended.err) == (0, "Here.\n", "")
    assert not (home / "settings.toml").exists()


async def test_the_key_goes_into_the_keyring_and_nowhere_else(tmp_path: Path) -> None:
    """Piped in, it is in no output and no file of ours; it counts as there; it can be removed."""
    home, env = tmp_path / "home", nobody(tmp_path)
    kept = await run_pace(home, "tier", "key", "openai", given=f"{KEY}\n".encode(), env=env)
    assert (kept.status, kept.err) == (0, "")
    assert json.loads((tmp_path / "keyring.json").read_text()) == {"pace openai": KEY}
    listed = await run_pace(home, "tier", env=env)
    assert "there is a key in the keyring" in rows_of(listed.out)["openai"]
    removed = await run_pace(home, "tier", "key", "openai", "--remove", env=env)
    assert "gone" in removed.out
    assert json.loads((tmp_path / "keyring.json").read_text()) == {}
    for ended in (kept, listed, removed):
        assert "CANARY" not in ended.out + ended.err
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tier", "skynet"), "There is no tier 'skynet'"),
        (("tier", "embedded", "--model", "nope"), "There is no model 'nope'"),
        (("tier", "cli"), "claude, codex or gemini"),
        (("tier", "direct"), "anthropic, openai, openrouter or custom"),
        (("tier", "local", "--base-url", "https://example.com/v1"), "tier local"),
        (("tier", "custom", "--base-url", "http://example.com/v1"), "could be read on the way"),
        (("tier", "openai", "--base-url", "https://example.com/v1"), "local or custom"),
        (("tier", "key", "claude"), "signs in by itself"),
        (("tier", "key", "skynet"), "Name one of anthropic"),
        (("tier", "key"), "See: pace tier --help"),
        (("tier", "--agree"), "Say whom these options are for"),
        (("chat", "--tier", "skynet", "Hi"), "Check --tier."),
        (("chat", "--tier", "cli", "Hi"), "claude, codex or gemini"),
        (("chat", "--tier", "claude", "--base-url", "http://127.0.0.1:1/v1", "Hi"), "--tier local"),
        (("settings", "planner.provider", "nobody"), "claude, codex, gemini"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
async def test_asked_wrongly(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """One sentence with the next step, status 2, and nothing is changed."""
    ended = await run_pace(tmp_path / "home", *arguments, env=nobody(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert said in ended.err
    assert not (tmp_path / "home").exists()


async def test_a_server_that_is_down_is_never_replaced(tmp_path: Path) -> None:
    """B73: the error names who else could answer; nobody else is asked or sent a word."""
    home, env = tmp_path / "home", {**nobody(tmp_path), "ANTHROPIC_API_KEY": KEY}
    await run_pace(home, "tier", "anthropic", "--agree", env=env)
    async with chat_server() as server:
        url = server.url
    # Whoever connects elsewhere, proxies included, would be seen here.
    async with chat_server() as watching:
        proxies = dict.fromkeys(("HTTPS_PROXY", "ALL_PROXY", "HTTP_PROXY"), watching.server.url)
        ended = await run_pace(home, "chat", "--base-url", url, "Hi", env=env | proxies)
    assert (ended.status, ended.out) == (1, "")
    error, offer = ended.err.splitlines()
    assert error == f"pace: Nothing answers at the server at {url}. Start it, or check its address."
    assert "pace tier anthropic (sends words to api.anthropic.com)" in offer
    assert watching.server.requests == []
    assert not (home / "data" / "sent.db").exists()
    assert KEY not in ended.err


async def test_falling_back_is_said_first_and_named(tmp_path: Path, tiny: Path) -> None:
    """B73: switched on, the model here answers after a notice; the journal names it."""
    home = tmp_path / "home"
    models = home / "cache" / "models"
    models.mkdir(parents=True)
    (models / tiny.name).symlink_to(tiny)
    env = {
        **nobody(tmp_path),
        "PACE_PLANNER__FALL_BACK": "on",
        "PACE_PLANNER__REPLY_TOKENS": "16",
        "PACE_PLANNER__MODEL": "nosuch",
    }
    async with chat_server(FAULT, FAULT, FAULT) as server:
        ended = await run_pace(home, "chat", "--base-url", server.url, "Say hello.", env=env)
    assert ended.status == 0
    assert "HTTP 500" in ended.err
    assert "This turn is answered by" in ended.err
    assert ended.out.strip()
    listed = await run_pace(home, "history", "export", "--format", "jsonl", env=env)
    [turn] = [json.loads(line) for line in listed.out.splitlines() if '"reply' in line]
    assert "SmolLM" in json.dumps(turn)


async def test_a_model_that_is_not_here_is_not_fetched_to_fall_back(tmp_path: Path) -> None:
    """What falling back needs is named, and the chosen server answers as always."""
    env = {**nobody(tmp_path), "PACE_PLANNER__FALL_BACK": "on"}
    async with chat_server("Here.") as server:
        ended = await run_pace(tmp_path, "chat", "--base-url", server.url, "Hi", env=env)
    assert (ended.status, ended.out) == (0, "Here.\n")
    assert "pace models get" in ended.err
