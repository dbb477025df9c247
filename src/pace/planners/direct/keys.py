"""Keys of providers: from the environment or the system's keyring, and shown nowhere."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import NoReturn, Protocol

from pace.errors import MissingExtraError, MissingKeyError, SettingsError
from pace.planners.direct.providers import FACTS
from pace.settings import Provider

_SERVICE = "pace"
# What can stand in an HTTP header without a space; real keys have 20 to 200 characters.
_KEY = re.compile(r"[!-~]{8,1000}")


class ApiKey:
    """A key that no text, trace, log or copy shows; only `reveal` gives it.

    White space around it is dropped. Raises SettingsError for what cannot be a key.
    """

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        text = text.strip()
        if not _KEY.fullmatch(text):
            raise SettingsError(
                "That is no key: one has 8 to 1,000 plain characters and no space or line end in "
                "it. Copy it again."
            )
        self.__text = text

    def reveal(self) -> str:
        """The key itself, for the one request header that needs it."""
        return self.__text

    def __repr__(self) -> str:
        return "ApiKey(hidden)"

    def __copy__(self) -> "ApiKey":
        return self

    def __deepcopy__(self, memo: object) -> "ApiKey":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not to be written anywhere")


class KeySource(StrEnum):
    """Where a key was found; the environment counts first."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"


class Keyring(Protocol):
    """What is needed of the `keyring` package. Its calls may wait for the person to unlock it."""

    def get_password(self, service: str, username: str, /) -> str | None:
        """The secret, or None."""
        ...

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Keep a secret."""
        ...

    def delete_password(self, service: str, username: str, /) -> None:
        """Drop a secret."""
        ...


def find_key(
    provider: Provider,
    *,
    environment: Mapping[str, str] = os.environ,
    keyring: Keyring | None = None,
) -> ApiKey | None:
    """The provider's key. None only for an address of the person's own, which may need none.

    Raises MissingKeyError, or SettingsError for a keyring that is broken or holds no key. Without a
    `keyring` it is the system's.
    """
    facts = FACTS[provider]
    if given := environment.get(facts.variable, "").strip():
        return _named(given, f"The variable {facts.variable}")
    if kept := _kept(provider, keyring):
        return _named(kept, "What the keyring holds for Pace")
    if provider is Provider.CUSTOM:
        return None
    raise MissingKeyError(
        f"There is no key for {facts.title}. Store one with: pace tier key {provider}, or set "
        f"{facts.variable}."
    )


def has_key(
    provider: Provider,
    *,
    environment: Mapping[str, str] = os.environ,
    keyring: Keyring | None = None,
) -> KeySource | None:
    """Where the provider's key would come from; None if there is none."""
    if environment.get(FACTS[provider].variable, "").strip():
        return KeySource.ENVIRONMENT
    return KeySource.KEYRING if _kept(provider, keyring) else None


def check_keyring(provider: Provider, *, keyring: Keyring | None = None) -> None:
    """Raise SettingsError if the system's keyring could keep no key of that provider's."""
    with _ring(provider, keyring) as ring:
        _check_no_file(ring, provider)
        ring.get_password(_SERVICE, provider.value)


def store_key(provider: Provider, key: ApiKey, *, keyring: Keyring | None = None) -> None:
    """Keep a key in the system's keyring, in place of any before it; raises SettingsError."""
    with _ring(provider, keyring) as ring:
        _check_no_file(ring, provider)
        ring.set_password(_SERVICE, provider.value, key.reveal())
        if ring.get_password(_SERVICE, provider.value) != key.reveal():
            raise _no_keyring(provider)


def remove_key(provider: Provider, *, keyring: Keyring | None = None) -> bool:
    """Drop the key from the keyring; False if it held none. One in the environment stays."""
    with _ring(provider, keyring) as ring:
        if ring.get_password(_SERVICE, provider.value) is None:
            return False
        ring.delete_password(_SERVICE, provider.value)
    return True


def _named(text: str, what: str) -> ApiKey:
    try:
        return ApiKey(text)
    except SettingsError as error:
        raise SettingsError(
            f"{what} is no key: it is too short, or holds a space or a line end."
        ) from error


def _kept(provider: Provider, keyring: Keyring | None) -> str | None:
    """What the keyring holds; a machine without one holds nothing."""
    try:
        with _ring(provider, keyring) as ring:
            return ring.get_password(_SERVICE, provider.value)
    except _NoKeyringError:
        return None


class _NoKeyringError(SettingsError):
    """There is no keyring to ask."""


@contextmanager
def _ring(provider: Provider, given: Keyring | None) -> Iterator[Keyring]:
    """The given keyring or the system's; whatever it raises, in one sentence."""
    try:
        import keyring  # noqa: PLC0415  # an extra's
        from keyring.errors import KeyringLocked, NoKeyringError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("Keeping a key", "direct") from error
    variable = FACTS[provider].variable
    try:
        yield given or keyring.get_keyring()
    except SettingsError:
        raise
    except KeyringLocked as error:
        raise SettingsError(f"The keyring is locked. Unlock it, or set {variable}.") from error
    except NoKeyringError as error:
        raise _no_keyring(provider) from error
    except Exception:  # noqa: BLE001  # each system's keyring has errors of its own
        # Not chained: nobody knows what its words hold.
        raise SettingsError(
            f"The keyring of this machine failed. Repair it, or set {variable}."
        ) from None


def _check_no_file(ring: Keyring, provider: Provider) -> None:
    if _writes_files(ring):
        raise SettingsError(
            "The keyring of this machine would keep the key in a file. Set "
            f"{FACTS[provider].variable} instead, or set up your system's own keyring."
        )


def _writes_files(ring: Keyring) -> bool:
    """Whether it is one of the stand-ins for a keyring, which write files that others can read."""
    from keyring.backends.chainer import ChainerBackend  # noqa: PLC0415  # an extra's

    rings = list(ring.backends) if isinstance(ring, ChainerBackend) else [ring]
    return any(type(each).__module__.startswith("keyrings.alt") for each in rings[:1])


def _no_keyring(provider: Provider) -> SettingsError:
    return _NoKeyringError(
        f"This machine has no keyring that keeps keys. Set {FACTS[provider].variable} instead."
    )
