"""The gateway's HTTP connections to a planner's server: kept open for the next turn, and fast.

aiohttp, since a request costs a seventh of httpx's and a streamed one a quarter (ADR 0015). Nothing
is sent that was not given: no cookies, no redirects followed, no sign-in details of a .netrc file.
"""

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from pace.endpoint import LoopbackUrl, RemoteUrl
from pace.errors import PlannerUnreachableError, SettingsError
from pace.planners.client import CONNECT_LIMIT, FIRST_BYTE_LIMIT
from pace.planners.upstreams.port import NothingSentError

# Servers close idle connections after 5 s (uvicorn under vLLM, llama.cpp); ours are gone before.
_KEPT_OPEN = 3.0


def open_session(
    base: LoopbackUrl | RemoteUrl, key: str | None, *, first_byte_limit: float = FIRST_BYTE_LIMIT
) -> aiohttp.ClientSession:
    """Connections to one server; close them when done. Limits are in seconds.

    It asks for nothing packed: little could unpack into more than there is memory. Needs a running
    loop; raises SettingsError for a proxy that it cannot use.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_OPEN),
        headers={
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "pace",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        },
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_LIMIT, sock_read=first_byte_limit
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        proxy=_proxy_for(base),
    )


def _proxy_for(base: LoopbackUrl | RemoteUrl) -> str | None:
    """The environment's proxy for HTTPS, where it sees whom is called and nothing else."""
    host = urlsplit(base.text).hostname or ""
    if isinstance(base, LoopbackUrl) or not base.is_encrypted or proxy_bypass(host):
        return None
    proxy = getproxies().get("https")
    if proxy and urlsplit(proxy).scheme not in {"http", "https"}:
        raise SettingsError(
            "The gateway can use a proxy that speaks HTTP, and HTTPS_PROXY names another. Change "
            f"it, or name {host} in NO_PROXY."
        )
    return proxy


def unreachable(error: aiohttp.ClientError | TimeoutError, server: str) -> PlannerUnreachableError:
    """What a fault of the transport means to a person."""
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return NothingSentError(f"Nothing answers at {server}. Start it, or check its address.")
    if isinstance(error, TimeoutError):
        return PlannerUnreachableError(f"{server} took too long to answer. Is it overloaded?")
    return PlannerUnreachableError(f"The connection to {server} broke off. Ask again.")


def shown_cause(error: aiohttp.ClientError | TimeoutError) -> BaseException | None:
    """The error as a cause, unless it would show the request's key to whoever prints it."""
    return None if isinstance(error, aiohttp.ClientResponseError) else error
