"""Opens the planner of a provider; its library and the keyring are waited for off the loop."""

import asyncio
from collections.abc import Callable

from pace.endpoint import RemoteUrl
from pace.errors import MissingExtraError, SettingsError
from pace.planners.direct.keys import find_key
from pace.planners.direct.providers import FACTS
from pace.planners.options import ReplyOptions
from pace.ports import Planner
from pace.settings import Provider


async def open_direct(
    provider: Provider,
    *,
    model: str | None,
    base_url: str | None,
    options: Callable[[], ReplyOptions] = ReplyOptions,
) -> Planner:
    """The planner of a provider with the key that is found for it; nothing is sent yet.

    A `base_url` goes before the provider's own, and gets its key: give it only if the person named
    it for this very provider. Raises SettingsError, MissingKeyError and MissingExtraError.
    """
    # Loading a library takes half a second to two, and a keyring may ask the person first.
    return await asyncio.to_thread(_opened, provider, model, base_url, options)


def _opened(
    provider: Provider,
    model: str | None,
    base_url: str | None,
    options: Callable[[], ReplyOptions],
) -> Planner:
    facts = FACTS.get(provider)
    if facts is None:
        raise SettingsError(
            f"{provider} is no API. Choose one of: {', '.join(FACTS)}, as in: pace tier anthropic"
        )
    address = base_url or facts.base_url
    if address is None:
        raise SettingsError(
            "Your own server needs its address. "
            "Set it like: pace settings planner.base_url http://192.168.1.20:8080/v1"
        )
    url, key, name = RemoteUrl(address), find_key(provider), model or facts.model
    try:
        if provider is Provider.ANTHROPIC and key is not None and name is not None:
            from pace.planners.direct.anthropic_planner import (  # noqa: PLC0415  # an extra's
                AnthropicPlanner,
            )

            return AnthropicPlanner(url, key, model=name, options=options)
        from pace.planners.direct.openai_planner import OpenAiPlanner  # noqa: PLC0415  # as above
    except ModuleNotFoundError as error:
        raise MissingExtraError("Tier direct", "direct") from error
    return OpenAiPlanner(url, key, provider=provider, model=name, options=options)
