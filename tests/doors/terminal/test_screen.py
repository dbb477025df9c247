import re

import pytest

from doors.terminal.pty_screen import (
    LET_TIME_PASS,
    OPEN_GATE,
    SIGHUP,
    SIGINT,
    SIGTERM,
    prompts,
    start_driver,
)


@pytest.fixture
def start(tmp_path):
    """Starts the driver over replies; every program ends with its test."""
    started = []

    def start_one(replies, **options):
        terminal = start_driver(tmp_path, replies, **options)
        started.append(terminal)
        return terminal

    yield start_one
    for terminal in started:
        terminal.close()


def leave(terminal):
    terminal.see_prompt()
    terminal.type("\x04")
    assert terminal.wait_end() == 0


def words(folder):
    return [messages[-1] for messages in prompts(folder)]


# --- the first screen and the reply


def test_the_first_screen_is_honest(start):
    """It names Pace and the model, says what the model is worth, and what becomes of the words."""
    terminal = start("[]")
    terminal.see_prompt()
    terminal.see("Script 1B (scripted)")
    for part in ("Pace", "on this machine", "Nothing leaves this machine; forgets when you stop."):
        assert part in terminal.text()
    assert "Script is a small model" in terminal.text()
    assert "Try " in terminal.text()
    leave(terminal)


def test_a_reply_streams_as_markdown(start):
    """Words stand on the screen while the reply comes, set as Markdown."""
    terminal = start('[["A **bold** wo", Gate(), "rd.\\n\\n- one\\n- two\\n"]]')
    terminal.say("hello")
    terminal.see("A bold wo")
    terminal.signal(OPEN_GATE)
    terminal.see("• two")
    terminal.see_prompt()
    assert "A bold word." in terminal.lines()
    leave(terminal)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 12)])
def test_a_reply_taller_than_the_screen_is_all_there(start, columns, rows):
    """Every item of a long reply can be scrolled to, once, on narrow screens too."""
    reply = "".join(f"- item {number} 你好\n" for number in range(100))
    terminal = start(repr([list(reply)]), columns=columns, rows=rows)
    terminal.say("list")
    terminal.see("• item 99 ")
    terminal.see_prompt()
    shown = [line for line in terminal.lines() if line.startswith("• item")]
    assert len(shown) == 100
    leave(terminal)


def test_a_models_escapes_stay_text(start):
    """B102: no escape of a reply reaches the terminal, whose screen shows it as text."""
    terminal = start('[["safe\\x1b[2", "K\\x1b]52;c;aGk=\\x07", "\\rover\\u202e \\x9b `x`"]]')
    terminal.say("attack")
    terminal.see(r"safe\x1b[2K\x1b]52;c;aGk=\x07\rover\u202e \x9b x")
    leave(terminal)
    assert b"\x1b]52" not in terminal.written
    assert b"\x1b[2K" not in terminal.written
    assert "\u202e".encode() not in terminal.written


@pytest.mark.parametrize(
    ("event", "told"),
    [("Reading(312, 870)", "reading 312 of 870"), ("Thinking()", "thinking, ")],
)
def test_what_the_planner_does_is_told(start, event, told):
    """Reading and thinking are shown while they last, and are gone when words come."""
    terminal = start(f'[[{event}, Gate(), "answer"]]')
    terminal.say("hello")
    terminal.see(told)
    terminal.signal(OPEN_GATE)
    terminal.see("answer")
    terminal.see_prompt()
    assert told not in terminal.all_text()
    leave(terminal)


# --- input


def test_a_marked_paste_is_one_message(start, tmp_path):
    """B148: a bracketed paste keeps its line ends, and leaves no mark of itself."""
    terminal = start('["answer"]')
    terminal.see_prompt()
    terminal.type("\x1b[200~l1\nl2\r\nl3\nl4\nl5\x1b[201~")
    terminal.see("  l5")
    terminal.type("\r")
    terminal.see("answer")
    assert "200~" not in terminal.all_text()
    leave(terminal)
    assert words(tmp_path) == ["l1\nl2\nl3\nl4\nl5"]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_burst_of_lines_is_one_message(start, tmp_path, end):
    """B148: lines that come at once, without any mark, are one message, sent with its last end."""
    terminal = start('["answer"]')
    terminal.see_prompt()
    terminal.type("".join(f"l{number}{end}" for number in range(1, 6)))
    terminal.see("answer")
    leave(terminal)
    assert words(tmp_path) == ["l1\nl2\nl3\nl4\nl5"]


