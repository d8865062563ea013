"""All rich text bodies of a migration, each looked through at most once.

Of a body that was looked through only a digest is kept, so that 10,000 of them fit
and can be filtered and counted at once; documents are kept of the last few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias, TypeVar

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.body_reviews import BodyFacts, BodyKey
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.decisions.design import Design
from cmsmig.review.bodies import (
    ConvertedBody,
    bodies_of,
    convert_body,
    preview_context,
    structures_of,
)
from cmsmig.review.body_texts import BodyTexts
from cmsmig.review.digest import Digest, DigestCounts, EmbedKind, LossKind
from cmsmig.review.embeds import COMPONENT, EmbedSort, embeds_of
from cmsmig.review.instances import (
    ComponentSort,
    Instance,
    instances_in,
    sorts_of,
)
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import Treatment
from cmsmig.richtext.prepare.unclosed_embeds import read_body
from cmsmig.steps.decide.migration import Migration
from cmsmig.ui.query import Query, folded

_Key = TypeVar("_Key", str, LossKind)
HearLosses: TypeAlias = Callable[[int, Sequence[Loss]], None]
"""Is told what a body loses, by its index, as often as it is looked through."""
DescribeBody: TypeAlias = Callable[[str, JsonObject], BodyFacts]
"""Returns what block decisions need to know of a body and its document."""
_KEPT = 64
"""Documents that are kept."""


class LossFilter(StrEnum):
    """Which bodies are wanted by what they lose, beside one kind of loss."""

    ANY = ""
    SOMETHING = "something"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class LossSort:
    """All losses of one kind."""

    severity: str
    kind: str
    why: str
    """The reason of the first one."""
    losses: int
    bodies: int


class BodyIndex:
    """The bodies of a migration under the embed choices at hand."""

    def __init__(
        self, migration: Migration, embeds: EmbedsDecision, told: DescribeBody
    ) -> None:
        self._told = told
        self.bodies = tuple(bodies_of(migration))
        self.heard: HearLosses = lambda index, losses: None
        """Keeps the losses that a digest only counts."""
        self._migration = migration
        self._embeds = embeds
        self._context = preview_context(migration, embeds)
        self._converted: dict[int, ConvertedBody] = {}
        self._found: dict[int, tuple[frozenset[str], tuple[EmbedKind, ...]]] = {}
        self._digests: dict[int, Digest] = {}
        self._counts = DigestCounts()
        self._examples: dict[tuple[str, str], str] = {}
        self._instances: dict[int, tuple[Instance, ...]] = {}
        self._reasons: dict[LossKind, str] = {}
        self._texts = BodyTexts()
        self._searched: tuple[list[str], int, frozenset[int]] = ([], 0, frozenset())

    @property
    def design(self) -> Design:
        """Return the design, as it was decided on before the bodies."""
        return self._migration.decisions.design

    @property
    def known(self) -> int:
        """Return how many bodies were looked through."""
        return len(self._digests)

    def choose(self, embeds: EmbedsDecision) -> None:
        """Convert under other embed choices from now on.

        Bodies that hold an embed whose treatment may have changed are to be looked
        through again.
        """
        kinds = _changed(self._embeds.kinds, embeds.kinds)
        hosts = _changed(self._embeds.signatures, embeds.signatures)
        ending = self._embeds.unclosed is not embeds.unclosed
        if self._embeds.components != embeds.components:
            kinds |= {COMPONENT}
        self._embeds = embeds
        self._context = preview_context(self._migration, embeds)
        self._converted.clear()
        seen = {kind for kind, count in self._counts.kinds.items() if count}
        for index, digest in list(self._digests.items()):
            told = any(kind in kinds or host in hosts for kind, host in digest.embeds)
            # Of a kind that is counted nowhere nobody knows which bodies hold it.
            if told or not kinds <= seen or (ending and digest.unclosed):
                self._counts.remove(self._digests.pop(index))
                self._found.pop(index, None)
                self.heard(index, ())

    def key(self, index: int) -> BodyKey:
        """Return what names a body in decisions."""
        return self._keys[index]

    def converted(self, index: int) -> ConvertedBody:
        """Return what the body at `index` becomes."""
        found = self._converted.pop(index, None)
        if found is None:
            found = convert_body(self.bodies[index], self._context)
        self._converted[index] = found
        while len(self._converted) > _KEPT:
            del self._converted[next(iter(self._converted))]
        return found

    def converted_from(self, index: int, html: str) -> ConvertedBody:
        """Return what the body at `index` would become with other HTML."""
        return convert_body(self.bodies[index], self._context, html)

    def text(self, index: int) -> str:
        """Return a body as it is read: its embeds ended, if that is the choice."""
        return read_body(self.bodies[index].text, self._embeds.unclosed).html

    def digest(self, index: int) -> Digest:
        """Return what lists need to know of a body; looks through it if need be."""
        if index not in self._digests:
            digest = self._digests[index] = self._looked_through(index)
            self._counts.add(digest)
        return self._digests[index]

    def digests(self) -> Mapping[int, Digest]:
        """Return the digests of the bodies that were looked through, by index."""
        return self._digests

    def unknown(self) -> Iterator[int]:
        """Yield the indexes of the bodies that nobody has looked through yet."""
        return (i for i in range(len(self.bodies)) if i not in self._digests)

    def select(self, query: Query) -> tuple[int, ...]:
        """Return the indexes of the bodies that pass, of those scanned.

        Filters: `field` (collection and field), `locale`, `structure`, and `loss`: a
        `LossFilter`, or a kind of loss as `loss_name` writes it. The words are in the
        item's name, slug or id, or in the body.
        """
        field, locale = query.get("field"), query.get("locale")
        return tuple(
            index
            for index, body in enumerate(self.bodies)
            if field in ("", f"{body.collection.collection_id} {body.design.origin}")
            and locale in ("", body.locale)
            and (not query.words or index in self._holding(query.words))
            and self._passes(index, query.get("loss"), query.get("structure"))
        )

    def find(self, item: str, field: str = "") -> int | None:
        """Return the first body of an item, named by its id, slug or name."""
        return next(
            (
                index
                for index, body in enumerate(self.bodies)
                if item in (body.item.key.item_id, body.item.slug, body.item.name)
                and field in ("", body.design.origin)
            ),
            None,
        )

    def structures(self) -> Mapping[str, int]:
        """Return in how many of the known bodies each structure occurs."""
        return _counted(self._counts.structures)

    def losses(self) -> tuple[LossSort, ...]:
        """Return what the known bodies lose, by kind, content first."""
        bodies = self._counts.loss_bodies
        return tuple(
            LossSort(*kind, self._reasons[kind], count, bodies[kind])
            for kind, count in _counted(self._counts.losses).items()
        )

    def unclosed(self) -> tuple[tuple[str, int], ...]:
        """Return the known bodies with embeds that are never closed: what each is
        called, and how many it holds."""
        return tuple(
            (self.bodies[index].title, digest.unclosed)
            for index, digest in sorted(self._digests.items())
            if digest.unclosed
        )

    def losing(self) -> tuple[int, int]:
        """Return how many of the known bodies lose anything, and how many content."""
        return self._counts.losing, self._counts.losing_content

    def worst_bodies(self, count: int) -> tuple[int, ...]:
        """Return up to `count` known bodies that lose most, the worst first."""
        losing = [index for index, each in self._digests.items() if each.losses]
        losing.sort(key=self._badness)
        return tuple(losing[: max(count, 0)])

    def embeds(self) -> tuple[EmbedSort, ...]:
        """Return the embeds of the known bodies by kind and host, commonest first."""
        bodies = self._counts.embed_bodies
        found = (
            EmbedSort(*sort, number, bodies[sort], self._examples[sort])
            for sort, number in self._counts.embeds.items()
            if number
        )
        return tuple(
            sorted(found, key=lambda one: (-one.count, one.kind, one.signature))
        )

    def embed_kinds(self) -> Mapping[str, tuple[int, int]]:
        """Return how many embeds of each kind the known bodies hold, and how many
        bodies hold one."""
        bodies = self._counts.kind_bodies
        found = _counted(self._counts.kinds)
        return {kind: (count, bodies[kind]) for kind, count in found.items()}

    def components(self) -> list[ComponentSort]:
        """Return the designer's components that known bodies hold instances of,
        commonest first."""
        return sorts_of(sorted(self._instances.items()))

    def _holding(self, words: list[str]) -> frozenset[int]:
        """Return the bodies that a search finds, in names and in the text of those that
        were scanned. The last search is kept: a panel repeats it at each action."""
        if self._searched[:2] != (words, len(self._found)):
            named = (
                frozenset(i for i, name in enumerate(self._names) if word in name)
                for word in words
            )
            parts = [
                self._texts.holding(w) | n for w, n in zip(words, named, strict=True)
            ]
            self._searched = (words, len(self._found), frozenset.intersection(*parts))
        return self._searched[2]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(
            folded(f"{body.title} {body.item.slug} {body.item.key.item_id}")
            for body in self.bodies
        )

    @cached_property
    def _keys(self) -> tuple[BodyKey, ...]:
        return tuple(
            BodyKey(
                body.item.key.collection_id,
                body.item.key.item_id,
                body.item.key.locale_id,
                body.design.origin,
            )
            for body in self.bodies
        )

    def _looked_through(self, index: int) -> Digest:
        body, converted = self.bodies[index], self.converted(index)
        if index not in self._found:
            self._found[index] = self._contents(index)
        structures, embeds = self._found[index]
        losses: Counter[LossKind] = Counter()
        for loss in converted.losses:
            kind = (str(loss.severity), loss.kind)
            losses[kind] += 1
            self._reasons.setdefault(kind, loss.why)
        self.heard(index, converted.losses)
        facts = self._told(body.text, converted.document)
        return Digest(losses, structures, embeds, facts)

    def _contents(self, index: int) -> tuple[frozenset[str], tuple[EmbedKind, ...]]:
        body = self.bodies[index]
        self._texts.keep(index, body.text)
        sorts = []
        instances: list[Instance] = []
        for kind, host, example in embeds_of(body.text, self._embeds.unclosed):
            sorts.append((kind, host))
            self._examples.setdefault((kind, host), example)
            if kind == COMPONENT:
                instances += instances_in(example)
        if instances:
            self._instances[index] = tuple(instances)
        kinds = frozenset(kind for kind, _ in sorts)
        return structures_of(body.text) | kinds, tuple(sorts)

    def _passes(self, index: int, lost: str, structure: str) -> bool:
        if not lost and not structure:
            return True
        digest = self._digests.get(index)
        if digest is None or not {structure} <= {"", *digest.structures}:
            return False
        if lost == LossFilter.SOMETHING:
            return bool(digest.losses)
        if lost == LossFilter.CONTENT:
            return digest.content > 0
        return not lost or any(loss_name(kind) == lost for kind in digest.losses)

    def _badness(self, index: int) -> tuple[int, int, int]:
        digest = self._digests[index]
        return (-digest.content, -sum(digest.losses.values()), index)


def _counted(counts: Counter[_Key]) -> dict[_Key, int]:
    """Return what occurs, in order of its name."""
    return {key: counts[key] for key in sorted(counts) if counts[key]}


def loss_name(kind: LossKind) -> str:
    """Return what a kind of loss is called in a choice."""
    return "/".join(kind)


def _changed(
    before: Mapping[str, Treatment], after: Mapping[str, Treatment]
) -> frozenset[str]:
    return frozenset(
        name for name in {*before, *after} if before.get(name) != after.get(name)
    )
