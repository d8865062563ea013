"""What has to be so before the DNS switch, computed wherever it can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted, first_of
from cmsmig.evidence.evidence import Evidence, planned_writes
from cmsmig.mapping.redirects.address_map import Outcome, Source

_NAMED = 3
"""Addresses that a line names; the files list all."""


class CheckState(StrEnum):
    """How one line of the checklist stands."""

    DONE = "done"
    OPEN = "open"
    """Something has to be done or decided first."""
    PERSON = "person"
    """Only a person can tell."""
    TICKED = "ticked"
    """A person saw to it, and nothing has changed since."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist."""

    what: str
    state: CheckState
    found: str
    """What is known about it; for an open line, what to do as well."""
    said: str = ""
    """Who ticked it, when, and a note."""

    def as_json(self) -> JsonObject:
        """Return the line as report.json lists it."""
        return {
            "what": self.what,
            "state": str(self.state),
            "found": self.found,
            "said": self.said,
        }


def checklist(evidence: Evidence) -> tuple[Check, ...]:
    """Return the checklist, what is computed first. Pure."""
    return (
        _items(evidence),
        _files(evidence),
        _links(evidence),
        _read_back(evidence),
        _nothing_left(evidence),
        _losses(evidence),
        _dangling(evidence),
        _published(evidence),
        *_redirects(evidence),
        *_for_a_person(),
    )


def _items(evidence: Evidence) -> Check:
    counts = evidence.accounting
    what = "Every item is accounted for"
    arrived = counts.created + counts.reused
    found = (
        f"Of {counted(counts.items, 'item')}, {arrived:,} are in the new space and "
        f"{counts.skipped:,} were left out, as was decided"
    )
    if counts.failed or counts.open:
        more = f"{counts.failed:,} failed and {counts.open:,} are open; see the lists."
        return _open(what, f"{found}; {more}")
    return _done(what, f"{found}.")


def _files(evidence: Evidence) -> Check:
    files = evidence.files
    parts = [f"{files.uploaded:,} of {counted(files.files, 'file')} are uploaded"]
    for count, said in (
        (files.not_downloaded, "could not be had from the old site"),
        (files.failed, "failed"),
        (files.open, "are still to be uploaded"),
    ):
        if count:
            parts.append(f"{count:,} {said}")
    missing = files.failed + files.not_downloaded + files.open
    return _either("Every file is uploaded", f"{'; '.join(parts)}.", ok=not missing)


def _links(evidence: Evidence) -> Check:
    what = "Relations and internal links are filled"
    open_links, pending = (evidence.links.get(name, 0) for name in ("open", "pending"))
    if open_links:
        stories = counted(open_links, "story has", "stories have")
        return _open(what, f"{stories} not been through notebook 06 yet.")
    if pending:
        stories = counted(pending, "story waits", "stories wait")
        return _open(
            what,
            f"{stories} for a target that failed; mend that and run notebook 06 again.",
        )
    linked = counted(evidence.links.get("linked", 0), "story", "stories")
    rest = evidence.links.get("nothing", 0)
    others = f"; {counted(rest, 'other', 'others')} had nothing to fill" if rest else ""
    return _done(what, f"{linked} filled{others}.")


def _read_back(evidence: Evidence) -> Check:
    what = "Everything was read back and compared"
    found = evidence.verification
    if found is None:
        return _open(what, "Nothing has been read back in this run yet; verify first.")
    stories = counted(found.stories, "story", "stories")
    differences = counted(len(found.differences), "difference", "differences")
    said = " ".join(
        filter(None, (f"{stories} read, {differences}.", found.public_unread))
    )
    return _either(what, said, ok=found.is_as_decided)


def _nothing_left(evidence: Evidence) -> Check:
    what = "A further import would write nothing"
    if evidence.plan is None:
        return _open(what, "No plan was made yet; run notebook 04.")
    if evidence.is_carried_out:
        return _done(what, "The last plan was carried out.")
    writes = sum(planned_writes(evidence.plan).values())
    if writes:
        left = counted(writes, "write is", "writes are")
        return _open(what, f"By the last plan {left} left; run the import again.")
    return _done(what, "The last plan has no write in it.")


