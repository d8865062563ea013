"""Case files: inputs and what must follow from them, without Python."""

from __future__ import annotations

from dataclasses import is_dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml


def cases(beside: str, *names: str) -> pytest.MarkDecorator:
    """Parametrize a test with `case`: one of these YAML files in the folder `cases`.

    A file is a list. Each entry has a sentence under `case`; where it has `rows`,
    each row is a case of its own that shares the rest of its entry.
    """
    paths = [Path(beside).with_name("cases") / name for name in names]
    entries = chain.from_iterable(
        yaml.safe_load(each.read_text("utf-8")) for each in paths
    )
    found: dict[str, Any] = {}
    for entry in entries:
        rows = entry.pop("rows", [{}])
        for number, row in enumerate(rows, start=1):
            title = f"{entry['case']}, {number}" if len(rows) > 1 else entry["case"]
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
