"""Machine mode, end to end: a real process, and a server that records what a planner is sent."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from doors.running import (
    FAULT,
    Message,
    chat_server,
    machine,
    run_unread,
)
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.lines import InputLines
from pace.doors.cli.machine import MachineMode
from pace.doors.open_chat import OpenChat
from pace.planners.tiers import OpenedPlanner
from pace.settings_file import SettingsFile
from pace.testing import ScriptedPlanner

BLOCK = "<conversation_so_far>"


def roles(messages: list[Message]) -> list[str]:
    return [message["role"] for message in messages]


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_bounded_requests(tmp_path: Path) -> None:
    """Twelve turns at K = 2 send system and block, the last two pairs as said, and the words."""
    async with chat_server() as server, machine(tmp_path, server, "--window", "2") as pace:
        for number in range(1, 13):
            reply = await pace.say(f"Word {number} of gate {number}00.")
            assert (reply["type"], reply["text"]) == ("reply", f"Reply {number}.")
            await pace.command("settle")
    for number, messages in enumerate(server.sent, start=1):
        shown = range(max(1, number - 2), number)
        assert messages[1:] == [
            message
            for pair in shown
            for message in (
                {"role": "user", "content": f"Word {pair} of gate {pair}00."},
                {"role": "assistant", "content": f"Reply {pair}."},
            )
        ] + [{"role": "user", "content": f"Word {number} of gate {number}00."}]
        assert messages[0]["role"] == "system"
        assert messages[0]["content"].count(BLOCK) == (1 if number > 3 else 0)
        for folded in range(1, number - 2):
            assert f"{folded}00" in messages[0]["content"]
    assert len(server.sent) == 12


async def test_reply_says_what_the_prompt_held(tmp_path: Path) -> None:
    """A reply comes after its deltas, whole, with the tokens of each part adding up."""
    async with (
        chat_server("Hello there, and welcome.") as server,
        machine(tmp_path, server) as pace,
    ):
        *deltas, reply = await pace.ask({"text": "Hello"})
    assert {line["type"] for line in deltas} == {"delta"}
    assert "".join(line["text"] for line in deltas) == reply["text"] == "Hello there, and welcome."
    assert reply["interrupted"] is False
    prompt = reply["prompt"]
    assert prompt["tokens"] == sum(prompt["parts"].values())
    assert list(prompt["parts"]) == [
        *("system", "summary", "pending", "window", "facts", "recalled", "words")
    ]
    assert prompt["gave_way"] == []


@pytest.mark.parametrize(("window", "verbatim"), [(1, 2), (4, 8)])
async def test_window_is_what_was_asked(tmp_path: Path, window: int, verbatim: int) -> None:
    """After six pairs a request holds exactly K pairs word for word."""
    async with chat_server() as server, machine(tmp_path, server, "--window", str(window)) as pace:
        for number in range(7):
            await pace.say(f"Word {number}")
    assert len(server.sent[-1]) - 2 == verbatim


async def test_window_of_none_is_refused(tmp_path: Path) -> None:
    """A window of no pairs is turned down with its range, and the one before holds."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.say("One")
        error = await pace.command("window", value=0)
        memory = await pace.command("memory")
    assert error["type"] == "error"
    assert error["kind"] == "asked_wrongly"
    assert "1 to 8" in error["message"]
    assert [pair["user"] for pair in memory["window"]] == ["One"]


