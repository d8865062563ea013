"""Stories that are kept in memory, compressed."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from dataclasses import replace

from cmsmig.canonical import compact, packed, unpacked
from cmsmig.destination.reading import story as read_story
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey


class PackedStories(MutableMapping[ItemKey, Story]):
    """Stories, compressed: a space may have very many."""

    def __init__(self) -> None:
        self.rows: dict[ItemKey, StoryRow] = {}
        self._records: dict[ItemKey, bytes] = {}

    def __getitem__(self, key: ItemKey) -> Story:
        read = read_story(json.loads(unpacked(self._records[key])))
        return replace(read, row=self.rows[key])

    def __setitem__(self, key: ItemKey, found: Story) -> None:
        self.rows[key] = found.row
        self._records[key] = packed(compact(found.body))

    def __delitem__(self, key: ItemKey) -> None:
        del self.rows[key], self._records[key]

    def __iter__(self) -> Iterator[ItemKey]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)
