"""Reads a written content folder back, for the tests of the sample."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Sample:
    """A content folder in memory; collections are keyed by their slug."""

    site: dict[str, Any]
    schemas: dict[str, dict[str, Any]]
    staged: dict[str, list[dict[str, Any]]]
    live: dict[str, list[dict[str, Any]]]
    pages: list[dict[str, Any]]

    def all_items(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every staged and live item with its collection's slug."""
        for part in (self.staged, self.live):
            for slug, items in part.items():
                for item in items:
                    yield slug, item

    def fields(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for slug, schema in self.schemas.items():
            for field in schema["fields"]:
                yield slug, field

    def values(self, *types: str) -> list[Any]:
        """Return every filled value of the fields of these types."""
        wanted: dict[str, set[str]] = {}
        for slug, field in self.fields():
            if field["type"] in types:
                wanted.setdefault(slug, set()).add(field["slug"])
        return [
            value
            for slug, item in self.all_items()
            for key, value in item["fieldData"].items()
            if key in wanted.get(slug, ()) and value is not None
        ]

    def bodies(self) -> frozenset[str]:
        """Return the different rich text bodies."""
        return self._bodies

    @cached_property
    def _bodies(self) -> frozenset[str]:
        return frozenset(self.values("RichText"))

    def has(self, pattern: str) -> bool:
        """Tell whether a rich text body matches."""
        return any(re.search(pattern, body, re.DOTALL) for body in self.bodies())

    def live_keys(self) -> set[tuple[str, str]]:
        return {
            (item["id"], item["cmsLocaleId"])
            for items in self.live.values()
            for item in items
        }

    def staged_by_key(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {
            (item["id"], item["cmsLocaleId"]): item
            for items in self.staged.values()
            for item in items
        }

    def existing(self) -> dict[str, str]:
        """Return the collection of each item id."""
        return {item["id"]: slug for slug, item in self.all_items()}

    def references(self) -> list[tuple[str, dict[str, Any], Any]]:
        """Return (collection, item, target) of every staged reference."""
        return [
            (slug, item, target)
            for slug, field in self.fields()
            if field["type"] in {"Reference", "MultiReference"}
            for item in self.staged[slug]
            for value in [item["fieldData"].get(field["slug"])]
            for target in (value if isinstance(value, list) else [value])
        ]

    def variants(self) -> dict[str, list[dict[str, Any]]]:
        """Return the staged locale variants of each item id."""
        found: dict[str, list[dict[str, Any]]] = {}
        for items in self.staged.values():
            for item in items:
                found.setdefault(item["id"], []).append(item)
        return found


def read_sample(folder: Path) -> Sample:
    """Return what `folder` holds, following its own lists of collections."""
    sites = _json(folder / "sites.json")["sites"]
    listed = _json(folder / "collections.json")["collections"]
    slugs = {row["slug"]: row["id"] for row in listed}
    return Sample(
        site=sites[0],
        schemas={s: _json(folder / f"collections/{i}.json") for s, i in slugs.items()},
        staged={
            s: _json(folder / f"items/{i}.json")["items"] for s, i in slugs.items()
        },
        live={s: _json(folder / f"live/{i}.json")["items"] for s, i in slugs.items()},
        pages=_json(folder / "pages.json")["pages"],
    )


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
