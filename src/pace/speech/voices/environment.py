"""What of Pace's environment a voice's program is given: what it needs to run, and no key."""

import os
from collections.abc import Mapping

_PASSED = frozenset(
    {
        *("HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "USER"),
        *("TEMP", "TMP", "TMPDIR", "XDG_RUNTIME_DIR", "PULSE_SERVER"),
        # Windows
        *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES"),
        *("SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE", "WINDIR"),
    }
)


def voice_environment(ours: Mapping[str, str] | None = None) -> dict[str, str]:
    """Of `ours`, or of this process; what a Python program reads and writes is UTF-8.

    Piper's runtime, onnxruntime, reports to its vendor and writes a file of its own unless it is
    told not to (1.32, Privacy.md of its package).
    """
    given = os.environ if ours is None else ours
    passed = {
        name: value
        for name, value in given.items()
        if name.upper() in _PASSED or name.upper().startswith("LC_")
    }
    return {**passed, "PYTHONUTF8": "1", "ORT_DISABLE_TELEMETRY": "1"}
