"""Which addresses may be opened: web addresses, files and folders; no program and no other scheme.

A program is refused rather than asked about: opened by its path it would run with all that the
person may do, and a yes would be given to a mere name. Apps are opened by `open_app`.
"""

import os
import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from pathlib import Path, PurePath
from urllib.parse import quote, urlsplit, urlunsplit

from pace.actions.telling import quoted, shown
from pace.errors import ActionError, ActionRefusedError
from pace.memory.turn import is_invisible

_LONGEST = 2000
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):(?!\d{1,5}(?:[/?#]|$))")
_WEB = ("http", "https")
_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?"
)
_BRACKETS = re.compile(r"\[[0-9a-fA-F:.]+\](?::[0-9]*)?")
_ENTRY = re.compile(rb"\[(?:KDE )?Desktop Entry\]")
# A desktop entry may have comments of any length ahead of it.
_LOOKED_AT = 1_000_000
_DRIVE = re.compile(r"[a-zA-Z]:[\\/]")
# Kinds of files that a desktop runs, installs, mounts or follows to another place: Windows' PATHEXT
# and its unsafe attachments, macOS' bundles and location files, what Linux desktops launch.
_RUN = frozenset(
    (  # noqa: SIM905  # a hundred words read better so
        "action ahk app appimage application appref-ms applescript bash bat bin bundle chm cmd "
        "com command cpl crx csh deb desktop diagcab dll dmg exe fileloc fish flatpak "
        "flatpakref flatpakrepo gadget hta htc img inetloc inf ins iso isp jar jnlp js jse "
        "kdelnk ksh library-ms lnk mde mobileconfig msc msh msi msix msixbundle msp mst pif pkg pl "
        "prefpane ps1 ps1xml ps2 psc1 psd1 psm1 py pyc pyw pyz pyzw rb rdp reg rpm run saver "
        "scf scpt scptd scr sct search-ms service settingcontent-ms sh shb shs snap svc sys "
        "term terminal theme themepack tool url vb vbe vbs vhd vhdx webloc website workflow "
        "ws wsc wsf wsh xbap xll xpi zsh"
    ).split()
)
# ELF, Windows, scripts, Mach-O in its four forms and the one with several inside.
_PROGRAM_BEGINNINGS = (
    *(b"\x7fELF", b"MZ", b"#!", b"\xca\xfe\xba\xbe"),
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One that may be opened: `text` for the opener, `said` for a person."""

    text: str
    said: str
    is_web: bool


def address_of(text: str) -> Address:
    """The address that is meant. Raises ValueError, with a sentence for the person."""
    if not text:
        raise ValueError("There is no address. Say what to open.")
    if len(text) > _LONGEST:
        raise ValueError(f"The address is longer than {_LONGEST:,} characters. Give a shorter one.")
    if not text.isprintable() or any(map(is_invisible, text)):
        raise ValueError("The address holds characters that cannot be seen. Write it anew.")
    if _is_path(text):
        return _local(text)
    if scheme := _SCHEME.match(text):
        if scheme[1].lower() in _WEB:
            return _web(text)
        raise ValueError(
            f"Addresses of the kind {shown(scheme[1], 20)}: are not opened. Give a web address, or "
            "the path of a file or folder."
        )
    first = re.split(r"[/\\?#]", text, maxsplit=1)[0]
    is_host = "." in first or first.partition(":")[0].lower() == "localhost"
    if is_host and not _is_here(first):
        return _web(f"https://{text}" if "." in first else f"http://{text}")
    return _local(text)


def opened_path(address: Address) -> Path:
    """The real file or folder. Raises ActionError: it is not there, or it is a program."""
    try:
        real = Path(address.text).resolve(strict=True)
        is_file, is_folder = real.is_file(), real.is_dir()
    except (OSError, RuntimeError) as error:
        raise ActionError(f"{_said(address.text)} cannot be found. Check its path.") from error
    if not (is_file or is_folder):
        raise ActionError(f"{_said(address.text)} is neither a file nor a folder.")
    if _runs(real):
        raise ActionRefusedError(_is_a_program(address.text))
    if is_file and _begins_as_program(real):
        raise ActionRefusedError(_is_a_program(address.text))
    return real


def _is_path(text: str) -> bool:
    if text == "~" or text.startswith(("/", "~/", "~\\", "./", ".\\", "../", "..\\")):
        return True
    return os.name == "nt" and _DRIVE.match(text) is not None


def _is_here(name: str) -> bool:
    """Whether a file or folder of that name lies at home, such as report.pdf."""
    try:
        return (Path.home() / name).exists()
    except (OSError, ValueError):
        return False


def _local(text: str) -> Address:
    """A path; one that is not whole begins at home, whatever folder Pace runs in."""
    path = text[2:] if text == "~" or text.startswith(("~/", "~\\")) else text
    # Windows takes one slash for the other, and shows whoever is asked there who the person is.
    if path.replace("\\", "/").startswith("//"):
        raise ValueError("Addresses of other machines' folders are not opened. Give a local one.")
    whole = os.path.normpath(Path.home() / path)
    if _runs(PurePath(whole)):
        raise ValueError(_is_a_program(text))
    return Address(text=whole, said=_said(whole), is_web=False)


def _web(text: str) -> Address:
    """A web address whose host is what it seems to be."""
    if "\\" in text:
        raise ValueError("A web address has no backslashes. Write it anew.")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        plain = _plain_host(parts.netloc, host)
    except (ValueError, UnicodeError) as error:
        raise ValueError(f"{quoted(text)} is no web address. Check how it is written.") from error
    if "@" in parts.netloc:
        raise ValueError(
            f"{quoted(text)} has a name before an @, which hides where it leads. Leave that out."
        )
    if ":" not in plain and not _HOST.fullmatch(plain):
        raise ValueError(f"{quoted(text)} is no web address. Check how it is written.")
    place = f"[{plain}]" if ":" in plain else plain
    if port is not None:
        place = f"{place}:{port}"
    kept = "!$&'()*+,;=:@/%~"
    path, query, fragment = (
        quote(part, safe=f"{kept}?") for part in (parts.path, parts.query, parts.fragment)
    )
    scheme = parts.scheme.lower()
    rest = urlunsplit(("", "", path, query, fragment))
    whole = urlunsplit((scheme, place, path, query, fragment))
    # The whole host, however long: its end is what says whose it is.
    said = f"{place}{shown(rest, 60) if rest != '/' else ''} in your browser"
    return Address(text=whole, said=said, is_web=True)


def _plain_host(netloc: str, host: str) -> str:
    """Raises ValueError. In brackets only IPv6 may stand: an opener may be a script."""
    if "[" not in netloc:
        return host.encode("idna").decode().lower()
    if not _BRACKETS.fullmatch(netloc):
        raise ValueError("no address")
    return str(IPv6Address(host))


def _said(path: str) -> str:
    """A path, from home if it lies there; of a long one the end, which says most."""
    home = str(Path.home())
    short = f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path
    longest = 80
    if len(short) > longest:
        short = f"…{short[1 - longest :]}"
    return shown(short, longest)


def _runs(path: PurePath) -> bool:
    """Whether the name is one of a program's; Windows drops dots and spaces at its end."""
    name = path.name.rstrip(". ")
    if os.name == "nt" and ":" in name:
        return True  # a stream within a file
    return name.rpartition(".")[2].lower() in _RUN and "." in name


def _begins_as_program(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            beginning = file.read(_LOOKED_AT).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise ActionError(
            f"{_said(str(path))} cannot be read ({error.strerror}). Check who owns it."
        ) from error
    return beginning.startswith(_PROGRAM_BEGINNINGS) or bool(_ENTRY.search(beginning))


def _is_a_program(text: str) -> str:
    return (
        f"{_said(text)} is a program or leads to one, and those are not opened. Ask for an app by "
        "its name, or open it yourself."
    )
