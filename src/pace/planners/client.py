"""The one way a planner's HTTP client is made: proxies and redirects could lead off the machine."""

from pathlib import Path

import httpx

# A server that loads its model first answers late: 90 s are usual for a large one on a slow disk.
FIRST_BYTE_LIMIT = 600.0
CONNECT_LIMIT = 5.0


def open_client(
    *,
    socket: Path | None = None,
    key: str | None = None,
    first_byte_limit: float = FIRST_BYTE_LIMIT,
) -> httpx.AsyncClient:
    """A client for one server on this machine; close it when done. Limits are in seconds.

    It ignores proxy settings and follows no redirect, and keeps no idle connection, since some
    servers close those just as the next turn comes. It asks for nothing packed: little could
    unpack into more than there is memory.
    """
    return httpx.AsyncClient(
        transport=httpx.AsyncHTTPTransport(
            uds=None if socket is None else str(socket),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        ),
        headers={
            "Accept-Encoding": "identity",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        },
        timeout=httpx.Timeout(first_byte_limit, connect=CONNECT_LIMIT),
        trust_env=False,
        follow_redirects=False,
    )
