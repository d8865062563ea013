"""What failed, at which step, why, and what to do about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.data_address import is_data
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    COMPONENT_MISSING,
    FOLDER_MISSING,
    GONE,
    OPTION_MISSING,
    TEXT_NOT_WRITTEN,
    AssetRow,
    ItemRow,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.ui.documents.findings import REPLACE_PICTURE

_Use: TypeAlias = tuple[ItemKey, str]
"""An item, and the origin's slug of the field that uses a file."""
_AGAIN = "then run `cmsmig import` again."
_MAKE_AGAIN = (
    "Have everything that is gone made again: `cmsmig import --recreate`, or the "
    f"button of notebook 04. Or restore it in the space, {_AGAIN}"
)
_LOOKS = "run `cmsmig import` again: it looks there before it sends anything."


@dataclass(frozen=True, slots=True)
class Failure:
    """One item or file that did not arrive whole."""

    kind: str
    """`item` or `file`."""
    subject: str
    """An item key, or the address or name of a file."""
    name: str
    step: str
    """`pull`, `prepare`, `create`, `link` or `publish`."""
    reason: str
    """A stable code in lower case with underscores."""
    explanation: str
    """The same for an editor."""
    next_action: str
    used_by: tuple[str, ...] = ()
    """For a file: item and field of each place that shows it."""
    places: tuple[_Use, ...] = ()
    """The same as keys and the origin's slugs of fields; for an item itself."""

    def as_json(self) -> JsonObject:
        """Return the failure as report.json lists it."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "name": self.name,
            "step": self.step,
            "reason": self.reason,
            "explanation": self.explanation,
            "next_action": self.next_action,
            "used_by": list(self.used_by),
        }


_ITEM_ACTIONS: Mapping[str, str] = {
    "conflict": (
        "Choose in notebook 04 whether the story that is there is used or left alone, "
        f"or give it another slug in the space; {_AGAIN}"
    ),
    "refused": (
        "Correct what the service names: in the space or the decisions, or at the "
        f"origin, and run `cmsmig pull --refresh`; {_AGAIN}"
    ),
    "not_confirmed": f"It is not known yet whether it was applied: {_LOOKS}",
    "edited_since": (f"Choose ours or theirs for each field in notebook 04; {_AGAIN}"),
    GONE: _MAKE_AGAIN,
    "not_drafted": "Report it with the item's raw record; the others are imported.",
    "required_field": (
        "Give the field a value at the origin and run `cmsmig pull --refresh`, or take "
        f"`required` off it where the reason says; {_AGAIN}"
    ),
    "field_type": (
        "Set the field back to its type in the space, or choose another encoding in "
        f"notebook 02; {_AGAIN}"
    ),
    "folder_closed": (
        f"Allow the content type in the folder's settings in the space; {_AGAIN}"
    ),
    COMPONENT_MISSING: (
        "Correct what the service said of the component, in the space or in notebook "
        f"02; {_AGAIN}"
    ),
    OPTION_MISSING: (
        "Give the option another label in notebook 02, or add the entry to the "
        f"datasource; {_AGAIN}"
    ),
    FOLDER_MISSING: (f"Correct what the service said of the folder; {_AGAIN}"),
    "not_published": f"Correct what the reason says; {_AGAIN}",
}
_FILE_ACTIONS: Mapping[str, str] = {
    "not_downloaded": (
        "Open the address in a browser; when the file is there, run `cmsmig pull` "
        "and `cmsmig import` again, else correct the item."
    ),
    "refused": (
        f"Correct what the service names, such as the file's kind or size; {_AGAIN}"
    ),
    "not_confirmed": f"It is not known yet whether it arrived: {_LOOKS}",
    "not_proven": f"Its public address has not shown it yet: {_LOOKS}",
    "not_stored": "Run `cmsmig import` again; if it fails again, upload it by hand.",
    FOLDER_MISSING: (f"Correct what the service said of the asset folder; {_AGAIN}"),
    TEXT_NOT_WRITTEN: (
        f"Correct what the service names, or write the text by hand there; {_AGAIN}"
    ),
    GONE: _MAKE_AGAIN,
}
_OTHER = f"Correct what the reason says; {_AGAIN}"


def item_failures(rows: Iterable[ItemRow]) -> Iterator[Failure]:
    """Yield the failed items among `rows`, in their order."""
    for row in rows:
        if row.status == "failed":
            yield Failure(
                kind="item",
                subject=str(row.key),
                name=row.name,
                step=_step(row),
                reason=row.reason,
                explanation=row.explanation,
                next_action=_ITEM_ACTIONS.get(row.reason, _OTHER),
                places=((row.key, ""),),
            )


def file_failures(
    migration: Migration, assets: Mapping[str, AssetRow]
) -> Iterator[Failure]:
    """Yield the files that could not be had and those that did not arrive.

    `assets` are the ledger's rows by hash; a file that nothing uses is not in.
    """
    users = _users(migration)
    for address, why in sorted(migration.files.missing.items()):
        yield _file(migration, address, "pull", "not_downloaded", why, users[address])
    for upload in migration.files.uploads:
        row = assets.get(upload.sha256)
        if row is not None and row.has_failed:
            used = sorted({use for each in upload.addresses for use in users[each]})
            yield _file(
                migration, row.name, "prepare", row.reason, row.explanation, used
            )


def _file(
    migration: Migration,
    name: str,
    step: str,
    reason: str,
    explanation: str,
    places: Iterable[_Use],
) -> Failure:
    used = tuple(dict.fromkeys(places))
    action = _FILE_ACTIONS.get(reason, _OTHER)
    return Failure(
        kind="file",
        subject=name,
        name=name.partition("?")[0].rpartition("/")[2],
        step=step,
        reason=reason,
        explanation=explanation,
        next_action=REPLACE_PICTURE if is_data(name) else action,
        used_by=tuple(_place(migration, *each) for each in used),
        places=used,
    )


def _users(migration: Migration) -> Mapping[str, list[_Use]]:
    """Return the places that use a file, by its address."""
    users: defaultdict[str, list[_Use]] = defaultdict(list)
    for use in migration.files.uses:
        users[use.address].append((use.key, use.field))
    return users


def _place(migration: Migration, key: ItemKey, field: str) -> str:
    item = migration.items.get(key)
    return f"{item.name if item else ''} ({key}), {field}".strip()


def _step(row: ItemRow) -> str:
    if row.reason == "not_published":
        return "publish"
    return "create" if row.story_record is None or row.is_gone else "link"
