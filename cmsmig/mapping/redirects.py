"""Which old addresses need a redirect."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from cmsmig.itemkey import ItemKey
from cmsmig.mapping.routes import Routes


@dataclass(frozen=True, slots=True, order=True)
class Redirect:
    """One old path whose page is elsewhere now; both start with a slash."""

    old: str
    new: str
    key: ItemKey


def redirect_map(
    routes: Routes, live: Set[ItemKey] | None = None
) -> tuple[Redirect, ...]:
    """Return a redirect for each story whose new path is not the old one.

    Sorted by old path. With `live`, only items that had an address at all are
    taken: drafts and archived items have none. Spec: import rule 7.
    """
    return tuple(
        sorted(
            Redirect(old, new, key)
            for key, place in routes.places.items()
            if (live is None or key in live)
            and (old := routes.path(key)) != (new := f"/{place.full_slug}")
        )
    )
