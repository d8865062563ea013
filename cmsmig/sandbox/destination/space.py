"""Everything one space holds, in memory, with the indexes its rules need."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import encoded, list_of, moment, object_of, text_of, whole

TRANSLATED = "translated_slugs_attributes"
"""Where a story's body holds its names and slugs in other languages, as they were
sent."""
OWNER = 1
"""The id of the one user there is."""


@dataclass(frozen=True, slots=True)
class Unknowns:
    """What the service does not document; each can be switched to the other reading."""

    editor_fills_defaults: bool = False
    """Whether the visual editor fills an absent field with its `default_value`."""
    plugin_keys: tuple[str, ...] = ()
    """What an empty value of a custom field type holds, in addition to its plugin."""
    publication_changes_date: bool = False
    """Whether publishing and unpublishing a story renew its `updated_at`."""
    strict: bool = True
    """Whether every save of a story is validated strictly, as in recently created
    spaces. If not, only a PUT with `strict_mode=1` is."""
    shows_trash: bool = True
    """Whether a story in the trash can still be read by its number."""
    group_in: str = "both"
    """Where a `group_id` has an effect: `inside` the story, `next` to it, or in `both`
    places."""
    largest_story: int = 5 * 1024 * 1024
    """Bytes of a story's content as JSON that the service takes; documented, but not
    how it refuses more."""
    empty_translation: str = "texts"
    """For which empty translations the default language's value is served: `texts`:
    texts and lists, but no `false`, and no asset, link or document without content;
    `all`; or `none`, but for null."""
    links_in_language: bool = True
    """Whether the path of a link to a story, in a story that is read in a language, is
    the one that its target has in that language."""


@dataclass(frozen=True, slots=True)
class PackedContent:
    """Content as the JSON that an answer holds: small, and nothing to walk through."""

    text: bytes
    component: Json

    @classmethod
    def of(cls, content: JsonObject) -> PackedContent:
        """Pack content that is replaced as a whole from now on."""
        return cls(encoded(content), content.get("component"))

    def unpacked(self) -> JsonObject:
        """Return the content, a new object each time."""
        return object_of(json.loads(self.text))


@dataclass(slots=True)
class StoredStory:
    """A story or folder; `body` holds the writable keys in the wire's spelling."""

    story_id: int
    uuid: str
    body: JsonObject
    created_at: str
    updated_at: str
    packed: PackedContent | None = None
    """Its draft content once it is stored; until then `body` holds it."""
    published: PackedContent | None = None
    published_name: str = ""
    """Its name as visitors get it."""
    published_translations: Json = None
    """Its names and slugs in other languages as visitors get them."""
    published_at: str | None = None
    unpublished_changes: bool = False
    deleted_at: str | None = None
    versions: dict[int, JsonObject] = field(default_factory=dict)
    """By release id: the `body` that the release holds."""
    only_in: int = 0
    """The release that it was created in, until the deployment; 0: none."""

    @property
    def is_plain(self) -> bool:
        """Return whether calls without a release show it: it is not in the trash and
        not in a release only."""
        return self.deleted_at is None and not self.only_in

    @property
    def slug(self) -> str:
        """Return the last segment of its path."""
        return text_of(self.body.get("slug"))

    @property
    def name(self) -> str:
        """Return its name."""
        return text_of(self.body.get("name"))

    @property
    def parent_id(self) -> int:
        """Return its folder's id, 0 at the root."""
        parent = self.body.get("parent_id")
        return parent if isinstance(parent, int) else 0

    @property
    def group_id(self) -> str:
        """Return the mark that it shares with its alternates."""
        return text_of(self.body.get("group_id"))

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return bool(self.body.get("is_folder"))

    @property
    def is_startpage(self) -> bool:
        """Return whether it is its folder's start page."""
        return bool(self.body.get("is_startpage"))

    @property
    def content(self) -> JsonObject:
        """Return its draft content; that in `body` is the newer one."""
        if "content" in self.body or self.packed is None:
            return object_of(self.body.get("content"))
        return self.packed.unpacked()

    @property
    def component(self) -> Json:
        """Return the name of its content type."""
        if "content" in self.body or self.packed is None:
            return self.content.get("component")
        return self.packed.component

    @property
    def published_content(self) -> JsonObject | None:
        """Return what is public of it."""
        return None if self.published is None else self.published.unpacked()

    def translations(self, *, public: bool = False) -> list[JsonObject]:
        """Return its names and slugs in other languages, as editors see them or as
        they were when it was published last."""
        rows = self.published_translations if public else self.body.get(TRANSLATED)
        return [object_of(row) for row in list_of(rows)]

    def in_release(self, release: int) -> StoredStory:
        """Return the version in a release, or the story itself if there is none."""
        version = self.versions.get(release)
        if version is None:
            return self
        return replace(self, body={**version}, packed=None, only_in=0)

    def pack(self) -> PackedContent:
        """Keep the draft content packed, and return it."""
        if "content" in self.body or self.packed is None:
            self.packed = PackedContent.of(self.content)
            self.body = {k: v for k, v in self.body.items() if k != "content"}
        return self.packed


