"""Every loss and every link that stays is listed, by item and field."""

from __future__ import annotations

import json
from pathlib import Path

from cmsmig.evidence.evidence import gather
from cmsmig.evidence.report import write_report
from cmsmig.settings import find_project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage

BODY = (
    "<p>See <a href='/about'>the page</a>, <a href='/records/nowhere'>one more</a> and "
    "<a href='/records/record-1'>a record</a>.</p>"
    "<marquee>moving</marquee>"
)


def with_body(item: Item) -> Item:
    """Give two items a body."""
    if item["fieldData"]["slug"] in ("record-2", "record-4"):
        item["fieldData"]["text"] = BODY
    return item


def test_a_report_lists_them_all(stage: Stage, tmp_path: Path) -> None:
    """In report.json each, in the page the first of them."""
    staged = stage()
    edit_items(staged, with_body)
    planned = staged.plan()
    staged.done("import")
    project = find_project(staged.folder, {}, staged.folder)
    settings = load_settings(project, {}, need_origin=False, need_destination=True)
    found = gather(project, open_migration(project, settings), settings.space_id, None)
    page, document, *lists = write_report(tmp_path, found)
    report = json.loads(document.read_text())
    for name, listed in (("losses", "losses_listed"), ("links_left", "links_left")):
        assert sorted(map(str, report[listed])) == sorted(map(str, planned[name]))
    assert "/records/nowhere" in page.read_text()
    assert {each["kind"] for each in report["losses"]} == set(planned["losses_by_kind"])
    rows = {each.stem: each.read_text().splitlines()[1:] for each in lists}
    assert len(rows["losses"]) == len(planned["losses"])
    assert len(rows["links-that-stay"]) == len(planned["links_left"])
    assert "skipped-items" not in rows
