import base64

import pytest

from doors.terminal.pty_screen import prompts, start_driver


@pytest.fixture
def talk(tmp_path):
    """Starts the driver over replies and says a first message."""
    started = []

    def start_one(replies, **options):
        terminal = start_driver(tmp_path, replies, **options)
        started.append(terminal)
        terminal.see_prompt()
        return terminal

    yield start_one
    for terminal in started:
        terminal.close()


def do(terminal, line, told):
    """Type a line, and wait for what it brings and for the next prompt."""
    terminal.type(f"{line}\r")
    terminal.see(told)
    terminal.see_prompt("› ")


def leave(terminal):
    terminal.type("\x04")
    assert terminal.wait_end() == 0


def test_retry_replaces_the_last_reply(talk, tmp_path):
    """/retry sends the same words without the old pair; afterwards only the new reply is held."""
    terminal = talk('["alpha", "beta", "gamma"]')
    do(terminal, "hello", "alpha")
    do(terminal, "/retry", "beta")
    do(terminal, "next", "gamma")
    leave(terminal)
    assert [messages[1:] for messages in prompts(tmp_path)] == [
        ["hello"],
        ["hello"],
        ["hello", "beta", "next"],
    ]


def test_edit_replaces_the_last_message(talk, tmp_path):
    """/edit opens the last message; what is sent takes its place."""
    terminal = talk('["alpha", "beta"]')
    do(terminal, "helo", "alpha")
    terminal.type("/edit\r")
    terminal.see("Enter replaces your last message")
    terminal.see_prompt("› helo")
    do(terminal, " there", "beta")
    leave(terminal)
    assert [messages[1:] for messages in prompts(tmp_path)] == [["helo"], ["helo there"]]


def test_edit_can_be_left(talk, tmp_path):
    """Ctrl-C while editing keeps the last message; the next one is a turn of its own."""
    terminal = talk('["alpha", "beta"]')
    do(terminal, "hello", "alpha")
    terminal.type("/edit\r")
    terminal.see("Enter replaces your last message")
    terminal.type("\x03")
    terminal.see("Ctrl-C again leaves")
    do(terminal, "next", "beta")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:] == ["hello", "alpha", "next"]


def test_undo_takes_the_last_pair_back_and_shows_it(talk, tmp_path):
    """/undo shows what was taken back, and the model does not see it any more."""
    terminal = talk('["alpha", "beta"]')
    do(terminal, "secret words", "alpha")
    do(terminal, "/undo", "Taken back")
    terminal.see("you  secret words")
    terminal.see("Pace alpha")
    do(terminal, "next", "beta")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:] == ["next"]


def test_continue_goes_on_with_a_cut_reply(talk, tmp_path):
    """A reply cut at its limit says so, and /continue asks for the rest, once."""
    terminal = talk('[["begin", Finished(reason=FinishReason.LENGTH)], "the rest"]')
    do(terminal, "hello", "cut at the reply limit, /continue goes on")
    do(terminal, "/continue", "the rest")
    do(terminal, "/continue", "The last reply is whole.")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:3] == ["hello", "begin"]


def test_copy_sends_the_reply_as_it_was_written(talk):
    """/copy gives the terminal the last reply's own text as OSC 52."""
    terminal = talk('["some **bold** words"]', DISPLAY="", WAYLAND_DISPLAY="")
    do(terminal, "/copy", "no reply to copy yet")
    do(terminal, "hello", "some bold words")
    do(terminal, "/copy", "Copied 19 characters.")
    leave(terminal)
    encoded = base64.b64encode(b"some **bold** words")
    assert b"\x1b]52;c;" + encoded + b"\x07" in terminal.written


def test_a_file_goes_with_the_next_message(talk, tmp_path):
    """/file says what it costs, and the file stands in the next message and in no other."""
    (tmp_path / "notes.txt").write_text("the kettle is teal\n")
    terminal = talk('["alpha", "beta"]')
    do(terminal, "/file nowhere.txt", "There is no file nowhere.txt")
    do(terminal, f"/file {tmp_path}/notes.txt", "notes.txt goes with your next message: 19")
    terminal.see("+ 1 file")
    do(terminal, "which colour?", "alpha")
    do(terminal, "thanks", "beta")
    leave(terminal)
    first, second = prompts(tmp_path)
    assert first[-1] == "which colour?\n\nFile notes.txt:\n```\nthe kettle is teal\n```"
    assert second[-1] == "thanks"


def test_reset_forgets(talk, tmp_path):
    """/reset says in one line what it forgot, and the next prompt holds nothing earlier."""
    terminal = talk('["alpha", "beta"]')
    do(terminal, "secret", "alpha")
    do(terminal, "/reset", "Forgotten: 1 turn")
    do(terminal, "/reset", "There was nothing to forget.")
    do(terminal, "/copy", "no reply to copy yet")
    do(terminal, "hello", "beta")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:] == ["hello"]


def test_memory_shows_folds_and_the_summary_when_it_is_on(talk):
    """/memory counts folds and says who made the summary; its text only with the setting on."""
    terminal = talk('["alpha", "beta", "gamma"]')
    do(terminal, "/window 1", "activity.window is now 1.")
    do(terminal, "My kettle is teal and stands in Oslo.", "alpha")
    do(terminal, "next", "beta")
    do(terminal, "/memory", "1 applied")
    terminal.see("extractive, covers 1 turn pair")
    terminal.see("its text is off")
    do(terminal, "/settings activity.show_summary on", "is now on")
    do(terminal, "/memory", "The user:")
    leave(terminal)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/window 9", "activity.window cannot be"),
        ("/window", "It is 4"),
        ("/idle 2", "activity.idle_minutes cannot be"),
        ("/idle 30", "activity.idle_minutes is now 30."),
        ("/remember maybe", "activity.remember cannot be"),
        ("/remember off", "The conversation so far is forgotten."),
        ("/settings", "/settings NAME tells more"),
        ("/settings activity.window", "can be    a whole number"),
        ("/settings activity.windw", "Did you mean activity.window?"),
        ("/settings activity.window default", "its default"),
        ("/model", "context   8,192 tokens"),
        ("/memroy", "Did you mean /memory?"),
        ("/retry", "nothing to try again yet"),
        ("/edit", "nothing to edit yet"),
        ("/continue", "nothing to go on with yet"),
        ("/file", "Name a text file"),
        ("/help", "Alt+Enter"),
        ("/undo now", "takes nothing after it"),
    ],
)
def test_commands_and_their_mistakes(talk, line, told):
    """Every command answers in a sentence, wrong input too, and the prompt is there again."""
    terminal = talk("[]")
    do(terminal, line, told)
    leave(terminal)


def test_a_message_may_begin_with_a_slash(talk, tmp_path):
    """Two slashes send one."""
    terminal = talk('["alpha"]')
    do(terminal, "//etc is what?", "alpha")
    leave(terminal)
    assert prompts(tmp_path)[-1][1:] == ["/etc is what?"]


def test_what_gave_way_is_said(talk):
    """What had to be left out of a prompt stands in a dim line below the reply."""
    terminal = talk('["alpha " * 300, "beta"]', header="context_tokens = 400")
    do(terminal, "hello", "alpha")
    do(terminal, "next", "to fit the model's context: ")
    leave(terminal)
