"""Who answers, in the terminal: switching, the mark of a remote tier, thoughts on demand."""

import re

import pytest

from doors.running import PACE
from doors.terminal.pty_screen import OPEN_GATE, Terminal, prompts, start_driver

REMOTE = '[planner]\ntier = "direct"\nprovider = "anthropic"\n'
ALONE = {"PATH": "/nonexistent", "ANTHROPIC_API_KEY": "sk-CANARY-0123456789"}
AGREED = f'{REMOTE}\n[privacy]\nagreed = "direct:api.anthropic.com"\n'


def programs(tmp_path):
    """A search path with a program claude, which nobody runs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").write_text("#!/bin/sh\n")
    (folder / "claude").chmod(0o755)
    return {"PATH": str(folder)}


@pytest.fixture
def start(tmp_path):
    """Starts the driver over replies and settings; every program ends with its test."""
    started = []
    everybody = programs(tmp_path) | dict.fromkeys(
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"), "sk-CANARY-0123456789"
    )

    def start_one(replies, *, settings="", **options):
        (tmp_path / "settings.toml").write_text(settings)
        terminal = start_driver(tmp_path, replies, **everybody | options)
        started.append(terminal)
        return terminal

    yield start_one
    for terminal in started:
        terminal.close()


def leave(terminal, line="› "):
    terminal.see_prompt(line)
    terminal.type("\x04")
    assert terminal.wait_end() == 0


def saved(tmp_path):
    return (tmp_path / "settings.toml").read_text()


def test_every_line_of_a_remote_tier_is_marked(start):
    """Before each message stands who gets it, and the toolbar and the first screen say where to."""
    terminal = start('["One.", "Two."]', settings=AGREED, columns=140)
    terminal.see("What you say goes to api.anthropic.com")
    for number in (1, 2):
        terminal.see_prompt("anthropic ↗ › ")
        terminal.type(f"message {number}\r")
        terminal.see(("One.", "Two.")[number - 1])
    terminal.see("Script 1B (anthropic)")
    terminal.see("words go to api.anthropic.com")
    terminal.type("/model\r")
    terminal.see("anthropic; words go to api.anthropic.com")
    leave(terminal, "anthropic ↗ › ")


def test_a_plain_terminal_is_marked_too(start):
    """Without a single escape code the mark is there all the same."""
    terminal = start('["One."]', settings=AGREED, TERM="dumb")
    terminal.see("anthropic ↗ ›")
    terminal.type("hello\r")
    terminal.see("One.")
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert b"\x1b" not in terminal.written


def test_switching_asks_once_and_the_conversation_goes_on(start, tmp_path):
    """A yes switches, is kept, and is not asked for again; the model sees what was said before."""
    terminal = start('["One.", "Two.", "Three."]')
    terminal.say("first words")
    terminal.see("One.")
    terminal.see_prompt()
    terminal.type("/tier claude\r")
    terminal.see("go to Anthropic")
    terminal.see("Type yes or no.")
    terminal.say("yes")
    terminal.see("claude answers; your words go to Anthropic")
    assert 'agreed = "cli:claude"' in saved(tmp_path)
    terminal.see_prompt("claude ↗ › ")
    terminal.type("second words\r")
    terminal.see("Two.")
    terminal.see_prompt("claude ↗ › ")
    terminal.type("/tier embedded\r")
    terminal.see("embedded answers; your words stay on this machine.")
    terminal.see_prompt()
    terminal.type("/tier claude\r")
    terminal.see("claude answers", times=2)
    terminal.see_prompt("claude ↗ › ")
    terminal.type("third words\r")
    terminal.see("Three.")
    leave(terminal, "claude ↗ › ")
    assert terminal.all_text().count("Type yes or no.") == 1
    assert prompts(tmp_path)[2][1:] == [
        *("first words", "One.", "second words", "Two.", "third words")
    ]


@pytest.mark.parametrize("answer", ["y", "Yes", " YES "])
def test_a_yes_is_a_yes_however_it_is_typed(start, tmp_path, answer):
    """What `pace tier` takes for a yes, a conversation takes, too."""
    terminal = start("[]", columns=140)
    terminal.say("/tier openai")
    terminal.see("Type yes or no.")
    terminal.say(answer)
    terminal.see("openai answers; your words go to api.openai.com. It stays so in later")
    assert 'agreed = "direct:api.openai.com"' in saved(tmp_path)
    leave(terminal, "openai ↗ › ")


def test_an_address_can_be_named_in_a_conversation_and_found_again(start, tmp_path):
    """Custom and local are reached by their addresses, and without one by the last one of this run.

    One on this machine is kept apart from that of tier local.
    """
    terminal = start("[]", columns=140)
    terminal.say("/tier custom")
    terminal.see("Set it like: /tier custom https://example.com/v1")
    terminal.say("/tier custom http://127.0.0.1:9/v1")
    terminal.see("Type yes or no.")
    terminal.say("yes")
    terminal.see("custom answers; your words go to 127.0.0.1:9.")
    terminal.see_prompt("custom ↗ › ")
    terminal.type("/tier local http://127.0.0.1:8/v1\r")
    terminal.see("Nothing answers at http://127.0.0.1:8/v1 now.")
    terminal.say("/tier custom")
    terminal.see("custom answers", times=2)
    assert 'base_url = "http://127.0.0.1:9/v1"' in saved(tmp_path)
    leave(terminal, "custom ↗ › ")
    assert terminal.all_text().count("Type yes or no.") == 1


def test_who_cannot_answer_is_not_switched_to(start, tmp_path):
    """The reason is told instead of a question, and nothing is written."""
    terminal = start("[]", columns=140, PATH="/nonexistent")
    terminal.say("/tier claude")
    terminal.see("The program claude is not installed. Install it with:")
    leave(terminal)
    assert "Type yes or no." not in terminal.all_text()
    assert saved(tmp_path) == ""


@pytest.mark.parametrize("answer", ["no", "yep", "yes please"])
def test_a_no_changes_nothing(start, tmp_path, answer):
    """Whatever is not a yes is a no: who answered before goes on, and nothing is written."""
    terminal = start('["One."]')
    terminal.say("/tier openai")
    terminal.see("Type yes or no.")
    terminal.say(answer)
    terminal.see("Nothing is changed. embedded answers")
    assert saved(tmp_path) == ""
    terminal.say("hello")
    terminal.see("One.")
    leave(terminal)


def test_summaries_elsewhere_are_asked_for_by_themselves(start, tmp_path):
    """Where whoever answers is to make them, a second question comes, and its no is no to that."""
    terminal = start("[]", settings='[summaries]\nby = "planner"\n')
    terminal.say("/tier anthropic")
    terminal.see("Type yes or no.")
    terminal.say("yes")
    terminal.see("Type yes or no.", times=2)
    terminal.see("would be sent older")
    terminal.say("no")
    terminal.see("anthropic answers; your words go to api.anthropic.com.")
    assert "remote" not in saved(tmp_path)
    leave(terminal, "anthropic ↗ › ")


def test_all_that_could_answer_are_shown(start):
    """/tier lists them, each with what there is or what is missing."""
    terminal = start(
        "[]", columns=120, PATH="/nonexistent", ANTHROPIC_API_KEY="sk-CANARY-0123456789"
    )
    terminal.say("/tier")
    terminal.see("the program codex is not installed")
    terminal.see("there is a key in the environment (sends words to api.anthropic.com)")
    terminal.see("• embedded")
    terminal.see("embedded answers; your words stay on this machine. Switch like: /tier local")
    leave(terminal)
    assert "CANARY" not in terminal.all_text()


def test_a_failure_offers_the_others_and_does_nothing(start, tmp_path):
    """B73: the error stands first, then who else could answer; nobody else is asked."""
    terminal = start(
        '[[PlannerUnreachableError("Nothing answers.")], "Hello."]',
        **ALONE,
    )
    terminal.say("hello")
    terminal.see("Nothing answers.")
    terminal.see("Others that could answer: /tier anthropic (sends words to api.anthropic.com)")
    assert saved(tmp_path) == ""
    terminal.see("/retry then sends")
    # A command that was offered can be typed as it is, and no word goes anywhere by it.
    terminal.say("/tier")
    terminal.see("Switch like: /tier local")
    terminal.say("/retry")
    terminal.see("Hello.")
    terminal.see_prompt()
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert [messages[-1] for messages in prompts(tmp_path)] == ["hello", "hello"]


def test_thoughts_are_shown_on_demand_alone(start, tmp_path):
    """/thinking shows the last reply's; they stand nowhere before, and the model is not told."""
    terminal = start('[[Thinking("weighing "), Thinking("the cauliflower"), "Soup."], "Bread."]')
    terminal.say("/thinking")
    terminal.see("came with no thoughts")
    terminal.say("dinner?")
    terminal.see("Soup.")
    terminal.see("/thinking shows what")
    assert "weighing" not in terminal.all_text()
    terminal.say("/thinking")
    terminal.see("weighing the cauliflower")
    terminal.say("and?")
    terminal.see("Bread.")
    leave(terminal)
    assert not any("cauliflower" in text for messages in prompts(tmp_path) for text in messages)


