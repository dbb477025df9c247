"""The voices Pace knows by name: Joe, whose files are pinned here, and others as the hub states.

Names, licences and what each grew from are as the voices' own model cards say. Left out is every
voice whose recordings, or those of the voice it grew from, are licensed for non-commercial use by
name; `lessac`, from which most of them grew, was recorded for research, and the list says so.
"""

import difflib

from pace.errors import SettingsError
from pace.planners.catalogue import HubSource, ModelFile
from pace.speech.catalogue import JOE, PIPER_VOICES, PIPER_VOICES_REVISION, SpeechModel

_MEMORY = 200_000_000
# Sizes in bytes, as the pages of the files give them: most, and what is about right for their
# settings.
_USUAL, _SETTINGS = 63_201_294, 5_000
_CC0, _CC_BY, _PUBLIC = "CC0-1.0", "CC-BY-4.0", "public domain"


def _at_hub(
    name: str, title: str, licence: str, *, size: int = _USUAL, grown_from: str | None = "lessac"
) -> SpeechModel:
    """A voice of Piper's own collection; the hub names the checksum of its weights."""
    locale, speaker, quality = name.split("-")
    language = locale.partition("_")[0]
    folder = f"{language}/{locale}/{speaker}/{quality}"

    def file(ending: str, size: int, *, is_weights: bool) -> ModelFile:
        file_name = f"{name}{ending}"
        return ModelFile(
            name=file_name,
            title=f"{title}, {file_name}",
            file=file_name,
            size=size,
            licence=licence,
            memory=_MEMORY if is_weights else 0,
            hub=HubSource(PIPER_VOICES, f"{folder}/{file_name}", PIPER_VOICES_REVISION),
            needs_stated_sha256=is_weights,
        )

    return SpeechModel(
        name=name,
        title=title,
        licence=licence,
        main=file(".onnx", size, is_weights=True),
        others=(file(".onnx.json", _SETTINGS, is_weights=False),),
        languages=frozenset({language}),
        quality=quality,
        grown_from=grown_from,
    )


_AT_HUB = (
    _at_hub(
        "en_US-norman-medium",
        "Norman, an American English voice",
        _PUBLIC,
        size=63_500_000,
        grown_from=None,
    ),
    _at_hub(
        "en_GB-cori-medium",
        "Cori, a British English voice",
        _PUBLIC,
        size=63_500_000,
        grown_from=None,
    ),
    _at_hub("cs_CZ-jirka-medium", "Jirka, a Czech voice", _CC0),
    _at_hub("da_DK-talesyntese-medium", "Talesyntese, a Danish voice", _CC0),
    _at_hub("de_DE-thorsten-medium", "Thorsten, a German voice", _CC0),
    _at_hub("el_GR-rapunzelina-medium", "Rapunzelina, a Greek voice", _CC0, grown_from=None),
    _at_hub("es_ES-davefx-medium", "Davefx, a Spanish voice", _CC0),
    _at_hub("fi_FI-harri-medium", "Harri, a Finnish voice", _CC0),
    _at_hub("fr_FR-siwis-medium", "Siwis, a French voice", _CC_BY),
    _at_hub("hu_HU-anna-medium", "Anna, a Hungarian voice", _CC0),
    _at_hub("it_IT-paola-medium", "Paola, an Italian voice", _CC0, size=63_511_038),
    _at_hub("nl_NL-pim-medium", "Pim, a Dutch voice", _CC0),
    _at_hub("no_NO-talesyntese-medium", "Talesyntese, a Norwegian voice", _CC0),
    _at_hub("pl_PL-darkman-medium", "Darkman, a Polish voice", _CC0),
    _at_hub("pt_BR-faber-medium", "Faber, a Brazilian Portuguese voice", _CC0),
    _at_hub("ro_RO-mihai-medium", "Mihai, a Romanian voice", _CC0),
    _at_hub("ru_RU-denis-medium", "Denis, a Russian voice", _CC0),
    _at_hub("sk_SK-lili-medium", "Lili, a Slovak voice", _CC0),
    _at_hub("sv_SE-nst-medium", "NST, a Swedish voice", _CC0, size=63_104_526, grown_from=None),
    _at_hub("tr_TR-fettah-medium", "Fettah, a Turkish voice", _CC0),
    _at_hub(
        "uk_UA-ukrainian_tts-medium",
        "Ukrainian TTS, a Ukrainian voice",
        _CC0,
        size=76_735_663,
        grown_from=None,
    ),
    _at_hub("vi_VN-vais1000-medium", "Vais1000, a Vietnamese voice", _CC_BY),
)
VOICES = (JOE, *_AT_HUB)
PLATFORM_VOICES = ("espeak-ng", "say", "windows")
"""The names of the voices that Linux, macOS and Windows bring."""


def known_voice(name: str) -> SpeechModel | None:
    """The voice of that name; None for a platform's own. Raises SettingsError for other names."""
    if name in PLATFORM_VOICES:
        return None
    voice = next((voice for voice in VOICES if voice.name == name), None)
    if voice is None:
        near = _nearest(name)
        step = f"Did you mean {near}?" if near else "`pace voices` lists them all."
        raise SettingsError(f"There is no voice {_shown(name)}. {step}")
    return voice


def _nearest(name: str) -> str | None:
    """The name that was meant, be it written in part or with a slip."""
    names = [*(voice.name for voice in VOICES), *PLATFORM_VOICES]
    wanted = name.lower()
    within = [each for each in names if wanted and wanted in each.lower()]
    if within:
        return within[0]
    by_lower = {each.lower(): each for each in names}
    by_lower |= {each.name.split("-")[1].lower(): each.name for each in VOICES}
    close = difflib.get_close_matches(wanted, by_lower, n=1)
    return by_lower[close[0]] if close else None


def _shown(name: str) -> str:
    """A bad name as it can stand in a sentence."""
    if len(name) > _LONGEST_SHOWN or not name.isprintable():
        return f"of {len(name):,} characters"
    return repr(name)


_LONGEST_SHOWN = 60
