"""Redirects: old paths that are not the new ones."""

from __future__ import annotations

from drafting import FR, key, routes

from cmsmig.mapping.draft import Place
from cmsmig.mapping.redirects import Redirect, redirect_map

SAME, CHANGED, FRENCH = key("same"), key("changed"), key("changed", locale=FR)
PLACES = {
    SAME: Place("posts", "same", 1),
    CHANGED: Place("posts", "new", 2),
    FRENCH: Place("fr/posts", "nouveau", 1),
}
SLUGS = {SAME: "same", CHANGED: "OLD", FRENCH: "vieux"}


def test_only_changed_paths_need_a_redirect() -> None:
    """Sorted by old path, locale folders included."""
    assert redirect_map(routes(PLACES, SLUGS)) == (
        Redirect("/fr/posts/vieux", "/fr/posts/nouveau", FRENCH),
        Redirect("/posts/OLD", "/posts/new", CHANGED),
    )


def test_a_locale_folder_that_moved_is_a_redirect() -> None:
    """The old path had no folder for the second locale."""
    found = redirect_map(routes(PLACES, SLUGS, secondary="français"))
    assert Redirect("/français/posts/vieux", "/fr/posts/nouveau", FRENCH) in found


def test_what_had_no_address_needs_none() -> None:
    """Drafts were never reachable."""
    assert [
        each.key for each in redirect_map(routes(PLACES, SLUGS), {SAME, FRENCH})
    ] == [FRENCH]
