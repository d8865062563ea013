"""Bodies converted on their own: one text, or a folder of them on all cores."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.errors import StorageError, UsageError
from cmsmig.json_text import json_text
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import convert_text
from cmsmig.steps.decide.rules_file import NamedRules

SUFFIXES = {"html": "*.html", "markdown": "*.md"}


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What a batch did."""

    documents: int
    with_losses: int
    losses: int

    def __str__(self) -> str:
        return (
            f"{self.documents} documents, {self.with_losses} with losses, "
            f"{self.losses} losses"
        )


def document_text(document: JsonObject) -> str:
    """Return a document as the commands write it: one line, keys in wire order."""
    return json_text(document) + "\n"


def losses_text(converted: Converted) -> str:
    """Return the losses as one JSON document: a list of objects."""
    listed = [json_text(loss.as_json()) for loss in converted.losses]
    return "[" + ",".join(f"\n {loss}" for loss in listed) + "\n]\n"


def convert_folder(
    source: Path,
    target: Path,
    *,
    mode: str,
    kind: str,
    processes: int | None = None,
    rules: NamedRules | None = None,
) -> BatchResult:
    """Convert every body at the top of `source` into `target`, on all cores.

    Each process loads the project's own `rules` for itself.

    Writes `STEM.json`, and `STEM.losses.json` where anything was lost. The same
    bytes whatever the number of processes. Raises `UsageError` without a folder
    and `StorageError` when the target cannot be written.
    """
    if not source.is_dir():
        raise UsageError(f"{source} is not a folder; name one that holds the bodies.")
    paths = sorted(path for path in source.glob(SUFFIXES[kind]) if path.is_file())
    try:
        target.mkdir(parents=True, exist_ok=True)
        work = partial(_convert_file, target, mode, kind, rules)
        counts = list(_map_paths(work, paths, processes or os.cpu_count() or 1))
    except OSError as error:
        raise StorageError(
            f"{error.filename or target} cannot be read or written "
            f"({error.strerror}); correct that and run this again."
        ) from error
    return BatchResult(len(counts), sum(bool(each) for each in counts), sum(counts))


def _map_paths(work: partial[int], paths: list[Path], processes: int) -> Iterable[int]:
    if processes == 1 or len(paths) < 2 * processes:
        return map(work, paths)
    with ProcessPoolExecutor(processes) as pool:
        # Small enough that at the end nobody waits long for the last one.
        chunk = max(1, len(paths) // (32 * processes))
        return list(pool.map(work, paths, chunksize=chunk))


def _convert_file(
    target: Path, mode: str, kind: str, rules: NamedRules | None, path: Path
) -> int:
    text = path.read_bytes().decode("utf-8", "replace")
    loaded = None if rules is None else rules.loaded()
    converted = convert_text(text, source=kind, mode=mode, rules=loaded)
    stem = path.name.rsplit(".", 1)[0]
    (target / f"{stem}.json").write_text(
        document_text(converted.document), encoding="utf-8"
    )
    losses = target / f"{stem}.losses.json"
    if converted.losses:
        losses.write_text(losses_text(converted), encoding="utf-8")
    else:
        losses.unlink(missing_ok=True)
    return len(converted.losses)