def _losses(evidence: Evidence) -> Check:
    counted = {"content": 0, "meaning": 0, "layout": 0}
    for each in evidence.losses:
        counted[each.severity] = counted.get(each.severity, 0) + each.losses
    what = "Losses were read and accepted"
    if not any(counted.values()):
        return _done(what, "Nothing was lost.")
    found = ", ".join(f"{name} {count}" for name, count in counted.items())
    return Check(what, CheckState.PERSON, f"{found}; the report lists the kinds.")


def _dangling(evidence: Evidence) -> Check:
    what = "References that stay empty were read and accepted"
    listed = (evidence.plan or {}).get("dangling")
    count = len(listed) if isinstance(listed, list) else 0
    if not count:
        return _done(what, "Every reference leads to a story.")
    found = f"{counted(count, 'reference leads', 'references lead')} to no story."
    return Check(what, CheckState.PERSON, found)


def _published(evidence: Evidence) -> Check:
    what = "What is live now is published at the destination"
    if not evidence.unpublished:
        return _done(what, "No story of a live item is left unpublished.")
    stories = counted(evidence.unpublished, "story", "stories")
    return _open(
        what,
        f"{stories} of live items are not published; publish them there, or decide "
        "`publish: what_is_live` in decisions/collections.yaml and run `cmsmig "
        "publish`.",
    )


def _redirects(evidence: Evidence) -> Iterator[Check]:
    redirects = evidence.redirects
    addresses = len(redirects.of(Outcome.MOVED))
    kept = len(redirects.of(Outcome.UNCHANGED))
    lost = redirects.of(Outcome.WAITING, Source.ITEM)
    yield Check(
        "Redirects are set up at the new host",
        CheckState.PERSON if addresses else CheckState.DONE,
        f"{counted(addresses, 'address moves', 'addresses move')} "
        f"(redirects/redirects.csv), {kept} stay as they are.",
    )
    yield _either(
        "Every address of a live item leads somewhere",
        counted(len(lost), "address has", "addresses have") + " no new page.",
        ok=not lost,
    )
    if gone := redirects.of(Outcome.WAITING, Source.GONE_ITEM):
        named = first_of([each.old for each in gone], _NAMED, ", ")
        yield Check(
            "Addresses whose items are gone lead somewhere",
            CheckState.PERSON,
            f"{counted(len(gone), 'address needs', 'addresses need')} a target: {named}"
            " (redirects/address-map.csv).",
        )
    clashes = [*redirects.shared, *redirects.shadowed]
    yield _either(
        "No two pages claim one address",
        f"To be settled by hand: {', '.join(clashes)}." if clashes else "None do.",
        ok=not clashes,
    )


def _for_a_person() -> Iterator[Check]:
    for what, found in (
        (
            "Pages that are no items exist at the new site",
            "The home page, static pages, collection lists, search and the error page "
            "are not content of the origin's API.",
        ),
        (
            "What cannot be migrated has a successor",
            "Forms, members and gated content, and the shop are no items; gated "
            "content becomes a login in front of the new site.",
        ),
        (
            "Editors have stopped working at the origin",
            "Then pull with `--refresh`, import and verify once more: what changed "
            "since is not in the destination.",
        ),
        (
            "The DNS record's time to live is short",
            "Lower it a day before the switch, so that going back takes minutes.",
        ),
        (
            "The old site stays up until the redirects are seen to work",
            "Its file addresses may still be linked from elsewhere.",
        ),
    ):
        yield Check(what, CheckState.PERSON, found)


def _either(what: str, found: str, *, ok: bool) -> Check:
    return Check(what, CheckState.DONE if ok else CheckState.OPEN, found)


def _done(what: str, found: str) -> Check:
    return Check(what, CheckState.DONE, found)


def _open(what: str, found: str) -> Check:
    return Check(what, CheckState.OPEN, found)
