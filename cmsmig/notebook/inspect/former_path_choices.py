"""Former paths of collections, and whether links below them lead to the stories."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.decisions.choices import CollectionsDecision, FormerPath
from cmsmig.mapping.propose.former_paths import RenamedCollection
from cmsmig.ui.controls import select
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    heading,
    joined,
    paragraph,
    stacked,
    table,
)

FOLLOW, STAY = "follow", "stay"
_ABOUT_FORMER = heading("Former paths of collections") + paragraph(
    "These links look like old paths of renamed collections. Choose per path whether "
    "links and redirects below it lead to the stories. What is not decided stays as it "
    "is."
)


def former_paths_table(
    decision: CollectionsDecision, renamed: Sequence[RenamedCollection], *, live: bool
) -> Markup:
    """Return the paths with their links, and what is decided about each."""
    decided = {path_key(each): each for each in decision.former_paths}
    rows: list[tuple[Cell, ...]] = []
    for number, (former, one) in enumerate(listed_paths(decision, renamed)):
        own = decided.get(path_key(former))
        value = "" if own is None else FOLLOW if own.follow else STAY
        options = (
            (f"lead to {former.collection_slug}", FOLLOW),
            ("stay as they are", STAY),
            ("not decided", ""),
        )
        said: Cell = next(label for label, each in options if each == value)
        if live:
            row, about = str(number), f"Links below {former.path}"
            said = select("former-path", "", options, value, row=row, about=about)
        found = (
            (one.links, counted(len(one.pages), "page"), stacked(one.examples))
            if one
            else (0, "", "")
        )
        rows.append((former.path, former.collection_slug, *found, said))
    if not rows:
        return NOTHING
    head = ("Path", "Collection now", "Links", "Pages", "For example", "Decided")
    return joined((_ABOUT_FORMER, table(head, rows)))


def listed_paths(
    decision: CollectionsDecision, found: Sequence[RenamedCollection]
) -> list[tuple[FormerPath, RenamedCollection | None]]:
    """Return the paths that are proposed, then what is decided about others."""
    proposed = {path_key(each.decision): each for each in found}
    decided = {path_key(each): each for each in decision.former_paths}
    known = [(each.decision, each) for each in found]
    others = (former for key, former in decided.items() if key not in proposed)
    return [*known, *((former, None) for former in others)]


def path_key(former: FormerPath) -> tuple[tuple[str, ...], str]:
    """Return what distinguishes a path: itself, and its collection."""
    return former.parts, former.collection_id
