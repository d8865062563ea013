"""Case files: inputs and what must follow from them, without Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml


def entries(
    path: Path, loader: type[Any] = yaml.CSafeLoader
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the title, the entry and the row of each case of a YAML file.

    A file is a list. Each entry has a sentence under `case`; where it has `rows`,
    each row is a case of its own that shares the rest of its entry.
    """
    # Every loader that is given is a safe one.
    for entry in yaml.load(path.read_text("utf-8"), loader):
        rows = entry.pop("rows", [{}])
        for number, row in enumerate(rows, start=1):
            name = entry["case"]
            yield f"{name}, {number}" if len(rows) > 1 else name, entry, row


def cases(test_file: str, *names: str) -> pytest.MarkDecorator:
    """Parametrize a test with `case`: one of these files in the folder `cases`."""
    found: dict[str, Any] = {}
    for name in names:
        for title, entry, row in entries(Path(test_file).with_name("cases") / name):
            assert title not in found, f"{names}: two cases are called {title}"
            found[title] = entry | row
    return pytest.mark.parametrize("case", found.values(), ids=found)


def part(found: Any, wanted: Any) -> Any:
    """Return what `found` holds of the keys that `wanted` has, in lists and records.

    `assert part(found, wanted) == wanted` shows what differs, and nothing else. A key
    that is to be absent is null; a text that begins with `…` is part of what is found.
    """
    if isinstance(wanted, dict) and isinstance(found, dict):
        return {key: part(found.get(key), wanted[key]) for key in wanted}
    if isinstance(wanted, dict) and is_dataclass(found):
        return {key: part(getattr(found, key), wanted[key]) for key in wanted}
    if isinstance(wanted, list) and isinstance(found, list | tuple):
        pairs = zip(found, wanted, strict=False)
        return [part(*pair) for pair in pairs] + list(found[len(wanted) :])
    if isinstance(wanted, str) and wanted.startswith("…"):
        return wanted if wanted.strip("… ") in str(found) else found
    return found
