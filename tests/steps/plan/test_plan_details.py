"""Every loss and every link that stays is listed, by item and field."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from cmsmig.evidence.evidence import gather, write_evidence
from cmsmig.settings import find_project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.steps.staged_project import Stage, StagedProject

BODY = (
    "<p>See <a href='/about'>the page</a>, <a href='/records/nowhere'>one more</a> and "
    "<a href='/records/record-1'>a record</a>.</p>"
    "<marquee>moving</marquee>"
)


EMBED = (
    "<div class='w-embed'><a title='a > b' href='{path}?a=1#b'>&nbsp;it</a> "
    "<a href={path}>it</a> <!-- {path} --> "
    "<script>go('/records/record-1')</script><i data-go='/nowhere'></i></div>"
)


def with_bodies(staged: StagedProject, text: str) -> StagedProject:
    """Give two items a body."""
    for kind in ("items", "live"):
        (path,) = (staged.folder / "raw" / kind).glob("*.json")
        body = json.loads(path.read_text())
        for item in body["items"]:
            if item["fieldData"]["slug"] in ("record-2", "record-4"):
                item["fieldData"]["text"] = text
        path.write_text(json.dumps(body))
    return staged


def test_a_plan_lists_each_loss_and_each_link_that_stays(stage: Stage) -> None:
    """As many of each kind as it counts; each with item, path, field and why."""
    staged = with_bodies(stage(), BODY)
    planned = staged.plan()
    losses, links = planned["losses"], planned["links_left"]
    assert Counter(each["kind"] for each in losses) == planned["losses_by_kind"]
    assert {each["full_slug"] for each in losses} == {
        "records/record-2",
        "records/record-4",
    }
    keys = {"item", "full_slug", "field", "kind", "what", "where", "why", "severity"}
    for each in losses:
        assert keys <= each.keys()
        assert (each["field"], bool(each["why"])) == ("text", True)
    assert Counter(each["cause"] for each in links) == planned["links_left_by_cause"]
    assert [(e["full_slug"], e["field"], e["href"], e["cause"]) for e in links[:2]] == [
        (links[0]["full_slug"], "text", "/about", "static"),
        (links[0]["full_slug"], "text", "/records/nowhere", "unlisted"),
    ]
    assert len(links) == 4
    # What the ledger stores holds the counts alone.
    (stored,) = staged.rows("SELECT body FROM plan")
    assert "losses" not in json.loads(stored[0])


def test_a_link_to_an_item_that_fails_stays_and_says_so(stage: Stage) -> None:
    """Its target would be refused, so nothing can lead to it."""
    staged = with_bodies(stage(), BODY)
    (path,) = (staged.folder / "raw" / "items").glob("*.json")
    body = json.loads(path.read_text())
    for item in body["items"]:
        if item["fieldData"]["slug"] == "record-1":
            del item["fieldData"]["position"]
    path.write_text(json.dumps(body))
    staged.decide(
        "design.yaml", "key: position\n", "key: position\n        required: true\n"
    )
    planned = staged.plan()
    assert planned["links_left_by_cause"]["target_failed"] == 2
    told = [each for each in planned["links_left"] if each["cause"] == "target_failed"]
    assert {each["href"] for each in told} == {"/records/record-1"}
    assert {each["cause"] for each in planned["dangling"]} == {"target_failed"}


def test_a_report_lists_them_all(stage: Stage, tmp_path: Path) -> None:
    """In report.json each, in the page the first of them."""
    staged = with_bodies(stage(), BODY)
    planned = staged.plan()
    staged.done("import")
    project = find_project(staged.folder, {}, staged.folder)
    settings = load_settings(project, {}, need_origin=False, need_destination=True)
    found = gather(project, open_migration(project, settings), settings.space_id, None)
    page, document, *lists = write_evidence(tmp_path, found)
    report = json.loads(document.read_text())
    for name, listed in (("losses", "losses_listed"), ("links_left", "links_left")):
        assert sorted(map(str, report[listed])) == sorted(map(str, planned[name]))
    assert "/records/nowhere" in page.read_text()
    assert {each["kind"] for each in report["losses"]} == set(planned["losses_by_kind"])
    rows = {each.stem: each.read_text().splitlines()[1:] for each in lists}
    assert len(rows["losses"]) == len(planned["losses"])
    assert len(rows["links-that-stay"]) == len(planned["links_left"])
    assert "skipped-items" not in rows


def test_raw_html_leads_to_stories_and_keeps_every_other_byte(stage: Stage) -> None:
    """The values of its links are replaced; what its code mentions is listed."""
    staged = with_bodies(stage(), EMBED.replace("{path}", "/records/record-1"))
    staged.decide("design.yaml", "folder: records", "folder: moved")
    planned = staged.plan()
    left = [(each["href"], each["cause"]) for each in planned["links_left"]]
    assert left == [("/records/record-1", "raw_html")] * 2
    assert planned["links_left_by_cause"] == {"raw_html": 2}
    assert planned["internal_links"] == 4
    staged.done("import")
    staged.verified()
    story = staged.stories()["moved/record-2"]
    inner = EMBED.removeprefix("<div class='w-embed'>").removesuffix("</div>")
    wanted = inner.replace("<!-- {path}", "<!-- /records/record-1")
    assert json.dumps(wanted.replace("{path}", "/moved/record-1")) in json.dumps(
        story.content
    )
    assert staged.plan()["links_left_by_cause"] == {"raw_html": 2}
