"""What a draft was told while it was made: it stays good while the answers do.

Beside its item, its content type and what all drafts of a collection share, a draft
depends on the files, alt texts and block decisions that it asked for, and on no
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.asset_slots import Marks
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.draft import DraftContext, UploadedAsset
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.blocks.proposals import Blocks

K = TypeVar("K")
V = TypeVar("V")
_Division: TypeAlias = tuple[tuple[BlockKind, int], ...] | None
"""The kind of each block of a body and how many nodes it has."""


@dataclass(slots=True)
class Lookups:
    """Questions and their answers, None where there was none."""

    files: dict[str, bool] = field(default_factory=dict)
    """By origin address: whether the file is at the destination, or will be."""
    missing: dict[str, str | None] = field(default_factory=dict)
    """By origin address: why a file could not be had."""
    alts: dict[str, str | None] = field(default_factory=dict)
    blocks: dict[str, _Division] = field(default_factory=dict)
    """By the field of the item's body."""

    def hold(self, key: ItemKey, context: DraftContext) -> bool:
        """Return whether each question about an item is answered as before."""
        return (
            all((each in context.assets) == had for each, had in self.files.items())
            and all(context.missing_assets.get(k) == v for k, v in self.missing.items())
            and all(context.alts.get(k) == v for k, v in self.alts.items())
            and all(
                _division(context.blocks.get(BodyKey(*key, k))) == v
                for k, v in self.blocks.items()
            )
        )


def recording(context: DraftContext, marks: Marks) -> tuple[DraftContext, Lookups]:
    """Return a context that answers with marks for assets, and what it was asked."""
    asked = Lookups()

    def asset(address: str, held: UploadedAsset | None) -> UploadedAsset | None:
        asked.files[address] = held is not None
        return None if held is None else marks.asset(address)

    def missing(address: str, held: str | None) -> str | None:
        asked.missing[address] = held
        return held

    def alt(name: str, held: str | None) -> str | None:
        asked.alts[name] = held
        return held

    def blocks(key: BodyKey, held: Blocks | None) -> Blocks | None:
        asked.blocks[key.field] = _division(held)
        return held

    heard = replace(
        context,
        assets=_Asked(context.assets, asset),
        missing_assets=_Asked(context.missing_assets, missing),
        alts=_Asked(context.alts, alt),
        blocks=_Asked(context.blocks, blocks),
    )
    return heard, asked


class _Asked(Mapping[K, V]):
    """A mapping that reports what it is asked for, and can only be asked."""

    def __init__(
        self, held: Mapping[K, V], report: Callable[[K, V | None], V | None]
    ) -> None:
        self._held = held
        self._report = report

    def __getitem__(self, key: K) -> V:
        found = self._report(key, self._held.get(key))
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[K]:
        raise TypeError("a draft may ask for names only: others would not be kept")

    def __len__(self) -> int:
        raise TypeError("a draft may ask for names only: others would not be kept")


def _division(blocks: Blocks | None) -> _Division:
    return None if blocks is None else tuple((e.kind, e.nodes) for e in blocks)
