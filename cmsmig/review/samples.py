"""What a design makes of the origin: of single values, and of an item as the story that
it becomes, with its form and its component."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.item_key import ItemKey
from cmsmig.mapping.compare.content_equality import plain
from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS, safe_name
from cmsmig.mapping.convert.field_context import FieldUse, as_text
from cmsmig.mapping.convert.field_values import encode, target_ids
from cmsmig.mapping.convert.file_addresses import host_of
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.convert.story import draft_item
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import embed_policy
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
    SectionDesign,
)
from cmsmig.mapping.draft import DraftContext, Place
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.propose.encodings import FIELD_BODIES, RELATION_ENCODINGS
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.propose.proposals import propose_embeds
from cmsmig.mapping.select.reference_targets import DanglingCause, unnamed
from cmsmig.mapping.select.selection import select_items
from cmsmig.origin.schema import Collection, Item
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.plain_text import visible_text
from cmsmig.steps.decide.pulled_origin import Origin

_SAMPLE = 90
"""Characters of a sample that are shown."""
_LOOKED = 500
"""Items that are looked through for different values, from the first that has one."""
_PLACING = frozenset(("id", "pos"))
"""The place of a field: the order is merged, not compared."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One origin value and what the design makes of it."""

    value: str
    becomes: str
    losses: tuple[str, ...]
    """A sentence each."""
    named: bool = False
    """Whether the value is an id, and what it becomes has a name."""

    @property
    def telling(self) -> str:
        """Return the form that tells a person more."""
        return self.becomes if self.named and self.becomes else self.value


