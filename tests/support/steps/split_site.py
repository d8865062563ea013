"""A site whose bodies hold every structure that can become a block."""

from __future__ import annotations

from pathlib import Path

from cmsmig.canonical import JsonObject
from tests.support.sites.markup import (
    embed,
    heading,
    image,
    linked,
    paragraphs,
    video,
)
from tests.support.sites.records import Column, Entry, Table, site_record
from tests.support.sites.writer import Content, write_content

ARTICLES = Table(
    "articles",
    "Articles",
    "Article",
    (Column("RichText", "body", "Body"), Column("RichText", "aside", "Aside")),
    nulls=True,
)
TO_SHORT = linked("/articles/short", "The short one")
EVERYTHING = (
    paragraphs("It begins.")
    + heading(2, "A heading")
    + paragraphs(f"See {TO_SHORT}.")
    + image("alone.jpg", alt="Alone")
    + paragraphs("Between.")
    + image("one.jpg", alt="One")
    + image("two.jpg", alt="Two", caption="With a caption", link="/articles/short")
    + video("https://v.example/embed/1", page="https://v.example/1")
    + embed(f"<b>{TO_SHORT}</b>")
    + f"<blockquote>{TO_SHORT}</blockquote>"
    + "<pre><code>x = 1</code></pre>"
    + "<table><tbody><tr><td>Cell</td></tr></tbody></table>"
)
COMPONENTS = [
    "text_block",
    "text_block",
    "figure",
    "text_block",
    "gallery",
    "embed",
    "html_embed",
    "quote",
    "code_block",
    "table_block",
]
"""What the body above becomes when every rule is on."""
RULES = ("headings", "images", "embeds", "tables", "quotes", "code", "galleries")


def write_split_site(folder: Path) -> None:
    """Write four articles, one in French too."""
    long: JsonObject = {"body": EVERYTHING, "aside": paragraphs("Aside.")}
    two: JsonObject = {
        "body": paragraphs("Two texts") + heading(2, "Second") + paragraphs("More.")
    }
    short: JsonObject = {"body": paragraphs("Short.")}
    french: JsonObject = {"name": "Deux", "slug": "deux", "body": EVERYTHING}
    entries = (
        Entry("0", {"name": "Long", "slug": "long", **long}),
        Entry("1", {"name": "Two", "slug": "two", **two}, french=french),
        Entry("2", {"name": "Short", "slug": "short", **short}),
        Entry("3", {"name": "Last", "slug": "last", "body": EVERYTHING}),
    )
    write_content(folder, Content(site_record(), ((ARTICLES, entries),)))
