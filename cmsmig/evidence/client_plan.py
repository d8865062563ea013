"""The plan for a client: what moves, what stays behind, what visitors will see, and
how long it takes; in words, and as a page that can be sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.evidence.addresses import site_address
from cmsmig.evidence.failures import file_failures
from cmsmig.evidence.report_findings import FindingSet, report_findings
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import STAYS_AWAY, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.translations import IN_PRIMARY_STORY
from cmsmig.reconcile.rules.publication import Showing
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.plan_details import PlanDetails, Planned, PlannedItem
from cmsmig.ui.doc import Address, Cell, Doc, Facts, Part, Table, Text, applicable
from cmsmig.ui.documents.findings import loss_facts
from cmsmig.ui.format import about, megabytes, moment
from cmsmig.ui.html.safe_html import doc_page
from cmsmig.ui.report_file import write_text

PAGE = "plan.html"
_HEAD = (
    "Collection",
    "Items",
    "Stories",
    "Languages",
    "Files",
    "Megabytes",
    "To be published",
    "Stay drafts",
    "Stay behind",
)

_FAILED: Mapping[str, str] = {
    "conflict": "Another story, which is not of this import, is at its place.",
}
_GONE = (
    "Its story is no longer in the space, and stays away until it is restored there or "
    "decided to be made again."
)
_NOT_FIT = "It cannot become a story as it is; the list of findings says why."


def client_plan(plan: Plan, details: PlanDetails) -> Doc:
    """Return what the import brings, by collection, and the time it takes."""
    found = plan_collections(details)
    total = _sum(found, details.migration)
    stories = counted(total.stories.total(), "story", "stories")
    published = total.stories[Showing.PUBLISHED]
    part = "" if plan.pilot.is_whole else f"This is a pilot ({plan.pilot}). "
    said = (
        f"{part}{stories}{_there(plan)} of {counted(len(found), 'collection')} and "
        f"{counted(total.files.files, 'file')} ({megabytes(total.files.size):,} MB); "
        f"{_published(published, len(plan.publications))}."
    )
    rows = [_row(each) for each in (*found, total)]
    return (
        Text(said),
        Table(_HEAD, rows, shown=len(rows)),
        _behind(found),
        *loss_facts(plan.losses),
        *_sentences(plan, total),
    )


def write_client_plan(folder: Path, plan: Plan, details: PlanDetails, at: str) -> Path:
    """Write the plan as one page that asks no host for anything; `at` is the moment,
    ISO 8601. Raises `StorageError`."""
    site = details.migration.origin.site
    old = site_address(site)
    facts: list[tuple[str, Cell]] = [
        ("As of", moment(at)),
        *([("Old site", Address(old))] if old else []),
    ]
    title = f"Plan for the migration of {site.display_name}"
    page = doc_page(title, (Facts(facts),), client_plan(plan, details))
    return write_text(folder / PAGE, page)


def _there(plan: Plan) -> str:
    there = plan.items["already_there"]
    return f" ({there:,} of them there already)" if there else ""


def _published(published: int, now: int) -> str:
    """Return how many stories are published after the import, and how many by it."""
    stories = counted(published, "story", "stories")
    if published == now:
        return f"{stories} will be published"
    return f"{stories} are published afterwards, {now:,} of them by this import"


def _row(each: CollectionPlan) -> Sequence[Cell]:
    return (
        each.name,
        each.items,
        each.stories.total(),
        _languages(each.languages),
        each.files.files,
        megabytes(each.files.size),
        each.stories[Showing.PUBLISHED],
        each.stories.total() - each.stories[Showing.PUBLISHED],
        each.left.total(),
    )


def _sum(found: Sequence[CollectionPlan], migration: Migration) -> CollectionPlan:
    """Return all collections as one; a file that several use is counted once."""
    files = _total(migration, {each.sha256 for each in migration.files.uploads})
    total = CollectionPlan("All", files=files)
    for each in found:
        total.stories.update(each.stories)
        total.languages.update(each.languages)
        total.left.update(each.left)
        total.translations += each.translations
    return total


def _languages(counts: Counter[str]) -> str:
    if not any(counts):
        return "one"
    return ", ".join(
        f"{name or 'no language'} {count:,}" for name, count in counts.items()
    )


def _behind(found: Sequence[CollectionPlan]) -> Part:
    rows = [
        (each.name, why, count)
        for each in found
        for why, count in each.left.most_common()
    ]
    head = ("Collection", "Why", "Items")
    listed = Table(head, rows, "What stays behind", len(rows))
    return listed if rows else Text("Nothing stays behind.")


def _sentences(plan: Plan, total: CollectionPlan) -> Iterator[Part]:
    held = counted(total.stories[Showing.HELD], "story is", "stories are")
    withdrawn = total.stories[Showing.WITHDRAWN]
    hidden = counted(withdrawn, "story", "stories")
    missing = counted(len(plan.missing_files), "file")
    calls = counted(plan.total_calls, "call")
    yield from applicable(
        (
            total.stories[Showing.HELD],
            Text(
                f"{held} of pages that visitors see now, and will be drafts: they are "
                "not to be published by what was decided."
            ),
        ),
        (withdrawn, Text(f"Unpublished by editors, and stays so: {hidden}.")),
        (plan.missing_files, Text(f"{missing} could not be had from the origin.")),
        (
            True,
            Text(
                f"The import makes {calls} to the destination: "
                f"{about(plan.seconds(plan.rate))} at {plan.rate:g} calls a second, "
                "and the time that uploading the files takes."
            ),
        ),
    )


@dataclass(frozen=True, slots=True)
class FileTotal:
    """Files to be uploaded, each content once."""

    files: int = 0
    size: int = 0
    """Bytes."""


@dataclass(slots=True)
class CollectionPlan:
    """The outcome for the items of one collection, each language counted."""

    name: str
    stories: Counter[Showing] = field(default_factory=Counter)
    """Those that are there already, too."""
    languages: Counter[str] = field(default_factory=Counter)
    """Items that arrive, by the name of their language; empty: the site has one."""
    translations: int = 0
    """Items whose values become part of the story in the primary language."""
    left: Counter[str] = field(default_factory=Counter)
    """Items that stay behind, by the reason as a sentence."""
    files: FileTotal = FileTotal()
    """Those that its stories use; other collections may use them too."""

    @property
    def items(self) -> int:
        """Return how many items the origin has."""
        return self.stories.total() + self.translations + self.left.total()


def plan_collections(details: PlanDetails) -> tuple[CollectionPlan, ...]:
    """Return the outcome for each collection, in the origin's order."""
    migration = details.migration
    found = {
        each.collection_id: CollectionPlan(each.display_name)
        for each in migration.origin.collections
    }
    names = {
        each.locale_id: each.display_name for each in migration.origin.site.locales
    }
    primary = next(
        (e.display_name for e in migration.origin.site.locales if e.primary), ""
    )
    sentences: dict[str, str] = {}
    for key, each in details.items.items():
        made = found[key.collection_id]
        if each.has_story:
            made.stories[details.showing[key]] += 1
        elif each.reason == IN_PRIMARY_STORY:
            made.translations += 1
        else:
            # What differs from item to item is in the list of findings.
            said = sentences.setdefault(each.reason or each.counted, _why(each))
            made.left[said] += 1
            continue
        made.languages[names.get(key.locale_id, primary)] += 1
    behind = {key for key, each in details.items.items() if not each.has_story}
    _count_files(found, migration, behind)
    return tuple(each for each in found.values() if each.items)


