"""Opens a gateway by the settings: who answers, where threads are held, and what is seen of it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from pace.clock import SystemClock
from pace.doors.cli.fetching import FetchBar
from pace.doors.gateway.gateway import Gateway
from pace.doors.gateway.limits import KeyLimits
from pace.doors.gateway.room import MOST_BYTES, MOST_REQUESTS, Room
from pace.doors.gateway.seeing.counted_store import CountedStore
from pace.doors.gateway.seeing.digests import Digests
from pace.doors.gateway.seeing.logs import Log
from pace.doors.gateway.seeing.metrics import Metrics
from pace.doors.gateway.seeing.watching import Traces, Watching
from pace.doors.gateway.turns import Turns
from pace.doors.summarizing import summarizer_of
from pace.doors.switching import AGREED, REMOTE
from pace.endpoint import LoopbackUrl, RemoteUrl, is_on_this_machine
from pace.errors import MissingExtraError, SettingsError
from pace.folders import Folders
from pace.history import PaceHistory
from pace.journaling import Journaling
from pace.planners.tiers import open_planner
from pace.planners.upstreams.planner import PlannerUpstream
from pace.planners.upstreams.pool import PoolUpstream
from pace.planners.upstreams.port import Upstream
from pace.planners.upstreams.server import ServerUpstream
from pace.ports import Clock, ThreadMemoryStore, ThreadSummarizer
from pace.settings import ServeSettings, Settings, names_in
from pace.settings_file import SettingsFile
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.summarizers.apart import ApartSummarizer
from pace.summarizers.chain import TurnedDown
from pace.summarizers.extractive import ExtractiveSummarizer, fold_extractively
from pace.wiring import assemble_relay

_MIB = 1024 * 1024
# At least so many of the longest bodies are taken at once.
_BODIES = 4
# What was cut off at the end is still written down, if that takes no longer (seconds).
_LAST_WORDS = 2.0


@asynccontextmanager
async def open_gateway(file: SettingsFile, log: Log, digests: Digests) -> AsyncIterator[Gateway]:
    """A gateway at work, until the block ends. Raises SettingsError, StoreError, WeightsError."""
    settings = file.current
    async with AsyncExitStack() as stack:
        watching = Watching(Metrics(), log, _traces(settings.serve, digests, stack))
        store, clock = await open_store(settings.serve)
        stack.push_async_callback(store.aclose)
        journal = await _journal(settings.serve, clock, log, stack)
        upstream, model = await _open_upstream(file, stack)
        # Apart, so that no stream waits for the time that a fold takes.
        extractive = ApartSummarizer(fold_extractively, name=ExtractiveSummarizer().name)
        await extractive.warm()
        stack.push_async_callback(extractive.aclose)
        parts = assemble_relay(
            # What a client said is its own to send again: nothing of it is kept to be recalled.
            limits=replace(settings.limits, recall=False),
            model=model,
            extractive=extractive,
            store=CountedStore(store, watching.metrics, tell=log.tell),
            clock=clock,
            observe=watching.fold,
            journal=journal,
        )
        if journal is not None:
            parts.threads.when_ended(journal.session_ended)
        works = [
            asyncio.create_task(parts.relay.run(), name="relay"),
            asyncio.create_task(upstream.run(), name="upstream"),
        ]
        for work in works:
            work.add_done_callback(_end_with)
        stack.push_async_callback(_ended, works)
        stack.push_async_callback(_last_words, watching)
        yield Gateway(
            parts=parts,
            upstream=upstream,
            turns=Turns(parts.relay, upstream, watching),
            limits=KeyLimits(
                at_once=settings.serve.turns_at_once,
                per_minute=settings.serve.requests_per_minute,
            ),
            watching=watching,
            longest_body=settings.serve.body_mib * _MIB,
            room=_room(settings.serve),
        )


def _room(settings: ServeSettings) -> Room:
    """Room for what one key may have under way, and for several bodies, whatever is set."""
    return Room(
        most_requests=max(MOST_REQUESTS, settings.turns_at_once),
        most_bytes=max(MOST_BYTES, settings.body_mib * _MIB * _BODIES),
    )


# --- who answers


def servers_of(settings: ServeSettings) -> tuple[LoopbackUrl | RemoteUrl, ...]:
    """The servers that are to answer. Raises SettingsError for an address that cannot be."""
    return tuple(_address(text) for text in names_in(settings.upstreams))


def _address(text: str) -> LoopbackUrl | RemoteUrl:
    try:
        return LoopbackUrl(text) if is_on_this_machine(text) else RemoteUrl(text)
    except SettingsError as error:
        raise SettingsError(f"{error} Check --upstream.") from error


def open_servers(settings: ServeSettings) -> Upstream | None:
    """These servers, not asked yet; None if none is named. Raises SettingsError."""
    key = None
    if (variable := settings.upstream_key_env) is not None:
        key = os.environ.get(variable, "").strip()
        if not key:
            raise SettingsError(
                f"The environment has no {variable}, which --upstream-key-env names. Set it to the "
                "key of the servers that answer."
            )
    servers = [ServerUpstream(url, key=key) for url in servers_of(settings)]
    if not servers:
        return None
    return servers[0] if len(servers) == 1 else PoolUpstream(servers)


async def _open_upstream(
    file: SettingsFile, stack: AsyncExitStack
) -> tuple[Upstream, ThreadSummarizer | None]:
    """Who answers, and the model that makes summaries, if one is to."""
    servers = open_servers(file.current.serve)
    if servers is not None:
        stack.push_async_callback(servers.aclose)
        return servers, None

    def anew() -> Settings:
        """The settings, with the person's consent as any process may have left it in the file."""
        for name in (AGREED, REMOTE):
            file.catch_up(name)
        return file.current

    opened = await open_planner(anew, models=Folders.of().models, screen=FetchBar())
    upstream = PlannerUpstream(opened.planner)
    stack.push_async_callback(upstream.aclose)
    return upstream, summarizer_of(file.current, opened.planner, TurnedDown())


