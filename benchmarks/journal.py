"""The journal with 100,000 turns in it: what writing, searching, listing and opening it cost.

    python benchmarks/journal.py [--turns 100000] [--keep FOLDER]

The words are made up: 30,000 of them, as rare and as common as words of a language are, with names,
numbers, code, and Chinese in one turn of twenty. The last 5,000 turns are written one by one, as a
conversation writes them. Exits 1 if a figure misses its aim.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pace.history import PaceHistory
from pace.journal.file import connect
from pace.journal.rows import (
    JournalTurn,
    Period,
    TurnSource,
    TurnStatus,
    insert,
    transaction,
)
from pace.journal.schema import migrate
from pace.memory.turn import SessionId, ThreadId, TurnId

APPEND_AIM, SEARCH_AIM = 2.0, 50.0  # milliseconds, at the 95th percentile
ONE_BY_ONE, WRITERS = 5_000, 3
TURNS_OF_SESSION = 12
BEGAN = datetime(2024, 1, 1, 8, tzinfo=UTC)
COMMON = """
    the of and to a in is it you that was for on are with as I his they be at one have this from
    or had by but some what there we can out other were all your when up use word how said an
    each she which do their time if will way about many then them would like so these her long make
    thing see him two has look more day could go come did my sound no most number who over know
""".split()  # noqa: SIM905  # read as a text
SYLLABLES = ["ka", "lo", "mi", "ren", "to", "vas", "el", "ur", "shi", "ban", "que", "dor", "nt"]


class Language:
    """Made-up words, of which a few stand everywhere and most hardly ever."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        made = {
            "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(60_000)
        } - set(COMMON)
        self.words = [*COMMON, *sorted(made, key=lambda _: chance.random())[:30_000]]
        weights = (1 / (rank + 2.7) for rank in range(len(self.words)))
        self._word_sums = list(itertools.accumulate(weights))
        self.signs = [chr(0x4E00 + number) for number in chance.sample(range(20_000), 4_000)]
        self._sign_sums = list(itertools.accumulate(1 / (rank + 8) for rank in range(4_000)))

    def text(self, shortest: int, longest: int) -> str:
        """A text in words; in Chinese, one in twenty times."""
        length = self._chance.randint(shortest, longest)
        if self._chance.random() < 0.05:
            return "".join(self._chance.choices(self.signs, cum_weights=self._sign_sums, k=length))
        words = self._chance.choices(self.words, cum_weights=self._word_sums, k=length)
        if self._chance.random() < 0.3:
            words.append(f"POL-{self._chance.randint(100, 9_999)}")
        if self._chance.random() < 0.05:
            words.append(f"`{words[0]}_{words[-1]}(x) = {self._chance.random():.3f};`")
        return " ".join(words).capitalize() + "."

    def queries(self) -> dict[str, list[str]]:
        """What people may search for, by its kind."""
        chance, rare, usual = self._chance, self.words[8_000:], self.words[100:3_000]
        typed = chance.choices(self.words[:6_000], k=20)
        return {
            "common words": COMMON[:40],
            "usual words": chance.choices(usual, k=80),
            "rare words": chance.choices(rare, k=80),
            "several words": [
                f"{chance.choice(COMMON)} {chance.choice(usual)} {chance.choice(usual)}"
                for _ in range(40)
            ]
            + [" ".join(chance.sample(COMMON, 3)) for _ in range(20)],
            "as typed": [word[:end] for word in typed for end in range(1, len(word) + 1)],
            "Chinese": [
                "".join(chance.choices(self.signs[:400], k=length))
                for length in (1, 2, 2, 3, 4)
                for _ in range(12)
            ],
            "numbers": [f"POL-{chance.randint(100, 9_999)}" for _ in range(40)] + ["POL", "POL-"],
            "nothing": ["zzzyx", "qqqqq wwwww", "POL-99999999"],
        }


def turns_of(language: Language, chance: random.Random, count: int) -> Iterator[JournalTurn]:
    """Turns in sessions, a few minutes apart and with days between."""
    said_at, session = BEGAN, SessionId(str(uuid.uuid4()))
    for number in range(count):
        if number % TURNS_OF_SESSION == 0:
            session = SessionId(str(uuid.UUID(int=chance.getrandbits(128), version=4)))
            said_at += timedelta(hours=2)
        said_at += timedelta(minutes=1)
        yield turn_of(language, session, said_at, chance)


def turn_of(
    language: Language, session: SessionId, said_at: datetime, chance: random.Random
) -> JournalTurn:
    return JournalTurn(
        turn_id=TurnId(str(uuid.UUID(int=chance.getrandbits(128), version=4))),
        thread_id=ThreadId(session),
        session_id=session,
        source=TurnSource.CHAT,
        planner="embedded",
        model="default",
        said_at=said_at,
        status=TurnStatus.ANSWERED,
        user_text=language.text(3, 40),
        reply_text=language.text(20, 160),
    )


def percentile(seconds: list[float], share: float) -> float:
    """In milliseconds."""
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))] * 1000


def told(what: str, seconds: list[float], aim: float | None = None) -> bool:
    p95 = percentile(seconds, 0.95)
    missed = aim is not None and p95 > aim
    print(
        f"  {what:<28} p50 {percentile(seconds, 0.5):7.2f} ms   p95 {p95:7.2f} ms   "
        f"most {max(seconds) * 1000:8.2f} ms{'   MISSED' if missed else ''}"
    )
    return not missed


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


