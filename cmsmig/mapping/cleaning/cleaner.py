"""The operations of `cleaning.yaml`, and items as the accepted ones leave them. Pure:
what was pulled never changes, and the same again changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

import regex

from cmsmig.canonical import Json, JsonObject, fingerprint, text_of
from cmsmig.data_address import file_key
from cmsmig.errors import DecisionsError
from cmsmig.mapping.cleaning.body_edits import (
    Body,
    TextEdit,
    edit_alts,
    edit_headings,
    edit_links,
    edit_texts,
    edited_text,
)
from cmsmig.mapping.cleaning.change_texts import changed_parts, said
from cmsmig.mapping.cleaning.search import is_found
from cmsmig.mapping.convert.asset_uploads import safe_name, shown_alt
from cmsmig.mapping.decisions.cleaning import (
    BODY,
    PICTURE_TYPES,
    CleaningKind,
    Operation,
    Within,
    value_said,
)
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.select.translations import hash_of_languages, items_by_language
from cmsmig.origin.schema import Collection, Field, Item, numbers_of

_ROUNDS = 8
"""Times that an operation may find something in its own result."""
_SECONDS = 2.0
"""That a regular expression may take for one text."""
_ENDS = " \t\n\r\xa0"
_GAP = re.compile(
    r"(?<=\S)[ \xa0]{2,}+(?=\S)|(?<=[^\W\d_]{3})\xa0(?=[^\W\d_]{3})|(?<=\S)\t++(?=\S)"
)
"""Blanks between words that are not one blank: several, one that cannot break between
two words, which no typography asks for, or a tab. `\\S` is no such blank."""
_PICTURE_NAME = re.compile(
    r"\S+\.(?:jpe?g|png|gif|webp|avif|svg|heic)|(?:IMG|DSC|DSCN|Screenshot|Frame)[\W_]*"
    r"[\d _.\-]+",
    re.I,
)


def cleaned_value(
    operation: Operation, field: Field, where: str, value: Json
) -> tuple[Json, int]:
    """Return what an operation makes of a value, and how many places it changes.
    `where` is as `AltText.where` names it.

    Where its own results never end, the value stays as it is. Raises `DecisionsError`
    for a regular expression that takes too long.
    """
    found, places = value, 0
    for _ in range(_ROUNDS):
        new, count = _edited(operation, field, where, found)
        if not count:
            return found, places
        found, places = new, places + count
    return value, 0


def _edited(
    operation: Operation, field: Field, where: str, value: Json
) -> tuple[Json, int]:
    kind = operation.kind
    if kind in (CleaningKind.SET_VALUE, CleaningKind.EMPTY_VALUE):
        wanted = value_said(field, operation.value)
        return wanted, int(value != wanted)
    if kind is CleaningKind.ALT_TEXT and field.type in PICTURE_TYPES:
        return _alts_of_field(_alts_at(operation, where), value)
    if not isinstance(value, str):
        return value, 0
    if kind is CleaningKind.ALT_TEXT:
        return _alts_of_body(_alts_at(operation, where), value)
    if kind is CleaningKind.MERGE_VALUES:
        said = dict(field.options).get(value, value)
        is_other = said != operation.to and said in operation.values
        return (value_said(field, operation.to), 1) if is_other else (value, 0)
    if kind is CleaningKind.HEADINGS:
        levels = partial(heading_levels, operation)
        return edit_headings(value, levels, drop_empty=operation.drop_empty)
    is_trim = kind is CleaningKind.TRIM
    find = find_blanks if is_trim else partial(_replacements, operation)
    if field.type == BODY:
        in_links = operation.within is Within.LINKS
        return edit_links(value, find) if in_links else edit_texts(value, find)
    edits = find(value)
    return edited_text(value, edits), len(edits)


def find_blanks(text: str) -> list[TextEdit]:
    """Return the blanks that no one meant: at the ends, doubled, or accidental."""
    inner = text.strip(_ENDS)
    if not inner:
        return []
    first = len(text) - len(text.lstrip(_ENDS))
    last = first + len(inner)
    ends = [
        TextEdit(start, end, "")
        for start, end in ((0, first), (last, len(text)))
        # Lines of indented source are no blanks that anyone sees.
        if start < end and ("\n" not in text[start:end] or "\xa0" in text[start:end])
    ]
    gaps = (
        TextEdit(each.start(), each.end(), " ")
        for each in _GAP.finditer(text, first, last)
    )
    return sorted([*ends, *gaps])


def _replacements(operation: Operation, text: str) -> list[TextEdit]:
    if not operation.regex:
        plain = re.finditer(re.escape(operation.find), text)
        return [TextEdit(*each.span(), operation.to) for each in plain]
    try:
        found = regex.finditer(operation.find, text, timeout=_SECONDS)
        edits = [TextEdit(*each.span(), each.expand(operation.to)) for each in found]
    except TimeoutError:
        raise DecisionsError(
            f"cleaning.yaml: the expression `{operation.find}` takes more than "
            f"{_SECONDS:.0f} seconds for a text that begins “{text[:40]}”; write it "
            "simpler."
        ) from None
    except (regex.error, IndexError) as error:
        raise DecisionsError(
            f"cleaning.yaml: what `{operation.find}` finds cannot be replaced by "
            f"`{operation.to}`: {error}."
        ) from None
    return [e for e in edits if e.start < e.end and text[e.start : e.end] != e.new]


def heading_levels(operation: Operation, levels: Sequence[int]) -> list[int]:
    """Return the levels of a body's headings as an operation leaves them."""
    down = max(operation.top - min(levels, default=6), 0)
    moved = [min(each + down, 6) for each in levels]
    return closed(moved) if operation.close_jumps else moved


