"""An independent account: what a body shows, against what a document and its
losses hold. Reads HTML with another parser than the kit does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5
from itertools import repeat
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PreformattedString, Tag
from lxml import etree

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.render_story import render_value

_AMPERSAND = "\ue000"
"""Replaces `&` while BeautifulSoup reads: it decodes values by a text's rules."""
_REFERENCE = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?")
_HIDDEN = "\u00a0\u200b\u200c\u200d\u2060\ufeff\u2028\u2029\x00\x1c\x1d\x1e\x1f\x85\v"
_UNSEEN = str.maketrans("", "", f" \t\r\n\f{_HIDDEN}")
_NOT_THERE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\ufffd\x00"))
_PARTS = re.compile(r"[\s<>\"'=]+")
"""Part the words of HTML, those in its tags too."""
_BLANKS = str.maketrans("", "", " \t\r\n\f\x00")
_EDGES = "".join(map(chr, range(0x21))) + "\x1c\x1d\x1e\x1f\x85\u00a0\u2028\u2029\u3000"
_SILENT = frozenset(("script", "style"))
_LEVELS = frozenset(f"h{level}" for level in range(1, 7))
_RESERVED = ("", "__wf_reserved_inherit", "__wf_reserved_decorative")
"""Alternative texts that are none. Source: origin, rich text."""
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em"),
        *("font", "i", "img", "ins", "kbd", "label", "mark", "q", "s", "samp", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
        *("rb", "rp", "rt", "rtc", "ruby", "acronym", "data", "nobr", "slot"),
        *("script", "style", "template"),
    )
)
_SHIELDS = frozenset(
    ("td", "th", "caption", "object", "applet", "marquee", "template", "svg", "math")
)
"""Elements in which a link does not end one around them."""
_MORE = re.compile(r" … and ([0-9,]+) more times in this body\Z")
"""How often a loss that covers others was met, behind its context."""
_TIMES = re.compile(r"([0-9]+) times in this body")
"""How often a loss was met that is counted, in the place of its context."""
_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
_SOURCES = {
    "iframe": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "source": ("src",),
    "track": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "figure": ("data-page-url",),
    "wf-component": ("component-id",),
    "script": ("src",),
    "oembed": ("url",),
    "lottie-player": ("src",),
}
"""What makes an embed this one and no other."""


_WIDGETS = ("data-url", "data-href", "background")
"""Where any element says what it shows."""


def soup(html: str) -> BeautifulSoup:
    """Return a tree made by a parser that the kit does not use."""
    return BeautifulSoup(
        " " + html.replace("&", _AMPERSAND),  # never mistaken for an address
        "html.parser",
        multi_valued_attributes=None,
        on_duplicate_attribute="ignore",
    )


def decoded(text: str) -> str:
    """Return a text of `soup` with its character references read."""
    return unescape(text.replace(_AMPERSAND, "&")) if _AMPERSAND in text else text


def decoded_value(value: str) -> str:
    """Return an attribute of `soup`, read by the rules for attributes."""
    text = value.replace(_AMPERSAND, "&")
    return _REFERENCE.sub(lambda found: _reference(found, text), text)


def _reference(found: re.Match[str], text: str) -> str:
    name, after = found[0], text[found.end() : found.end() + 1]
    if name[1] == "#":
        return unescape(name) or chr(int(name[2:].strip(";xX"), _base(name)))
    if name.endswith(";") and name[1:] in html5:
        return unescape(name)
    # Without its semicolon it counts only at the end, and never in parts.
    return unescape(name) if name[1:] in html5 and after != "=" else name


def _base(name: str) -> int:
    return 16 if name[2] in "xX" else 10


def characters(text: str) -> Counter[str]:
    """Return how often `text` holds each visible character."""
    return Counter(text.translate(_UNSEEN))


def joined(texts: Iterable[str]) -> Counter[str]:
    """Return every character but blanks, joiners too, where a text shows anything."""
    seen = (text for text in texts if text.translate(_UNSEEN))
    return Counter("".join(seen).translate(_BLANKS))


def address(value: str) -> str:
    """Return the form in which two spellings of an address are equal."""
    bare = value.strip(_EDGES)
    return bare[7:] if bare[:7].lower() == "mailto:" else bare


