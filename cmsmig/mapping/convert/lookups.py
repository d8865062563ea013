"""What a draft was told while it was made: it stays good while the answers do.

Beside its item, its content type and what all drafts of a collection share, a draft
depends on the files, alt texts and block decisions that it asked for, and on no
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.asset_slots import Marks
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.draft import DraftContext, UploadedAsset
from cmsmig.richtext.blocks.proposals import Block, Blocks

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class Lookups:
    """Questions and their answers, None where there was none."""

    files: dict[str, bool] = field(default_factory=dict)
    """By origin address: whether the file is at the destination, or will be."""
    missing: dict[str, str | None] = field(default_factory=dict)
    """By origin address: why a file could not be had."""
    alts: dict[str, str | None] = field(default_factory=dict)
    blocks: dict[BodyKey, Json] = field(default_factory=dict)

    def hold(self, context: DraftContext) -> bool:
        """Return whether each question is answered as before."""
        return (
            all((each in context.assets) == had for each, had in self.files.items())
            and all(context.missing_assets.get(k) == v for k, v in self.missing.items())
            and all(context.alts.get(k) == v for k, v in self.alts.items())
            and all(_plain(context.blocks.get(k)) == v for k, v in self.blocks.items())
        )

    def as_json(self) -> JsonObject:
        """Return the questions and answers as they are kept."""
        return {
            "files": dict(self.files),
            "missing": dict(self.missing),
            "alts": dict(self.alts),
            "blocks": [
                [key.collection_id, key.item_id, key.locale_id, key.field, blocks]
                for key, blocks in self.blocks.items()
            ],
        }

    @classmethod
    def from_json(cls, body: JsonObject) -> Lookups:
        """Return what `as_json` gave; raises `ValueError` and the like for others."""
        blocks = cast("list[tuple[str, str, str, str, Json]]", body["blocks"])
        return cls(
            files=cast("dict[str, bool]", body["files"]),
            missing=cast("dict[str, str | None]", body["missing"]),
            alts=cast("dict[str, str | None]", body["alts"]),
            blocks={
                BodyKey(collection, item, locale, name): held
                for collection, item, locale, name, held in blocks
            },
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
        asked.blocks[key] = _plain(held)
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


def _plain(blocks: Blocks | None) -> Json:
    return None if blocks is None else [_block(each) for each in blocks]


def _block(block: Block) -> Json:
    return [str(block.kind), block.nodes]
