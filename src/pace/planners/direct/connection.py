"""The HTTP client that the providers' libraries are given: it sends what is needed and no more.

A proxy of the environment is used for HTTPS, where it sees whom is called and nothing else; plain
HTTP to the house goes there directly. Redirects are not followed, with a key in hand. An error that
is answered is read here, briefly, so that no library makes one of its own that quotes it.
"""

import asyncio
from contextlib import suppress

import httpx2

from pace.endpoint import RemoteUrl
from pace.errors import SettingsError
from pace.planners.client import CONNECT_LIMIT, FIRST_BYTE_LIMIT
from pace.planners.direct.faults import FaultError, fault_of_answer
from pace.planners.direct.keys import ApiKey

# An error is told at once and in few words, or its status is all that is told.
_ERROR_LIMIT = 10.0
_LONGEST_ERROR = 64_000
# A provider drops idle connections later than this; a new one costs several exchanges.
_KEPT_OPEN = 60.0
# What the wire needs. The libraries add what they run on, and headers of the environment that may
# be meant for another host.
_NEEDED = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-stainless-raw-response",  # where the libraries keep that their answer is to be left raw
    }
)
_KEY_HEADERS = frozenset({"authorization", "x-api-key"})
_OF_OPENAI = frozenset({"openai-organization", "openai-project"})


def open_client(
    url: RemoteUrl, key: ApiKey | None, *, first_byte_limit: float = FIRST_BYTE_LIMIT
) -> httpx2.AsyncClient:
    """A client for one provider; close it when done. Raises SettingsError for a proxy it has not.

    Only the given key leaves in a header, whatever the environment would add.
    """
    allowed = _NEEDED | _OF_OPENAI if url.host == "api.openai.com" else _NEEDED
    secret = key.reveal() if key else None

    async def keep_to_what_is_needed(request: httpx2.Request) -> None:
        for name, value in list(request.headers.items()):
            is_key = name in _KEY_HEADERS and secret is not None and secret in value
            if name not in allowed and not is_key:
                del request.headers[name]
        request.headers["User-Agent"] = "pace"
        request.headers["Accept-Encoding"] = "identity"  # little could unpack into much

    try:
        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(first_byte_limit, connect=CONNECT_LIMIT),
            limits=httpx2.Limits(max_connections=None, keepalive_expiry=_KEPT_OPEN),
            trust_env=url.is_encrypted,
            follow_redirects=False,
            event_hooks={"request": [keep_to_what_is_needed], "response": [_raise_its_error]},
        )
    except (ImportError, ValueError) as error:
        raise SettingsError(
            "The proxy that the environment names cannot be used. Set HTTPS_PROXY to an http "
            "address, or unset it and ALL_PROXY."
        ) from error


async def _raise_its_error(response: httpx2.Response) -> None:
    """Raise FaultError for any answer but a good one."""
    if response.is_success:
        return
    body = bytearray()
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_ERROR_LIMIT):
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > _LONGEST_ERROR:
                    break
    told = body.decode("utf-8", errors="replace")
    raise FaultError(fault_of_answer(response.status_code, told, response.headers))
