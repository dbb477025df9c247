"""What the window offers of planners: who could answer, and which model files there are."""

from collections.abc import Sequence

from pace.doors.cli.fetching import gigabytes
from pace.planners.catalogue import LARGER, SHIPPED
from pace.planners.local.naming import kind_named
from pace.planners.offers import Offer
from pace.planners.weights import WeightsFolder

# What can be chosen, by its name for `pace tier`: how the page calls it, and what it is.
CHOICES = {
    "embedded": ("Embedded", "A model inside Pace, on this machine."),
    "local": (
        "Local server",
        "LM Studio, Ollama, llama-server: whatever speaks OpenAI's protocol on this machine.",
    ),
    "apple": ("Apple", "The model that macOS brings, on this machine."),
    "claude": ("Claude Code", "The program claude, with your account at Anthropic."),
    "codex": ("Codex", "The program codex, with your account at OpenAI."),
    "gemini": ("Gemini CLI", "The program gemini, with your account at Google."),
    "anthropic": ("Anthropic", "Its API, with a key of yours."),
    "openai": ("OpenAI", "Its API, with a key of yours."),
    "openrouter": ("OpenRouter", "Its API, with a key of yours."),
    "custom": ("Another address", "A server in the house, or a service with OpenAI's protocol."),
}
# An address to write like, and what it may be.
ADDRESSES = {
    "local": ("http://127.0.0.1:1234/v1", "An http address on this machine; any other is refused."),
    "custom": (
        "https://example.com/v1",
        "https anywhere, or http to a private address in the house. What you say goes there.",
    ),
}


def offered(others: Sequence[Offer]) -> str:
    """Who could answer, each with where words would go; empty if nobody could."""
    return ", ".join(
        f"{_title(offer)} ({f'sends words to {offer.host}' if offer.host else 'here'})"
        for offer in others
    )


def _title(offer: Offer) -> str:
    """How the window calls one; a server that was found by its own name, and by its address."""
    if offer.base_url is None:
        return CHOICES[offer.command][0]
    name = kind_named(offer.command) or CHOICES[offer.tier][0]
    return f"{name} at {offer.base_url}"


def address_for(kept: str | None, found: Sequence[str]) -> str | None:
    """The address that choosing sets: what was kept, unless others were found in its place.

    None if the person has to say which.
    """
    if kept is not None and (kept in found or not found):
        return kept
    return found[0] if len(found) == 1 else None


def models_of(folder: WeightsFolder) -> list[tuple[str, str, str, bool]]:
    """Name, title and facts of what is known and what is in the folder, and if it can be used."""
    listed = []
    for file in (*SHIPPED, *LARGER):
        is_here = folder.path_of(file).is_file()
        facts = f"{gigabytes(file.size)} · {file.licence} · {gigabytes(file.memory)} of memory"
        told = f"{facts} · here" if is_here else f"{facts} · {how_to_get(file.name)}"
        listed.append((file.name, file.title, told, is_here))
    names = {file.file for file in (*SHIPPED, *LARGER)}
    others = sorted(path for path in folder.folder.glob("*.gguf") if path.name not in names)
    listed += [
        (path.name, path.stem, f"{gigabytes(path.stat().st_size)} · here", True) for path in others
    ]
    return listed


def how_to_get(name: str) -> str:
    """How a model file is fetched; a page fetches none."""
    return f"not here; to fetch it: pace models get {name}"
