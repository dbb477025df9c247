"""A stream of events is taken apart alike, however it is cut into pieces."""

from itertools import pairwise

import httpx
from httpx_sse import EventSource
from hypothesis import given
from hypothesis import strategies as st

from pace.planners.upstreams.frames import Frames

LINES = st.sampled_from(
    [
        b"data: one",
        b"data:two",
        b"data:  three",
        b"data",
        b"data:",
        "data: größer 🙂".encode(),
        b"event: error",
        b"event:",
        b": a comment",
        b"id: 7",
        b"retry: 5",
        b"strange: field",
        b"",
        b"",
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    lines = draw(st.lists(st.tuples(LINES, ENDS), max_size=12))
    return mark + b"".join(line + end for line, end in lines)


@given(stream=streams(), cuts=st.lists(st.integers(0, 120), max_size=12))
def test_frames_are_those_of_the_library(stream: bytes, cuts: list[int]) -> None:
    """In pieces of any size the events with data are those that httpx-sse reads in the whole."""
    frames = Frames()
    found = []
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    for begin, end in pairwise(places):
        found += frames.feed(stream[begin:end])
    read = [(name.decode() or "message", data.decode()) for name, data in found]
    assert [event for event in read if event[1]] == read_by_library(stream)


def test_the_last_event_needs_no_blank_line() -> None:
    """A server that closes at once after its last line has said it."""
    frames = Frames()
    assert frames.feed(b"data: one\n\ndata: tw") != []
    frames.feed(b"o")
    assert frames.finish() == [(b"", b"two")]
    assert frames.finish() == []


def test_what_is_held_is_told() -> None:
    """An event that does not end can be seen to grow."""
    frames = Frames()
    frames.feed(b"data: " + b"x" * 1000)
    frames.feed(b"\ndata: " + b"y" * 1000)
    assert frames.held > 2000


def read_by_library(stream: bytes) -> list[tuple[str, str]]:
    """The events with data."""
    plain = stream.removeprefix(b"\xef\xbb\xbf")
    response = httpx.Response(
        200, headers={"content-type": "text/event-stream; charset=utf-8"}, content=plain
    )
    events = EventSource(response).iter_sse()
    return [(event.event, event.data) for event in events if event.data]
