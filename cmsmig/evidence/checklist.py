"""What has to be so before the DNS switch, computed wherever it can be."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import text_of
from cmsmig.counting import counted, first_of
from cmsmig.evidence.checks import (
    Check,
    Who,
    done,
    either,
    host_checks,
    lines_for_a_person,
    lines_of,
    person,
    site_checks,
)
from cmsmig.evidence.evidence import Evidence, gather, planned_writes
from cmsmig.evidence.report_findings import listed_in
from cmsmig.evidence.summary import HELD, losses_by_severity
from cmsmig.richtext.losses import Severity
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import open_migration

_NAMED = 3
"""Addresses that a line names; the files list all."""
_MAP = "redirects/address-map.csv"
_STAGING = ".webflow.io"
"""Hosts of the origin's own, which end with the old site whatever the new domain is."""


def checklist(evidence: Evidence) -> tuple[Check, ...]:
    """Return the checklist, in the order of who each line is for. Pure."""
    lines = (
        *lines_of(
            Who.OPERATOR,
            _items(evidence),
            _files(evidence),
            _links(evidence),
            _read_back(evidence),
            _nothing_left(evidence),
        ),
        *lines_of(
            Who.EDITOR,
            _losses(evidence),
            _dangling(evidence),
            _published(evidence),
            *_content(evidence),
        ),
        *lines_of(Who.DEVELOPER, _webhooks(evidence)),
        *lines_of(
            Who.SEO,
            *_addresses(evidence),
            *host_checks(evidence.redirects),
            *site_checks(evidence.switched, evidence.redirects.moved),
        ),
        *lines_for_a_person(),
    )
    return tuple(sorted(lines, key=lambda each: [*Who].index(each.who)))


def _items(evidence: Evidence) -> Check:
    counts = evidence.accounting
    arrived = counts.created + counts.reused
    found = (
        f"Of {counted(counts.items, 'item')}, {arrived:,} are in the new space and "
        f"{counts.skipped:,} were left out, as was decided"
    )
    wrong = counts.failed + counts.open
    more = f"; {counts.failed:,} failed and {counts.open:,} are open" if wrong else ""
    return either(
        "Every item is accounted for",
        f"{found}{more}.",
        "lists/failed-items.csv",
        "Do what the list says of each; run the import again for those that are open.",
        ok=not wrong,
    )


def _files(evidence: Evidence) -> Check:
    files = evidence.files
    missing = files.failed + files.not_downloaded + files.open
    return either(
        "Every file is uploaded",
        files.sentence,
        "lists/missing-files.csv",
        "Do what the list says of each file; run the import again.",
        ok=not missing,
    )


def _links(evidence: Evidence) -> Check:
    what = "Relations and internal links are filled"
    where = "lists/failed-items.csv"
    count = evidence.links.get
    if waiting := count("open", 0):
        found = f"{counted(waiting, 'story', 'stories')} not linked yet."
        return either(what, found, where, "Run notebook 06.", ok=False)
    if waiting := count("pending", 0):
        found = f"{counted(waiting, 'story', 'stories')} with a target that failed."
        todo = "Correct the targets, then link the stories in notebook 06."
        return either(what, found, where, todo, ok=False)
    linked = counted(count("linked", 0), "story", "stories")
    rest = count("nothing", 0)
    others = f"; {counted(rest, 'other', 'others')} had nothing to fill" if rest else ""
    return done(what, f"{linked} filled{others}.")


def _read_back(evidence: Evidence) -> Check:
    what = "Everything was read back and compared"
    found = evidence.verification
    if found is None:
        return person(
            what,
            "Nothing was read back in this run.",
            "notebook 07",
            "Read everything back in notebook 07, or run `cmsmig verify`.",
        )
    stories = counted(found.stories, "story", "stories")
    differences = counted(len(found.differences), "difference", "differences")
    kept = found.kept_sentence if found.kept else ""
    said = " ".join(
        filter(None, (f"{stories} read, {differences}.", kept, found.public_unread))
    )
    todo = "Correct each difference in the space, or import again; then verify again."
    where = "report.html, Read back"
    if kept and found.is_as_decided:
        return person(what, said, where, "Read what editors changed; it stays.")
    return either(what, said, where, todo, ok=found.is_as_decided)


def _nothing_left(evidence: Evidence) -> Check:
    what = "A further import would write nothing"
    if evidence.is_carried_out:
        return done(what, "The last plan was carried out.")
    writes = sum(planned_writes(evidence.plan or {}).values())
    if evidence.plan is not None and not writes:
        return done(what, "The last plan has no write in it.")
    left = counted(writes, "write is", "writes are")
    found = f"By the last plan {left} left." if evidence.plan else "No plan was made."
    todo = "Run the import again." if evidence.plan else "Run notebook 04."
    return either(what, found, "`cmsmig plan`", todo, ok=False)


