"""Notebook 01: links to the former paths of renamed collections, a decision each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.decisions.choices import CollectionsDecision, FormerPath
from cmsmig.mapping.propose.former_paths import RenamedCollection
from cmsmig.notebook.kit import widgets
from cmsmig.ui.html.safe_html import NOTHING, Cell, heading, paragraph, stacked, table

_FOLLOW, _STAY, _OPEN = "follow", "stay", "open"
_ABOUT = (
    "These links lead to no page of an item, but end in the slug of one. Decide per "
    "path: as a former path of the collection, links below it lead to the stories, and "
    "so do redirects. What is not decided stays as it is. At the root there are static "
    "pages too: compare each page first."
)
_HEAD = ("Path", "Collection now", "Links", "Pages", "For example", "Decided")


@dataclass(frozen=True, slots=True)
class FormerPathRow:
    """A proposal or a decision, with its control."""

    former: FormerPath
    control: widgets.Choice

    def chosen(self) -> FormerPath | None:
        """Return what the control says; None where nothing is decided."""
        if self.control.value == _OPEN:
            return None
        return replace(self.former, follow=self.control.value == _FOLLOW)


def former_path_rows(
    board: widgets.Board,
    decision: CollectionsDecision,
    found: Sequence[RenamedCollection],
) -> list[FormerPathRow]:
    """Return a control for each path that is decided or proposed."""
    rows: list[FormerPathRow] = []
    for number, (former, _) in enumerate(_paths(decision, found), start=1):
        options = [
            (f"lead to {former.collection_slug}", _FOLLOW),
            ("stay as they are", _STAY),
            ("not decided", _OPEN),
        ]
        control = board.choice(
            "former-path",
            f"Links below path {number}",
            options,
            _state(decision, former),
            tip=f"Links below {former.path}",
        )
        rows.append(FormerPathRow(former, control))
    return rows


def former_paths_html(
    decision: CollectionsDecision, found: Sequence[RenamedCollection]
) -> Markup:
    """Return the paths with their links, and what is decided about each."""
    words = {_FOLLOW: "lead to the items", _STAY: "stay as they are", _OPEN: "nothing"}
    rows: list[tuple[Cell, ...]] = [
        (
            former.path,
            former.collection_slug,
            one.links if one else 0,
            counted(len(one.pages), "page") if one else "",
            stacked(one.examples) if one else "",
            words[_state(decision, former)],
        )
        for former, one in _paths(decision, found)
    ]
    if not rows:
        return NOTHING
    about = heading("Former paths of collections") + paragraph(_ABOUT)
    return about + table(_HEAD, rows)


def _paths(
    decision: CollectionsDecision, found: Sequence[RenamedCollection]
) -> Iterator[tuple[FormerPath, RenamedCollection | None]]:
    """Yield what is proposed, then what is decided about other paths."""
    proposed = {_key(each.decision): each for each in found}
    decided = {_key(each): each for each in decision.former_paths}
    for key, one in proposed.items():
        yield decided.get(key, one.decision), one
    for key, former in decided.items():
        if key not in proposed:
            yield former, None


def _state(decision: CollectionsDecision, former: FormerPath) -> str:
    decided = {_key(each): each for each in decision.former_paths}
    one = decided.get(_key(former))
    if one is None:
        return _OPEN
    return _FOLLOW if one.follow else _STAY


def _key(former: FormerPath) -> tuple[tuple[str, ...], str]:
    return former.parts, former.collection_id
