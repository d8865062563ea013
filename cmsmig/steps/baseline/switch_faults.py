"""What went wrong with the pages of a site when it was switched. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from urllib.parse import urlsplit

from cmsmig.counting import and_more, counted
from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS
from cmsmig.steps.baseline.page_record import (
    FEWEST,
    PageContent,
    PageRecord,
    is_within,
    words,
)
from cmsmig.steps.baseline.site_address import SiteAddress, host_of

CLOSED = (401, 403)
"""Status of a page that a password or a sign-in locks."""
_MISSING = (404, 410)
_TEMPORARY = (302, 303, 307)
_HIDDEN = frozenset(("noindex", "none"))
_NOT_FOUND = re.compile(r"\b404\b|\bnot found\b", re.IGNORECASE)
_SHOWN = 90
"""Characters of a text that a sentence quotes."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one old address."""

    kind: str
    """See `docs/baseline.md`; each has one place in this folder."""
    url: str
    """The old address; the new site's for what concerns all of it."""
    at: str
    """The new address that it leads to; empty when there is none."""
    text: str
    """What is wrong, one sentence."""


def gone_faults(old: PageRecord, last: PageRecord) -> Iterator[Fault]:
    """Yield what is wrong with an old address that was decided to be gone; `last` is
    the end of the new answers to it."""
    if last.status not in _MISSING:
        text = f"it was decided to be gone (410); the new site answers {last.status}"
        yield Fault("not_gone", old.url, last.url, text)


