"""What is known of each provider: its address, its usual model, how long a prompt may be."""

from collections.abc import Mapping
from dataclasses import dataclass

from pace.settings import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFacts:
    """`title` is what people call it, `variable` where the environment may hold its key.

    Without an address or a model it has none of its own: the person names the address, and the
    server its models.
    """

    title: str
    variable: str
    base_url: str | None = None
    model: str | None = None


# The models are the middle size of each maker's newest line in the type lists of their SDKs
# (anthropic 2.15 ModelParam, openai 3.57 ChatModel), looked up on 2 December 2026. OpenRouter's
# chooses one itself. The addresses are the SDKs' own defaults, and OpenRouter's documented one.
FACTS: Mapping[Provider, ProviderFacts] = {
    Provider.ANTHROPIC: ProviderFacts(
        title="Anthropic",
        variable="ANTHROPIC_API_KEY",
        base_url="https://api.anthropic.com",
        model="claude-sonnet-5-5",
    ),
    Provider.OPENAI: ProviderFacts(
        title="OpenAI",
        variable="OPENAI_API_KEY",
        base_url="https://api.openai.com/v1",
        model="gpt-6.1-terra",
    ),
    Provider.OPENROUTER: ProviderFacts(
        title="OpenRouter",
        variable="OPENROUTER_API_KEY",
        base_url="https://openrouter.ai/api/v1",
        model="openrouter/auto",
    ),
    Provider.CUSTOM: ProviderFacts(title="your server", variable="PACE_API_KEY"),
}

# Tokens, prompt and reply together, from the makers' pages of models; the longest prefix counts.
# Newer members of a line have more; what is here, all of them have.
_CONTEXTS = {
    "claude-": 200_000,
    "chatgpt-4o": 128_000,
    "gpt-3.5": 16_385,
    "gpt-4": 8_192,
    "gpt-4-0125": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4-vision": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 400_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4": 200_000,
}
_CHAT_CONTEXT = 128_000
# No chat model that OpenAI or Anthropic brought out since 2024 has less.
LIKELY_CONTEXT = 128_000


def known_context(model: str) -> int | None:
    """How many tokens such a model's context has at least; None for a line that is not known."""
    prefixes = [prefix for prefix in _CONTEXTS if model.startswith(prefix)]
    if not prefixes:
        return None
    context = _CONTEXTS[max(prefixes, key=len)]
    # The models behind ChatGPT, gpt-5.1-chat-latest and the like, have less than their line.
    return min(context, _CHAT_CONTEXT) if "-chat" in model else context
