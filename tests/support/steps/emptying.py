"""Ways in which a space comes to lack what an import brought."""

from __future__ import annotations

from tests.support.steps.desk import Desk

KINDS = ("stories", "components", "assets", "asset_folders", "datasources")
_RECORDS = (
    *KINDS,
    *("entries", "by_uuid", "by_key", "places", "children", "alternates"),
)


def delete(desk: Desk, kind: str, own: int) -> None:
    """Delete one thing as a person does, if it is still there."""
    if own not in getattr(desk.space, kind):
        return
    if kind != "stories" or desk.space.story(own) is not None:
        desk.api("DELETE", f"/{kind}/{own}")


def emptied(desk: Desk) -> None:
    """Delete everything, as a person does: stories go to the trash."""
    for kind in KINDS:
        for own in list(getattr(desk.space, kind)):
            delete(desk, kind, own)


def restarted(desk: Desk) -> None:
    """Give the same space anew: nothing is left, and old numbers are given again."""
    for name in _RECORDS:
        getattr(desk.space, name).clear()
    desk.space.last_id = 0


def restored(desk: Desk, full_slug: str) -> None:
    """Take a story out of the trash, as it was."""
    (story,) = [
        each
        for each in desk.space.stories.values()
        if each.deleted_at is not None and desk.space.full_slug(each) == full_slug
    ]
    story.deleted_at = None
    desk.space.place(story)
