"""The steps of an import, and which calls of a plan belong to each."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.steps.plan.plan import Plan

_STEPS = {
    "prepare": (
        "04 Components, folders, files",
        "create_datasources read_datasource_entries create_datasource_entries "
        "compare_datasources compare_datasource_entries update_datasources "
        "update_datasource_entries delete_datasource_entries create_components "
        "compare_components update_components create_folders compare_folders "
        "rename_folders update_folders create_asset_folders settle_uploads "
        "sign_uploads finish_uploads compare_assets update_assets",
    ),
    "create": (
        "05 Stories, phase one",
        "read_back_components create_stories",
    ),
    "link": (
        "06 Relations and links, phase two",
        "free_slugs compare_stories update_stories",
    ),
    "publish": (
        "06 Publication",
        "publish_stories read_versions show_versions compare_gone_stories "
        "unpublish_stories delete_stories",
    ),
}
TITLES = {step: title for step, (title, _) in _STEPS.items()}
STEP_OF = {name: step for step, (_, names) in _STEPS.items() for name in names.split()}
_LOOKS = ("read_", "list_", "compare_")


def planned_calls(plan: Plan, step: str) -> int:
    """Return the calls of one step, and those that read the space before it."""
    return sum(
        count for name, count in plan.calls.items() if STEP_OF.get(name, step) == step
    )


def writes_of(calls: Mapping[str, int], step: str) -> int:
    """Return the calls of one step, by name, that change the destination."""
    return sum(
        count
        for name, count in calls.items()
        if STEP_OF.get(name) == step and is_write(name)
    )


def is_write(call: str) -> bool:
    """Return whether a call of this name changes the destination."""
    return not call.startswith(_LOOKS)
