"""MCP servers as real programs and at real addresses: what they offer, and how they fail."""

import asyncio
import json
import logging
import re
from pathlib import Path

import pytest

from actions.mcp.served import at_an_address, odd_entry, sdk_entry, serving
from pace.actions.mcp.hiding import without_secrets
from pace.actions.mcp.reports import ServerState
from pace.errors import ActionError, ActionRefusedError, ActionUncertainError
from pace.ports import Risk
from planners.processes import command_line, wait_died


async def test_tool_of_a_program_is_run(tmp_path: Path) -> None:
    """A tool is offered under its server's name, runs, and leaves one line of ours."""
    async with serving(tmp_path, Tests=sdk_entry()) as served:
        assert served.names == ["tests_echo", "tests_grow", "tests_end"]
        action = served.action("tests_echo")
        assert action.traits.description == "Say a text again."
        assert action.traits.risk is Risk.LOW
        assert action.would({"text": "hi"}) == 'run echo of "Tests" with text "hi"'
        result = await served.run("tests_echo", text="hi", times=2)
    assert (result.line, result.shown) == ("Ran echo (tests).", "hi hi")
    assert not served.told


async def test_tool_at_an_address_is_run(tmp_path: Path) -> None:
    """A server at an address on this machine works like a program."""
    async with at_an_address("http") as (url, _), serving(tmp_path, web={"url": url}) as served:
        assert "off this machine" not in served.action("web_echo").would({"text": "hi"})
        result = await served.run("web_echo", text="hi")
    assert (result.line, result.shown) == ("Ran echo (web).", "hi")


async def test_address_that_went_is_uncertain_once(tmp_path: Path) -> None:
    """A server that is gone when it is called makes an uncertain outcome, then is not offered."""
    async with at_an_address("http") as (url, process), serving(tmp_path, web={"url": url}) as it:
        echo = it.action("web_echo")
        process.kill()
        await process.wait()
        with pytest.raises(ActionError):
            await echo.run({"text": "hi"})
        await it.wait(lambda: it.report("web").state is ServerState.WAITING)
        assert it.names == []
        with pytest.raises(ActionError, match="does not answer now"):
            await echo.run({"text": "hi"})


@pytest.mark.parametrize("entry", [sdk_entry(), odd_entry("grow")], ids=["2026", "2025"])
async def test_list_that_changes_is_read_anew(tmp_path: Path, entry: dict[str, object]) -> None:
    """A server that says that its tools have changed is asked for them again."""
    async with serving(tmp_path, it=entry) as served:
        assert (await served.run("it_grow")).shown == "one more"
        await served.wait_offered("it_grown")


async def test_no_name_moves_to_another_tool(tmp_path: Path) -> None:
    """What is listed besides, and in which order, gives no tool the name of another."""
    entry = odd_entry("swap", "Get Item", swaps=["get-item", "get item", "get_item", "grown"])
    async with serving(tmp_path, it=entry) as served:
        (allowed,) = (name for name in served.names if name != "it_swap")
        await served.run("it_swap")
        await served.wait_offered("it_grown")
        assert len(set(served.names)) == 6
        assert served.action(allowed).would({}) == 'run get_item of "it"'
        assert served.action(allowed).tool == "Get Item"


@pytest.mark.parametrize("entry", [sdk_entry(), odd_entry("end", "echo")], ids=["2026", "2025"])
async def test_crash_in_a_call_is_uncertain(tmp_path: Path, entry: dict[str, object]) -> None:
    """A server that ends in a call may have done it; it is started again, and the call is not."""
    async with serving(tmp_path, it=entry) as served:
        with pytest.raises(ActionUncertainError, match="ended before it had answered"):
            await served.run("it_end")
        await served.wait(lambda: served.names == [])
        await served.wait_offered("it_echo")
        assert "hi" in (await served.run("it_echo", text="hi")).shown
        assert not served.told


async def test_unanswered_call_is_called_off(tmp_path: Path) -> None:
    """A call that is stopped is called off at the server, and the server goes on working."""
    log = tmp_path / "log"
    async with serving(tmp_path, it=odd_entry("never", "echo", log=str(log))) as served:
        call = asyncio.create_task(served.run("it_never"))
        await asyncio.sleep(0)
        while '"never"' not in log.read_text():
            await served.run("it_echo")
        call.cancel()
        await asyncio.wait([call])
        await served.run("it_echo")
    sent = [json.loads(line) for line in log.read_text().splitlines()]
    (never,) = [each["id"] for each in sent if each.get("params", {}).get("name") == "never"]
    (off,) = [each for each in sent if each["method"] == "notifications/cancelled"]
    assert off["params"]["requestId"] == never


