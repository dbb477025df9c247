"""Keeps ALSA from writing on the screen; it tells of each device that it looks for in vain."""

import ctypes
import sys
from contextlib import suppress

# As the C library has it, without the arguments that the message is made of.
_HANDLER = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
)


def _say_nothing(*_: object) -> None:
    """What goes wrong is told by our own sentence."""


_QUIET = _HANDLER(_say_nothing)
"""Held here, since ALSA calls it as long as the process lives."""


def quieten() -> None:
    """Have ALSA be silent in this process from now on, where there is ALSA."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(_QUIET)
