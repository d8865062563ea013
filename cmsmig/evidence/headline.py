"""What a client asks first: what is there, what is published, what is left to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.evidence.publication import PublicationCount
from cmsmig.ledger.rows import Accounting
from cmsmig.steps.verify.differences import Verification

HELD = (
    "Publish them in the space, or choose in notebook 01 that what is live is "
    "published, and run `cmsmig publish`."
)
"""What to do about pages that are held back by decision."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The first sentence of a report, and the facts below it."""

    kind: Literal["good", "warning", "bad"]
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
) -> Headline:
    """Return the state of a migration. Pure.

    `failures` are items and files that did not arrive whole; `undone` is what is
    still to do, in items, files and stories of items that are gone, `undecided` those
    of them that wait for a decision.
    """
    kind, sentence = _verdict(
        accounting, published, verification, failures, undone, undecided
    )
    facts = [
        ("What is there", _there(accounting)),
        ("What is published", _published(published)),
    ]
    if why := _why_not(published):
        facts.append(("What is not, and why", why))
    if verification is not None and verification.public_unread:
        facts.append(("What was not checked", verification.public_unread))
    facts.append(("What is left", _left(published, verification, failures, undone)))
    return Headline(kind, sentence, tuple(facts))


def _verdict(
    accounting: Accounting,
    published: PublicationCount,
    verification: Verification | None,
    failures: int,
    undone: int,
    undecided: int,
) -> tuple[Literal["good", "warning", "bad"], str]:
    arrived = accounting.created + accounting.reused
    if not arrived:
        return "warning", "Nothing is imported yet."
    if verification is not None and verification.differences:
        places = counted(len(verification.differences), "place")
        return "bad", f"The destination differs from what was decided in {places}."
    if failures or undone:
        return (
            "bad" if failures or undecided else "warning",
            f"The migration is not complete: {failures:,} failed, {undone:,} open.",
        )
    every = f"All {counted(arrived, 'item')} of this import arrived"
    if verification is not None and verification.public_unread:
        return "bad", f"{every}, but what visitors get was not compared."
    if verification is None:
        return "warning", f"{every}, but nothing was read back in this run."
    if verification.not_in_yet:
        left = counted(
            verification.not_in_yet, "selected item is", "selected items are"
        )
        return "warning", f"{every}, a pilot: {left} not in yet."
    if published.due:
        stories = counted(published.due, "story still has", "stories still have")
        return "warning", f"{every}, but {stories} to be published."
    if published.held:
        pages = counted(
            published.held,
            "page that is live at the old site is",
            "pages that are live at the old site are",
        )
        return "warning", f"{every}; {pages} not published yet, as was decided."
    return "good", f"{every}, and everything read back is as it was written."


def _there(accounting: Accounting) -> str:
    said = (
        f"{accounting.created + accounting.reused:,} of "
        f"{counted(accounting.items, 'item')} of the old site are in the new space"
    )
    if accounting.skipped:
        said += f"; {accounting.skipped:,} were left out, as was decided"
    return f"{said}."


def _published(published: PublicationCount) -> str:
    stories = counted(published.stories, "story", "stories")
    made = f"{stories} that the import made, each language counted"
    return f"{published.published:,} of {made}."


def _why_not(published: PublicationCount) -> str:
    parts = []
    if published.held:
        parts.append(f"{published.held:,} live at the old site: held back by decision")
    if published.due:
        parts.append(f"{published.due:,} were to be published and are not yet")
    if published.drafts:
        parts.append(f"{published.drafts:,} are not live at the old site either")
    return f"{'; '.join(parts)}." if parts else ""


def _left(
    published: PublicationCount,
    verification: Verification | None,
    failures: int,
    undone: int,
) -> str:
    parts = []
    if failures:
        parts.append(f"Operator: see to {counted(failures, 'failure')}, listed below.")
    if undone:
        parts.append(f"Operator: import the {undone:,} that are open.")
    if verification is None:
        parts.append("Operator: read everything back (`cmsmig verify`).")
    elif verification.differences:
        count = counted(len(verification.differences), "difference")
        parts.append(f"Operator and editors: settle {count}, listed below.")
    elif verification.public_unread:
        parts.append("Operator: have what visitors get compared (`cmsmig verify`).")
    if published.due:
        parts.append("Operator: run `cmsmig publish`.")
    if published.held:
        parts.append(f"Editors or operator: {HELD[0].lower()}{HELD[1:]}")
    parts.append("Everybody: the checklist before the DNS switch, below.")
    return " ".join(parts)
