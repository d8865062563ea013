"""What is kept of one page that visitors open, and how it is read from the HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import normalize
from urllib.parse import urljoin, urlsplit

from cmsmig.richtext.html.soup import Tag, parse_html, text_blocks
from cmsmig.valid_text import valid_text

FEWEST = 4
"""Words of a text that is looked for elsewhere: fewer are labels, dates and names."""
_WORD = re.compile(r"\w+")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_TEMPLATE = frozenset(("nav", "footer", "noscript"))
_MOST_HEADINGS = 10
"""Of the first level; more, in one another, would take their text over and over."""
_SOURCES = ("src", "data-src", "srcset", "data-srcset")
_DESCRIPTION = 'meta[name="description" i]'
_ROBOTS = 'meta[name="robots" i], meta[name="googlebot" i]'
_LOADED = ":is(img, script, iframe, source, video, audio, embed)[src^='http:' i]"
_STYLES = "link[rel~='stylesheet' i][href^='http:' i]"


@dataclass(frozen=True, slots=True)
class PageContent:
    """What search engines and readers see of an HTML page; addresses are absolute."""

    title: str
    description: str
    canonical: str
    robots: tuple[str, ...]
    """Directives of the meta elements and of the header, in lower case."""
    hreflang: tuple[tuple[str, str], ...]
    """Language, in lower case, and address."""
    h1: tuple[str, ...]
    text: tuple[str, ...]
    """The main text, a piece for each paragraph, heading, list item or cell."""
    text_hash: str
    """SHA-256 of the main text's words."""
    pictures: tuple[str, ...]
    """Of the main part."""
    links: tuple[str, ...]
    """Without fragment and query."""
    insecure: tuple[str, ...]
    """What the page loads over plain http, as it is written."""
    forms: int = 0
    """Forms of the whole page."""


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One address, and the answer to it."""

    url: str
    sources: tuple[str, ...]
    """Where the address is known from: `item`, `page`, `sitemap`, `link`, `list`,
    `redirect`."""
    status: int = 0
    """0: no answer was read."""
    problem: str = ""
    """Why the last request had no answer, one sentence; the rest is from before."""
    location: str = ""
    """Where a redirect leads, absolute."""
    etag: str = ""
    modified: str = ""
    """`Last-Modified`, as it was sent."""
    content: PageContent | None = None
    """Of an HTML page with status 200."""


def words(text: str) -> str:
    """Return the words of a text with one blank between them: texts that differ in
    case, punctuation and white space are equal."""
    return " ".join(_WORD.findall(normalize("NFKC", text).casefold()))


def is_within(part: str, whole: str) -> bool:
    """Return whether `whole` holds the words of `part` in a row; both from `words`."""
    return f" {part} " in f" {whole} "


def read_content(body: bytes, url: str, headers: Mapping[str, str]) -> PageContent:
    """Return what an HTML page shows. Never raises for what a page may hold."""
    charset = _CHARSET.search(headers.get("content-type", ""))
    soup = parse_html(body, charset[1] if charset else None)
    main = soup.find("main") or soup.find(role="main") or soup.find("article")
    root = main if isinstance(main, Tag) else soup.body or soup
    text = tuple(map(valid_text, text_blocks(root, _TEMPLATE)))
    directives = [*_values(soup, _ROBOTS, "content"), headers.get("x-robots-tag", "")]
    languages = soup.select('link[rel~="alternate" i][hreflang]')
    canonical = _values(soup, 'link[rel~="canonical" i]', "href")
    links = (absolute(url, each) for each in _values(soup, "a[href]", "href"))
    return PageContent(
        title=_line(next((each.get_text() for each in soup.select("title")), "")),
        description=_line("".join(_values(soup, _DESCRIPTION, "content")[:1])),
        canonical="".join(absolute(url, each) for each in canonical[:1]),
        robots=tuple(re.findall(r"[^\s,]+", ",".join(directives).lower())),
        hreflang=tuple(
            (str(each["hreflang"]).lower(), absolute(url, str(each.get("href") or "")))
            for each in languages
        ),
        h1=tuple(
            _line(each.get_text()) for each in soup.select("h1", limit=_MOST_HEADINGS)
        ),
        text=text,
        text_hash=sha256(words(" ".join(text)).encode()).hexdigest(),
        pictures=tuple(_pictures(url, root)),
        links=tuple(dict.fromkeys(each.partition("?")[0] for each in links if each)),
        insecure=tuple(_values(soup, _LOADED, "src") + _values(soup, _STYLES, "href")),
        forms=len(soup.select("form")),
    )


def _pictures(url: str, root: Tag) -> Iterator[str]:
    """Yield the addresses of pictures, also of those that a script loads later."""
    for each in root.select("img"):
        named = (str(each.get(name) or "").split() for name in _SOURCES)
        found = (absolute(url, value[0]) for value in named if value)
        if address := next(filter(None, found), ""):
            yield address


def _values(root: Tag, css: str, name: str) -> list[str]:
    """Return an attribute of the elements that a selector finds."""
    return [str(each.get(name) or "") for each in root.select(css)]


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
