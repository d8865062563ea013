"""The files of the site, and the assets that they became."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tests.proofs.machine.decided import DESTINATION, RECREATE, Decisions


@dataclass(frozen=True)
class File:
    """What is remembered of a file that was brought."""

    asset_id: int
    undone: bool = False
    """Whether its asset is gone, and nobody has decided."""


@dataclass(frozen=True)
class Files:
    """All files that were brought, by name, and the assets that are there."""

    known: tuple[tuple[str, File], ...] = ()
    there: frozenset[int] = frozenset()

    @property
    def by_name(self) -> dict[str, File]:
        """Return what is remembered."""
        return dict(self.known)

    def asset(self, name: str) -> int | None:
        """Return the asset that a picture is wanted as; None while there is none."""
        found = self.by_name.get(name)
        return found.asset_id if found else None

    def settled(self, needed: Iterable[str], decisions: Decisions) -> Files:
        """Return what is remembered after what is gone was taken up."""
        wanted, kept = set(needed), {}
        for name, file in self.known:
            if file.asset_id in self.there:
                kept[name] = replace(file, undone=False)
            elif name in wanted and not _again(name, decisions):
                kept[name] = replace(file, undone=True)
        return replace(self, known=tuple(kept.items()))

    def to_bring(self, needed: Iterable[str]) -> set[str]:
        """Return the files that are to be uploaded."""
        return {*needed} - self.by_name.keys()

    def brought(self, name: str, asset_id: int) -> Files:
        """Return this with a file that was uploaded."""
        known = {**self.by_name, name: File(asset_id)}
        return Files(tuple(known.items()), self.there | {asset_id})

    def without(self, asset_id: int) -> Files:
        """Return this after an asset was deleted."""
        return replace(self, there=self.there - {asset_id})

    def undone(self, needed: Iterable[str]) -> bool:
        """Return whether an import leaves a file undone."""
        wanted = set(needed)
        return any(file.undone for name, file in self.known if name in wanted)

    def gone(self, needed: Iterable[str]) -> set[str]:
        """Return the files that are needed and gone from the destination."""
        wanted = set(needed)
        return {
            name
            for name, file in self.known
            if name in wanted and file.asset_id not in self.there
        }


def _again(name: str, decisions: Decisions) -> bool:
    return decisions.action(DESTINATION, name) == RECREATE
