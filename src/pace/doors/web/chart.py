"""Over the conversation: tokens sent against the whole history's, and the wait for first words."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from pace.doors.web.measures import TurnMeasure
from pace.doors.web.plain import Tag

_TABLE_HEADS = ("Turn", "Sent", "Whole history", "First words")


class CostChart:
    """The chart, once there is a turn to show; a table says the same."""

    def __init__(self) -> None:
        self._shown: tuple[TurnMeasure, ...] = ()
        self._chart: ui.echart | None = None
        with Tag("section", aria_labelledby="cost-title").classes("memory-part") as self._part:
            with Tag("div").classes("memory-part-head"):
                Tag("h3", "Over the conversation", id="cost-title")
            self._about = Tag("p").classes("muted small")
            self._place = Tag("div", role="img").classes("chart")
            with Tag("details").classes("table-of-chart"):
                Tag("summary", "The same as a table")
                with Tag("table"):
                    with Tag("thead"), Tag("tr"):
                        for head in _TABLE_HEADS:
                            Tag("th", head, scope="col")
                    self._rows = Tag("tbody")
        self._part.set_visibility(False)

    def show(self, measures: Sequence[TurnMeasure]) -> None:
        """Show these turns; nothing at all without one."""
        if tuple(measures) == self._shown:
            return
        self._shown = tuple(measures)
        self._part.set_visibility(bool(measures))
        if not measures:
            return
        told = _told(measures)
        self._about.set_text(told)
        self._place.props["aria-label"] = told
        self._draw(measures)
        self._rows.clear()
        with self._rows:
            for measure in measures:
                _table_row(measure)

    def _draw(self, measures: Sequence[TurnMeasure]) -> None:
        options = _options(measures)
        if self._chart is None:
            # Made late: what draws it is as large as all the rest of the page.
            with self._place:
                self._chart = ui.echart(options, renderer="svg")
            return
        self._chart.options.update(options)
        self._chart.update()


def _table_row(measure: TurnMeasure) -> None:
    with Tag("tr"):
        Tag("th", str(measure.number), scope="row")
        Tag("td", f"{measure.sent_tokens:,}")
        Tag("td", f"{measure.whole_tokens:,}")
        Tag("td", _seconds(measure.seconds_to_words))


def _told(measures: Sequence[TurnMeasure]) -> str:
    last = measures[-1]
    told = f"Turn {last.number}: {last.sent_tokens:,} tokens sent"
    if last.whole_tokens > last.sent_tokens:
        told += f"; with the whole history it would be about {last.whole_tokens:,}"
    waited = _seconds(last.seconds_to_words)
    return f"{told}. First words after {waited}." if waited else f"{told}."


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f} s"


_SOFT = "var(--ink-soft)"
_LINE = {"lineStyle": {"color": "var(--line)"}}
# Named, since the width of a legend's words is measured ahead.
_FONT = 'Roboto, "Segoe UI", sans-serif'


def _options(measures: Sequence[TurnMeasure]) -> dict[str, Any]:
    """Tokens above, seconds below, over the same turns."""
    turns = [str(measure.number) for measure in measures]
    return {
        "animation": False,
        "textStyle": {"fontFamily": _FONT},
        "legend": {
            "data": ["tokens sent", "whole history"],
            "top": 0,
            "left": 0,
            "itemWidth": 14,
            "itemHeight": 8,
            "textStyle": {"color": _SOFT, "fontSize": 12},
        },
        "grid": [
            {"left": 44, "right": 8, "top": 34, "height": 96},
            {"left": 44, "right": 8, "top": 170, "height": 44},
        ],
        "xAxis": [_turn_axis(turns, grid=0), _turn_axis(turns, grid=1)],
        "yAxis": [_value_axis(grid=0), _value_axis(grid=1, name="seconds to first words")],
        "series": [
            {
                **_line("whole history", [measure.whole_tokens for measure in measures]),
                "color": "var(--part-system)",
                "lineStyle": {"type": "dashed", "width": 1.5},
            },
            {
                **_line("tokens sent", [measure.sent_tokens for measure in measures]),
                "color": "var(--accent)",
                "lineStyle": {"width": 2.5},
            },
            {
                "type": "bar",
                "xAxisIndex": 1,
                "yAxisIndex": 1,
                "barMaxWidth": 14,
                "data": [_rounded(measure.seconds_to_words) for measure in measures],
                "color": "var(--part-window-2)",
            },
        ],
    }


def _line(name: str, values: list[int]) -> dict[str, Any]:
    return {"type": "line", "name": name, "data": values, "symbol": "circle", "symbolSize": 5}


def _turn_axis(turns: list[str], *, grid: int) -> dict[str, Any]:
    return {
        "type": "category",
        "gridIndex": grid,
        "data": turns,
        "axisLine": _LINE,
        "axisTick": {"show": False},
        "axisLabel": {"show": bool(grid), "color": _SOFT, "fontSize": 11},
    }


def _value_axis(*, grid: int, name: str = "") -> dict[str, Any]:
    return {
        "type": "value",
        "gridIndex": grid,
        "name": name,
        "nameGap": 8,
        "nameTextStyle": {
            "color": _SOFT,
            "fontSize": 12,
            "align": "left",
            "padding": [0, 0, 0, -40],
        },
        "splitNumber": 2,
        "splitLine": _LINE,
        "axisLabel": {"color": _SOFT, "fontSize": 11},
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 2)