@dataclass(frozen=True, slots=True)
class Switch:
    """What all pages are compared with."""

    new: SiteAddress
    left_hosts: Set[str]
    """Hosts that are the old site's alone, and those of the origin's files."""
    identities: Mapping[str, Set[str]]
    """Old addresses by what their page is known by: see `identity`."""
    repeated: Set[int]
    """Hashes of the texts that several old pages have: the template's."""
    not_found: str
    """Hash of the main text of the page for an address that does not exist."""
    mapped: Set[str]
    """Addresses in the new sitemap; empty without one."""

    def faults(
        self,
        old: PageRecord,
        before: PageRecord,
        hops: list[PageRecord],
        *,
        looped: bool,
    ) -> Iterator[Fault]:
        """Yield what is wrong with an old address.

        `before` is the old page that it led to, `hops` are the new answers to it, from
        the first to the last.
        """
        last = hops[-1]
        at = last.location or last.url

        def fault(kind: str, text: str) -> Fault:
            return Fault(kind, old.url, at, text)

        if looped:
            yield fault("redirect_loop", "its redirects lead in a circle")
            return
        redirects = [each for each in hops if each.location]
        if len(redirects) > 1:
            steps = " to ".join(each.url for each in hops)
            yield fault("redirect_chain", f"{len(redirects)} redirects: {steps}")
        if passing := [each.status for each in redirects if each.status in _TEMPORARY]:
            text = f"the redirect is temporary ({passing[0]}); make it 301"
            yield fault("temporary_redirect", text)
        if last.location:
            if last.location != before.location:
                text = f"the redirect leads to {last.location}, which is no page here"
                yield fault("redirect_to_other_site", text)
            return
        if before.status in CLOSED:
            if last.status == 200:
                text = "everyone can read it, and the old page was locked"
                yield fault("unlocked", f"{text} ({before.status})")
            return
        if broken := self._broken(before, last, redirected=bool(redirects)):
            yield fault(*broken)
            return
        if before.content is not None and last.content is not None:
            for kind, text in self._differences(
                before, before.content, last, last.content
            ):
                yield fault(kind, text)
        if "sitemap" in old.sources and self.mapped and last.url not in self.mapped:
            yield fault("not_in_sitemap", "the new sitemap does not list its page")

    def _broken(
        self, before: PageRecord, last: PageRecord, *, redirected: bool
    ) -> tuple[str, str] | None:
        """Return why there is no such page at the end, if there is none."""
        if last.status in _MISSING and redirected:
            text = f"the redirect leads to a page that is not there ({last.status})"
            return "redirect_to_missing", text
        if last.status in _MISSING:
            return "missing", f"no page and no redirect ({last.status})"
        if last.status != 200:
            return "refused", f"the new site answers {last.status}"
        if before.content is None:
            return None
        if last.content is None:
            return "refused", "what the new site answers is no HTML page"
        if redirected and _path(last.url) == "/" != _path(before.url):
            return "redirect_to_home", "the redirect leads to the start page"
        is_unfound = last.content.text_hash == self.not_found
        titles = last.content.title, before.content.title
        named = [bool(_NOT_FOUND.search(title)) for title in titles]
        if is_unfound or named == [True, False]:
            return "soft_404", "it shows the page for what is not found, as 200"
        found, wanted = identity(last.content), identity(before.content)
        others = self.identities.get(found, frozenset())
        if wanted != found and others and words(titles[0]) != words(titles[1]):
            text = f"it shows “{_short(found)}”, which was {min(others)}"
            return "wrong_page", text
        return None

    def _differences(
        self, before: PageRecord, old: PageContent, last: PageRecord, new: PageContent
    ) -> Iterator[tuple[str, str]]:
        yield from _said(old, new)
        yield from self._lost_text(old, new)
        if len(new.pictures) < len(old.pictures):
            count = counted(len(old.pictures), "picture")
            yield "pictures", f"{len(new.pictures)} of {count} are there"
        for kind, addresses in (
            ("pictures_on_old_host", new.pictures),
            ("links_to_old_host", new.links),
        ):
            if left := [each for each in addresses if host_of(each) in self.left_hosts]:
                yield kind, f"{left[0]}{and_more(len(left), 1)}"
        if new.forms < old.forms:
            yield "forms", f"{new.forms} of {counted(old.forms, 'form')} are there"
        if new.insecure and last.url.startswith("https:"):
            text = f"{new.insecure[0]}{and_more(len(new.insecure), 1)}"
            yield "loaded_over_http", text
        if _HIDDEN & {*new.robots} and not _HIDDEN & {*old.robots}:
            yield "noindex", "search engines are asked not to list it"
        yield from self._canonical(before, old, last, new)
        yield from self._languages(old, new)

    def _lost_text(
        self, old: PageContent, new: PageContent
    ) -> Iterator[tuple[str, str]]:
        shown = (*new.text, *new.h1, new.title, new.description)
        whole = " ".join(map(words, shown))
        lost = [
            text
            for text in dict.fromkeys(old.text)
            if len((said := words(text)).split()) >= FEWEST
            and hash(said) not in self.repeated
            and not is_within(said, whole)
        ]
        if lost:
            yield "text", f"“{_short(lost[0])}”{and_more(len(lost), 1)}"

    def _canonical(
        self, before: PageRecord, old: PageContent, last: PageRecord, new: PageContent
    ) -> Iterator[tuple[str, str]]:
        if not new.canonical:
            if old.canonical:
                yield "canonical_lost", f"it was {old.canonical}"
        elif host_of(new.canonical) in self.left_hosts:
            yield "canonical_on_old_host", f"it names {new.canonical}"
        elif not self.new.owns(new.canonical) or (
            _path(new.canonical) != _path(last.url)
            and _path(old.canonical) in ("", _path(before.url))
        ):
            yield "canonical_of_other_page", f"it names {new.canonical}"

    def _languages(
        self, old: PageContent, new: PageContent
    ) -> Iterator[tuple[str, str]]:
        there = {language for language, _ in new.hreflang}
        if lost := [each for each, _ in old.hreflang if each not in there]:
            yield "hreflang_lost", f"without {', '.join(dict.fromkeys(lost))}"
        wrong = [url for _, url in new.hreflang if not self.new.owns(url)]
        if wrong:
            yield "hreflang_on_other_host", f"{wrong[0]}{and_more(len(wrong), 1)}"


def identity(content: PageContent) -> str:
    """Return what a page is known by: the words of its heading, else of its title."""
    return words(next(iter(content.h1), "") or content.title)


def left_hosts(old: SiteAddress, new: SiteAddress) -> frozenset[str]:
    """Return the hosts that nothing of the new site may lead to any more."""
    return (old.hosts - new.hosts - new.coming) | KNOWN_FILE_HOSTS


def _said(old: PageContent, new: PageContent) -> Iterator[tuple[str, str]]:
    """Yield the title, description and heading that are lost or changed."""
    for kind, was, now in (
        ("title", old.title, new.title),
        ("description", old.description, new.description),
        ("h1", " ".join(old.h1), " ".join(new.h1)),
    ):
        if was and words(was) != words(now):
            instead = f"is now “{_short(now)}”" if now else "is gone"
            yield kind, f"“{_short(was)}” {instead}"


def _path(url: str) -> str:
    """Return the path of an address without a slash at its end; empty for none."""
    return (urlsplit(url).path.rstrip("/") or "/") if url else ""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
