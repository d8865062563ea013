"""The decision files of a project: read, written whole, never half."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cmsmig.canonical import fingerprint
from cmsmig.errors import DecisionsError, StorageError, UndecidedError
from cmsmig.mapping.choices import (
    BlocksDecision,
    CollectionsDecision,
    ConflictsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions import (
    blocks_from_text,
    collections_from_text,
    conflicts_from_text,
    design_from_text,
    embeds_from_text,
)
from cmsmig.mapping.design import Design
from cmsmig.settings import Project

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decisions:
    """Everything that people decided."""

    collections: CollectionsDecision
    design: Design
    blocks: BlocksDecision
    embeds: EmbedsDecision
    conflicts: ConflictsDecision
    hashes: Mapping[str, str]
    """Fingerprints of the files' texts, by file name; a missing file has none."""


def read_decisions(project: Project) -> Decisions:
    """Return the decisions of a project.

    The collections and the design have to be there; a missing file of the others
    means the defaults, which lose nothing. Raises `UndecidedError` naming what is
    missing and `DecisionsError` naming what is malformed.
    """
    return Decisions(
        collections=_required(project, "collections.yaml", collections_from_text),
        design=_required(project, "design.yaml", design_from_text),
        blocks=_optional(
            project, "blocks.yaml", blocks_from_text, BlocksDecision(bodies=())
        ),
        embeds=_optional(project, "embeds.yaml", embeds_from_text, EmbedsDecision()),
        conflicts=_optional(
            project, "conflicts.yaml", conflicts_from_text, ConflictsDecision()
        ),
        hashes=_hashes(project),
    )


def write_decision(project: Project, name: str, text: str) -> Path:
    """Replace one decision file by `text` in one step.

    Raises `StorageError` when the folder cannot be written.
    """
    path = project.decisions / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); free some space or correct "
            "the rights of the folder, then run this again."
        ) from error
    return path


def _required(project: Project, name: str, parse: Callable[[str, str], T]) -> T:
    text = _text(project.decisions / name)
    if text is None:
        raise UndecidedError(
            f"Nothing is decided yet: {project.decisions / name} is missing; decide in "
            "the notebooks 01 and 02, or run `cmsmig decide --accept-proposals "
            "--reviewer NAME`."
        )
    return parse(text, name)


def _optional(
    project: Project, name: str, parse: Callable[[str, str], T], default: T
) -> T:
    text = _text(project.decisions / name)
    return default if text is None else parse(text, name)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise DecisionsError(
            f"{path} cannot be read ({error}); restore it from version control."
        ) from error


def _hashes(project: Project) -> dict[str, str]:
    names = ("collections", "design", "blocks", "embeds", "conflicts")
    found = {
        f"{name}.yaml": _text(project.decisions / f"{name}.yaml") for name in names
    }
    return {name: fingerprint(text) for name, text in found.items() if text is not None}
