"""What the servers on this machine are called, where each usually listens, how it is started."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pace.endpoint import LoopbackUrl
from pace.planners.server_facts import ServerKind
from pace.settings import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerName:
    """How a person calls one kind of server, the port it takes unless told otherwise, its start."""

    words: tuple[str, ...]
    port: int
    start: str

    @property
    def address(self) -> LoopbackUrl:
        """Where it listens unless told otherwise."""
        return LoopbackUrl(f"http://127.0.0.1:{self.port}/v1")


# Letters and figures alone: people write lm-studio, LM Studio and lmstudio.
NAMES: Mapping[ServerKind, ServerName] = {
    ServerKind.LM_STUDIO: ServerName(words=("lmstudio",), port=1234, start="lms server start"),
    ServerKind.OLLAMA: ServerName(words=("ollama",), port=11434, start="ollama serve"),
    ServerKind.LLAMA_CPP: ServerName(
        words=("llamacpp", "llamaserver"), port=8080, start="llama-server -m MODEL.gguf"
    ),
    ServerKind.VLLM: ServerName(words=("vllm",), port=8000, start="vllm serve MODEL"),
}


def kind_named(name: str) -> ServerKind | None:
    """The kind of server that a person calls so; None for another word."""
    word = re.sub(r"[^a-z0-9]", "", name.lower())
    return next((kind for kind, known in NAMES.items() if word in known.words), None)


def command_of(name: str) -> str:
    """A found server's name as one word; that of its tier for one that does not say who made it."""
    return Tier.LOCAL if name == ServerKind.OTHER else "-".join(name.lower().split())