def closed(levels: Sequence[int]) -> list[int]:
    """Return levels without jumps: one below another is one level deeper. The first,
    and each that is above all before it, stays."""
    above: list[tuple[int, int]] = []
    found = []
    for level in levels:
        while above and above[-1][0] >= level:
            above.pop()
        new = above[-1][1] + 1 if above else level
        above.append((level, new))
        found.append(new)
    return found


def _alts_at(operation: Operation, where: str) -> Mapping[str, str]:
    """Return the alternative texts for a place, by the picture."""
    return {
        file_key(each.picture): each.alt
        for place in ("", where)
        for each in operation.alts
        if each.where == place and each.alt.strip()
    }


def _alts_of_body(alts: Mapping[str, str], html: str) -> tuple[str, int]:
    body = Body(html)
    shown = zip(body.addresses(), body.pictures, strict=True)
    found = {
        number: alt
        for number, (address, picture) in enumerate(shown)
        if lacks_text(picture.attributes.get("alt"), address)
        and (alt := alts.get(file_key(address)))
    }
    body.close()
    return edit_alts(html, found) if found else (html, 0)


def _alts_of_field(alts: Mapping[str, str], value: Json) -> tuple[Json, int]:
    new, places = list[Json](), 0
    for each in value if isinstance(value, list) else [value]:
        address = text_of(each.get("url")) if isinstance(each, dict) else ""
        alt = alts.get(file_key(address))
        if (
            isinstance(each, dict)
            and alt
            and lacks_text(old := each.get("alt"), address)
        ):
            new.append({**each, "alt": alt})
            places += old != alt
        else:
            new.append(each)
    return (new if isinstance(value, list) else new[0]), places


def lacks_text(alt: object, address: str) -> bool:
    """Return whether a picture has no alternative text, or but the name of its file."""
    return not shown_alt(alt).strip() or is_name(alt, address)


def is_name(alt: object, address: str) -> bool:
    """Return whether an alternative text is but the name of a file."""
    said = shown_alt(alt).strip()
    stem = safe_name(address).rpartition(".")[0]
    return bool(said) and (
        (said == stem and not said.isalpha())
        or _PICTURE_NAME.fullmatch(said[:300]) is not None
    )


