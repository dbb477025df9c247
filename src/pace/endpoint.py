"""Which addresses may be called: on this machine, or off it and named by the person."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from pace.errors import SettingsError

_LOOPBACK = IPv4Network("127.0.0.0/8")
# RFC 1918 and RFC 4193. Not in it, since whoever comes first may answer there: self-assigned
# (link-local) addresses, names ending in .local, and what a provider shares among its customers.
_HOUSE = (
    IPv4Network("10.0.0.0/8"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
)
_HOUSE_V6 = IPv6Network("fc00::/7")
_NAME = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class LoopbackUrl:
    """An http address on this machine, without a slash at its end; having one is proof.

    The host is `localhost`, within 127.0.0.0/8, or [::1], spelt out: names that merely resolve to
    this machine today are refused, and so are sign-in details. Raises SettingsError.
    """

    text: str

    def __post_init__(self) -> None:
        text = self.text.strip().rstrip("/")
        host = _host_of(_parts_of(text), like="http://127.0.0.1:1234/v1")
        if "\\" in text or not _is_loopback(host):
            raise SettingsError(f"{host!r} is not on this machine. Use a localhost address.")
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RemoteUrl:
    """An address that words may be sent to off this machine, without a slash at its end.

    HTTPS anywhere; plain HTTP only to an address in figures that is private by its range (10/8,
    172.16/12, 192.168/16, fc00::/7) or this machine's own: a name could lead anywhere, and what is
    said would be read on the way. Sign-in details and queries are refused, unseen. Raises
    SettingsError.
    """

    text: str

    def __post_init__(self) -> None:
        text = self.text.strip().rstrip("/")
        parts = _parts_of(text)
        host = _host_of(parts, like="https://example.com/v1")
        address = _address(host)
        is_scoped = isinstance(address, IPv6Address) and address.scope_id is not None
        if "\\" in text or is_scoped or (address is None and not _NAME.fullmatch(host)):
            raise SettingsError("The address has a host that cannot be. Write it in plain letters.")
        if parts.scheme == "http" and not (_is_loopback(host) or _is_in_the_house(address)):
            raise SettingsError(
                f"Plain http to {host} could be read on the way. Use https, or for a server in the "
                "house its private address in figures, like http://192.168.1.20:8080/v1"
            )
        object.__setattr__(self, "text", text)

    @property
    def host(self) -> str:
        """Where words go, as a person would name it: the host, with its port if that is unusual."""
        parts = urlsplit(self.text)
        usual = 443 if self.is_encrypted else 80
        host = parts.hostname or ""
        if parts.port in {None, usual}:
            return host
        return f"[{host}]:{parts.port}" if ":" in host else f"{host}:{parts.port}"

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return urlsplit(self.text).scheme == "https"

    def __str__(self) -> str:
        return self.text


def is_on_this_machine(text: str) -> bool:
    """Whether it is an address of this machine."""
    try:
        LoopbackUrl(text)
    except SettingsError:
        return False
    return True


def _parts_of(text: str) -> SplitResult:
    """What an address is made of; no refusal repeats it, since it may hold a key."""
    if any(character.isspace() or not character.isprintable() for character in text):
        raise SettingsError("The address holds a space or a control character. Write it again.")
    try:
        parts = urlsplit(text)
        _ = parts.hostname, parts.port
    except ValueError as error:
        raise SettingsError("The address is not a valid one. Check its port.") from error
    if parts.username is not None or parts.password is not None:
        raise SettingsError("The address holds sign-in details. Give the key as a setting.")
    if parts.query or parts.fragment:
        raise SettingsError("The address ends in a query. Leave out what follows its path.")
    return parts


def _host_of(parts: SplitResult, *, like: str) -> str:
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise SettingsError(f"That is no http address. Write it like {like}")
    return parts.hostname


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    address = _address(host)
    if isinstance(address, IPv6Address):
        return address == IPv6Address("::1") and address.scope_id is None
    return address is not None and address in _LOOPBACK


def _is_in_the_house(address: IPv4Address | IPv6Address | None) -> bool:
    if isinstance(address, IPv6Address):
        return address in _HOUSE_V6
    return address is not None and any(address in network for network in _HOUSE)
