"""What was decided about cleaning values while they move: operations, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import regex

from cmsmig.canonical import Json, fingerprint
from cmsmig.counting import counted
from cmsmig.mapping.decisions.decision_records import Record, record_body, unless
from cmsmig.mapping.decisions.design import Decision, Reviewed
from cmsmig.origin.schema import Collection, Field

TEXT_TYPES = frozenset(("PlainText", "Email", "Phone"))
LINK_TYPES = frozenset(("Link", "VideoLink"))
BODY = "RichText"
PICTURE_TYPES = frozenset(("Image", "MultiImage"))
_NUMBER = regex.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_SWITCH: Mapping[str, Json] = {"yes": True, "no": False}
_SETTABLE = TEXT_TYPES | LINK_TYPES | {BODY, "Option", "Switch", "Number", "DateTime"}


class CleaningKind(StrEnum):
    """What an operation does."""

    MERGE_VALUES = "merge_values"
    """Several spellings of a value become one."""
    REPLACE = "replace"
    """A text, or what a regular expression matches, becomes another text."""
    HEADINGS = "headings"
    """Headings in bodies are moved down, follow each other, or go where empty."""
    TRIM = "trim"
    """Blanks at the ends go, doubled ones become one, accidental ones can break."""
    ALT_TEXT = "alt_text"
    """Pictures without an alternative text get one."""
    SET_VALUE = "set_value"
    EMPTY_VALUE = "empty_value"


class Within(StrEnum):
    """Where `replace` looks."""

    TEXTS = "texts"
    """Text fields, and the visible text of bodies."""
    LINKS = "links"
    """Link fields, and the addresses of the links in bodies."""


@dataclass(frozen=True, slots=True)
class AltText(Record):
    """The alternative text of a picture."""

    picture: str
    """Its address at the origin."""
    alt: str
    where: Annotated[str, unless("")] = ""
    """`collection/item/field`, by their slugs, and `@` with the locale's tag where
    there is one; empty: wherever the picture has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Record):
    """One change of values, and where it applies."""

    kind: CleaningKind
    values: Annotated[tuple[str, ...], unless(())] = ()
    """`merge_values`: the spellings that become `to`."""
    find: Annotated[str, unless("")] = ""
    to: Annotated[str, unless("")] = ""
    regex: Annotated[bool, unless(False)] = False
    """`replace`: whether `find` is a regular expression; `to` may say \\1 then."""
    within: Annotated[Within, unless(Within.TEXTS)] = Within.TEXTS
    top: Annotated[int, unless(0)] = 0
    """`headings`: the highest level in a body; all move down with it. 0: as it is."""
    close_jumps: Annotated[bool, unless(False)] = False
    """`headings`: no level is left out between a heading and those below it."""
    drop_empty: Annotated[bool, unless(False)] = False
    alts: Annotated[tuple[AltText, ...], unless(())] = ()
    value: Annotated[str, unless("")] = ""
    """`set_value`: as the list of items shows it."""
    collections: Annotated[tuple[str, ...], unless(())] = ()
    """Slugs; none: all. The same of `fields`."""
    fields: Annotated[tuple[str, ...], unless(())] = ()
    locales: Annotated[tuple[str, ...], unless(())] = ()
    """Tags; none: all."""
    search: Annotated[str, unless("")] = ""
    """Words that an item holds before it is cleaned, as the list of items finds it."""
    items: Annotated[tuple[str, ...], unless(())] = ()
    """Ids; none: all."""
    note: Annotated[str, unless("")] = ""
    refused: Annotated[bool, unless(False)] = False
    reviewed: Annotated[Reviewed | None, unless(None)] = None
    """Who accepted or refused it, and when; none: it is proposed, and changes
    nothing."""

    @property
    def state(self) -> str:
        """Return what was decided: only what is accepted is carried out."""
        if self.refused:
            return "refused"
        return "accepted" if self.reviewed else "proposed"

    @property
    def effect(self) -> str:
        """Return the fingerprint of what it does, without note and review."""
        plain = replace(self, note="", refused=False, reviewed=None)
        return fingerprint(record_body(plain))

    @property
    def subject(self) -> str:
        """Return the fingerprint of what it is about, whatever is chosen for it: the
        spelling that stays, the first level of headings, where links lead."""
        is_open = self.kind is CleaningKind.MERGE_VALUES or self.within is Within.LINKS
        return replace(self, to="" if is_open else self.to, top=min(self.top, 1)).effect

    @property
    def title(self) -> str:
        """Return what it does, in words, without where."""
        headings = (
            (self.top, f"headings begin at level {self.top}"),
            (self.close_jumps, "jumps between headings close"),
            (self.drop_empty, "empty headings go"),
        )
        is_link = self.within is Within.LINKS
        slashes = "//" if is_link else ""
        find, to = (each.removeprefix(slashes) for each in (self.find, self.to))
        return _TITLES[self.kind].format(
            others=", ".join(f"“{each}”" for each in self.values if each != self.to),
            find=f"{'the expression ' if self.regex else ''}“{find}”",
            to=f"“{to}”" if to else "nothing",
            place=" in links" if is_link else "",
            headings=", ".join(said for is_so, said in headings if is_so),
            alts=counted(len(self.alts), "alternative text"),
            fields=", ".join(self.fields),
            value=self.value,
        )

    def reaches(self, collection: Collection, field: Field) -> bool:
        """Return whether it may change a field. It never does a slug: pages are known
        by it."""
        if (
            field.slug == "slug"
            or field.slug not in (self.fields or (field.slug,))
            or collection.slug not in (self.collections or (collection.slug,))
        ):
            return False
        types = _TYPES.get(self.kind)
        if self.within is Within.LINKS:
            types = LINK_TYPES | {BODY}
        return types is None or field.type in types