@dataclass
class Account:
    """What something shows, leads to and runs."""

    texts: list[str] = field(default_factory=list)
    """Each text for itself, in order."""
    node_texts: list[str] = field(default_factory=list)
    """Of these the ones in text nodes, when it is a document; with separators."""
    pictures: Counter[str] = field(default_factory=Counter)
    alts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Pictures with their alternative text."""
    headings: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Visible characters of headings, with their level."""
    links: set[str] = field(default_factory=set)
    linked: dict[str, Counter[str]] = field(default_factory=dict)
    """By address, the visible characters and the pictures that lead there."""
    embeds: set[str] = field(default_factory=set)
    codes: list[str] = field(default_factory=list)
    """Scripts and style sheets."""
    names: set[str] = field(default_factory=set)
    """What links within a page lead to."""
    emoji: list[str] = field(default_factory=list)
    """Emoji, which replace a picture or another text."""
    lines: list[str] = field(default_factory=list)
    """Texts and line ends, to count words in."""
    markup: bool = True
    """Whether raw HTML inside of components is read."""

    def link(self, href: str, what: Iterable[str] = ()) -> None:
        """Note a link, and what leads there."""
        self.links.add(address(href))
        self.linked.setdefault(address(href), Counter()).update(what)

    def text(self, text: str, href: str | None = None) -> None:
        """Note a text."""
        self.texts.append(text)
        self.lines.append(text)
        if href:
            self.link(href, text.translate(_UNSEEN))

    def picture(self, source: str, href: str | None = None) -> None:
        """Note a picture."""
        if not address(source):
            return
        self.pictures[address(source)] += 1
        if href:
            self.link(href, [f"picture {address(source)}"])


@dataclass
class _Link:
    """A link around a place. Another one ends it, but none in a cell around which it
    is. Source: the HTML standard, the adoption agency algorithm."""

    address: str
    outer: _Link | None = None
    """The link around the cell that it is in."""
    inner: _Link | None = None
    """The link that this is, in a cell that it is around."""
    ended: bool = False

    def href(self) -> str | None:
        """Return where a text leads that is here now."""
        link: _Link | None = self
        while link is not None:
            if link.inner is None and not link.ended:
                return link.address or None
            link = link.inner or link.outer
        return None


def _begun(tag: Tag, given: Mapping[str, str], around: _Link | None) -> _Link | None:
    """Return the link in a tag, of that around it."""
    if tag.name in _SHIELDS and around is not None and around.inner is None:
        return _Link("", inner=around)
    if tag.name != "a":
        return around
    href = given.get("href", "") if address(given.get("href", "")) else ""
    if around is None or around.inner is not None:
        return _Link(href, outer=around)
    around.ended = True
    return _Link(href, outer=around.outer)


def of_html(html: str, into: Account | None = None) -> Account:
    """Return the account of a body or a part of one."""
    account = into if into is not None else Account()
    stack: list[tuple[object, _Link | None, int]] = [(soup(html), None, -1)]
    while stack:
        node, link, begun = stack.pop()
        if begun >= 0:
            account.lines.append("\n")
            if isinstance(node, Tag) and node.name in _LEVELS:
                held = "".join(account.texts[begun:]).translate(_UNSEEN)
                account.headings.update((node.name, each) for each in held)
        elif isinstance(node, Tag):
            if node.name not in _INLINE and "-" not in node.name:
                account.lines.append("\n")
                stack.append((node, None, len(account.texts)))
            given = {name: decoded_value(str(node[name] or "")) for name in node.attrs}
            link = _begun(node, given, link)
            _of_tag(node, given, link.href() if link is not None else None, account)
            stack.extend((child, link, -1) for child in reversed(_in_order(node)))
        elif isinstance(node, NavigableString):
            _of_text(node, link.href() if link is not None else None, account)
    return account


def _in_order(tag: Tag) -> list[object]:
    """Return what is in a tag as pages show it: in tables captions first, feet last;
    marks around quotations and readings."""
    if tag.name == "q":
        marks = "‘’" if tag.find_parent("q") else "“”"
        before, after = map(NavigableString, marks)
        return [before, *tag.contents, after]
    holds = tag.name == "rt" or (tag.name == "rtc" and tag.find("rt") is None)
    if holds and (ruby := tag.find_parent("ruby")):
        said = any(each.get_text(strip=True) for each in ruby.find_all("rp"))
        if tag.get_text(strip=True) and not said:
            return [NavigableString("("), *tag.contents, NavigableString(")")]
    if tag.name != "table":
        return list(tag.contents)
    places = {"caption": 0, "tfoot": 2}
    return sorted(
        tag.contents,
        key=lambda each: places.get(each.name, 1) if isinstance(each, Tag) else 1,
    )