@pytest.mark.parametrize("key", ["\n", "\x1b\r"])
def test_keys_for_a_new_line(start, tmp_path, key):
    """Ctrl-J and Alt+Enter begin a new line; Enter sends."""
    terminal = start('["answer"]')
    terminal.see_prompt()
    terminal.type("one")
    terminal.see("› one")
    terminal.type(key)
    terminal.see_prompt("  ")
    terminal.type("two")
    terminal.see("  two")
    terminal.type("\r")
    terminal.see("answer")
    leave(terminal)
    assert words(tmp_path) == ["one\ntwo"]


def test_history_is_of_this_session(start, tmp_path):
    """Up brings back what was typed, and no file is written for it."""
    terminal = start('["first answer", "second answer"]')
    terminal.say("remember me")
    terminal.see("first answer")
    terminal.see_prompt()
    terminal.type("\x1b[A")
    terminal.see("› remember me", times=2)
    terminal.type("\r")
    terminal.see("second answer")
    leave(terminal)
    written = {path.name for path in tmp_path.rglob("*")}
    assert written == {"script.py", "prompts.txt"}


def test_what_is_typed_during_a_reply_waits_for_its_end(start, tmp_path):
    """Keys are not echoed into the reply; they are the next message."""
    terminal = start('[["long ", Gate(), "reply"], "next answer"]')
    terminal.say("hello")
    terminal.see("long")
    terminal.type("typed ahead\r")
    terminal.signal(OPEN_GATE)
    terminal.see("next answer")
    assert "long reply" in terminal.lines()
    leave(terminal)
    assert words(tmp_path) == ["hello", "typed ahead"]


def test_commands_are_completed_on_screen(start):
    """Typing a slash lists commands with a word about each."""
    terminal = start("[]")
    terminal.see_prompt()
    terminal.type("/und")
    terminal.see("take the last message and its reply back")
    terminal.type("\t")
    terminal.see("› /undo")
    terminal.type("\r")
    terminal.see("nothing to take back")
    leave(terminal)


# --- stopping and leaving


@pytest.mark.parametrize("by_key", [True, False])
def test_interrupt_stops_the_reply_and_keeps_the_conversation(start, tmp_path, by_key):
    """B147, B52: Ctrl-C during a reply keeps what was said, marked, and the talk goes on."""
    terminal = start('["first answer", ["Step one. Ste", Gate()], "third answer"]')
    terminal.say("one")
    terminal.see("first answer")
    terminal.say("two")
    terminal.see("Step one. Ste")
    if by_key:
        terminal.type("\x03")
    else:
        terminal.signal(SIGINT)
    terminal.see("stopped; what was said is kept")
    terminal.say("three")
    terminal.see("third answer")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:] == [
        "one", "first answer", "two", "Step one. Ste [interrupted]", "three",
    ]  # fmt: skip


def test_reasoning_that_was_shown_is_told_apart_from_the_reply(start, tmp_path):
    """B60: a line below it says what it was; neither memory nor the next prompt holds it."""
    terminal = start('[["my plan 991", Reasoned(), "It is noon."], "answer"]')
    terminal.say("What time?")
    terminal.see("reasoning; the reply begins here")
    terminal.see("It is noon.")
    terminal.see_prompt()
    terminal.say("Sure?")
    terminal.see("answer")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:] == ["What time?", "It is noon.", "Sure?"]


def test_a_reply_stopped_before_its_first_word_gives_the_words_back(start, tmp_path):
    """B52: nothing is recorded, and what was typed is in the input line again."""
    terminal = start('[[Thinking(), Gate()], "answer"]')
    terminal.say("my words")
    terminal.see("thinking")
    terminal.type("\x03")
    terminal.see("Stopped before the first word")
    terminal.see_prompt("› my words")
    terminal.type("\r")
    terminal.see("answer")
    leave(terminal)
    assert [messages[1:] for messages in prompts(tmp_path)] == [["my words"], ["my words"]]


@pytest.mark.parametrize("by_key", [True, False])
def test_two_interrupts_at_the_prompt_leave(start, by_key):
    """B147: the first interrupt says how to leave, the second one leaves with status 0."""
    terminal = start("[]")
    terminal.see_prompt()
    for told in ("Ctrl-C again leaves", None):
        if by_key:
            terminal.type("\x03")
        else:
            terminal.signal(SIGINT)
        if told:
            terminal.see(told)
    assert terminal.wait_end() == 0
    assert terminal.modes() == terminal.modes_before


def test_an_interrupt_between_words_does_not_leave(start):
    """Only two in a row leave: a key between them takes the first one back."""
    terminal = start('["answer"]')
    terminal.see_prompt()
    terminal.type("\x03")
    terminal.see("Ctrl-C again leaves")
    terminal.type("x")
    terminal.see_gone("Ctrl-C again leaves")
    terminal.type("\x03")
    terminal.see("Ctrl-C again leaves")
    terminal.say("hello")
    terminal.see("answer")
    leave(terminal)


