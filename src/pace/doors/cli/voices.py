"""`pace voices`: who can speak here, in which language, and what else can be fetched."""

from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from pathlib import Path

import click

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fetching import FetchBar, gigabytes
from pace.doors.cli.fitting_width import say, show_table
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError, WeightsError
from pace.folders import Folders
from pace.settings import RecogniserName, VoiceSettings
from pace.settings_file import SettingsFile
from pace.speech.catalogue import SpeechModel, known
from pace.speech.languages import LANGUAGES, SAMPLES, base_of
from pace.speech.models import SpeechModels
from pace.speech.ports import Speaker, Voice
from pace.speech.voice_catalogue import VOICES, known_voice
from pace.speech.voices.choosing import voice_for
from pace.speech.voices.finding import system_voice
from pace.speech.voices.opening import has_piper, open_voice, open_voices
from pace.speech.voices.system import SystemVoice

_GROWN = "*"
# What Piper's middling voices are made at; other sound is made to fit the file.
_FILE_RATE = 22_050
_Row = tuple[str, ...]


def show_voices(language: str | None) -> None:
    """Every voice of a language that the recogniser knows, or of this one alone."""
    settings = _settings()
    heard = _heard(settings)
    if language is not None:
        heard = {_checked(language, heard)}
    run_until_ended(_show(settings, heard))


def fetch_voice(name: str) -> None:
    """Fetch a voice of the catalogue; it is here only if each file is right."""
    model = _fetchable(name)
    run_until_ended(_fetch(model))


def play_voice(name: str, text: str, *, language: str | None, wav_out: str | None) -> None:
    """Have a voice speak through the loudspeaker, or into a file."""
    model = known_voice(name)
    spoken = None if language is None else _checked(language, LANGUAGES)
    if spoken is None and model is not None and model.languages is not None:
        spoken = min(model.languages)
    spoken = spoken or "en"
    if not text and spoken not in SAMPLES:
        raise SettingsError(f"Pace has no sentence in {LANGUAGES[spoken]}. Give a TEXT to say.")
    run_until_ended(_play(name, text or SAMPLES[spoken], spoken, wav_out))


def remove_voice(name: str) -> None:
    """Let go of a voice's files."""
    freed = _models().remove(_fetchable(name))
    if not freed:
        raise SettingsError(f"The voice {name} is not here. `pace voices` lists what is.")
    click.echo(f"Removed {name}; {gigabytes(freed)} are free again.")


async def _show(settings: VoiceSettings, heard: Collection[str]) -> None:
    models = _models()
    try:
        speaking = await open_voices(
            models, preferred=settings.voice, speed=1.0, trouble=lambda _: None
        )
    except SettingsError as error:
        say(f"pace: {safe_line(str(error))}", err=True)
        speaking = await open_voices(models, preferred="", speed=1.0, trouble=lambda _: None)
    shown = [voice for voice in VOICES if _among(voice.languages, heard)]
    rows = [await _row(voice, models, speaking) for voice in shown]
    platform = await system_voice()
    if platform is not None and (spoken := platform.languages & set(heard)):
        rows.append(_platform_row(platform, spoken, speaking))
    if not rows:
        say(f"No voice speaks {_named(heard)} here; replies are shown and not spoken.")
        return
    show_table(("NAME", "LANGUAGE", "QUALITY", "SIZE", "LICENCE", "CHECKED BY", ""), rows)
    click.echo()
    _explain(settings, shown)


async def _row(voice: SpeechModel, models: SpeechModels, speaking: Sequence[Voice]) -> _Row:
    try:
        state = "here" if await models.find(voice) is not None else ""
    except WeightsError:
        state = "damaged"
    return (
        voice.name,
        _named(voice.languages or ()),
        voice.quality,
        gigabytes(voice.size),
        f"{voice.licence}{f' {_GROWN}' if voice.grown_from else ''}",
        "Pace" if voice.is_pinned else "the hub",
        ", ".join(filter(None, (state, _would_speak(voice.name, voice.languages or (), speaking)))),
    )


def _platform_row(voice: Voice, spoken: Collection[str], speaking: Sequence[Voice]) -> _Row:
    count = _named(spoken) if len(spoken) == 1 else f"{len(spoken)} languages"
    speaks = _would_speak(voice.name, spoken, speaking)
    return (
        voice.name,
        count,
        "",
        "",
        "the system's",
        "",
        ", ".join(filter(None, ("here", speaks))),
    )


