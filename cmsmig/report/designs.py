"""A design on a reviewer's desk: sample values beside it, each edit checked at once.

Works on what was pulled; asks no service and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cmsmig.canonical import Json
from cmsmig.itemkey import ItemKey
from cmsmig.mapping.addresses import host_of
from cmsmig.mapping.assets import KNOWN_FILE_HOSTS
from cmsmig.mapping.choices import CollectionsDecision
from cmsmig.mapping.content_types import OWN_PLACE
from cmsmig.mapping.decisions import embed_policy
from cmsmig.mapping.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
    Reviewed,
)
from cmsmig.mapping.draft import AssetHome, DraftContext
from cmsmig.mapping.encoded import FieldUse, as_text
from cmsmig.mapping.encodings import RELATION_ENCODINGS, allowed_encodings
from cmsmig.mapping.facts import SpaceFacts, is_blank
from cmsmig.mapping.proposals import propose_design, propose_embeds
from cmsmig.mapping.review import problems_of, undecided_design
from cmsmig.mapping.selection import select_items
from cmsmig.mapping.values import encode, target_ids
from cmsmig.origin.schema import Collection, Item
from cmsmig.richtext.native import NativeEngine
from cmsmig.steps.migration import Origin

_SAMPLE = 90
"""Characters of a sample that are shown."""


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


class DesignDesk:
    """A design while a person works on it; every edit replaces it whole."""

    def __init__(
        self,
        origin: Origin,
        decision: CollectionsDecision,
        design: Design,
        space: SpaceFacts | None = None,
    ) -> None:
        self.origin = origin
        self.design = design
        self._decision = decision
        self._space = space
        self._collections = {each.collection_id: each for each in origin.collections}
        self._items: dict[str, tuple[Item, ...]] = {}
        self._names: dict[ItemKey, str] = {}
        files = origin.files
        self._files = {address: AssetHome(None, address) for address in files}
        self._hosts = KNOWN_FILE_HOSTS | {
            host for address in files if (host := host_of(address))
        }

    @property
    def content_types(self) -> tuple[ContentTypeDesign, ...]:
        """Return the content types as they are now."""
        return self.design.content_types

    def collection(self, collection_id: str) -> Collection | None:
        """Return the origin's schema of a collection, if the site has it."""
        return self._collections.get(collection_id)

    def edit_content_type(
        self,
        place: int,
        *,
        component: str | None = None,
        folder: str | None = None,
        folder_name: str | None = None,
    ) -> None:
        """Name a content type's component or folder anew."""
        edited = self.content_types[place]
        self._put(
            place,
            replace(
                edited,
                component=edited.component if component is None else component.strip(),
                folder=edited.folder if folder is None else folder.strip(" /"),
                folder_name=edited.folder_name if folder_name is None else folder_name,
            ),
        )

    def edit_field(
        self,
        place: int,
        number: int,
        *,
        key: str | None = None,
        encoding: Encoding | None = None,
        required: bool | None = None,
    ) -> None:
        """Change one field of the content type at `place`.

        A new key is followed by the section that holds the field, and a choice
        from a datasource gets a datasource to choose from.
        """
        content_type = self.content_types[place]
        before = content_type.fields[number]
        after = replace(
            before,
            key=before.key if key is None else key.strip(),
            encoding=before.encoding if encoding is None else encoding,
            required=before.required if required is None else required,
        )
        if after.encoding is Encoding.OPTION_DATASOURCE and not after.datasource:
            source = f"{content_type.collection_slug}-{after.origin}"
            after = replace(after, datasource=source)
        self._put(place, _with_field(content_type, number, after))

    def name_block(self, number: int, component: str) -> None:
        """Name the component of a block anew."""
        blocks = list(self.design.blocks)
        blocks[number] = replace(blocks[number], component=component.strip())
        self.design = replace(self.design, blocks=tuple(blocks))

    def problems(self) -> tuple[str, ...]:
        """Return what is wrong with the design now, a sentence each."""
        found = problems_of(self.design, self.origin.collections, self._space)
        return (
            *(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in found),
            *self.undecided(),
        )

    def undecided(self) -> tuple[str, ...]:
        """Return what the design leaves open of what is migrated, a sentence each."""
        return undecided_design(self.design, self._decision, self.origin.collections)

    def choices(self, field: FieldDesign) -> tuple[Encoding, ...]:
        """Return the encodings that a reviewer may choose for a field."""
        if field.encoding is Encoding.ENVELOPE:
            return (Encoding.ENVELOPE,)
        return tuple(
            dict.fromkeys((*allowed_encodings(field.origin_type), field.encoding))
        )

    def accepted(self, by: str, at: str) -> Design:
        """Return the design as one person reviewed it; `at` is ISO 8601 in UTC."""
        return replace(self.design, reviewed=Reviewed(by, at, "individually"))

    def samples(
        self, content_type: ContentTypeDesign, field: FieldDesign, count: int = 3
    ) -> tuple[Sample, ...]:
        """Return up to `count` different values of a field and what they become."""
        collection = self.collection(content_type.collection_id)
        if collection is None:
            return ()
        schema = collection.field(field.origin)
        context = self._context()
        found: dict[str, Sample] = {}
        for item in self._selected(content_type.collection_id):
            value = item.data.get(field.origin)
            if is_blank(value) or len(found) == count:
                continue
            use = FieldUse(
                field, schema.validations if schema else {}, item.key, context
            )
            found.setdefault(as_text(value), self._sample(value, use))
        return tuple(found.values())

    def _sample(self, value: Json, use: FieldUse) -> Sample:
        shown = self._labelled(value, use)
        if use.design.encoding in RELATION_ENCODINGS:
            multiple = use.design.encoding is Encoding.RELATIONS
            return Sample(shown, self._targets(value, use, multiple), (), named=True)
        encoded = encode(value, use)
        option = use.design.encoding in (Encoding.OPTION, Encoding.OPTION_DATASOURCE)
        return Sample(
            shown,
            _short(_told(encoded.value)) if encoded.present else "",
            tuple(
                dict.fromkeys(
                    f"{_short(one.what)}: {one.why}" for one in encoded.losses
                )
            ),
            named=option,
        )

    def _labelled(self, value: Json, use: FieldUse) -> str:
        if isinstance(value, dict) and isinstance(value.get("url"), str):
            return _short(as_text(value["url"]))
        return _short(as_text(value))

    def _targets(self, value: Json, use: FieldUse, multiple: bool) -> str:
        names = self._item_names()
        target, locale = use.design.target_collection, use.key.locale_id
        shown = [
            names.get(ItemKey(target, each, locale), f"{each} (not among the items)")
            for each in target_ids(value, multiple=multiple)
        ]
        return _short(f"story {', '.join(shown)}") if shown else ""

    def _item_names(self) -> dict[ItemKey, str]:
        if not self._names:
            self._names = {
                item.key: item.name or item.slug
                for items in (self.origin.live, self.origin.staged)
                for listed in items.values()
                for item in listed
            }
        return self._names

    def _selected(self, collection_id: str) -> tuple[Item, ...]:
        if collection_id not in self._items:
            choice = self._decision.choice(collection_id)
            self._items[collection_id] = (
                ()
                if choice is None
                else tuple(
                    entry.item
                    for entry in select_items(
                        self.origin.staged[collection_id],
                        self.origin.live[collection_id],
                        choice,
                        self._decision.locales,
                    ).selected
                )
            )
        return self._items[collection_id]

    def _context(self) -> DraftContext:
        """Return a context in which every file stays at its origin address."""
        return DraftContext(
            site=self.origin.site,
            design=self.design,
            embeds=embed_policy(propose_embeds(), self.design),
            engine=NativeEngine(),
            namespace="00000000-0000-0000-0000-000000000000",
            places={},
            assets=self._files,
            missing_assets={},
            alts={},
            file_hosts=self._hosts,
            collections=self._collections,
        )

    def _put(self, place: int, content_type: ContentTypeDesign) -> None:
        content_types = list(self.content_types)
        content_types[place] = content_type
        self.design = replace(self.design, content_types=tuple(content_types))