_TITLES: Mapping[CleaningKind, str] = {
    CleaningKind.MERGE_VALUES: "{others} become {to}",
    CleaningKind.REPLACE: "{find} becomes {to}{place}",
    CleaningKind.HEADINGS: "{headings}",
    CleaningKind.TRIM: "accidental blanks go",
    CleaningKind.ALT_TEXT: "{alts} given to pictures",
    CleaningKind.SET_VALUE: "{fields} set to “{value}”",
    CleaningKind.EMPTY_VALUE: "{fields} emptied",
}
_TYPES: Mapping[CleaningKind, frozenset[str]] = {
    CleaningKind.MERGE_VALUES: frozenset(("PlainText", "Option")),
    CleaningKind.REPLACE: TEXT_TYPES | {BODY},
    CleaningKind.HEADINGS: frozenset((BODY,)),
    CleaningKind.TRIM: TEXT_TYPES | LINK_TYPES | {BODY},
    CleaningKind.ALT_TEXT: PICTURE_TYPES | {BODY},
}
"""The types of fields that each kind changes; the others change any."""


@dataclass(frozen=True, slots=True)
class CleaningDecision(Decision):
    """`cleaning.yaml`."""

    operations: tuple[Operation, ...] = ()

    @property
    def accepted(self) -> tuple[tuple[int, Operation], ...]:
        """Return the operations that are carried out, with their numbers from 1."""
        numbered = enumerate(self.operations, start=1)
        return tuple(
            (number, each) for number, each in numbered if each.state == "accepted"
        )


def counted_places(places: int, items: int) -> str:
    """Return how much an operation changes, in words."""
    if not places:
        return "finds nothing any more"
    return f"{counted(places, 'place')} in {counted(items, 'item')}"


def cleaning_problems(
    decision: CleaningDecision, collections: Mapping[str, Collection]
) -> Iterator[str]:
    """Yield what is wrong with the operations, each as a sentence without its stop."""
    for number, each in enumerate(decision.operations, start=1):
        for problem in _problems(each, [*collections.values()]):
            yield f"operation {number} ({each.kind}) {problem}"


def _problems(each: Operation, collections: Sequence[Collection]) -> Iterator[str]:
    slugs = {one.slug for one in collections}
    for slug in sorted({*each.collections} - slugs):
        yield f"names the collection `{slug}`; the site has {', '.join(sorted(slugs))}"
    fields = [f for one in collections for f in one.fields if each.reaches(one, f)]
    for slug in sorted({*each.fields} - {field.slug for field in fields}):
        yield f"cannot change the field `{slug}`: there is none, or of another type"
    kind = each.kind
    for is_wrong, said in (
        (
            kind is CleaningKind.MERGE_VALUES
            and not (each.fields and each.values and each.to),
            "needs `fields`, `values` and `to`",
        ),
        (kind is CleaningKind.REPLACE and not each.find, "needs `find`"),
        (
            each.find and each.find in each.to and not each.regex,
            f"puts `{each.find}` into its own result, and would never end",
        ),
        (each.top not in range(7), f"has `top: {each.top}`; levels go from 1 to 6"),
        (
            kind is CleaningKind.HEADINGS
            and not (each.top or each.close_jumps or each.drop_empty),
            "needs `top`, `close_jumps` or `drop_empty`",
        ),
        (
            kind not in _TYPES and not (each.fields and (each.search or each.items)),
            "needs `fields`, and `search` or `items`",
        ),
    ):
        if is_wrong:
            yield said
    for field in fields if each.fields else ():
        yield from _value_problems(each, field)
    try:
        regex.compile(each.find if each.regex else "")
    except regex.error as error:
        yield f"has a regular expression that cannot be read: {error}"


def _value_problems(each: Operation, field: Field) -> Iterator[str]:
    labels, kind = [label for _, label in field.options], each.kind
    if kind is CleaningKind.MERGE_VALUES and labels and each.to not in labels:
        there = ", ".join(labels)
        yield f"needs an option of `{field.slug}` under `to`; there are {there}"
    elif kind is CleaningKind.EMPTY_VALUE and field.required:
        yield f"cannot empty the field `{field.slug}`, which is required"
    elif kind is CleaningKind.SET_VALUE and field.type not in _SETTABLE:
        yield f"cannot set the field `{field.slug}`, which is a {field.type}"
    elif kind is CleaningKind.SET_VALUE and value_said(field, each.value) is None:
        yield f"sets `{field.slug}` to `{each.value}`, which is no {field.type}"


def value_said(field: Field, text: str) -> Json:
    """Return the value that a text says; null for one that the field cannot have."""
    if field.type == "Number" and (number := _NUMBER.fullmatch(text)):
        return float(text) if number[1] else int(text)
    if field.type in ("Number", "Switch", "Option"):
        named: dict[str, Json] = {label: key for key, label in field.options}
        return (_SWITCH if field.type == "Switch" else named).get(text)
    return text or None