async def test_changes_apply_at_the_next_turn(tmp_path: Path) -> None:
    """A smaller window displaces at once; memory off leaves each turn alone, without a block."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        for number in range(1, 5):
            await pace.say(f"Platform {number}17.")
        memory = await pace.command("window", value=2)
        assert len(memory["window"]) == 2
        memory = await pace.command("settle")
        assert memory["pending"] == []
        assert memory["made_by"] == "extractive"
        assert "117" in memory["summary"]
        assert "217" in memory["summary"]
        await pace.say("Next.")
        assert len(server.sent[-1]) == 6
        assert (await pace.command("idle", value=5))["type"] == "memory"
        ended, memory = await pace.ask({"command": "remember", "value": False})
        assert (ended["type"], ended["cause"]) == ("ended", "off")
        assert (memory["remember"], memory["window"], memory["summary"]) == (False, [], "")
        await pace.say("Alone.")
        await pace.say("Alone again.")
    for messages in server.sent[-2:]:
        assert roles(messages) == ["system", "user"]
        assert BLOCK not in messages[0]["content"]


async def test_memory_shows_what_was_recalled(tmp_path: Path) -> None:
    """With recall on, and only then."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        assert "recall" not in await pace.command("memory")
        await pace.end()
    (tmp_path / "settings.toml").write_text("[activity]\nrecall = true\nwindow = 1\n")
    async with chat_server() as server, machine(tmp_path, server) as pace:
        for words in ("Platform 117, gate 7.", "It rains.", "Which gate had platform 117?"):
            await pace.say(words)
            memory = await pace.command("settle")
    assert memory["recall"]["kept"] == 2
    assert "Platform 117, gate 7." in memory["recall"]["recalled"]
    assert "rains" not in memory["recall"]["recalled"]


async def test_commands_leave_the_settings_file_alone(tmp_path: Path) -> None:
    """What a script sets in machine mode is of that run, and never written."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.command("window", value=8)
        await pace.end()
    assert not (tmp_path / "settings.toml").exists()


async def test_failed_turn_is_never_sent_again(tmp_path: Path) -> None:
    """A turn that the planner failed leaves nothing in the next request, in memory or in folds."""
    async with chat_server(FAULT) as server, machine(tmp_path, server) as pace:
        error = await pace.say("Delete my alarms.")
        await pace.say("What is 2 + 2?")
        memory = await pace.command("settle")
    assert error["type"] == "error"
    assert error["kind"] == "planner_refused"
    assert server.sent[1][1:] == [{"role": "user", "content": "What is 2 + 2?"}]
    assert "alarms" not in str(server.sent[1])
    assert "alarms" not in str(memory)


WRONG_LINES = [
    b"",
    b"hello",
    b"[1, 2]",
    b'"text"',
    b"{}",
    b'{"text": 7}',
    b'{"text": "a", "command": "reset"}',
    b'{"text": "a", "text": "b"}',
    b'{"text": "a", "mood": "fine"}',
    b'{"command": "fly"}',
    b'{"command": ["reset"]}',
    b'{"command": "reset", "now": true}',
    b'{"command": "window"}',
    b'{"command": "window", "value": true}',
    b'{"command": "window", "value": "6"}',
    b'{"command": "window", "value": 9}',
    b'{"command": "window", "value": 1e999}',
    b'{"command": "idle", "value": 4}',
    b'{"command": "remember", "value": 0}',
    b'{"command": "settle", "seconds": "soon"}',
    b'{"command": "settle", "seconds": -1}',
    b'{"command": "settle", "seconds": NaN}',
    b"[" * 100_000,
    b'{"text": "' + b"x" * 9_000_000 + b'"}',
]


async def test_wrong_line_is_one_error(tmp_path: Path) -> None:
    """A line that asks wrongly gets one error, loses nothing, and the next line is answered."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.say("Before.")
        for line in WRONG_LINES:
            answers = await pace.ask(line)
            assert [answer["type"] for answer in answers] == ["error"], line[:40]
            assert answers[0]["kind"] == "asked_wrongly", line[:40]
            assert answers[0]["message"], line[:40]
        memory = await pace.command("memory")
    assert [pair["user"] for pair in memory["window"]] == ["Before."]


async def test_blank_words_are_an_error(tmp_path: Path) -> None:
    """Words that show nothing reach no planner."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        error = await pace.say(" \u200b\n")
    assert error["kind"] == "empty_words"
    assert server.sent == []


async def test_words_that_do_not_fit_are_an_error(tmp_path: Path) -> None:
    """Words longer than the planner's context are refused, and the thread stays usable."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        error = await pace.say("word " * 20_000)
        reply = await pace.say("Short.")
    assert error["kind"] == "too_long"
    assert reply["type"] == "reply"


