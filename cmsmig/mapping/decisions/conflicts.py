"""What was decided about objects of the destination that conflict with an import:
objects of others in our place, edits on both sides, and what is gone on one side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Annotated

from pydantic import Field

from cmsmig.mapping.decisions.decision_records import Record
from cmsmig.mapping.decisions.design import Decision


class ConflictKind(StrEnum):
    """What at the destination is in the way."""

    COMPONENT = "component"
    DATASOURCE = "datasource"
    FOLDER = "folder"
    STORY = "story"
    ASSET = "asset"


class ConflictAction(StrEnum):
    """What a person decided about it. None of them changes the existing object."""

    SKIP = "skip"
    """Leave it and import nothing in its place."""
    REUSE = "reuse"
    """Use the existing object as if we had made it, without writing to it."""
    RENAME = "rename"
    """Import ours under another name, which `rename_to` gives."""


@dataclass(frozen=True, slots=True)
class ConflictChoice(Record):
    """What to do about one conflict."""

    kind: ConflictKind
    what: str
    """A component's name, or the full slug of a folder or story."""
    action: ConflictAction
    rename_to: str = ""
    note: str = ""


class Side(StrEnum):
    """Whose value is kept where both sides changed one."""

    OURS = "ours"
    """What the origin and the decisions say now."""
    THEIRS = "theirs"
    """The current value at the destination."""


WHOLE = "*"
"""Means every field of an object, or every object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditChoice(Record):
    """Whose value is kept in a field that was edited at the destination."""

    kind: ConflictKind
    what: str
    """A full slug, a name, or a file's name, as plan and verification name it; `*`
    for all."""
    field: str = WHOLE
    """Such as `content.title`, `name` or `schema.title.required`; `*` for all."""
    take: Side
    seen: str = ""
    """Fingerprint of the edit that was decided about; another one needs another
    decision. Empty: any edit."""
    note: str = ""


class GoneFrom(StrEnum):
    """The side that something is gone from."""

    ORIGIN = "origin"
    DESTINATION = "destination"


class GoneAction(StrEnum):
    """What to do about an object that one side no longer has."""

    KEEP = "keep"
    """Gone at the origin: the story stays as it is."""
    UNPUBLISH = "unpublish"
    """Gone at the origin: the story is unpublished, and stays a draft."""
    DELETE = "delete"
    """Gone at the origin: the story goes to the trash, unless an editor changed it."""
    RECREATE = "recreate"
    """Gone at the destination: it is made again."""
    LEAVE_OUT = "leave_out"
    """Gone at the destination: it is not made again."""


@dataclass(frozen=True, slots=True)
class GoneChoice(Record):
    """What to do about something that one side no longer has."""

    side: Annotated[GoneFrom, Field(alias="from")]
    what: str
    """A story's full slug or a thing's name; `*` for all."""
    action: GoneAction
    note: str = ""


@dataclass(frozen=True, slots=True)
class ConflictsDecision(Decision):
    """`conflicts.yaml`."""

    conflicts: tuple[ConflictChoice, ...] = ()
    edits: tuple[EditChoice, ...] = ()
    gone: tuple[GoneChoice, ...] = ()

    def choice(self, kind: ConflictKind, what: str) -> ConflictChoice | None:
        """Return what was decided about one conflict, if anything was."""
        return next(
            (
                choice
                for choice in self.conflicts
                if choice.kind is kind and choice.what == what
            ),
            None,
        )

    def side(self, kind: ConflictKind, what: str, field: str, seen: str) -> Side | None:
        """Return whose value is kept in a field that shows the edit `seen`."""
        found = self.edit(kind, what, field, seen)
        return found.take if found else None

    def edit(
        self, kind: ConflictKind, what: str, field: str, seen: str
    ) -> EditChoice | None:
        """Return the decision about a field that shows the edit `seen`.

        A decision about the object goes before one about all, and one about the field
        before one about all fields.
        """
        fitting = {
            (choice.what, choice.field): choice
            for choice in self.edits
            if choice.kind is kind and choice.seen in ("", seen)
        }
        narrow_first = product((what, WHOLE), (field, WHOLE))
        return next((fitting[each] for each in narrow_first if each in fitting), None)

    def gone_action(self, side: GoneFrom, what: str) -> GoneAction | None:
        """Return what was decided about something that `side` no longer has.

        A decision about the thing goes before one about all.
        """
        return self.named_action(side, what) or self.named_action(side, WHOLE)

    def named_action(self, side: GoneFrom, what: str) -> GoneAction | None:
        """Return what was decided about something that `side` no longer has, by its
        own name."""
        fitting = {
            choice.what: choice.action for choice in self.gone if choice.side is side
        }
        return fitting.get(what)
