"""Asks a server on this machine what it is, which models it has and how long a prompt may be.

The usual wire has no word for these, so each kind of server is asked in its own. A context that is
too large would be cut in silence by some servers, so only what is in force counts, never what the
model could do at most.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import httpx

from pace.planners.answers import mapping, parsed, whole
from pace.planners.asking import ANSWER_LIMIT, Asking
from pace.planners.model_names import is_for_chat, is_same_model

# What Ollama and LM Studio load a model with unless told otherwise.
ASSUMED_CONTEXT = 4096
# No model's context has more tokens; a larger figure is none.
_LONGEST_CONTEXT = 1_000_000_000
# What stands for a model's name where the server has no list; it then takes any.
ANY_MODEL = "default"
# The key of a server's one model, which is in memory whatever its name.
_THE_ONE = ""


class ServerKind(StrEnum):
    """Who made a server, as a person would name it; told by what only that kind answers."""

    LLAMA_CPP = "llama.cpp"
    LM_STUDIO = "LM Studio"
    OLLAMA = "Ollama"
    VLLM = "vLLM"
    OTHER = "OpenAI-compatible server"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server says of itself; `context_tokens` None if it does not say.

    `models` can be asked for by name; empty if it does not say. It `has_model` unless it says that
    it does not. `is_loading` means that it answers nothing yet and will say more later, `is_loaded`
    that the model is in its memory now. One that `has_tokenizer` counts as llama.cpp's server does.
    """

    kind: ServerKind
    model: str
    models: tuple[str, ...] = ()
    context_tokens: int | None = None
    has_tokenizer: bool = False
    has_model: bool = True
    is_loading: bool = False
    is_loaded: bool = True

    @property
    def loads_when_asked(self) -> bool:
        """Whether models come into its memory and leave it again by themselves."""
        return self.kind in {ServerKind.LM_STUDIO, ServerKind.OLLAMA} or (
            self.kind is ServerKind.LLAMA_CPP and not self.has_tokenizer
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stock:
    """A kind's models, and those in memory with their context."""

    kind: ServerKind
    models: tuple[str, ...]
    loaded: Mapping[str, int | None] = field(default_factory=dict)
    has_tokenizer: bool = False


async def look_up(
    client: httpx.AsyncClient,
    base: str,
    *,
    model: str | None,
    server: str,
    limit: float = ANSWER_LIMIT,
) -> ServerFacts:
    """Ask the server at `base` (its OpenAI-style address); raises PlannerUnreachableError.

    Without a `model` one that is in memory is chosen, else the first that can chat. Whatever the
    server has not said after `limit` seconds it does not say.
    """
    root = base.removesuffix("/v1")
    asking = Asking(client, server, limit)
    listed = _list(await asking.get(f"{base}/models"), "data")
    stock = (
        await _llama_cpp(asking, root, listed)
        or _vllm(listed)
        or await _lm_studio(asking, root)
        or await _ollama(asking, root)
        or _Stock(kind=ServerKind.OTHER, models=())
    )
    names = stock.models or tuple(_names(listed, "id"))
    name = _chosen(model, names, stock.loaded)
    context = _context_of(name, stock.loaded)
    if context is None and stock.kind is ServerKind.OLLAMA:
        context = await _ollama_default(asking, root, name)
    facts = ServerFacts(
        kind=stock.kind,
        model=name,
        models=tuple(filter(is_for_chat, names)),
        context_tokens=context,
        has_tokenizer=stock.has_tokenizer,
        has_model=name in names or name == ANY_MODEL or not names,
        is_loading=asking.was_told_to_wait,
    )
    return replace(facts, is_loaded=_is_in(name, stock.loaded)) if facts.loads_when_asked else facts


async def look_again(
    client: httpx.AsyncClient,
    base: str,
    facts: ServerFacts,
    *,
    server: str,
    limit: float = ANSWER_LIMIT,
) -> ServerFacts:
    """What may have changed since: whether the model is in memory, and with which context.

    One that has left it will come back with the context it had. Raises PlannerUnreachableError.
    """
    root = base.removesuffix("/v1")
    asking = Asking(client, server, limit)
    match facts.kind:
        case ServerKind.LM_STUDIO:
            stock = await _lm_studio(asking, root)
        case ServerKind.OLLAMA:
            stock = await _ollama(asking, root, with_all=False)
        case _:
            stock = _router(_list(await asking.get(f"{base}/models"), "data"))
    if stock is None:
        return facts
    return replace(
        facts,
        is_loaded=_is_in(facts.model, stock.loaded),
        context_tokens=_context_of(facts.model, stock.loaded) or facts.context_tokens,
    )


# --- each kind in its own words; None from whatever is of another kind


async def _llama_cpp(asking: Asking, root: str, listed: list[object]) -> _Stock | None:
    props = await asking.get(f"{root}/props")
    if props.get("role") == "router":
        return _router(listed)
    settings = mapping(props.get("default_generation_settings"))
    if not settings:
        return None
    return _Stock(
        kind=ServerKind.LLAMA_CPP,
        models=tuple(_names(listed, "id")),
        loaded={_THE_ONE: _positive(settings.get("n_ctx"))},
        has_tokenizer=True,
    )


def _router(listed: list[object]) -> _Stock:
    """llama.cpp's server over many models, which it loads as they are asked for."""
    loaded = {
        whole(str(entry.get("id"))): _positive(mapping(entry.get("meta")).get("n_ctx"))
        for entry in map(mapping, listed)
        if mapping(entry.get("status")).get("value") == "loaded"
    }
    return _Stock(kind=ServerKind.LLAMA_CPP, models=tuple(_names(listed, "id")), loaded=loaded)


def _vllm(listed: list[object]) -> _Stock | None:
    lengths = {
        whole(str(entry.get("id"))): _positive(entry.get("max_model_len"))
        for entry in map(mapping, listed)
        if "max_model_len" in entry
    }
    if not lengths:
        return None
    return _Stock(kind=ServerKind.VLLM, models=tuple(_names(listed, "id")), loaded=lengths)


async def _lm_studio(asking: Asking, root: str) -> _Stock | None:
    """Its own interface: version 1 came with LM Studio 0.4, version 0 with 0.3.6."""
    models: list[str] = []
    loaded: dict[str, int | None] = {}
    for entry in map(mapping, _list(await asking.get(f"{root}/api/v1/models"), "models")):
        if not isinstance(key := entry.get("key"), str) or entry.get("type") == "embedding":
            continue
        models.append(whole(key))
        for instance in map(mapping, _list(entry, "loaded_instances")):
            context = _positive(mapping(instance.get("config")).get("context_length"))
            loaded[whole(key)] = context
            loaded[whole(str(instance.get("id")))] = context
    if not models:
        for entry in map(mapping, _list(await asking.get(f"{root}/api/v0/models"), "data")):
            if "max_context_length" not in entry or entry.get("type") == "embeddings":
                continue
            models += _names([entry], "id")
            if context := _positive(entry.get("loaded_context_length")):
                loaded[models[-1]] = context
            elif entry.get("state") == "loaded":
                loaded[models[-1]] = None
    return (
        _Stock(kind=ServerKind.LM_STUDIO, models=tuple(models), loaded=loaded) if models else None
    )


async def _ollama(asking: Asking, root: str, *, with_all: bool = True) -> _Stock | None:
    running = await asking.get(f"{root}/api/ps")
    if not isinstance(running.get("models"), list):
        return None
    loaded = {
        whole(str(entry.get("name") or entry.get("model"))): _positive(entry.get("context_length"))
        for entry in map(mapping, _list(running, "models"))
    }
    tags = _list(await asking.get(f"{root}/api/tags"), "models") if with_all else []
    chatting = [tag for tag in tags if not _is_of_berts_family(mapping(tag))]
    return _Stock(kind=ServerKind.OLLAMA, models=tuple(_names(chatting, "name")), loaded=loaded)


def _is_of_berts_family(tag: Mapping[str, object]) -> bool:
    """Whether a model of Ollama's makes vectors, whatever its name."""
    return "bert" in str(mapping(tag.get("details")).get("family"))


async def _ollama_default(asking: Asking, root: str, name: str) -> int | None:
    """The context that the model's maker set, if any."""
    shown = await asking.post(f"{root}/api/show", {"model": name})
    # One line for each parameter, as "num_ctx    8192".
    for line in str(shown.get("parameters") or "").splitlines():
        words = line.split()
        if words[:1] == ["num_ctx"]:
            return _positive(parsed(words[-1]))
    return None


# --- what was said


def _chosen(asked: str | None, names: tuple[str, ...], loaded: Mapping[str, int | None]) -> str:
    """A model's name as the server spells it; what it does not have stays as it was asked for."""
    if asked is not None:
        same = (name for name in names if is_same_model(name, asked))
        return asked if asked in names else next(same, asked)
    chatting = list(filter(is_for_chat, names))
    in_memory = (name for name in chatting if _is_in(name, loaded))
    return next(in_memory, chatting[0] if chatting else ANY_MODEL)


def _is_in(name: str, loaded: Mapping[str, int | None]) -> bool:
    return any(is_same_model(name, other) for other in loaded)


def _context_of(name: str, loaded: Mapping[str, int | None]) -> int | None:
    same = (context for other, context in loaded.items() if is_same_model(name, other))
    return next(same, loaded.get(_THE_ONE))


def _names(entries: list[object], key: str) -> Iterator[str]:
    for entry in entries:
        if isinstance(name := mapping(entry).get(key), str) and name:
            yield whole(name)


def _list(answer: Mapping[str, object], key: str) -> list[object]:
    value = answer.get(key)
    return value if isinstance(value, list) else []


def _positive(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LONGEST_CONTEXT:
        return value
    return None
