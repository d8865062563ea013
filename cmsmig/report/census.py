"""What the rich text bodies are made of: each structure, how often, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cmsmig.mapping.routes import Routes
from cmsmig.origin.schema import Item
from cmsmig.report.oldpages import every_item
from cmsmig.richtext.dom import Element, find, text_of, walk
from cmsmig.richtext.parse import parse
from cmsmig.steps.migration import Origin

_BODY_TYPES = ("RichText",)
_WORDS = 60
_LAYOUT_CLASS = re.compile(r"w-richtext-(?:align|figure)-(?!type-)")


@dataclass(frozen=True, slots=True)
class Structure:
    """One kind of thing in bodies."""

    name: str
    title: str
    becomes: str
    """What the conversion makes of it, one sentence."""


STRUCTURES: tuple[Structure, ...] = (
    Structure("heading", "Headings", "Kept as headings of the same level."),
    Structure("list", "Lists", "Kept."),
    Structure("quote", "Quotes", "Kept."),
    Structure("table", "Tables", "Kept as tables."),
    Structure("code", "Code blocks", "Kept, with their language."),
    Structure(
        "empty-code",
        "Code blocks without code",
        "The origin does not deliver the code; copy it by hand.",
    ),
    Structure("image", "Images", "Uploaded first; the new address stands in the text."),
    Structure(
        "captioned-image",
        "Images with a caption",
        "The caption becomes a paragraph below the image.",
    ),
    Structure(
        "linked-image",
        "Images that link",
        "Rich text images cannot link, so each becomes a linked image block.",
    ),
    Structure(
        "image-without-alt",
        "Images without an alt text",
        "Imported as they are; a good moment to write the texts.",
    ),
    Structure(
        "layout",
        "Alignment and size of figures",
        "Layout: listed as a loss, the content stands.",
    ),
    Structure("video", "Videos", "An embed block with the address and the caption."),
    Structure(
        "embed", "Custom embeds", "A raw HTML block, unless notebook 03 decides else."
    ),
    Structure(
        "script-embed",
        "Custom embeds with a script",
        "A raw HTML block: decide in notebook 03 whether the new site should run it.",
    ),
    Structure(
        "empty-embed",
        "Custom embeds without code",
        "The origin does not deliver the code; copy it by hand.",
    ),
    Structure("iframe", "Other frames", "An embed block with the address."),
    Structure("component", "Components of the designer", "Raw HTML blocks."),
    Structure("form", "Form controls", "Left out, and listed."),
    Structure("script", "Scripts outside of embeds", "Left out, and listed."),
    Structure(
        "internal-link",
        "Links into the site",
        "Rewritten in phase two where the target is imported.",
    ),
    Structure("link", "Links to elsewhere", "Kept."),
    Structure("mail", "Links to mail and telephone", "Kept."),
    Structure(
        "anchor", "Places that links can jump to", "Kept on text, lost on headings."
    ),
    Structure("style", "Inline styles", "Layout: listed as a loss where it shows."),
)
"""In the order they are shown."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One body that holds a structure."""

    item: Item
    field: str
    """The origin field's slug."""
    times: int
    example: str
    """A few words of the first one, or its address."""


@dataclass(slots=True)
class Finding:
    """All sightings of one structure."""

    structure: Structure
    sightings: list[Sighting] = field(default_factory=list)

    @property
    def times(self) -> int:
        """Return how often it occurs in all."""
        return sum(each.times for each in self.sightings)


@dataclass(frozen=True, slots=True)
class Census:
    """What the bodies of a site are made of."""

    bodies: int
    """Bodies that are not empty."""
    findings: tuple[Finding, ...]
    """Structures that occur, in the order of `STRUCTURES`."""


def take_census(origin: Origin) -> Census:
    """Return what all bodies are made of, in the editors' version. Reads only."""
    routes = Routes(origin.site, origin.collections, {}, {})
    found = {each.name: Finding(each) for each in STRUCTURES}
    bodies = 0
    for item, name, body in rich_bodies(origin):
        bodies += 1
        for structure, elements in _structures(body, routes).items():
            first = _example(elements[0])
            found[structure].sightings.append(
                Sighting(item, name, len(elements), first)
            )
    return Census(bodies, tuple(each for each in found.values() if each.sightings))


