"""Who decided what, and when; where both sides of a migration are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from cmsmig.canonical import JsonObject
from cmsmig.configuration.regions import REGION_BASES
from cmsmig.counting import counted
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.origin.schema import Site
from cmsmig.steps.decide.decision_store import Decisions
from cmsmig.ui.format import moment

_APP = "https://{}/#/me/spaces/{}/dashboard"
_APP_HOSTS = {
    urlsplit(base).hostname: "app.storyblokchina.cn"
    if name == "cn"
    else "app.storyblok.com"
    for name, base in REGION_BASES.items()
}
"""Where people work, by the host of the management API."""
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")


@dataclass(frozen=True, slots=True)
class Decided:
    """One thing that somebody decided."""

    what: str
    by: str
    """Empty where nobody signed."""
    at: str
    """ISO 8601 in UTC, as it is in the file."""
    how: str

    @property
    def day(self) -> str:
        """Return when, in words."""
        return moment(self.at)

    def as_json(self) -> JsonObject:
        """Return it as report.json lists it."""
        return {"what": self.what, "by": self.by, "at": self.at, "how": self.how}


def who_decided(
    decisions: Decisions, redirects: RedirectsDecision
) -> tuple[Decided, ...]:
    """Return who took which decision; one that no one has accepted is left out."""
    return tuple(_decided(decisions, redirects))


def _decided(decisions: Decisions, redirects: RedirectsDecision) -> Iterator[Decided]:
    for what, reviewed in (
        ("Which items are imported, and what is published", decisions.collections),
        ("Content types, fields and folders", decisions.design),
        ("Which texts become blocks", decisions.blocks),
        ("What becomes of embeds", decisions.embeds),
        ("What stands in the way at the destination", decisions.conflicts),
        ("Where old addresses lead", redirects),
    ):
        found: Reviewed | None = reviewed.reviewed
        if found is not None:
            yield Decided(what, found.by, found.at, found.how)
    bodies = Counter(each.by for each in decisions.blocks.reviews.values() if each.by)
    for by, count in sorted(bodies.items()):
        last = max(
            each.at for each in decisions.blocks.reviews.values() if each.by == by
        )
        text = counted(count, "text", "texts")
        yield Decided(f"The blocks of {text}", by, last, "")


def site_address(site: Site) -> str:
    """Return the address of the old site; empty where no host is known."""
    host = site.domains[0].lower() if site.domains else ""
    return f"https://{host}/" if host and set(host) <= _HOST else ""


def space_address(space_id: str, base_url: str) -> str:
    """Return where the space is opened in a browser; empty for another service, such
    as a sandbox."""
    host = _APP_HOSTS.get(urlsplit(base_url).hostname)
    is_number = space_id.isascii() and space_id.isdecimal()
    return _APP.format(host, space_id) if host and is_number else ""
