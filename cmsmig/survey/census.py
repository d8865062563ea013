"""What rich text bodies are made of: the structures in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.mapping.select.routes import Routes
from cmsmig.richtext.html.soup import Tag, parse_html

_WORDS = 60


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


def structures_of(body: str, routes: Routes) -> Mapping[str, list[Tag]]:
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
    if href and routes.resolve(href, "") is not None:
        return "internal-link"
    return "link" if href else ""


def _said(tag: Tag, name: str) -> str:
    value = tag.get(name)
    return value.strip() if isinstance(value, str) else ""


def example_of(tag: Tag) -> str:
    """Return what a person finds the structure by: an address, else its text."""
    for name in ("href", "src", "data-page-url", "id", "style"):
        if value := _said(tag, name):
            return _short(value)
    text = " ".join(tag.get_text(" ").split())
    if text:
        return _short(text)
    for below in tag.find_all(True):
        if address := _said(below, "src"):
            return _short(address)
    inner = tag.find(True) or tag
    return f"<{inner.name}>"


def _short(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"
