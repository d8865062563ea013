"""What is kept of one page that visitors open, and how it is read from the HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import normalize
from urllib.parse import urljoin, urlsplit

from cmsmig.richtext.html.soup import Tag, parse_html, text_blocks
from cmsmig.whole_text import whole_text

FEWEST = 4
"""Words of a text that is looked for elsewhere: fewer are labels, dates and names."""
_WORD = re.compile(r"\w+")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_TEMPLATE = frozenset(("nav", "footer", "noscript"))
_MOST_HEADINGS = 10
"""Of the first level; more, in one another, would take their text over and over."""
_SOURCES = ("src", "data-src", "srcset", "data-srcset")
_LOADED = ("img", "script", "iframe", "source", "video", "audio", "embed")
"""Elements whose `src` a browser loads with the page."""


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
    """What the page loads over plain http."""


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
    soup = parse_html(_decoded(body, headers.get("content-type", "")))
    metas = [(_attribute(each, "name").lower(), each) for each in soup.find_all("meta")]
    links = [(_attribute(each, "rel").lower(), each) for each in soup.find_all("link")]
    main = soup.find("main") or soup.find(role="main") or soup.find("article")
    root = main if isinstance(main, Tag) else soup.body or soup
    title = soup.find("title")
    text = text_blocks(root, _TEMPLATE)
    directives = [_attribute(each, "content") for name, each in metas if name in _BOTS]
    directives.append(headers.get("x-robots-tag", ""))
    return PageContent(
        title=_line(title.get_text()) if isinstance(title, Tag) else "",
        description=_first(
            _line(_attribute(each, "content"))
            for name, each in metas
            if name == "description"
        ),
        canonical=_first(
            _absolute(url, each, "href") for rel, each in links if rel == "canonical"
        ),
        robots=tuple(re.findall(r"[^\s,]+", ",".join(directives).lower())),
        hreflang=tuple(
            (_attribute(each, "hreflang").lower(), _absolute(url, each, "href"))
            for rel, each in links
            if rel == "alternate" and each.has_attr("hreflang")
        ),
        h1=tuple(
            _line(each.get_text()) for each in soup.find_all("h1", limit=_MOST_HEADINGS)
        ),
        text=tuple(map(whole_text, text)),
        text_hash=sha256(whole_text(words(" ".join(text))).encode()).hexdigest(),
        pictures=tuple(_pictures(url, root)),
        links=tuple(
            dict.fromkeys(
                each.partition("?")[0]
                for each in _addresses(url, soup.find_all("a"), "href")
            )
        ),
        insecure=_insecure(url, soup, links),
    )


_BOTS = ("robots", "googlebot")


def _insecure(url: str, soup: Tag, links: list[tuple[str, Tag]]) -> tuple[str, ...]:
    if not url.startswith("https:"):
        return ()
    styles = [each for rel, each in links if "stylesheet" in rel]
    loaded = (
        *_addresses(url, soup.find_all(_LOADED), "src"),
        *_addresses(url, styles, "href"),
    )
    return tuple(each for each in loaded if each.startswith("http:"))


def _pictures(url: str, root: Tag) -> Iterator[str]:
    """Yield the addresses of pictures, also of those that a script loads later."""
    for each in root.find_all("img"):
        named = (_attribute(each, name) for name in _SOURCES)
        found = (absolute(url, value.split()[0]) for value in named if value.strip())
        if address := next(filter(None, found), ""):
            yield address


def _addresses(url: str, found: Iterable[object], name: str) -> tuple[str, ...]:
    tags = (each for each in found if isinstance(each, Tag) and each.has_attr(name))
    return tuple(dict.fromkeys(filter(None, _each_absolute(url, tags, name))))


def _each_absolute(url: str, tags: Iterable[Tag], name: str) -> Iterator[str]:
    for each in tags:
        yield _absolute(url, each, name)


def _absolute(url: str, tag: Tag, name: str) -> str:
    """Return an address as absolute, without fragment; empty when it is none."""
    return absolute(url, _attribute(tag, name))


def absolute(url: str, address: str) -> str:
    """Return an address on the page `url` as absolute, with a path and without
    fragment; empty for one that is neither http nor https."""
    try:
        parts = urlsplit(urljoin(url, address.strip()))
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    return whole_text(parts._replace(path=parts.path or "/", fragment="").geturl())


def _attribute(tag: object, name: str) -> str:
    return str(tag.get(name) or "") if isinstance(tag, Tag) else ""


def _line(text: str) -> str:
    return whole_text(" ".join(text.split()))


def _first(found: Iterator[str]) -> str:
    return next(found, "")


def _decoded(body: bytes, content_type: str) -> str | bytes:
    named = _CHARSET.search(content_type)
    try:
        return body.decode(named[1], "replace") if named else body
    except LookupError:
        return body
