"""What a rebuilt ledger knows, for a person."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.counting import first_of
from cmsmig.steps.rebuild.recovery import Rebuilt
from cmsmig.ui.doc import Text

SHOWN = 10
"""Paths named before the rest is counted."""


def rebuilt_doc(found: Rebuilt) -> Iterator[Text]:
    """Yield what was found again, and what a person has to look at."""
    if found.aside:
        yield Text(f"The old ledger was put aside as {found.aside}.")
    yield Text(f"stories: {found.stories} of {found.items} items")
    late = f", {found.unproven} of them not at their addresses yet"
    yield Text(f"files: {found.assets}{late if found.unproven else ''}")
    yield Text(f"components: {found.components}, folders: {found.folders}")
    yield from _listed("not as designed, so not taken for ours", found.differing)
    yield from _listed("edited since, so never written over", found.edited)


def _listed(what: str, names: list[str]) -> Iterator[Text]:
    if names:
        yield Text(f"{what}: {first_of(names, SHOWN)}")
