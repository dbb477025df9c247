"""Puts text on the clipboard, by the terminal itself (OSC 52) and by the system's own tool."""

import asyncio
import base64
import os
import shutil
import sys
from collections.abc import Callable, Mapping

# Longer sequences are dropped by many terminals, some of them in the middle.
_LONGEST_SEQUENCE = 100_000
_LIMIT = 2.0


async def copy_text(
    text: str, send: Callable[[str], None], environ: Mapping[str, str] | None = None
) -> bool:
    """Copy, and say whether some way was open; `send` writes to the terminal."""
    environ = os.environ if environ is None else environ
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    sent = len(encoded) <= _LONGEST_SEQUENCE
    if sent:
        send(f"\x1b]52;c;{encoded}\x07")
    return await _by_tool(text, environ) or sent


async def _by_tool(text: str, environ: Mapping[str, str]) -> bool:
    tool = _tool(environ)
    if tool is None:
        return False
    try:
        process = await asyncio.create_subprocess_exec(
            *tool,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(_LIMIT):
            await process.communicate(text.encode("utf-8", "replace"))
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    return process.returncode == 0


def _tool(environ: Mapping[str, str]) -> tuple[str, ...] | None:
    """The platform's tool, where there is a desktop that it can reach."""
    for name, arguments in _candidates(environ):
        if found := shutil.which(name, path=environ.get("PATH")):
            return (found, *arguments)
    return None


def _candidates(environ: Mapping[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if sys.platform == "darwin":
        return (("pbcopy", ()),)
    if sys.platform == "win32":
        return (("clip", ()),)
    if environ.get("WAYLAND_DISPLAY"):
        return (("wl-copy", ()),)
    if environ.get("DISPLAY"):
        return (("xclip", ("-selection", "clipboard")), ("xsel", ("--clipboard", "--input")))
    return ()