class Sampler:
    """Finds sample values among the items that are to be imported."""

    def __init__(self, origin: Origin, decision: CollectionsDecision) -> None:
        self._origin = origin
        self._decision = decision
        self._collections = {each.collection_id: each for each in origin.collections}
        self._items: dict[str, tuple[Item, ...]] = {}
        self._filled: dict[str, dict[str, int]] = {}
        self._names: dict[ItemKey, str] = {}
        files = origin.files
        self._files = {address: UploadedAsset(None, address) for address in files}
        self._hosts = KNOWN_FILE_HOSTS | {
            host for address in files if (host := host_of(address))
        }

    def samples(
        self,
        design: Design,
        content_type: ContentTypeDesign,
        field: FieldDesign,
        count: int,
    ) -> tuple[Sample, ...]:
        """Return up to `count` different values of a field and what they become."""
        collection = self._collections.get(content_type.collection_id)
        begins = self.filled(collection).get(field.origin) if collection else None
        if collection is None or begins is None:
            return ()
        schema = collection.field(field.origin)
        context = self._context(design)
        found: dict[str, Sample] = {}
        items = self.items(content_type.collection_id)
        for item in items[begins : begins + _LOOKED]:
            value = item.data.get(field.origin)
            if is_blank(value):
                continue
            use = FieldUse(
                field, schema.validations if schema else {}, item.key, context
            )
            found.setdefault(as_text(value), self._sample(value, use))
            if len(found) == count:
                break
        return tuple(found.values())

    def filled(self, collection: Collection) -> Mapping[str, int]:
        """Return the fields of a collection that some item fills, each with the place
        of the first that does; items are read once for it."""
        known = self._filled.get(collection.collection_id)
        if known is None:
            wanted = {each.slug for each in collection.fields}
            known = self._filled[collection.collection_id] = {}
            for place, item in enumerate(self.items(collection.collection_id)):
                for name, value in item.data.items():
                    if name not in known and not is_blank(value):
                        known[name] = place
                if wanted <= known.keys():
                    break
        return known

    def story(
        self, design: Design, content_type: ContentTypeDesign, item: Item
    ) -> StoryDraft | str:
        """Return the story that an item becomes, or why there is none. Its place is
        that of the folder alone; files stay at their origin address."""
        place = Place(content_type.folder, item.slug or item.key.item_id, 0)
        made_of = fingerprint([*item.key, item.data_hash])
        draft = draft_item(item, content_type, made_of, self._context(design))
        return draft if isinstance(draft, str) else draft.story(place, self._files)

    def _sample(self, value: Json, use: FieldUse) -> Sample:
        shown = _labelled(value)
        if use.design.encoding in RELATION_ENCODINGS:
            multiple = use.design.encoding is Encoding.RELATIONS
            return Sample(shown, self._targets(value, use, multiple), (), named=True)
        encoded = encode(value, use)
        option = use.design.encoding in (Encoding.OPTION, Encoding.OPTION_DATASOURCE)
        return Sample(
            shown,
            _short(_named(encoded.value)) if encoded.present else "",
            tuple(
                dict.fromkeys(
                    f"{_short(one.what)}: {one.why}" for one in encoded.losses
                )
            ),
            named=option,
        )

    def _targets(self, value: Json, use: FieldUse, multiple: bool) -> str:
        names = self.item_names()
        target, locale = use.design.target_collection, use.key.locale_id
        shown = [
            names.get(ItemKey(target, each, locale), unnamed(DanglingCause.DELETED))
            for each in target_ids(value, multiple=multiple)
        ]
        return _short(f"story {', '.join(shown)}") if shown else ""

    def item_names(self) -> Mapping[ItemKey, str]:
        """Return what every item of the site is called."""
        if not self._names:
            self._names = {
                key: item.name or item.slug
                for key, item in self._origin.every_item().items()
            }
        return self._names

    def items(self, collection_id: str) -> tuple[Item, ...]:
        """Return the items of a collection that are migrated, in their order."""
        if collection_id not in self._items:
            choice = self._decision.choice(collection_id)
            self._items[collection_id] = (
                ()
                if choice is None
                else tuple(
                    entry.item
                    for entry in select_items(
                        self._origin.staged[collection_id],
                        self._origin.live[collection_id],
                        choice,
                        self._decision.locales,
                    ).selected
                )
            )
        return self._items[collection_id]

    def _context(self, design: Design) -> DraftContext:
        """Return a context in which every file stays at its origin address."""
        return DraftContext(
            site=self._origin.site,
            design=design,
            embeds=embed_policy(propose_embeds(), design),
            engine=NativeEngine(),
            namespace="00000000-0000-0000-0000-000000000000",
            places={},
            assets=self._files,
            missing_assets={},
            alts={},
            file_hosts=self._hosts,
            collections=self._collections,
        )


def _labelled(value: Json) -> str:
    """Return an origin value in short, a file by its name, a link by its address."""
    if isinstance(value, list) and value and all(isinstance(e, dict) for e in value):
        return _short(", ".join(map(_labelled, value)))
    if isinstance(value, dict) and isinstance(url := value.get("url"), str):
        return _short(safe_name(url) if "fileId" in value else url)
    return _short(as_text(value))


def _named(value: Json) -> str:
    """Return a destination value in a few words."""
    if isinstance(value, dict):
        if value.get("type") == "doc":
            return f"rich text: {visible_text(value)}"
        if isinstance(file := value.get("filename"), str) and file:
            return safe_name(file)
        for name in ("cached_url", "url", "color"):
            if isinstance(found := value.get(name), str) and found:
                return found
    if isinstance(value, list):
        return ", ".join(map(_named, value))
    return as_text(value)


def _short(text: str) -> str:
    flat = " ".join(text[: 4 * _SAMPLE].split())
    return flat if len(flat) <= _SAMPLE else f"{flat[:_SAMPLE]}…"


@dataclass(frozen=True, slots=True)
class FormField:
    """One field as an editor sees it."""

    section: str
    """The group that it is in; empty: none."""
    label: str
    key: str
    type: str
    """As the destination names it."""
    value: Json
    """None for a field that the item leaves empty, and for a relation."""
    stories: tuple[str, ...]
    """The names of what a relation leads to."""
    losses: tuple[str, ...]
    """What is lost in this field, a sentence each."""