def fill(path: Path, turns: Iterator[JournalTurn]) -> None:
    """Write many turns at once, as no conversation does."""
    connection = connect(path)
    migrate(connection)
    while batch := list(itertools.islice(turns, 1000)):
        with transaction(connection):
            for turn in batch:
                insert(connection, turn)
    connection.close()


async def append_all(path: Path, turns: list[JournalTurn]) -> list[float]:
    history = PaceHistory(path)
    seconds = [await timed(lambda turn=turn: history.append(turn)) for turn in turns]
    await history.aclose()
    return seconds


def write_many(path: Path, seed: int, count: int, seconds: "multiprocessing.Queue[float]") -> None:
    """One of several processes that write at once."""
    chance = random.Random(seed)  # noqa: S311  # the same words each time
    turns = list(turns_of(Language(chance), chance, count))
    for each in asyncio.run(append_all(path, turns)):
        seconds.put(each)


async def measure_search(path: Path, language: Language) -> bool:
    history = PaceHistory(path)
    reached, everything = True, []
    await history.search("first")
    for kind, queries in language.queries().items():
        seconds = [
            await timed(lambda query=query: history.search(query))  # type: ignore[misc]
            for query in queries
        ]
        everything += seconds
        told(kind, seconds)
    year = Period(since=BEGAN + timedelta(days=30), before=BEGAN + timedelta(days=400))
    seconds = [
        await timed(lambda query=query: history.search(query, period=year))  # type: ignore[misc]
        for query in (*COMMON[:30], *language.words[200:230])
    ]
    everything += seconds
    told("within a period", seconds)
    reached = told("all searches", everything, SEARCH_AIM) and reached
    await history.aclose()
    return reached


async def measure_reading(path: Path) -> None:
    async def opened() -> None:
        history = PaceHistory(path)
        await history.count()
        await history.aclose()

    told("open, count and close", [await timed(opened) for _ in range(20)])
    history = PaceHistory(path)
    told("list 50 conversations", [await timed(history.conversations) for _ in range(50)])
    page = await history.conversations(limit=50)
    told(
        "next 50 conversations",
        [
            await timed(lambda: history.conversations(before_number=page[-1].last_number))
            for _ in range(50)
        ],
    )
    told(
        "50 of a day long ago",
        [
            await timed(
                lambda: history.conversations(period=Period(before=BEGAN + timedelta(days=2)))
            )
            for _ in range(20)
        ],
    )

    async def read_whole() -> None:
        async for _ in history.entries(session_id=page[0].session_id):
            pass

    told("read one conversation", [await timed(read_whole) for _ in range(50)])
    told(
        "look for what is too old",
        [
            await timed(lambda: history.let_go_of_old(3650, now=datetime.now(UTC)))
            for _ in range(20)
        ],
    )
    await history.aclose()


async def measure_deleting(path: Path) -> None:
    history = PaceHistory(path)
    numbers = [entry.number for entry in [await history.entry(number) for number in (5, 50, 500)]]
    told("delete one turn", [await timed(lambda n=n: history.delete_turn(n)) for n in numbers])  # type: ignore[misc]
    await history.aclose()


def measure_writers(path: Path, count: int) -> bool:
    """Several processes at once; whether everything that they wrote is there."""
    before = asyncio.run(count_of(path))
    queue: multiprocessing.Queue[float] = multiprocessing.Queue()
    writers = [
        multiprocessing.Process(target=write_many, args=(path, seed, count, queue))
        for seed in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    seconds = [queue.get() for _ in range(WRITERS * count)]
    for writer in writers:
        writer.join()
    told(f"append, {WRITERS} processes at once", seconds)
    lost = before + WRITERS * count - asyncio.run(count_of(path))
    print(f"  lost by {WRITERS} processes that wrote {count:,} turns each: {lost}")
    return lost == 0


async def count_of(path: Path) -> int:
    history = PaceHistory(path)
    count = await history.count()
    await history.aclose()
    return count


def measure(path: Path, count: int) -> bool:
    chance = random.Random(4)  # noqa: S311  # the same words each time
    language = Language(chance)
    turns = turns_of(language, chance, count)
    if not path.exists():
        fill(path, itertools.islice(turns, count - ONE_BY_ONE))
        single = list(turns)
        print(f"Writing ({count:,} turns)")
        seconds = asyncio.run(append_all(path, single))
        reached = told("append", seconds, APPEND_AIM)
    else:
        reached = True
    size = path.stat().st_size
    print(f"  the file: {size / 1e6:,.0f} MB, {size / count:,.0f} bytes a turn")
    print("Searching")
    reached = asyncio.run(measure_search(path, language)) and reached
    print("Reading")
    asyncio.run(measure_reading(path))
    print("Several processes")
    reached = measure_writers(path, 500) and reached
    print("Deleting")
    asyncio.run(measure_deleting(path))
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="a folder that the file is left in")
    asked = parser.parse_args()
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
        return 0 if measure(asked.keep / "history.db", asked.turns) else 1
    with tempfile.TemporaryDirectory() as folder:
        return 0 if measure(Path(folder) / "history.db", asked.turns) else 1


if __name__ == "__main__":
    sys.exit(main())
