"""Everything that independent readers find wrong with a conversion.

They read HTML with another parser than the kit does. Of each thing that losses name,
such as one size or one class, a body must have more than its document holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from bs4.element import NavigableString, Tag

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss
from tests.support.richtext.conservation import (
    Account,
    address,
    decoded_value,
    invented,
    mappings,
    of_document,
    of_html,
    of_losses,
    reordered,
    soup,
    times,
    unaccounted,
    vague,
)

Thing: TypeAlias = tuple[str, str]
"""What sort of thing, and which."""

_TELLING = (
    *("title", "alt", "cite", "aria-label", "aria-description", "datetime", "summary"),
)
_SIZES = ("data-rt-max-width", "max-width", "width")
_SHAPES = ("data-rt-dimensions", "padding-bottom", "data-rt-max-height")
_ATTRIBUTE = re.compile(r'([^\s=<>"]+)="(.*)"', re.S)
_DECLARATION = re.compile(r"([\w-]+): (.*)", re.S)
_ALIGNED = re.compile(r"text-?align\s*:\s*(?:-webkit-)?(\w+)", re.IGNORECASE)
_TAG = re.compile(r"<([^\s<>/]+)>")
_NAMING = frozenset(
    (
        *("size", "attribute", "style", "hidden", "reversed", "script", "widget"),
        *("background", "icon"),
    )
)
_HIDDEN = frozenset(("script", "style", "noscript", "object", "head", "title"))
_CODES = frozenset(("code", "pre"))
_EMBEDS = frozenset(
    ("iframe", "video", "audio", "object", "embed", "svg", "canvas", "wf-component")
)
_SHOWN_AT = frozenset(("data-rt-embed-type", "data-page-url"))
_ADDRESSES = frozenset(
    ("src", "url", "background", "data-src", "data-url", "data-href")
)
"""Attributes by which elements without a text show something."""
_MARKS = {
    "bold": ("b", "strong"),
    "italic": ("i", "em"),
    "strike": ("s", "del", "strike"),
    "underline": ("u",),
    "superscript": ("sup",),
    "subscript": ("sub",),
    "highlight": ("mark",),
    "textStyle": ("span",),
    "styled": ("span",),
    "link": ("a",),
}


def untrue(html: str, converted: Converted) -> list[str]:
    """Return the losses that name what the document holds."""
    source, held = _of_markup(html), _of_document(converted.document)
    lost = Counter[Thing]()
    for loss in converted.losses:
        lost.update(dict.fromkeys(_things(loss), times(loss)))
    found = [
        f"{sort} {which}: lost {often}, held {held[sort, which]} of "
        f"{source[sort, which]}"
        for (sort, which), often in lost.items()
        if often > source[sort, which] - held[sort, which]
    ]
    return [*found, *_untrue_links(html, converted), *_untrue_marks(html, converted)]


def _things(loss: Loss) -> Iterator[Thing]:
    """Yield what a loss says that the document has not."""
    what = loss.what
    if loss.kind == "alignment":
        yield "aligned", what
    elif loss.kind == "anchor":
        yield "id", address(what)
    elif loss.kind == "description":
        yield "telling", what.strip()
    elif loss.kind == "target":
        yield "target", what
    elif loss.kind in ("element", "nesting", "hidden") and (
        tag := _TAG.fullmatch(what)
    ):
        yield "element", tag[1]
    elif loss.kind in _NAMING:
        yield from _named(loss, what)


def _named(loss: Loss, what: str) -> Iterator[Thing]:
    if what.startswith(("<", "U+")):
        return
    if loss.kind == "style" and what.startswith(tuple(_MARKS)):
        return
    attribute, declared = _ATTRIBUTE.fullmatch(what), _DECLARATION.fullmatch(what)
    name, value = attribute.groups() if attribute else (what, "")
    if not attribute and declared:
        name, value = declared.groups()
    at_figure = loss.where.rpartition("/")[2].startswith("figure")
    if name in _SHAPES and at_figure:
        yield "shape", value
    elif name in _SIZES and (loss.kind == "size" or at_figure):
        yield "size", _size(value)
    elif loss.kind == "attribute" and not attribute and not declared:
        yield "bare", what
    else:
        yield name, value.strip()


def _size(value: str) -> str:
    bare = value.strip().lower()
    return f"{bare}px" if bare.isdecimal() else bare


def _of_markup(html: str) -> Counter[Thing]:
    """Return the things that HTML has, each once for an element."""
    found = Counter[Thing]()
    for tag in soup(html).find_all(True):
        if isinstance(tag, Tag):
            found.update(set(_of_tag(tag)))
    return found


def _of_tag(tag: Tag) -> Iterator[Thing]:
    yield "element", tag.name
    given = {name: decoded_value(str(tag[name] or "")).strip() for name in tag.attrs}
    style = dict(_declarations(given.get("style", "")))
    yield from given.items()
    yield from style.items()
    yield from (("telling", given[name]) for name in _TELLING if name in given)
    yield from (("bare", name) for name in given if not given[name])
    yield from (("aligned", value) for value in _aligned(tag))
    if tag.name == "a" and "name" in given:
        yield "id", address(given["name"])
    if tag.name == "img" and "width" in given:
        yield "size", _size(given["width"])
    if tag.name == "img":
        yield from ((name, given[name]) for name in ("height",) if name in given)
    if tag.name == "figure":
        both = {**style, **given}
        yield from (("size", _size(both[name])) for name in _SIZES if name in both)
        yield from (("shape", both[name]) for name in _SHAPES if name in both)
        yield "aligned", given.get("data-rt-align", "")
        for name in given.get("class", "").split():
            yield "bare", name
            yield "aligned", name.removeprefix("w-richtext-align-")


def _aligned(tag: Tag) -> Iterator[str]:
    """Yield the alignments that are around a tag, in a word each."""
    for around in tag.parents:
        if around.name == "center":
            yield "center"
        for said in (around.get("align"), *_ALIGNED.findall(str(around.get("style")))):
            word = str(said).lower()
            yield "right" if word == "end" else word


def _declarations(style: str) -> Iterator[Thing]:
    for piece in re.split(r";(?![^(]*\))", style):
        name, colon, value = piece.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _of_document(document: object) -> Counter[Thing]:
    """Return the things that a document holds."""
    held, names, before = Counter[Thing](), set[str](), dict[str, object]()
    for node in mappings(document):
        if "component" in node:
            held.update(_of_component(node))
        if node.get("type") == "image" and isinstance(node.get("attrs"), Mapping):
            held.update(_pictured(node["attrs"]))
        marks = {mark["type"]: mark.get("attrs") for mark in node.get("marks") or ()}
        if "anchor" in marks:
            names.add(address(str(marks["anchor"]["id"])))
        if node.get("type") == "text":
            if marks.get("link") != before.get("link"):
                held.update(_of_link(marks.get("link")))
            before = marks
    return held + Counter(("id", name) for name in names)


def _of_link(given: object) -> Iterator[Thing]:
    if isinstance(given, Mapping):
        yield "target", str(given.get("target") or "")
        for name, value in dict(given.get("custom") or {}).items():
            yield name, value
            if name in _TELLING:
                yield "telling", value


def _pictured(given: Mapping[str, object]) -> Iterator[Thing]:
    yield from (
        ("telling", str(given[name])) for name in ("alt", "title") if given.get(name)
    )


def _of_component(block: Mapping[str, object]) -> Iterator[Thing]:
    if isinstance(html := block.get("html"), str) and html:
        yield from _of_markup(html).elements()
    for name, sort in (("size", "size"), ("alignment", "aligned"), ("shape", "shape")):
        if isinstance(value := block.get(name), str) and value:
            yield sort, _size(value) if sort == "size" else value
    if isinstance(image := block.get("image"), Mapping):
        yield from _pictured(image)


def _untrue_links(html: str, converted: Converted) -> Iterator[str]:
    """Yield links that are listed as lost although all that led there still does."""
    source, held = of_html(html), of_document(converted.document)
    empty = _empty_links(html)
    lost = of_losses(each for each in converted.losses if each.kind != "link")
    for loss in converted.losses:
        if loss.kind not in ("link", "linked-image") or loss.what.startswith("<"):
            continue
        href = address(loss.what)
        missing = source.linked.get(href, Counter()) - _leading(held, href)
        if not missing - _leading(lost, href) and not empty[href]:
            yield f"{loss.kind} {href}: all that led there does"


def _leading(account: Account, href: str) -> Counter[str]:
    return account.linked.get(href, Counter())


def _empty_links(html: str) -> Counter[str]:
    """Count the links by address that lead nothing visible there, or an embed."""
    found = Counter[str]()
    for tag in soup(html).find_all("a"):
        if isinstance(tag, Tag) and "href" in tag.attrs:
            href = address(decoded_value(str(tag["href"] or "")))
            led = of_html(str(tag)).linked.get(href, Counter())
            if not sum(led.values()) or tag.find(_is_embed):
                found[href] += 1
    return found


def _is_embed(tag: Tag) -> bool:
    return (
        tag.name in _EMBEDS
        or "w-embed" in str(tag.get("class") or "")
        or not _SHOWN_AT.isdisjoint(tag.attrs)
        or (tag.name not in ("a", "img") and not _ADDRESSES.isdisjoint(tag.attrs))
        or "url(" in str(tag.get("style") or "")
    )


def _untrue_marks(html: str, converted: Converted) -> Iterator[str]:
    """Yield marks that are listed as lost in code where no text has both."""
    listed: set[Thing] = {
        (loss.kind, loss.what)
        for loss in converted.losses
        if loss.kind in ("mark-in-code", "code-in-link")
    }
    if not listed:
        return
    both = set(_in_code(soup(html)))
    for kind, what in sorted(listed):
        wanted = _MARKS.get(what, ()) if kind == "mark-in-code" else ("a",)
        if both.isdisjoint(wanted) and not (what != "code" and "style" in both):
            yield f"{kind} {what}: no text has both"


def _in_code(root: Tag) -> Iterable[str]:
    """Yield the elements (and `style`) that texts in code are in as well."""
    for text in root.find_all(string=True):
        if not isinstance(text, NavigableString) or not text.strip():
            continue
        around = [each for each in text.parents if isinstance(each, Tag)]
        if any(each.name in _HIDDEN for each in around):
            continue
        if any(each.name in _CODES for each in around):
            yield from (each.name for each in around)
            yield from ("style" for each in around if "style" in each.attrs)


def wrong(html: str, converted: Converted) -> list[str]:
    """Return what a body shows and neither document nor losses hold, what they show
    twice or in another order, and the losses that name something else than was lost."""
    found = [f"unaccounted {each}" for each in unaccounted(html, converted)]
    if twice := invented(html, converted):
        found.append(f"twice {twice}")
    found += [f"vague {each}" for each in vague(html, converted.losses)]
    found += [f"untrue {each}" for each in untrue(html, converted)]
    if reordered(html, converted):
        found.append("reordered")
    return found
