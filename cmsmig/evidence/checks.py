"""The lines of the checklist before the DNS switch; and those about the new site as
visitors open it, by what the baseline and the last comparison with it found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted, first_of
from cmsmig.evidence.host_files import host_limits
from cmsmig.mapping.redirects.address_map import AddressMap
from cmsmig.steps.baseline.baseline import OldSite
from cmsmig.steps.baseline.compare_sites import SwitchReport
from cmsmig.ui.format import moment

_COMPARE = "cmsmig baseline --compare URL"
_FIRST = f"Run `cmsmig baseline`, then `{_COMPARE}` with the address of a preview."
_LATER = "Compare the sites, as the line about old addresses says."
_AGAIN = f"then run `{_COMPARE}` again."
_REDIRECTS = "Every old address leads to its new page"
_CONTENT = "Pages show what they showed"
_LINES: dict[str, tuple[str, frozenset[str]]] = {
    _REDIRECTS: (
        "Set up the file of redirects/ for the host, and build the pages that are "
        "missing",
        frozenset(
            (
                *("missing", "not_gone", "redirect_to_missing", "refused", "soft_404"),
                *("redirect_chain", "redirect_loop", "temporary_redirect"),
                *("redirect_to_other_site", "redirect_to_home", "wrong_page"),
            )
        ),
    ),
    _CONTENT: ("Correct the new site's templates", frozenset()),
    "Canonical addresses name the new pages": (
        "Correct the canonical addresses in the new site's templates",
        frozenset(
            ("canonical_lost", "canonical_on_old_host", "canonical_of_other_page")
        ),
    ),
    "No new page needs the old site": (
        "Correct the links and pictures in the stories or templates",
        frozenset(("links_to_old_host", "pictures_on_old_host", "loaded_over_http")),
    ),
    "The sitemap lists every page": (
        "Let the new site make its sitemap of all published stories",
        frozenset(("sitemap_missing", "sitemap_on_other_host", "not_in_sitemap")),
    ),
    "Search engines may read every page": (
        "Take the ban out of robots.txt or the page's robots directives at the switch",
        frozenset(("robots", "noindex")),
    ),
    "Languages name each other (hreflang)": (
        "Correct the alternates in the new site's templates",
        frozenset(("hreflang_lost", "hreflang_on_other_host")),
    ),
    "Forms work at the new site": (
        "Build each form, send it once, and export what was sent at the origin",
        frozenset(("forms",)),
    ),
    "Locked pages stay locked": (
        "Put a sign-in or a password in front of each such page",
        frozenset(("unlocked",)),
    ),
}
"""The lines: what to do, and the kinds of faults that open them; the line about content
has all other kinds."""


class CheckState(StrEnum):
    """The state of one line of the checklist."""

    DONE = "done"
    OPEN = "open"
    """Something has to be done or decided first."""
    PERSON = "person"
    """It cannot be checked here: a person has to look."""
    TICKED = "ticked"
    """A person settled it, and nothing has changed since."""


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
    said: str = ""
    """Who ticked it, when, and a note."""

    def as_json(self) -> JsonObject:
        """Return the line as report.json lists it."""
        return asdict(self)


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


@dataclass(frozen=True, slots=True)
class SiteFindings:
    """What is known of the old and the new site as visitors open them."""

    old: OldSite | None = None
    """None before a complete baseline."""
    new: SwitchReport | None = None
    """None before the first comparison."""

    def as_json(self) -> JsonObject | None:
        """Return what report.json holds of the comparison."""
        if (new := self.new) is None:
            return None
        return {
            "old": new.old,
            "new": new.new,
            "finished": new.finished,
            "pages": new.pages,
            "differences": dict(new.by_kind),
        }

    def left_hosts(self) -> frozenset[str]:
        """Return the hosts that end with the old site, as far as it is known."""
        return frozenset(self.new.left_hosts if self.new else ())


def site_checks(sites: SiteFindings, moved: int) -> Iterator[Check]:
    """Yield the lines. Pure.

    `moved` are the addresses that need a rule at the new host.
    """
    named = {kind for _, kinds in _LINES.values() for kind in kinds}
    for what, (todo, kinds) in _LINES.items():
        if sites.new is None:
            yield _unknown(what, sites.old, moved)
            continue
        new = sites.new
        faults = [
            each
            for each in new.faults
            if (each.kind in kinds if kinds else each.kind not in named)
        ]
        asked = f"{new.new}, compared {moment(new.finished)}"
        if unread := len(new.unread) if what == _REDIRECTS else 0:
            asked += f"; {counted(unread, 'page')} could not be read"
        if not faults and not unread:
            yield _clean(what, sites.old, f"{asked}: no difference.")
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
    limits = [f"{host}: {text}" for host, text in host_limits(addresses)]
    todo = "Read what it says of your host, and set up there what is missing."
    if limits:
        yield person(what, " ".join(limits), "redirects/notes.txt", todo)
    else:
        yield done(what, "Each host does everything.")


def _clean(what: str, old: OldSite | None, found: str) -> Check:
    if what.startswith("Forms") and old and old.with_forms:
        pages = counted(len(old.with_forms), "page")
        return person(
            what,
            f"{pages} of the old site had forms, and the new pages have as many.",
            _pages(old.with_forms),
            "Send each form once; export what was sent at the origin before it closes.",
        )
    return done(what, found)


def _unknown(what: str, old: OldSite | None, moved: int) -> Check:
    """Return a line as long as no new site was compared."""
    found, where, todo = "The sites were not compared yet.", "", _LATER
    if what == _REDIRECTS:
        addresses = counted(moved, "address moves", "addresses move")
        found, where, todo = f"{addresses}. {found}", "redirects/", _FIRST
    elif old is not None and what.startswith(("Forms", "Locked")):
        is_form = what.startswith("Forms")
        urls = old.with_forms if is_form else old.locked
        name = "a form" if is_form else "a lock"
        if not urls:
            return done(what, f"No page of the old site that was read has {name}.")
        found = f"{counted(len(urls), 'old page has', 'old pages have')} {name}."
        where = _pages(urls)
    return person(what, found, where, todo)


def _pages(urls: tuple[str, ...]) -> str:
    shown = 5
    more = f" and {len(urls) - shown:,} more" if len(urls) > shown else ""
    return f"{' '.join(urls[:shown])}{more}"
