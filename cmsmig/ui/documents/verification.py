"""What a verification compared and what differs, as a document."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.counting import counted
from cmsmig.steps.verify.differences import Verification
from cmsmig.ui.doc import Note, Part, Text, table


def verification_doc(
    found: Verification, shown: int = 20, rest: str = ""
) -> Iterator[Part]:
    """Yield the verdict, the counts, and each difference; `rest` says where the
    differences are that are not shown."""
    differences = counted(len(found.differences), "difference")
    failed = f" ({counted(found.failed, 'item')} failed)" if found.failed else ""
    said = f"{differences} between decisions, ledger and destination{failed}."
    yield Note(said, "bad" if found.differences else "good")
    if found.only:
        yield Note(f"Only this was compared: {', '.join(found.only)}.")
    if found.public_unread:
        yield Note(found.public_unread, "bad")
    if found.unread:
        yield Note(found.unread)
    if found.not_in_yet:
        items = counted(found.not_in_yet, "selected item is", "selected items are")
        yield Note(f"Only pilots were imported: {items} not imported yet.")
    compared = (
        counted(found.stories, "story", "stories"),
        counted(found.relations, "relation"),
        counted(found.documents, "rich text document"),
        counted(found.assets, "file"),
        counted(found.components, "component"),
        counted(found.folders, "folder"),
        counted(found.languages, "group of languages", "groups of languages"),
        counted(found.public, "published story", "published stories"),
    )
    yield Text(f"Compared: {', '.join(compared)}.")
    ordered = sorted(found.differences, key=lambda each: (each.code, each.subject))
    yield from table(
        ("Kind", "Item", "Field", "What differs"),
        [
            (
                each.code.replace("_", " "),
                found.names.get(each.subject) or each.subject,
                each.where,
                Text(each.text),
            )
            for each in ordered
        ],
        "Differences",
        rest,
        shown,
    )
