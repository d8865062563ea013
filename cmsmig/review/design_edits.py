"""A design while it is edited: with sample values, each edit checked at once.

Works on what was pulled; asks no service and writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from cmsmig.derived_file import DerivedFile
from cmsmig.errors import DecisionsError
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.choices import CollectionsDecision, Languages
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, from_text
from cmsmig.mapping.decisions.design import (
    BlockDesign,
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.propose.additions import Addition, with_missing_designs
from cmsmig.mapping.propose.decision_checks import decision_problems, undecided_design
from cmsmig.mapping.propose.design_checks import problems_of_field
from cmsmig.mapping.propose.encodings import known_rules
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.field_types import allowed_encodings
from cmsmig.mapping.propose.proposals import propose_design
from cmsmig.origin.schema import Item
from cmsmig.review.content_type_changes import (
    with_field,
    with_field_moved,
    without_fields,
)
from cmsmig.review.samples import Sample, Sampler
from cmsmig.steps.decide.pulled_origin import Origin, fields_translated


class DesignEditor:
    """A design while a person works on it; every edit replaces it whole."""

    def __init__(
        self,
        origin: Origin,
        decision: CollectionsDecision,
        design: Design,
        space: SpaceFacts | None = None,
        derived: DerivedFile | None = None,
    ) -> None:
        """`derived` keeps what all values have to be read for."""
        self.origin = origin
        self.design = design
        self._decision = decision
        self._space = space
        self.space_components = space.components if space else {}
        """Those that the space held when the design was opened, by name."""
        self.sampler = Sampler(origin, decision)
        self.past: list[Design] = []
        """The design before each edit of this kernel, oldest first."""
        self.older: list[str] = []
        """The texts of the designs before each edit of earlier kernels, likewise."""
        self._derived = derived
        self._translated: dict[str, frozenset[str]] = {}

    @property
    def content_types(self) -> tuple[ContentTypeDesign, ...]:
        """Return the content types as they are now."""
        return self.design.content_types

    def change_field(self, place: int, number: int, field: FieldDesign) -> None:
        """Take over one field of the content type at `place` as it was edited.

        A new key is followed by the section that holds the field, a choice from a
        datasource gets a datasource to choose from, and rules that a new type cannot
        have are dropped.
        """
        content_type = self.content_types[place]
        if field.encoding is Encoding.OPTION_DATASOURCE and not field.datasource:
            source = f"{content_type.collection_slug}-{field.origin}"
            field = replace(field, datasource=source)
        field = replace(field, rules=known_rules(field))
        self.change(place, with_field(content_type, number, field))

    def move_field(self, place: int, number: int, by: int) -> None:
        """Show a field of the content type at `place` earlier or later."""
        self.change(place, with_field_moved(self.content_types[place], number, by))

    def leave_out(self, place: int, origins: Collection[str], reason: str) -> None:
        """Leave origin fields out of the content type at `place` for a reason.

        Raises `DecisionsError` without a reason.
        """
        if not reason.strip():
            raise DecisionsError("Say why the field is left out, then leave it out.")
        content_type = self.content_types[place]
        self.change(place, without_fields(content_type, origins, reason.strip()))

    def take_again(self, place: int, origin: str) -> None:
        """Propose a field again for what was left out of the content type at
        `place`.

        Raises `DecisionsError` for what the kit proposes no field for.
        """
        before = self.content_types[place]
        if origin not in self.fields_to_take(place):
            raise DecisionsError(f"There is no field to propose for {origin}.")
        content_types = list(self.content_types)
        left = tuple(each for each in before.left_out if each.origin != origin)
        content_types[place] = replace(before, left_out=left)
        lacking = replace(self.design, content_types=tuple(content_types))
        grown, _ = self._completed(lacking)
        self.change(place, grown.content_types[place])

    def fields_to_take(self, place: int) -> tuple[str, ...]:
        """Return what is left out and the kit would propose a field for."""
        content_type = self.content_types[place]
        proposed = self.proposal.content_type(content_type.collection_id)
        known = {each.origin for each in proposed.fields} if proposed else set()
        left = (each.origin for each in content_type.left_out)
        return tuple(each for each in left if each in known)

    def unfilled(self, place: int) -> tuple[str, ...]:
        """Return the origin fields of the content type at `place` that no item
        fills."""
        content_type = self.content_types[place]
        return tuple(
            each.origin
            for each in content_type.fields
            if each.encoding is not Encoding.ENVELOPE
            and not self.samples(content_type, each, 1)
        )

    @cached_property
    def proposal(self) -> Design:
        """Return what the kit proposes for what is migrated."""
        return propose(self.origin, self._decision, self._space or SpaceFacts())

    def change_block(self, number: int, block: BlockDesign) -> None:
        """Take over a block as it was edited."""
        blocks = list(self.design.blocks)
        blocks[number] = block
        self.edit(replace(self.design, blocks=tuple(blocks)))

    def eligible(
        self, place: int, kinds: Collection[str]
    ) -> tuple[tuple[str, str], ...]:
        """Return the origin fields of these types, (label, slug) each, of the content
        type at `place`."""
        content_type = self.content_types[place]
        return tuple(
            (f"{field.display_name or field.slug} ({field.slug})", field.slug)
            for collection in self.origin.collections
            if collection.collection_id == content_type.collection_id
            for field in collection.fields
            if field.type in kinds
        )

    def translated(self, place: int) -> frozenset[str] | None:
        """Return the origin fields of the content type at `place` that are translated
        fields; None where each language is a story of its own, or there is one."""
        if self._derived is None or not self._decision.translations:
            return None
        collection_id = self.content_types[place].collection_id
        if collection_id not in self._translated:
            self._translated[collection_id] = fields_translated(
                self.origin, collection_id, self._derived
            )
        return self._translated[collection_id]

    def option_names(self, place: int, field: FieldDesign) -> Mapping[str, str]:
        """Return what the options of a field are called at the origin, by their id."""
        collection_id = self.content_types[place].collection_id
        schemas = (
            e for e in self.origin.collections if e.collection_id == collection_id
        )
        known = next((each.field(field.origin) for each in schemas), None)
        return dict(known.options) if known else {}

    @property
    def locale_folders(self) -> tuple[str, ...]:
        """Return the folders above those of the content types; one may be empty."""
        migrated = [each for each in self._decision.locales if each.migrate]
        if self._decision.languages is Languages.FIELDS:
            migrated = [each for each in migrated if each.primary]
        return tuple(dict.fromkeys(each.folder for each in migrated)) or ("",)

    @property
    def undoable(self) -> int:
        """Return how many edits can be taken back."""
        return len(self.past) + len(self.older)

    def undo(self) -> int | None:
        """Take the last edit back; return the place of the content type that it
        changed, if it was in one. Without an edit nothing happens.

        Raises `DecisionsError` where an edit of an earlier kernel does not fit.
        """
        if not self.undoable:
            return None
        after = self.design
        before = self.past.pop() if self.past else self._last_of_older()
        self.design = replace(before, reviewed=None)
        pairs = zip(after.content_types, self.content_types, strict=True)
        return next((place for place, (a, b) in enumerate(pairs) if a != b), None)

    def take_over(self, known: Design, older: Sequence[str]) -> None:
        """Go on with a design that was written elsewhere, with what the site has more
        by now; `older` are the texts of those before each edit that led to it."""
        completed, added = self._completed(known)
        # The person who accepted it has not seen what was added.
        self.design = replace(completed, reviewed=None) if added else completed
        self.past, self.older = [], [*older]

    def _last_of_older(self) -> Design:
        """Return the design before the last edit of an earlier kernel, with what the
        site has more by now."""
        text = self.older.pop()
        with suppress(DecisionsError):
            before = from_text(text, FILE_NAMES[Design], Design)
            if undecided_design(before, self._decision, self.origin.collections):
                before, _ = self._completed(before)
            if _same_parts(before, self.design):
                return before
        self.older.clear()
        raise DecisionsError(
            "What is kept of earlier edits does not fit this design, so nothing was "
            "taken back."
        )

    def _completed(self, design: Design) -> tuple[Design, tuple[Addition, ...]]:
        return with_missing_designs(
            design,
            self.proposal,
            self.origin.collections,
            self._space or SpaceFacts(),
        )

    def problems(self) -> tuple[str, ...]:
        """Return what is wrong with the design now, a sentence each."""
        found = decision_problems(self.design, self.origin.collections, self._space)
        return (
            *(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in found),
            *self.undecided(),
        )

    def field_problems(self, place: int, number: int) -> tuple[str, ...]:
        """Return what is wrong with one field of the content type at `place`, a
        sentence each."""
        content_type = self.content_types[place]
        field = content_type.fields[number]
        return tuple(
            f"{sentence[:1].upper()}{sentence[1:]}."
            for collection in self.origin.collections
            if collection.collection_id == content_type.collection_id
            for sentence in problems_of_field(
                self.design, content_type, field, collection, self._space
            )
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

    def samples(
        self, content_type: ContentTypeDesign, field: FieldDesign, count: int = 3
    ) -> tuple[Sample, ...]:
        """Return up to `count` different values of a field and what they become."""
        return self.sampler.samples(self.design, content_type, field, count)

    def story(self, place: int, item: Item) -> StoryDraft | str:
        """Return the story that an item becomes as the design is now, or why there
        is none."""
        return self.sampler.story(self.design, self.content_types[place], item)

    def change(self, place: int, content_type: ContentTypeDesign) -> None:
        """Take over the content type at `place` as it was edited."""
        content_types = list(self.content_types)
        content_types[place] = content_type
        self.edit(replace(self.design, content_types=tuple(content_types)))

    def edit(self, design: Design) -> None:
        """Take an edit over; it is not among what was accepted."""
        if design != self.design:
            self.past.append(self.design)
            self.design = replace(design, reviewed=None)


def propose(origin: Origin, decision: CollectionsDecision, space: SpaceFacts) -> Design:
    """Return the kit's proposal for everything that was decided to be migrated."""
    return propose_design(
        origin.site, origin.collections, origin.items, decision, space
    )


def _same_parts(one: Design, other: Design) -> bool:
    """Return whether two designs are of the same collections and blocks."""
    parts, others = (
        ([e.collection_id for e in each.content_types], [e.role for e in each.blocks])
        for each in (one, other)
    )
    return parts == others