def rich_bodies(origin: Origin) -> Iterator[tuple[Item, str, str]]:
    """Yield item, field slug and HTML of every body that is not empty."""
    fields = {
        each.collection_id: [one.slug for one in each.fields if one.type in _BODY_TYPES]
        for each in origin.collections
    }
    for item in every_item(origin).values():
        for name in fields[item.key.collection_id]:
            body = item.data.get(name)
            if isinstance(body, str) and body.strip():
                yield item, name, body


def _structures(body: str, routes: Routes) -> Mapping[str, list[Element]]:
    found: dict[str, list[Element]] = {}
    embeds: set[int] = set()
    for element in walk(parse(body)):
        inside = element.parent is not None and id(element.parent) in embeds
        if inside or _is_embed(element):
            embeds.add(id(element))
        if not inside:
            for name in _names(element, routes):
                found.setdefault(name, []).append(element)
    return found


def _names(element: Element, routes: Routes) -> Iterable[str]:
    if _is_embed(element):
        yield _embed_name(element)
        return
    if rule := _RULES.get(element.tag):
        yield from rule(element)
    if element.tag == "a":
        yield from _link(element, routes)
    elif "id" in element.attributes:
        yield "anchor"
    if "style" in element.attributes:
        yield "style"


def _is_embed(element: Element) -> bool:
    return "data-rt-embed-type" in element.attributes or "w-embed" in element.classes


def _embed_name(element: Element) -> str:
    if find(element, "script") is not None:
        return "script-embed"
    shows = text_of(element).strip() or next(walk(element), None) is not None
    return "embed" if shows else "empty-embed"


def _figure(element: Element) -> Iterator[str]:
    classes = element.attributes.get("class", "")
    layout = {"data-rt-align", "data-rt-max-width"} & element.attributes.keys()
    if layout or _LAYOUT_CLASS.search(classes):
        yield "layout"
    picture, caption = find(element, "img"), find(element, "figcaption")
    if picture is not None and caption is not None and text_of(caption).strip():
        yield "captioned-image"
    page = element.attributes.get("data-page-url")
    if page or "w-richtext-figure-type-video" in element.classes:
        yield "video"


def _image(element: Element) -> Iterator[str]:
    yield "image"
    if not element.attributes.get("alt", "").strip():
        yield "image-without-alt"
    if any(above.tag == "a" for above in _above(element)):
        yield "linked-image"


def _frame(element: Element) -> Iterator[str]:
    if not any(above.tag == "figure" for above in _above(element)):
        yield "iframe"


def _code(element: Element) -> Iterator[str]:
    yield "code" if text_of(element).strip() else "empty-code"


def _link(element: Element, routes: Routes) -> Iterator[str]:
    href = element.attributes.get("href", "").strip()
    if href.lower().startswith(("mailto:", "tel:")):
        yield "mail"
    elif href and routes.resolve(href, "") is not None:
        yield "internal-link"
    elif href:
        yield "link"


def _above(element: Element) -> Iterator[Element]:
    current = element.parent
    while current is not None:
        yield current
        current = current.parent


def _always(name: str) -> Callable[[Element], Iterator[str]]:
    def rule(element: Element) -> Iterator[str]:
        yield name

    return rule


_RULES: Mapping[str, Callable[[Element], Iterator[str]]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _always("heading")),
    **dict.fromkeys(("ul", "ol"), _always("list")),
    **dict.fromkeys(("input", "select", "textarea", "button"), _always("form")),
    "blockquote": _always("quote"),
    "table": _always("table"),
    "wf-component": _always("component"),
    "script": _always("script"),
    "pre": _code,
    "figure": _figure,
    "img": _image,
    "iframe": _frame,
}


def _example(element: Element) -> str:
    """Return what a person finds the structure by: an address, else its text."""
    for name in ("href", "src", "data-page-url", "id", "style"):
        if value := element.attributes.get(name, "").strip():
            return _short(value)
    texts = (text_of(each) for each in element.children)
    text = " ".join(" ".join(texts).split())
    if text:
        return _short(text)
    for below in walk(element):
        if address := below.attributes.get("src", "").strip():
            return _short(address)
    inner = next(walk(element), element)
    return f"<{inner.tag}>"


def _short(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"