@pytest.mark.parametrize("number", [SIGTERM, SIGHUP])
@pytest.mark.parametrize("is_replying", [True, False])
def test_ended_from_outside_it_restores_the_terminal(start, number, is_replying):
    """B147: SIGTERM and SIGHUP end it with 130 and leave the terminal's modes as they were."""
    terminal = start('[["some words", Gate()]]')
    terminal.see_prompt()
    if is_replying:
        terminal.say("hello")
        terminal.see("some words")
    terminal.signal(number)
    assert terminal.wait_end() == 130
    assert terminal.modes() == terminal.modes_before
    assert not terminal.screen.cursor.hidden


@pytest.mark.parametrize("way", ["\x04", "/quit\r", "/qui\r"])
def test_ways_to_leave(start, way):
    """Ctrl-D and /quit leave with status 0, and the terminal is as it was."""
    terminal = start("[]")
    terminal.see_prompt()
    terminal.type(way)
    assert terminal.wait_end() == 0
    assert terminal.modes() == terminal.modes_before


# --- what went wrong


def test_after_a_failed_turn_the_words_are_back(start, tmp_path):
    """An error is one sentence in red, and what was typed stands in the input line again."""
    terminal = start('[[PlannerUnreachableError("No server answers. Start it.")], "hello there"]')
    terminal.say("precious words")
    terminal.see("No server answers. Start it.")
    terminal.see_prompt("› precious words")
    assert b"\x1b[31mNo server answers" in terminal.written
    terminal.type("\r")
    terminal.see("hello there")
    leave(terminal)
    assert words(tmp_path) == ["precious words", "precious words"]


def test_an_error_cannot_steer_the_terminal(start):
    """The sentence of an error is made safe like a reply."""
    terminal = start('[[PlannerError("bad \\x1b[2J model")]]')
    terminal.say("hello")
    terminal.see(r"bad \x1b[2J model")
    terminal.see_prompt("› hello")
    terminal.type("\x03\x03")
    assert terminal.wait_end() == 0


def test_an_idle_conversation_is_cleared_and_said_so_once(start, tmp_path):
    """After the idle limit a divider says so, once, and the next prompt holds nothing earlier."""
    terminal = start('["first answer", "second answer"]')
    terminal.say("secret")
    terminal.see("first answer")
    terminal.see_prompt()
    terminal.signal(LET_TIME_PASS)
    terminal.see("the conversation was cleared after 20 minutes")
    terminal.say("hello again")
    terminal.see("second answer")
    leave(terminal)
    assert terminal.all_text().count("was cleared") == 1
    assert prompts(tmp_path)[-1][1:] == ["hello again"]


# --- plain terminals


def test_no_color_gives_plain_replies(start):
    """With NO_COLOR a reply is the model's own text, and no colour is sent."""
    terminal = start('["some **bold** text"]', NO_COLOR="1")
    terminal.say("hello")
    terminal.see("some **bold** text")
    leave(terminal)
    assert not re.search(rb"\x1b\[[0-9;]*(3[0-7]|9[0-7]|4[0-7])m", terminal.written)
    reply = terminal.written.split(b"some ")[1].split(b"text")[0]
    assert b"\x1b" not in reply


def test_a_dumb_terminal_gets_no_escape_at_all(start, tmp_path):
    """With TERM=dumb not one escape code is written, and the conversation works."""
    terminal = start('["some **bold** text", "more"]', TERM="dumb")
    terminal.see("›")
    terminal.type("one\ntwo\n")
    terminal.see("some **bold** text")
    terminal.see("›", times=2)
    terminal.type("/memory\n")
    terminal.see("word for word")
    terminal.see("›", times=3)
    terminal.type("\x03")
    terminal.see("Ctrl-C again leaves")
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert b"\x1b" not in terminal.written
    assert words(tmp_path) == ["one\ntwo"]


def test_without_utf_8_only_ascii_is_drawn(start):
    """In another encoding, the signs of Pace's own are ASCII."""
    terminal = start('["- one"]', LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    terminal.see_prompt("> ")
    terminal.type("hello\r")
    terminal.see("* one")
    terminal.see_prompt("> ")
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert terminal.written.isascii()


def test_a_fault_does_not_end_the_conversation(start, tmp_path):
    """An exception that nobody foresaw is told by its type alone, and the words are back."""
    terminal = start('[["words", RuntimeError("the heron is Bertil")], "second answer"]')
    terminal.say("one")
    terminal.see("Pace failed (RuntimeError)")
    terminal.see_prompt("› one")
    terminal.type("\r")
    terminal.see("second answer")
    terminal.see_prompt()
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert b"Bertil" not in terminal.written
    assert words(tmp_path) == ["one", "one"]
    assert terminal.modes() == terminal.modes_before
