"""What changed at an address when its site was switched. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from urllib.parse import urlsplit

from cmsmig.mapping.select.address import Address
from cmsmig.steps.baseline.page_record import PageRecord, words
from cmsmig.steps.baseline.site_address import SiteAddress

CLOSED = (401, 403)
"""Status of a page that a password or a sign-in locks."""
_MISSING = (404, 410)
_TEMPORARY = (302, 303, 307)
_HIDDEN = re.compile(r"\b(noindex|none)\b")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one old address."""

    kind: str
    """See `docs/baseline.md`."""
    url: str
    """The old address; the new site's for what concerns all of it."""
    at: str
    """The new address that it leads to."""
    text: str
    """What is wrong, one sentence."""


def follow(pages: Mapping[str, PageRecord], url: str) -> tuple[PageRecord, ...]:
    """Return what an address and the redirects from it lead to, in order; the last one
    occurs twice where they lead in a circle."""
    found: list[PageRecord] = []
    while url in pages and found.count(pages[url]) < 2:
        found.append(pages[url])
        url = pages[url].location
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Switch:
    """What all addresses are compared with."""

    new: SiteAddress
    gone: Set[str]
    """The paths that were decided to be gone."""

    def faults(
        self, old: str, before: PageRecord, hops: Sequence[PageRecord]
    ) -> Iterator[Fault]:
        """Yield what is wrong with an old address.

        `before` is the old page that it led to, `hops` are the new answers to it, from
        the first to the last.
        """
        last, asked = hops[-1], Address.at(old)
        is_gone = bool(self.gone & {str(asked), str(Address(asked.path))})
        found = _not_gone(last) if is_gone else self._changes(before, hops)
        for kind, text in found:
            yield Fault(kind, old, last.location or last.url, text)

    def _changes(
        self, before: PageRecord, hops: Sequence[PageRecord]
    ) -> Iterator[tuple[str, str]]:
        last = hops[-1]
        redirects = [each for each in hops if each.location]
        if last in hops[:-1]:
            yield "redirect", "its redirects lead in a circle"
            return
        if len(redirects) > 1:
            steps = " to ".join(each.url for each in hops)
            yield "redirect", f"{len(redirects)} redirects: {steps}"
        if passing := [each.status for each in redirects if each.status in _TEMPORARY]:
            yield "redirect", f"it is temporary ({passing[0]}); make it 301"
        if last.location:
            if last.location != before.location:
                yield "redirect", f"it leads to {last.location}, which is no page here"
        elif before.status in CLOSED:
            if last.status == 200:
                text = "everyone can read it, and the old page was locked"
                yield "unlocked", f"{text} ({before.status})"
        elif last.status != 200:
            yield "status", f"it was {before.status} and is {last.status}"
        elif redirects and _path(last.url) == "/" != _path(before.url):
            yield "redirect", "it leads to the start page"
        else:
            yield from self._differences(before, last)

    def _differences(
        self, before: PageRecord, last: PageRecord
    ) -> Iterator[tuple[str, str]]:
        for kind, was, now in (
            ("title", before.title, last.title),
            ("description", before.description, last.description),
        ):
            if was and words(was) != words(now):
                yield kind, f"“{was}” {f'is now “{now}”' if now else 'is gone'}"
        if _HIDDEN.search(last.robots) and not _HIDDEN.search(before.robots):
            yield "robots", "the page asks search engines not to list it"
        if before.canonical and not last.canonical:
            yield "canonical", f"it was {before.canonical}, and is gone"
        elif last.canonical and not self._is_right(before, last):
            yield "canonical", f"it names {last.canonical}"

    def _is_right(self, before: PageRecord, last: PageRecord) -> bool:
        """Return whether the canonical address is the page itself, or another page of
        the new site where that was so before."""
        is_own = _path(last.canonical) == _path(last.url)
        was_own = _path(before.canonical) in ("", _path(before.url))
        return self.new.owns(last.canonical) and (is_own or not was_own)


def _not_gone(last: PageRecord) -> Iterator[tuple[str, str]]:
    if last.status not in _MISSING:
        yield "status", f"it was decided to be gone (410) and is {last.status}"


def _path(url: str) -> str:
    """Return the path of an address without a slash at its end; empty for none."""
    return (urlsplit(url).path.rstrip("/") or "/") if url else ""
