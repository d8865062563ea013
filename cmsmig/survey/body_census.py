"""What rich text bodies are made of and what they lose, kept with the rows of a
catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.mapping.select.routes import Routes
from cmsmig.richtext.engine import Lenient
from cmsmig.richtext.html.soup import Tag, parse_html
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.native import NativeEngine
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.cleaning_findings import (
    NOTICE,
    Notice,
    noticed_in,
    trial_hosts,
)
from cmsmig.survey.value_facts import short
from cmsmig.ui.documents.findings import loss_name

LOSS_OF = "loss:"
"""Before the kind of a loss, such as `Script`, in the name of a finding."""
STRUCTURE = "structure:"
"""Before the name of a structure in bodies, in the name of a finding."""
_WORDS = 60
_AT_ONCE = 50


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
    Structure("image", "Images", "Uploaded first; the text gets the new address."),
    Structure(
        "captioned-image",
        "Images with a caption",
        "A figure block, the caption in it.",
    ),
    Structure(
        "linked-image",
        "Images that link",
        "Rich text images cannot link, so each becomes a figure block.",
    ),
    Structure(
        "image-without-alt",
        "Images without an alt text",
        "Imported as they are; a good moment to write the texts.",
    ),
    Structure(
        "layout",
        "Alignment and size of figures",
        "Kept in the figure block; elsewhere listed as a loss.",
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


def find_structures(body: str, routes: Routes) -> Mapping[str, list[Tag]]:
    """Return the elements of each structure that a body holds."""
    soup = parse_html(body)
    found: dict[str, list[Tag]] = {}
    embeds = soup.select(_EMBEDS)
    for embed in embeds:
        if embed.find_parent(_is_embed) is None:
            found.setdefault(_embed_name(embed), []).append(embed)
    inside = {id(tag) for embed in embeds for tag in (embed, *embed.find_all(True))}
    for name, selector in _SELECTORS.items():
        for tag in soup.select(selector):
            if id(tag) not in inside:
                found.setdefault(name, []).append(tag)
    for tag in soup.select("a[href]"):
        if id(tag) not in inside and (name := _link(_said(tag, "href"), routes)):
            found.setdefault(name, []).append(tag)
    return found


_EMBEDS = "[data-rt-embed-type], .w-embed"
_SELECTORS = {
    "heading": "h1, h2, h3, h4, h5, h6",
    "list": "ul, ol",
    "quote": "blockquote",
    "table": "table",
    "code": "pre:not(:empty)",
    "empty-code": "pre:empty",
    "image": "img",
    "captioned-image": "figure:has(img):has(figcaption:not(:empty))",
    "linked-image": "a img",
    "image-without-alt": "img:not([alt]), img[alt='']",
    "layout": (
        "figure[data-rt-align], figure[data-rt-max-width], "
        "figure[class*='w-richtext-align-']"
    ),
    "video": (
        "figure[data-page-url]:not([data-page-url='']), "
        "figure[class*='w-richtext-figure-type-video']"
    ),
    "iframe": "iframe:not(figure iframe)",
    "component": "wf-component",
    "form": "input, select, textarea, button",
    "script": "script",
    "anchor": "[id]:not([id='']):not(a)",
    "style": "[style]",
}
"""Structures that a CSS selector finds, embeds' insides left out."""


def _is_embed(tag: Tag) -> bool:
    return tag.has_attr("data-rt-embed-type") or "w-embed" in _said(tag, "class")


def _embed_name(tag: Tag) -> str:
    if tag.find("script") is not None:
        return "script-embed"
    shows = tag.get_text(strip=True) or tag.find(True) is not None
    return "embed" if shows else "empty-embed"


def _link(href: str, routes: Routes) -> str:
    if href.lower().startswith(("mailto:", "tel:")):
        return "mail"
    if href and routes.local_path(href, "/"):
        return "internal-link"
    return "link" if href else ""


def _said(tag: Tag, name: str) -> str:
    value = tag.get(name)
    return value.strip() if isinstance(value, str) else ""


def example_of(tag: Tag) -> str:
    """Return what a person finds the structure by: an address, else its text."""
    for name in ("href", "src", "data-page-url", "id", "style"):
        if value := _said(tag, name):
            return short(value, _WORDS)
    if text := tag.get_text(" ").strip():
        return short(text, _WORDS)
    for below in tag.find_all(True):
        if address := _said(below, "src"):
            return short(address, _WORDS)
    inner = tag.find(True) or tag
    return f"<{inner.name}>"


def look_through_bodies(catalogue: Catalogue) -> Iterator[int]:
    """Note what the bodies of each item lose and hold; yield how many items are left.

    As bodies are converted before any choice of the notebooks 02 and 03.
    """
    engine, hosts = Lenient(NativeEngine()), trial_hosts(catalogue.site)
    routes = Routes(catalogue.site, tuple(catalogue.collections.values()), {}, {})
    fields = {
        each.collection_id: [f for f in each.fields if f.type == "RichText"]
        for each in catalogue.collections.values()
    }
    waiting = f"edition IN {catalogue.ids()} AND losses IS NULL AND bodies > 0"
    while True:
        (left,) = catalogue.one(f"SELECT count(*) FROM entry WHERE {waiting}")
        if not left:
            return
        for entry in catalogue.entries(f"WHERE {waiting} ORDER BY id LIMIT {_AT_ONCE}"):
            data = entry.read()
            lost, noticed = 0, list[Notice]()
            for each in fields[entry.key.collection_id]:
                field, body = each.slug, data.get(each.slug)
                if not isinstance(body, str) or not body.strip():
                    continue
                losses = engine.from_html(body).losses
                lost += len(losses)
                number = entry.entry_id
                noticed += _losses(number, field, losses)
                noticed += _made_of(number, field, body, routes)
                noticed += noticed_in(number, each, body, hosts)
            _keep(catalogue, entry.entry_id, lost, noticed)
            left -= 1
            yield int(left)


def _losses(entry: int, field: str, losses: tuple[Loss, ...]) -> Iterator[Notice]:
    """Yield each kind of what a body loses, with the first loss of that kind."""
    kinds: dict[str, list[Loss]] = {}
    for each in losses:
        kinds.setdefault(loss_name(each.kind), []).append(each)
    for kind, found in kinds.items():
        first = found[0]
        what = first.what or first.context
        name = f"{LOSS_OF}{kind}"
        yield entry, name, field, len(found), what, first.where, first.why


def _made_of(entry: int, field: str, body: str, routes: Routes) -> Iterator[Notice]:
    for name, elements in find_structures(body, routes).items():
        first = example_of(elements[0])
        yield entry, f"{STRUCTURE}{name}", field, len(elements), first, "", ""


def _keep(
    catalogue: Catalogue, entry_id: int, lost: int, noticed: list[Notice]
) -> None:
    def write(db: sqlite3.Connection) -> None:
        db.execute("UPDATE entry SET losses = ? WHERE id = ?", (lost, entry_id))
        db.executemany(NOTICE, noticed)

    catalogue.change(write)