def _losses(evidence: Evidence) -> Check:
    by_severity = losses_by_severity(evidence.losses)
    what = "Losses are accepted"
    if not any(by_severity.values()):
        return done(what, "Nothing was lost.")
    named = [
        counted(count, f"{name} loss", f"{name} losses")
        for name, count in by_severity.items()
        if count
    ]
    todo = "Accept them, or change the embeds and the design."
    if by_severity[Severity.CONTENT]:
        todo = "Read the losses of content; correct them in the story."
    whole = "" if by_severity[Severity.CONTENT] else " No content was lost."
    return person(what, f"{', '.join(named)}.{whole}", "lists/losses.csv", todo)


def _dangling(evidence: Evidence) -> Check:
    what = "References that stay empty are accepted"
    count = len(listed_in(evidence.plan, "dangling"))
    if not count:
        return done(what, "Every reference leads to a story.")
    return person(
        what,
        f"{counted(count, 'reference leads', 'references lead')} to no story.",
        "lists/references-that-stay-empty.csv",
        "Do what the list says of each.",
    )


def _published(evidence: Evidence) -> Check:
    what = "What is live now is published at the destination"
    published = evidence.publication
    unpublished = published.unpublished + published.waiting
    if not unpublished and published.withdrawn:
        stories = counted(published.withdrawn, "story", "stories")
        return done(what, f"All but {stories} that editors unpublished.")
    if not unpublished:
        return done(what, "No story of a live item is left unpublished.")
    items = counted(unpublished, "live item is", "live items are")
    stories = "story" if unpublished == 1 else "stories"
    return either(
        what,
        f"The {stories} of {items} not published.",
        "report.html, Published",
        HELD,
        ok=False,
    )


def _content(evidence: Evidence) -> Iterator[Check]:
    """Yield what the written stories name that ends with the old site."""
    where = "lists/links-that-stay.csv, lists/old-addresses.csv"
    for is_file, what, todo in (
        (
            True,
            "No story loads a file from the old site",
            "Upload each file to the space and choose it in the story, before the old "
            "site ends.",
        ),
        (
            False,
            "No story names the old domain",
            "Nothing where the new site keeps the domain and redirects the address; "
            "else correct it in the story.",
        ),
    ):
        left = evidence.switched.left_hosts if evidence.switched else ()
        uses = [each for each in evidence.old_hosts if each.is_file_host == is_file]
        found = ", ".join(
            f"{each.host}: {counted(each.times, 'time')}" for each in uses
        )
        ends = is_file or any(
            each.host.endswith(_STAGING) or each.host in left for each in uses
        )
        if not uses:
            yield done(what, "None of the written stories does.")
        elif ends:
            yield either(what, f"{found}.", where, todo, ok=False)
        else:
            yield person(what, f"{found}.", where, todo)


def _addresses(evidence: Evidence) -> Iterator[Check]:
    redirects = evidence.redirects
    waiting = [row.old for row in redirects.waiting]
    kept = redirects.kept
    found = counted(kept, "address stays as it is", "addresses stay as they are")
    if waiting:
        count = counted(len(waiting), "address waits", "addresses wait")
        found = f"{count} for a decision: {first_of(waiting, _NAMED, ', ')}"
    yield either(
        "Every old address has an outcome",
        f"{found}.",
        _MAP,
        "Decide about each in notebook 07." if waiting else "",
        ok=not waiting,
    )
    clashes = [*redirects.shared, *redirects.shadowed]
    yield either(
        "No two pages claim one address",
        first_of(clashes, _NAMED) if clashes else "None do.",
        _MAP,
        "Give one of each pair another slug, or decide about it in notebook 07.",
        ok=not clashes,
    )


def _webhooks(evidence: Evidence) -> Check:
    found = [
        text_of(each["text"])
        for each in listed_in(evidence.plan, "preflights")
        if each.get("kind") == "webhooks"
    ]
    return person(
        "Webhooks and integrations work",
        " ".join(found) or "The origin's webhooks are not content, and are not read.",
        "settings of the old site and of the space",
        "Connect to the new space what the old site notified, and switch webhooks on "
        "again that were off for the import.",
    )


def open_checklist(project: Project, settings: Settings) -> tuple[Check, ...]:
    """Return a project's checklist by what is kept: nothing counts as read back.

    Asks no service. Raises as `gather`.
    """
    migration = open_migration(project, settings)
    evidence = gather(project, migration, settings.space_id, None)
    return checklist(evidence)
