"""Why a reference stays empty: the cause that decisions and the origin give it."""

from __future__ import annotations

from pathlib import Path

from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.reference_targets import EXPLAINED, DanglingCause, cause_of
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.migration import open_migration
from tests.support.notebook.pulled_site import PEOPLE, pulled_workspace


async def test_a_collection_that_is_designed_and_not_migrated(tmp_path: Path) -> None:
    """Its design is left from before; it is the decision that counts."""
    workspace = pulled_workspace(tmp_path)
    await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer="a tester",
        observer=workspace.observer,
    )
    path = workspace.project.decisions / "collections.yaml"
    posts, people = path.read_text().split("- collection: people")
    path.write_text(
        f"{posts}- collection: people{people.replace('migrate: true', 'migrate: no')}"
    )
    migration = open_migration(workspace.project, workspace.local_settings)
    assert migration.design.content_type(PEOPLE) is not None
    ada = next(item.key for item in migration.origin.staged[PEOPLE])
    cause = cause_of(ada, migration.known)
    assert cause is DanglingCause.COLLECTION_NOT_MIGRATED
    assert EXPLAINED[cause] == "its collection is not migrated"
    unknown = ItemKey(PEOPLE, "unknown", ada.locale_id)
    assert cause_of(unknown, migration.known) is DanglingCause.COLLECTION_NOT_MIGRATED
