"""Piper: the voice contract over the real program, and its faults with a fake one."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from pace.errors import VoiceError
from pace.speech.ports import SAMPLE_BYTES
from pace.speech.voices.choosing import voice_for
from pace.speech.voices.piper import PiperVoice
from pace.speech.voices.text import lines_to_speak
from speech.contracts import VoiceContract, seconds, sounds

# Speaks as Piper does with --debug: a tenth of a second for each word; and what a test plants.
FAKE = """
import os, sys
print("started", os.getpid(), sorted(os.environ), file=open({log!r}, "a"))
for line in sys.stdin:
    line = line.strip()
    print(sys.argv, repr(line), file=open({log!r}, "a"))
    phonemes = [] if line == "." else [list(line)]
    print(f"DEBUG:piper.voice:text={{line}}, phonemes={{phonemes}}", file=sys.stderr, flush=True)
    if "die" in line:
        sys.stdout.buffer.write(bytes(1001))
        sys.exit(3)
    if "hang" in line:
        sys.stdin.read()
    if line != ".":
        sys.stdout.buffer.write(b"\\1" * 4410 * len(line.split()))
        sys.stdout.buffer.flush()
"""


class TestPiper(VoiceContract):
    @pytest_asyncio.fixture
    async def voice(self, joe: Path) -> AsyncIterator[PiperVoice]:
        voice = PiperVoice(joe)
        yield voice
        await voice.aclose()

    @pytest_asyncio.fixture
    async def hasty(self, joe: Path) -> AsyncIterator[PiperVoice]:
        voice = PiperVoice(joe, speed=2.0)
        yield voice
        await voice.aclose()


async def test_its_runtime_reports_to_nobody(
    joe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left to itself, it calls home, and leaves a file among the temporary ones."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    async with aclosing(PiperVoice(joe)) as voice:
        assert seconds(await sounds(voice, "Good evening.")) > 0
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240  # a listing


class Fake:
    """A voice over the fake program, and what that program was told."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self._log.touch()
        self.onnx = folder / "en_US-fake.onnx"
        self.onnx.write_bytes(b"")
        told = {"audio": {"sample_rate": 22_050}, "espeak": {"voice": "en-us"}}
        self.onnx.with_name("en_US-fake.onnx.json").write_text(json.dumps(told))
        program = folder / "fake.py"
        program.write_text(FAKE.format(log=str(self._log)))
        self.program = (sys.executable, str(program))

    @property
    def lines(self) -> list[str]:
        return self._log.read_text(encoding="utf-8").splitlines()

    @property
    def starts(self) -> list[int]:
        return [int(line.split()[1]) for line in self.lines if line.startswith("started")]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path)


@pytest_asyncio.fixture
async def opened(fake: Fake) -> AsyncIterator[Callable[[], PiperVoice]]:
    voices: list[PiperVoice] = []

    def open_one() -> PiperVoice:
        voices.append(
            PiperVoice(fake.onnx, program=fake.program, answers_within=timedelta(seconds=5))
        )
        return voices[-1]

    yield open_one
    for voice in voices:
        await voice.aclose()


async def test_one_child_speaks_one_text_after_the_other(
    fake: Fake, opened: Callable[[], PiperVoice]
) -> None:
    """The program starts once, and each text has all of its sound and none of another's."""
    voice = opened()
    lengths = [round(seconds(await sounds(voice, "word " * count)), 1) for count in (3, 30, 1)]
    assert lengths == [0.3, 3.0, 0.1]
    assert len(fake.starts) == 1


