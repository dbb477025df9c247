"""Reads which MCP servers a person has set up: the usual `mcpServers` JSON.

Values of `env` and `headers`, arguments and addresses may hold keys: no repr, no sentence and no
log shows them.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from pace.actions.telling import quoted
from pace.endpoint import LoopbackUrl
from pace.errors import SettingsError

MOST_SERVERS = 20
_LARGEST_FILE = 1_000_000
_LONGEST_SLUG = 24
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class Wire(StrEnum):
    """How a server is spoken to over HTTP: as the protocol has it now, or as it was until 2025."""

    HTTP = "http"
    SSE = "sse"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramServer:
    """A server that Pace starts, and speaks to over its standard input and output."""

    command: str
    arguments: tuple[str, ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown, whoever says it."""
        return (*self.environment.values(), *self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer:
    """A server at an address. `host` is where words go if that is not this machine, else empty."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    wire: Wire = Wire.HTTP
    host: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown, whoever says it."""
        return (*self.headers.values(), self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEntry:
    """One server of the file. `slug` begins the names of its actions.

    Of its tools those in `only` are offered, or all if that is None, but none in `never`.
    """

    name: str
    slug: str
    reached: ProgramServer | HttpServer
    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class McpConfig:
    """The servers that can be used, in the file's order, the names of those that are switched off.

    `faults` has a sentence for each entry that cannot be used.
    """

    path: Path
    servers: tuple[ServerEntry, ...] = ()
    disabled: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def read_config(path: Path, environment: Mapping[str, str] | None = None) -> McpConfig:
    """The servers that a file names; no file, no servers. What is wrong becomes a sentence."""
    variables = os.environ if environment is None else environment
    try:
        entries = _entries(path)
    except SettingsError as error:
        return McpConfig(path=path, faults=(str(error),))
    servers: dict[str, ServerEntry] = {}
    disabled: list[str] = []
    faults: list[str] = []
    for name, value in entries.items():
        entry = _Entry(name, value, path, variables)
        try:
            if entry.is_disabled:
                disabled.append(name)
                continue
            server = entry.read()
            if server.slug in servers:
                raise entry.fault(
                    f"is called nearly as {quoted(servers[server.slug].name)}. Rename one"
                )
            if len(servers) == MOST_SERVERS:
                raise entry.fault(f"is one more than {MOST_SERVERS}. Switch one off")
            servers[server.slug] = server
        except SettingsError as error:
            faults.append(str(error))
        except (ValueError, RuntimeError, OSError):
            # What no check has foreseen costs no other server. Not told: it may quote a key.
            faults.append(str(entry.fault("cannot be read. Correct it")))
    return McpConfig(
        path=path,
        servers=tuple(servers.values()),
        disabled=tuple(disabled),
        faults=tuple(faults),
    )


def _read(path: Path) -> bytes:
    """The file's bytes; one that is no file is never waited for. Raises OSError."""
    # To open what is no file may wait for ever, or do something; so look before, and again after.
    if path.exists() and not path.is_file():
        raise SettingsError(f"The MCP servers' file {path} is no file. Name another.")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SettingsError(f"The MCP servers' file {path} is no file. Name another.")
        return file.read(_LARGEST_FILE + 1)


def _entries(path: Path) -> Mapping[str, object]:
    try:
        read = _read(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(
            f"The MCP servers' file {path} cannot be read ({error.strerror})."
        ) from error
    if len(read) > _LARGEST_FILE:
        raise SettingsError(f"The MCP servers' file {path} is over 1 MB. Is it the right one?")
    try:
        whole = json.loads(read.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        # Not chained: the error of the parser holds the whole text.
        raise SettingsError(
            f"The MCP servers' file {path} is no JSON{where}. Correct it."
        ) from None
    entries = whole.get("mcpServers") if isinstance(whole, dict) else None
    if not isinstance(entries, dict):
        raise SettingsError(
            f'The MCP servers\' file {path} has no "mcpServers" object. Begin it with that.'
        )
    return entries


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry as it is written, and what its sentences need."""

    name: str
    value: object = field(repr=False)
    path: Path
    variables: Mapping[str, str] = field(repr=False)

    def fault(self, what: str) -> SettingsError:
        return SettingsError(f"The MCP server {quoted(self.name)} {what} in {self.path}.")

    @property
    def fields(self) -> Mapping[str, object]:
        if not isinstance(self.value, dict):
            raise self.fault("is no object. Correct it")
        return self.value

    @property
    def is_disabled(self) -> bool:
        return self.fields.get("disabled") is True or self.fields.get("enabled") is False

    def read(self) -> ServerEntry:
        fields = self.fields
        slug = re.sub(r"[^a-z0-9]", "", self.name.lower())[:_LONGEST_SLUG]
        if not slug:
            raise self.fault("has a name without a letter of a to z. Rename it")
        address = next((key for key in ("url", "serverUrl", "httpUrl") if fields.get(key)), None)
        if (address is None) == (not fields.get("command")):
            raise self.fault('needs "command" or "url", one of them. Correct it')
        return ServerEntry(
            name=self.name,
            slug=slug,
            reached=self._program() if address is None else self._at(address),
            only=frozenset(self._texts("includeTools")) if "includeTools" in fields else None,
            never=frozenset(self._texts("excludeTools")),
        )

    def _program(self) -> ProgramServer:
        command = self._text("command")
        folder = self._path("cwd") if self.fields.get("cwd") else Path.home()
        return ProgramServer(
            command=str(self._path("command")) if command.startswith("~") else command,
            arguments=self._texts("args"),
            environment=dict(self._filled("env")),
            folder=self.path.parent / folder,
        )

    def _at(self, key: str) -> HttpServer:
        url = self._text(key).strip()
        host = self._host(url)
        return HttpServer(
            url=url, headers=dict(self._filled("headers")), wire=self._wire(url), host=host
        )

    def _wire(self, url: str) -> Wire:
        given = self.fields.get("type", self.fields.get("transport"))
        match given:
            case None:
                # What addresses of the older kind are called everywhere.
                return Wire.SSE if urlsplit(url).path.rstrip("/").endswith("/sse") else Wire.HTTP
            case "http" | "streamable-http" | "streamableHttp" | "streamable_http":
                return Wire.HTTP
            case "sse":
                return Wire.SSE
            case _:
                raise self.fault('has a "type" that is neither "http" nor "sse". Correct it')

    def _host(self, url: str) -> str:
        """Where words go, if not to this machine; raises SettingsError for what is no address."""
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            host, parts = "", urlsplit("")
        if parts.scheme not in {"http", "https"} or not host or not url.isprintable():
            raise self.fault("has no http address. Correct it")
        if parts.username is not None or parts.password is not None:
            raise self.fault('has sign-in details in its address. Give them in "headers"')
        if _is_here(f"{parts.scheme}://{parts.netloc}"):
            return ""
        if parts.scheme == "http" and not _is_private(host):
            raise self.fault("has an address that anybody on the way can read. Use https")
        return host

    def _text(self, key: str) -> str:
        value = self.fields.get(key)
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise self.fault(f'has a "{key}" that is no text. Correct it')
        return value

    def _path(self, key: str) -> Path:
        try:
            return Path(self._text(key)).expanduser()
        except RuntimeError as error:
            raise self.fault(f'has a "{key}" in the home of nobody here. Correct it') from error

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key, [])
        if not isinstance(value, list):
            raise self.fault(f'has "{key}" that is no list of texts. Correct it')
        texts = tuple(text for text in value if isinstance(text, str) and "\0" not in text)
        if len(texts) < len(value):
            raise self.fault(f'has "{key}" that is no list of texts. Correct it')
        return texts

    def _filled(self, key: str) -> Iterator[tuple[str, str]]:
        """A mapping of texts, with `${NAME}` and `${NAME:-otherwise}` filled in."""
        value = self.fields.get(key, {})
        if not isinstance(value, dict):
            raise self.fault(f'has "{key}" that is no object of texts. Correct it')
        for name, text in value.items():
            if isinstance(text, bool) or not isinstance(text, str | int | float):
                raise self.fault(f'has "{key}" that is no object of texts. Correct it')
            filled = _VARIABLE.sub(self._variable, str(text))
            if "\0" in filled or "\0" in name or not name or "=" in name:
                raise self.fault(f'has "{key}" with a name or value that cannot be. Correct it')
            yield name, filled

    def _variable(self, found: re.Match[str]) -> str:
        value = self.variables.get(found[1]) or found[2]
        if value is None:
            raise self.fault(f"needs {found[1]}, which is not set. Set it, or write another value")
        return value


def _is_here(origin: str) -> bool:
    try:
        LoopbackUrl(origin)
    except SettingsError:
        return False
    return True


def _is_private(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return False
