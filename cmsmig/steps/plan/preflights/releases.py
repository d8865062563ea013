"""Releases that are not deployed yet: deploying one replaces drafts as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.counting import counted, first_of
from cmsmig.steps.plan.preflights.findings import Preflight, PreflightKind
from cmsmig.steps.snapshot import PendingRelease, Snapshot

_SHOWN = 3


def find_releases(snapshot: Snapshot) -> Iterator[Preflight]:
    """Yield each pending release with the stories of ours that it would replace.

    Source: destination, releases: the versions in a release are records of their own,
    which a draft that is written meanwhile does not change.
    """
    if snapshot.releases is None:
        yield Preflight(
            kind=PreflightKind.NOT_READ,
            text=(
                "The releases of the space could not be read, because the token may "
                "not see them; ask an administrator of the space which releases are "
                "not deployed yet: deploying one replaces the drafts of its stories."
            ),
        )
        return
    for each in snapshot.releases:
        yield Preflight(
            kind=PreflightKind.RELEASE, text=_text(each), count=len(each.paths)
        )


def _text(release: PendingRelease) -> str:
    when = f", planned for {release.release_at}," if release.release_at else ""
    named = f"The release `{release.name}`{when} is not deployed yet"
    if not release.paths:
        return (
            f"{named} and holds no story of this import. Deploying it replaces the "
            "drafts of its stories as a whole: add none of this import to it."
        )
    shown = first_of([f"`{path}`" for path in release.paths], _SHOWN)
    return (
        f"{named} and holds {counted(len(release.paths), 'story', 'stories')} of this "
        f"import ({shown}). Deploying it replaces their drafts as a whole, with all "
        "that was imported since: deploy or delete the release before the import, or "
        "import again after it was deployed."
    )
