"""All rich text bodies of a migration, each scanned at most once.

Of a body that was scanned only a digest is in memory, so that 10,000 of them fit and
can be counted at once; documents are kept of the last few. What is known of it is on
disk: it is scanned again when it, a choice that its conversion asked for, or the code
has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias, TypeVar

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject, compact, fingerprint, packed, unpacked
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.item_draft import Lookups
from cmsmig.mapping.decisions.body_reviews import BodyFacts, BodyKey
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.uids import block_uid
from cmsmig.review.bodies import (
    Body,
    ConvertedBody,
    EmbedLookups,
    bodies_of,
    convert_body,
    preview_context,
    structure_names,
)
from cmsmig.review.embeds import (
    EmbedSort,
    embeds_of,
)
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.plain_text import html_text
from cmsmig.steps.decide.drafter import RULE_FAILED, Drafter, plain
from cmsmig.steps.decide.migration import Migration

EmbedKind: TypeAlias = tuple[str, str]
"""An embed's kind and its signature."""
G = TypeVar("G", bound=Hashable)
_KEPT = 64
"""Documents that are kept."""
_EXAMPLE = 300
"""Characters of an embed that are kept for people to see."""
_ROOMS = ("mapping", "origin", "review", "richtext")
_NOT_KEPT = frozenset((RULE_FAILED, "unconverted"))
"""Losses that may not happen again."""


@dataclass(frozen=True, slots=True)
class ScannedBody:
    """What lists, counts and reviews need to know of one body."""

    losses: tuple[Loss, ...]
    structures: tuple[str, ...]
    embeds: tuple[tuple[str, str, str], ...]
    """The kind, the host and the beginning of the HTML or the address of each."""
    words: str
    """What it says, to search in."""
    facts: BodyFacts
    lookups: Lookups
    choices: EmbedLookups


_CODEC = TypeAdapter(ScannedBody)
ReceiveBody: TypeAlias = Callable[[int, ScannedBody | None], None]
"""Gets what is known of a body, by its index, each time that it is scanned; None where
that does not hold any more."""
DescribeBody: TypeAlias = Callable[[str, JsonObject], BodyFacts]
"""Returns what block decisions need to know of a body and its document."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What counts and reviews need to know of one body."""

    losses: int
    content: int
    """Losses that a reader would notice."""
    embeds: tuple[EmbedKind, ...]
    facts: BodyFacts
    choices: EmbedLookups


class ScannedBodies:
    """Scanned bodies on disk."""

    def __init__(self, file: DerivedFile, rules_digest: str) -> None:
        self.file = file
        self._rules_digest = rules_digest
        self._shared: dict[tuple[str, str], str] = {}
        """What all bodies of a field share."""

    def find(self, body: Body, context: DraftContext) -> ScannedBody | None:
        """Return what is kept of a body, if it would be the same today."""
        row = self.file.one(
            "SELECT record FROM scanned_body WHERE (key, print) = (?, ?)",
            (_key(body), self._print(body, context)),
        )
        # Another release may have written that.
        with suppress(ValueError):
            found = row and _CODEC.validate_json(unpacked(row[0]))
            if (
                found
                and found.lookups.hold(body.item.key, context)
                and found.choices.hold(context.embeds)
            ):
                return found
        return None

    def keep(self, body: Body, context: DraftContext, scanned: ScannedBody) -> None:
        """Keep what is known of a body; not what may not happen again."""
        if any(each.kind in _NOT_KEPT for each in scanned.losses):
            return
        record = packed(compact(_CODEC.dump_python(scanned, mode="json")))
        row = (_key(body), self._print(body, context), record)
        self.file.change(
            lambda db: db.execute(
                "INSERT OR REPLACE INTO scanned_body VALUES (?, ?, ?)", row
            )
        )

    def _print(self, body: Body, context: DraftContext) -> str:
        """Return the fingerprint of what a scan is made of, but for what it asks
        for."""
        place = (body.collection.collection_id, body.design.origin)
        if place not in self._shared:
            self._shared[place] = self._shared_print(body, context)
        return fingerprint([self._shared[place], body.item.data_hash])

    def _shared_print(self, body: Body, context: DraftContext) -> str:
        policy = replace(context.embeds, kinds={}, signatures={})
        return fingerprint(
            [
                code_digest(_ROOMS, Drafter.libraries),
                self._rules_digest,
                plain(body.design),
                plain(body.collection.field(body.design.origin)),
                plain(policy),
                sorted(context.file_hosts),
            ]
        )


def _key(body: Body) -> str:
    return f"{body.item.key} {body.design.origin}"


