"""What may come over the sound connection, and what its two devices make of it."""

import asyncio
import json
import struct
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from pace.doors.web.voice.browser_devices import BrowserMicrophone, BrowserSpeaker
from pace.doors.web.voice.frames import (
    CHUNK_BYTES,
    BadFrameError,
    MicrophoneIs,
    MicrophoneState,
    Sounding,
    Talk,
    chunk_of,
    order_of,
    pieces_of,
)
from pace.errors import MicrophoneError, SpeakerError
from pace.speech.ports import Sound

BAD = [
    *("", "{}", "[]", "null", '"talk"', "{", '{"kind":"talk"}', '{"kind":"talk","held":1}'),
    *('{"kind":"talk","held":true,"more":1}', '{"kind":"shout"}', '{"kind":"hands-free"}'),
    '{"kind":"microphone","id":-1,"state":"open"}',
    '{"kind":"microphone","id":1,"state":"on fire"}',
    '{"kind":"sounding","id":0,"played":NaN,"level":-20,"pieces":1}',
    '{"kind":"sounding","id":0,"played":1e9,"level":-20,"pieces":1}',
    '{"kind":"sounding","id":0,"played":-1,"level":-20,"pieces":1}',
    '{"kind":"talk","held":true}' + " " * 400,
]


@dataclass
class Page:
    """Keeps what is sent to it."""

    orders: list[dict[str, object]] = field(default_factory=list)
    sounds: list[bytes] = field(default_factory=list)

    def order(self, text: str) -> None:
        self.orders.append(json.loads(text))

    def sound(self, piece: bytes) -> None:
        self.sounds.append(piece)

    def drop_sound(self) -> None:
        self.sounds.clear()


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_order_is_refused(text: str) -> None:
    """Every order has its fields, in their ranges, and no others."""
    with pytest.raises(BadFrameError):
        order_of(text)


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES + 1, 100_000])
def test_a_chunk_has_one_size(size: int) -> None:
    """What is longer or shorter than a chunk is none."""
    assert len(chunk_of(bytes(CHUNK_BYTES))) == CHUNK_BYTES
    with pytest.raises(BadFrameError):
        chunk_of(bytes(size))


def test_an_order_is_what_it_says() -> None:
    """A good one is read as it is meant."""
    assert order_of('{"kind":"talk","held":true}') == Talk(kind="talk", held=True)
    told = order_of('{"kind":"microphone","id":1,"state":"ended"}')
    assert isinstance(told, MicrophoneIs)
    assert told.state is MicrophoneState.ENDED


def test_sound_goes_in_short_pieces_with_its_rate() -> None:
    """Every sample goes once, in order, and each piece names its stop and its rate."""
    samples = struct.pack("<10000h", *range(10_000))
    pieces = list(pieces_of(Sound(samples + b"\1", 22_050), 3))
    assert {struct.unpack("<II", piece[:8]) for piece in pieces} == {(3, 22_050)}
    assert b"".join(piece[8:] for piece in pieces) == samples
    assert max(len(piece) for piece in pieces) <= 8 + 2 * 4096


async def test_a_microphone_is_open_as_long_as_it_is_heard() -> None:
    """It is asked for with the first chunk, and released with the last."""
    page = Page()
    microphone = BrowserMicrophone(page)
    microphone.heard(b"too early")
    async with aclosing(microphone.chunks()) as chunks:
        waiting = asyncio.ensure_future(anext(chunks))
        await asyncio.sleep(0)
        microphone.heard(b"first")
        assert await waiting == b"first"
        assert [order["kind"] for order in page.orders] == ["open"]
    assert [order["kind"] for order in page.orders] == ["open", "close"]


async def test_a_flood_is_bounded() -> None:
    """Of more than three seconds that nobody took, the newest are kept."""
    microphone = BrowserMicrophone(Page())
    async with aclosing(microphone.chunks()) as chunks:
        await _begun(chunks, microphone)
        for number in range(10_000):
            microphone.heard(number.to_bytes(2, "little"))
        first = int.from_bytes(await anext(chunks), "little")
        assert 10_000 - first <= 3 * 16_000 // 512


