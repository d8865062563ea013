"""Downloading every file that items name, each address once; also from the origin's own
host, where that is a private one.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from cmsmig.data_address import data_bytes
from cmsmig.errors import RejectedError, UnreachableError
from cmsmig.events import Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.mapping.convert.asset_uploads import (
    KNOWN_FILE_HOSTS,
    AssetUse,
    observed_file_hosts,
)
from cmsmig.origin.files import Arrival, FileRow, FileStore
from cmsmig.origin.picture_sizes import (
    PAGE_TYPES,
    OversizedPictureError,
    is_page,
    measure,
)
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
_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,7})$")
_PAGES = (
    "",
    "htm",
    "html",
    "xht",
    "xhtml",
    "shtml",
    "mht",
    "mhtml",
    "php",
    "asp",
    "aspx",
    "jsp",
)
_TEXTS = (
    "txt",
    "md",
    "csv",
    "tsv",
    "log",
    "css",
    "js",
    "json",
    "xml",
    "vtt",
    "srt",
    "rtf",
)
_PICTURES = (
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "avif",
    "svg",
    "bmp",
    "tif",
    "tiff",
    "ico",
    "heic",
    "heif",
)
"""How the names of pages, of texts and of pictures end."""


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
        self, uses: Iterable[AssetUse], known: Mapping[str, FileRow]
    ) -> FilesReport:
        """Bring the file of every use into the store and write the index.

        A file that fails is a row with its reason; a full disk stops the run
        with `StorageError`, and what arrived until then is kept.
        """
        self.store.clear_arrivals()
        shown, rows, fresh = self._sorted(uses, known)
        todo = [each for each in shown if each not in rows and each not in fresh]
        self.observer(StepStarted(STEP, len(todo)))
        queue = iter(enumerate(todo))

        async def download() -> None:
            for number, address in queue:
                fresh[address] = await self._download(number, address, shown[address])

        await together(download() for _ in range(WORKERS))
        self.store.save([*rows.values(), *fresh.values()])
        failed = tuple(
            sorted(
                (row for row in fresh.values() if row.error),
                key=lambda row: row.address,
            )
        )
        report = FilesReport(len(shown), len(fresh) - len(failed), len(rows), failed)
        self.observer(
            StepFinished(
                STEP,
                f"{report.downloaded} downloaded, {report.reused} already there,"
                f" {len(failed)} failed",
            )
        )
        return report

    def _sorted(
        self, uses: Iterable[AssetUse], known: Mapping[str, FileRow]
    ) -> tuple[dict[str, bool], dict[str, FileRow], dict[str, FileRow]]:
        """Return the addresses, with whether they are shown as pictures; the rows of
        files that are there; and those of addresses that hold their bytes, which are
        taken out while the item is at hand."""
        shown: dict[str, bool] = {}
        unpacked: dict[str, FileRow] = {}
        for use in uses:
            address = use.address
            row = known.get(address)
            if (
                use.data
                and address not in shown
                and not (row and self.store.holds(row))
            ):
                unpacked[address] = self._unpack(len(unpacked), address, use.data)
            shown[address] = shown.get(address, False) or use.picture
        rows = {
            address: known[address]
            for address in shown
            if address in known and self._is_kept(known[address], shown[address])
        }
        return shown, rows, unpacked

    def _is_kept(self, row: FileRow, picture: bool) -> bool:
        """Return whether a file is there, as what it is used as."""
        page = row.content_type in PAGE_TYPES and not _may_be_page(row.name)
        unfit = page or (picture and not row.content_type.startswith("image/"))
        return self.store.holds(row) and not unfit

    def _unpack(self, number: int, address: str, data: str) -> FileRow:
        """Return the row of an address that holds its bytes."""
        try:
            body = data_bytes(data)
        except ValueError:
            body = b""
        if len(body) > self.max_bytes:
            why = f"it has more than {self.max_bytes} bytes"
            return _make_failure(address, "too_large", why)
        with self.store.arrival(number) as arrival:
            with disk(arrival.path):
                arrival.file.write(body)
            digest = hashlib.sha256(body).hexdigest()
            row = FileRow(address, digest, len(body))
            row = _judged(row, arrival, "", picture=True)
        self.store.note(row)
        return row

    async def _download(self, number: int, address: str, picture: bool) -> FileRow:
        try:
            with self.store.arrival(number) as arrival:
                row = await self._receive(address, arrival, picture)
        except (RejectedError, UnreachableError) as error:
            code = error.problems[0].field if error.problems else "refused"
            row = FileRow(address, error=code, detail=str(error))
        self.store.note(row)
        self.observer(StepAdvanced(STEP, bare(address)))
        return row

    async def _receive(self, address: str, arrival: Arrival, picture: bool) -> FileRow:
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
        row = FileRow(address, fetched.sha256, fetched.size, name=_name(address))
        return _judged(row, arrival, fetched.content_type, picture=picture)


def _judged(row: FileRow, arrival: Arrival, named: str, *, picture: bool) -> FileRow:
    """Keep bytes that are what their name and use say, and return their row; else
    return why they are not kept. `named` is the type that the host names."""
    arrival.close()
    try:
        found = measure(arrival.path)
    except OversizedPictureError:
        return _make_failure(
            row.address,
            "too_many_pixels",
            "the picture has too many pixels to be safe",
        )
    ending = _ending(row.name)
    page = not found.is_picture and is_page(arrival.path, named)
    if page and (picture or not _may_be_page(row.name, named)):
        why = "its host sends a web page in its place"
        return _make_failure(row.address, "web_page", why)
    if not found.is_picture and (picture or ending in _PICTURES):
        return _make_failure(row.address, "no_picture", "its bytes are no picture")
    arrival.keep(row.sha256)
    kind = found.content_type or _content_type(named, row.name)
    return replace(row, content_type=kind, width=found.width, height=found.height)


def _may_be_page(name: str, named: str = "") -> bool:
    """Return whether a file of that name may be a web page. One of text may hold the
    source of one, and then its host calls it no page."""
    ending = _ending(name)
    return ending in _PAGES or (ending in _TEXTS and named not in PAGE_TYPES)


def _ending(name: str) -> str:
    found = _ENDING.search(name)
    return found[1].lower() if found else ""


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
        return aim.port == self._port and aim.host in self._names

    @property
    def names(self) -> Iterator[str]:
        """Yield what it is called in addresses, with its port; nothing where it is
        public."""
        bare = (f"[{name}]" if ":" in name else name for name in self._names)
        for name in bare:
            yield f"{name}:{self._port}"
            if self._port in _PORTS.values():
                yield name


def _aliases(host: str) -> Set[str]:
    loopback = frozenset(("localhost", "127.0.0.1", "::1"))
    return loopback if host in loopback else frozenset((host,) if host else ())


def file_hosts(
    settings: Settings, collections: Sequence[Collection], items: Iterable[Item]
) -> frozenset[str]:
    """Return the known hosts, those the settings name, those that file fields of
    this site use, and the origin's own where it is private. Reads only."""
    observed = observed_file_hosts(items, collections)
    own = OwnHost(settings.origin_api_url).names
    return KNOWN_FILE_HOSTS.union(settings.file_hosts, observed, own)
