"""The connection to the server: every request has a time limit, and every fault is a StoreError."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    ConnectionError,  # noqa: A004  # the library's own name
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.exceptions import TimeoutError as RedisTimeoutError

from pace.errors import SettingsError, StoreError, StoreUnreachableError

Answer = TypeVar("Answer")

CONNECT_SECONDS, REQUEST_SECONDS = 2.0, 5.0
# While the server does not answer, others wait this long instead, so that turns go on without it.
IMPATIENT_SECONDS = 1.0
_SCHEMES = {"redis", "rediss", "unix"}


class WritesToDiskError(RedisError):
    """The server that was connected to would write to a disk, though it did not before."""


class Link:
    """Requests to one Redis or Valkey, over at most `connections` connections at once.

    Connects at the first request, and again by itself. User and password of the URL are shown
    nowhere. Raises SettingsError for a URL that cannot be.
    """

    def __init__(
        self,
        url: str,
        *,
        connections: int,
        connect_seconds: float = CONNECT_SECONDS,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self.requests = 0
        """Requests that were sent; each is one round trip."""
        self.place = _place(url)
        self._seconds = request_seconds
        self._is_late = False
        self.settings: dict[str, str] = {}
        """What the server's settings have to be at every connection that is made from now on."""
        self.redis = Redis.from_pool(
            _pool(
                url,
                max_connections=connections,
                timeout=None,  # the request's own limit holds
                socket_connect_timeout=connect_seconds,
                socket_timeout=None,  # as above
                protocol=2,  # one request less to connect
                retry=Retry(NoBackoff(), 0),
                redis_connect_func=self._greet,
            )
        )

    async def _greet(self, connection: AbstractConnection) -> None:
        """Log in, and look at the settings first: a server may come back with others."""
        await connection.on_connect()
        if not self.settings:
            return
        await connection.send_command("CONFIG", "GET", *self.settings)
        told = [part.decode() for part in await connection.read_response()]
        if dict(zip(told[::2], told[1::2], strict=True)) != self.settings:
            await connection.disconnect()
            raise WritesToDiskError

    @property
    def seconds(self) -> float:
        """How long the next request may take."""
        return min(self._seconds, IMPATIENT_SECONDS) if self._is_late else self._seconds

    async def ask(self, send: Callable[[bool], Awaitable[Answer]]) -> Answer:
        """Give the server's answer. What is sent must be harmless when it is sent twice.

        `send` is told whether it is called again, since the connection broke. Raises StoreError.
        """
        try:
            return await self._ask(send, again=False)
        except (ConnectionError, ReadOnlyError) as error:
            # (While it connects, the library hides the one behind the other.)
            if isinstance(error, AuthenticationError) or isinstance(
                error.__cause__, AuthenticationError
            ):
                raise StoreError(
                    f"{self.place} refused the user or the password. Check the store's URL."
                ) from None
        # A restart, a cut or a failover: what else is in the pool is as old as the one that broke.
        await self.redis.connection_pool.disconnect(inuse_connections=False)
        try:
            return await self._ask(send, again=True)
        except ConnectionError as error:
            raise StoreUnreachableError(self.place) from error
        except ReadOnlyError:
            pass
        raise StoreError(f"{self.place} takes no writes. Give the URL of the primary server.")

    async def command(self, *parts: str | int) -> Any:  # noqa: ANN401  # what the command gives
        """Send one command that only reads."""
        run: Callable[..., Awaitable[Any]] = self.redis.execute_command
        return await self.ask(lambda _: run(*parts))

    async def _ask(self, send: Callable[[bool], Awaitable[Answer]], *, again: bool) -> Answer:
        self.requests += 1
        try:
            async with asyncio.timeout(self.seconds):
                answer = await send(again)
        except (TimeoutError, RedisTimeoutError) as error:
            self._is_late = True
            raise StoreUnreachableError(self.place) from error
        except (ConnectionError, ReadOnlyError):
            raise
        except WritesToDiskError:
            raise StoreError(
                f"{self.place} would write conversations to a disk now. Set its settings back, as "
                "they were when it was first used."
            ) from None
        except ResponseError as error:
            # The server may quote what it was sent. Its first word is the code, and all we keep;
            # where the library knows the code, it takes it off and has a class for it.
            code = str(error).partition(" ")[0]
            fault = code if code.isupper() else type(error).__name__
        except (RedisError, OSError) as error:
            fault = type(error).__name__
        else:
            self._is_late = False
            return answer
        raise StoreError(
            f"{self.place} refused a request ({fault}). Check the server's log and the user's "
            "rights."
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self.redis.aclose()


def _place(url: str) -> str:
    """What a person would call the server, without user and password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
        parts = urlsplit("")
    if parts.scheme not in _SCHEMES:
        raise SettingsError(
            "The store's URL must be redis://, rediss:// or unix://, as in "
            "redis://user:password@host:6379/0, with other signs in them percent-encoded."
        )
    if parts.scheme == "unix":
        return f"The memory store at {parts.path}"
    return f"The memory store at {host or 'localhost'}:{port or 6379}"


def _pool(url: str, **options: object) -> BlockingConnectionPool:
    try:
        pool = BlockingConnectionPool.from_url(url, **options)
        pool.connection_class(**pool.connection_kwargs)  # which finds options that it has not
    except (ValueError, TypeError):
        pool = None  # their text may quote the URL
    if pool is None:
        raise SettingsError("The store's URL has a part that cannot be. Check what follows the ?.")
    return pool