def propose(origin: Origin, decision: CollectionsDecision, space: SpaceFacts) -> Design:
    """Return the kit's proposal for everything that was decided to be migrated."""

    def items(collection_id: str, live: bool) -> tuple[Item, ...]:
        return (origin.live if live else origin.staged)[collection_id]

    return propose_design(origin.site, origin.collections, items, decision, space)


def completed(design: Design, proposal: Design) -> Design:
    """Return a design with what it leaves open taken from the proposal.

    Nothing that people decided is changed; collections and fields that came
    later are added at the end.
    """
    known = {each.collection_id: each for each in design.content_types}
    kept = tuple(
        _with_missing(each, proposal.content_type(each.collection_id))
        for each in design.content_types
    )
    added = tuple(
        each for each in proposal.content_types if each.collection_id not in known
    )
    return replace(design, content_types=kept + added)


def _with_missing(
    content_type: ContentTypeDesign, proposed: ContentTypeDesign | None
) -> ContentTypeDesign:
    if proposed is None:
        return content_type
    named = {one.origin for one in content_type.fields}
    named |= {one.origin for one in content_type.left_out}
    fields = [one for one in proposed.fields if one.origin not in named | OWN_PLACE]
    left_out = [one for one in proposed.left_out if one.origin not in named]
    return replace(
        content_type,
        fields=(*content_type.fields, *fields),
        left_out=(*content_type.left_out, *left_out),
    )


def _with_field(
    content_type: ContentTypeDesign, number: int, field: FieldDesign
) -> ContentTypeDesign:
    before = content_type.fields[number].key
    fields = list(content_type.fields)
    fields[number] = field
    return replace(
        content_type,
        fields=tuple(fields),
        sections=tuple(
            replace(
                section,
                fields=tuple(
                    field.key if key == before else key for key in section.fields
                ),
            )
            for section in content_type.sections
        ),
    )


def _told(value: Json) -> str:
    """Return a destination value in a few words."""
    if isinstance(value, dict):
        if value.get("type") == "doc":
            return f"rich text: {' '.join(_texts(value))}"
        for name in ("filename", "cached_url", "url", "color"):
            if isinstance(found := value.get(name), str) and found:
                return found
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return as_text(value)


def _texts(node: Json) -> Iterator[str]:
    stack: list[Json] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(reversed(current))
        elif isinstance(current, dict):
            text = current.get("text")
            if isinstance(text, str):
                yield text
            stack.append(current.get("content"))


def _short(text: str) -> str:
    flat = " ".join(text[: 4 * _SAMPLE].split())
    return flat if len(flat) <= _SAMPLE else f"{flat[:_SAMPLE]}…"
