"""The plan for a client: what moves, what stays behind, what visitors will see, and
how long it takes; in words, and as a page that can be sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from cmsmig.counting import counted
from cmsmig.evidence.collection_plans import (
    CollectionPlan,
    Showing,
    all_files,
    plan_collections,
)
from cmsmig.evidence.decided import site_address
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.plan_details import PlanDetails
from cmsmig.ui.doc import Address, Cell, Doc, Facts, Part, Table, Text
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
        *_behind(found),
        *loss_facts(plan.losses),
        *map(Text, _sentences(plan, total)),
    )


def write_client_plan(folder: Path, plan: Plan, details: PlanDetails, at: str) -> Path:
    """Write the plan as one page that asks no host for anything; `at` is the moment,
    ISO 8601. Raises `StorageError`."""
    site = details.migration.origin.site
    facts: list[tuple[str, Cell]] = [("As of", moment(at))]
    if address := site_address(site):
        facts.append(("Old site", Address(address)))
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
    total = CollectionPlan("All", files=all_files(migration))
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


def _behind(found: Sequence[CollectionPlan]) -> Iterator[Part]:
    rows = [
        (each.name, why, count)
        for each in found
        for why, count in each.left.most_common()
    ]
    if rows:
        head = ("Collection", "Why", "Items")
        yield Table(head, rows, "What stays behind", len(rows))
    else:
        yield Text("Nothing stays behind.")


def _sentences(plan: Plan, total: CollectionPlan) -> Iterator[str]:
    if held := total.stories[Showing.HELD]:
        are = counted(held, "story is", "stories are")
        yield (
            f"{are} of pages that visitors see now, and will be drafts: they are not "
            "to be published by what was decided."
        )
    if missing := len(plan.missing_files):
        yield f"{counted(missing, 'file')} could not be had from the origin."
    yield (
        f"The import makes {counted(plan.total_calls, 'call')} to the destination: "
        f"{about(plan.seconds(plan.rate))} at {plan.rate:g} calls a second, "
        "and the time that uploading the files takes."
    )