def test_a_server_that_loads_its_model_says_so(start):
    """The name of the model and the seconds stand there until the first words come."""
    terminal = start('[[Loading("Llama 70B"), Gate(), "Here."]]')
    terminal.say("hello")
    terminal.see("the server loads Llama 70B, ")
    assert re.search(r"loads Llama 70B, \d+ s", terminal.all_text())
    terminal.signal(OPEN_GATE)
    terminal.see("Here.")
    terminal.see_gone("the server loads")
    leave(terminal)


def test_notices_and_what_actions_brought_stand_beside_the_reply(start, tmp_path):
    """A notice comes ahead, what was brought below; neither is remembered, and both are safe."""
    terminal = start(
        '[[Notice("It is read twice."), "Found two.", Shown("milk\\x1b[2J\\nplums")], "Yes."]'
    )
    terminal.say("my notes?")
    terminal.see("plums")
    lines = [line.strip() for line in terminal.lines()]
    order = ["It is read twice.", "Found two.", "│ milk\\x1b[2J", "│ plums"]
    assert [line for line in lines if line in order] == order
    terminal.say("sure?")
    terminal.see("Yes.")
    leave(terminal)
    last = " ".join(prompts(tmp_path)[1])
    assert "plums" not in last
    assert "read twice" not in last


