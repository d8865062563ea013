"""Bodies converted on their own: one text, or a folder of them on all cores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.errors import StorageError, UsageError
from cmsmig.json_text import json_text
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import convert_text
from cmsmig.steps.decide.rules_file import NamedRules
from cmsmig.steps.process_pool import in_processes

_MOST_AT_ONCE = 64
"""Bodies that a process is given together."""
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
    names = _names(source, SUFFIXES[kind].removeprefix("*"))
    documents = with_losses = losses = 0
    try:
        target.mkdir(parents=True, exist_ok=True)
        work = partial(_convert_files, source, target, kind, rules)
        for counts in _convert_all(work, names, processes or os.cpu_count() or 1):
            documents += len(counts)
            with_losses += sum(bool(each) for each in counts)
            losses += sum(counts)
    except OSError as error:
        raise StorageError(
            f"{error.filename or target} cannot be read or written "
            f"({error.strerror}); correct that and run this again."
        ) from error
    return BatchResult(documents, with_losses, losses)


def _names(source: Path, suffix: str) -> list[str]:
    """Return the names of the bodies: a path object is some ten times as large."""
    with os.scandir(source) as entries:
        return sorted(
            e.name for e in entries if e.name.endswith(suffix) and e.is_file()
        )


def _convert_all(
    work: partial[list[int]], names: Sequence[str], processes: int
) -> Iterator[list[int]]:
    """Yield the numbers of losses, part by part; only a few parts are ever waiting."""
    if processes == 1 or len(names) < 2 * processes:
        yield work(names)
        return
    # Small enough that at the end no process waits long for the last one.
    size = min(_MOST_AT_ONCE, max(1, len(names) // (32 * processes)))
    parts = (names[start : start + size] for start in range(0, len(names), size))
    for _, counts in in_processes(work, parts, processes=processes):
        yield counts


def _convert_files(
    source: Path,
    target: Path,
    kind: str,
    rules: NamedRules | None,
    names: Sequence[str],
) -> list[int]:
    return [_convert_file(target, kind, rules, source / name) for name in names]


def _convert_file(target: Path, kind: str, rules: NamedRules | None, path: Path) -> int:
    text = path.read_bytes().decode("utf-8", "replace")
    loaded = None if rules is None else rules.loaded()
    converted = convert_text(text, source=kind, rules=loaded)
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