class BodyIndex:
    """The bodies of a migration under the embed choices at hand."""

    def __init__(
        self,
        migration: Migration,
        embeds: EmbedsDecision,
        describe: DescribeBody,
        kept: ScannedBodies,
    ) -> None:
        self.bodies = tuple(bodies_of(migration, kept.file))
        self.received: ReceiveBody = lambda index, scanned: None
        """Keeps what a digest only counts."""
        self._migration = migration
        self._describe = describe
        self._kept = kept
        self._embeds = embeds
        self._context = preview_context(migration, embeds)
        self.converted = lru_cache(_KEPT)(self._convert)
        """Returns what the body at an index becomes."""
        self.digests: dict[int, Digest] = {}
        """Of the bodies that were scanned, by index."""
        self._examples: dict[EmbedKind, str] = {}

    @property
    def design(self) -> Design:
        """Return the design, as it was decided on before the bodies."""
        return self._migration.decisions.design

    def choose(self, embeds: EmbedsDecision) -> None:
        """Convert under other embed choices from now on.

        Bodies whose conversion asked for a choice that changed are to be scanned again.
        """
        self._embeds = embeds
        self._context = preview_context(self._migration, embeds)
        self.converted.cache_clear()
        for index, digest in list(self.digests.items()):
            if not digest.choices.hold(self._context.embeds):
                del self.digests[index]
                self.received(index, None)

    def _convert(self, index: int) -> ConvertedBody:
        return convert_body(self.bodies[index], self._context)

    def uid(self, index: int, path: str) -> str:
        """Return the `_uid` that the block at `path` of a body is stored with."""
        body = self.bodies[index]
        name = f"{body.design.key}/{path}"
        return block_uid(self._context.namespace, body.item.key, name)

    def converted_from(self, index: int, html: str) -> ConvertedBody:
        """Return what the body at `index` would become with other HTML."""
        return convert_body(self.bodies[index], self._context, html)

    def digest(self, index: int) -> Digest:
        """Return what lists need to know of a body; scans it if need be."""
        if index not in self.digests:
            body = self.bodies[index]
            scanned = self._kept.find(body, self._context)
            if scanned is None:
                scanned = self._scanned(index)
                self._kept.keep(body, self._context, scanned)
            self.digests[index] = self._noted(index, scanned)
        return self.digests[index]

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

    def worst_bodies(self, count: int) -> tuple[int, ...]:
        """Return up to `count` known bodies that lose most, the worst first; the first
        ones where none loses anything."""
        losing = sorted(
            (-each.content, -each.losses, index)
            for index, each in self.digests.items()
            if each.losses
        )
        found = [index for *_, index in losing] or range(len(self.bodies))
        return tuple(found[: max(count, 0)])

    def embeds(self) -> tuple[EmbedSort, ...]:
        """Return the embeds of the known bodies by kind and host, commonest first."""
        found = (
            EmbedSort(*sort, *counts, self._examples[sort])
            for sort, counts in self._embed_counts(lambda sort: sort).items()
        )
        return tuple(
            sorted(found, key=lambda one: (-one.count, one.kind, one.signature))
        )

    def embed_kinds(self) -> Mapping[str, tuple[int, int]]:
        """Return how many embeds of each kind the known bodies hold, and how many
        bodies hold one."""
        return self._embed_counts(lambda sort: sort[0])

    def _embed_counts(
        self, group: Callable[[EmbedKind], G]
    ) -> dict[G, tuple[int, int]]:
        held = [[*map(group, each.embeds)] for each in self.digests.values()]
        counts = Counter(each for groups in held for each in groups)
        bodies = Counter(each for groups in held for each in set(groups))
        return {each: (counts[each], bodies[each]) for each in counts}

    @cached_property
    def keys(self) -> tuple[BodyKey, ...]:
        """Return what names each body in decisions."""
        return tuple(
            BodyKey(*body.item.key, body.design.origin) for body in self.bodies
        )

    def _scanned(self, index: int) -> ScannedBody:
        text, converted = self.bodies[index].text, self.converted(index)
        embeds = [*embeds_of(text)]
        kinds = {kind for kind, _, _ in embeds}
        return ScannedBody(
            losses=converted.losses,
            structures=tuple(sorted(structure_names(text) | kinds)),
            embeds=tuple((kind, host, html[:_EXAMPLE]) for kind, host, html in embeds),
            words=html_text(text),
            facts=self._describe(text, converted.document),
            lookups=converted.lookups,
            choices=converted.choices,
        )

    def _noted(self, index: int, scanned: ScannedBody) -> Digest:
        for kind, host, example in scanned.embeds:
            self._examples.setdefault((kind, host), example)
        self.received(index, scanned)
        severities = Counter(each.severity for each in scanned.losses)
        return Digest(
            losses=len(scanned.losses),
            content=severities[Severity.CONTENT],
            embeds=tuple((kind, host) for kind, host, _ in scanned.embeds),
            facts=scanned.facts,
            choices=scanned.choices,
        )
