"""Refuses a server that would write threads to a disk, or let them go before their time."""

from collections.abc import Mapping
from typing import Any, NoReturn

from pace.errors import SettingsError, StoreError, StoreUnreachableError
from pace.stores.redis.link import Link

_OLDEST = 7
# What keeps the memory of a server off its disk, and what each has to be.
OFF = {"save": "", "appendonly": "no", "repl-diskless-sync": "yes"}
_ACCEPT = "say that persistence is accepted (--store-accepts-persistence)"


async def check_server(link: Link, *, accepts_persistence: bool) -> None:
    """Raise SettingsError, with the next step, for a server that threads may not be kept on.

    A setting that cannot be read counts as wrong. A replica of the server has settings of its own,
    which nobody can ask for here.
    """
    await link.command("PING")  # what fails from here on is a right that the user has not
    if not accepts_persistence:
        await _check_persistence(link)
    try:
        facts = await link.ask(lambda _: link.redis.info())
    except StoreUnreachableError:
        raise
    except StoreError:
        _refuse(link, "does not tell what it is", "Allow the user INFO")
    version = str(facts.get("redis_version", "0"))
    if int(version.partition(".")[0]) < _OLDEST:
        _refuse(link, f"is Redis {version}", f"Use Redis {_OLDEST} or Valkey 8, or newer")
    policy = facts.get("maxmemory_policy")
    if facts.get("maxmemory") and policy != "noeviction":
        _refuse(
            link,
            f"may drop live threads when its memory is full (maxmemory-policy {policy})",
            "Set maxmemory-policy to noeviction",
        )


async def _check_persistence(link: Link) -> None:
    try:
        settings = await link.ask(lambda _: link.redis.config_get(*OFF))
    except StoreUnreachableError:
        raise
    except StoreError:
        _refuse(
            link,
            "does not tell whether it writes to a disk",
            f"Allow the user CONFIG GET, or {_ACCEPT}",
        )
    for name, off in OFF.items():
        value = _text(settings, name)
        if value != off:
            _refuse(
                link,
                f"would write conversations to a disk ({name} is {value!r})",
                f"Set {name} to {off!r} there, or {_ACCEPT}",
            )


def _refuse(link: Link, fault: str, step: str) -> NoReturn:
    raise SettingsError(f"{link.place} {fault}. {step}.") from None


def _text(settings: Mapping[Any, Any], name: str) -> str:
    value = settings.get(name, "unknown")
    return value.decode() if isinstance(value, bytes) else str(value)
