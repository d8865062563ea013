"""References: the target of each is known before the import."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import RelationUse
from cmsmig.mapping.select.reference_targets import (
    DanglingCause,
    KnownItems,
    cause_of,
    classify,
)
from tests.support.mapping.drafting import FR, POSTS, TAGS, key

SKIPPED = {
    "archived": "archived",
    "draft": "draft",
    "private draft": "not_live",
    "live-only": "not_staged",
    "elsewhere": "locale_not_migrated",
}


def known() -> KnownItems:
    """Return a site of which the posts are migrated and the tags are not."""
    tag = {key("tag", collection=TAGS): "collection_not_migrated"}
    return KnownItems(
        selected={key("ok"), key("failed"), key("french", locale=FR)},
        skipped={key(name): why for name, why in SKIPPED.items()} | tag,
        listed=frozenset((POSTS, TAGS)),
        migrated=frozenset((POSTS,)),
        failed={key("failed")},
    )


CAUSES: dict[ItemKey, DanglingCause | None] = {
    key("ok"): None,
    key("failed"): DanglingCause.TARGET_FAILED,
    key("archived"): DanglingCause.ARCHIVED,
    key("draft"): DanglingCause.DRAFT_SKIPPED,
    key("private draft"): DanglingCause.OTHER_SET,
    key("live-only"): DanglingCause.OTHER_SET,
    key("elsewhere"): DanglingCause.OTHER_LOCALE,
    key("french"): DanglingCause.OTHER_LOCALE,
    key("gone"): DanglingCause.DELETED,
    key("tag", collection=TAGS): DanglingCause.COLLECTION_NOT_MIGRATED,
    key("x", collection="c-unlisted"): DanglingCause.COLLECTION_NOT_LISTED,
    key("x", collection=""): DanglingCause.COLLECTION_NOT_LISTED,
}


def test_every_cause() -> None:
    """Each target has one cause, the most telling that fits."""
    assert {target: cause_of(target, known()) for target in CAUSES} == CAUSES


@given(st.lists(st.sampled_from(list(CAUSES)), max_size=8))
def test_dangling_references_keep_their_place(targets: list[ItemKey]) -> None:
    """The index is the position in the origin's list, doubles included."""
    relation = RelationUse("tags", "tags-1", True, tuple(targets))
    found = classify(key("ok"), [relation], known())
    assert [(each.index, each.target, each.cause) for each in found] == [
        (index, target, CAUSES[target])
        for index, target in enumerate(targets)
        if CAUSES[target] is not None
    ]
    assert all(
        (each.source, each.field, each.origin_field) == (key("ok"), "tags", "tags-1")
        for each in found
    )
