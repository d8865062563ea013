"""The numbers of a migration by collection, and its state in one sentence: what a
client asks first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Literal, TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    DELETED_THERE,
    Accounting,
    AssetRow,
    GoneState,
    ItemRow,
)
from cmsmig.reconcile.rules.publication import Showing, showing_of
from cmsmig.richtext.losses import Severity
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.verify.differences import Verification
from cmsmig.ui.documents.findings import SEVERITIES, loss_severity

HELD = (
    "Publish them in the space, or choose in notebook 01 that what is live is "
    "published, and run `cmsmig publish`."
)
"""What to do about pages that are held back by decision."""
_GONE = {
    GoneState.UNPUBLISHED: "gone_unpublished",
    GoneState.DELETED: "gone_deleted",
    GoneState.UNDECIDED: "gone_undecided",
}
Verdict: TypeAlias = Literal["good", "warning", "bad"]
_STATUSES = ("created", "reused", "skipped", "failed")
_GONES = ("gone_kept", *_GONE.values())


@dataclass(frozen=True, slots=True)
class PublicationCount:
    """Stories = published + withdrawn + waiting + held + due + drafts."""

    published: int = 0
    held: int = 0
    """Live at the origin, and not published, as was decided."""
    due: int = 0
    """Decided to be published, and not published yet."""
    drafts: int = 0
    """Not live at the origin either."""
    withdrawn: int = 0
    """Published by the import, and unpublished by editors."""
    waiting: int = 0
    """To be published, and an editor works on them."""

    @classmethod
    def of(cls, shown: Iterable[Showing]) -> PublicationCount:
        """Return how many stories show visitors what."""
        found = Counter(shown)
        return cls(
            published=found[Showing.PUBLISHED],
            held=found[Showing.HELD],
            due=found[Showing.DUE],
            drafts=found[Showing.DRAFT],
            withdrawn=found[Showing.WITHDRAWN],
            waiting=found[Showing.WAITING],
        )

    @property
    def stories(self) -> int:
        """Return how many stories the import made."""
        by_editors = self.withdrawn + self.waiting
        return self.published + by_editors + self.unpublished + self.drafts

    @property
    def unpublished(self) -> int:
        """Return how many stories of live items no one published."""
        return self.held + self.due

    def as_json(self) -> JsonObject:
        """Return the counts as report.json lists them."""
        return {
            "stories": self.stories,
            "published": self.published,
            "unpublished_by_editors": self.withdrawn,
            "waiting_for_editors": self.waiting,
            "held_by_decision": self.held,
            "still_to_publish": self.due,
            "not_live_at_origin": self.drafts,
        }


@dataclass(frozen=True, slots=True)
class CollectionOutcome:
    """The items of one collection by their outcome, and its stories by what visitors
    see."""

    name: str
    accounting: Accounting
    publication: PublicationCount = PublicationCount()


@dataclass(frozen=True, slots=True)
class FileCount:
    """In = uploaded + failed + not downloaded + open, in files."""

    files: int
    uploaded: int
    failed: int
    not_downloaded: int
    open: int

    @property
    def sentence(self) -> str:
        """Return the counts in words."""
        counts = (
            (self.not_downloaded, "could not be downloaded from the old site"),
            (self.failed, "failed"),
            (self.open, "are still to be uploaded"),
        )
        rest = "".join(f"; {count:,} {said}" for count, said in counts if count)
        there = f"{self.uploaded:,} of {counted(self.files, 'file')}"
        return f"{there} are in the new space{rest}."


def count_collections(
    migration: Migration,
    rows: Mapping[ItemKey, ItemRow],
    public: Collection[ItemKey] | None,
) -> tuple[CollectionOutcome, ...]:
    """Return the counts of each collection that the ledger knows; `public` are the
    items whose stories the space shows to visitors, None where that was not read: then
    it is as the last import left it."""
    live = migration.live
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shown: defaultdict[str, list[Showing]] = defaultdict(list)
    for key, row in rows.items():
        found = counts[key.collection_id]
        if row.gone is None or row.gone.reason != DELETED_THERE:
            found[row.status] += 1
        if row.gone is not None:
            found[_GONE.get(row.gone.state, "gone_kept")] += 1
        if (record := row.current_record) is not None and record.made:
            is_public = record.left_public if public is None else key in public
            asked, is_live = key in migration.to_publish, key in live
            shown[key.collection_id].append(
                showing_of(record, is_public=is_public, asked=asked, is_live=is_live)
            )
    names = {
        each.collection_id: each.display_name for each in migration.origin.collections
    }
    return tuple(
        CollectionOutcome(
            names.get(collection_id, collection_id),
            Accounting(
                items=sum(found[name] for name in (*_STATUSES, "selected")),
                open=found["selected"],
                **{name: found[name] for name in (*_STATUSES, *_GONES)},
            ),
            PublicationCount.of(shown[collection_id]),
        )
        for collection_id, found in counts.items()
    )


def sum_publication(counts: Iterable[CollectionOutcome]) -> PublicationCount:
    """Return the stories of all collections together."""
    columns = zip(*(astuple(each.publication) for each in counts), strict=True)
    return PublicationCount(*map(sum, columns))


def count_files(migration: Migration, assets: Mapping[str, AssetRow]) -> FileCount:
    """Return the outcome of the files; `assets` are the ledger's rows by hash."""
    states = Counter(
        "open" if row is None else "failed" if row.has_failed else row.status
        for row in (assets.get(each.sha256) for each in migration.files.uploads)
    )
    missing = len(migration.files.missing)
    return FileCount(
        files=states.total() + missing,
        uploaded=states["proven"],
        failed=states["failed"],
        not_downloaded=missing,
        open=states["open"] + states["signed"],
    )


