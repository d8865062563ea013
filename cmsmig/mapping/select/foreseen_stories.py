"""The stories that exist, and those that are still to be made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import ExistingStory, Place


class ForeseenStories(Mapping[ItemKey, ExistingStory]):
    """The stories that exist, and a stand-in for each one that is to come, by item.

    A stand-in is made when it is asked for, since there may be 100,000 of them. Items
    without a place get none.
    """

    def __init__(
        self,
        there: Mapping[ItemKey, ExistingStory],
        coming: Set[ItemKey],
        places: Mapping[ItemKey, Place],
    ) -> None:
        self._there, self._coming, self._places = there, coming, places

    def __getitem__(self, key: ItemKey) -> ExistingStory:
        """Return the story of an item; raises `KeyError` for one without."""
        there = self._there.get(key)
        if there is not None:
            return there
        if key not in self._coming:
            raise KeyError(key)
        return ExistingStory.planned(key, self._places[key].full_slug)

    def __contains__(self, key: object) -> bool:
        """Return whether an item has a story, or will have one."""
        return key in self._there or (key in self._coming and key in self._places)

    def __iter__(self) -> Iterator[ItemKey]:
        """Yield the items with a story, those that exist first."""
        yield from self._there
        yield from (each for each in self._coming if self._is_new(each))

    def __len__(self) -> int:
        """Return how many items have a story."""
        return len(self._there) + sum(map(self._is_new, self._coming))

    def __eq__(self, other: object) -> bool:
        """Return whether all stories are the same; makes one stand-in at a time."""
        if not isinstance(other, Mapping) or len(self) != len(other):
            return False
        if isinstance(other, ForeseenStories) and self._places is other._places:
            return self._there == other._there and all(key in other for key in self)
        return all(other.get(key) == story for key, story in self.items())

    __hash__ = None  # type: ignore[assignment]

    def _is_new(self, key: ItemKey) -> bool:
        return key not in self._there and key in self._places
