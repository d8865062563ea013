"""Notebook 00: what an import may take, from the origin's counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import CmsmigError
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.cache import RawCache
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.plan.plan import PACE_SLACK
from cmsmig.steps.pull.origin_overview import CollectionCount, count_items
from cmsmig.ui.format import about
from cmsmig.ui.html.safe_html import (
    Cell,
    heading,
    joined,
    note,
    paragraph,
    table,
)

_FILES = "Files"


@dataclass(frozen=True, slots=True)
class Counted:
    """What is known of the origin before anything is decided."""

    collections: tuple[CollectionCount, ...]
    files: int | None
    """Each content once; None before the pull."""
    live: int | None
    """Items that visitors see; None before the pull."""
    rests_on: str
    """A sentence."""

    @property
    def items(self) -> int:
        """Return how many items there are."""
        return sum(each.items for each in self.collections)


async def estimate(workspace: Workspace) -> Markup:
    """Return an estimate of calls and time; why there is none, where it fails.

    Before the pull the origin is asked once for each collection; afterwards nobody
    is asked.
    """
    title = heading("An estimate from the counts alone")
    try:
        found = await _count(workspace)
    except CmsmigError as error:
        return title + note(f"There is no estimate: {error}", "warning")
    return title + _estimate_html(found, workspace.settings.destination_rate)


async def _count(workspace: Workspace) -> Counted:
    project, settings = workspace.project, workspace.settings
    if RawCache(project.raw).complete():
        derived = DerivedFile(project.derived)
        return _pulled(read_origin(project, settings.site_id, derived))
    collections = await count_items(settings, workspace.observer)
    return Counted(
        collections,
        None,
        None,
        "It rests on how many items the origin says each collection has. Files are "
        "known after the pull; each takes one more call. Some sites count an item "
        "once for all its languages: then there are more stories.",
    )


def _pulled(origin: Origin) -> Counted:
    return Counted(
        tuple(
            CollectionCount(
                each.display_name,
                len(
                    {
                        item.key
                        for sets in (origin.staged, origin.live)
                        for item in sets[each.collection_id]
                    }
                ),
            )
            for each in origin.collections
        ),
        len({each.sha256 for each in origin.files.values() if each.sha256}),
        sum(map(len, origin.live.values())),
        "It rests on what was pulled: every item and every file of it, as if all of "
        "them were taken along.",
    )


def _estimate_html(found: Counted, rate: float) -> Markup:
    made: list[tuple[str, int, str]] = [
        ("Components and folders", 2 * len(found.collections), "two a collection"),
        (_FILES, found.files or 0, _files(found.files)),
        ("Stories, phase one", found.items, "one an item"),
        ("Relations and links, phase two", found.items, "at most one an item"),
        ("Publication", _live(found), "one a live item, if that is decided"),
    ]
    total = sum(calls for _, calls, _ in made)
    least = total - found.items - _live(found)
    rows: list[Sequence[Cell]] = [
        (name, calls, _time(calls, rate), why)
        if name != _FILES or found.files is not None
        else (name, "", "", why)
        for name, calls, why in made
    ]
    rows.append(("All, at most", total, _time(total, rate), ""))
    collections: list[Sequence[Cell]] = [
        (each.name, each.items) for each in found.collections
    ]
    collections.append(("All", found.items))
    said = (
        f"{counted(len(found.collections), 'collection')} with "
        f"{counted(found.items, 'item')}: between {least:,} and {total:,} calls, "
        f"{_between(_time(least, rate), _time(total, rate))} at {rate:g} calls a "
        "second."
    )
    return joined(
        (
            paragraph(said),
            note(
                f"This is an estimate, not the plan. {found.rests_on} What is left "
                "out, split into blocks or there already is known once all is decided."
            ),
            table(("Collection", "Items"), collections),
            table(("Step", "Calls", f"Time at {rate:g} a second", "Rests on"), rows),
        )
    )


def _time(calls: int, rate: float) -> str:
    return about(calls / rate * PACE_SLACK)


def _between(least: str, most: str) -> str:
    return most if least == most else f"{least} to {most}"


def _live(found: Counted) -> int:
    return found.items if found.live is None else found.live


def _files(files: int | None) -> str:
    return "not known yet" if files is None else "one a file, each content once"
