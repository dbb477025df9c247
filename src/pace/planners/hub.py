"""Fetches a file from Hugging Face over HTTP; what was interrupted goes on where it stopped."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus

import httpx

from pace.errors import WeightsError
from pace.planners.catalogue import HubSource
from pace.planners.download import (
    PartFile,
    Progress,
    Report,
    SourceUnavailableError,
    check_disk,
    whole_in_thread,
)

HUB_URL = "https://huggingface.co"
SOURCE = "Hugging Face"
# Another source comes next, so a network without this one must not keep a person waiting.
_CONNECT_LIMIT = 4.0
_READ_LIMIT = 30.0
# A connection that breaks is taken up again, as long as each try brings something.
_TRIES = 5
_REPO = re.compile(r"[\w.-]+/[\w.-]+")
_FILE = re.compile(r"(?!.*\.\.)[\w.-]+(/[\w.-]+)*\.gguf", re.IGNORECASE)
_SHA256 = re.compile(r'"?([0-9a-f]{64})"?')


def hub_source(repo: str, file: str) -> HubSource:
    """A repository and a GGUF file in it, as a person wrote them; raises WeightsError."""
    if not _REPO.fullmatch(repo) or set(repo.split("/")) & {".", ".."}:
        raise WeightsError(f"{repo!r} names no repository. Write it like Qwen/Qwen3-4B-GGUF.")
    if not _FILE.fullmatch(file):
        raise WeightsError(f"{file!r} names no GGUF file. Its name ends in .gguf.")
    return HubSource(repo, file)


class Hub:
    """One server that hands out files the way Hugging Face does."""

    def __init__(self, url: str = HUB_URL) -> None:
        self._url = url.rstrip("/")

    async def fetch(
        self, source: HubSource, part: PartFile, *, sha256: str | None, report: Report
    ) -> str | None:
        """Fill the part file; gives the SHA-256 that the file should have, if anybody said one.

        Raises SourceUnavailableError when there is nothing to be had here, and WeightsError when
        it broke off for good.
        """
        url = f"{self._url}/{source.repo}/resolve/{source.revision}/{source.file}"
        limits = httpx.Timeout(_READ_LIMIT, connect=_CONNECT_LIMIT)
        await whole_in_thread(part.resume)
        async with httpx.AsyncClient(timeout=limits, follow_redirects=True) as client:
            for tries_left in reversed(range(_TRIES)):
                before = part.size
                try:
                    return await self._go_on(client, url, part, sha256, report)
                except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
                    if not part.size:
                        raise SourceUnavailableError(f"{SOURCE} cannot be reached.") from error
                    last: httpx.HTTPError = error
                except httpx.HTTPError as error:
                    last = error
                if part.size == before or not tries_left:
                    raise SourceUnavailableError(
                        f"The download from {SOURCE} broke off. Run it again; "
                        "what was fetched is kept."
                    ) from last
        raise AssertionError("every try returns, raises or goes on")

    async def _go_on(
        self,
        client: httpx.AsyncClient,
        url: str,
        part: PartFile,
        sha256: str | None,
        report: Report,
    ) -> str | None:
        async with _asked(client, url, part.size) as response:
            expected = sha256 or _told_sha256(response)
            if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return self._already_whole(response, part, expected)
            if response.status_code not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
                raise _refused(response)
            if part.size and (expected is None or not _continues(response, part.size)):
                # Without a checksum nothing proves that old and new bytes are of one file.
                part.restart()
                if response.status_code == HTTPStatus.PARTIAL_CONTENT:
                    return await self._go_on(client, url, part, sha256, report)
            total = _total(response, part.size)
            if total is not None:
                check_disk(part.path.parent, total - part.size)
            report(Progress(part.size, total, SOURCE))
            async for chunk in response.aiter_bytes():
                part.append(chunk)
                report(Progress(part.size, total, SOURCE))
            return expected

    def _already_whole(
        self, response: httpx.Response, part: PartFile, expected: str | None
    ) -> str | None:
        if expected is not None and part.sha256 == expected:
            return expected
        part.restart()
        raise httpx.RemoteProtocolError(
            "the kept part is not of this file", request=response.request
        )


@asynccontextmanager
async def _asked(
    client: httpx.AsyncClient, url: str, offset: int
) -> AsyncGenerator[httpx.Response, None]:
    headers = {"Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    async with client.stream("GET", url, headers=headers) as response:
        yield response


def _continues(response: httpx.Response, offset: int) -> bool:
    if response.status_code != HTTPStatus.PARTIAL_CONTENT:
        return False
    told: str = response.headers.get("Content-Range", "")
    return told.startswith(f"bytes {offset}-")


def _total(response: httpx.Response, begun: int) -> int | None:
    length = response.headers.get("Content-Length", "")
    return begun + int(length) if length.isdecimal() else None


def _told_sha256(response: httpx.Response) -> str | None:
    """The hub names the checksum in the answer that redirects to where the bytes are."""
    for told in (*response.history, response):
        if match := _SHA256.fullmatch(told.headers.get("X-Linked-ETag", "")):
            return match[1]
    return None


def _refused(response: httpx.Response) -> WeightsError:
    status = response.status_code
    if status == HTTPStatus.NOT_FOUND:
        return SourceUnavailableError(
            f"{SOURCE} has no such file. Check the names of the repository and the file."
        )
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return SourceUnavailableError(
            f"{SOURCE} does not give this file without an account. Choose another one."
        )
    return SourceUnavailableError(f"{SOURCE} answered HTTP {status}. Try again later.")
