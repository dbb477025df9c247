"""A report as a picture, and as a page that needs nothing besides itself."""

import html
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pace.evaluation.reading import Shown
from pace.evaluation.report import Report, Run
from pace.evaluation.shares import Share
from pace.evaluation.tables import Table, tables_of

# Colours that people who see no red or no green tell apart (Okabe and Ito 2008).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_WIDTH, _HEIGHT = 11.0, 3.6
_DOTS = 144
# Of lines that lie on one another both can be seen.
_STYLES = ("-", (0, (4, 4)))
_MOST_RUNS = len(_COLOURS)
# What is longer leaves no room for what it names; what is higher is no PNG any more.
_LONGEST_SET, _LONGEST_RUN = 24, 60
_MOST_SETS = 20


def as_png(report: Report) -> bytes:
    """The chart as a PNG picture: one row for each set of talks."""
    out = BytesIO()
    with _plain_text():
        _drawn(report).savefig(out, format="png", dpi=_DOTS)
    return out.getvalue()


def as_page(report: Report) -> str:
    """The chart and all tables as one HTML page, with no script and nothing from elsewhere."""
    picture = StringIO()
    with _plain_text():
        _drawn(report).savefig(picture, format="svg", metadata={"Date": None})
    drawing = picture.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    tables = "\n".join(map(_as_html, tables_of(report)))
    return _PAGE.format(
        talks=_escaped(report.talks),
        pace=_escaped(report.pace),
        drawing=drawing,
        tables=tables,
    )


@contextmanager
def _plain_text() -> Iterator[None]:
    """A name is drawn as it stands, dollar signs included; a letter that is missing, as a box."""
    with (
        rc_context({"text.parse_math": False, "text.usetex": False}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def _shown(text: str) -> str:
    """A text on one line, with a sign for each character that shows nothing or turns others."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))


def _escaped(text: str) -> str:
    return html.escape(_shown(text))


def _short(name: str, longest: int) -> str:
    name = _shown(name)
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _drawn(report: Report) -> Figure:
    all_sources = list(dict.fromkeys(source for run in report.runs for source in run.by_source))
    sources, runs = all_sources[:_MOST_SETS], report.runs[:_MOST_RUNS]
    has_reading = any(f.reading for run in runs for f in run.by_source.values())
    columns = 3 if has_reading else 2
    figure = Figure(figsize=(_WIDTH, _HEIGHT * len(sources) + 0.5), layout="constrained")
    axes = figure.subplots(len(sources), columns, squeeze=False)
    for row, source in zip(axes, sources, strict=True):
        of_source = [run for run in runs if source in run.by_source]
        _draw_kept(row[0], source, of_source)
        _draw_by_age(row[1], source, of_source)
        if has_reading:
            _draw_answers(row[2], source, of_source)
    names = [_short(run.name, _LONGEST_RUN) for run in runs]
    marks = [figure.axes[0].plot([], [], color=colour)[0] for colour in _COLOURS[: len(runs)]]
    left_out = [
        f"{len(shown)} of {len(all_of)} {what}"
        for shown, all_of, what in ((runs, report.runs, "runs"), (sources, all_sources, "sets"))
        if len(shown) < len(all_of)
    ]
    if left_out:
        figure.suptitle(f"The first {' and '.join(left_out)}", fontsize=11)
    figure.legend(marks, names, loc="outside lower center", ncols=min(3, len(runs)), frameon=False)
    return figure


def _draw_kept(axes: Axes, source: str, runs: Sequence[Run]) -> None:
    """Groups of bars: anywhere in the prompt, beside a word of its subject, and when asked for."""
    kept = [run.by_source[source].retention.at_end for run in runs]
    beside = [run.by_source[source].retention.by_subject for run in runs]
    asked = [run.by_source[source].retention.when_asked for run in runs]
    _draw_groups(axes, ("kept", "by its subject", "when asked"), (kept, beside, asked))
    axes.set_title(
        f"{_short(source, _LONGEST_SET)}: facts kept at the end, %", loc="left", fontsize=10
    )


def _draw_answers(axes: Axes, source: str, runs: Sequence[Run]) -> None:
    groups = []
    for what in Shown:
        shares = []
        for run in runs:
            reading = run.by_source[source].reading
            found = reading.by_shown.get(what) if reading else None
            shares.append(found.right if found else None)
        groups.append(shares)
    _draw_groups(axes, ("Pace's prompt", "window", "history"), groups)
    axes.set_title("questions answered, %", loc="left", fontsize=10)


def _draw_groups(
    axes: Axes, names: Sequence[str], groups: Sequence[Sequence[Share | None]]
) -> None:
    """Bars side by side, one for each run, with their bounds."""
    for place, shares in enumerate(groups):
        width = 0.8 / max(1, len(shares))
        for at, share in enumerate(shares):
            if share is None or not share.whole:
                continue
            middle = place - 0.4 + width * (at + 0.5)
            value = 100 * share.value
            axes.bar(middle, value, width * 0.92, color=_COLOURS[at])
            if share.low is None or share.high is None:
                continue
            bounds = [[max(0.0, value - 100 * share.low)], [max(0.0, 100 * share.high - value)]]
            axes.errorbar(middle, value, yerr=bounds, color="#444444", linewidth=1, capsize=2)
    axes.set_xticks(range(len(names)), names)
    _tidy(axes)


def _draw_by_age(axes: Axes, source: str, runs: Sequence[Run]) -> None:
    for at, run in enumerate(runs):
        ages = run.by_source[source].retention.by_age
        axes.plot(
            list(ages),
            [100 * share.value for share in ages.values()],
            color=_COLOURS[at],
            marker="o",
            markersize=4,
            linewidth=2,
            linestyle=_STYLES[at % len(_STYLES)],
        )
    axes.tick_params(axis="x", labelsize=8, rotation=20)
    axes.set_title("kept, %, by turns since it was said", loc="left", fontsize=10)
    _tidy(axes)


def _tidy(axes: Axes) -> None:
    axes.set_ylim(0, 104)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)


def _as_html(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_escaped(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "\n".join(row(cells, "td") for cells in table.rows)
    return (
        f"<h2>{_escaped(table.title)}</h2>\n<p>{_escaped(table.note)}</p>\n"
        f'<div class="wide"><table><thead>{row(table.heads, "th")}</thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pace eval</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  color: #1d1d1f; background: #fff; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.1rem; margin: 2rem 0 .2rem; }}
p {{ color: #55585d; margin: .2rem 0 .8rem; }}
svg {{ width: 100%; height: auto; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }}
th, td {{ text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid #e5e5e8;
  white-space: nowrap; }}
th {{ font-weight: 600; }}
</style>
</head>
<body>
<h1>What a memory keeps</h1>
<p>{talks} Made by pace {pace}.</p>
{drawing}
{tables}
</body>
</html>
"""
