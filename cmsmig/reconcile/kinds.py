"""The kinds of objects that an import makes in a space."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from cmsmig.counting import noun_for
from cmsmig.mapping.decisions.conflicts import ConflictKind


class Kind(StrEnum):
    """A kind of object, in the order of its removal."""

    STORY = "story"
    FOLDER = "folder"
    ASSET = "asset"
    ASSET_FOLDER = "asset_folder"
    DATASOURCE = "datasource"
    COMPONENT = "component"

    @property
    def decided_as(self) -> ConflictKind | None:
        """Return the kind under which a decision names one, if any can."""
        return ConflictKind(self) if self in {*ConflictKind} else None

    def noun(self, count: int = 1) -> str:
        """Return what a person calls one or several of a kind."""
        return noun_for(count, *_NOUNS[self])


class Ref(NamedTuple):
    """What names one object: its kind, and a path, name, slug or item key."""

    kind: Kind
    key: str


_NOUNS = {
    Kind.STORY: ("story", "stories"),
    Kind.FOLDER: ("folder", "folders"),
    Kind.ASSET: ("file", "files"),
    Kind.ASSET_FOLDER: ("asset folder", "asset folders"),
    Kind.DATASOURCE: ("datasource", "datasources"),
    Kind.COMPONENT: ("component", "components"),
}