@dataclass(slots=True)
class StoredAsset:
    """An asset record; `data` stays None until its bytes have arrived."""

    asset_id: int
    key: str
    """Its path on the public host, without a leading slash."""
    body: JsonObject
    created_at: str
    data: bytes | None = None
    content_type: str = ""
    finished: bool = False
    deleted_at: str | None = None

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the stored bytes, empty while there are none."""
        return hashlib.sha256(self.data).hexdigest() if self.data is not None else ""


@dataclass(frozen=True, slots=True)
class Signing:
    """One signed upload."""

    asset_id: int
    key: str
    content_type: str
    fields: dict[str, str]
    """In the order that the form has to keep."""
    expires: float
    """Unix time."""


@dataclass(slots=True)
class Space:
    """One space's records; changed only by the routes."""

    space_id: int
    rate: int
    clock: Callable[[], float]
    asset_base: str
    """Address of the public asset host, without a trailing slash."""
    unknowns: Unknowns = field(default_factory=Unknowns)
    default_root: str = ""
    languages: tuple[str, ...] = ()
    plugins: frozenset[str] = frozenset()
    """Custom field types that are assigned to the space."""
    preview_token: str = "preview"
    """Reads drafts, too."""
    public_token: str = "public"
    """Reads what is published."""
    components: dict[int, JsonObject] = field(default_factory=dict)
    groups: dict[int, JsonObject] = field(default_factory=dict)
    webhooks: dict[int, JsonObject] = field(default_factory=dict)
    by_name: dict[str, int] = field(default_factory=dict)
    """Components by the name under which they were last found."""
    stories: dict[int, StoredStory] = field(default_factory=dict)
    releases: dict[int, JsonObject] = field(default_factory=dict)
    datasources: dict[int, JsonObject] = field(default_factory=dict)
    entries: dict[int, JsonObject] = field(default_factory=dict)
    assets: dict[int, StoredAsset] = field(default_factory=dict)
    deleted_assets: dict[int, StoredAsset] = field(default_factory=dict)
    asset_folders: dict[int, JsonObject] = field(default_factory=dict)
    signings: dict[str, Signing] = field(default_factory=dict)
    """By their policy."""
    by_uuid: dict[str, int] = field(default_factory=dict)
    by_key: dict[str, int] = field(default_factory=dict)
    """Assets by their path on the public host."""
    places: dict[tuple[int, str], set[int]] = field(default_factory=dict)
    """Stories that are not in the trash, by folder and slug."""
    children: dict[int, set[int]] = field(default_factory=dict)
    alternates: dict[str, set[int]] = field(default_factory=dict)
    """Stories that are not in the trash, by the group they share."""
    created_at: str = ""
    version: int = 0
    """A higher one after each request that may have changed something; it begins with
    the time, as the service's versions are times."""
    last_id: int = 0
    received: Callable[[Call], None] = lambda call: None
    """Receives each request that is about to be answered."""
    touched: Callable[[StoredStory], None] = lambda story: None
    """Receives each story before it is created or changed."""
    saved: Callable[[StoredStory, JsonObject], None] = lambda story, content: None
    """Receives each story that is saved, with its content as it was sent."""
    selections: dict[object, object] = field(default_factory=dict)
    """What list requests named since the last change, without their pages."""
    selected_at: tuple[int, int, int] = (0, 0, 0)

    def __post_init__(self) -> None:
        self.created_at = self.created_at or self.now()
        self.version = self.version or int(self.clock())

    def next_id(self) -> int:
        """Return a new id; beyond 32 bits, as those of newer spaces are."""
        self.last_id += 1
        return 118_000_000_000_000 + self.last_id * 7

    def new_uuid(self) -> str:
        """Return a new UUID, the same again in a space with the same history."""
        name = f"{self.space_id}:{self.next_id()}"
        return str(uuid.uuid5(uuid.NAMESPACE_OID, name))

    def now(self) -> str:
        """Return the time as records carry it."""
        return moment(self.clock())

    def component(self, name: str) -> JsonObject | None:
        """Return a component by its name; no two have the same."""
        known = self.components.get(self.by_name.get(name, 0))
        if known is None or known.get("name") != name:
            found = (c for c in self.components.values() if c.get("name") == name)
            known = next(found, None)
            if known is not None:
                self.by_name[name] = whole(known.get("id")) or 0
        return known

    def story(self, story_id: int | None) -> StoredStory | None:
        """Return a story that calls without a release show."""
        story = self.stories.get(story_id or 0)
        return story if story is not None and story.is_plain else None

    def story_by_uuid(self, wanted: str) -> StoredStory | None:
        """Return such a story by its UUID."""
        return self.story(self.by_uuid.get(wanted))

    def full_slug(self, story: StoredStory) -> str:
        """Return a story's path without slashes at its ends.

        A start page has its folder's path and a slash behind it.
        """
        parent = self.stories.get(story.parent_id)
        if parent is None:
            return story.slug
        folder = self.full_slug(parent)
        return f"{folder}/" if story.is_startpage else f"{folder}/{story.slug}"

    def ancestors(self, story: StoredStory) -> Iterator[StoredStory]:
        """Yield the folders above a story, the nearest first."""
        parent = self.stories.get(story.parent_id)
        while parent is not None:
            yield parent
            parent = self.stories.get(parent.parent_id)

    def changing(self, story: StoredStory) -> None:
        """Note that a story is about to be made or changed."""
        self.touched(story)
        self.version += 1

    def place(self, story: StoredStory) -> None:
        """Enter a story into the indexes, under its present folder and slug."""
        self.changing(story)
        self.stories[story.story_id] = story
        self.by_uuid[story.uuid] = story.story_id
        key = (story.parent_id, story.slug)
        self.places.setdefault(key, set()).add(story.story_id)
        self.children.setdefault(story.parent_id, set()).add(story.story_id)
        self.alternates.setdefault(story.group_id, set()).add(story.story_id)

    def displace(self, story: StoredStory) -> None:
        """Take a story out of the indexes of folder and slug."""
        self.changing(story)
        self.places.get((story.parent_id, story.slug), set()).discard(story.story_id)
        self.children.get(story.parent_id, set()).discard(story.story_id)
        self.alternates.get(story.group_id, set()).discard(story.story_id)

    def at_path(self, path: str) -> set[int]:
        """Return the ids of all that may have a path: folder, story, start page."""
        found, above = set[int](), {0}
        for segment in path.strip("/").split("/"):
            found = set().union(*(self.places.get((f, segment), ()) for f in above))
            above = found
        return found.union(*(self.children.get(own, ()) for own in above))

    def address(self, asset: StoredAsset) -> str:
        """Return the address that content holds for an asset."""
        return f"{self.asset_base}/{asset.key}"

    def entries_of(self, datasource_id: int) -> list[JsonObject]:
        """Return a datasource's entries in the order they were made."""
        return [e for e in self.entries.values() if e["datasource_id"] == datasource_id]