_LATELY_READ = 8
"""Items in memory: an item's fields are asked for one after another."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What one operation changed in one field."""

    operation: int
    """Its number in the file, from 1."""
    field: Field
    places: int
    old: Json
    new: Json

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Return what changes in it, as its source says it: both sides of each."""
        return changed_parts(said(self.field, self.old), said(self.field, self.new))


@dataclass(frozen=True, slots=True)
class CleanedItem:
    """What an item becomes, without its values: they are made again when asked for."""

    name: str
    data_hash: str
    numbers: tuple[tuple[str, float], ...]
    edits: tuple[tuple[int, str, int], ...]
    """The number of each operation that changes it, the field and how many places."""


@dataclass(frozen=True, eq=False, slots=True)
class Cleaner:
    """The operations that are carried out, in their order."""

    operations: tuple[tuple[int, Operation], ...]
    """With their numbers from 1."""
    collections: Mapping[str, Collection]
    """By id."""
    locales: Mapping[str, str]
    """Tags by id."""

    @property
    def given_alts(self) -> frozenset[str]:
        """Return the alternative texts that operations give."""
        return frozenset(alt.alt for _, each in self.operations for alt in each.alts)

    def reaching(self, collection: Collection) -> list[tuple[int, Operation]]:
        """Return the operations that may change items of a collection."""
        return [
            (number, each)
            for number, each in self.operations
            if any(each.reaches(collection, one) for one in collection.fields)
        ]

    def edits(self, item: Item) -> Iterator[Edit]:
        """Yield what changes in an item, in the order of the operations.

        Which items an operation is for is decided by what was pulled.
        """
        collection, data = self.collections[item.key.collection_id], item.data
        now, tag = dict(data), self.locales.get(item.key.locale_id, "")
        for number, operation in self.reaching(collection):
            is_for = (
                item.key.item_id in (operation.items or (item.key.item_id,))
                and tag in (operation.locales or (tag,))
                and is_found(operation.search, collection, item.key, data)
            )
            sets = operation.kind is CleaningKind.SET_VALUE
            for each in collection.fields if is_for else ():
                old = now.get(each.slug)
                if operation.reaches(collection, each) and (sets or not is_blank(old)):
                    where = f"{collection.slug}/{item.slug}/{each.slug}"
                    where += f"@{tag}" if tag else ""
                    new, places = cleaned_value(operation, each, where, old)
                    if places and new != old:
                        now[each.slug] = new
                        yield Edit(number, each, places, old, new)

    def cleaned(self, item: Item) -> JsonObject:
        """Return an item's values as the operations leave them."""
        return {**item.data, **{e.field.slug: e.new for e in self.edits(item)}}

    def summary(self, item: Item) -> CleanedItem | None:
        """Return what an item becomes; None where nothing changes."""
        found = [*self.edits(item)]
        data = {**item.data, **{each.field.slug: each.new for each in found}}
        if data == item.data:
            return None
        return CleanedItem(
            text_of(data.get("name")),
            fingerprint(data),
            numbers_of(data),
            tuple((each.operation, each.field.slug, each.places) for each in found),
        )

    def apply(self, item: Item, summary: CleanedItem) -> Item:
        """Return an item with its cleaned values."""
        return replace(
            item,
            name=summary.name,
            data_hash=summary.data_hash,
            numbers=summary.numbers,
            source=CleanedSource(item, self, summary.edits),
        )


@dataclass(frozen=True, slots=True)
class CleanedSource:
    """The cleaned values of an item."""

    item: Item
    """As it was pulled."""
    cleaner: Cleaner
    changed: tuple[tuple[int, str, int], ...] = field(compare=False)
    """As `CleanedItem.edits`."""

    def read(self) -> JsonObject:
        """Return them; raises `CacheError` where the pulled ones are gone."""
        return _read(self)

    def edits(self) -> Iterator[Edit]:
        """Yield what was changed, with both values."""
        return self.cleaner.edits(self.item)


@lru_cache(maxsize=_LATELY_READ)
def _read(source: CleanedSource) -> JsonObject:
    return source.cleaner.cleaned(source.item)


def cleaned_sources(item: Item) -> Iterator[tuple[str, CleanedSource]]:
    """Yield the sources of an item's values that were cleaned, each with its language's
    code, which the primary one has not."""
    for code, each in items_by_language(item):
        if isinstance(each.source, CleanedSource):
            yield code, each.source


def pulled_hash(item: Item) -> str:
    """Return the fingerprint of an item's values as they were pulled."""
    return hash_of_languages(item, _pulled_hash)


def _pulled_hash(item: Item) -> str:
    source = item.source
    own = source.item if isinstance(source, CleanedSource) else item
    return own.data_hash
