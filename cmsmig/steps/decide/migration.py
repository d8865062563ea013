"""The migration as it was decided: origin, decisions and what follows from both.

Nothing here asks a service; the same raw cache and decision files give the same
migration on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain

from cmsmig.derived_file import DerivedFile
from cmsmig.errors import UndecidedError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger, derived_namespace
from cmsmig.mapping.cleaning.cleaner import Cleaner, pulled_hash
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.decisions.decision_files import embed_policy
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.propose.component_payloads import needed_components
from cmsmig.mapping.select.pilot import WHOLE, Pilot, choose, needed_collections
from cmsmig.mapping.select.reference_targets import KnownItems
from cmsmig.mapping.select.routes import Routes
from cmsmig.mapping.select.selection import (
    Selected,
    SkippedItem,
    find_live_versions,
    find_publishable,
)
from cmsmig.mapping.select.story_paths import Places
from cmsmig.mapping.select.variants import variant_texts
from cmsmig.origin.schema import Item
from cmsmig.richtext.engine import Engine, UploadedAsset
from cmsmig.richtext.native import NativeEngine
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.cleaning import clean_origin
from cmsmig.steps.decide.decided_design import (
    Splits,
    find_splits,
    read_with_rules,
    refuse_undecided,
    refuse_unfit_decisions,
    whole_design,
)
from cmsmig.steps.decide.decision_store import Decisions
from cmsmig.steps.decide.drafter import Drafter, DraftStore
from cmsmig.steps.decide.migration_files import (
    MigrationFiles,
    fields_left_out,
    find_files,
)
from cmsmig.steps.decide.migration_items import (
    find_known,
    find_places,
    find_routes,
    translate,
)
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.decide.rules_file import RuleFile


@dataclass(frozen=True, slots=True)
class Migration:
    """Everything an import needs except the state of the destination."""

    origin: Origin
    decisions: Decisions
    design: Design
    """As it is imported: with `bloks` fields where bodies are split."""
    splits: Splits
    selected: tuple[Selected, ...]
    skipped: tuple[SkippedItem, ...]
    places: Places
    files: MigrationFiles
    routes: Routes
    known: KnownItems
    namespace: str
    items: Mapping[ItemKey, Item]
    """The selected items by key, in the version that was decided on."""
    engine: Engine
    """Converts bodies, with the project's own rules if it has any."""
    rules: RuleFile | None
    drafter: Drafter
    to_publish: Set[ItemKey]
    """The items whose stories are to be published, as was decided."""
    public: Mapping[ItemKey, Item]
    """Those of them whose visitors are to see another version than editors."""
    public_splits: Splits
    """The blocks of the bodies of these versions."""
    variants: Mapping[str, str]
    """The variants of products in words, by `variant_key`."""
    cleaner: Cleaner
    """What changed values before anything else was made of them."""
    pilot: Pilot = WHOLE
    """Which part of what was selected this is."""

    @property
    def live(self) -> frozenset[ItemKey]:
        """Return the selected items that visitors see at the origin."""
        return frozenset(each.item.key for each in self.selected if each.live)

    def called(self, key: ItemKey) -> str:
        """Return the name of an item and its collection, for an editor."""
        item, made = self.items.get(key), self.design.content_type(key.collection_id)
        name = (item.name if item else "") or key.item_id
        return f"{name} of the collection `{made.collection_slug}`" if made else name

    def for_visitors(self) -> Migration:
        """Return the migration of the items whose visitors are to see another version
        than editors, in that version."""
        return replace(
            self,
            items=self.public,
            selected=tuple(
                replace(entry, item=self.public[entry.item.key])
                for entry in self.selected
                if entry.item.key in self.public
            ),
            splits=self.public_splits,
            drafter=self.drafter.for_visitors(),
            public={},
        )

    def cut_down(
        self,
        keys: Set[ItemKey],
        collections: Set[str],
        pilot: Pilot = WHOLE,
    ) -> Migration:
        """Return the migration of these items alone, with the components and folders of
        these collections."""
        selected = tuple(each for each in self.selected if each.item.key in keys)
        public = {key: each for key, each in self.public.items() if key in keys}
        items = [*(each.item for each in selected), *public.values()]
        files = self.files.used_by(items)
        made = needed_components(self.design, collections)
        asset_folder = self.design.asset_folder if files.uploads else ""
        return replace(
            self,
            pilot=pilot,
            design=replace(self.design, made=made, asset_folder=asset_folder),
            selected=selected,
            skipped=(),
            places=_with_folders_of(self.places, keys),
            files=files,
            known=replace(self.known, outside=frozenset(self.known.selected - keys)),
            items={each.item.key: each.item for each in selected},
            to_publish=self.to_publish & keys,
            public=public,
        )

    @property
    def asset_folders(self) -> tuple[str, ...]:
        """Return the names of the asset folders that files go into, each once."""
        design = self.design
        used = (design.folder_of_files(e.collection_id) for e in self.files.uploads)
        return tuple(filter(None, dict.fromkeys((design.asset_folder, *used))))

    def origin_hash(self, key: ItemKey) -> str:
        """Return the fingerprint of the item as it was pulled; empty if unselected."""
        item = self.items.get(key)
        return "" if item is None else pulled_hash(item)

    def item_drafts(
        self, context: DraftContext
    ) -> Iterator[tuple[ItemKey, ItemDraft | str]]:
        """Yield what every selected item becomes, or why there is no story.

        One at a time. An item that goes wrong fails alone; one without a content
        type is left out.
        """
        for entry in self.selected:
            draft = self.item_draft(entry.item, context)
            if draft is not None:
                yield entry.item.key, draft

    def draft_ahead(self, context: DraftContext) -> None:
        """Make the drafts that are not kept on all cores, where there are many."""
        types = {each.collection_id: each for each in self.design.content_types}
        items = (
            (entry.item, types[entry.item.key.collection_id])
            for entry in self.selected
            if entry.item.key.collection_id in types
        )
        self.drafter.make_ahead(items, context)

    def item_draft(self, item: Item, context: DraftContext) -> ItemDraft | str | None:
        """Return what an item becomes, why there is no story, or None without a
        content type."""
        content_type = self.design.content_type(item.key.collection_id)
        if content_type is None:
            return None
        return self.drafter.draft(item, content_type, context)

    def story(self, key: ItemKey, context: DraftContext) -> StoryDraft | str | None:
        """Return a selected item's story, its files filled in; why there is none, or
        None without a content type."""
        draft = self.item_draft(self.items[key], context)
        return self.story_of(draft, context) if isinstance(draft, ItemDraft) else draft

    def story_of(self, draft: ItemDraft, context: DraftContext) -> StoryDraft:
        """Return the story of a draft, its files filled in."""
        return draft.story(context.places[draft.key], context.assets)

    def context(
        self, assets: Mapping[str, UploadedAsset], missing: Mapping[str, str]
    ) -> DraftContext:
        """Return what all drafts share."""
        return DraftContext(
            site=self.origin.site,
            design=self.design,
            embeds=embed_policy(self.decisions.embeds, self.design),
            engine=self.engine,
            namespace=self.namespace,
            places=self.places.places,
            assets=assets,
            missing_assets=missing,
            alts=self.files.alts,
            file_hosts=self.files.hosts,
            collections={each.collection_id: each for each in self.origin.collections},
            blocks=self.splits.blocks,
            variants=self.variants,
        )


