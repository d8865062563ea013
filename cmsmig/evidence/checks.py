"""The lines of the checklist before the DNS switch; and those about the new site as
visitors open it, by what the last comparison with the baseline found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted, first_of
from cmsmig.evidence.host_files import host_limits
from cmsmig.mapping.redirects.address_map import AddressMap
from cmsmig.steps.baseline.compare_sites import SwitchReport
from cmsmig.ui.format import moment

_COMPARE = "cmsmig baseline --compare URL"
_FIRST = f"Run `cmsmig baseline`, then `{_COMPARE}` with the address of a preview."
_LATER = "Compare the sites, as the line about old addresses says."
_AGAIN = f"then run `{_COMPARE}` again."
_REDIRECTS = "Every old address leads to its new page"
_HEAD = "Pages keep their titles and descriptions"
_LINES: dict[str, tuple[str, tuple[str, ...]]] = {
    _REDIRECTS: (
        "Set up the file of redirects/ for the host, and build the pages that are "
        "missing",
        ("status", "redirect"),
    ),
    _HEAD: (
        "Correct the new site's templates",
        ("title", "description"),
    ),
    "Canonical addresses name the new pages": (
        "Correct the canonical addresses in the new site's templates",
        ("canonical",),
    ),
    "Search engines may read every page": (
        "Take the ban out of robots.txt or the page's robots directives at the switch",
        ("robots",),
    ),
    "Locked pages stay locked": (
        "Put a sign-in or a password in front of each such page",
        ("unlocked",),
    ),
}
"""The lines: what to do, and the kinds of faults that open them."""


class CheckState(StrEnum):
    """The state of one line of the checklist."""

    DONE = "done"
    OPEN = "open"
    """Something has to be done or decided first."""
    PERSON = "person"
    """It cannot be checked here: a person has to look."""


class Who(StrEnum):
    """Who a line is for."""

    OPERATOR = "operator"
    EDITOR = "editor"
    DEVELOPER = "developer"
    SEO = "SEO"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist."""

    what: str
    state: CheckState
    found: str
    """What is known about it."""
    where: str = ""
    """The file, list or page that names each case."""
    todo: str = ""
    """What to do; empty for a line that is done."""
    who: Who = Who.OPERATOR
    """Who does it."""

    def as_json(self) -> JsonObject:
        """Return the line as report.json lists it."""
        return asdict(self)


def lines_of(who: Who, *lines: Check) -> tuple[Check, ...]:
    """Return lines as those of one person."""
    return tuple(replace(each, who=who) for each in lines)


def done(what: str, found: str) -> Check:
    """Return a line that is done."""
    return Check(what, CheckState.DONE, found)


def either(
    what: str, found: str, where: str = "", todo: str = "", *, ok: bool
) -> Check:
    """Return a line that is done if `ok`, else open."""
    state = CheckState.OPEN
    return done(what, found) if ok else Check(what, state, found, where, todo)


def person(what: str, found: str, where: str = "", todo: str = "") -> Check:
    """Return a line that cannot be checked here."""
    return Check(what, CheckState.PERSON, found, where, todo)


def site_checks(new: SwitchReport | None, moved: int) -> Iterator[Check]:
    """Yield the lines. Pure.

    `new` is the last comparison, None before the first; `moved` are the addresses that
    need a rule at the new host.
    """
    for what, (todo, kinds) in _LINES.items():
        if new is None:
            yield _unknown(what, moved)
            continue
        faults = [each for each in new.faults if each.kind in kinds]
        asked = f"{new.new}, compared {moment(new.finished)}"
        if unread := len(new.unread) if what == _REDIRECTS else 0:
            asked += f"; {counted(unread, 'page')} could not be read"
        if not faults and not unread:
            yield done(what, f"{asked}: no difference.")
            continue
        counts = ", ".join(
            f"{kind.replace('_', ' ')} {sum(each.kind == kind for each in faults):,}"
            for kind in dict.fromkeys(each.kind for each in faults)
        )
        first = faults[0] if faults else new.unread[0]
        example = f" Such as {first.url}: {first.text}."
        found = f"{asked}: {counts or 'no difference'}.{example}"
        where = f"`{_COMPARE} --json`"
        yield either(what, found, where, f"{todo}; {_AGAIN}", ok=False)


def host_checks(addresses: AddressMap) -> Iterator[Check]:
    """Yield the lines about the origin's rules and about what hosts will not do. Pure.

    The files are for several hosts: a person knows which of them serves the site.
    """
    unused = [f"line {each.line}, {each.row}: {each.why}" for each in addresses.unused]
    yield either(
        "Every rule of the origin is used",
        first_of(unused, 3, " ") if unused else "None is left out.",
        "redirects/notes.txt",
        "Correct each row of decisions/redirects.csv, or remove it.",
        ok=not unused,
    )
    what = "What the host will not do was read"
    limits = Counter(host for host, _ in host_limits(addresses))
    todo = "Read what it says of your host, and set up there what is missing."
    if limits:
        hosts = ", ".join(f"{host} {count}" for host, count in limits.items())
        found = f"{counted(limits.total(), 'note')}: {hosts}."
        yield person(what, found, "redirects/notes.txt", todo)
    else:
        yield done(what, "Each host does everything.")


def _unknown(what: str, moved: int) -> Check:
    """Return a line as long as no new site was compared."""
    found = "The sites were not compared yet."
    if what != _REDIRECTS:
        return person(what, found, "", _LATER)
    addresses = counted(moved, "address moves", "addresses move")
    return person(what, f"{addresses}. {found}", "redirects/", _FIRST)


def lines_for_a_person() -> Iterator[Check]:
    """Yield the lines that nothing here can check."""
    for who, what, found, where, todo in (
        (
            Who.OPERATOR,
            "Items that are planned to go live later are published",
            "The origin's API does not list planned publications.",
            "the origin's designer",
            "Plan the same publications in the space, or publish at the origin first "
            "and run `cmsmig pull --refresh` and the import again.",
        ),
        (
            Who.DEVELOPER,
            "Pages that are no items exist at the new site",
            "The home page, static pages, collection lists, search and the error page "
            "are not content of the origin's API.",
            "notebook 01, static pages",
            "Build each page in the new site, or redirect its address.",
        ),
        (
            Who.DEVELOPER,
            "Forms work at the new site",
            "Forms are not content of the origin's API.",
            "the pages of the old site",
            "Build each form, send it once, and export what was sent at the origin "
            "before it closes.",
        ),
        (
            Who.SEO,
            "The sitemap lists every page, and languages name each other (hreflang)",
            "Neither is read at the new site.",
            "the new site's templates",
            "Let the sitemap list all published stories, and each page its languages.",
        ),
        (
            Who.DEVELOPER,
            "What cannot be migrated has a successor",
            "Members and gated content, and the shop are no items.",
            "notebook 01, what cannot be migrated",
            "Put a sign-in in front of the new site for gated content; connect a shop.",
        ),
        (
            Who.OPERATOR,
            "Editors have stopped working at the origin",
            "What changed since the last pull is not in the destination.",
            "the old site",
            "Then pull with `--refresh`, import and verify once more.",
        ),
        (
            Who.OPERATOR,
            "The DNS record's time to live is short",
            "Going back takes as long as the record is kept by others.",
            "the domain's DNS settings",
            "Lower it a day before the switch, so that going back takes minutes.",
        ),
        (
            Who.OPERATOR,
            "The old site stays up until the redirects work",
            "Its file addresses may still be linked from elsewhere.",
            "the old site",
            "Keep its plan for some weeks.",
        ),
    ):
        yield replace(person(what, found, where, todo), who=who)
