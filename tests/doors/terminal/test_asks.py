"""An action's question on the terminal: what it says, which keys answer, and what does not."""

import json

import pytest

from doors.terminal.pty_screen import OPEN_GATE, RING, SIGINT, prompts, start_driver

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
        written = repr(list(replies)).replace("'GATE'", "Gate()")
        terminal = start_driver(tmp_path, written, header=ACTIONS, **options)
        started.append(terminal)
        return terminal

    yield start_one
    for terminal in started:
        terminal.close()


def start_held(start):
    """A reply that asks once its gate is open, after its first words."""
    whole = envelope("On it.")
    at = whole.index("On") + 2
    return start([whole[:at], "GATE", whole[at:]])


def settings_of(folder):
    file = folder / "settings.toml"
    return file.read_text() if file.exists() else ""


def leave(terminal):
    terminal.see_prompt()
    terminal.type("\x04")
    assert terminal.wait_end() == 0


def test_a_yes_runs_it_once(start, tmp_path):
    """The question names what would be done; y runs it, and its line stands under the words."""
    terminal = start(envelope("On it."), PLAIN)
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.answer("y", until="Did ring ten.")
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
    terminal.answer("n", until="Not done, since you did not allow it: ring ten.")
    leave(terminal)


def test_always_asks_no_more(start, tmp_path):
    """After a, the action is in the settings, and the next one of its kind runs at once."""
    terminal = start(envelope("On it."), envelope("Again.", what="eleven"))
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.answer("always", until="Did ring ten.")
    terminal.say("and at eleven")
    terminal.see("Did ring eleven.")
    leave(terminal)
    assert 'allowed = "ring"' in (tmp_path / "settings.toml").read_text()


def test_a_dangerous_one_says_so(start):
    """What could do harm is asked with a warning."""
    terminal = start(envelope("On it.", name="wipe", what="all"))
    terminal.say("wipe it")
    terminal.see("Careful: Pace would wipe all.")
    terminal.answer("n", until="Not done")
    leave(terminal)


def test_words_typed_ahead_answer_nothing(start, tmp_path):
    """What is typed for the next message is no answer, and is there when the turn is over."""
    terminal = start(envelope("On it."), PLAIN)
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.type("yes, later")
    terminal.answer("n", until="Not done")
    terminal.see_prompt("› yes, later")
    terminal.type("\r")
    terminal.see("Glad to.")
    leave(terminal)
    assert prompts(tmp_path)[1][-1] == "yes, later"


@pytest.mark.parametrize("typed", ["how are you", "look up the tall tale", "y", "always"])
def test_a_question_in_mid_typing_is_not_answered(start, tmp_path, typed):
    """Whoever is in the middle of typing when it asks has said nothing, also with Enter."""
    terminal = start_held(start)
    terminal.say("ring at ten")
    terminal.see("On")
    terminal.type("a")
    terminal.signal(OPEN_GATE)
    for key in f"{typed}\r":
        terminal.type(key)
        terminal.read_for(0.1)
    terminal.see("Pace would ring ten.")
    terminal.type("\x03")
    terminal.see("stopped; what was said is kept")
    assert "Did ring" not in terminal.all_text()
    assert "allowed" not in settings_of(tmp_path)
    terminal.close()


def lines_from(terminal, begin):
    """The lines on the screen from the last one that begins so."""
    lines = terminal.text().rstrip().split("\n")
    return lines[max(at for at, line in enumerate(lines) if line.startswith(begin)) :]


@pytest.mark.parametrize("look", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_timer_that_rings_leaves_the_question_on_the_screen(start, look):
    """What is told meanwhile stands above the question, which can still be read and answered."""
    terminal = start(envelope("On it."), **look)
    terminal.type("ring at ten\r" if "TERM" not in look else "ring at ten\n")
    terminal.see("Pace would ring ten.")
    terminal.signal(RING)
    terminal.see("The timer rings.")
    terminal.read_for(0.3)
    below = lines_from(terminal, "The timer rings.")
    assert "Pace would ring ten." in below
    assert any(line.startswith("Type y or n, then Enter") for line in below)
    terminal.answer("y", until="Did ring ten.")


@pytest.mark.parametrize("look", [{}, {"NO_COLOR": "1"}])
def test_what_is_typed_at_a_question_can_be_read(start, look):
    """The line stands below the question while it is typed, and goes as it is taken back."""
    terminal = start(envelope("On it."), **look)
    terminal.say("ring at ten")
    terminal.see("Pace would ring ten.")
    terminal.read_for(1.0)
    sign = ">" if look else "›"
    terminal.type("maybe")
    terminal.see(f"\n{sign} maybe\n")
    terminal.type("\x7f\x7f")
    terminal.see(f"\n{sign} may\n")


@pytest.mark.parametrize("look", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_another_line_is_kept_and_that_is_said(start, tmp_path, look):
    """A line that is no answer is the next message, and the question says what it waits for."""
    terminal = start(envelope("On it."), PLAIN, **look)
    enter = "\n" if "TERM" in look else "\r"
    terminal.type(f"ring at ten{enter}")
    terminal.see("Pace would ring ten.")
    terminal.read_for(1.0)
    terminal.type(f"maybe{enter}")
    terminal.see("Kept for afterwards. Type y or n, then Enter.")
    terminal.answer("n", until="Not done")
    terminal.see("Glad to.")
    if "TERM" not in look:
        terminal.see_prompt()
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert prompts(tmp_path)[1][-1] == "maybe"


@pytest.mark.parametrize("word", ["y", "no", "Always"])
@pytest.mark.parametrize("look", [{}, {"TERM": "dumb"}])
def test_an_answer_that_came_too_early_is_for_nothing(start, tmp_path, look, word):
    """It allows nothing, is no message afterwards either, and that is said."""
    terminal = start(envelope("On it."), **look)
    enter = "\n" if look else "\r"
    terminal.type(f"ring at ten{enter}")
    terminal.see("Type y or n")
    terminal.type(f"{word}{enter}")
    terminal.see("That came before the question could be read; type it again.")
    terminal.read_for(0.5)
    assert "ring ten." not in terminal.text().replace("Pace would ring ten.", "")
    terminal.answer("y", until="Did ring ten.")
    terminal.read_for(0.3)
    terminal.type("\x04")
    assert terminal.wait_end() == 0
    assert len(prompts(tmp_path)) == 1


def test_an_answer_before_the_question_is_for_nothing(start, tmp_path):
    """A yes typed while the words still come is no answer, and no message afterwards."""
    terminal = start_held(start)
    terminal.say("ring at ten")
    terminal.see("On")
    terminal.type("y\r")
    terminal.read_for(0.2)
    terminal.signal(OPEN_GATE)
    terminal.see("That came before the question could be read; type it again.")
    terminal.answer("n", until="Not done")
    leave(terminal)
    assert len(prompts(tmp_path)) == 1


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
    terminal.see("then Enter")
    terminal.answer("yes", until="Did ring ten.")
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
