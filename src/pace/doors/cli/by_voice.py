"""`pace voice`: a spoken conversation, with sound files for a microphone and a loudspeaker."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import click

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.fitting_width import say
from pace.doors.cli.talking import open_history, open_settings
from pace.doors.cli.tier import ask_consent
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.switching import remote_sentence
from pace.errors import MissingExtraError, SettingsError
from pace.folders import Folders
from pace.settings_file import SettingsFile

try:
    from pace.doors.voice.conversation import SpokenConversation, SpokenTurn
    from pace.doors.voice.files import FileSpeaker, chunks_of
    from pace.doors.voice.listening import Listening
    from pace.speech.catalogue import JOE, RECOGNISERS, SpeechModel, known
    from pace.speech.detecting import SileroSpeechDetector
    from pace.speech.models import SpeechModels
    from pace.speech.ports import Sound, Voice
    from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
    from pace.speech.sound import WavFile, read_wav
    from pace.speech.voices.finding import system_voice
    from pace.speech.voices.piper import PiperVoice
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "pace":
        raise
    raise MissingExtraError("pace voice", "voice") from error

# What Piper's middling voices are made at; other voices are made to fit the file.
_FILE_RATE = 22_050


def talk_by_files(
    wav_in: str, wav_out: str | None, recogniser: str, flags: Mapping[str, str | bool | None]
) -> int:
    """Run `pace voice`; gives the exit status. Raises PaceError for what was asked wrongly."""
    model = known(recogniser)
    if model not in RECOGNISERS:
        names = " or ".join(each.name for each in RECOGNISERS)
        raise SettingsError(f"There is no recogniser {safe_line(recogniser)}. Use {names}.")
    sound = read_wav(Path(wav_in))
    if wav_out is not None and Path(wav_out).absolute() == Path(wav_in).absolute():
        raise SettingsError("--wav-out would write over --wav-in. Name another file.")
    file = open_settings(flags)
    ask_consent(file)
    with ExitStack() as stack:
        out = None
        if wav_out is not None:
            out = stack.enter_context(WavFile(Path(wav_out), rate=_FILE_RATE))
        return run_until_ended(_talk(sound, out, model, file))


async def _talk(
    sound: Sound, out: WavFile | None, recogniser: SpeechModel, file: SettingsFile
) -> int:
    models = SpeechModels(Folders.of().models)
    async with AsyncExitStack() as stack:
        ears = FasterWhisperRecogniser(await _fetched(models, recogniser), recogniser.name)
        stack.push_async_callback(ears.aclose)
        voices = await _voices(models, stack)
        chat = await stack.enter_async_context(
            OpenChat(file, screen=FetchBar(), history=open_history(), tell=_tell)
        )
        if where := remote_sentence(file.current):
            _tell(where)
        listening = Listening(
            SileroSpeechDetector(), ears, language=lambda: _only(recogniser), tell=lambda _: None
        )
        talk = SpokenConversation(chat, listening, FileSpeaker(out), voices, trouble=_tell)
        async for turn in talk.turns(chunks_of(sound)):
            _show(turn)
    return 0


def _only(recogniser: SpeechModel) -> str | None:
    """The one language that a recogniser knows, if it knows no other."""
    languages = recogniser.languages or frozenset()
    return next(iter(languages)) if len(languages) == 1 else None


async def _fetched(models: SpeechModels, model: SpeechModel) -> Path:
    if (folder := await models.find(model)) is not None:
        return folder
    screen = FetchBar()
    screen.begins(replace(model.main, title=model.title, size=model.size))
    try:
        return await models.fetch(model, report=screen.report)
    finally:
        screen.ends()


async def _voices(models: SpeechModels, stack: AsyncExitStack) -> Sequence[Voice]:
    """Piper's voice, if Piper is installed, and then the platform's own."""
    voices: list[Voice] = []
    if find_spec("piper") is not None:
        piper = PiperVoice(await _fetched(models, JOE) / JOE.main.file)
        stack.push_async_callback(piper.aclose)
        voices.append(piper)
    if (system := await system_voice()) is not None:
        stack.push_async_callback(system.aclose)
        voices.append(system)
    return voices


def _show(turn: SpokenTurn) -> None:
    say(f"You: {safe_line(turn.utterance.text)}")
    click.echo(f"Pace: {safe_text(turn.report.text).strip()}\n")


def _tell(sentence: str) -> None:
    say(f"pace: {safe_line(sentence)}", err=True)
