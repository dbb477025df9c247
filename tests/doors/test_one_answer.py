"""`pace chat` that answers once: what it is sent, what it prints, and how it ends."""

import asyncio
from pathlib import Path

import pytest

from doors.running import FAULT, PACE, chat_server, environment, run_pace, run_unread

LOCAL = ("chat", "--base-url")


async def test_prints_the_reply_and_nothing_else(tmp_path: Path) -> None:
    """Words on the command line are answered on standard output, with a line end."""
    async with chat_server("It is noon.") as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, "What", "time?")
    assert (ended.status, ended.out, ended.err) == (0, "It is noon.\n", "")
    assert server.sent[0][-1]["content"] == "What time?"


async def test_reasoning_that_was_printed_is_told_apart(tmp_path: Path) -> None:
    """B60: what cannot be unsaid stands on lines of its own, and a notice says what it was."""
    async with chat_server("It is my plan.</think>\n\nIt is noon.") as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, "What", "time?")
    assert ended.out == "It is my plan.\nIt is noon.\n"
    assert "reasoning" in ended.err


async def test_piped_lines_are_one_message(tmp_path: Path) -> None:
    """Five piped lines are one message with four line ends."""
    async with chat_server() as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, given=b"a\nb\nc\nd\ne\n")
    assert ended.status == 0
    assert [messages[1:] for messages in server.sent] == [
        [{"role": "user", "content": "a\nb\nc\nd\ne"}]
    ]


async def test_piped_text_is_added_to_the_words(tmp_path: Path) -> None:
    """Piped text follows the words after a blank line; bytes that are no UTF-8 are replaced."""
    async with chat_server() as server:
        await run_pace(tmp_path, *LOCAL, server.url, "Sum up:", given=b"caf\xe9 \xc3\xa9\n")
    assert server.sent[0][-1]["content"] == "Sum up:\n\ncaf\ufffd é"


async def test_nothing_to_say_is_asked_wrongly(tmp_path: Path) -> None:
    """Empty input is refused before any planner is asked."""
    async with chat_server() as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, given=b" \n")
    assert (ended.status, ended.out, server.sent) == (2, "", [])
    assert ended.err.startswith("pace: There are no words")


async def test_failed_planner_is_one_sentence(tmp_path: Path) -> None:
    """A planner's error is one line on standard error and status 1."""
    async with chat_server(FAULT) as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, "Hi")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.count("\n") == 1
    assert "HTTP 500" in ended.err


async def test_nobody_answers(tmp_path: Path) -> None:
    """A server that is not there is named, with what to do."""
    async with chat_server() as server:
        url = server.url
    ended = await run_pace(tmp_path, *LOCAL, url, "Hi")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        f"pace: Nothing answers at the server at {url}. Start it, or check its address.\n"
    )


async def test_reader_that_leaves_is_quiet(tmp_path: Path) -> None:
    """A closed standard output is no fault worth a word."""
    async with chat_server() as server:
        ended = await run_unread(tmp_path, *LOCAL, server.url, "Hi")
    assert (ended.status, ended.err) == (0, "")


async def test_markers_of_a_terminal_are_shown(tmp_path: Path) -> None:
    """What a model writes to move a cursor or touch the clipboard is printed as visible signs."""
    async with chat_server("safe\x1b[2K\x1b]52;c;aGk=\x07\u202etail") as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, "Hi")
    assert not any(sign in ended.out for sign in "\x1b\x07\u202e")
    assert ended.out.startswith("safe\\x1b[2K")


async def test_interrupt_keeps_what_was_printed(tmp_path: Path) -> None:
    """SIGINT during the reply ends its line and gives 130."""
    async with chat_server("Step one. Ste...") as server:
        process = await asyncio.create_subprocess_exec(
            *(str(PACE), *LOCAL, server.url, "How?"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(tmp_path),
        )
        assert process.stdout is not None
        first = await process.stdout.readexactly(16)
        process.send_signal(2)
        rest, err = await process.communicate()
    assert (process.returncode, first + rest, err) == (130, b"Step one. Ste...\n", b"")


@pytest.mark.parametrize(
    ("flags", "env", "expected"),
    [
        ((), {}, "from the file"),
        ((), {"PACE_PLANNER__INSTRUCTIONS": "from outside"}, "from outside"),
        (("--system", "from a flag"), {"PACE_PLANNER__INSTRUCTIONS": "out"}, "from a flag"),
    ],
    ids=["file", "environment over file", "flag over both"],
)
async def test_precedence(
    tmp_path: Path, flags: tuple[str, ...], env: dict[str, str], expected: str
) -> None:
    """A flag stands above the environment, and that above the file."""
    (tmp_path / "settings.toml").write_text('[planner]\ninstructions = "from the file"\n')
    async with chat_server() as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, *flags, "Hi", env=env)
    assert ended.status == 0
    assert server.sent[0][0]["content"] == expected


