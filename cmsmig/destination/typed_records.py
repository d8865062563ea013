"""The destination's records, typed, and the one form of an asset's address.

The names are the wire's where the wire has one; ids may exceed 32 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cmsmig.canonical import Json, JsonObject
from cmsmig.configuration.plans import Counted

BY_HAND = ("publish_at", "expire_at", "pinned")
"""Keys of a story that no import fills, and that delivery does not show."""
PAGE = 100
"""Rows in one list answer; the most that the service gives."""
_STORAGE_PREFIX = "s3.amazonaws.com/"
"""Before the delivery host in an address, never in content. Source: official client."""


@dataclass(frozen=True, slots=True)
class Space:
    """The space that everything goes into."""

    space_id: str
    name: str
    plan_level: str
    """As the service says it, a number in text as a rule; empty when silent."""
    languages: tuple[str, ...]
    """Codes of the languages besides the default one."""
    plan: str = ""
    """The name of its plan; empty when silent."""
    limits: Mapping[Counted, int] = field(default_factory=dict)
    """How many it may hold, where it names that."""
    upload_bytes: int | None = None
    """The largest file that it takes; None where it names none."""
    required_asset_fields: tuple[str, ...] = ()
    """What it requires of an asset, such as `alt`."""
    preview_token: str = field(default="", repr=False, compare=False)
    """Reads the delivery side; empty where the space shows none."""


@dataclass(frozen=True, slots=True)
class Component:
    """A component as it is in the space."""

    component_id: int
    name: str
    body: JsonObject
    """The whole record; its field definitions are under `schema`."""


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A story or folder as a list shows it, without content."""

    story_id: int
    uuid: str
    name: str
    slug: str
    full_slug: str
    """Without slashes at its ends; a folder and its start page share one."""
    parent_id: int
    """0 at the root of the space."""
    is_folder: bool
    is_startpage: bool
    published: bool
    unpublished_changes: bool
    updated_at: str
    """As the service wrote it; compared, never parsed."""
    content_type: str
    """The component at the root of the content; empty for a folder."""
    trashed: bool = False
    """Whether it is in the trash: it is not there then, whatever a read answers."""
    group_id: str = ""
    """Shared with the same page in other languages, its alternates."""
    default_root: str = ""
    """Of a folder: the component that new stories in it get; empty when silent."""
    by_hand: tuple[tuple[str, Json], ...] = ()
    """What only editors fill: the keys of `BY_HAND` that have a value, with it."""


@dataclass(frozen=True, slots=True)
class Story:
    """A story with its content."""

    row: StoryRow
    content: JsonObject
    body: JsonObject
    """The whole record, in the wire's spelling."""

    @property
    def alternates(self) -> frozenset[int]:
        """Return the ids of the stories that the service shows as its alternates."""
        listed = self.body.get("alternates")
        rows = listed if isinstance(listed, list) else []
        ids = (row.get("id") for row in rows if isinstance(row, dict))
        return frozenset(each for each in ids if isinstance(each, int))


@dataclass(frozen=True, slots=True)
class SignedUpload:
    """Leave to upload one file, good for some ten minutes."""

    asset_id: int
    post_url: str
    fields: tuple[tuple[str, str], ...]
    """To be sent verbatim in this order, the file after them."""
    content_url: str
    """Where the file will be, as content has to hold it."""

    @property
    def file_name(self) -> str:
        """Return the name that the service gave the file."""
        return self.content_url.rpartition("/")[2]

    def content_type(self, otherwise: str) -> str:
        """Return the signed content type: another one would be refused."""
        return dict(self.fields).get("Content-Type") or otherwise


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset's record."""

    asset_id: int
    filename: str
    """Its address, as the service says it."""
    content_url: str
    ext_id: str
    """Our own id for the file; empty when it has none."""
    alt: str
    asset_folder_id: int | None
    content_length: int | None
    """Bytes; None as long as the upload is not finished."""
    trashed: bool = False
    meta_data: JsonObject = field(default_factory=dict)
    """Its texts once more: the service repeats them here, by language."""
    filled: tuple[str, ...] = ()
    """Keys of its record that hold anything though no import fills them."""


@dataclass(frozen=True, slots=True)
class AssetFolder:
    """A folder of assets."""

    folder_id: int
    name: str
    parent_id: int | None
    trashed: bool = False


@dataclass(frozen=True, slots=True)
class Datasource:
    """A list of choices that several fields can use."""

    datasource_id: int
    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class DatasourceEntry:
    """One choice of a datasource."""

    entry_id: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that the space notifies; only its host is kept, since the rest may
    hold a secret."""

    name: str
    host: str
    actions: frozenset[str]
    """The events it receives, such as `story.published`."""
    activated: bool


@dataclass(frozen=True, slots=True)
class Release:
    """A set of prepared versions of stories, deployed together."""

    release_id: int
    name: str
    released: bool
    """Whether it was deployed."""
    release_at: str
    """When it is to be deployed; empty where that is done by hand."""


def pages(rows: int) -> int:
    """Return how many list calls `rows` rows take."""
    return max(1, -(-rows // PAGE))


def content_url(url: str) -> str:
    """Return an asset's address in the form that content holds.

    The service answers with the storage host before the delivery host, or
    without a scheme; the image service works on neither. Any other address
    comes back as it is.
    """
    scheme, slashes, rest = url.partition("//")
    if not slashes:
        scheme, rest = "", url
    elif scheme not in ("", "http:", "https:"):
        return url
    stored = rest.startswith(_STORAGE_PREFIX)
    rest = rest.removeprefix(_STORAGE_PREFIX)
    if not slashes and not stored:
        return url
    return f"https://{rest}" if stored or not scheme else f"{scheme}//{rest}"
