"""Which files the content uses, what they are called, and what is uploaded.

The pull downloads what `find_assets` finds; the draft rewrites the same.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from urllib.parse import unquote

from cmsmig.canonical import Json, JsonObject
from cmsmig.data_address import file_key, is_data, short_address
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.file_addresses import (
    Found,
    host_of,
    in_html,
    in_source,
    may_hold,
)
from cmsmig.mapping.propose.field_types import Shown, types_shown
from cmsmig.mapping.uids import external_id
from cmsmig.origin.schema import Collection, Item

KNOWN_FILE_HOSTS = frozenset(
    (
        "uploads-ssl.webflow.com",
        "cdn.prod.website-files.com",
        "assets-global.website-files.com",
        "assets.website-files.com",
        "global-uploads.webflow.com",
        "uploads.webflow.com",
        "daks2k3a4ib2z.cloudfront.net",
    )
)
"""Hosts that the origin has served uploaded files from, then and now."""
RESERVED_ALTS = frozenset(("__wf_reserved_inherit", "__wf_reserved_decorative"))
"""Markers in the place of an alt text; they mean something, they are no text."""
FILE_TYPES = frozenset(types_shown(Shown.FILES))
PICTURE_TYPES = FILE_TYPES - {"File"}

_FILE_ID = re.compile(r"(?:^|/)([0-9a-f]{24}|[0-9a-f]{32})_(?=[^/]*$)")
_HOSTILE = re.compile(r'[/\\:*?"<>|]')
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,8})$")
_MOST_BYTES = 150
_LONG_NAME = 2000
"""Characters of a file name that are read, in addition to its end."""
"""Of a file's name; what is longer is cut before its extension."""
_EXTENSIONS = {
    "application/json": "json",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "audio/mpeg": "mp3",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/heif": "heif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/tiff": "tiff",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "text/csv": "csv",
    "text/plain": "txt",
    "video/mp4": "mp4",
    "video/webm": "webm",
}


@dataclass(frozen=True, slots=True)
class AssetUse:
    """One place in the content where a file's address is."""

    address: str
    """As in the field, or as in the decoded HTML attribute, by its `file_key`."""
    key: ItemKey
    field: str
    """Origin field slug."""
    index: int
    """Which address of the field it is, from 0."""
    alt: str
    """The alt text in this place; empty when there is none."""
    file_id: str
    """The field's `fileId`, else the one inside the address; may be empty."""
    picture: bool = dataclasses.field(default=False, compare=False)
    """Whether it is shown as a picture here. Known where it has just been found."""
    data: str = dataclasses.field(default="", compare=False)
    """An address that holds the bytes, whole. Known where it has just been found."""

    @property
    def rank(self) -> tuple[ItemKey, str, int]:
        """Return what the smallest use is chosen by."""
        return self.key, self.field, self.index


@dataclass(frozen=True, slots=True)
class FileFact:
    """The result of downloading one address."""

    sha256: str
    width: int | None
    """Pixels as shown, after rotation; None for what is no raster image."""
    height: int | None
    content_type: str
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """One file to be uploaded, once, however many addresses it has."""

    sha256: str
    name: str
    alt: str
    size: str
    """`WxH` in pixels, or empty."""
    ext_id: str
    addresses: tuple[str, ...]
    """Sorted."""
    content_type: str = ""
    """As the download said."""
    collection_id: str = ""
    """Of the item that uses it first."""


def observed_file_hosts(
    items: Iterable[Item], collections: Iterable[Collection]
) -> frozenset[str]:
    """Return the hosts that Image, MultiImage and File values name."""
    file_fields = {
        each.collection_id: [
            field.slug for field in each.fields if field.type in FILE_TYPES
        ]
        for each in collections
    }
    return frozenset(
        host
        for item in items
        for slug in file_fields.get(item.key.collection_id, ())
        for file in file_objects(item.data.get(slug))
        if (host := host_of(file[0].address))
    )


def find_assets(
    item: Item, collection: Collection, file_hosts: Set[str]
) -> tuple[AssetUse, ...]:
    """Return every use of a file in an item, in the order of its fields.

    File fields, and objects with address and file id in any other, count
    whatever their host; everywhere else an address is a file when it is on one
    of `file_hosts`, which the origin serves files from.
    """
    data = item.data
    types = {field.slug: field.type for field in collection.fields}
    known = [slug for slug in types if slug in data]
    unknown = sorted(data.keys() - types.keys())
    return tuple(
        AssetUse(
            file_key(found.address),
            item.key,
            slug,
            index,
            shown_alt(found.alt),
            file_id,
            found.picture or types.get(slug) in PICTURE_TYPES,
            found.address if is_data(found.address) else "",
        )
        for slug in (*known, *unknown)
        if slug not in ("name", "slug")
        for index, (found, file_id) in enumerate(
            _in_field(data[slug], types.get(slug, ""), file_hosts)
        )
    )


def alts_of(uses: Iterable[AssetUse]) -> dict[str, str]:
    """Return alt texts by address and by file id: the smallest use that has one."""
    found: dict[str, AssetUse] = {}
    for use in uses:
        for name in filter(None, (use.address, use.file_id)) if use.alt else ():
            _keep_smallest(found, name, use)
    return {name: use.alt for name, use in found.items()}


