"""A PulseAudio server of a test's own, whose null sink is a loudspeaker and whose monitor hears it.

What is to use it gets `environment`; miniaudio looks at that in its own process, when the first
device is opened.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

needs_pulse = pytest.mark.skipif(
    not (shutil.which("pulseaudio") and shutil.which("pactl")),
    reason="there is no PulseAudio here",
)
_PROBES = 500


@dataclass(slots=True)
class Pulse:
    """A server; a device's name is what it is listed as."""

    environment: dict[str, str] = field(repr=False)
    server: subprocess.Popen[bytes] = field(repr=False)

    def control(self, *words: str) -> str:
        told = subprocess.run(
            ["pactl", *words], env=self.environment, capture_output=True, check=True, text=True
        )
        return told.stdout.strip()

    def add_sink(self, name: str = "Room", *, rate: int = 48_000, channels: int = 2) -> str:
        """A loudspeaker `name`, and a microphone `monitor_of(name)`; gives its module's number."""
        return self.control(
            "load-module",
            "module-null-sink",
            f"sink_name={name}",
            f"sink_properties=device.description={name}",
            f"rate={rate}",
            f"channels={channels}",
            "format=s16le",
        )

    def remove(self, module: str) -> None:
        self.control("unload-module", module)

    def count(self, what: str) -> int:
        """Of `clients`, `sink-inputs` (who plays) or `source-outputs` (who listens)."""
        return len(self.control("list", "short", what).splitlines())


def monitor_of(sink: str) -> str:
    return f"Monitor of {sink}"


@contextmanager
def running_pulse() -> Iterator[Pulse]:
    """A server without any device; the test loads its sinks."""
    # A socket's path must be short, which a test's own folder is not.
    with tempfile.TemporaryDirectory(prefix="pulse-") as folder:
        socket = Path(folder) / "s"
        environment = {
            **os.environ,
            "HOME": folder,
            "XDG_RUNTIME_DIR": folder,
            "XDG_CONFIG_HOME": folder,
            "PULSE_SERVER": f"unix:{socket}",
        }
        server = subprocess.Popen(
            [
                *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1"),
                *("--use-pid-file=no", "--disable-shm=yes", "--log-target=stderr"),
                *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={socket}"),
            ],
            env={name: value for name, value in environment.items() if name != "PULSE_SERVER"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            pulse = Pulse(environment, server)
            _wait_ready(pulse)
            yield pulse
        finally:
            server.kill()
            server.wait()


def _wait_ready(pulse: Pulse) -> None:
    for _ in range(_PROBES):
        if not subprocess.run(
            ["pactl", "info"], env=pulse.environment, capture_output=True, check=False
        ).returncode:
            return
    raise AssertionError("PulseAudio did not start")