async def test_reasoning_that_was_shown_is_taken_back(tmp_path: Path) -> None:
    """B60: a line says that the deltas so far were reasoning; they are stored and sent nowhere."""
    reasoned = "secret991 is my plan.</think>\n\nIt is noon."
    async with chat_server(reasoned, "Yes.") as server, machine(tmp_path, server) as pace:
        *lines, reply = await pace.ask({"text": "What time?"})
        await pace.say("Sure?")
    at = lines.index({"type": "taken_back", "kept": ""})
    assert "".join(line["text"] for line in lines[at + 1 :]) == reply["text"] == "It is noon."
    assert server.sent[1][2] == {"role": "assistant", "content": "It is noon."}
    assert b"secret991" not in everything_in(tmp_path)


async def test_half_characters_and_nul_survive(tmp_path: Path) -> None:
    """Half a surrogate pair, a NUL and a line separator come back as good JSON on one line."""
    async with chat_server("a\u2028b\x00c") as server, machine(tmp_path, server) as pace:
        *_, reply = await pace.ask(b'{"text": "x\\ud83d\\u0000y"}')
        memory = await pace.command("memory")
    assert reply["text"] == "a\u2028b\x00c"
    assert memory["window"][0]["user"].endswith("\x00y")


async def test_unknown_command_may_quote_half_a_character(tmp_path: Path) -> None:
    """An error that quotes what was sent is itself good JSON."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        *_, error = await pace.ask(b'{"command": "\\ud800"}')
    assert error["kind"] == "asked_wrongly"


async def test_reset_ends_the_session_once(tmp_path: Path) -> None:
    """A reset tells the end of the session, then shows a new and empty one."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.say("My gate is 42.")
        before = await pace.command("memory")
        ended, memory = await pace.ask({"command": "reset"})
        await pace.say("Where?")
    assert ended == {"type": "ended", "session": before["session"], "cause": "reset"}
    assert memory["session"] != before["session"]
    assert memory["window"] == []
    assert "42" not in str(server.sent[-1])


async def test_take_back(tmp_path: Path) -> None:
    """The last pair can be taken back; with none left it is an error."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.say("One")
        memory = await pace.command("take_back")
        error = await pace.command("take_back")
    assert memory["window"] == []
    assert error["kind"] == "asked_wrongly"


async def test_end_of_input_folds_and_closes(tmp_path: Path) -> None:
    """At the end of input the session is closed with one line, and nothing but JSON was said."""
    async with chat_server() as server, machine(tmp_path, server, "--window", "1") as pace:
        for number in range(3):
            await pace.say(f"Word {number}")
        status, lines, err = await pace.end()
    assert status == 0
    assert [(line["type"], line["cause"]) for line in lines] == [("ended", "closed")]
    assert err == ""


async def test_whole_input_at_once(tmp_path: Path) -> None:
    """Lines that are all there at the start are answered in order, the last without a line end."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.send(b'{"text": "A"}\n{"text": "B"}\n\xef\xbb\xbf{"command": "memory"}')
        _, lines, _ = await pace.end()
    answers = [line["type"] for line in lines if line["type"] != "delta"]
    assert answers == ["reply", "reply", "memory", "ended"]


async def test_interrupt_stops_the_reply(tmp_path: Path) -> None:
    """SIGINT during a reply keeps what was said, marked; the next request alternates roles."""
    async with chat_server("Step one. Ste...") as server, machine(tmp_path, server) as pace:
        await pace.send(b'{"text": "How?"}')
        assert (await pace.next())["type"] == "delta"
        pace.interrupt()
        *_, reply = await pace.heard()
        memory = await pace.command("memory")
        await pace.say("Go on.")
    assert reply["interrupted"] is True
    assert reply["text"] == "Step one. Ste..."
    assert memory["window"][0]["interrupted"] is True
    assert roles(server.sent[-1]) == ["system", "user", "assistant", "user"]
    assert server.sent[-1][2]["content"] == "Step one. Ste... [interrupted]"


