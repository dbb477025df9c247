"""The figures as tables: for the terminal, and as they stand in `docs/comparison.md`."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import planted
from scenarios import TURNS
from stage import SYSTEM

from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.tokens import estimate_tokens

Peers = Mapping[str, Mapping[str, object]]
Row = Mapping[str, object]
_CANNOT = {
    "memory": "no memory",
    "no model": "no summary without a model",
    "reset": "no reset",
    "turn at once": "one message at a time",
}
_BEGIN, _END = "<!-- figures -->\n", "<!-- end of figures -->"
_BEGIN_SHORT = "<!-- the main figures -->\n"
_MISSING = ""
_NONE = "–"  # a dash


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    scenario: str
    cell: Callable[[Row], str]


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    columns: Sequence[_Column]


def printed(peers: Peers) -> str:
    """All tables that hold anything, in columns."""
    return "\n\n".join(_aligned(table, peers) for table in _tables(peers) if _holds(table, peers))


def renewed(document: str, peers: Peers) -> str:
    """A document with the tables between its marks made anew: all of them, or the short one."""
    tables = [_markdown(table, peers) for table in _tables(peers) if _holds(table, peers)]
    whole = "\n\n".join([f"Measured on {machine()}.", *tables, _settings(peers)])
    return _between(_between(document, _BEGIN, whole), _BEGIN_SHORT, _grid(_SHORT, peers))


def _between(document: str, begin: str, made: str) -> str:
    head, mark, rest = document.partition(begin)
    _, _, tail = rest.partition(_END)
    return f"{head}{mark}\n{made}\n\n{_END}{tail}" if mark else document


def machine() -> str:
    """What was measured on, in a few words."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    name = next(names, platform.machine())
    return f"{os.cpu_count()} cores ({name}), Python {platform.python_version()}"


# --- cells


