"""The command `baseline`: the old site's pages, and the new site's against them."""

from __future__ import annotations

import sys
from dataclasses import asdict

from cmsmig.counting import counted
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.baseline import (
    BaselineOptions,
    BaselineReport,
    take_baseline,
)
from cmsmig.steps.baseline.compare_sites import SwitchReport, compare_sites
from cmsmig.terminal.commands import resumable
from cmsmig.terminal.console import complain, emit_json, emit_lines
from cmsmig.terminal.progress import Progress
from cmsmig.terminal.stopping import stoppable
from cmsmig.terminal.text import some_lines


def take(
    project: Project, settings: Settings, options: BaselineOptions, *, as_json: bool
) -> int:
    """Read the old site's pages and print what was found; return 1 when some could not
    be read."""
    with stoppable() as stop:
        observer = Progress(sys.stderr)
        report = resumable(
            take_baseline(project, settings, options, observer=observer, stop=stop)
        )
    emit_json(asdict(report)) if as_json else emit_lines(baseline_lines(report))
    if not report.unread:
        return 0
    complain(
        f"{counted(len(report.unread), 'page')} could not be read and each is listed "
        "with the reason; the next run tries them again."
    )
    return 1


def compare(
    project: Project, settings: Settings, url: str, rate: int, *, as_json: bool
) -> int:
    """Ask the site at `url` for each old address and print what changed; return 4 for
    differences, else 1 where pages could not be read."""
    with stoppable() as stop:
        observer = Progress(sys.stderr)
        work = compare_sites(
            project, settings, url, rate=rate, observer=observer, stop=stop
        )
        report = resumable(work)
    emit_json(report.as_json()) if as_json else emit_lines(switch_lines(report))
    if report.faults:
        complain(
            f"{counted(len(report.faults), 'difference')} between the old site's pages "
            "and the new ones; correct them, then run this again."
        )
        return 4
    return 1 if report.unread else 0


def switch_lines(report: SwitchReport) -> list[str]:
    """Return what changed from the old site to the new one, for a person."""
    lines = [f"{report.old} compared with {report.new}: {report.pages:,} old addresses"]
    for kind in report.by_kind:
        found = [each for each in report.faults if each.kind == kind]
        rows = [f"{each.url}: {each.text}" for each in found]
        lines += _listed(kind.replace("_", " "), rows)
    unread = [f"{each.url}: {each.problem}" for each in report.unread]
    return [*lines, *_listed("not read", unread)]


def baseline_lines(report: BaselineReport) -> list[str]:
    """Return what a reading of the old site found, for a person."""
    answers = ", ".join(f"{each} {n}" for each, n in sorted(report.statuses.items()))
    known = ", ".join(f"{each} {n}" for each, n in sorted(report.sources.items()))
    return [
        f"old site: {report.site}, read until {report.finished}",
        f"addresses: {report.addresses:,} (answers: {answers}; known from: {known})",
        *_listed("not read", [f"{each.url}: {each.text}" for each in report.unread]),
        *_listed("not read, since robots.txt asks so", report.forbidden),
        *_listed("pages that no item has", [each.url for each in report.without_item]),
        *_listed("items without a page", [each.url for each in report.without_page]),
        *_listed(
            "text on pages of items that is in no item",
            [
                f"{counted(each.pages, 'page')}, such as {each.url}: {each.text}"
                for each in report.on_pages_only
            ],
        ),
        *_listed(
            "fields with text that pages do not show",
            [
                f"{each.collection}, {each.field}: {each.items:,} of {each.of:,} "
                f"items, such as {each.url}: {each.text}"
                for each in report.in_items_only
            ],
        ),
    ]


def _listed(title: str, rows: list[str] | tuple[str, ...]) -> list[str]:
    if not rows:
        return []
    return [f"{title}: {len(rows):,}", *some_lines([f"  {each}" for each in rows])]
