"""What is kept of a body that was looked through, and counts over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from cmsmig.mapping.decisions.body_reviews import BodyFacts

_Key = TypeVar("_Key")
LossKind: TypeAlias = tuple[str, str]
"""A loss's severity and its kind."""
EmbedKind: TypeAlias = tuple[str, str]
"""An embed's kind and its signature."""
CONTENT = "content"
"""The severity of what a reader would notice."""
UNCLOSED = "unclosed-embed"
"""The kind of loss that tells of an embed which is never closed."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What lists and counts need to know of one body."""

    losses: Mapping[LossKind, int]
    structures: frozenset[str]
    embeds: tuple[EmbedKind, ...]
    facts: BodyFacts

    @property
    def content(self) -> int:
        """Return how many losses a reader would notice."""
        return sum(n for kind, n in self.losses.items() if kind[0] == CONTENT)

    @property
    def unclosed(self) -> int:
        """Return how many embeds in it are never closed."""
        return sum(n for kind, n in self.losses.items() if kind[1] == UNCLOSED)


@dataclass(slots=True)
class DigestCounts:
    """Counts over digests, kept up to date as digests come and go.

    A count costs as much as there are kinds, however many bodies there are.
    """

    structures: Counter[str] = field(default_factory=Counter)
    """Bodies by the structures in them."""
    losses: Counter[LossKind] = field(default_factory=Counter)
    loss_bodies: Counter[LossKind] = field(default_factory=Counter)
    embeds: Counter[EmbedKind] = field(default_factory=Counter)
    embed_bodies: Counter[EmbedKind] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Embeds by kind alone."""
    kind_bodies: Counter[str] = field(default_factory=Counter)
    losing: int = 0
    """Bodies that lose anything."""
    losing_content: int = 0

    def add(self, digest: Digest) -> None:
        """Count a digest."""
        self._count(digest, 1)

    def remove(self, digest: Digest) -> None:
        """Count a digest no longer."""
        self._count(digest, -1)

    def _count(self, digest: Digest, by: int) -> None:
        kinds = [kind for kind, _ in digest.embeds]
        _change(self.structures, digest.structures, by)
        for loss, number in digest.losses.items():
            self.losses[loss] += by * number
        _change(self.loss_bodies, digest.losses, by)
        _change(self.embeds, digest.embeds, by)
        _change(self.embed_bodies, set(digest.embeds), by)
        _change(self.kinds, kinds, by)
        _change(self.kind_bodies, set(kinds), by)
        self.losing += by * bool(digest.losses)
        self.losing_content += by * (digest.content > 0)


def _change(counts: Counter[_Key], keys: Iterable[_Key], by: int) -> None:
    for key in keys:
        counts[key] += by