async def test_system_prompt_from_a_file(tmp_path: Path) -> None:
    """After an @ stands the file that holds the system prompt; one that is missing is named."""
    (tmp_path / "words.txt").write_text("Be a lighthouse keeper.\n")
    async with chat_server() as server:
        await run_pace(tmp_path, *LOCAL, server.url, "--system", f"@{tmp_path}/words.txt", "Hi")
        missing = await run_pace(tmp_path, *LOCAL, server.url, "--system", "@/none.txt", "Hi")
    assert server.sent[0][0]["content"] == "Be a lighthouse keeper."
    assert missing.status == 2
    assert "/none.txt" in missing.err


async def test_broken_settings_are_told_and_kept(tmp_path: Path) -> None:
    """A broken settings file is kept aside and named, and the answer comes all the same."""
    (tmp_path / "settings.toml").write_text("[planner\n")
    async with chat_server() as server:
        ended = await run_pace(tmp_path, *LOCAL, server.url, "Hi")
    assert (ended.status, ended.out) == (0, "Reply 1.\n")
    assert "settings.toml.broken-1" in ended.err
    assert (tmp_path / "settings.toml.broken-1").read_text() == "[planner\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chat", "--window", "9", "Hi"), "1 to 8. Check --window."),
        (("chat", "--idle", "soon", "Hi"), "5 to 60. Check --idle."),
        (("chat", "--tier", "fast", "Hi"), "There is no tier 'fast'."),
        (("chat", "--base-url", "http://example.com/v1", "Hi"), "not on this machine"),
        (("chat", "--tier", "local", "Hi"), "planner.base_url"),
        (("chat", "--base-url", "http://127.0.0.1:1", "--tier", "embedded", "Hi"), "--tier local"),
        (("chat", "--model", "nosuch", "Hi"), "There is no model"),
        (("chat", "--jsonl", "Hi"), "leave out TEXT"),
        (("chat", "--system", "@", "Hi"), "--system: after the @ stands no file. Write"),
        (("chat", "--system", "@/", "Hi"), "--system: / cannot be read"),
        (("settings", "planner.instructions", "@"), "planner.instructions: after the @"),
        (("chat", "--nosuch"), "See: pace chat --help"),
        (("nosuch",), "See: pace --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
async def test_asked_wrongly(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """A wrong flag is one sentence with the next step, and status 2."""
    ended = await run_pace(tmp_path, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert said in ended.err


async def test_wrong_environment_is_named(tmp_path: Path) -> None:
    """A wrong value in the environment names its variable."""
    ended = await run_pace(tmp_path, "chat", "Hi", env={"PACE_ACTIVITY__WINDOW": "0"})
    assert ended.status == 2
    assert "PACE_ACTIVITY__WINDOW" in ended.err


@pytest.mark.parametrize("value", ["5", "x"])
async def test_a_variable_without_a_setting_is_refused(tmp_path: Path, value: str) -> None:
    """A variable that names a section alone is not passed over in silence."""
    ended = await run_pace(tmp_path, "settings", env={"PACE_ACTIVITY": value})
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("pace: PACE_ACTIVITY in the environment names no setting.")


async def test_closed_streams_do_no_harm(tmp_path: Path) -> None:
    """A pace that was started without standard input and output ends well."""
    async with chat_server() as server:
        process = await asyncio.create_subprocess_exec(
            *("/bin/sh", "-c", 'exec "$0" "$@" <&- >&-', str(PACE), *LOCAL, server.url, "Hi"),
            stderr=asyncio.subprocess.PIPE,
            env=environment(tmp_path),
        )
        _, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert len(server.sent) == 1
