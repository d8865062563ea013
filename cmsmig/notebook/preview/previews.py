"""The bodies of a migration, and the choices about them while a person works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    EmbedsDecision,
)
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.mapping.propose.instance_blocks import with_instance_blocks
from cmsmig.notebook.kit.cell import facts_bundle
from cmsmig.notebook.kit.decision_files import (
    describe_review,
    save,
)
from cmsmig.notebook.kit.finding_table import FindingRows
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.preview.accepted_bodies import AcceptedBodies
from cmsmig.notebook.preview.body_pictures import BodyPictures
from cmsmig.notebook.preview.body_scan import BodyScanner
from cmsmig.review.body_index import BodyIndex
from cmsmig.richtext.policy import InstanceBlock, Treatment, Unclosed
from cmsmig.steps.decide.body_review import Review
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.ui.html.safe_html import Cell


@dataclass(slots=True)
class Previews:
    """The bodies, and the choices about them while a person works on them."""

    workspace: Workspace
    body_index: BodyIndex
    review: Review
    scanner: BodyScanner
    embeds: EmbedsDecision
    origin: Origin
    pictures: BodyPictures
    losses: FindingRows
    """What the bodies that were looked through lose, one by one."""
    accepted: AcceptedBodies
    watchers: dict[str, Callable[[], None]] = field(default_factory=dict)
    """By panel: called after something changed that it may show."""

    @property
    def blocks(self) -> BlocksDecision:
        """Return what is decided about blocks now."""
        return self.review.decision

    def treat_kind(self, kind: str, treatment: Treatment) -> None:
        """Choose what becomes of a kind of embeds; written at once."""
        kinds = {**self.embeds.kinds, kind: treatment}
        self._choose(replace(self.embeds, kinds=kinds))

    def treat_signature(self, host: str, treatment: Treatment | None) -> None:
        """Choose what becomes of a host's embeds, None: as their kind; written at
        once."""
        signatures = {**self.embeds.signatures}
        signatures.pop(host, None)
        if treatment is not None:
            signatures[host] = treatment
        self._choose(replace(self.embeds, signatures=signatures))

    def end_unclosed(self, choice: Unclosed) -> None:
        """Choose what becomes of embeds that are never closed; written at once."""
        self._choose(replace(self.embeds, unclosed=choice))

    def instance_block(self, component_id: str) -> InstanceBlock | None:
        """Return the block that was decided on for a designer's component."""
        decided = {each.component_id: each for each in self.embeds.components}
        return decided.get(component_id)

    def taken_names(self) -> set[str]:
        """Return the names that no further block can have."""
        design = self.body_index.design
        taken = {each.component for each in design.content_types}
        taken |= {each.component for each in design.blocks}
        return taken | {each.block for each in self.embeds.components}

    def decide_instances(self, component_id: str, block: InstanceBlock | None) -> None:
        """Choose the block of a designer's component, None: none; written at once.

        Raises `DecisionsError` for one that the destination or the design refuses.
        """
        components = {each.component_id: each for each in self.embeds.components}
        components.pop(component_id, None)
        if block is not None:
            components[component_id] = block
        embeds = replace(self.embeds, components=tuple(components.values()))
        check_against(embeds, self.origin.collections)
        with_instance_blocks(self.body_index.design, embeds)
        self._choose(embeds)

    def check(self) -> None:
        """Raise `DecisionsError` when one of both decisions cannot work."""
        for each in (self.blocks, self.embeds):
            check_against(each, self.origin.collections)

    def unreviewed(self) -> list[int]:
        """Return the bodies whose split awaits a person; looks through them all."""
        self.scanner.finish()
        return list(self.scanner.unreviewed())

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
