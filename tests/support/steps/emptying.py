"""Ways in which a space comes to lack what an import brought."""

from __future__ import annotations

from tests.support.steps.staged_project import StagedProject

KINDS = ("stories", "components", "assets", "asset_folders", "datasources")
_RECORDS = (
    *KINDS,
    *("entries", "by_uuid", "by_key", "places", "children", "alternates"),
)


def delete(project: StagedProject, kind: str, own: int) -> None:
    """Delete one thing as a person does, if it is still there."""
    if own not in getattr(project.space, kind):
        return
    if kind != "stories" or project.space.story(own) is not None:
        project.api("DELETE", f"/{kind}/{own}")


def emptied(project: StagedProject) -> None:
    """Delete everything, as a person does: stories go to the trash."""
    for kind in KINDS:
        for own in list(getattr(project.space, kind)):
            delete(project, kind, own)


def restarted(project: StagedProject) -> None:
    """Give the same space anew: nothing is left, and old numbers are given again."""
    for name in _RECORDS:
        getattr(project.space, name).clear()
    project.space.last_id = 0


def restored(project: StagedProject, full_slug: str) -> None:
    """Take a story out of the trash, as it was."""
    (story,) = [
        each
        for each in project.space.stories.values()
        if each.deleted_at is not None and project.space.full_slug(each) == full_slug
    ]
    story.deleted_at = None
    project.space.place(story)
