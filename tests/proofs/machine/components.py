"""The component of the notes: what developers and the design make of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.proofs.machine.book import Book, Days, Step
from tests.proofs.machine.decided import COMPONENT, DESTINATION, RECREATE
from tests.proofs.world.world import World

NAME = "note"
LABEL, FIELD_LABEL = "display_name", "schema.line.display_name"
EXTRA, MOOD_FIELD = "schema.extra", "schema.mood"
"""A field that only a developer makes, and one that the origin gets."""
PARTS = (LABEL, FIELD_LABEL, EXTRA, MOOD_FIELD)
DESIGN: Mapping[str, Any] = {
    LABEL: "Note",
    FIELD_LABEL: "Line",
    EXTRA: False,
    MOOD_FIELD: False,
}
_LABELS = ("Note", "Memo", "Card")
_DESIGNED = {
    LABEL: "component: note\n    display_name: ",
    FIELD_LABEL: "key: line\n        encoding: text\n        display_name: ",
}


def parts_of(world: World) -> Mapping[str, Any] | None:
    """Return the component as the space holds it; None without it."""
    found = world.space.component(NAME)
    if found is None:
        return None
    schema = found["schema"]
    return {
        LABEL: found["display_name"],
        FIELD_LABEL: schema["line"]["display_name"],
        EXTRA: "extra" in schema,
        MOOD_FIELD: "mood" in schema,
    }


def is_kept(book: Book, parts: Mapping[str, Any]) -> bool:
    """Return whether a developer's edit is there that no decision gives up."""
    edited = [name for name, value in book.bases[0].items() if parts[name] != value]
    return any(
        book.decisions.side(NAME, name, object(), COMPONENT) != "ours"
        for name in edited
    )


def is_blocking(days: Days) -> bool:
    """Return whether nothing can be imported: our component is gone, undecided, or
    one that is not ours lacks a field."""
    book, parts = days.book, parts_of(days.world)
    if parts is not None:
        return book.is_foreign and parts[MOOD_FIELD] != book.design[MOOD_FIELD]
    action = book.decisions.action(DESTINATION, NAME)
    return bool(book.bases[0]) and action != RECREATE


def is_designed(days: Days) -> bool:
    """Return whether the component is as an import makes it, but for what it has more:
    by that alone a new ledger knows that it is ours."""
    parts, design = parts_of(days.world), days.book.design
    return parts is not None and all(
        parts[name] == design[name] for name in PARTS if name != EXTRA
    )


def developer_edits(days: Days, step: Step) -> None:
    """A developer gives the component or a field another label, or a field more."""
    found = days.world.space.component(NAME)
    if found is None:
        return
    schema, label = dict(found["schema"]), _LABELS[step.a % 3]
    if step.b % 3 == 0:
        _save(days, found, display_name=label)
    elif step.b % 3 == 1:
        schema["line"] = {**schema["line"], "display_name": label}
        _save(days, found, schema=schema)
    else:
        if not schema.pop("extra", None):
            schema["extra"] = {"type": "text", "pos": 90}
        _save(days, found, schema=schema)


def developer_deletes(days: Days, step: Step) -> None:
    """The component is deleted, which does not happen often."""
    found = days.world.space.component(NAME)
    if found is not None and step.b % 3 == 0:
        days.world.api("DELETE", f"/components/{found['id']}")
        days.book.is_foreign = days.book.is_unclear = False


def design_labels(days: Days, step: Step) -> None:
    """The design calls the component or a field something else."""
    name, label = (LABEL, FIELD_LABEL)[step.b % 2], _LABELS[step.a % 3]
    path = days.world.folder / "decisions" / "design.yaml"
    text, found = re.subn(
        rf"({_DESIGNED[name]})\w+", rf"\g<1>{label}", path.read_text()
    )
    assert found == 1, text
    path.write_text(text)
    days.book.design[name] = label
    days.book.stirred = True


def _save(days: Days, found: Mapping[str, Any], **record: Any) -> None:
    days.world.api("PUT", f"/components/{found['id']}", {"component": record})
