"""What changed since the last import, and what a verification found, as documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cmsmig.counting import counted
from cmsmig.steps.changes.changes import Change, Where
from cmsmig.steps.verify.differences import Verification
from cmsmig.ui.doc import Cell, Doc, Fold, Note, Part, Table, Text, applicable, table

_TITLES = {
    Where.BOTH: "Conflicts: changed on both sides since the last import",
    Where.ORIGIN: "At the origin, since the last import",
    Where.DECISIONS: "In the decisions, since the last plan",
    Where.DESTINATION: "In the space, since it was written: kept, nothing to do",
}
_PLACES = {where: f"at {where}" for where in Where} | {Where.BOTH: "on both sides"}
_JSON = "`cmsmig changes --json` lists all"
_HEAD = ("What", "Change")
_SIDES = ("What", "Field", "Last import", "Origin now", "Space now")


def changes_line(found: Sequence[Change]) -> str:
    """Return the number of changes by where they happened, in one line."""
    counts = (f"{_count(found, where)} {_PLACES[where]}" for where in Where)
    return f"changed: {', '.join(counts)}"


def changes_doc(found: Sequence[Change], rest: str = _JSON) -> Doc:
    """Return the changes by where they happened, a line for each leaf; `rest` says
    where those are that are not shown."""
    if not found:
        return (Note("Nothing changed since the last import.", "good"),)
    return tuple(
        part
        for where, title in _TITLES.items()
        for part in _rows([each for each in found if each.where is where], title, rest)
    )


def folded_changes(found: Sequence[Change], rest: str) -> Iterator[Part]:
    """Yield the same with each table below its title, closed at first."""
    for part in changes_doc(found, rest):
        if isinstance(part, Table):
            yield Fold(part.caption, (replace(part, caption=""),))
        else:
            yield part


def _count(found: Sequence[Change], where: Where) -> int:
    return sum(each.where is where for each in found)


def _rows(listed: Sequence[Change], title: str, rest: str) -> Iterator[Part]:
    sides = [
        (each.title, each.sides.field, each.sides.last, each.sides.origin, _there(each))
        for each in listed
        if each.sides and each.where is Where.BOTH
    ]
    if sides:
        yield from table(_SIDES, sides, title, rest, shown=30)
        return
    rows = [row for each in listed for row in _lines(each)]
    yield from table(_HEAD, rows, title, rest, shown=30)
    if not listed:
        yield Text(f"{title}: nothing")


def _there(change: Change) -> str:
    said = f" (decided: {change.decided})" if change.decided else ""
    return f"{change.sides.space if change.sides else ''}{said}"


def _lines(change: Change) -> Iterator[tuple[Cell, ...]]:
    decided = f" (decided: {change.decided})" if change.decided else ""
    for line in change.lines or (change.text,):
        yield change.title, f"{line}{decided}"


def verification_doc(
    found: Verification, shown: int = 20, rest: str = ""
) -> Iterator[Part]:
    """Yield the verdict, the counts, each difference, and each edit that is kept;
    `rest` says where those are that are not shown."""
    differences = counted(len(found.differences), "difference")
    failed = f" ({counted(found.failed, 'item')} failed)" if found.failed else ""
    said = f"{differences} between decisions, ledger and destination{failed}."
    items = counted(found.not_in_yet, "selected item is", "selected items are")
    yield Note(said, "bad" if found.differences else "good")
    yield from applicable(
        (found.kept, Note(found.kept_sentence, "warning")),
        (found.public_unread, Note(found.public_unread, "bad")),
        (found.unread, Note(found.unread)),
        *((True, Note(each, "warning")) for each in found.collections_unread),
        (
            found.not_in_yet,
            Note(f"Only pilots were imported: {items} not imported yet."),
        ),
    )
    compared = (
        counted(found.stories, "story", "stories"),
        counted(found.relations, "relation"),
        counted(found.documents, "rich text document"),
        counted(found.assets, "file"),
        counted(found.components, "component"),
        counted(found.folders, "folder"),
        counted(found.public, "page as visitors get it", "pages as visitors get them"),
    )
    groups = counted(found.languages, "group of languages", "groups of languages")
    listed_too = [*compared, *([groups] if found.languages else [])]
    yield Text(f"Compared: {', '.join(listed_too)}.")
    for listed, caption in (
        (found.differences, "Differences"),
        (found.kept, "Kept as editors changed it"),
    ):
        rows = [
            (
                each.code.replace("_", " "),
                found.names.get(each.subject) or each.subject,
                each.where,
                Text(each.text),
            )
            for each in sorted(listed, key=lambda each: (each.code, each.subject))
        ]
        head = ("Kind", "Item", "Field", "What differs")
        yield from table(head, rows, caption, rest, shown)
