"""Proposals: what the kit would decide, for a person to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.counting import noun_for
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyChoice,
    CollectionChoice,
    CollectionsDecision,
    EmbedsDecision,
    LocaleChoice,
    MissingLanguage,
)
from cmsmig.mapping.decisions.design import (
    BlockDesign,
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
)
from cmsmig.mapping.naming import claims
from cmsmig.mapping.propose.block_designs import name_components
from cmsmig.mapping.propose.content_types import propose_content_type
from cmsmig.mapping.propose.encodings import COLOR_PLUGIN, LINK_FIELD, RICHTEXT_FIELD
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.field_types import FieldContext
from cmsmig.mapping.propose.text_marks import with_text_rules
from cmsmig.mapping.select.old_paths import OldPaths, Parts
from cmsmig.mapping.select.selection import (
    PublicationState,
    publication_state,
    select_items,
)
from cmsmig.mapping.select.slugs import normalised_slug
from cmsmig.origin.schema import Collection, Item, Site
from cmsmig.richtext.policy import Treatment

ItemSource = Callable[[str, bool], Iterable[Item]]
"""(collection id, whether the live set) to its items, in any order."""


def propose_collections(
    site: Site, collections: Sequence[Collection], items: ItemSource | None = None
) -> CollectionsDecision:
    """Propose what is migrated: everything staged, drafts as drafts, archived
    items not, every enabled locale, nothing published.

    With `items`, each collection's note says what there is of it.
    """
    locales = propose_locales(site, collections)
    several = sum(each.migrate for each in locales) > 1
    return CollectionsDecision(
        locales=locales,
        missing_language=(
            MissingLanguage.PRIMARY if several else MissingLanguage.LEAVE_OUT
        ),
        collections=tuple(
            CollectionChoice(
                collection.slug,
                collection.collection_id,
                note=collection.unread or (_census(collection, items) if items else ""),
            )
            for collection in collections
        ),
    )


def propose_locales(
    site: Site, collections: Iterable[Collection] = ()
) -> tuple[LocaleChoice, ...]:
    """Propose a folder each when there are two or more locales, so that the new
    paths equal the old ones: the primary's have no prefix as a rule.

    The primary is always migrated, since the service may call it disabled.
    Where several want one folder, it does not depend on the site's order of
    locales who gets it.
    """
    taken = sorted(
        (locale for locale in site.locales if locale.primary or locale.enabled),
        key=lambda locale: (not locale.primary, locale.tag, locale.locale_id),
    )
    several = len(taken) > 1
    prefixes = OldPaths.of(site, collections).prefixes
    wanted = [
        normalised_slug(
            "/".join(prefixes[locale.locale_id])
            or ("" if locale.primary else locale.tag)
        )
        for locale in taken
    ]
    folders = dict(
        zip(
            (locale.locale_id for locale in taken),
            _apart(wanted) if several else [""] * len(taken),
            strict=True,
        )
    )
    return tuple(
        LocaleChoice(
            locale_id=locale.locale_id,
            tag=locale.tag,
            migrate=locale.locale_id in folders,
            folder=folders.get(locale.locale_id, ""),
            primary=locale.primary,
            name=locale.display_name,
        )
        for locale in site.locales
    )


def propose_design(
    site: Site,
    collections: Sequence[Collection],
    items: ItemSource,
    decisions: CollectionsDecision,
    space: SpaceFacts,
) -> Design:
    """Propose a content type for each collection that is migrated, and as its folder
    the public path of its pages, so that they stay where they are.

    Component names never collide with a component of the space, unless that one
    is equal to ours and can be used as it is.
    """
    migrated = [
        collection
        for collection in collections
        if (choice := decisions.choice(collection.collection_id))
        and choice.migrate
        and collection.is_known
    ]
    context = FieldContext(
        listed={one.collection_id: one.display_name for one in collections},
        migrated=frozenset(one.collection_id for one in migrated),
        has_color_plugin=COLOR_PLUGIN in space.plugins,
        rtl=any(each.primary and _is_rtl(each.tag) for each in site.locales),
    )
    paths = OldPaths.of(site, collections)
    public = {e.collection_id: paths.bare_folder(e.collection_id) for e in migrated}
    folders = _folders(public)
    content_types: list[ContentTypeDesign] = []
    files: dict[str, int] = {}
    for each in migrated:
        name = each.collection_id
        selected = _select(each, items, decisions)
        found, files[name] = propose_content_type(
            each, selected, site.time_zone, context
        )
        note = _folder_note("/".join(public[name]), folders[name])
        content_types.append(replace(found, folder=folders[name], note=note))
    if sum(files.values()) > _MANY_FILES:
        content_types = [
            replace(found, asset_folder=found.folder_name or found.folder)
            if files[found.collection_id]
            else found
            for found in content_types
        ]
    design = Design(tuple(content_types))
    blocks = tuple(with_text_rules(each, design) for each in propose_block_designs())
    return name_components(replace(design, blocks=blocks), migrated, space)


_MANY_FILES = 100
"""Files that people still find in one list."""


def propose_block_designs() -> tuple[BlockDesign, ...]:
    """Propose the components that bodies may hold, whether or not they do."""
    asset: JsonObject = {"type": "asset", "filetypes": ["images"]}
    return (
        BlockDesign(
            "html_embed",
            "HTML embed",
            role=BlockRole.HTML,
            icon="block-buildin",
            preview_field="html",
            schema={"html": {"type": "textarea", "display_name": "HTML"}},
        ),
        BlockDesign(
            "embed",
            "Embed",
            role=BlockRole.EMBED,
            icon="block-monitor",
            preview_field="url",
            schema={
                "url": {"type": "text", "display_name": "Address"},
                "frame": {"type": "text", "display_name": "Address in the frame"},
                "kind": {"type": "text", "display_name": "Kind"},
                "title": {"type": "text", "display_name": "Title"},
                "caption": {"type": "text", "display_name": "Caption"},
                "shape": {"type": "text", "display_name": "Width to height"},
                "thumbnail": {"type": "text", "display_name": "Thumbnail"},
                "author": {"type": "text", "display_name": "Author"},
                "html": {"type": "textarea", "display_name": "Original HTML"},
            },
        ),
        BlockDesign(
            "figure",
            "Figure",
            role=BlockRole.FIGURE,
            icon="block-image",
            schema={
                "image": {**asset, "display_name": "Image"},
                "caption": {**RICHTEXT_FIELD, "display_name": "Caption"},
                "link": {**LINK_FIELD, "display_name": "Link"},
                "alignment": {"type": "text", "display_name": "Alignment"},
                "size": {"type": "text", "display_name": "Size"},
            },
        ),
    )


def propose_bodies(design: Design) -> BlocksDecision:
    """Propose that every body stays one richtext field."""
    return BlocksDecision(
        tuple(
            BodyChoice(
                content_type.collection_slug, content_type.collection_id, field.origin
            )
            for content_type in design.content_types
            for field in content_type.fields
            if field.encoding is Encoding.RICHTEXT
        )
    )


def propose_embeds() -> EmbedsDecision:
    """Propose to lose nothing: addresses in embed blocks, the rest as raw HTML."""
    return EmbedsDecision(
        kinds={
            "video": Treatment.COMPONENT,
            "iframe": Treatment.COMPONENT,
            "embed": Treatment.HTML,
            "component": Treatment.HTML,
            "media": Treatment.COMPONENT,
            "figure": Treatment.COMPONENT,
            "linked-image": Treatment.COMPONENT,
        }
    )


def _apart(folders: Sequence[str]) -> list[str]:
    """Keep locales apart: only one of them can go without a folder."""
    return list(claims(folders, lambda slug, number: f"{slug or 'locale'}-{number}"))


def _folders(public: Mapping[str, Parts]) -> dict[str, str]:
    """Return a folder for each collection, by its id: its public path, where it can
    keep that. The order of the collections changes nothing."""
    wanted = {
        each: "/".join(filter(None, map(normalised_slug, parts))) or each.lower()
        for each, parts in public.items()
    }
    ranked = sorted(
        public, key=lambda each: (wanted[each] != "/".join(public[each]), each)
    )
    names = claims(
        [wanted[each] for each in ranked],
        lambda path, number: f"{path}-{number}",
    )
    return dict(zip(ranked, names, strict=True))


def _folder_note(public: str, folder: str) -> str:
    if folder == public:
        return ""
    return f"The folder can't be named `{public}`, so its pages move to `{folder}`."


def _select(
    collection: Collection, items: ItemSource, decisions: CollectionsDecision
) -> list[Item]:
    choice = decisions.choice(collection.collection_id)
    if choice is None:
        return []
    selection = select_items(
        items(collection.collection_id, False),
        items(collection.collection_id, True),
        choice,
        decisions.locales,
    )
    return [entry.item for entry in selection.selected]


def _census(collection: Collection, items: ItemSource) -> str:
    """Return what a collection holds, such as `35 items, 33 live; 2 draft`."""
    staged = {item.key: item for item in items(collection.collection_id, False)}
    live = {item.key: item for item in items(collection.collection_id, True)}
    counts = dict.fromkeys(PublicationState, 0)
    for key in staged.keys() | live.keys():
        counts[publication_state(staged.get(key), live.get(key))] += 1
    states = ", ".join(
        f"{count} {state.replace('_', ' ')}" for state, count in counts.items() if count
    )
    total = len(staged.keys() | live.keys())
    noun = noun_for(total, "item")
    return f"{total} {noun}, {len(live)} live: {states}." if total else "No items."


_RTL = frozenset(("ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"))
_RTL_SCRIPTS = frozenset(("arab", "hebr"))


def _is_rtl(tag: str) -> bool:
    """Return whether a language is written from right to left, as its tag says."""
    language, *more = tag.lower().replace("_", "-").split("-")
    if "latn" in more:
        return False
    return language in _RTL or not _RTL_SCRIPTS.isdisjoint(more)