@pytest.mark.parametrize(
    ("state", "part"),
    [
        (MicrophoneState.REFUSED, "address bar"),
        (MicrophoneState.MISSING, "no microphone"),
        (MicrophoneState.BUSY, "could not be opened"),
        (MicrophoneState.ENDED, "unplugged"),
    ],
)
async def test_a_microphone_that_fails_is_one_sentence(state: MicrophoneState, part: str) -> None:
    """Whatever the page says of it is told, but not what it says of an earlier one."""
    microphone = BrowserMicrophone(Page())
    async with aclosing(microphone.chunks()) as chunks:
        await _begun(chunks, microphone)
        microphone.told(MicrophoneIs(kind="microphone", id=0, state=state))
        microphone.heard(b"next")
        assert await anext(chunks) == b"next"
        microphone.told(MicrophoneIs(kind="microphone", id=1, state=state))
        with pytest.raises(MicrophoneError, match=part):
            await anext(chunks)


async def _begun(chunks: AsyncGenerator[bytes, None], microphone: BrowserMicrophone) -> None:
    waiting = asyncio.ensure_future(anext(chunks))
    await asyncio.sleep(0)
    microphone.heard(b"begun")
    await waiting


def _sounding(stop: int, played: float, pieces: int) -> Sounding:
    return Sounding(kind="sounding", id=stop, played=played, level=-20.0, pieces=pieces)


async def test_no_more_has_sounded_than_was_sent() -> None:
    """A page is believed up to what it got, and not about what was before a stop."""
    speaker = BrowserSpeaker(Page())
    await speaker.play(Sound(bytes(32_000), 16_000))
    speaker.told(_sounding(0, 0.4, 1))
    assert (speaker.played, speaker.level) == (0.4, -20.0)
    speaker.told(_sounding(0, 500.0, 4))
    assert speaker.played == 1.0
    speaker.stop()
    speaker.told(_sounding(0, 0.9, 2))
    assert speaker.played == 0.0


async def test_silence_is_waited_for() -> None:
    """It is silent once the page says that all pieces are done, or after a stop."""
    speaker = BrowserSpeaker(Page())
    await speaker.play(Sound(bytes(16_000), 16_000))
    waiting = asyncio.ensure_future(speaker.wait_silent())
    speaker.told(_sounding(0, 0.25, 1))
    await asyncio.sleep(0)
    assert not waiting.done()
    speaker.told(_sounding(0, 0.5, 2))
    await waiting
    await speaker.play(Sound(bytes(16_000), 16_000))
    waiting = asyncio.ensure_future(speaker.wait_silent())
    await asyncio.sleep(0)
    speaker.stop()
    await waiting


async def test_a_page_that_is_gone_ends_the_sound() -> None:
    """Whoever waits or plays gets the sentence."""
    speaker = BrowserSpeaker(Page())
    playing = asyncio.ensure_future(speaker.play(Sound(bytes(640_000), 16_000)))
    await asyncio.sleep(0)
    assert not playing.done()
    speaker.lose("The tab is closed.")
    with pytest.raises(SpeakerError, match="The tab is closed"):
        await playing
    with pytest.raises(SpeakerError, match="The tab is closed"):
        await speaker.play(Sound(bytes(320), 16_000))


async def test_a_stop_drops_what_waits_to_be_sent() -> None:
    """Pause, resume and stop are orders; a stop names itself, so that late sound is known."""
    page = Page()
    speaker = BrowserSpeaker(page)
    await speaker.play(Sound(bytes(32_000), 16_000))
    speaker.pause()
    speaker.resume()
    speaker.stop()
    assert page.sounds == []
    assert page.orders == [{"kind": "pause"}, {"kind": "resume"}, {"kind": "stop", "id": 1}]