@dataclass(frozen=True, slots=True)
class LossCount:
    """How many losses of one kind there are, and in how many items."""

    kind: str
    severity: Severity
    losses: int
    items: int


def losses_by_severity(losses: Iterable[LossCount]) -> Mapping[str, int]:
    """Return the number of losses of each of `SEVERITIES`."""
    found = dict.fromkeys(SEVERITIES, 0)
    for each in losses:
        found[loss_severity(each.kind, each.severity)] += each.losses
    return found


@dataclass(frozen=True, slots=True)
class Headline:
    """The first sentence of a report, and the facts below it."""

    kind: Verdict
    """`good` only when all is imported, compared and published where it was live;
    `bad` only for failures and for what no one decided."""
    sentence: str
    facts: tuple[tuple[str, str], ...]
    """Names and sentences."""

    def as_json(self) -> JsonObject:
        """Return it as report.json holds it."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "facts": [{"name": name, "text": text} for name, text in self.facts],
        }


def headline(
    accounting: Accounting,
    published: PublicationCount,
    verification: Verification | None,
    *,
    failures: int,
    undone: int,
    undecided: int = 0,
    lost: int = 0,
    decided: int = 0,
) -> Headline:
    """Return the state of a migration. Pure.

    `failures` are items and files that did not arrive whole; `undone` is what is
    still to do, in items, files and stories of items that are gone, `undecided` those
    of them that wait for a decision; `lost` are losses of content; `decided` are
    decisions to keep an edit of an editor.
    """
    kind, sentence = _verdict(
        accounting, published, verification, failures, undone, undecided, lost
    )
    facts = [
        ("What arrived", _arrived(accounting)),
        ("What is published", _published(accounting, published)),
    ]
    if why := _why_not(published):
        facts.append(("What is not, and why", why))
    if edits := _edits(verification, decided):
        facts.append(("What editors changed", edits))
    if verification is not None and verification.public_unread:
        facts.append(("What was not checked", verification.public_unread))
    return Headline(kind, sentence, tuple(facts))


def _verdict(
    accounting: Accounting,
    published: PublicationCount,
    verification: Verification | None,
    failures: int,
    undone: int,
    undecided: int,
    lost: int,
) -> tuple[Verdict, str]:
    """Return the first that is true."""
    arrived = accounting.created + accounting.reused
    found = verification or Verification()
    places = counted(len(found.differences), "place")
    every = f"All {counted(arrived, 'item')} of this import arrived"
    if lost:
        losses = counted(lost, "loss of content", "losses of content")
        every = f"{counted(arrived, 'item')} of this import arrived, with {losses}"
    left = counted(found.not_in_yet, "selected item is", "selected items are")
    due = counted(published.due, "story still has", "stories still have")
    pages = counted(
        published.held,
        "page that is live at the old site is",
        "pages that are live at the old site are",
    )
    waits = counted(published.waiting, "publication waits", "publications wait")
    unfinished: Verdict = "bad" if failures or undecided else "warning"
    states: tuple[tuple[object, Verdict, str], ...] = (
        (not arrived, "warning", "Nothing is imported yet."),
        (
            found.differences,
            "bad",
            f"The destination differs from what was decided in {places}.",
        ),
        (
            failures or undone,
            unfinished,
            f"The migration is not complete: {failures:,} failed, {undone:,} open.",
        ),
        (
            found.public_unread,
            "bad",
            f"{every}, but what visitors get was not compared.",
        ),
        (
            verification is None,
            "warning",
            f"{every}, but nothing was read back in this run.",
        ),
        (found.not_in_yet, "warning", f"{every}, a pilot: {left} not in yet."),
        (published.due, "warning", f"{every}, but {due} to be published."),
        (
            published.held,
            "warning",
            f"{every}; {pages} not published yet, as was decided.",
        ),
        (
            published.waiting,
            "warning",
            f"{every}, but {waits} for a decision, since an editor works on it.",
        ),
        (found.kept, "warning", f"{every}. {found.kept_sentence}"),
        (lost, "warning", f"{every}: read them in lists/losses.csv."),
        (True, "good", f"{every}, and everything read back is as it was written."),
    )
    return next((kind, said) for is_so, kind, said in states if is_so)


def _arrived(accounting: Accounting) -> str:
    parts = (
        (accounting.skipped, "were left out, as was decided"),
        (accounting.failed, "failed"),
        (accounting.open, "are still to be imported"),
    )
    rest = "".join(f"; {count:,} {said}" for count, said in parts if count)
    return (
        f"{accounting.created + accounting.reused:,} of "
        f"{counted(accounting.items, 'item')} of the old site are in the new space"
        f"{rest}."
    )


def _published(accounting: Accounting, published: PublicationCount) -> str:
    """Return how many stories are published, and of which items all of them are."""
    stories = counted(published.stories, "story is", "stories are")
    said = f"{published.published:,} of {stories} published."
    gone = accounting.gone - accounting.gone_deleted
    parts = (
        (accounting.created, "of these items"),
        (published.stories - accounting.created - gone, "of failed items"),
        (gone, "that stay although their items are gone at the old site"),
    )
    known = [f"{count:,} {whose}" for count, whose in parts if count > 0]
    whole = f"{said} The {published.stories:,} stories: {', '.join(known)}."
    return whole if len(known) > 1 else said


def _edits(verification: Verification | None, decided: int) -> str:
    """Return which edits of editors stay, found and by decision."""
    found = verification.kept_sentence if verification and verification.kept else ""
    decisions = counted(decided, "decision keeps", "decisions keep")
    return f"{found} {f'{decisions} what editors have.' if decided else ''}".strip()


def _why_not(published: PublicationCount) -> str:
    parts = [
        f"{count:,} {said}"
        for count, said in (
            (published.withdrawn, "unpublished by editors, and stay so"),
            (published.waiting, "wait: an editor works on them"),
            (published.held, "live at the old site: held back by decision"),
            (published.due, "were to be published and are not yet"),
            (published.drafts, "are not live at the old site either"),
        )
        if count
    ]
    return f"{'; '.join(parts)}." if parts else ""
