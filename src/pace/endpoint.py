"""Which addresses may be called: an address that is made here is on this machine."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, ip_address
from urllib.parse import urlsplit

from pace.errors import SettingsError

_LOOPBACK = IPv4Network("127.0.0.0/8")


@dataclass(frozen=True, slots=True)
class LoopbackUrl:
    """An http address on this machine, without a slash at its end; having one is proof.

    The host is `localhost`, within 127.0.0.0/8, or [::1], spelt out: names that merely resolve to
    this machine today are refused, and so are sign-in details. Raises SettingsError.
    """

    text: str

    def __post_init__(self) -> None:
        text = self.text.strip().rstrip("/")
        if any(character.isspace() or not character.isprintable() for character in text):
            raise SettingsError("The address holds a space or a control character. Write it again.")
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise SettingsError("The address is not a valid one. Check its port.") from error
        if parts.username is not None or parts.password is not None:
            raise SettingsError("The address holds sign-in details. Give the key as a setting.")
        if parts.scheme not in {"http", "https"} or host is None:
            raise SettingsError(
                f"{text!r} is no http address. Write it like http://127.0.0.1:1234/v1"
            )
        if "\\" in text or not _is_loopback(host):
            raise SettingsError(f"{host!r} is not on this machine. Use a localhost address.")
        if parts.query or parts.fragment:
            raise SettingsError("The address ends in a query. Leave out what follows its path.")
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        return address == IPv6Address("::1") and address.scope_id is None
    return address in _LOOPBACK
