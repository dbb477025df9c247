"""Recognisers: the contract over each model, and what is of this adapter alone."""

import logging
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pace.errors import RecogniserError
from pace.speech.ports import RATE, Sound
from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
from pace.speech.sound import at_rate
from speech.conftest import Spoken
from speech.contracts import SILENCE, RecogniserContract


@pytest.fixture(scope="module")
def said(spoken: tuple[Spoken, ...]) -> tuple[Sound, str]:
    return spoken[7].sound, "kitchen"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tiny_recogniser(tiny_en: Path) -> AsyncIterator[FasterWhisperRecogniser]:
    recogniser = FasterWhisperRecogniser(tiny_en, "tiny.en")
    yield recogniser
    await recogniser.aclose()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def base_recogniser(base: Path) -> AsyncIterator[FasterWhisperRecogniser]:
    recogniser = FasterWhisperRecogniser(base, "base")
    yield recogniser
    await recogniser.aclose()


class TestTinyEnglish(RecogniserContract):
    @pytest.fixture
    def recogniser(self, tiny_recogniser: FasterWhisperRecogniser) -> FasterWhisperRecogniser:
        return tiny_recogniser


class TestBase(RecogniserContract):
    @pytest.fixture
    def recogniser(self, base_recogniser: FasterWhisperRecogniser) -> FasterWhisperRecogniser:
        return base_recogniser


def wrong_words(wanted: str, heard: str) -> tuple[int, int]:
    """How many words have to be put in, taken out or changed, and how many there are."""
    first, second = (re.findall(r"[a-z0-9']+", text.lower()) for text in (wanted, heard))
    row = list(range(len(second) + 1))
    for count, word in enumerate(first, 1):
        before, row[0] = row[0], count
        for place, other in enumerate(second, 1):
            changed = before + (word != other)
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, changed)
    return row[-1], len(first)


async def test_ten_spoken_sentences_come_back(
    tiny_recogniser: FasterWhisperRecogniser, spoken: tuple[Spoken, ...]
) -> None:
    """Of what Piper says, fewer than a fifth of the words are wrong with the smallest model."""
    counts = [
        wrong_words(each.text, (await tiny_recogniser.recognise(each.sound)).text)
        for each in spoken
    ]
    assert sum(wrong for wrong, _ in counts) < 0.2 * sum(words for _, words in counts)


async def test_more_than_a_whole_look_is_heard_to_its_end(
    tiny_recogniser: FasterWhisperRecogniser, spoken: tuple[Spoken, ...]
) -> None:
    """What is longer than the 30 s that the model looks at keeps its first and its last words."""
    pause = bytes(RATE)
    whole = b"".join(at_rate(each.sound).samples + pause for each in (*spoken, *spoken[:4]))
    sound = Sound(whole)
    assert sound.seconds > 31
    heard = (await tiny_recogniser.recognise(sound)).text.lower()
    assert "morning" in heard
    assert "garden" in heard.rpartition("piano")[2]


async def test_a_tone_is_not_taken_for_words(tiny_recogniser: FasterWhisperRecogniser) -> None:
    """A sound at which a short look repeats itself is looked at anew, and is no speech."""
    wave = b"".join((9000 if n % 36 < 18 else -9000).to_bytes(2, "little", signed=True)
                    for n in range(2 * RATE))  # fmt: skip
    heard = await tiny_recogniser.recognise(Sound(wave))
    assert heard.no_speech > 0.5
    assert heard.compression <= 2.4


async def test_another_language_than_english_is_refused(
    tiny_recogniser: FasterWhisperRecogniser,
) -> None:
    """A model that knows English alone says so, and names one that knows more."""
    with pytest.raises(RecogniserError, match=r"English only\. Choose base"):
        await tiny_recogniser.recognise(SILENCE, language="de")


async def test_no_word_is_logged(
    tiny_recogniser: FasterWhisperRecogniser,
    spoken: tuple[Spoken, ...],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """At the most talkative level, neither log nor screen holds what was said."""
    with caplog.at_level(logging.DEBUG):
        await tiny_recogniser.recognise(spoken[7].sound, words=True)
    told = capfd.readouterr()
    assert "kitchen" not in (caplog.text + told.out + told.err).lower()


async def test_a_folder_that_lacks_a_file_is_named(tmp_path: Path) -> None:
    """Without all files nothing is loaded, nor looked for elsewhere."""
    (tmp_path / "model.bin").write_bytes(b"no model")
    recogniser = FasterWhisperRecogniser(tmp_path, "base")
    with pytest.raises(RecogniserError, match=r"lacks config\.json, tokenizer\.json"):
        await recogniser.recognise(SILENCE)
    await recogniser.aclose()


async def test_a_model_that_cannot_be_loaded_is_an_error_in_words(tmp_path: Path) -> None:
    """Files that hold something else end in one sentence."""
    for name in ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt"):
        (tmp_path / name).write_bytes(b"{}")
    recogniser = FasterWhisperRecogniser(tmp_path, "base")
    with pytest.raises(RecogniserError, match="cannot be loaded"):
        await recogniser.warm()
    await recogniser.aclose()


async def test_a_closed_recogniser_hears_nothing(tiny_en: Path) -> None:
    """After `aclose`, which may come twice, a call fails at once."""
    recogniser = FasterWhisperRecogniser(tiny_en, "tiny.en")
    await recogniser.warm()
    await recogniser.aclose()
    await recogniser.aclose()
    with pytest.raises(RecogniserError, match="closed"):
        await recogniser.recognise(SILENCE)


def test_the_adapter_imports_no_library() -> None:
    """What is slow to import, or an extra, is imported with the first call."""
    code = (
        "import sys, pace.speech.recognisers.faster_whisper, pace.speech.voices.piper\n"
        "print({'faster_whisper', 'ctranslate2', 'piper'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
