"""The decision files of a project: read, written whole, never half."""

from __future__ import annotations

import fcntl
import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, cast

from cmsmig.canonical import fingerprint
from cmsmig.errors import DecisionsError, UndecidedError
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
    PublishRule,
)
from cmsmig.mapping.decisions.cleaning import CleaningDecision
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.mapping.decisions.decision_files import (
    FILE_NAMES,
    D,
    decided_value,
    from_text,
    text_with,
    to_text,
)
from cmsmig.mapping.decisions.design import Decision, Design, Reviewed
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.mapping.propose.additions import Addition
from cmsmig.origin.records import disk, replace_file
from cmsmig.settings import Project
from cmsmig.valid_text import valid_text

_Texts: TypeAlias = Mapping[type[Decision], str | None]
"""The content of each file; None where it is missing."""
_KNOWN = 7
"""Texts whose meaning is kept: steps and cells of a run read the same ones again."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Everything that people decided."""

    collections: CollectionsDecision
    design: Design
    blocks: BlocksDecision
    embeds: EmbedsDecision
    conflicts: ConflictsDecision
    cleaning: CleaningDecision
    hashes: Mapping[str, str]
    """Fingerprints of what was decided, by file name; who decided does not count.
    Redirects are no part of an import, nor is cleaning without accepted operations."""


def stamp_review(by: str, how: str) -> Reviewed:
    """Return that a person takes a decision now; `how`: individually or in bulk."""
    return Reviewed(by, datetime.now(UTC).isoformat(timespec="seconds"), how)


def read_decisions(project: Project) -> Decisions:
    """Return the decisions of a project.

    The collections and the design have to be there; a missing file of the others
    means the defaults, which lose nothing. Raises `UndecidedError` naming what is
    missing and `DecisionsError` naming what is malformed.
    """
    if project.target:
        _refuse_common_conflicts(project)
    texts = {
        kind: decision_text(project.decision(name))
        for kind, name in FILE_NAMES.items()
        if kind is not RedirectsDecision
    }
    return Decisions(
        _required(project, texts, CollectionsDecision),
        _required(project, texts, Design),
        _parsed(texts[BlocksDecision], BlocksDecision),
        _parsed(texts[EmbedsDecision], EmbedsDecision),
        _parsed(texts[ConflictsDecision], ConflictsDecision),
        cleaning := _parsed(texts[CleaningDecision], CleaningDecision),
        {
            FILE_NAMES[kind]: _hash_of(text, cast(Any, kind))
            for kind, text in texts.items()
            if kind is not CleaningDecision or cleaning.accepted
        },
    )


def _refuse_common_conflicts(project: Project) -> None:
    """Raise `DecisionsError` where conflicts are decided for no target at all."""
    name = FILE_NAMES[ConflictsDecision]
    common = _parsed(decision_text(project.decisions / name), ConflictsDecision)
    if common.conflicts or common.edits or common.gone:
        raise DecisionsError(
            f"{project.decisions / name} decides about a space, and this project has "
            f"several: move what it decides to {project.decision(name)}, for each "
            "target that it is meant for."
        )


def write_decision(project: Project, decision: Decision) -> Path:
    """Replace one decision file in one step, when no other process writes one.

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
    that is not accepted yet is accepted. Raises `DecisionsError` when it is
    malformed and `StorageError` when the folder cannot be written.
    """
    name = FILE_NAMES[kind]
    with writing(project):
        text = decision_text(project.decision(name)) or ""
        before = from_text(text, name, kind)
        after, found = complete(before)
        added = list(found)
        if before.reviewed is None:
            added.append(Addition("acceptance", name))
        if not added:
            return before, ()
        after = replace(after, reviewed=reviewed)
        replace_text(project.decision(name), text_with(text, before, after))
        return after, tuple(added)


def change_decision(project: Project, kind: type[D], change: Callable[[D], D]) -> D:
    """Replace one decision by what `change` makes of it; return that.

    All else stays in its file as people wrote it; a missing file has the defaults.
    Raises `DecisionsError` when it is malformed and `StorageError` when the folder
    cannot be written.
    """
    name = FILE_NAMES[kind]
    with writing(project):
        text = decision_text(project.decision(name))
        before = _parsed(text, kind)
        after = change(before)
        replace_text(
            project.decision(name),
            to_text(after) if text is None else text_with(text, before, after),
        )
        return after


@contextmanager
def writing(project: Project) -> Iterator[None]:
    """Hold the decisions for the body, so that what is read in it stays true until
    it is replaced. Waits for the process that holds them; must not be nested."""
    folder = project.decisions
    with disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
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
    path = project.decision(FILE_NAMES[type(decision)])
    return replace_text(path, to_text(decision))


def replace_text(path: Path, text: str) -> Path:
    """Replace a file that people edit in one step, so that no reader gets half of it.

    Raises `StorageError` when it cannot be written.
    """
    replace_file(path, [valid_text(text).encode()], is_shared=True)
    return path


def decision_in(project: Project, kind: type[D]) -> D | None:
    """Return one decision, or None where its file is missing. Reads only.

    Raises `DecisionsError` naming the file when it is malformed.
    """
    text = decision_text(project.decision(FILE_NAMES[kind]))
    return None if text is None else _parsed(text, kind)


def not_migrated(project: Project) -> frozenset[str]:
    """Return the ids of the collections that a person left out; none where the file of
    the decision is missing or malformed, which later steps say. Reads only."""
    try:
        decided = decision_in(project, CollectionsDecision)
    except DecisionsError:
        return frozenset()
    return decided.left_out if decided else frozenset()


def is_publishing(project: Project) -> bool:
    """Return whether it was decided that anything is published. Reads only.

    Raises `DecisionsError` when the file of the decision is malformed.
    """
    decided = decision_in(project, CollectionsDecision)
    choices = decided.collections if decided else ()
    return any(each.publish is not PublishRule.NOTHING for each in choices)


def _required(project: Project, texts: _Texts, kind: type[D]) -> D:
    if texts[kind] is None:
        raise UndecidedError(
            f"Nothing is decided yet: {project.decision(FILE_NAMES[kind])} is missing; "
            "decide in the notebooks 01 and 02, or run `cmsmig decide "
            "--accept-proposals --reviewer NAME`."
        )
    return _parsed(texts[kind], kind)


def _parsed(text: str | None, kind: type[D]) -> D:
    """Return what a text decides; without one, the defaults, which lose nothing."""
    found: D = _known(text, cast(Any, kind))
    return found


@lru_cache(maxsize=_KNOWN)
def _known(text: str | None, kind: Any) -> Any:
    return kind() if text is None else from_text(text, FILE_NAMES[kind], kind)


@lru_cache(maxsize=_KNOWN)
def _hash_of(text: str | None, kind: Any) -> str:
    return fingerprint(decided_value(_known(text, kind)))


def decision_text(path: Path) -> str | None:
    """Return what a decision file holds, in UTF-8 or, as spreadsheets write it, in
    UTF-16; None where there is none.

    Raises `DecisionsError` for one that cannot be read.
    """
    try:
        data = path.read_bytes()
        is_utf16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        return data.decode("utf-16" if is_utf16 else "utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise DecisionsError(
            f"{path} cannot be read: it is no text in UTF-8 ({error}); save it as "
            "UTF-8 (in a spreadsheet: `CSV UTF-8`)."
        ) from error
    except OSError as error:
        raise DecisionsError(
            f"{path} cannot be read ({error}); restore it from version control."
        ) from error
