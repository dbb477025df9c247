"""Where the window listens, under which names it is meant, and what it means to be reached."""

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pace.errors import SettingsError

_UNENCRYPTED = "whoever has its address with the secret can read and speak, unencrypted on the way."


@dataclass(frozen=True, slots=True)
class Address:
    """An address that was bound. `host` is as it was asked for, `ip` what it came to."""

    host: str
    ip: str
    port: int

    @property
    def is_everywhere(self) -> bool:
        """Whether every address of this machine leads here."""
        return _plain(self.ip).is_unspecified

    @property
    def names(self) -> frozenset[str]:
        """By which names it is meant, besides loopback's."""
        if self.is_everywhere:
            name = socket.gethostname().lower()
            return frozenset({name, f"{name}.local"})
        return frozenset({self.host.lower(), self.ip})

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it."""
        if self.is_everywhere:
            return f"http://127.0.0.1:{self.port}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def warning(self) -> str:
        """What it means that other machines can reach it; empty if none can."""
        if self.is_everywhere:
            return (
                "Other machines can reach this window, too, with the name of this one in place of "
                f"127.0.0.1: {_UNENCRYPTED}"
            )
        if _plain(self.ip).is_loopback:
            return ""
        return f"Other machines can reach this window, too: {_UNENCRYPTED}"


@contextmanager
def listening_at(host: str, port: int) -> Iterator[tuple[socket.socket, Address]]:
    """A socket that listens there, while it lasts. Raises SettingsError, which names the flag."""
    if not host.strip():
        raise SettingsError("--host cannot be empty. Leave it out to listen on this machine alone.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"There is no address {host!r} here. Check --host.") from error
    with listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(address)
            listening.listen()
        except OSError as error:
            raise SettingsError(
                f"{host} port {port} cannot be used ({error.strerror}). Give another with --port, "
                "or --port 0 for any that is free."
            ) from error
        ip, bound, *_ = listening.getsockname()
        yield listening, Address(host, ip, bound)


def _plain(ip: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address without its zone; one of IPv4 that is written as IPv6 is what it is."""
    address = ipaddress.ip_address(ip.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
