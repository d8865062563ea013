"""Decision files that grow: what people wrote stays as they wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyChoice,
    CollectionChoice,
    CollectionsDecision,
)
from cmsmig.mapping.decisions.decision_files import from_text, text_with, to_text
from cmsmig.mapping.decisions.design import Reviewed

NEW = CollectionChoice("new", "c9", note="a: b\n\nand more")
REVIEWED = Reviewed("Bea: the second", "2026-01-02T03:04:05+00:00", "in bulk")
FORMS = {
    "ours": to_text(CollectionsDecision((), (CollectionChoice("posts", "c1"),))),
    "comments": (
        "# mine\ncollections:\n# first\n- collection: posts # the blog\n"
        "  collection_id:   c1\n  # last\n\n# the end"
    ),
    "flow": "collections: [{collection: posts, collection_id: c1}]  # one line\n",
    "empty flow": "reviewed:\ncollections: []\nlocales: []\n",
    "no list": "reviewed: {by: Ann, at: now, how: individually}\n",
    "no value": "collections:\nreviewed: \n",
    "folded": (
        "collections:\n  - collection_id: c1\n    collection: posts\n    note: |\n"
        "      several\n      lines\n"
    ),
    "other line ends": "collections:\r\n- collection: posts\r\n  collection_id: c1\r\n",
    "quoted": 'collections:\n  - collection: "po\\\n     sts"\n    collection_id: c1\n',
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_an_addition_leaves_the_rest_as_people_wrote_it(text: str) -> None:
    """Every line is still there, in its order; the file says what was added."""
    before = from_text(text, "collections.yaml", CollectionsDecision)
    after = replace(before, collections=(*before.collections, NEW))
    found = text_with(text, before, after)
    assert from_text(found, "collections.yaml", CollectionsDecision) == after
    rest = iter(found)
    assert all(letter in rest for letter in text.removesuffix("\n").replace("[]", ""))
    signed = replace(after, reviewed=REVIEWED)
    again = text_with(found, after, signed)
    assert from_text(again, "collections.yaml", CollectionsDecision) == signed
    assert "new" in again


def test_a_mapping_without_place_for_a_key_is_rewritten() -> None:
    """A mapping on one line takes no further key."""
    text = (
        "collections:\n  - {collection: a, collection_id: c1}\nlocales:\n"
        "  - {locale: en, locale_id: l}\n  - {locale: de, locale_id: m}\n"
    )
    before = from_text(text, "collections.yaml", CollectionsDecision)
    locales = (before.locales[0], replace(before.locales[1], name="Other"))
    after = replace(before, locales=locales)
    assert text_with(text, before, after) == to_text(after)


def test_entries_of_single_bodies_stay_behind_what_is_added() -> None:
    """`blocks.yaml` ends with entries that are text, thousands of them."""
    text = (
        "bodies:\n  - collection: posts\n    collection_id: c1\n    field: body\n\n"
        "reviews:\n  - collection_id: c1\n    item: i1\n    field: body\n"
        "    content: x\n    rules: 1 images\n    blocks: [{kind: text, nodes: 1}]\n"
    )
    before = from_text(text, "blocks.yaml", BlocksDecision)
    new = BodyChoice("posts", "c1", "aside")
    after = replace(before, bodies=(*before.bodies, new))
    found = text_with(text, before, after)
    assert from_text(found, "blocks.yaml", BlocksDecision) == after
    assert found.endswith(text[text.index("\nreviews:") :])
    assert found.startswith(text[: text.index("\n\nreviews:")])