# --- before the conversation


@pytest.fixture
def pace(tmp_path):
    """The installed command on a terminal, with one program around it."""
    (tmp_path / "settings.toml").write_text("")
    terminal = Terminal(
        str(PACE),
        ["chat", "--tier", "claude"],
        columns=140,
        PACE_HOME=str(tmp_path),
        **programs(tmp_path),
    )
    yield terminal
    terminal.close()


def test_a_flag_asks_before_the_conversation_begins(pace, tmp_path):
    """A yes is kept and begins it; the tier of a flag is this run's alone."""
    pace.see("go to Anthropic")
    pace.see("Type yes or no")
    pace.type("yes\r")
    pace.see_prompt("claude ↗ › ")
    pace.type("/quit\r")
    assert pace.wait_end() == 0
    assert saved(tmp_path) == '[privacy]\nagreed = "cli:claude"\n'


def test_a_switch_after_a_flag_is_of_this_run_alone(pace, tmp_path):
    """What the flag began for one run ends with it: the file learns of the agreements alone."""
    pace.see("Type yes or no")
    pace.type("yes\r")
    pace.see_prompt("claude ↗ › ")
    pace.type("/tier local http://127.0.0.1:8/v1\r")
    pace.see("That holds for this run.")
    pace.see_prompt()
    pace.type("/tier claude\r")
    pace.see("claude answers; your words go to Anthropic. That holds for this run.")
    pace.see_prompt("claude ↗ › ")
    pace.type("/quit\r")
    assert pace.wait_end() == 0
    assert saved(tmp_path) == '[privacy]\nagreed = "cli:claude"\n'


def test_a_no_to_a_flag_ends_it(pace, tmp_path):
    """Anything else is a no: status 2, nothing is written, and nothing was sent."""
    pace.see("Type yes or no")
    pace.type("\r")
    pace.see("Nothing was sent.")
    assert pace.wait_end() == 2
    assert saved(tmp_path) == ""
