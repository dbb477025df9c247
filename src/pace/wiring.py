"""Puts a companion together; the only file that names adapters."""

from collections.abc import Callable
from dataclasses import dataclass

from pace.acting import Acting
from pace.background import Background
from pace.clock import SystemClock
from pace.companion import Companion
from pace.counting import TokenCounts
from pace.folding import Folding
from pace.journaling import Journaling
from pace.memory.limits import ThreadLimits
from pace.memory.turn import ThreadId
from pace.ports import Clock, Planner, ThreadMemoryStore, ThreadSummarizer
from pace.preparing import Preparing
from pace.relaying import Relay
from pace.sayable import sayable
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.threads import Threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A companion and what can be asked about its work. `companion.run()` owns that work."""

    companion: Companion
    threads: Threads
    background: Background
    folding: Folding
    preparing: Preparing
    planner: Planner


def assemble(
    planner: Planner,
    *,
    system: Callable[[], str],
    reply_tokens: Callable[[], int],
    limits: ThreadLimits,
    model: ThreadSummarizer | None = None,
    model_on_engine: bool = True,
    fallback: ThreadSummarizer | None = None,
    store: ThreadMemoryStore | None = None,
    clock: Clock | None = None,
    observe: Callable[[ThreadId, str], None] | None = None,
    journal: Journaling | None = None,
    acting: Acting | None = None,
) -> Parts:
    """Put a companion together over a planner.

    `system` and `reply_tokens` are asked at each turn, so that changes apply at the next one.
    `model` makes summaries before the extractive summarizer is asked, and `model_on_engine` says
    that turns use its engine too; `fallback` is the extractive one unless named. `observe` hears
    what happens to each fold. Every turn is written into `journal`, if there is one. With
    `acting`, turns may do what they are asked for.
    """
    clock = clock or SystemClock()
    threads = Threads(store or InProcessThreadMemoryStore(), clock, limits)
    extractive = fallback or ExtractiveSummarizer()
    folding = Folding(
        threads,
        fallback=extractive,
        model=model,
        on_engine=model is not None and model_on_engine,
        observe=observe,
    )
    counts = TokenCounts(planner)

    def whole_system() -> str:
        can_do = "" if acting is None else acting.instructions()
        return sayable("\n\n".join(part for part in (system(), can_do) if part))

    preparing = Preparing(
        threads,
        planner,
        counts,
        system=whole_system,
        reply_tokens=reply_tokens,
        foresee=folding.foresee,
    )
    background = Background([folding, preparing])
    companion = Companion(
        threads=threads,
        planner=planner,
        background=background,
        counts=counts,
        preparing=preparing,
        clock=clock,
        system=whole_system,
        reply_tokens=reply_tokens,
        journal=journal,
        acting=acting,
    )
    return Parts(
        companion=companion,
        threads=threads,
        background=background,
        folding=folding,
        preparing=preparing,
        planner=planner,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayParts:
    """A relay and what can be asked about its work. `relay.run()` owns that work."""

    relay: Relay
    threads: Threads
    background: Background
    folding: Folding


def assemble_relay(
    *,
    limits: ThreadLimits,
    model: ThreadSummarizer | None = None,
    extractive: ThreadSummarizer | None = None,
    store: ThreadMemoryStore | None = None,
    clock: Clock | None = None,
    observe: Callable[[ThreadId, str], None] | None = None,
    journal: Journaling | None = None,
) -> RelayParts:
    """Put together what relays the turns of clients that bring their own messages.

    `extractive` covers what nobody has folded yet, and folds what `model` does not. The other
    arguments are those of `assemble`.
    """
    clock = clock or SystemClock()
    extractive = extractive or ExtractiveSummarizer()
    threads = Threads(store or InProcessThreadMemoryStore(), clock, limits, drops_empty=True)
    folding = Folding(threads, fallback=extractive, model=model, observe=observe)
    background = Background([folding])
    relay = Relay(
        threads=threads,
        background=background,
        summarizer=extractive,
        clock=clock,
        journal=journal,
    )
    return RelayParts(relay=relay, threads=threads, background=background, folding=folding)
