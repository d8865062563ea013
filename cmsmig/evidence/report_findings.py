"""What a report lists one by one, in words that an editor understands.

Gone through each time it is read: a site's losses are never in memory
together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path

from cmsmig.canonical import JsonObject, text_of
from cmsmig.evidence.import_failures import Failure, item_failures
from cmsmig.evidence.item_words import ItemWords
from cmsmig.evidence.new_items import NewItems
from cmsmig.evidence.old_addresses import OldAddress, find_old_addresses
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import DELETED_THERE, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.cleaning.cleaner import cleaned_sources
from cmsmig.mapping.select.reference_targets import DanglingCause, explained
from cmsmig.mapping.select.routes import PageCause
from cmsmig.mapping.select.translations import IN_PRIMARY_STORY
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import PlanDetails
from cmsmig.ui.documents.findings import LINK_KINDS, Finding, loss_finding, reason_name

_SELECT = "Choose such items in notebook 01, or leave the field empty."
_FIX = "Fix the target, which is in the list of failures, and import again."
_REFERENCES: Mapping[str, str] = {
    DanglingCause.TARGET_FAILED: _FIX,
    DanglingCause.COLLECTION_NOT_MIGRATED: _SELECT,
    DanglingCause.ARCHIVED: _SELECT,
    DanglingCause.DRAFT_SKIPPED: _SELECT,
    DanglingCause.OTHER_SET: _SELECT,
    DanglingCause.OTHER_LOCALE: (
        "Translate the target at the origin, or leave the field empty."
    ),
}
_LEFT_OUT = (
    DanglingCause.ARCHIVED,
    DanglingCause.DRAFT_SKIPPED,
    DanglingCause.OTHER_SET,
)
"""Causes that a decision about the target takes away."""
_CHOOSE = "Choose another target in the story, or leave the field empty."
_LINKS: Mapping[str, tuple[str, str]] = {
    PageCause.STATIC: (
        "The page is no item of a collection, such as the front page.",
        "Ensure that the new site has a page at this address, or decide in notebook 01 "
        "that it is the former path of a collection.",
    ),
    PageCause.TEMPLATE: (
        "The address is a collection's own, and no item is behind it.",
        "Ensure that the new site has a page at this address.",
    ),
    PageCause.UNLISTED: (
        "The address is below a collection's, but no item that is imported has it.",
        "Correct the link in the story, or choose the item in notebook 01.",
    ),
    PageCause.LANGUAGE: (
        "It leads to a page in another language than its text. A link to a story leads "
        "to the page in the reader's own language, so the story holds the page's "
        "address on the new site.",
        "Nothing: an import writes the new address when the page moves.",
    ),
    PageCause.RAW_HTML: (
        "It is in code or data of raw HTML, where no link holds it, and its item has a "
        "story.",
        "Nothing, if the new site keeps or redirects the address; else correct it in "
        "the block.",
    ),
    DanglingCause.TARGET_FAILED: ("The item could not become a story.", _FIX),
    DanglingCause.NOT_IN_PILOT: (
        "The item is not part of this pilot.",
        "Nothing: an import of all fills it.",
    ),
}


_OLD: Mapping[bool, tuple[str, str, str]] = {
    True: (
        "File of the old site",
        "It is on the origin's file host, and ends with the old site.",
        "Upload the file to the space and choose it in the story.",
    ),
    False: (
        "Address of the old site in a text",
        "Readers see it as a text, or code uses it.",
        "Nothing where the new site keeps the domain; else correct it in the story.",
    ),
}
"""By whether the host is one of files: kind, why, and what to do."""


@dataclass(frozen=True, slots=True)
class FindingSet:
    """Findings of one sort, to be gone through again and again."""

    name: str
    """Of its CSV file, without the ending."""
    title: str
    none: str
    """What is said when there is nothing."""
    read: Callable[[], Iterator[Finding]]
    to_fill_in: str = ""
    """An empty last column of its CSV file, for people to fill in."""


def report_findings(
    migration: Migration,
    rows: Mapping[ItemKey, ItemRow],
    failures: tuple[Failure, ...],
    plan: JsonObject | None,
    details: PlanDetails,
    new: NewItems | None = None,
) -> tuple[FindingSet, ...]:
    """Return all that a report lists. Reads nothing yet."""
    words = ItemWords(migration, new)
    return (
        FindingSet(
            "failed-items",
            "Items that failed",
            "No item failed.",
            lambda: _failed(rows, words),
        ),
        FindingSet(
            "missing-files",
            "Files that are missing",
            "Every file was found and is uploaded.",
            lambda: _files(failures, words),
        ),
        FindingSet(
            "losses", "Losses", "Nothing was lost.", lambda: _losses(details, words)
        ),
        FindingSet(
            "references-that-stay-empty",
            "References that stay empty",
            "Every reference leads to a story.",
            lambda: _references(plan, words),
        ),
        FindingSet(
            "links-that-stay",
            "Links into the old site that stay as they are",
            "Every link into the old site leads to its new page.",
            lambda: _links(details, words),
        ),
        FindingSet(
            "skipped-items",
            "Items that were left out",
            "No item was left out.",
            lambda: _skipped(rows, words),
        ),
        FindingSet(
            "missing-alternative-texts",
            "Pictures without an alternative text",
            "Every picture has an alternative text.",
            lambda: _undescribed(migration, words),
            "Alternative text",
        ),
        *((_cleaned_set(migration, words),) if migration.cleaner.operations else ()),
    )


def old_address_findings(
    ledger: Path,
    migration: Migration,
    rows: Mapping[ItemKey, ItemRow],
    new: NewItems | None = None,
) -> FindingSet:
    """Return the texts and files of written stories that are on the old site's hosts.
    Reads nothing yet."""
    words = ItemWords(migration, new)

    def read() -> Iterator[Finding]:
        with Ledger.open_existing(ledger) as opened:
            for each in find_old_addresses(migration, opened, rows):
                if not each.is_link:
                    yield _old_address(each, migration, words)

    return FindingSet(
        "old-addresses",
        "Texts and files on the old site's hosts",
        "No written story names the old site in a text or loads a file from it.",
        read,
    )


def _failed(rows: Mapping[ItemKey, ItemRow], words: ItemWords) -> Iterator[Finding]:
    for key, row in rows.items():
        for each in item_failures([row]):
            yield Finding(
                kind=_kind(each.reason),
                what="",
                why=each.explanation or _kind(each.reason),
                todo=each.next_action,
                **words.about(key, row=row),
            )


def _files(failures: tuple[Failure, ...], words: ItemWords) -> Iterator[Finding]:
    for each in failures:
        for key, field in each.places if each.kind == "file" else ():
            yield Finding(
                kind=_kind(each.reason),
                what=each.subject,
                why=each.explanation or _kind(each.reason),
                todo=each.next_action,
                **words.about(key, field),
            )


def _losses(details: PlanDetails, words: ItemWords) -> Iterator[Finding]:
    for each in details.losses():
        yield loss_finding(each.loss, **words.about(each.key, each.field))


def _references(plan: JsonObject | None, words: ItemWords) -> Iterator[Finding]:
    for each in listed_in(plan, "dangling"):
        key, cause = _key(text_of(each["item"])), text_of(each["cause"])
        stated = explained(cause)
        target = _key(text_of(each["target"]))
        why, todo = f"The field stays empty: {stated}.", _REFERENCES.get(cause, _CHOOSE)
        instead = each.get("shown_instead")
        others = instead if isinstance(instead, list) else []
        shown = [words.item(_key(text_of(other))) for other in others]
        if shown:
            why = (
                f"Nothing can be filled in: {stated}. Visitors of this language get "
                f"what the primary language has there instead: {', '.join(shown)}."
            )
        if shown and cause in _LEFT_OUT:
            todo = (
                "Leave the item its own target: import that as a draft, which "
                f"visitors do not see, with `{{item: {target.item_id}, take: draft}}` "
                "under `apart` of its collection in decisions/collections.yaml. Or "
                "choose another target at the origin."
            )
        yield Finding(
            kind=_sentence_case(stated),
            what=words.target(target, cause),
            why=why,
            todo=todo,
            **words.about(key, text_of(each["field"])),
        )


def _links(details: PlanDetails, words: ItemWords) -> Iterator[Finding]:
    for each in details.links_left():
        why, todo = _LINKS.get(each.cause, (explained(each.cause), ""))
        yield Finding(
            kind=LINK_KINDS.get(each.cause, _kind(each.cause)),
            what=each.href,
            why=why,
            todo=todo,
            **words.about(each.key, each.field),
        )


def _old_address(found: OldAddress, migration: Migration, words: ItemWords) -> Finding:
    kind, why, todo = _OLD[found.host in migration.files.hosts]
    made = migration.design.content_type(found.key.collection_id)
    slugs = {each.key: each.origin for each in made.fields} if made else {}
    return Finding(
        kind=kind,
        what=found.address,
        why=why,
        todo=todo,
        **words.about(found.key, slugs.get(found.field, found.field)),
    )


def _undescribed(migration: Migration, words: ItemWords) -> Iterator[Finding]:
    """Yield each picture once, at the first place that shows it."""
    pictures = {
        address: each.name
        for each in migration.files.uploads
        if not each.alt.strip() and (guess_type(each.name)[0] or "").startswith("image")
        for address in each.addresses
    }
    named: set[str] = set()
    for use in migration.files.uses if pictures else ():
        name = pictures.get(use.address)
        if name is None or name in named or use.key not in migration.places.places:
            continue
        named.add(name)
        yield Finding(
            kind="Picture without an alternative text",
            what=name,
            why="Screen readers and search engines learn nothing of it.",
            todo="Write at the file in the space what it shows; none for decoration.",
            **words.about(use.key, use.field),
        )


def _cleaned_set(migration: Migration, words: ItemWords) -> FindingSet:
    return FindingSet(
        "cleaned-values",
        "What was cleaned",
        "No operation of cleaning.yaml finds anything any more.",
        lambda: _cleaned(migration, words),
    )


def _cleaned(migration: Migration, words: ItemWords) -> Iterator[Finding]:
    """Yield each change, by operation and item."""
    items = [each for e in migration.items.values() for _, each in cleaned_sources(e)]
    for number, operation in migration.cleaner.operations:
        for source in (e for e in items if number in (n for n, _, _ in e.changed)):
            key = source.item.key
            for edit in (e for e in source.edits() if e.operation == number):
                yield Finding(
                    kind=f"{number}. {operation.title}",
                    what="; ".join(f"{old} → {new}" for old, new in edit.parts),
                    why=operation.note,
                    todo="",
                    **words.about(key, edit.field.slug),
                )


def _skipped(rows: Mapping[ItemKey, ItemRow], words: ItemWords) -> Iterator[Finding]:
    for key, row in rows.items():
        is_there = row.gone is None or row.gone.reason != DELETED_THERE
        is_left = row.status == "skipped" and row.reason != IN_PRIMARY_STORY
        if is_left and is_there:
            yield Finding(
                kind=_sentence_case(reason_name(row.reason)),
                what="",
                why=row.explanation or f"{_sentence_case(reason_name(row.reason))}.",
                todo="Nothing, unless it is wanted: choose it in notebook 01.",
                **words.about(key, row=row),
            )


def _kind(code: str) -> str:
    return _sentence_case(code.replace("_", " "))


def _sentence_case(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _key(text: str) -> ItemKey:
    """Return the key that a plan wrote as text."""
    collection, _, rest = text.partition("/")
    item, _, locale = rest.partition("@")
    return ItemKey(collection, item, locale)


def listed_in(plan: JsonObject | None, name: str) -> list[JsonObject]:
    """Return a list of a stored plan; empty without one."""
    listed = (plan or {}).get(name)
    entries = listed if isinstance(listed, list) else []
    return [each for each in entries if isinstance(each, dict)]