@dataclass(frozen=True, slots=True)
class SpaceDifference:
    """What a component in the space has different."""

    place: str
    """A property of the component, or a field's key and its property."""
    ours: Json
    theirs: Json
    """None on either side: it has no such property."""


def form_fields(
    story: StoryDraft, content_type: ContentTypeDesign, names: Mapping[ItemKey, str]
) -> Iterator[FormField]:
    """Yield the fields of a story in the order in which its form shows them: a
    section is where its first field is."""
    targets = {each.field: each.targets for each in story.draft.relations}
    held = _held(story.content, content_type)
    for section, field in _as_shown(content_type):
        yield FormField(
            section.display_name if section else "",
            field.display_name,
            field.key,
            str(FIELD_BODIES[field.encoding].get("type")),
            held.get(field.key),
            tuple(
                names.get(each, unnamed(DanglingCause.DELETED))
                for each in targets.get(field.key, ())
            ),
            tuple(_losses(story, field)),
        )


def component_bodies_of(
    design: Design, content_type: ContentTypeDesign
) -> dict[str, JsonObject]:
    """Return the bodies of a content type's component and of those it nests."""
    names = [
        content_type.component,
        *(each.component for each in content_type.sections if each.component),
    ]
    bodies = {each.name: each.body for each in component_bodies(design)}
    return {name: bodies[name] for name in names if name in bodies}


def differences(ours: JsonObject, theirs: JsonObject) -> tuple[SpaceDifference, ...]:
    """Return the differences of two bodies of a component.

    Properties of the whole component that only the space's has are the service's own,
    and left out; fields that only it has are in.
    """
    found = [
        SpaceDifference(name, ours[name], theirs.get(name))
        for name in ours
        if name != "schema" and plain(ours[name]) != plain(theirs.get(name))
    ]
    return (*found, *_fields_differing(_fields(ours), _fields(theirs)))


def _fields_differing(
    ours: JsonObject, theirs: JsonObject
) -> Iterator[SpaceDifference]:
    for key in dict.fromkeys((*ours, *theirs)):
        one, two = ours.get(key), theirs.get(key)
        if not isinstance(one, dict) or not isinstance(two, dict):
            yield SpaceDifference(f"field {key}", one, two)
            continue
        for name in dict.fromkeys((*one, *two)):
            if name not in _PLACING and plain(one.get(name)) != plain(two.get(name)):
                yield SpaceDifference(
                    f"field {key}: {name}", one.get(name), two.get(name)
                )


def _fields(body: JsonObject) -> JsonObject:
    schema = body.get("schema")
    return schema if isinstance(schema, dict) else {}


def _as_shown(
    content_type: ContentTypeDesign,
) -> Iterator[tuple[SectionDesign | None, FieldDesign]]:
    """Yield the fields in their order, each with its section."""
    sections = {key: one for one in content_type.sections for key in one.fields}
    begun: set[str] = set()
    for field in content_type.fields:
        section = sections.get(field.key)
        if section is None:
            yield None, field
        elif section.key not in begun:
            begun.add(section.key)
            within = (e for e in content_type.fields if e.key in section.fields)
            yield from ((section, each) for each in within)


def _held(content: JsonObject, content_type: ContentTypeDesign) -> JsonObject:
    """Return the values of a story by key, those in nested blocks among them."""
    held = {**content}
    for section in content_type.sections:
        blocks = content.get(section.key) if section.component else None
        for block in blocks if isinstance(blocks, list) else ():
            held |= block if isinstance(block, dict) else {}
    return held


def _losses(story: StoryDraft, field: FieldDesign) -> Sequence[str]:
    found = (
        f"{each.loss.what}: {each.loss.why}" if each.loss.what else each.loss.why
        for each in story.losses
        if each.field == field.origin
    )
    return list(dict.fromkeys(found))
