"""The decision files of a project: read, written whole, never half."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.canonical import fingerprint
from cmsmig.errors import DecisionsError, StorageError, UndecidedError
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
)
from cmsmig.mapping.decisions.decision_files import (
    FILE_NAMES,
    D,
    Decision,
    decided_value,
    from_text,
    text_with,
    to_text,
)
from cmsmig.mapping.decisions.design import Design, Reviewed
from cmsmig.mapping.propose.additions import Addition
from cmsmig.plain_file import read_plain
from cmsmig.settings import Project
from cmsmig.whole_text import whole_text


@dataclass(frozen=True, slots=True)
class Decisions:
    """Everything that people decided."""

    collections: CollectionsDecision
    design: Design
    blocks: BlocksDecision
    embeds: EmbedsDecision
    conflicts: ConflictsDecision
    hashes: Mapping[str, str]
    """Fingerprints of what was decided, by file name; who decided does not count."""


def stamp_review(by: str, how: str) -> Reviewed:
    """Return that a person takes a decision now; `how`: individually or in bulk."""
    return Reviewed(by, datetime.now(UTC).isoformat(timespec="seconds"), how)


def read_decisions(project: Project) -> Decisions:
    """Return the decisions of a project.

    The collections and the design have to be there; a missing file of the others
    means the defaults, which lose nothing. Raises `UndecidedError` naming what is
    missing and `DecisionsError` naming what is malformed.
    """
    collections = _read_required(project, CollectionsDecision)
    design = _read_required(project, Design)
    blocks = _optional(project, BlocksDecision(bodies=()))
    embeds = _optional(project, EmbedsDecision())
    conflicts = _optional(project, ConflictsDecision())
    return Decisions(
        collections,
        design,
        blocks,
        embeds,
        conflicts,
        _hashes((collections, design, blocks, embeds, conflicts)),
    )


def write_decision(project: Project, decision: Decision) -> Path:
    """Replace one decision file in one step, when nobody else is writing one.

    Raises `StorageError` when the folder cannot be written.
    """
    with writing(project):
        return replace_decision(project, decision)


def add_to_decision(
    project: Project,
    kind: type[D],
    complete: Callable[[D], tuple[D, tuple[Addition, ...]]],
    reviewed: Reviewed,
) -> tuple[D, tuple[Addition, ...]]:
    """Complete the decision that is there; return it as it is now and what is new.

    The file is written only when something is: that, and who accepted it last. One
    that nobody has accepted yet is accepted. Raises `DecisionsError` when it is
    malformed and `StorageError` when the folder cannot be written.
    """
    name = FILE_NAMES[kind]
    with writing(project):
        text = _text(project.decisions / name) or ""
        before = from_text(text, name, kind)
        after, found = complete(before)
        added = list(found)
        if before.reviewed is None:
            added.append(Addition("acceptance", name))
        if not added:
            return before, ()
        after = replace(after, reviewed=reviewed)
        _replace(project, name, text_with(text, before, after))
        return after, tuple(added)


@contextmanager
def writing(project: Project) -> Iterator[None]:
    """Hold the decisions for the body, so that what is read in it stays true until
    it is replaced. Waits for whoever holds them; must not be nested."""
    folder = project.decisions
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        # Where a file system knows no locks, files are still replaced whole.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace_decision(project: Project, decision: Decision) -> Path:
    """Replace one decision file in one step; the caller holds the decisions.

    Raises `StorageError` when the folder cannot be written.
    """
    return _replace(project, FILE_NAMES[type(decision)], to_text(decision))


def _replace(project: Project, name: str, text: str) -> Path:
    path = project.decisions / name
    try:
        # Made by `open`, so that its rights are those that the umask leaves.
        draft = path.with_name(f".{name}.{secrets.token_hex(4)}")
        with open(draft, "x", encoding="utf-8") as file:
            file.write(whole_text(text))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def _unwritable(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path} cannot be written ({error.strerror}); free some space or correct the "
        "rights of the folder, then run this again."
    )


def decision_in(project: Project, kind: type[D]) -> D | None:
    """Return one decision, or None where its file is missing. Reads only.

    Raises `DecisionsError` naming the file when it is malformed.
    """
    name = FILE_NAMES[kind]
    text = _text(project.decisions / name)
    return None if text is None else from_text(text, name, kind)


def _read_required(project: Project, kind: type[D]) -> D:
    found = decision_in(project, kind)
    if found is None:
        raise UndecidedError(
            f"Nothing is decided yet: {project.decisions / FILE_NAMES[kind]} is "
            "missing; decide in the notebooks 01 and 02, or run `cmsmig decide "
            "--accept-proposals --reviewer NAME`."
        )
    return found


def _optional(project: Project, default: D) -> D:
    found = decision_in(project, type(default))
    return default if found is None else found


def _text(path: Path) -> str | None:
    try:
        return read_plain(path).decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise DecisionsError(
            f"{path} cannot be read ({error}); restore it from version control."
        ) from error


def _hashes(decisions: Iterable[Decision]) -> dict[str, str]:
    return {
        FILE_NAMES[type(each)]: fingerprint(decided_value(each)) for each in decisions
    }