def _fault(fault: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        one = row.get(fault)
        return f"{one['failed']} / {one['lost']}" if isinstance(one, Mapping) else _MISSING

    return cell


def _percent(key: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        share = row.get(key)
        if not isinstance(share, Mapping):
            return _MISSING
        low, value, high = (f"{100 * float(share[end]):.0f}" for end in ("low", "value", "high"))
        if row.get("talks") == 1:
            return value  # of one talk nothing can be said about others
        return f"{value} ({low} to {high})"

    return cell


def _count(key: str, less: int = 0) -> Callable[[Row], str]:
    return lambda row: f"{_number(row, key) - less:,}"


def _tables(peers: Peers) -> Iterator[_Table]:
    yield _Table(
        f"{TURNS} turns: with a summarizer that takes 2 s, and with one that does not do its work",
        (
            _Column("waited, s (turns)", "waiting", lambda r: f"{r['seconds']} ({r['turns']})"),
            *(
                _Column(f"{fault}: failed / lost", "faults", _fault(fault))
                for fault in ("raises", "returns nothing", "hangs", "alternates")
            ),
        ),
    )
    yield _Table(
        "Four messages at once, four times after a first; a reset while a summary is made",
        (
            _Column("failed / lost of 17", "concurrent", lambda r: f"{r['failed']} / {r['lost']}"),
            _Column(
                "prompts not in turn",
                "concurrent",
                lambda r: f"{r['not in turn']} of {r['prompts']}",
            ),
            _Column(
                "came back after the reset", "reset", lambda r: f"{r['came back']} of {r['said']}"
            ),
        ),
    )
    bare = _number(peers.get("bare", {}).get("work"), "turn us")
    bare_all = _number(peers.get("bare", {}).get("work"), "all us")
    yield _Table(
        f"Prompt tokens (whole history: {', '.join(map(_history, (10, 30, 60)))}) and own work",
        (
            *(_Column(f"tokens, turn {at}", "tokens", _count(str(at))) for at in (10, 30, 60)),
            _Column("µs a turn, above no memory", "work", _count("turn us", bare)),
            _Column("with its summaries", "work", _count("all us", bare_all)),
        ),
    )
    kept = (("stand in the prompt, %", "stand"), ("by their subject, %", "by subject"))
    yield _Table(
        "Real talks, without a model for summaries",
        (
            _Column("talks, facts", "retention", lambda r: f"{r['talks']}, {r['facts']}"),
            *(_Column(head, "retention", _percent(key)) for head, key in kept),
            _Column("tokens", "retention", _count("tokens")),
        ),
    )
    yield _Table(
        "Real talks, with the default model",
        (
            _Column(
                "talks, facts, questions",
                "model",
                lambda r: f"{r['talks']}, {r['facts']}, {r['questions']}",
            ),
            *(_Column(head, "model", _percent(key)) for head, key in kept),
            _Column("tokens", "model", _count("tokens")),
            _Column("answered rightly, %", "model", _percent("right")),
            _Column("turns that failed", "model", lambda r: f"{r['failed']}"),
        ),
    )


def _faults(row: Row) -> str:
    found = [one for one in row.values() if isinstance(one, Mapping)]
    failed, lost = (sum(_number(one, key) for one in found) for key in ("failed", "lost"))
    return f"{failed} / {lost}"


_SHORT = _Table(
    "",
    (
        _Column("waited for a summary, s", "waiting", lambda r: f"{r['seconds']}"),
        _Column("failed / lost as summaries failed, of 48", "faults", _faults),
        _Column("lost of 17, four at once", "concurrent", lambda r: f"{r['lost']}"),
        _Column("back after a reset", "reset", lambda r: f"{r['came back']} of {r['said']}"),
        _Column("prompt tokens, turn 60", "tokens", _count("60")),
    ),
)


def _number(row: object, key: str) -> int:
    return int(str(row.get(key, 0))) if isinstance(row, Mapping) else 0


def _history(turns: int) -> str:
    """What all that was said takes at this turn, if nothing is left out."""
    said = [planted.words(number) for number in range(turns)]
    said += [planted.reply(number) for number in range(turns - 1)]
    total = sum(estimate_tokens(text) + MESSAGE_TOKENS for text in (SYSTEM, *said))
    return f"{total:,}"


# --- rows


def _holds(table: _Table, peers: Peers) -> bool:
    return any(column.scenario in figures for column in table.columns for figures in peers.values())


def _rows(table: _Table, peers: Peers) -> Iterator[list[str]]:
    for name, figures in peers.items():
        if not any(column.scenario in figures for column in table.columns):
            continue  # not measured yet
        yield [_title(name, figures), *(_cell(column, figures) for column in table.columns)]


def _title(name: str, figures: Row) -> str:
    told = figures.get("describes")
    return f"{told.get('name', name)}" if isinstance(told, Mapping) else name


def _cell(column: _Column, figures: Row) -> str:
    row = figures.get(column.scenario)
    if not isinstance(row, Mapping):
        return _MISSING
    if "broke" in row:
        return "broke"
    if "cannot" in row:
        if _has_no_memory(figures):
            return _NONE
        return "needs a model" if column.scenario == "retention" else "cannot"
    return column.cell(row)


def _has_no_memory(figures: Row) -> bool:
    told = figures.get("describes")
    cannot = told.get("cannot") if isinstance(told, Mapping) else None
    return isinstance(cannot, Mapping) and "memory" in cannot


def _aligned(table: _Table, peers: Peers) -> str:
    rows = [["", *(column.head for column in table.columns)], *_rows(table, peers)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join([table.title, *lines])


def _markdown(table: _Table, peers: Peers) -> str:
    return f"**{table.title}**\n\n{_grid(table, peers)}"


def _grid(table: _Table, peers: Peers) -> str:
    heads = ["", *(column.head for column in table.columns)]
    rows = [heads, ["---", *("--:" for _ in table.columns)], *_rows(table, peers)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _settings(peers: Peers) -> str:
    lines = ["**What was run, and how it was set**", ""]
    for name, figures in peers.items():
        told = figures.get("describes")
        if not isinstance(told, Mapping):
            continue
        lines.append(f"* {told.get('name', name)} {told.get('version', '')}".rstrip() + _told(told))
    return "\n".join(lines)


def _told(told: Row) -> str:
    settings, cannot = told.get("settings"), told.get("cannot")
    parts = []
    if isinstance(settings, Mapping):
        parts += [f"{key} {value}" for key, value in settings.items()]
    if isinstance(cannot, Mapping):
        here = ("memory",) if "memory" in cannot else tuple(cannot)
        parts += [f"{_CANNOT.get(key, key)} ({cannot[key]})" for key in here]
    return f": {'; '.join(parts)}" if parts else ""