async def test_failures_of_a_call_say_nothing_of_the_server(tmp_path: Path) -> None:
    """Each way in which a call fails has a sentence of ours, without a word of the server."""
    async with serving(tmp_path, it=odd_entry("fail", "refuse", "break", "garbage")) as served:
        failed = await served.run("it_fail")
        with pytest.raises(ActionError, match="turned it down") as refused:
            await served.run("it_refuse")
        with pytest.raises(ActionUncertainError, match="did not answer as it should") as broken:
            await served.run("it_break")
        with pytest.raises(ActionUncertainError, match="no answer that can be read") as garbage:
            await served.run("it_garbage")
    assert (failed.line, failed.shown) == ("fail (it) said that it failed.", "the disk is full")
    assert not isinstance(refused.value, ActionUncertainError)
    assert "SECRET" not in f"{refused.value}{broken.value}{garbage.value}"


async def test_server_that_asks_back_is_refused(tmp_path: Path) -> None:
    """A server gets no model, no question to the person and no folder, and nothing is announced."""
    log = tmp_path / "log"
    async with serving(tmp_path, it=odd_entry("ask", "echo", log=str(log))) as served:
        await served.run("it_ask")
        while log.read_text().count('"error"') < 3:
            await served.run("it_echo")
    sent = [json.loads(line) for line in log.read_text().splitlines()]
    (first,) = [each for each in sent if each.get("method") == "initialize"]
    assert first["params"]["capabilities"] == {}
    assert sum("error" in each for each in sent) == 3
    assert not any("result" in each for each in sent)


async def test_result_is_bounded_and_still(tmp_path: Path) -> None:
    """What a tool brings is cut, moves no cursor, and names what is no text in a word."""
    async with serving(tmp_path, it=odd_entry("long", "picture")) as served:
        long, picture = await served.run("it_long"), await served.run("it_picture")
    assert len(long.shown) < 9000
    assert long.shown.endswith("more characters]")
    assert picture.shown == "a [31mred\n[1 image, not shown]"


async def test_facts_are_shown_in_plain_lines(tmp_path: Path) -> None:
    """What comes as JSON is shown as a person would write it down."""
    async with serving(tmp_path, it=odd_entry("facts", "structured", "echo")) as served:
        facts, structured = await served.run("it_facts"), await served.run("it_structured")
        nothing = await served.run("it_echo")
    assert facts.shown.splitlines() == [
        "zone: Asia/Tokyo",
        "is_dst: no",
        "more:",
        "  -",
        "    n: 1",
        "  - x[2J",
        "  - nothing",
        "  - nothing",
        *("deep:", "  -", "    -", "      -", "        - …"),
    ]
    assert structured.shown == facts.shown
    assert nothing.shown == "{}"


async def test_of_many_pieces_a_few_are_made(tmp_path: Path) -> None:
    """Of a result in pieces without number a few are looked at, and the others counted."""
    async with serving(tmp_path, it=odd_entry("many")) as served:
        many = await served.run("it_many")
    assert many.shown.startswith("bit\n\nbit\n\n")
    assert many.shown.endswith("[299,900 more pieces]")


async def test_ten_thousand_tools(tmp_path: Path) -> None:
    """Of a long list a few tools are offered, and the others are named as left out."""
    async with serving(tmp_path, it=odd_entry(many=10_000, page=100)) as served:
        assert len(served.names) == 32
        report = served.report("it")
        assert len(report.left_out) == 1000 - 32
        assert report.left_out[0] == (
            "t32",
            "there is room for 32 tools or 12,000 characters in all",
        )


async def test_named_tools_alone(tmp_path: Path) -> None:
    """The file can name the tools that are offered, and those that never are."""
    only = odd_entry("a", "b", "c", entry={"includeTools": ["a", "b"], "excludeTools": ["b"]})
    async with serving(tmp_path, it=only) as served:
        assert served.names == ["it_a"]


async def test_one_that_never_answers_delays_no_other(tmp_path: Path) -> None:
    """A silent server and one that cannot be started leave the others as they are."""
    silent, gone = odd_entry(silent=True), {"command": "pace-no-such-program"}
    entries = {"silent": silent, "gone": gone, "it": odd_entry("echo")}
    async with serving(tmp_path, settle=False, **entries) as served:
        await served.wait_offered("it_echo")
        await served.wait(lambda: served.report("gone").state is ServerState.GIVEN_UP)
        assert served.report("silent").state is ServerState.CONNECTING
        assert served.told[0] == (
            'The MCP server "gone" cannot be used: its program pace-no-such-program is not there. '
            "Install it first."
        )
        assert len(served.told) == 2


async def test_program_that_ends_is_given_up(tmp_path: Path) -> None:
    """A program that ends each time is tried a few times, told of, and its last words are kept."""
    complaint = tmp_path / "complaint"
    complaint.write_text("no token CANARY-1234\n")
    env = {"TOKEN": "CANARY-1234"}
    entry = odd_entry(ends=True, complaint=str(complaint), entry={"env": env})
    async with serving(tmp_path, it=entry) as served:
        await served.wait(lambda: served.report("it").state is ServerState.GIVEN_UP)
        report = served.report("it")
    assert report.trouble == "it ended before it had answered"
    assert report.complaint == "no token [hidden]"
    assert "CANARY" not in f"{served.told}{report}{served.servers.config}"
    complaint.unlink()  # the search after all tests is for what Pace wrote