def _would_speak(name: str, languages: Collection[str], speaking: Sequence[Voice]) -> str:
    """Of which of these languages a reply would be spoken by this voice now."""
    its = [
        language
        for language in languages
        if (voice := voice_for(language, speaking)) is not None and voice.name == name
    ]
    if len(its) > 1:
        return f"speaks {len(its)} of them"
    return f"speaks {_named(its)}" if its else ""


def _explain(settings: VoiceSettings, shown: Sequence[SpeechModel]) -> None:
    if any(not voice.is_pinned for voice in shown):
        say(
            "Checked by Pace: Pace names the SHA-256 of each file. By the hub: Hugging Face names "
            "it at the download, and a later change is noticed."
        )
    if grown := sorted({voice.grown_from for voice in shown if voice.grown_from}):
        say(
            f"{_GROWN} The licence is that of its own recordings; it was trained further from "
            f"{grown[0]}, whose recordings are licensed for research."
        )
    if settings.recogniser is not RecogniserName.BASE:
        say(f"The recogniser {settings.recogniser} knows English alone; base knows more.")
    if not has_piper():
        say("All but the system's own voice need Piper. In Pace's folder: pip install '.[piper]'")
    say("Fetch one with: pace voices fetch NAME; hear it with: pace voices play NAME")
    say("Have it asked first with: pace settings voice.voice NAME")


async def _fetch(model: SpeechModel) -> None:
    models = _models()
    if await models.find(model) is None:
        bar = FetchBar()
        bar.begins(replace(model.main, title=model.title, size=model.size))
        try:
            await models.fetch(model, report=bar.report)
        finally:
            bar.ends()
    say(f"It is here. Hear it with: pace voices play {model.name}")
    if not has_piper():
        say("To speak it needs Piper. In Pace's folder: pip install '.[piper]'")


async def _play(name: str, text: str, language: str, wav_out: str | None) -> None:
    settings = _settings()
    async with AsyncExitStack() as stack:
        voice = await open_voice(_models(), name, speed=settings.speed)
        stack.push_async_callback(voice.aclose)
        if language not in voice.languages:
            raise SettingsError(f"The voice {name} does not speak {LANGUAGES[language]}.")
        if wav_out is not None and isinstance(voice, SystemVoice) and voice.plays_itself:
            raise SettingsError(f"The voice {name} plays by itself alone. Leave out --wav-out.")
        speaker = _speaker(settings, wav_out, stack)
        stack.push_async_callback(speaker.aclose)
        async with aclosing(voice.speak(text, language=language)) as pieces:
            async for piece in pieces:
                await speaker.play(piece)
        await speaker.wait_silent()


def _speaker(settings: VoiceSettings, wav_out: str | None, stack: AsyncExitStack) -> Speaker:
    from pace.doors.voice.files import FileSpeaker  # noqa: PLC0415  # an extra
    from pace.speech.devices.speaker import DeviceSpeaker  # noqa: PLC0415
    from pace.speech.sound import WavFile  # noqa: PLC0415

    if wav_out is None:
        return DeviceSpeaker(settings.device or None)
    return FileSpeaker(stack.enter_context(WavFile(Path(wav_out), rate=_FILE_RATE)))


def _fetchable(name: str) -> SpeechModel:
    model = known_voice(name)
    if model is None:
        raise SettingsError(f"The voice {name} comes with the system, and is not Pace's to change.")
    return model


def _checked(language: str, among: Collection[str]) -> str:
    code = base_of(language)
    if code not in LANGUAGES:
        raise SettingsError(
            f"No recogniser knows the language {safe_line(language)}. Give a code, such as de."
        )
    if code not in among:
        raise SettingsError(
            f"The recogniser that is set does not know {LANGUAGES[code]}. Set another with: "
            "pace settings voice.recogniser base"
        )
    return code


def _heard(settings: VoiceSettings) -> set[str]:
    """The languages of the recogniser that is set."""
    recogniser = known(settings.recogniser)
    return set(LANGUAGES if recogniser is None else recogniser.languages or LANGUAGES)


def _among(languages: Collection[str] | None, heard: Collection[str]) -> bool:
    return not set(languages or ()).isdisjoint(heard)


def _named(languages: Collection[str]) -> str:
    return ", ".join(f"{LANGUAGES[code]} ({code})" for code in sorted(languages))


def _settings() -> VoiceSettings:
    file = SettingsFile.open()
    for notice in file.notices:
        say(f"pace: {safe_line(notice)}", err=True)
    return file.current.voice


def _models() -> SpeechModels:
    return SpeechModels(Folders.of().models)
