"""Downloading every file that items name, each address once; also from the origin's own
host, where that is a private one.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from cmsmig.errors import RejectedError, UnreachableError
from cmsmig.events import Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS, observed_file_hosts
from cmsmig.origin.files import Arrival, FileRow, FileStore
from cmsmig.origin.pictures import OversizedPictureError, measure
from cmsmig.origin.records import disk
from cmsmig.origin.schema import Collection, Item
from cmsmig.settings import Settings
from cmsmig.steps.worker_pool import together
from cmsmig.wire.addresses import is_private_host, target
from cmsmig.wire.answers import bare
from cmsmig.wire.session import Session

STEP = "files"
WORKERS = 8
_VAGUE = ("", "application/octet-stream", "binary/octet-stream", "text/plain")
"""Content types that say less than the bytes or the name."""


@dataclass(frozen=True, slots=True)
class FilesReport:
    """How many files were downloaded, were there already, or failed."""

    found: int
    downloaded: int
    reused: int
    """Already there from an earlier pull."""
    failed: tuple[FileRow, ...]
    """With `error` and `detail`; tried again at the next pull."""


@dataclass(frozen=True, slots=True)
class Downloads:
    """Downloads into one store."""

    store: FileStore
    session: Session
    max_bytes: int
    is_own: Callable[[str], bool]
    """Whether an address is on the origin's own private host, and so allowed."""
    observer: Observer

    async def run(
        self, addresses: Sequence[str], known: Mapping[str, FileRow]
    ) -> FilesReport:
        """Bring every address into the store and write the index.

        A file that fails is a row with its reason; a full disk stops the run
        with `StorageError`, and what arrived until then is kept.
        """
        rows = {
            address: known[address]
            for address in addresses
            if address in known and self.store.holds(known[address])
        }
        self.store.clear_arrivals()
        todo = [address for address in addresses if address not in rows]
        self.observer(StepStarted(STEP, len(todo)))
        fresh: list[FileRow] = []
        queue = iter(enumerate(todo))

        async def download() -> None:
            for number, address in queue:
                fresh.append(await self._download(number, address))

        await together(download() for _ in range(WORKERS))
        self.store.save([*rows.values(), *fresh])
        failed = tuple(
            sorted((row for row in fresh if row.error), key=lambda row: row.address)
        )
        report = FilesReport(
            len(addresses), len(fresh) - len(failed), len(rows), failed
        )
        self.observer(
            StepFinished(
                STEP,
                f"{report.downloaded} downloaded, {report.reused} already there,"
                f" {len(failed)} failed",
            )
        )
        return report

    async def _download(self, number: int, address: str) -> FileRow:
        try:
            with self.store.arrival(number) as arrival:
                row = await self._receive(address, arrival)
        except (RejectedError, UnreachableError) as error:
            code = error.problems[0].field if error.problems else "refused"
            row = FileRow(address, error=code, detail=str(error))
        self.store.note(row)
        self.observer(StepAdvanced(STEP, bare(address)))
        return row

    async def _receive(self, address: str, arrival: Arrival) -> FileRow:
        if "\ufffd" in address:
            return _make_failure(
                address, "not_http", "its address has half of a character"
            )
        with disk(arrival.path):
            fetched = await self.session.fetch(
                fetchable(address),
                max_bytes=self.max_bytes,
                allow_private=self.is_own(address),
                into=arrival.file,
            )
        if fetched.status != 200:
            return _failed_status(address, fetched.status)
        if fetched.size == 0:
            return _make_failure(address, "empty", "the file is empty")
        arrival.close()
        row = FileRow(address, fetched.sha256, fetched.size, name=_name(address))
        try:
            picture = measure(arrival.path)
        except OversizedPictureError:
            return _make_failure(
                address, "too_many_pixels", "the picture has too many pixels to be safe"
            )
        arrival.keep(fetched.sha256)
        kind = picture.content_type or _content_type(fetched.content_type, row.name)
        return replace(
            row, content_type=kind, width=picture.width, height=picture.height
        )


def fetchable(address: str) -> str:
    """Return an address as it is asked for: blanks cut, `//host` over https."""
    stripped = address.strip()
    return f"https:{stripped}" if stripped.startswith("//") else stripped


def _failed_status(address: str, status: int) -> FileRow:
    if status in (404, 410):
        return _make_failure(address, "not_found", f"it is not there ({status})")
    return _make_failure(address, f"http_{status}", f"its host answers {status}")


def _make_failure(address: str, code: str, why: str) -> FileRow:
    detail = (
        f"The file {bare(fetchable(address))} could not be taken over, because {why};"
        " replace it in the origin, then pull again."
    )
    return FileRow(address, error=code, detail=detail)


def _name(address: str) -> str:
    try:
        path = urlsplit(fetchable(address)).path
    except ValueError:
        return ""
    return unquote(path.rpartition("/")[2])


def _content_type(named: str, name: str) -> str:
    if named not in _VAGUE:
        return named
    guessed = mimetypes.guess_type(name)[0]
    return guessed or named or "application/octet-stream"


_PORTS = {"http": 80, "https": 443}


class OwnHost:
    """The origin's own host, where it is a private one: a sandbox, as a rule."""

    def __init__(self, api_url: str) -> None:
        parts = urlsplit(api_url)
        host = parts.hostname or ""
        self._host = host if is_private_host(host) else ""
        self._port = parts.port or _PORTS.get(parts.scheme)
        self._names = _aliases(self._host)

    def owns(self, address: str) -> bool:
        """Return whether an address is on it, at the origin's own port.

        Whatever else listens on this machine is none of an item's business.
        """
        try:
            aim = target(fetchable(address))
        except RejectedError:
            return False
        return aim.port == self._port and self.has(aim.host)

    def has(self, host: str) -> bool:
        """Return whether a host, with or without a port, is this one."""
        if not self._host:
            return False
        try:
            return _hostname(host) in self._names
        except ValueError:
            return False


class FileHosts(Set[str]):
    """Named hosts, and the origin's own private one with any port."""

    def __init__(self, named: frozenset[str], own: OwnHost) -> None:
        self._named = named
        self._own = own

    def __contains__(self, host: object) -> bool:
        return host in self._named or (isinstance(host, str) and self._own.has(host))

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)


def _hostname(host: str) -> str | None:
    bracketed = f"[{host}]" if host.count(":") > 1 and "[" not in host else host
    return urlsplit(f"//{bracketed}").hostname


def _aliases(host: str) -> Set[str]:
    loopback = frozenset(("localhost", "127.0.0.1", "::1"))
    return loopback if host in loopback else frozenset((host,))


def file_hosts(
    settings: Settings, collections: Sequence[Collection], items: Iterable[Item]
) -> frozenset[str]:
    """Return the known hosts, those the settings name, and those that file
    fields of this site use. Reads only."""
    observed = observed_file_hosts(items, collections)
    return KNOWN_FILE_HOSTS | frozenset(settings.file_hosts) | observed
