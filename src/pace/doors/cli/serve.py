"""`pace serve`: checks what was asked, says where the gateway is, and serves until it is ended."""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import click

from pace.doors.cli.talking import open_settings
from pace.doors.cli.tier import ask_consent
from pace.doors.safe_text import safe_line
from pace.doors.switching import REMOTE
from pace.doors.web.address import Address, listening_at
from pace.endpoint import is_on_this_machine
from pace.errors import MissingExtraError, PlannerError, PlannerRefusedError, SettingsError
from pace.folders import Folders
from pace.settings import ServeSettings, Settings, Tier, check_value, every_setting, names_in
from pace.settings_file import SettingsFile

_DONE, _FAILED = 0, 1
# How long the servers that answer are waited for, before it is said that they do not (seconds).
_PATIENCE = 3.0
_SHOWN_MODELS = 3
_STORE_PORT = 6379
# What a person agrees to is looked up in the file by every process, as it is then.
_IN_FILE = frozenset({"privacy.agreed", REMOTE})

Given = Mapping[str, str | bool | tuple[str, ...] | None]


def serve(given: Given, flags: Mapping[str, str | bool | None]) -> int:
    """Run `pace serve` until a signal ends it; gives the exit status. Raises PaceError.

    SIGTERM is how it is ended in order, with 0; Ctrl-C raises KeyboardInterrupt.

    `given` are flags of its own, by the names of their settings; `flags` are those of every door.
    """
    file = open_settings(flags)
    for notice in file.notices:
        click.echo(f"pace: {safe_line(notice)}", err=True)
    _refuse_blank(given)
    for name, value in given.items():
        if value not in {None, False, ()}:
            setting = f"serve.{name}"
            written = ", ".join(value) if isinstance(value, tuple) else value
            step = f"Check --{_FLAGS.get(name, name).replace('_', '-')}."
            file.wish(setting, check_value(setting, written, step=step))
    try:
        from pace.doors.gateway import serving  # noqa: PLC0415  # slow, and an extra
        from pace.doors.gateway.admission import Doorstep  # noqa: PLC0415  # as above
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "pace":
            raise
        raise MissingExtraError("The gateway", "gateway") from error
    _check(file)
    _refuse_idle(file, flags)
    settings = file.current.serve
    keys = keys_file(settings)
    with listening_at(settings.host, settings.port) as (listening, address):
        _refuse_itself(settings, address)
        is_local = not address.warning
        _check_keys(keys, is_local=is_local)
        models = asyncio.run(_seen(settings))
        made = serving.Serving(
            {
                info.name: file.current.get(info.name)
                for info in every_setting()
                if info.name not in _IN_FILE
            },
            Doorstep.of(
                port=address.port,
                names={*address.names, *names_in(settings.allow_hosts)},
                is_loopback=is_local,
                takes_own_address=address.is_everywhere,
                origins=names_in(settings.allow_origins),
            ),
            keys,
            parent=os.getpid() if settings.workers > 1 else None,
        )
        if settings.workers == 1:
            ended = serving.serve_here(
                made,
                listening,
                lambda: _announce(file.current, address, models or _tier(file.current, made.model)),
            )
        else:
            _announce(file.current, address, models)
            ended = serving.serve_with_workers(made, listening, settings.workers)
    match ended:
        case serving.Ended.AS_ASKED:
            return _DONE
        case serving.Ended.FAILED:
            return _FAILED
        case serving.Ended.INTERRUPTED:
            raise KeyboardInterrupt


_FLAGS = {"upstreams": "upstream", "allow_hosts": "allow_host", "allow_origins": "allow_origin"}


def keys_file(settings: ServeSettings) -> Path:
    """Where the gateway's keys are kept."""
    if settings.keys_file is not None:
        return Path(settings.keys_file).expanduser().absolute()
    return Folders.of().data / "gateway-keys.json"


def _refuse_blank(given: Given) -> None:
    """A variable of the shell that is not set must not choose who answers, or where memory is."""
    for name, value in given.items():
        if value == "" or (isinstance(value, tuple) and any(not part.strip() for part in value)):
            flag = _FLAGS.get(name, name).replace("_", "-")
            raise SettingsError(f"--{flag} is blank. Give it a value, or leave it out.")