async def test_no_part_of_a_secret_is_shown(tmp_path: Path) -> None:
    """Neither parts of keys nor what a cut leaves of them is shown, nor an argument (B78)."""
    key = "CANARY" + "0123456789abcdef" * 8
    half = key[len(key) // 2 :]
    complaint = tmp_path / "complaint"
    entry = odd_entry(ends=True, complaint=str(complaint), entry={"env": {"A": f"Bearer {key}"}})
    argument = entry["args"][-1]
    for words in (f"key {key}", f"no {half}\n", f"{half}\n" * 200, f"{half} " * 70, argument):
        complaint.write_text(words)
        async with serving(tmp_path, it=entry) as served:
            await served.wait(lambda it=served: it.report("it").state is ServerState.GIVEN_UP)
            report = served.report("it")
        assert "[hidden]" in report.complaint
        said = report.complaint.replace("[hidden]", "")
        assert not re.search(r"CANARY|[0-9a-f]{3}|complaint", said)


def test_what_a_cut_leaves_of_a_secret_is_hidden() -> None:
    """A rest too short to be known by itself is hidden where the text was cut, and only there."""
    secrets = ("key-1234567890",)
    assert without_secrets("7890 is bad", secrets, is_cut=True) == "[hidden] is bad"
    assert without_secrets("7890 is bad", secrets) == "7890 is bad"
    assert without_secrets("a234567890b ab", ("1234567890", "ab", "")) == "a[hidden]b ab"


async def test_program_that_knows_no_new_question(tmp_path: Path) -> None:
    """A program that ends at the question of the newest protocol is asked in the older way."""
    async with serving(tmp_path, it=odd_entry("echo", strict=True)) as served:
        await served.wait_offered("it_echo")


async def test_noise_is_passed_over(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Megabytes of complaints and lines that are no messages hinder nothing, and none is shown."""
    noisy = odd_entry("echo", floods=5_000_000, chatters=True)
    async with serving(tmp_path, it=noisy) as served:
        assert (await served.run("it_echo", text="hi")).line == "Ran echo (it)."
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("stubborn", [False, True])
async def test_nothing_is_left_running(tmp_path: Path, *, stubborn: bool) -> None:
    """At the end a server is gone with its children, also one that ignores its signal."""
    pids = tmp_path / "pids"
    entry = odd_entry("echo", children=str(pids), stubborn=stubborn)
    async with serving(tmp_path, it=entry):
        server, child = map(int, pids.read_text().split())
        assert "sleep" in command_line(child)
    await wait_died(server)
    await wait_died(child)


async def test_environment_is_a_few_and_the_entry_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program gets what it needs to run, what its entry says, and no other variable of ours."""
    monkeypatch.setenv("PACE_CANARY_KEY", "sk-CANARY")
    entry = {"env": {"TOKEN": "${PACE_CANARY_KEY}", "MODE": "${NOT_SET:-plain}"}, "cwd": "sub"}
    (tmp_path / "sub").mkdir()
    async with serving(tmp_path, it=odd_entry("environment", entry=entry)) as served:
        got = json.loads((await served.run("it_environment")).shown.removeprefix("got "))
    assert (got["TOKEN"], got["MODE"]) == ("sk-CANARY", "plain")
    assert got["cwd"] == str(tmp_path / "sub")
    assert "PACE_CANARY_KEY" not in got
    assert "PATH" in got


async def test_wrong_arguments_are_refused_before_they_are_sent(tmp_path: Path) -> None:
    """Arguments that the tool does not take are one sentence, without what was said."""
    async with serving(tmp_path, it=sdk_entry()) as served:
        echo = served.action("it_echo")
        for arguments, sentence in (
            ({}, 'it_echo needs "text". Say it, too.'),
            ({"text": 5}, '"text" of it_echo must be a text.'),
            ({"text": "a", "times": "CANARY"}, '"times" of it_echo must be a whole number.'),
            ({"text": "a", "loud": True}, 'it_echo takes no "loud". Leave it out.'),
            ({"text": "x" * 60_000}, "The arguments of it_echo are longer than 50,000 characters"),
        ):
            with pytest.raises(ActionRefusedError) as refused:
                echo.checked(arguments)
            assert str(refused.value).startswith(sentence)
            assert refused.value.__context__ is None


@pytest.mark.parametrize("kind", ["program", "http"])
async def test_nothing_said_is_logged(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither what goes to a server nor what comes from it nor a key is in any log (B78)."""
    canary = "CANARY-words"
    caplog.set_level(logging.DEBUG)
    if kind == "program":
        entry = sdk_entry(env={"KEY": "CANARY-key"})
        async with serving(tmp_path, it=entry) as served:
            await served.run("it_echo", text=canary)
    else:
        async with at_an_address("http") as (url, _):
            entry = {"url": url, "headers": {"Authorization": "CANARY-key"}}
            async with serving(tmp_path, it=entry) as served:
                await served.run("it_echo", text=canary)
    assert "CANARY" not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