def _of_text(node: NavigableString, href: str | None, account: Account) -> None:
    parent = node.parent
    if parent is not None and parent.name in _SILENT:
        account.codes.append(str(node).replace(_AMPERSAND, "&").strip())
    elif not isinstance(node, PreformattedString):
        account.text(decoded(node), href)


def _of_tag(
    tag: Tag, given: Mapping[str, str], href: str | None, account: Account
) -> None:
    for name in (*_SOURCES.get(tag.name, ()), *_WIDGETS):
        if address(given.get(name, "")):
            account.embeds.add(address(given[name]))
    if tag.name in ("img", "span"):
        account.emoji.append(given.get("data-emoji", ""))
    if address(given.get("id", "")):
        account.names.add(address(given["id"]))
    if tag.name in ("a", "area") and address(given.get("href", "")):
        account.link(given["href"])
    if tag.name in ("img", "image"):
        source = given.get("src") or given.get("data-src", "")
        account.picture(source, href)
        alt = " ".join(given.get("alt", "").split())
        if address(source) and alt not in _RESERVED:
            account.alts[address(source), alt] += 1


def strings(value: object) -> Iterator[str]:
    """Yield every string of a JSON value."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, dict):
            stack.extend(current.values())
        elif isinstance(current, list):
            stack.extend(current)


def mappings(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield every object of a JSON value, in order."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(reversed(current))
        elif isinstance(current, Mapping):
            yield current
            stack.extend(reversed(list(current.values())))


def of_document(
    document: object, *, markup: bool = True, into: Account | None = None
) -> Account:
    """Return the account of a document, with everything in its components.

    Without `markup`, raw HTML in them is left out: another reader takes it.
    """
    account = into if into is not None else Account(markup=markup)
    stack: list[object] = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, str):
            account.lines.append(node)
            account.node_texts.append(node)
        elif isinstance(node, Mapping):
            if node.get("type") in ("paragraph", "heading", "code_block", "table"):
                stack.append("\n")
            stack.extend(reversed(_of_node(node, account)))
    return account


def _of_node(node: Mapping[str, object], account: Account) -> list[object]:
    """Note one node or component; return what is inside of it."""
    attributes = node.get("attrs")
    given = attributes if isinstance(attributes, Mapping) else {}
    kind = node.get("type")
    marks = [mark for mark in _listed(node.get("marks")) if isinstance(mark, Mapping)]
    href = next((_href(mark) for mark in marks if mark.get("type") == "link"), None)
    account.names.update(
        address(str(mark["attrs"]["id"]))
        for mark in marks
        if mark.get("type") == "anchor"
    )
    if kind == "text":
        account.text(str(node["text"]), href)
        account.node_texts.append(str(node["text"]))
    elif kind == "emoji":
        account.text(str(given.get("emoji") or ""), href)
        account.picture(str(given.get("fallbackImage") or ""), href)
    elif kind == "image":
        account.picture(str(given.get("src") or ""))
    elif kind == "hard_break":
        account.node_texts.append("\n")
        if href:
            account.link(href)
    elif "component" in node:
        return _of_component(node, account)
    elif kind == "blok":
        return [given.get("body")]
    return [node.get("content")]


def _of_component(block: Mapping[str, object], account: Account) -> list[object]:
    inside: list[object] = []
    value = block.get("link")
    href = _multilink(value) if isinstance(value, Mapping) else None
    if href:
        account.link(href)
    for name, held in block.items():
        if isinstance(held, Mapping) and held.get("fieldtype") == "asset":
            account.picture(str(held.get("filename") or ""), href)
        elif isinstance(held, (Mapping, list)):
            inside.append(held)
        elif not isinstance(held, str):
            continue
        elif name == "html":
            if account.markup:
                of_html(held, account)
        elif name == "caption":
            account.text(held)
        elif name in ("url", "id") and address(held):
            account.embeds.add(address(held))
            if name == "id":
                account.names.add(address(held))
    return inside


def _href(mark: Mapping[str, object]) -> str:
    attributes = mark.get("attrs")
    return str(attributes.get("href")) if isinstance(attributes, Mapping) else ""


def _multilink(value: Mapping[str, object]) -> str:
    given = value.get("email") or value.get("url") or value.get("cached_url") or ""
    return str(given)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def each_time(losses: Iterable[Loss]) -> Iterator[Loss]:
    """Yield each loss as often as it was met; looks and the last of many alike have a
    count."""
    for loss in losses:
        more = _MORE.search(loss.context)
        again = int(more[1].replace(",", "")) if more else times(loss) - 1
        yield from repeat(loss, 1 + again)


def times(loss: Loss) -> int:
    """Return how often a loss was met that is counted instead of having a context."""
    counted = _TIMES.fullmatch(loss.context)
    return int(counted[1]) if counted else 1


def of_losses(losses: Iterable[Loss], into: Account | None = None) -> Account:
    """Return the account of what the losses name."""
    account = into if into is not None else Account()
    for loss in each_time(losses):
        if loss.kind == "text":
            account.text(loss.what)
        elif loss.what.startswith("<"):
            of_html(loss.what, account)
            account.codes.append(loss.what)
        elif loss.kind == "anchor":
            account.names.add(address(loss.what))
    return account


def unaccounted(html: str, converted: Converted) -> list[str]:
    """Return what of `html` is neither in the document nor in its losses."""
    source, held, lost = _accounts(html, converted)
    named = {address(loss.what) for loss in converted.losses}
    missing: list[str] = []
    for what, gone in (
        ("characters", _seen(source) - _seen(held) - _seen(lost)),
        ("joined", joined(source.texts) - _joined(held) - _joined(lost)),
    ):
        if gone:
            missing.append(f"{what} {dict(gone)}")
    for kept, what in ((source.pictures - held.pictures - lost.pictures, "picture"),):
        missing.extend(f"{what} {each}" for each in kept if each not in named)
    everywhere = "\n".join(
        (*held.codes, *lost.codes, *(loss.what for loss in converted.losses))
    )
    missing.extend(f"code {code}" for code in source.codes if code not in everywhere)
    for what, ours in (("links", "link"), ("embeds", "embed"), ("names", "name")):
        known: set[str] = getattr(held, what) | getattr(lost, what) | named
        if what == "names":
            known |= {each for each in source.names if f'id="{each}"' in named}
        if what == "embeds":
            known |= {each for each in source.embeds if each in everywhere}
        gone_here: set[str] = getattr(source, what) - known
        missing.extend(f"{ours} {each}" for each in sorted(gone_here))
    for href, leading in source.linked.items():
        gone = leading - held.linked.get(href, Counter())
        gone -= lost.linked.get(href, Counter()) + _seen(lost)
        gone -= Counter({f"picture {each}": n for each, n in lost.pictures.items()})
        if gone and href not in named:
            missing.append(f"under the link {href}: {dict(gone)}")
    return missing


def unseen(html: str, converted: Converted) -> Iterator[str]:
    """Yield what readers of a body see and readers of the rendered story do not; what
    a loss names is none of it."""
    yield from not_shown(html, render_value(converted.document), converted.losses)


def not_shown(html: str, shown: str, losses: Sequence[Loss]) -> Iterator[str]:
    """Yield what a page does not show as a body does, and no loss names."""
    before, after, lost = of_html(_mended(html)), of_html(shown), of_losses(losses)
    named = {address(loss.what) for loss in losses} | lost.links
    there, here = (_shown_words(each.lines) for each in (before, after))
    spelled = _shown_words(f"{loss.what} " for loss in losses)
    gone = (
        Counter(there)
        - Counter(here)
        - (Counter(_shown_words(lost.lines)) | Counter(spelled))
    )
    yield from (f"missing text: {each}" for each in gone)
    more = Counter(here) - Counter(there)
    parts = Counter(filter(None, _PARTS.split(" ".join(more.elements()))))
    yield from (f"added text: {each}" for each in parts - Counter(_PARTS.split(html)))
    if there != here and Counter(there) == Counter(here):
        yield "text in another order"
    for href, leading in before.linked.items():
        gone = leading - after.linked.get(href, Counter()) - _seen(lost)
        if (gone or href not in after.linked) and href not in named:
            yield f"link to {href}: {dict(gone)}"
    for what, held, kept, known in (
        ("picture", before.pictures, after.pictures, lost.pictures),
        ("alternative text", before.alts, after.alts, lost.alts),
        ("heading", before.headings, after.headings, lost.headings),
    ):
        yield from (f"{what} {each}" for each in held - kept - known)


def _mended(html: str) -> str:
    """Return a body as a browser reads it, every tag closed."""
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8")
    parser.feed(b"<body>" + html.encode("utf-8", "replace"))
    return etree.tostring(parser.close(), encoding="unicode")


def _shown_words(pieces: Iterable[str]) -> list[str]:
    return "".join(pieces).translate(_NOT_THERE).split()


def _accounts(html: str, converted: Converted) -> tuple[Account, Account, Account]:
    """Return the accounts of a body, of its document and of its losses."""
    return (
        of_html(html, Account()),
        of_document(converted.document, into=Account()),
        of_losses(converted.losses, Account()),
    )


def _seen(account: Account) -> Counter[str]:
    return characters("".join(account.texts))


def _joined(account: Account) -> Counter[str]:
    """Return every character but blanks, where nothing shows too."""
    return Counter("".join(account.texts).translate(_BLANKS))


def invented(html: str, converted: Converted) -> dict[str, int]:
    """Return the characters that document and losses show more often than `html`."""
    source, held, lost = _accounts(html, converted)
    allowed = _seen(source) + characters("".join(source.emoji))
    return dict(_seen(held) + _seen(lost) - allowed)


def reordered(html: str, converted: Converted) -> tuple[str, str] | None:
    """Return what `html` and the document show, when only the order differs."""
    source, held = (
        "".join(account.texts).translate(_UNSEEN)
        for account in (of_html(html), of_document(converted.document))
    )
    if source != held and Counter(source) == Counter(held):
        return source, held
    return None


def words(pieces: Iterable[str]) -> list[str]:
    """Return the words in texts; a line end parts two."""
    return _WORD.findall("".join(pieces).translate(str.maketrans("", "", _HIDDEN[1:])))


_BEGINNINGS: dict[str, tuple[str, ...]] = {
    "script": ("<script", "on"),
    "style-sheet": ("<style", "<link"),
    "head": ("<head", "<title", "<meta", "<link"),
    "iframe": ("<iframe",),
    "form-control": ("<input", "<select", "<textarea", "<progress", "<meter"),
    "comment": ("<!--",),
}


def vague(html: str, losses: Iterable[Loss]) -> Iterator[str]:
    """Yield the losses that name something else than what was lost."""
    texts = "".join(of_html(html).texts)
    shown = _plain(decoded(html) + decoded_value(html) + texts)
    whole = unescape(html)
    for loss in losses:
        begin = _BEGINNINGS.get(loss.kind, ())
        if begin and not loss.what.lower().startswith(begin):
            yield f"{loss.kind}: {loss.what!r} is not one"
        if not loss.what and loss.kind not in ("image",):
            yield f"{loss.kind}: names nothing"
        elif loss.kind == "mark-in-code":
            continue  # the name of a mark, which a style may hold as well
        elif loss.kind == "text" and not characters(loss.what) - characters(texts):
            continue  # with something in the middle that is a loss of its own
        elif loss.kind == "spacer" and "&" in loss.what:
            if unescape(loss.what) not in whole.translate(_BLANKS):
                yield f"{loss.kind}: {loss.what!r} is not in the body"
        elif not any(_plain(part) in shown for part in _spellings(loss.what)):
            yield f"{loss.kind}: {loss.what!r} is not in the body"


def _spellings(what: str) -> Iterator[str]:
    """Yield the ways in which a body may spell what a loss names."""
    yield what
    yield decoded(what)
    yield what.removesuffix(">") if what.startswith("<") else what
    if number := re.fullmatch(r"U\+([0-9A-F]+)", what):
        yield chr(int(number[1], 16))
    for parted in ("=", ": "):
        name, _, value = what.partition(parted)
        if value.strip('"') and re.fullmatch(r"[\w:.-]+", name):
            yield value.strip('"')


_PLAIN = re.compile(r"[\s\x00]+")


def _plain(text: str) -> str:
    return _PLAIN.sub("", text).lower()