def _refuse_idle(file: SettingsFile, flags: Mapping[str, str | bool | None]) -> None:
    """Flags that choose among the tiers do nothing where servers answer."""
    if not file.current.serve.upstreams:
        return
    for flag in ("tier", "base_url", "model"):
        if flags.get(flag):
            raise SettingsError(
                f"--{flag.replace('_', '-')} is for tiers, and the servers of --upstream answer "
                "here, each by the model that a client names. Leave one of the two out."
            )


def _refuse_itself(settings: ServeSettings, address: Address) -> None:
    for server in names_in(settings.upstreams):
        parts = urlsplit(server)
        if parts.port == address.port and (
            is_on_this_machine(server) or parts.hostname in address.names
        ):
            raise SettingsError(
                f"{server} is this gateway itself. Give --upstream the server that answers."
            )


def _check(file: SettingsFile) -> None:
    """Raise SettingsError for what cannot be served, ConsentNeededError for what may not."""
    settings = file.current.serve
    if settings.workers > 1 and settings.store is None:
        raise SettingsError(
            f"{settings.workers} workers need a store that they share. Give one with "
            "--store redis://…, or leave --workers out."
        )
    if settings.upstreams:
        return
    if settings.workers > 1 and file.current.planner.tier is Tier.EMBEDDED:
        raise SettingsError(
            "Each worker would load the model once more. Give --upstream with a server that all "
            "of them use, or leave --workers out."
        )
    ask_consent(file)


def _check_keys(keys: Path, *, is_local: bool) -> None:
    from pace.doors.gateway.keys import KeyFile  # noqa: PLC0415  # an extra

    if not is_local and not KeyFile(keys).kept():
        raise SettingsError(
            "Other machines could reach the gateway, and there is no key that keeps them out. Make "
            "one: pace keys new NAME"
        )


async def _seen(settings: ServeSettings) -> str:
    """What models the servers have; also finds out whether the store can be used. Raises."""
    from pace.doors.gateway.opening import open_servers, open_store  # noqa: PLC0415  # an extra

    store, _ = await open_store(settings)
    await store.aclose()
    servers = open_servers(settings)
    if servers is None:
        return ""
    try:
        async with asyncio.timeout(_PATIENCE):
            listed = [str(entry.get("id")) for entry in await servers.models()]
    except PlannerRefusedError as error:
        return f"nobody yet; {str(error).rstrip('.')}"
    except (PlannerError, TimeoutError):
        return f"{servers.name}, which does not answer yet"
    finally:
        await servers.aclose()
    more = len(listed) - _SHOWN_MODELS
    named = ", ".join(listed[:_SHOWN_MODELS]) + (f" and {more} more" if more > 0 else "")
    return f"{named or 'no model yet'}, by {servers.name}"


def _announce(settings: Settings, address: Address, models: str) -> None:
    key = "any api_key will do" if not address.warning else "its api_key is one of `pace keys`"
    _tell(f"The gateway is at {address.url}/v1 , which is a client's base_url; {key}.")
    if address.is_everywhere:
        _tell(f"From other machines: http://{socket.gethostname()}:{address.port}/v1")
    _tell(f"Answers: {models}" + ("" if models.endswith("?") else "."))
    for server in names_in(settings.serve.upstreams):
        if not is_on_this_machine(server):
            _tell(f"What clients say goes to {urlsplit(server).hostname}.")
    _tell(f"Memory: {_where(settings)}; idle for {settings.activity.idle_minutes} min, it is gone.")
    if settings.serve.store is not None and settings.serve.store_accepts_persistence:
        _tell(
            "The store is used even if it writes to a disk; then what is said stands on its disk."
        )
    if settings.serve.journal:
        _tell(f"Every turn is kept in your history, too: {Folders.of().history}")


def _tier(settings: Settings, model: str | None) -> str:
    planner = settings.planner
    chosen = model or planner.model or planner.provider or "which does not say its model yet"
    return f"tier {planner.tier}, {chosen}"


def _where(settings: Settings) -> str:
    if settings.serve.store is None:
        return "in this process, on no disk"
    parts = urlsplit(settings.serve.store)
    if parts.hostname is None:
        return f"in the store at {parts.path}"
    return f"in the store at {parts.hostname}:{parts.port or _STORE_PORT}"


def _tell(sentence: str) -> None:
    with suppress(OSError):  # nobody reads it, and clients are served all the same
        click.echo(safe_line(sentence))