async def test_interrupt_before_the_first_word(tmp_path: Path) -> None:
    """SIGINT before the first word counts as failed: one error, and nothing is remembered."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        arrived = asyncio.Event()

        async def hang(*_: object) -> None:
            arrived.set()
            await asyncio.Event().wait()

        server.server.handlers["/v1/chat/completions"] = hang
        await pace.send(b'{"text": "How?"}')
        await arrived.wait()
        pace.interrupt()
        (error,) = await pace.heard()
        memory = await pace.command("memory")
    assert (error["type"], error["kind"]) == ("error", "interrupted")
    assert memory["window"] == []


async def test_interrupt_at_rest_ends(tmp_path: Path) -> None:
    """SIGINT while nothing is answered ends with 130, and the session is closed."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.say("One")
        pace.interrupt()
        ended = await pace.next()
        status, _, err = await pace.end()
    assert (ended["type"], ended["cause"]) == ("ended", "closed")
    assert status == 130
    assert err == ""


async def test_a_server_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    """Work apart from turns says nothing of it on standard error; the turn gives its sentence."""
    async with machine(tmp_path, None, "--base-url", "http://127.0.0.1:9/v1") as pace:
        (*_, window) = await pace.ask({"command": "window", "value": 6})
        (error,) = await pace.ask({"text": "hello"})
        _, _, told = await pace.end()
    assert window["type"] == "memory"
    assert error["kind"] == "planner_unreachable"
    assert told == ""


async def test_nothing_said_is_on_disk(tmp_path: Path) -> None:
    """Without the journal, no word and no reply is in any file under home or temporary folder."""
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    temporary.mkdir()
    async with (
        chat_server("The heron is called Bertil.") as server,
        machine(
            home, server, "--window", "1", "--no-history", env={"TMPDIR": str(temporary)}
        ) as pace,
    ):
        for number in range(4):
            await pace.say(f"Quendelin {number}")
        await pace.command("settle")
        await pace.end()
    assert not re.search(rb"Quendelin|Bertil", everything_in(tmp_path))


async def test_closed_reader_is_quiet(tmp_path: Path) -> None:
    """A reader that leaves ends machine mode without a complaint."""
    async with chat_server() as server:
        ended = await run_unread(
            *(tmp_path, "chat", "--jsonl", "--base-url", server.url), given=b'{"text": "Hi"}\n'
        )
    assert (ended.status, ended.err) == (0, "")


class Given:
    """Lines that are all there, and what was written in answer."""

    def __init__(self, *lines: bytes) -> None:
        self._lines = list(lines)
        self.written: list[bytes] = []

    async def next(self) -> bytes | None:
        return self._lines.pop(0) if self._lines else None


async def test_a_fault_is_one_line_and_the_next_is_answered(tmp_path: Path) -> None:
    """An exception that nobody foresaw is named by its type, without a word of its text."""
    planner = ScriptedPlanner([RuntimeError("the heron is called Bertil")], "Fine.")

    async def opener(*_: object, **__: object) -> OpenedPlanner:
        return OpenedPlanner(planner=planner, note="")

    given = Given(b'{"text": "One"}', b'{"text": "Two"}')
    file = SettingsFile.open(path=tmp_path / "settings.toml")
    async with OpenChat(file, screen=FetchBar(), opener=opener) as chat:
        status = await MachineMode(chat, given, given.written.append, lambda _: None).run()
    fault, *_, reply, ended = [json.loads(line) for line in given.written]
    assert (fault["type"], fault["kind"]) == ("error", "fault")
    assert "RuntimeError" in fault["message"]
    assert "Bertil" not in fault["message"]
    assert (reply["type"], reply["text"], ended["type"], status) == ("reply", "Fine.", "ended", 0)


async def test_input_that_never_waits_is_waited_for() -> None:
    """A descriptor set to non-blocking has an end only when its writer is gone."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    lines = InputLines(reading)
    for word in (b"one", b"two"):
        asking = asyncio.create_task(lines.next())
        await asyncio.sleep(0)
        os.write(writing, word + b"\n")
        assert await asking == word
    os.close(writing)
    assert await lines.next() is None
    os.close(reading)
