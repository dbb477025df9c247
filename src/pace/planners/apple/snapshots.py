"""Reads a stream that blocks on a thread of its own, and gives what it gives to the event loop."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

# How long a closed stream is waited for. The SDK looks up from its waiting only when a snapshot
# comes, so a prompt that is still read is read to its end first: a second or two at 4,096 tokens.
_END_LIMIT = 10.0


async def read_apart(
    open_stream: Callable[[], AsyncGenerator[str, None]],
) -> AsyncGenerator[str, None]:
    """What the stream gives, and the error that it ends with; it is opened and read on the thread.

    Closing stops the stream at its next snapshot, and waits for that.
    """
    reader = _Reader(open_stream, asyncio.get_running_loop())
    reader.start()
    try:
        while (snapshot := await reader.next()) is not None:
            yield snapshot
    finally:
        await reader.stop()


class _Reader:
    def __init__(
        self,
        open_stream: Callable[[], AsyncGenerator[str, None]],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._open_stream = open_stream
        self._loop = loop
        self._arrived: asyncio.Queue[str | Exception | None] = asyncio.Queue()
        self._is_stopped = threading.Event()
        self._is_over = False
        # A daemon, so that a model that hangs keeps nobody from leaving Pace.
        self._thread = threading.Thread(target=self._work, name="apple model", daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def next(self) -> str | None:
        """The next snapshot, or None at the end; raises what the stream raised."""
        item = await self._arrived.get()
        self._is_over = not isinstance(item, str)
        if isinstance(item, Exception):
            raise item
        return item

    async def stop(self) -> None:
        """Stop at the next snapshot, and wait for the thread's end."""
        self._is_stopped.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_LIMIT):
                while not self._is_over:
                    self._is_over = not isinstance(await self._arrived.get(), str)
                self._thread.join()  # it has nothing left to do but end

    def _work(self) -> None:
        try:
            asyncio.run(self._read(), debug=False)  # that it blocks is known
        except Exception as error:  # noqa: BLE001  # it is raised again where the reply is read
            self._put(error)
        else:
            self._put(None)

    async def _read(self) -> None:
        async with aclosing(self._open_stream()) as stream:
            async for snapshot in stream:
                if self._is_stopped.is_set():
                    return
                self._put(snapshot)

    def _put(self, item: str | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._arrived.put_nowait, item)