def as_begun(migration: Migration, ledger: Ledger) -> Migration:
    """Return the migration of what was begun to be imported: of what pilots brought,
    as long as there were only pilots, else all of it. Reads only."""
    if not ledger.only_pilots():
        return migration
    keys = migration.items.keys() & ledger.items.all().keys()
    return migration.cut_down(keys, {key.collection_id for key in keys})


def open_migration(
    project: Project,
    settings: Settings,
    *,
    reviewing: bool = False,
    pilot: Pilot = WHOLE,
    undecided: list[str] | None = None,
) -> Migration:
    """Return the migration that the project folder describes.

    Raises `UnreadError` without a complete pull, `UndecidedError` without the
    decisions and `DecisionsError` when they do not fit the origin. While
    `reviewing`, blocks of bodies that are still to be decided on are no error:
    no body's blocks are looked at then. Only the bodies of a `pilot` are looked at,
    and the migration is cut down to it; `UsageError` when nothing fits. What is not
    decided is added to `undecided` where a list is given, and is no error then: bodies
    are split as proposed, and a collection without a content type is left out.
    """
    derived = DerivedFile(project.derived)
    origin = read_origin(project, settings.site_id, derived)
    decisions, rules = read_with_rules(project, settings)
    with _noting(undecided):
        refuse_unfit_decisions(decisions, origin, reviewing=reviewing)
    origin, cleaner = clean_origin(origin, decisions.cleaning, derived)
    engine = NativeEngine(rules=rules.rules if rules else None)
    selections = origin.select(decisions.collections)
    if undecided:
        made = {each.collection_id for each in decisions.design.content_types}
        selections = {key: each for key, each in selections.items() if key in made}
    if not reviewing:
        # Bodies are reviewed where the origin has them, each in its language.
        origin, decisions, selections = translate(
            origin, decisions, selections, derived
        )
    selected = tuple(chain.from_iterable(e.selected for e in selections.values()))
    skipped = tuple(chain.from_iterable(e.skipped for e in selections.values()))
    locales = decisions.collections.locales
    chosen = choose(pilot, selected, skipped, origin.collections, locales)
    splits = Splits({})
    if not reviewing:
        splits = find_splits((entry.item for entry in chosen), decisions, engine)
        with _noting(undecided):
            refuse_undecided(splits, origin.site.locales)
    to_publish = find_publishable(decisions.collections, selected)
    public = find_live_versions(selected, to_publish)
    public_splits = Splits({})
    if public and not reviewing:
        public_splits = find_splits(public.values(), decisions, engine)
    places = find_places(selections, decisions, origin)
    items = {entry.item.key: entry.item for entry in selected}
    known = find_known(origin, decisions, selections, frozenset(items))
    namespace = derived_namespace(origin.site.site_id, settings.space_id)
    design = whole_design(decisions)
    every = [*(each.item for each in selected), *public.values()]
    whole = Migration(
        origin=origin,
        decisions=decisions,
        design=design,
        splits=splits,
        selected=selected,
        skipped=skipped,
        places=places,
        files=find_files(
            project, origin, every, namespace, derived, fields_left_out(design)
        ),
        routes=find_routes(origin, decisions, selected, places.places, known),
        known=known,
        namespace=namespace,
        items=items,
        engine=engine,
        rules=rules,
        drafter=Drafter(DraftStore(derived, namespace), rules.digest if rules else ""),
        to_publish=to_publish,
        public=public,
        public_splits=public_splits,
        variants=variant_texts(every, origin.collections, origin.every_item()),
        cleaner=cleaner,
    )
    if pilot.is_whole:
        return whole
    needed = needed_collections(pilot, chosen, origin.collections)
    return whole.cut_down({each.item.key for each in chosen}, needed, pilot)


@contextmanager
def _noting(undecided: list[str] | None) -> Iterator[None]:
    """Add what is not decided to a list; without one, it stays an error."""
    try:
        yield
    except UndecidedError as error:
        if undecided is None:
            raise
        undecided.append(str(error))


def _with_folders_of(places: Places, keys: Set[ItemKey]) -> Places:
    """Return the places with those folders alone that hold some stories, at any
    depth."""
    needed: set[str] = set()
    for key in keys:
        path = places.places[key].folder if key in places.places else ""
        while path and path not in needed:
            needed.add(path)
            path = path.rpartition("/")[0]
    return replace(
        places, folders=tuple(each for each in places.folders if each.path in needed)
    )
