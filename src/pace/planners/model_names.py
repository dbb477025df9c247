"""Whether two servers' words for a model mean the same one."""

import re

# Names of models that make vectors, and no replies, besides those with "embed" in them.
_NO_CHAT = re.compile(r"embed|rerank|minilm|(?:^|[/_-])(?:bge|gte|e5)[-_]", re.IGNORECASE)
# What names one and the same model more exactly: Ollama's usual tag, the second copy that LM Studio
# has loaded, a file's ending, a day of release.
_DETAIL = re.compile(r"(?::latest|:\d{1,2}|\.gguf|-20\d\d-?\d\d-?\d\d)$")


# Longer ones are no names, and would fill a screen.
_LONGEST_SHOWN = 100


def shown_name(name: str) -> str:
    """A model's name as a sentence holds it."""
    return name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"


def is_for_chat(name: str) -> bool:
    """Whether a model of this name may answer; one that makes vectors cannot."""
    return not _NO_CHAT.search(name)


def is_same_model(one: str, other: str) -> bool:
    """Whether both name one model, publishers, folders and such detail apart."""
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    plain = name.strip().lower().replace("\\", "/").rpartition("/")[2].partition("@")[0]
    while (shorter := _DETAIL.sub("", plain)) != plain:
        plain = shorter
    return plain
