"""What is kept of one address that visitors open, and how it is read from the HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import urljoin, urlsplit

from cmsmig.valid_text import valid_text

_WORD = re.compile(r"\w+")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_ROBOTS = 'meta[name="robots" i], meta[name="googlebot" i]'


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One address, and the answer to it: a row of `baseline.sqlite`."""

    url: str
    sources: str = ""
    """Where the address is known from, separated by commas."""
    status: int = 0
    """0: no answer was read."""
    problem: str = ""
    """Why the last request had no answer, one sentence; the rest is from before."""
    location: str = ""
    """Where a redirect leads, absolute."""
    title: str = ""
    description: str = ""
    canonical: str = ""
    """Absolute."""
    robots: str = ""
    """Directives of the meta elements and of the header, in lower case."""


def words(text: str) -> str:
    """Return the words of a text with one blank between them: texts that differ in
    case, punctuation and white space are equal."""
    return " ".join(_WORD.findall(normalize("NFKC", text).casefold()))


def read_head(body: bytes, url: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Return title, description, canonical address and robots directives of an HTML
    page. Never raises for what a page may hold."""
    # Most commands look at recorded pages alone, and this library takes long to load.
    from cmsmig.richtext.html.soup import parse_html

    charset = _CHARSET.search(headers.get("content-type", ""))
    soup = parse_html(body, charset[1] if charset else None)

    def values(css: str, name: str) -> list[str]:
        return [str(each.get(name) or "") for each in soup.select(css)]

    title = next((each.get_text() for each in soup.select("title")), "")
    description = next(iter(values('meta[name="description" i]', "content")), "")
    canonical = next(iter(values('link[rel~="canonical" i]', "href")), "")
    directives = [*values(_ROBOTS, "content"), headers.get("x-robots-tag", "")]
    found = re.findall(r"[^\s,]+", ",".join(directives).lower())
    return {
        "title": _line(title),
        "description": _line(description),
        "canonical": absolute(url, canonical) if canonical else "",
        "robots": _line(", ".join(found)),
    }


def absolute(url: str, address: str) -> str:
    """Return an address on the page `url` as absolute, with a path and without
    fragment; empty for one that is neither http nor https."""
    try:
        parts = urlsplit(urljoin(url, address.strip()))
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    return valid_text(parts._replace(path=parts.path or "/", fragment="").geturl())


def _line(text: str) -> str:
    return valid_text(" ".join(text.split()))
