"""The bodies of a migration, and the choices about them while a person works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from cmsmig.data_address import file_key
from cmsmig.derived_file import DerivedFile
from cmsmig.evidence.new_items import NewItems, new_items
from cmsmig.evidence.old_addresses import site_address
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyChoice,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.additions import with_missing_bodies
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.mapping.propose.proposals import propose_embeds
from cmsmig.notebook.kit.cell import facts_bundle
from cmsmig.notebook.kit.decision_files import (
    describe_review,
    known_reviewer,
    require_pull,
    required,
    save,
)
from cmsmig.notebook.kit.finding_table import FindingRows
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.notebook.preview.body_scan import BodyRelation, BodyScanner
from cmsmig.notebook.preview.kept_bodies import AcceptedBodies, SeenBodies
from cmsmig.origin.files import FileStore
from cmsmig.review.body_index import BodyIndex, ReceiveBody, ScannedBodies, ScannedBody
from cmsmig.richtext.policy import Treatment
from cmsmig.steps.decide.body_review import Review
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.documents.findings import loss_finding
from cmsmig.ui.html.safe_html import Cell
from cmsmig.ui.html.sanitizer import FindPicture
from cmsmig.ui.relation import Nouns
from cmsmig.ui.view import View

LOSSES = Nouns("loss", "losses", "No body loses anything.")
_PICTURES = 24
"""Pictures that one side of a preview shows; the others stay boxes."""
_PICTURE_LETTERS = 160_000
"""Of all their addresses, which hold them."""


@dataclass(slots=True)
class Previews:
    """The bodies, and the choices about them while a person works on them."""

    workspace: Workspace
    body_index: BodyIndex
    review: Review
    scanner: BodyScanner
    embeds: EmbedsDecision
    origin: Origin
    thumbnails: Thumbnails
    losses: FindingRows
    """What the bodies that were looked through lose, one by one."""
    accepted: AcceptedBodies
    new: NewItems | None
    """Which items are new since the last import."""
    watchers: dict[str, Callable[[], None]] = field(default_factory=dict)
    """By panel: called after something changed that it may show."""

    @property
    def blocks(self) -> BlocksDecision:
        """Return what is decided about blocks now."""
        return self.review.decision

    @property
    def size(self) -> int:
        """Return how many letters the bodies have."""
        return sum(len(each.text) for each in self.body_index.bodies)

    def name_of(self, choice: BodyChoice) -> str:
        """Return what the collection of a field is called."""
        named = {e.collection_id: e.display_name for e in self.origin.collections}
        return named.get(choice.collection_id, choice.collection_slug)

    def pictures(self) -> FindPicture:
        """Return what finds the local copies of pictures, for one side of one body: a
        bounded number, by the address that a body or a document names."""
        count = letters = 0

        def find(address: str) -> str:
            nonlocal count, letters
            row = self.origin.files.get(file_key(address))
            if row is None or not row.sha256 or count == _PICTURES:
                return ""
            found = self.thumbnails.draw(row.sha256)
            if not found or letters + len(found) > _PICTURE_LETTERS:
                return ""
            count += 1
            letters += len(found)
            return found

        return find

    def treat_kind(self, kind: str, treatment: Treatment) -> None:
        """Choose the treatment of a kind of embeds; written at once."""
        kinds = {**self.embeds.kinds, kind: treatment}
        self._choose(replace(self.embeds, kinds=kinds))

    def treat_signature(self, host: str, treatment: Treatment | None) -> None:
        """Choose the treatment of a host's embeds, None: as their kind; written at
        once."""
        signatures = {**self.embeds.signatures}
        signatures.pop(host, None)
        if treatment is not None:
            signatures[host] = treatment
        self._choose(replace(self.embeds, signatures=signatures))

    def check(self) -> None:
        """Raise `DecisionsError` when one of both decisions cannot work."""
        for each in (self.blocks, self.embeds):
            check_against(each, self.origin.collections)

    def follow(self, panel: str, view: View) -> None:
        """Scan the bodies; show a panel again as the scan and the choices of other
        panels proceed."""
        watcher = partial(view.queue.start, partial(view.show, calm=True))
        self.watchers[panel] = self.scanner.watchers[panel] = watcher
        self.scanner.start()

    def tell(self, panel: str) -> None:
        """Let the other panels show what a panel changed."""
        for name, watcher in self.watchers.items():
            if name != panel:
                watcher()

    def _choose(self, embeds: EmbedsDecision) -> None:
        self.embeds = save(self.workspace, embeds, self.review.reviewer)
        self.body_index.choose(embeds)
        self.scanner.forget(())
        self.tell("embeds")

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        rows: list[tuple[str, Cell]] = [
            ("Bodies", str(len(self.body_index.bodies))),
            ("Blocks", describe_review(self.blocks.reviewed)),
            ("Embeds", describe_review(self.embeds.reviewed)),
        ]
        return facts_bundle(rows)


@takes_parameters()
def open_previews(workspace: Workspace, reviewer: str = "") -> Previews:
    """Return the bodies of everything that was decided to be imported. Reads only.

    Choices about blocks and embeds are the decided ones, else the proposals.
    Raises `UndecidedError` while the item sets or the design are open.
    """
    project = workspace.project
    require_pull(project)
    required(project, CollectionsDecision, "01")
    required(project, Design, "02")
    migration = open_migration(project, workspace.local_settings, reviewing=True)
    embeds = decision_in(project, EmbedsDecision) or propose_embeds()
    decided = decision_in(project, BlocksDecision) or BlocksDecision()
    blocks, _ = with_missing_bodies(decided, migration.decisions.design)
    review = Review.open(
        project,
        migration.decisions.design,
        blocks,
        dry_run=workspace.dry_run,
        slugs=lambda key: _slug(migration, key),
    )
    review.reviewer = (
        reviewer or known_reviewer(workspace) or _last_reviewer(blocks, embeds)
    )
    derived = DerivedFile(project.derived)
    kept = ScannedBodies(derived, migration.rules.digest if migration.rules else "")
    body_index = BodyIndex(migration, embeds, review.facts, kept)
    rows = BodyRelation(body_index.bodies)
    losses = FindingRows(LOSSES, "losses", site_address(migration.origin.site))
    new = new_items(project, lambda: migration)
    body_index.received = _row_keeper(rows, losses, body_index, migration, new)
    ticks = SeenBodies(project, dry_run=workspace.dry_run)
    return Previews(
        workspace,
        body_index,
        review,
        BodyScanner(body_index, rows, review, ticks),
        embeds,
        migration.origin,
        Thumbnails(FileStore(project.files, project.raw), derived),
        losses,
        AcceptedBodies(body_index, derived, dry_run=workspace.dry_run),
        new,
    )


def scanned_previews(workspace: Workspace) -> Previews:
    """Return the bodies, each of them scanned."""
    previews = open_previews(workspace)
    previews.scanner.finish()
    return previews


def _row_keeper(
    rows: BodyRelation,
    losses: FindingRows,
    body_index: BodyIndex,
    migration: Migration,
    new: NewItems | None,
) -> ReceiveBody:
    """Return what keeps the row and the losses of each body."""
    pages = migration.origin.old_paths

    def keep(index: int, scanned: ScannedBody | None) -> None:
        body = body_index.bodies[index]
        lost = scanned.losses if scanned else ()
        item = body.item
        about = {
            "item": body.title,
            "page": pages.path(item.key, item.slug) if lost else "",
            "field": body.design.origin,
            "since": new.said_of(item.key) if new and lost else "",
        }
        rows.note(index, scanned)
        losses.replace(index, (loss_finding(loss, **about) for loss in lost))

    return keep


def _last_reviewer(blocks: BlocksDecision, embeds: EmbedsDecision) -> str:
    """Return who decided last here, so that a reload does not ask again."""
    said = [(body.at, body.by) for body in blocks.reviews.values() if body.by]
    files = (blocks.reviewed, embeds.reviewed)
    said += [(each.at, each.by) for each in files if each is not None]
    return max(said, key=lambda one: one[0], default=("", ""))[1]


def _slug(migration: Migration, key: BodyKey) -> str:
    item = migration.items.get(ItemKey(key.collection_id, key.item_id, key.locale_id))
    return item.slug if item else ""