# --- where threads are held, and what is told of it all


async def open_store(settings: ServeSettings) -> tuple[ThreadMemoryStore, Clock]:
    """The store, and the clock by which its threads are idle. Raises SettingsError, StoreError."""
    if settings.store is None:
        return InProcessThreadMemoryStore(), SystemClock()
    try:
        from pace.stores.redis.store import (  # noqa: PLC0415  # an extra
            RedisOptions,
            RedisThreadMemoryStore,
        )
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "pace":
            raise
        raise MissingExtraError("A shared store", "redis") from error
    options = RedisOptions(accepts_persistence=settings.store_accepts_persistence)
    store = await RedisThreadMemoryStore.open(settings.store, options)
    return store, store.clock


async def _journal(
    settings: ServeSettings, clock: Clock, log: Log, stack: AsyncExitStack
) -> Journaling | None:
    if not settings.journal:
        return None
    history = PaceHistory(Folders.of().history)
    stack.push_async_callback(history.aclose)
    journal = Journaling(history, clock=clock, keeps=lambda: True, tell=log.tell)
    stack.push_async_callback(journal.flush)
    return journal


def _traces(settings: ServeSettings, digests: Digests, stack: AsyncExitStack) -> Traces | None:
    if not settings.traces:
        return None
    from pace.doors.gateway.seeing.tracing import (  # noqa: PLC0415  # an extra
        OpenTelemetryTraces,
    )

    traces = OpenTelemetryTraces(digests)
    stack.callback(traces.close)
    return traces


# --- its end


def _end_with(work: asyncio.Task[None]) -> None:
    """Have the process end in order when work fails that it cannot do without."""
    if not work.cancelled() and (error := work.exception()) is not None:
        asyncio.get_running_loop().call_exception_handler(
            {"message": f"{work.get_name()} failed", "exception": error}
        )
        signal.raise_signal(signal.SIGTERM)


async def _ended(works: Sequence[asyncio.Task[None]]) -> None:
    """End works. Raises what one of them failed with, so that the process does not end as asked."""
    for work in works:
        work.cancel()
    await asyncio.wait(works)
    for work in works:
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error


async def _last_words(watching: Watching) -> None:
    """Let turns that were cut off be kept."""
    try:
        async with asyncio.timeout(_LAST_WORDS):
            await watching.wait_idle()
    except TimeoutError:
        return
