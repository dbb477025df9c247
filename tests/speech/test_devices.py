"""Real devices: a PulseAudio null sink as loudspeaker, and its monitor as the microphone."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta

import numpy as np
import pytest

from pace.errors import MicrophoneError, PaceError, SpeakerError
from pace.speech.devices.listing import DeviceKind, SoundDevice, device_named, sound_devices
from pace.speech.devices.microphone import DeviceMicrophone
from pace.speech.devices.opening import PERIOD_MS, how_to_allow
from pace.speech.devices.speaker import DeviceSpeaker
from pace.speech.devices.threads import in_thread
from pace.speech.devices.waiting_sound import WaitingSound
from pace.speech.ports import CHUNK_SAMPLES, RATE, SAMPLE_BYTES, Sound
from pace.speech.sound import SILENCE_DBFS, level
from speech.pulse import Pulse, monitor_of, needs_pulse, running_pulse

# A machine at many tests is late by more than the 60 ms that a person may not notice.
PATIENT = 16
# Its sound system loses a few samples by itself, in seconds; one period of ours is twice as much.
LOST = PERIOD_MS / 1000 / 2
ONE_SENTENCE = re.compile(r"[^.?!]+\. [^.?!]+[.]?|[^.?!]+: [^.?!]+")
DEVICES = (
    SoundDevice(name="USB Headset", kind=DeviceKind.MICROPHONE, is_default=False, id=b"1"),
    SoundDevice(name="Built-in", kind=DeviceKind.MICROPHONE, is_default=True, id=b"2"),
    SoundDevice(name="USB Headset", kind=DeviceKind.SPEAKER, is_default=False, id=b"3"),
    SoundDevice(name="USB Headset Pro", kind=DeviceKind.SPEAKER, is_default=False, id=b"4"),
    SoundDevice(name="HDMI", kind=DeviceKind.SPEAKER, is_default=True, id=b"5"),
)


def noise(seconds: float, *, rate: int = RATE, seed: int = 3) -> Sound:
    """No two places of it are alike, and no sample is zero."""
    values = np.random.default_rng(seed).integers(1, 12_000, round(seconds * rate))
    values[::2] *= -1
    return Sound(values.astype("<i2").tobytes(), rate)


def tone(seconds: float, *, rate: int, pitch: float = 440) -> Sound:
    values = 12_000 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * rate)) / rate)
    return Sound(values.astype("<i2").tobytes(), rate)


def samples(chunks: list[bytes] | bytes) -> np.ndarray:
    return np.frombuffer(b"".join(chunks) if isinstance(chunks, list) else chunks, "<i2")


class Ear:
    """Hears in the background, and is asked what came so far."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self._more = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None

    async def listen(self, microphone: DeviceMicrophone) -> None:
        async with aclosing(microphone.chunks()) as chunks:
            async for chunk in chunks:
                self.chunks.append(chunk)
                self._more.set()

    async def until(self, is_so: Callable[[list[bytes]], bool]) -> None:
        while not is_so(self.chunks):
            self._more.clear()
            await self._more.wait()

    async def more(self, count: int) -> None:
        wanted = len(self.chunks) + count
        await self.until(lambda chunks: len(chunks) >= wanted)

    async def until_loud(self) -> None:
        await self.until(lambda chunks: any(chunks[-1:]) and level(chunks[-1]) > -30)

    async def until_silent(self, count: int = 5) -> None:
        """Until so many chunks in a row were silent after something was loud."""
        await self.until(
            lambda chunks: any(map(any, chunks)) and not any(any(each) for each in chunks[-count:])
        )

    def sound(self) -> np.ndarray:
        """From the first to the last sample that is none of silence."""
        heard = samples(self.chunks)
        loud = np.flatnonzero(heard)
        return heard[loud[0] : loud[-1] + 1]