def plan_uploads(
    uses: Iterable[AssetUse], files: Mapping[str, FileFact], *, namespace: str
) -> tuple[UploadPlan, ...]:
    """Return one upload per different content, in the order of first use.

    Name and alt come from the smallest (collection, item id, locale, field,
    index), so that no order of reading changes them. Addresses without a fact
    are left out: they could not be fetched.
    """
    first: dict[str, AssetUse] = {}
    described: dict[str, AssetUse] = {}
    addresses: dict[str, set[str]] = {}
    for use in uses:
        if (fact := files.get(use.address)) is not None:
            addresses.setdefault(fact.sha256, set()).add(use.address)
            _keep_smallest(first, fact.sha256, use)
            if use.alt.strip():
                _keep_smallest(described, fact.sha256, use)
    plans: list[UploadPlan] = []
    for sha256, use in sorted(first.items(), key=lambda each: each[1].rank):
        fact = files[use.address]
        plans.append(
            UploadPlan(
                sha256=sha256,
                name=safe_name(use.address, fact.content_type),
                alt=described[sha256].alt if sha256 in described else "",
                size=f"{fact.width}x{fact.height}"
                if fact.width and fact.height
                else "",
                ext_id=external_id(namespace, sha256),
                addresses=tuple(sorted(addresses[sha256])),
                content_type=fact.content_type,
                collection_id=use.key.collection_id,
            )
        )
    return tuple(plans)


def _keep_smallest(found: dict[str, AssetUse], name: str, use: AssetUse) -> None:
    if name not in found or use.rank < found[name].rank:
        found[name] = use


def file_id_of(address: str) -> str:
    """Return the file id inside an address (`.../{fileId}_{name}`), or empty."""
    match = _FILE_ID.search(address.split("?", 1)[0].split("#", 1)[0])
    return match[1] if match else ""


def shown_alt(alt: object) -> str:
    """Return an alt text, empty for null and for the service's markers."""
    return "" if not isinstance(alt, str) or alt.strip() in RESERVED_ALTS else alt


def safe_name(address_or_name: str, content_type: str = "") -> str:
    """Return a file name that is harmless anywhere.

    Decoded once, composed (NFC), without the `{fileId}_` in front, without
    separators, control and direction-changing characters, at most 150 bytes;
    its extension kept, or derived from the content type. A file in its own address has
    no name, and gets one by its hash.
    """
    if is_data(address_or_name):
        digest = short_address(address_or_name)[-8:]
        address_or_name = f"picture-{digest}"
    path = address_or_name.split("?", 1)[0].split("#", 1)[0]
    last = path.rstrip("/").rsplit("/", 1)[-1]
    text = unquote(_FILE_ID.sub("", last))
    if len(text) > _LONG_NAME:
        text = text[:_LONG_NAME] + text[-_MOST_BYTES:]
    text = unicodedata.normalize("NFC", text)
    text = "".join(sign for sign in text if unicodedata.category(sign)[0] != "C")
    text = " ".join(_HOSTILE.sub("-", text).split()).strip(". ")
    match = _EXTENSION.search(text)
    stem = (text[: match.start()] if match else text).strip(". ") or "file"
    kind = content_type.split(";", 1)[0].strip().lower()
    return _cut(stem, match[1] if match else _EXTENSIONS.get(kind, ""))


def file_objects(value: Json) -> Iterator[tuple[Found, str]]:
    """Yield (address with alt, file id) of an Image, MultiImage or File value.

    A bare address is taken as one; what holds no address is left out.
    """
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            address, file_id = entry.get("url"), entry.get("fileId")
            alt = entry.get("alt")
        else:
            address, file_id, alt = entry, "", ""
        if isinstance(address, str) and address.strip():
            yield (
                Found(address, alt if isinstance(alt, str) else ""),
                (file_id if isinstance(file_id, str) else "") or file_id_of(address),
            )


def _in_field(value: Json, kind: str, hosts: Set[str]) -> Iterator[tuple[Found, str]]:
    if kind in FILE_TYPES:
        yield from file_objects(value)
    elif isinstance(value, str):
        if may_hold(value):
            yield from _in_string(value, kind, hosts)
    elif isinstance(value, list):
        for entry in value:
            yield from _in_field(entry, kind, hosts)
    elif isinstance(value, dict):
        yield from _in_object(value, kind, hosts)


def _in_object(
    value: JsonObject, kind: str, hosts: Set[str]
) -> Iterator[tuple[Found, str]]:
    """Look into an object; with address and file id it is a file, in any field."""
    if isinstance(value.get("fileId"), str) and isinstance(value.get("url"), str):
        yield from file_objects(value)
        value = {name: each for name, each in value.items() if name != "url"}
    for name in sorted(value):
        yield from _in_field(value[name], kind, hosts)


def _in_string(text: str, kind: str, hosts: Set[str]) -> Iterator[tuple[Found, str]]:
    if kind == "RichText":
        found = in_html(text, hosts)
    else:
        found = (Found(text[a:b]) for a, b in in_source(text, hosts))
    for each in found:
        yield each, file_id_of(each.address)


def _cut(stem: str, extension: str) -> str:
    tail = f".{extension}" if extension else ""
    stem = stem[:_MOST_BYTES]
    while len((stem + tail).encode("utf-8", "replace")) > _MOST_BYTES:
        stem = stem[:-1]
    return stem.strip(". ") + tail
