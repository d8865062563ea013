"""The command `baseline`: the old site's pages, and the new site's against them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence, Set
from dataclasses import asdict

from cmsmig.cli.commands import stoppable
from cmsmig.cli.console import complain, emit_doc, emit_json
from cmsmig.cli.progress import Progress
from cmsmig.counting import counted
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.baseline import BaselineReport, take_baseline
from cmsmig.steps.baseline.compare_sites import SwitchReport, compare_sites
from cmsmig.ui.doc import Cell, Part, Table, Text, table
from cmsmig.ui.format import moment


def take(
    project: Project,
    settings: Settings,
    site: str,
    rate: int,
    *,
    refresh: bool,
    as_json: bool,
) -> int:
    """Read the old site's pages and print what was found; return 1 when some could not
    be read."""
    report = stoppable(
        lambda stop: take_baseline(
            project,
            settings,
            site=site,
            rate=rate,
            refresh=refresh,
            observer=Progress(sys.stderr),
            stop=stop,
        )
    )
    emit_json(asdict(report)) if as_json else emit_doc(baseline_doc(report))
    if not report.unread:
        return 0
    complain(
        f"{counted(len(report.unread), 'page')} could not be read and each is listed "
        "with the reason; the next run tries them again."
    )
    return 1


def compare(
    project: Project,
    settings: Settings,
    url: str,
    hosts: Sequence[str],
    gone: Set[str],
    rate: int,
    *,
    as_json: bool,
) -> int:
    """Ask the site at `url`, which gets `hosts` at the switch, for each old address,
    those that are to be `gone` too, and print what changed; return 4 for differences,
    else 1 where pages could not be read."""
    report = stoppable(
        lambda stop: compare_sites(
            project,
            settings,
            url,
            coming=hosts,
            gone=gone,
            rate=rate,
            observer=Progress(sys.stderr),
            stop=stop,
        )
    )
    emit_json(asdict(report)) if as_json else emit_doc(switch_doc(report))
    if report.faults:
        complain(
            f"{counted(len(report.faults), 'difference')} between the old site's pages "
            "and the new ones; correct them, then run this again."
        )
        return 4
    return 1 if report.unread else 0


def switch_doc(report: SwitchReport) -> Iterator[Part]:
    """Yield what changed from the old site to the new one."""
    yield Text(
        f"{report.old} compared with {report.new}: {report.pages:,} old addresses"
    )
    for kind in report.by_kind:
        found = [(each.url, each.text) for each in report.faults if each.kind == kind]
        yield from _listed(kind.replace("_", " "), found)
    yield from _listed("not read", [(e.url, e.text) for e in report.unread])


def baseline_doc(report: BaselineReport) -> Iterator[Part]:
    """Yield what a reading of the old site found."""
    answers = ", ".join(f"{each} {n}" for each, n in sorted(report.statuses.items()))
    known = ", ".join(f"{each} {n}" for each, n in sorted(report.sources.items()))
    yield Text(f"old site: {report.site}, read until {moment(report.finished)}")
    yield Text(
        f"addresses: {report.addresses:,} (answers: {answers}; known from: {known})"
    )
    yield from _listed("not read", [(e.url, e.text) for e in report.unread])
    forbidden = [(each,) for each in report.forbidden]
    yield from _listed("not read, since robots.txt asks so", forbidden)
    lone = [(each.url,) for each in report.without_item]
    yield from _listed("pages that no item has", lone)
    absent = [(each.url,) for each in report.without_page]
    yield from _listed("items without a page", absent)


def _listed(title: str, rows: Sequence[Sequence[Cell]]) -> Iterator[Table]:
    yield from table((), rows, title, "--json lists all")
