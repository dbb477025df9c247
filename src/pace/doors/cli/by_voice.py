"""`pace voice`: a spoken conversation, on this machine's devices or by sound files."""

import sys
from collections import deque
from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from pace.actions.installed import InstalledActions
from pace.clock import SystemClock
from pace.doors.cli.ending import let_end, run_until_ended
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.fitting_width import say, show_table
from pace.doors.cli.talking import open_history, open_settings
from pace.doors.cli.tier import ask_consent
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.switching import remote_sentence
from pace.errors import MissingExtraError, SettingsError
from pace.settings import VoiceMode, VoiceSettings, check_value
from pace.settings_file import SettingsFile

try:
    from pace.doors.cli.terminal.screen import held
    from pace.doors.cli.terminal.voice_screen import VoiceScreen
    from pace.doors.voice.conversation import SpokenConversation, SpokenTurn
    from pace.doors.voice.equipment import open_equipment
    from pace.doors.voice.files import FileSpeaker, chunks_of
    from pace.doors.voice.listening import Listening
    from pace.doors.voice.live import LiveConversation
    from pace.speech.devices.echo_cancelling import EchoFreeMicrophone, Sounding, can_cancel
    from pace.speech.devices.listing import sound_devices
    from pace.speech.devices.microphone import DeviceMicrophone
    from pace.speech.devices.speaker import DeviceSpeaker
    from pace.speech.echo_gate import EchoGate
    from pace.speech.ports import Microphone, Sound
    from pace.speech.sound import WavFile, read_wav
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "pace":
        raise
    raise MissingExtraError("pace voice", "voice") from error

# What Piper's middling voices are made at; other voices are made to fit the file.
_FILE_RATE = 22_050
_HEADPHONES = "voice.headphones"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the flags of `pace voice` say."""

    wav_in: str | None
    wav_out: str | None
    lists_devices: bool
    values: Mapping[str, str | bool | None]
    """Of settings, by their names without `voice.`."""


def talk(asked: Asked, flags: Mapping[str, str | bool | None]) -> int:
    """Run `pace voice`; gives the exit status. Raises PaceError for what was asked wrongly."""
    if asked.lists_devices:
        return _list_devices()
    file = open_settings(flags)
    for name, value in asked.values.items():
        if value not in {None, False}:
            step = f"Check --{name}."
            file.wish(f"voice.{name}", check_value(f"voice.{name}", value, step=step))
    if asked.wav_in is not None:
        return _talk_by_files(asked.wav_in, asked.wav_out, file)
    if asked.wav_out is not None:
        raise SettingsError("--wav-out goes with --wav-in. Name a sound file with what you say.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SettingsError("A spoken conversation needs a terminal. In a script, use --wav-in.")
    ask_consent(file)
    _ask_headphones(file)
    return run_until_ended(_talk_here(file))


def _list_devices() -> int:
    found = sound_devices()
    if not found:
        raise SettingsError("There is no microphone and no loudspeaker here. Plug one in.")
    rows = [
        (device.kind.value, device.name, "the system's own" if device.is_default else "")
        for device in found
    ]
    show_table(("KIND", "NAME", ""), rows)
    click.echo("\nChoose with --device NAME, or for good with: pace settings voice.device NAME")
    return 0


def _ask_headphones(file: SettingsFile) -> None:
    """Ask once: only without headphones does the microphone hear what Pace says."""
    if file.current.voice.headphones is not None:
        return
    click.echo(
        "Do you wear headphones? Then you can cut in on a reply at any loudness. [y/N] ", nl=False
    )
    wears = sys.stdin.readline().strip().lower() in {"y", "yes"}
    file.change(_HEADPHONES, wears)
    click.echo(f"Change it with: pace settings {_HEADPHONES} {'off' if wears else 'on'}\n")


# --- on this machine's devices


async def _talk_here(file: SettingsFile) -> int:
    told: deque[str] = deque()
    clock = SystemClock()
    actions = InstalledActions(lambda: file.current, clock=clock, tell=told.append)
    settings = file.current.voice
    async with AsyncExitStack() as stack:
        gear = await stack.enter_async_context(
            open_equipment(settings, screen=FetchBar(), tell=told.append)
        )
        chat = await stack.enter_async_context(
            OpenChat(
                file, screen=FetchBar(), history=open_history(), tell=told.append, actions=actions
            )
        )
        if where := remote_sentence(file.current):
            _tell(where)
        microphone, speaker = _devices(settings)
        stack.push_async_callback(speaker.aclose)
        live = LiveConversation(
            chat,
            microphone=microphone,
            speaker=speaker,
            detector=gear.detector,
            recogniser=gear.recogniser,
            voices=gear.voices,
            gate=EchoGate(is_open=bool(settings.headphones)),
            language=gear.language,
            clock=clock,
            tell=told.append,
            changed=_unwatched,
        )
        if settings.mode is VoiceMode.HANDS_FREE:
            live.hands_free(on=True)
        try:
            return await held(lambda look: VoiceScreen(chat, look, live, told))
        finally:
            let_end()


def _devices(settings: VoiceSettings) -> tuple[Microphone, DeviceSpeaker]:
    """Both as they are set; without headphones, Pace's own voice is taken out of what is heard."""
    device = settings.device or None
    microphone = DeviceMicrophone(device)
    if settings.headphones or not can_cancel():
        return microphone, DeviceSpeaker(device)
    sounding = Sounding()
    return EchoFreeMicrophone(microphone, sounding), DeviceSpeaker(device, given=sounding.put)


def _unwatched() -> None:
    """The screen looks by itself, many times a second."""


# --- by sound files


def _talk_by_files(wav_in: str, wav_out: str | None, file: SettingsFile) -> int:
    sound = read_wav(Path(wav_in))
    if wav_out is not None and Path(wav_out).absolute() == Path(wav_in).absolute():
        raise SettingsError("--wav-out would write over --wav-in. Name another file.")
    ask_consent(file)
    with ExitStack() as stack:
        out = None
        if wav_out is not None:
            out = stack.enter_context(WavFile(Path(wav_out), rate=_FILE_RATE))
        return run_until_ended(_talk_with(sound, out, file))


async def _talk_with(sound: Sound, out: WavFile | None, file: SettingsFile) -> int:
    async with AsyncExitStack() as stack:
        gear = await stack.enter_async_context(
            open_equipment(file.current.voice, screen=FetchBar(), tell=_tell)
        )
        chat = await stack.enter_async_context(
            OpenChat(file, screen=FetchBar(), history=open_history(), tell=_tell)
        )
        if where := remote_sentence(file.current):
            _tell(where)
        listening = Listening(
            gear.detector, gear.recogniser, language=gear.language, tell=lambda _: None
        )
        speaker = FileSpeaker(out)
        spoken = SpokenConversation(
            chat, listening, speaker, gear.voices, clock=SystemClock(), trouble=_tell
        )
        async for turn in spoken.turns(chunks_of(sound)):
            _show(turn)
    return 0


def _show(turn: SpokenTurn) -> None:
    say(f"You: {safe_line(turn.utterance.text)}")
    click.echo(f"Pace: {safe_text(turn.report.text).strip()}\n")


def _tell(sentence: str) -> None:
    say(f"pace: {safe_line(sentence)}", err=True)
