"""Sections: fields that belong together, by the origin's groups or by their names."""

from __future__ import annotations

from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.content_types import propose_sections
from tests.support.mapping.design_builders import (
    designed,
    make_collection,
    make_field,
)

SLUGS = ("seo-title", "seo-text", "seo-image", "og-title", "og-image", "seo")


def test_three_fields_whose_names_begin_alike_are_a_section() -> None:
    """Two are not, nor is what a group of the origin has already."""
    fields = [designed(slug, Encoding.TEXT) for slug in SLUGS]
    (found,) = propose_sections(fields, make_collection())
    assert (found.display_name, found.fields) == ("Seo", SLUGS[:3])
    schema = [make_field(slug, "PlainText") for slug in SLUGS]
    groups = ({"displayName": "Search", "fields": ["seo-title"]},)
    grouped = make_collection("c1", *schema, groups=groups)
    (group,) = propose_sections(fields, grouped)
    assert (group.display_name, group.fields) == ("Search", ("seo-title",))


def test_the_name_of_the_collection_makes_no_section() -> None:
    """As in `article-title` of articles; another beginning still does."""
    slugs = ("article-title", "article-text", "article-image", *SLUGS[:3])
    fields = [designed(slug, Encoding.TEXT) for slug in slugs]
    articles = make_collection("c1", slug="articles", singular="Article")
    (found,) = propose_sections(fields, articles)
    assert (found.key, found.fields) == ("seo", SLUGS[:3])


def test_a_section_leaves_the_key_of_a_field() -> None:
    """Its key is its name only where no field has that."""
    fields = [designed(slug, Encoding.TEXT) for slug in SLUGS]
    (found,) = propose_sections(fields, make_collection())
    assert found.key == "section_seo"
