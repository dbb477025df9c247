"""An action's question on the terminal: what it says, which keys answer, and what does not."""

import json

import pytest

from doors.terminal.pty_screen import SIGINT, prompts, start_driver

ACTIONS = 'actions = [ScriptedAction("ring"), ScriptedAction("wipe", risk=Risk.HIGH)]'


def envelope(spoken, name="ring", what="ten"):
    payload = {"name": name, "args": {"what": what}}
    return json.dumps({"intent": "action", "spokenText": spoken, "payload": payload})


PLAIN = json.dumps({"intent": "answer", "spokenText": "Glad to."})


@pytest.fixture
def start(tmp_path):
    """Starts the driver over envelopes; every program ends with its test."""
    started = []

    def start_one(*replies, **options):
        terminal = start_driver(tmp_path, repr(list(replies)), header=ACTIONS, **options)
        started.append(terminal)
        return terminal

    yield start_one
    for terminal in started:
        terminal.close()


def leave(terminal):
    terminal.see_prompt()
    terminal.type("\x04")
    assert terminal.wait_end() == 0


def test_a_yes_runs_it_once(start, tmp_path):
    """The question names what would be done; y runs it, and its line stands under the words."""
    terminal = start(envelope("On it."), PLAIN)
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.press("y", until="Did ring ten.")
    terminal.say("thanks")
    terminal.see("Glad to.")
    leave(terminal)
    window = prompts(tmp_path)[1]
    assert window[1:3] == ["ring at ten", "On it.\n\nDid ring ten."]
    assert "{" not in terminal.all_text()


def test_a_no_does_nothing(start):
    """After n nothing was done, and that is said."""
    terminal = start(envelope("On it."))
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.press("n", until="Not done, since you did not allow it: ring ten.")
    leave(terminal)


def test_always_asks_no_more(start, tmp_path):
    """After a, the action is in the settings, and the next one of its kind runs at once."""
    terminal = start(envelope("On it."), envelope("Again.", what="eleven"))
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.press("a", until="Did ring ten.")
    terminal.say("and at eleven")
    terminal.see("Did ring eleven.")
    leave(terminal)
    assert 'allowed = "ring"' in (tmp_path / "settings.toml").read_text()


def test_a_dangerous_one_says_so(start):
    """What could do harm is asked with a warning."""
    terminal = start(envelope("On it.", name="wipe", what="all"))
    terminal.say("wipe it")
    terminal.see("Careful: Pace would wipe all.")
    terminal.press("n", until="Not done")
    leave(terminal)


def test_words_typed_ahead_answer_nothing(start, tmp_path):
    """What is typed for the next message is no answer, and is there when the turn is over."""
    terminal = start(envelope("On it."), PLAIN)
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.type("later")
    terminal.press("n", until="Not done")
    terminal.see_prompt("› later")
    terminal.type("\r")
    terminal.see("Glad to.")
    leave(terminal)
    assert prompts(tmp_path)[1][-1] == "later"


def test_ctrl_c_stops_the_turn_that_asks(start):
    """A turn that waits for a word can be stopped; nothing is done, its words are kept."""
    terminal = start(envelope("On it."))
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.type("\x03")
    terminal.see("stopped; what was said is kept")
    assert "Did ring" not in terminal.all_text()
    leave(terminal)


def test_a_terminal_without_keys_takes_a_line(start):
    """Where only whole lines can be read, a line that begins with the letter answers."""
    terminal = start(envelope("On it."), TERM="dumb")
    terminal.type("ring at ten\n")
    terminal.see("y/a/n?")
    terminal.type("what?\n")
    terminal.see("y/a/n?", times=2)
    terminal.type("yes\n")
    terminal.see("Did ring ten.")
    terminal.type("\x04")
    assert terminal.wait_end() == 0


def test_an_interrupt_from_outside_stops_it_too(start):
    """SIGINT while it asks is Ctrl-C."""
    terminal = start(envelope("On it."))
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.signal(SIGINT)
    terminal.see("stopped; what was said is kept")
    leave(terminal)