def _why(each: PlannedItem) -> str:
    """Return why an item has no story after the import."""
    if each.counted is Planned.GONE:
        return _GONE
    if each.counted is Planned.FAILED:
        return _FAILED.get(each.reason, _NOT_FIT)
    return each.row.explanation or STAYS_AWAY


def _count_files(
    found: Mapping[str, CollectionPlan], migration: Migration, behind: Set[ItemKey]
) -> None:
    hashes = {
        address: each.sha256
        for each in migration.files.uploads
        for address in each.addresses
    }
    used: dict[str, set[str]] = {}
    for use in migration.files.uses:
        if use.address in hashes and use.key not in behind:
            used.setdefault(use.key.collection_id, set()).add(hashes[use.address])
    for collection_id, files in used.items():
        found[collection_id].files = _total(migration, files)


def _total(migration: Migration, wanted: Set[str]) -> FileTotal:
    sizes = {each.sha256: each.size for each in migration.origin.files.values()}
    return FileTotal(len(wanted), sum(sizes.get(each, 0) for each in wanted))


def plan_findings(
    plan: Plan, details: PlanDetails, ledger: Ledger
) -> tuple[FindingSet, ...]:
    """Return all that a person should know before an import, by sort. Reads only.

    What failed in an earlier import is in it, until it is tried again.
    """
    rows = {key: row for key, row in ledger.items.all().items() if _matters(row)}
    rows |= {row.key: row for row in details.left_behind()}
    files = file_failures(details.migration, ledger.inventory.assets())
    dangling: JsonObject = {"dangling": [each.as_json() for each in plan.dangling]}
    return report_findings(details.migration, rows, tuple(files), dangling, details)


def _matters(row: ItemRow) -> bool:
    return row.status == "failed" or row.is_left_out