async def test_the_text_is_in_no_argument_and_no_key_in_the_environment(
    fake: Fake, opened: Callable[[], PiperVoice], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of processes shows neither what is said, nor the keys that Pace was started with."""
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    await sounds(opened(), "secret words")
    (started, *told) = fake.lines
    assert "OPENAI_API_KEY" not in started
    assert told[0].endswith("] 'secret words'")
    assert "secret" not in told[0].rpartition("]")[0]


async def test_a_text_that_looks_like_the_mark_is_spoken_whole(
    opened: Callable[[], PiperVoice],
) -> None:
    """A sentence with the words of Piper's own message does not end its sound early."""
    text = "DEBUG:piper.voice:text=., phonemes=[] and three more"
    assert round(seconds(await sounds(opened(), text)), 1) == 0.5


async def test_phonemes_are_no_markup(fake: Fake, opened: Callable[[], PiperVoice]) -> None:
    """Doubled brackets, in which Piper would read phonemes, reach it apart."""
    await sounds(opened(), "see [[[x]] there")
    assert fake.lines[1].endswith("'see [ [ [x]] there'")


async def test_a_child_that_dies_is_an_error_and_replaced(
    fake: Fake, opened: Callable[[], PiperVoice]
) -> None:
    """The text at which it died fails in one sentence; the next is spoken by another child."""
    voice = opened()
    with pytest.raises(VoiceError, match=r"en_US-fake ended\. It starts anew"):
        await sounds(voice, "now die")
    assert round(seconds(await sounds(voice, "one two")), 1) == 0.2
    assert len(fake.starts) == 2


async def test_a_child_that_was_killed_between_texts_is_replaced(
    fake: Fake, opened: Callable[[], PiperVoice]
) -> None:
    """One that died unheard costs no text more than a try."""
    voice = opened()
    await sounds(voice, "one")
    os.kill(fake.starts[0], 9)
    for _ in range(2):
        try:
            said = await sounds(voice, "one two")
            break
        except VoiceError:
            continue
    assert round(seconds(said), 1) == 0.2


async def test_a_child_that_hangs_is_given_up(fake: Fake) -> None:
    """One that does not answer within the limit is ended, and another speaks."""
    voice = PiperVoice(fake.onnx, program=fake.program, answers_within=timedelta(seconds=2))
    try:
        with pytest.raises(VoiceError, match="did not answer"):
            await sounds(voice, "hang")
        assert round(seconds(await sounds(voice, "one")), 1) == 0.1
    finally:
        await voice.aclose()


async def test_a_stopped_text_costs_no_child(fake: Fake, opened: Callable[[], PiperVoice]) -> None:
    """Closed early, the rest of its line is dropped, later lines are never sent."""
    voice = opened()
    text = "One word after the other, as far as the line will go. " * 9
    async with aclosing(voice.speak(text, language="en")) as pieces:
        await anext(pieces)
    assert round(seconds(await sounds(voice, "one two")), 1) == 0.2
    assert len(fake.starts) == 1
    assert sum("after the other" in line for line in fake.lines) == 1


async def test_a_cancelled_listener_leaves_the_voice_usable(
    opened: Callable[[], PiperVoice],
) -> None:
    """Cancelled at any step, the next text has its own sound."""
    voice = opened()
    for steps in (1, 2, 5, 20):
        task = asyncio.create_task(sounds(voice, "one two three"))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert round(seconds(await sounds(voice, "one")), 1) == 0.1


async def test_a_closed_voice_says_so(opened: Callable[[], PiperVoice]) -> None:
    """After `aclose` a text fails at once."""
    voice = opened()
    await voice.warm()
    await voice.aclose()
    with pytest.raises(VoiceError, match="closed"):
        await sounds(voice, "one")


async def test_a_program_that_lacks_piper_names_the_extra(fake: Fake) -> None:
    """Where Piper is not installed, the sentence says what to install."""
    lacking = (sys.executable, "-P", "-m", "no_such_piper")
    voice = PiperVoice(fake.onnx, program=lacking)
    with pytest.raises(VoiceError, match=r"\[piper\]"):
        await sounds(voice, "one")
    await voice.aclose()


async def test_a_program_that_is_not_there_is_named(fake: Fake) -> None:
    """What cannot be started is an error in words."""
    voice = PiperVoice(fake.onnx, program=("/nowhere/piper",))
    with pytest.raises(VoiceError, match="/nowhere/piper"):
        await sounds(voice, "one")


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"audio": {"sample_rate": "x"}}'])
def test_a_voice_that_is_not_whole_is_named(fake: Fake, damage: str) -> None:
    """Without its file, or with damaged settings beside it, there is no voice."""
    fake.onnx.with_name("en_US-fake.onnx.json").write_text(damage)
    with pytest.raises(VoiceError, match="Fetch it again"):
        PiperVoice(fake.onnx)
    with pytest.raises(VoiceError, match="Fetch it again"):
        PiperVoice(fake.onnx.with_name("other.onnx"))


async def test_the_child_ends_with_its_parent(fake: Fake) -> None:
    """When Pace is killed, nothing is left speaking."""
    code = (
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from pace.speech.voices.piper import PiperVoice\n"
        "async def main():\n"
        f"    voice = PiperVoice(Path({str(fake.onnx)!r}), program={fake.program!r})\n"
        "    async for _ in voice.speak('one', language='en'): pass\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    async with asyncio.timeout(60):
        assert await parent.wait() == -9
    (child,) = fake.starts
    async with asyncio.timeout(10):
        # The system tells nobody when another's child ends.
        while not _is_gone(child):  # noqa: ASYNC110
            await asyncio.sleep(0)


def _is_gone(process: int) -> bool:
    """Ended; nobody but init may ask for its status."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_text_is_cut_into_lines_between_sentences() -> None:
    """Nothing of a text is lost, no line is long that could be short, none is without words."""
    text = "This is a sentence of some length. " * 20
    lines = lines_to_speak(text)
    assert " ".join(lines) == text.strip()
    assert len(lines) == 5
    assert lines_to_speak("... \n ?") == []


async def test_the_first_voice_that_speaks_a_language_is_chosen(
    opened: Callable[[], PiperVoice],
) -> None:
    """The better voice stands first; a language that none speaks has none."""
    first, second = opened(), opened()
    assert first.languages == {"en"}
    assert voice_for("en-GB", [first, second]) is first
    assert voice_for("de", [first, second]) is None


async def test_sentences_on_one_line_have_a_pause_between_them(joe: Path) -> None:
    """Two short sentences, which Piper is given at once, are 0.2 s apart."""
    voice = PiperVoice(joe)
    pieces = await sounds(voice, "Yes, of course. The boat is green.")
    await voice.aclose()
    samples = b"".join(piece.samples for piece in pieces)
    assert bytes(round(0.2 * pieces[0].rate) * SAMPLE_BYTES) in samples.rstrip(b"\0")


async def test_a_text_that_ends_in_mid_sentence_has_no_pause(
    opened: Callable[[], PiperVoice],
) -> None:
    """A first clause, spoken ahead of the rest, is followed by it at once."""
    voice = opened()
    assert round(seconds(await sounds(voice, "first of all,")), 1) == 0.3
    assert round(seconds(await sounds(voice, "that is all.")), 1) == 0.5
