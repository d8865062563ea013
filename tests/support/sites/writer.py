"""Writes a content folder: the form that both the cache and the sandbox read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.canonical import JsonObject
from tests.support.sites.records import Entry, Table, live, schema, staged, summary


@dataclass(frozen=True, slots=True)
class Content:
    """All that a content folder is made of."""

    site: JsonObject
    collections: Sequence[tuple[Table, Iterable[Entry]]]
    """The entries are gone through twice, one by one."""
    files: dict[str, bytes] = field(default_factory=dict)
    """By file id; files that are not in here are drawn by the server."""
    missing: tuple[str, ...] = ()
    """Ids of files that the host is to answer 404 for."""


def write_content(folder: Path, content: Content) -> None:
    """Write `content` below `folder`, which is made where it does not exist."""
    for name in ("collections", "items", "live", "files"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    _write(folder / "sites.json", {"sites": [content.site]})
    listed = [summary(table) for table, _ in content.collections]
    _write(folder / "collections.json", {"collections": [*listed]})
    for table, entries in content.collections:
        body = schema(table)
        name = f"{body['id']}.json"
        _write(folder / "collections" / name, body)
        _write_lines(folder / "items" / name, staged(table, entries))
        _write_lines(folder / "live" / name, live(table, entries))
    for file_id, data in content.files.items():
        (folder / "files" / file_id).write_bytes(data)
    if content.missing:
        text = json.dumps(list(content.missing))
        (folder / "files" / "missing.json").write_text(text + "\n", encoding="utf-8")


def _write(path: Path, body: JsonObject) -> None:
    text = json.dumps(body, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _write_lines(path: Path, items: Iterable[JsonObject]) -> None:
    """Write the items one per line, so that they can be read one by one."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('{"items": [\n')
        for number, item in enumerate(items):
            file.write(",\n" if number else "")
            file.write(json.dumps(item, ensure_ascii=False))
        file.write("\n]}\n")
