"""Which microphones and loudspeakers this machine has, and which of them a person means."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pace.errors import MicrophoneError, MissingExtraError, PaceError, SpeakerError
from pace.speech.devices.alsa import quieten

try:
    import miniaudio
except ModuleNotFoundError as error:  # pragma: no cover - the tests have all extras
    raise MissingExtraError("A spoken conversation", "voice") from error

LIST_THEM = "pace voice --list-devices"
# The backends that are tried, the platform's usual one first. Miniaudio's own last resort plays
# into nothing and hears silence for ever, where a person should be told that there is no device.
BACKENDS = sorted(
    miniaudio.get_enabled_backends() - {miniaudio.Backend.NULL, miniaudio.Backend.CUSTOM},
    key=lambda backend: int(backend.value),
)
# What PulseAudio and PipeWire make up where there is no device; ALSA's null, and its plugins
# (Debian's libasound2-plugins), which are ways to a device and none themselves.
_NO_DEVICES = {
    *(b"auto_null", b"auto_null.monitor", b"null", b"pulse", b"jack", b"oss", b"speex"),
    *(b"lavrate", b"samplerate", b"speexrate", b"upmix", b"vdownmix"),
}


class DeviceKind(StrEnum):
    """What a device is for."""

    MICROPHONE = "microphone"
    SPEAKER = "speaker"

    def error(self, sentence: str) -> PaceError:
        """As the port of this kind fails."""
        return (MicrophoneError if self is DeviceKind.MICROPHONE else SpeakerError)(sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundDevice:
    """A microphone or a loudspeaker; its `id` is the backend's, and holds on this machine only."""

    name: str
    kind: DeviceKind
    is_default: bool
    id: bytes = field(repr=False)


def sound_devices() -> list[SoundDevice]:
    """All that can be used now, microphones first; none if there is no sound system at all.

    It asks the sound system, which may take a moment.
    """
    ffi, lib = miniaudio.ffi, miniaudio.lib
    infos = {kind: ffi.new("ma_device_info**") for kind in DeviceKind}
    counts = {kind: ffi.new("ma_uint32*") for kind in DeviceKind}
    with _sound_system() as context:
        asked = context is not None and lib.ma_context_get_devices(
            context,
            infos[DeviceKind.SPEAKER],
            counts[DeviceKind.SPEAKER],
            infos[DeviceKind.MICROPHONE],
            counts[DeviceKind.MICROPHONE],
        )
        if asked is False or asked != lib.MA_SUCCESS:
            return []
        listed = [
            SoundDevice(
                name=ffi.string(info.name).decode(errors="replace"),
                kind=kind,
                is_default=bool(info.isDefault),
                id=bytes(ffi.buffer(ffi.addressof(info.id))),
            )
            for kind in DeviceKind
            for info in infos[kind][0][0 : counts[kind][0]]
        ]
    return [device for device in listed if device.id.split(b"\0")[0] not in _NO_DEVICES]


@contextmanager
def _sound_system() -> Iterator[Any]:
    """Through miniaudio's C interface, since its class hides which device is the default."""
    ffi, lib = miniaudio.ffi, miniaudio.lib
    quieten()
    context = ffi.new("ma_context*")
    order = ffi.new("ma_backend[]", [backend.value for backend in BACKENDS])
    if lib.ma_context_init(order, len(BACKENDS), ffi.NULL, context) != lib.MA_SUCCESS:
        yield None
        return
    try:
        yield context
    finally:
        lib.ma_context_uninit(context)


def device_named(
    wanted: str, kind: DeviceKind, devices: Sequence[SoundDevice]
) -> SoundDevice | None:
    """The one whose name it is, or the only one whose name holds it, case aside.

    One name may stand for a microphone, a loudspeaker or both: where it fits one of the other kind
    alone, this kind's default is meant, which is None. Raises the error of the kind.
    """
    same = wanted.strip().casefold()
    of_kind = [device for device in devices if device.kind is kind]
    whole = [device for device in of_kind if device.name.casefold() == same]
    fitting = whole[:1] or [device for device in of_kind if same in device.name.casefold()]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(device.name for device in fitting)
        raise kind.error(f"{wanted!r} fits more than one {kind}: {names}. Name one of them whole.")
    if any(same in device.name.casefold() for device in devices):
        return None
    if not of_kind:
        raise no_device(kind)
    names = ", ".join(device.name for device in of_kind)
    raise kind.error(
        f"There is no {kind} named {wanted!r}, only: {names}. Choose one; {LIST_THEM} lists all."
    )


def no_device(kind: DeviceKind) -> PaceError:
    """What is said where there is none."""
    instead = "type instead" if kind is DeviceKind.MICROPHONE else "read the replies instead"
    return kind.error(f"There is no {kind} on this machine. Plug one in, or {instead}.")