@asynccontextmanager
async def hearing(microphone: DeviceMicrophone) -> AsyncIterator[Ear]:
    """An ear that has begun to hear."""
    ear = Ear()
    listening = asyncio.create_task(ear.listen(microphone))
    try:
        await ear.more(1)
        yield ear
    finally:
        listening.cancel()
        await asyncio.wait([listening])


@pytest.fixture
def pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    with running_pulse() as running:
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_SERVER"):
            monkeypatch.setenv(name, running.environment[name])
        yield running


async def wait_closed(speaker: DeviceSpeaker) -> None:
    while speaker.is_open:
        await asyncio.to_thread(lambda: None)


def is_all_of(heard: np.ndarray, given: Sound) -> bool:
    """Whether it is this sound, from the first to the last sample, but for what may be lost."""
    whole = samples(given.samples)
    is_long = len(whole) - LOST * RATE < len(heard) <= len(whole)
    ends = ((heard[:1_000], whole[:1_000]), (heard[-1_000:], whole[-1_000:]))
    return is_long and all(np.array_equal(one, other) for one, other in ends)


def pitch_of(heard: np.ndarray) -> float:
    """From how often it goes through zero, without its ends."""
    middle = heard[len(heard) // 4 : -len(heard) // 4].astype(np.int32)
    return float(np.count_nonzero(np.diff(middle > 0)) / 2 / (len(middle) / RATE))


# --- sound on its way


@needs_pulse
@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("channels", [1, 2])
async def test_any_device_gives_the_right_pitch(pulse: Pulse, rate: int, channels: int) -> None:
    """A voice's tone is heard at its pitch and length, whatever rate and channels a device has."""
    pulse.add_sink(rate=rate, channels=channels)
    speaker = DeviceSpeaker(periods=PATIENT)
    async with hearing(DeviceMicrophone()) as ear:
        await speaker.play(tone(1, rate=22_050))
        await speaker.wait_silent()
        await ear.until_silent()
    assert speaker.played == 1.0
    await speaker.aclose()
    heard = ear.sound()
    assert len(heard) / RATE == pytest.approx(1, abs=0.02)
    assert pitch_of(heard) == pytest.approx(440, abs=3)
    steps = np.abs(np.diff(heard.astype(np.int32)))
    assert steps.max() < 12_000 * 2 * np.pi * 440 / RATE * 1.2, "a click"


@needs_pulse
async def test_pieces_join_without_a_gap(pulse: Pulse) -> None:
    """What was played in pieces is heard as one sound, sample by sample."""
    pulse.add_sink(rate=RATE, channels=1)
    speaker, given = DeviceSpeaker(periods=PATIENT), noise(1)
    async with hearing(DeviceMicrophone()) as ear:
        for start in range(0, len(given.samples), 3_332):
            await speaker.play(Sound(given.samples[start : start + 3_332]))
        await speaker.wait_silent()
        await ear.until_silent()
    await speaker.aclose()
    assert is_all_of(ear.sound(), given)


@needs_pulse
async def test_a_pause_goes_on_at_the_very_sample(pulse: Pulse) -> None:
    """Paused, the room is silent and `played` is what sounded; resumed, nothing is missing."""
    pulse.add_sink(rate=RATE, channels=1)
    speaker, given = DeviceSpeaker(periods=PATIENT), noise(2)
    async with hearing(DeviceMicrophone()) as ear:
        await speaker.play(given)
        await ear.until_loud()
        await ear.more(10)
        speaker.pause()
        at_once = speaker.played
        await ear.until_silent()
        await ear.more(2 * PATIENT)
        sounded = np.count_nonzero(samples(ear.chunks)) / RATE
        assert speaker.played == pytest.approx(sounded, abs=LOST)
        assert -LOST <= sounded - at_once < 0.1 + PATIENT * PERIOD_MS / 1000
        assert speaker.level == SILENCE_DBFS
        await ear.more(20)
        assert speaker.played == pytest.approx(sounded, abs=LOST)
        speaker.resume()
        await speaker.wait_silent()
        await ear.until_silent()
    await speaker.aclose()
    heard = samples(ear.chunks)
    assert is_all_of(heard[heard != 0], given)


@needs_pulse
async def test_stopped_sound_is_not_heard(pulse: Pulse) -> None:
    """`stop` ends sound and pause, whoever waited goes on, and `played` counts the next alone."""
    pulse.add_sink(rate=RATE, channels=1)
    speaker, after = DeviceSpeaker(), noise(0.5, seed=4)
    async with hearing(DeviceMicrophone()) as ear:
        waiting = asyncio.create_task(speaker.play(noise(30)))
        await ear.until_loud()
        assert speaker.level > -30
        speaker.pause()
        speaker.stop()
        await waiting
        await speaker.wait_silent()
        await ear.until_silent()
        assert speaker.played == 0
        before = len(ear.chunks)
        await speaker.play(after)
        await speaker.wait_silent()
        await ear.until(lambda chunks: any(map(any, chunks[before:])))
        await ear.until_silent()
    assert speaker.played == 0.5
    await speaker.aclose()
    heard = samples(ear.chunks[before:])
    assert np.array_equal(heard[heard != 0], samples(after.samples))


@needs_pulse
async def test_voices_of_two_rates_follow_one_another(pulse: Pulse) -> None:
    """Each is heard whole at its own pitch, and `played` counts both."""
    pulse.add_sink()
    speaker = DeviceSpeaker()
    async with hearing(DeviceMicrophone()) as ear:
        await speaker.play(tone(0.5, rate=22_050, pitch=300))
        await speaker.play(tone(0.5, rate=16_000, pitch=900))
        await speaker.wait_silent()
        await ear.until_silent()
    assert speaker.played == 1.0
    await speaker.aclose()
    heard = ear.sound()
    assert pitch_of(heard[: RATE * 4 // 10]) == pytest.approx(300, abs=3)
    assert pitch_of(heard[-RATE * 4 // 10 :]) == pytest.approx(900, abs=3)


# --- devices that come and go


@needs_pulse
async def test_devices_are_open_only_while_they_are_used(pulse: Pulse) -> None:
    """A speaker lets go some time after silence, a microphone at once; nothing stays connected."""
    pulse.add_sink()
    connections = pulse.count("clients")
    speaker = DeviceSpeaker(idle_after=timedelta(milliseconds=100))
    for _ in range(3):
        async with hearing(DeviceMicrophone()):
            assert pulse.count("source-outputs") == 1
            await speaker.play(tone(0.1, rate=22_050))
            assert speaker.is_open
            assert pulse.count("sink-inputs") == 1
        assert pulse.count("source-outputs") == 0
        await wait_closed(speaker)
    await speaker.aclose()
    assert pulse.count("sink-inputs") == 0
    assert pulse.count("clients") == connections


@needs_pulse
async def test_a_speaker_that_vanishes_is_told_of_once(pulse: Pulse) -> None:
    """Whoever plays or waits gets one sentence, and the next sound goes to the new default."""
    module = pulse.add_sink("Gone")
    speaker = DeviceSpeaker()
    await speaker.play(noise(4))
    pulse.remove(module)
    with pytest.raises(SpeakerError, match=r"^The speaker is gone\. Plug it in again, or ") as told:
        await speaker.wait_silent()
    assert ONE_SENTENCE.fullmatch(str(told.value))
    with pytest.raises(SpeakerError, match=r"^There is no speaker on this machine"):
        await speaker.play(noise(0.1))
    pulse.add_sink("New")
    speaker.stop()
    await speaker.play(noise(0.1))
    await speaker.wait_silent()
    assert speaker.played == 0.1
    await speaker.aclose()


@needs_pulse
async def test_a_microphone_that_vanishes_is_told_of(pulse: Pulse) -> None:
    """Whoever listens gets one sentence, and listens anew to the new default."""
    module = pulse.add_sink("Gone")
    microphone = DeviceMicrophone()
    async with aclosing(microphone.chunks()) as chunks:
        assert len(await anext(chunks)) == CHUNK_SAMPLES * SAMPLE_BYTES
        pulse.remove(module)
        with pytest.raises(MicrophoneError, match=r"^The microphone is gone\. Plug it in again"):
            async for _ in chunks:
                pass
    with pytest.raises(MicrophoneError, match=r"^There is no microphone on this machine"):
        await anext(microphone.chunks())
    pulse.add_sink("New")
    async with hearing(microphone) as ear:
        await ear.more(3)


@needs_pulse
async def test_what_plays_into_nothing_is_no_device(pulse: Pulse) -> None:
    """The sink that PulseAudio makes up where there is none is neither listed nor used."""
    pulse.control("load-module", "module-always-sink")
    assert pulse.count("sinks") == 1
    assert sound_devices() == []
    with pytest.raises(SpeakerError, match=r"^There is no speaker on this machine"):
        await DeviceSpeaker().play(noise(0.1))


@needs_pulse
async def test_a_sound_system_that_ends_is_told_of(pulse: Pulse) -> None:
    """Its end is the end of its devices, in one sentence each, and nothing hangs."""
    pulse.add_sink()
    speaker = DeviceSpeaker()
    await speaker.play(noise(4))
    async with aclosing(DeviceMicrophone().chunks()) as chunks:
        await anext(chunks)
        pulse.server.kill()
        with pytest.raises(MicrophoneError, match="is gone"):
            async for _ in chunks:
                pass
    with pytest.raises(SpeakerError, match="is gone"):
        await speaker.wait_silent()
    await speaker.aclose()


@needs_pulse
async def test_a_speaker_that_was_named_is_used(pulse: Pulse) -> None:
    """A part of its name is enough, and its monitor alone hears it."""
    for name in ("Kitchen", "Study"):
        pulse.add_sink(name, rate=RATE, channels=1)
    speaker = DeviceSpeaker("stud")
    async with (
        hearing(DeviceMicrophone(monitor_of("Study"))) as here,
        hearing(DeviceMicrophone(monitor_of("Kitchen"))) as there,
    ):
        await speaker.play(noise(0.3))
        await here.until_silent()
        await there.more(5)
    await speaker.aclose()
    assert np.array_equal(here.sound(), samples(noise(0.3).samples))
    assert not any(map(any, there.chunks))


@needs_pulse
async def test_silence_in_place_of_a_refusal_is_told_of(pulse: Pulse) -> None:
    """Where a system gives zeros for what it does not allow, unbroken zeros are an error."""
    pulse.add_sink()
    with pytest.raises(MicrophoneError, match=r"no sound at all.*Allow it for your terminal"):
        async for _ in DeviceMicrophone(zeros_for_refused=True).chunks():
            pass
    speaker = DeviceSpeaker()
    async with hearing(DeviceMicrophone(zeros_for_refused=True)) as ear:
        await speaker.play(noise(0.1))
        await ear.until_silent(count=110)
    await speaker.aclose()


# --- which device


@needs_pulse
def test_devices_are_listed(pulse: Pulse) -> None:
    """Both kinds, with the one that is used when none is named."""
    assert sound_devices() == []
    pulse.add_sink("Kitchen")
    pulse.add_sink("Study")
    pulse.control("set-default-sink", "Study")
    pulse.control("set-default-source", "Kitchen.monitor")
    assert sorted((each.kind, each.name, each.is_default) for each in sound_devices()) == [
        ("microphone", "Monitor of Kitchen", True),
        ("microphone", "Monitor of Study", False),
        ("speaker", "Kitchen", False),
        ("speaker", "Study", True),
    ]


@pytest.mark.parametrize(
    ("wanted", "kind", "found"),
    [
        ("usb headset", DeviceKind.SPEAKER, b"3"),
        ("usb", DeviceKind.MICROPHONE, b"1"),
        (" PRO ", DeviceKind.SPEAKER, b"4"),
        ("hdmi", DeviceKind.SPEAKER, b"5"),
    ],
)
def test_a_name_finds_its_device(wanted: str, kind: DeviceKind, found: bytes) -> None:
    """A whole name is better than a part, and a part is enough where it fits one alone."""
    device = device_named(wanted, kind, DEVICES)
    assert device is not None
    assert device.id == found


def test_a_name_of_the_other_kind_leaves_the_default() -> None:
    """One name stands for whichever kinds it fits."""
    assert device_named("hdmi", DeviceKind.MICROPHONE, DEVICES) is None


@pytest.mark.parametrize(
    ("wanted", "kind", "told"),
    [
        ("usb", DeviceKind.SPEAKER, "'usb' fits more than one speaker: USB Headset, USB Headset"),
        ("phone", DeviceKind.MICROPHONE, "no microphone named 'phone', only: USB Headset, Built-"),
        ("phone", DeviceKind.SPEAKER, "pace voice --list-devices"),
    ],
)
def test_a_name_that_fits_none_or_many_is_told_of(wanted: str, kind: DeviceKind, told: str) -> None:
    """The sentence names what there is."""
    with pytest.raises((MicrophoneError, SpeakerError), match=re.escape(told)):
        device_named(wanted, kind, DEVICES)


def test_a_name_where_there_is_no_device() -> None:
    """It is no matter of names, then."""
    with pytest.raises(SpeakerError, match="There is no speaker on this machine"):
        device_named("usb", DeviceKind.SPEAKER, ())


@pytest.mark.parametrize(
    ("platform", "told"),
    [
        ("darwin", "System Settings, Privacy & Security, Microphone"),
        ("win32", "desktop apps in Settings, Privacy & security, Microphone"),
        ("linux", "Ask who looks after this machine"),
    ],
)
def test_a_refusal_says_where_it_is_allowed(platform: str, told: str) -> None:
    """In the words of the platform's own settings."""
    assert told in how_to_allow(DeviceKind.MICROPHONE, platform)


# --- without a device


def test_sound_waits_in_its_order() -> None:
    """A device takes pieces as one sound and silence after it; its buffer has not sounded yet."""
    waiting = WaitingSound(1_000, buffered_seconds=0.02)
    waiting.put(b"\1\0\2\0\3\0")
    waiting.put(b"\4\0")
    assert waiting.waiting == 0.004
    assert waiting.take(3) == b"\1\0\2\0\3\0"
    assert waiting.take(10) == b"\4\0" + bytes(18)
    assert (waiting.waiting, waiting.sounded, waiting.is_silent) == (0, 0, False)
    waiting.take(10)
    assert (waiting.sounded, waiting.is_silent) == (0.003, False)
    waiting.take(10)
    assert (waiting.sounded, waiting.is_silent) == (0.004, True)


def test_a_paused_sound_gives_silence_at_once() -> None:
    """Not one sample more is taken, and none is skipped."""
    waiting = WaitingSound(1_000, buffered_seconds=0.01)
    waiting.put(noise(0.02, rate=1_000).samples)
    taken = waiting.take(5)
    waiting.is_paused = True
    assert waiting.take(5) == bytes(10)
    waiting.is_paused = False
    assert taken + waiting.take(15) == noise(0.02, rate=1_000).samples


async def test_what_nobody_waits_for_is_let_go() -> None:
    """A device that opens after its caller was cancelled is closed again."""
    begun, go_on, let_go = threading.Event(), threading.Event(), list[str]()

    def make() -> str:
        begun.set()
        go_on.wait()
        return "made"

    making = asyncio.create_task(in_thread(make, let_go.append))
    await asyncio.to_thread(begun.wait)
    making.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert let_go == ["made"]


def test_errors_are_of_their_port() -> None:
    """Each kind of device fails as its port says."""
    assert [type(kind.error("")) for kind in DeviceKind] == [MicrophoneError, SpeakerError]
    assert issubclass(MicrophoneError, PaceError)
