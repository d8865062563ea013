"""The change of a field in words: at the leaf, with labels, without JSON and ids."""

from __future__ import annotations

from typing import Any

from cmsmig.destination.typed_records import StoryRow
from cmsmig.reconcile.field_diff import ABSENT
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.labels import Labels
from cmsmig.reconcile.value_changes import body_changes, change_lines
from tests.support.cases import cases

POST = Ref(Kind.STORY, "posts/one")


def row(name: str, path: str, content_type: str = "topic") -> StoryRow:
    return StoryRow(
        1, f"uuid-{name.lower()}", name, path, path, 0, False, False, True, False, "",
        content_type,
    )  # fmt: skip


ROWS = [row(name, f"topics/{name.lower()}") for name in ("Harbour", "Quay")]
ROWS += [row("One", "posts/one", "post")]
LABELS = Labels(
    {"figure": "Figure", "text": "Text", "seo": "SEO"},
    {
        ("post", "deck"): "Deck",
        ("post", "body"): "Post body",
        ("post", "seo"): "SEO",
        ("post", "topics"): "Topics",
        ("post", "parts"): "Parts",
        ("seo", "title"): "meta title",
        ("text", "body"): "Body",
    },
    {name: row for row in ROWS for name in (row.full_slug, row.uuid)},
)


@cases(__file__, "value_changes.yaml")
def test_a_change_is_shown_at_the_leaf(case: dict[str, Any]) -> None:
    field, old, new = case["field"], case.get("old", ABSENT), case.get("new", ABSENT)
    assert [*change_lines(LABELS, POST, field, old, new)] == case["lines"]


def document(text: str) -> dict[str, Any]:
    """Return a document with a paragraph for each line."""
    return {
        "type": "doc",
        "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": each}]}
            for each in text.split("\n")
        ],
    }


@cases(__file__, "body_changes.yaml")
def test_a_change_of_a_body_has_its_place(case: dict[str, Any]) -> None:
    found = body_changes("Body", document(case["old"]), document(case["new"]))
    assert [[place, line.split(":")[0]] for place, line in found] == case["places"]
