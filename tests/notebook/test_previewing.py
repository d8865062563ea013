"""Notebook 03: bodies beside what they become, losses marked, embeds decided."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.display.finding_list import Finding, findings_csv, findings_html
from cmsmig.display.safe_html import escape, sanitised
from cmsmig.errors import UndecidedError, UsageError
from cmsmig.mapping.decisions.choices import BlocksDecision, EmbedsDecision
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.preview.document_tree import tree_html
from cmsmig.notebook.preview.previewing import (
    Previews,
    accept_bodies,
    bodies,
    body_preview,
    embed_policies,
    open_previews,
)
from cmsmig.review.bodies import elements_by_path, structures_of
from cmsmig.review.body_index import LossFilter, Wanted
from cmsmig.review.embeds import embeds_of
from cmsmig.review.loss_marks import destination_html, marked_html
from cmsmig.richtext.native import NativeEngine, convert_text
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.settings import Project
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.decision_store import decision_in
from tests.support.notebook.live_panel import LivePanel, worked
from tests.support.notebook.pulled_site import (
    LOSSY,
    VIDEO,
    WIDGET,
    Controls,
    pulled_workspace,
    write_site,
)


async def decided_workspace(
    root: Path, *, interactive: bool = False, dry_run: bool = False
) -> Workspace:
    """Return a workspace in which every proposal was accepted in bulk."""
    workspace = pulled_workspace(root, interactive=interactive, dry_run=dry_run)
    await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer="a tester",
        observer=workspace.observer,
    )
    return workspace


async def by_hand(root: Path, *, dry_run: bool = False) -> Previews:
    """Return the previews that a person opens after notebook 02."""
    workspace = await decided_workspace(root, interactive=True, dry_run=dry_run)
    for name in ("blocks.yaml", "embeds.yaml"):
        (workspace.project.decisions / name).unlink()
    return open_previews(workspace)


def titles(previews: Previews, wanted: Wanted) -> list[str]:
    """Return the names of the bodies that a choice offers."""
    previews.scanner.finish()
    return [
        previews.body_index.bodies[index].title
        for index in previews.body_index.select(wanted)
    ]


async def test_embeds_are_counted_by_kind_and_host(tmp_path: Path) -> None:
    """Each embed once, with the host that a choice would name."""
    previews = await by_hand(tmp_path)
    previews.scanner.finish()
    found = {
        (each.kind, each.signature): (each.count, each.bodies)
        for each in previews.body_index.embeds()
    }
    assert found["video", "video.example.com"] == (2, 2)
    assert found["embed", "widgets.example.com"] == (1, 1)


@given(
    st.lists(st.sampled_from([LOSSY, VIDEO, WIDGET, "<p>x</p>"]), max_size=4),
    st.sampled_from(["video", "iframe", "embed"]),
)
def test_the_count_of_embeds_is_what_a_choice_acts_on(
    parts: list[str], kind: str
) -> None:
    """Dropping one kind loses exactly as many as were counted of it."""
    html = "".join(parts)
    policy = EmbedPolicy({kind: Treatment.DROP})
    lost = [each.kind for each in NativeEngine().from_html(html, policy).losses]
    assert lost.count(kind) == [each[0] for each in embeds_of(html)].count(kind)


def test_structures_are_named() -> None:
    """A picker can offer bodies by what is in them."""
    assert structures_of(LOSSY) >= {"heading", "link", "image", "script"}
    assert "figure" in structures_of(VIDEO)
    assert structures_of("plain text") == frozenset()


def test_each_loss_is_marked_where_it_is() -> None:
    """Every loss has its number at its own element; those beyond looks stand out."""
    losses = convert_text(LOSSY).losses
    marked = marked_html(LOSSY, losses)
    for number, loss in enumerate(losses, start=1):
        assert loss.where in elements_by_path(LOSSY)
        assert f"<sup>{number}</sup>" in marked
        stands_out = f"<mark><sup>{number}</sup>" in marked
        assert stands_out == (loss.severity != "layout")
    link = next(n for n, loss in enumerate(losses, 1) if loss.kind == "link")
    assert f"<mark><sup>{link}</sup><a " in marked


@given(st.text(alphabet="<>/abpitrd\"=' ", max_size=60))
def test_marking_only_adds(html: str) -> None:
    """Without the marks a body is what it was, whatever it holds."""
    marked = marked_html(html, convert_text(html).losses)
    marks = r"<mark><sup>\d+</sup></mark> |<mark><sup>\d+</sup>|</mark>|<sup>\d+</sup> "
    assert re.sub(marks, "", marked) == html


def test_table_marks_stay_out_of_the_gaps_of_tables() -> None:
    """A mark stands in a cell or before the table, where browsers leave it."""
    html = '<table><tr onclick="x()"><td onclick="x()">a</td></tr></table>'
    marked = marked_html(html, convert_text(html).losses)
    assert re.search(r"<table>\s*<mark|<tr[^>]*>\s*<mark", marked) is None
    assert marked.count("<sup>") == 2


def test_blocks_are_named_at_the_destination() -> None:
    """What the renderer leaves out stands as a box with its component and address."""
    html = destination_html(convert_text(VIDEO).document)
    assert "▣ block embed" in html
    assert "https://video.example.com/embed/7" in html
    assert "<iframe" not in html


async def test_filters_offer_the_right_bodies(tmp_path: Path) -> None:
    """By what is lost, by structure, by embed, and by part of a name."""
    body_index = await by_hand(tmp_path)
    assert len(titles(body_index, Wanted())) == 4
    assert titles(body_index, Wanted(lost=LossFilter.CONTENT)) == ["<b>Lossy</b>"]
    assert titles(body_index, Wanted(lost="content/script"))[0] == "<b>Lossy</b>"
    assert titles(body_index, Wanted(structure="video")) == ["Video", "Widget"]
    assert titles(body_index, Wanted(text=" WIDG ")) == ["Widget"]
    assert titles(body_index, Wanted(text="with a BAD  link")) == ["<b>Lossy</b>"]
    assert titles(body_index, Wanted(text="w-richtext-figure")) == []
    assert titles(body_index, Wanted(text="widg", structure="script")) == ["Widget"]


async def test_unattended_previews_are_static_and_safe(tmp_path: Path) -> None:
    """Previews and tables, no control, and nothing in them that could run."""
    previews = open_previews(await decided_workspace(tmp_path))
    before = sorted(tmp_path.rglob("*"))
    panels = (
        bodies(previews),
        body_preview(previews, count=5),
        embed_policies(previews),
        accept_bodies(previews, "x"),
    )
    for panel in panels:
        bundle = panel._repr_mimebundle_()
        assert set(bundle) == {"text/html", "text/plain"}
        html = str(bundle["text/html"])
        assert "steal()</script>" not in html
        assert re.search(r"<[^>]*\son\w+=", html) is None
    assert sorted(tmp_path.rglob("*")) == before


async def test_unattended_previews_show_the_worst_first(tmp_path: Path) -> None:
    """As many bodies as asked for, and the one that an item parameter names."""
    previews = open_previews(await decided_workspace(tmp_path))
    html = str(body_preview(previews, count=1).html())
    assert html.count("srcdoc=") == 1
    assert "&lt;b&gt;Lossy&lt;/b&gt; — Posts, body" in html
    named = str(body_preview(previews, "video", "body").html())
    assert "Video — Posts, body" in named
    with pytest.raises(UsageError, match="nobody"):
        body_preview(previews, "nobody")


async def test_a_body_that_cannot_be_converted_stops_no_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named with the reason; the others are shown as ever."""
    previews = open_previews(await decided_workspace(tmp_path))
    convert = NativeEngine.from_html

    def fail(engine: NativeEngine, html: str, *more: object, **named: object) -> object:
        if "video.example" in html:
            raise AssertionError("unknown status keyword")
        return convert(engine, html, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(NativeEngine, "from_html", fail)
    html = str(body_preview(previews, "video", "body").html())
    assert "could not be converted (AssertionError: unknown status keyword)" in html
    assert "could not be converted" in str(bodies(previews).html())
    assert "Lossy" in str(body_preview(previews, count=9).html())


async def test_the_document_is_a_tree_that_is_copied_whole(tmp_path: Path) -> None:
    """What a node holds is folded below it; a hostile value is text; a button copies
    the JSON of all nodes, however many are shown."""
    previews = await by_hand(tmp_path)
    desk = LivePanel(body_preview(previews, "lossy").widget())
    await worked()
    assert "heading level: 2 text “One”" in desk.text("document")
    [copies] = [each["data-copy"] for each in desk.controls("body-copy")]
    index = previews.body_index.find("lossy")
    assert json.loads(copies) == previews.body_index.converted(index).document
    large = convert_text("<p>a <b>&lt;i onclick=x&gt;</b></p>" * 200).document
    tree = BeautifulSoup(str(tree_html(large)), "html.parser")
    assert not tree.select("i")
    assert len(tree.select("details, .leaf")) == 120
    assert "… and 480 more nodes" in tree.get_text()


async def test_unattended_lists_every_loss(tmp_path: Path) -> None:
    """By item, page and field, content first; each kind is explained once."""
    previews = open_previews(await decided_workspace(tmp_path))
    html = str(bodies(previews).html())
    found = [*previews.losses.all()]
    losses = [
        loss
        for index in range(len(previews.body_index.bodies))
        for loss in previews.body_index.converted(index).losses
    ]
    assert len(found) == len(losses) > 3
    assert {each.what for each in found} >= {each.what for each in losses if each.what}
    script = next(each for each in found if each.kind == "Script")
    assert (script.item, script.page) == ("<b>Lossy</b>", "/posts/lossy")
    assert script.field == "body"
    assert '<td style="text-align:left">/posts/lossy</td>' in html
    content = sum(each.severity == "content" for each in losses)
    severities = {each.what: str(each.severity) for each in losses}
    assert {severities[each.what] for each in found[:content]} == {"content"}
    assert html.count(str(escape(script.todo))) == 1


def _whats(losses: LivePanel) -> list[str]:
    """Return what the losses on show are about, in their order."""
    rows = BeautifulSoup(losses.html("losses_list"), "html.parser").select("td.what")
    return [each.get_text() for each in rows]


async def test_a_person_searches_sorts_and_saves_the_losses(tmp_path: Path) -> None:
    """Words, kinds and order; the file holds all that was asked for."""
    previews = await by_hand(tmp_path)
    losses = LivePanel(bodies(previews).widget())
    await worked()
    kept = [each.what for each in previews.losses.all()]
    assert _whats(losses) == kept
    assert len(kept) == 4
    await losses.work("losses-search", "ONERROR")
    assert _whats(losses) == ['onerror="steal()"']
    assert "<b>" not in losses.html("losses_list")
    await losses.work("losses-search", "nowhere")
    assert "No loss passes" in losses.text("losses_list")
    await losses.work("losses-search", "")
    at = losses.ids("losses-sort").index("what")
    await losses.work("losses-sort", which=at)
    assert _whats(losses) == sorted(kept)
    await losses.work("losses-sort", which=at)
    assert _whats(losses) == sorted(kept, reverse=True)
    await losses.work("losses-kind", "Script")
    assert "Script: " in losses.text("losses_explained")
    await losses.work("losses-save")
    text = (tmp_path / "lists" / "losses.csv").read_text("utf-8-sig")
    assert [line.split(",")[0] for line in text.splitlines()] == ["Kind"] + [
        "Script"
    ] * 3


async def test_losses_follow_the_choices_about_embeds(tmp_path: Path) -> None:
    """What is left out from now on is listed; taken along again, it is not."""
    previews = await by_hand(tmp_path)
    losses = LivePanel(bodies(previews).widget())
    embeds = LivePanel(embed_policies(previews).widget())
    await worked()
    names = [each["data-row"] for each in embeds.controls("embed-kind")]
    for name in names:
        await embeds.work("embed-kind", "drop", names.index(name))
    await worked()
    items = {each.item for each in previews.losses.all()}
    assert items == {"<b>Lossy</b>", "Video", "Widget"}
    assert "/posts/video" in losses.text("losses_list")
    for name in names:
        await embeds.work("embed-kind", "html", names.index(name))
    await worked()
    assert {each.item for each in previews.losses.all()} == {"<b>Lossy</b>"}
    assert "/posts/video" not in losses.text("losses_list")


def test_a_list_of_findings_is_inert_and_bounded() -> None:
    """Hostile names are text, in the table and in a spreadsheet; what is left out
    is counted, and a reason of its own stands in its row."""
    hostile = "=cmd()<img src=x onerror=y()>"
    finding = Finding("Link", hostile, "/p", "body", "x", "As a rule.", "Do it.")
    findings = [finding, replace(finding, why="On its own."), finding]
    html = str(findings_html(findings, "Links", none="", shown=2))
    assert "<img" not in html
    assert html.count("As a rule.") == 1
    assert "x: On its own." in html
    assert "… and 1" in html
    lines = findings_csv(findings).splitlines()
    assert len(lines) == 4
    assert ",'=cmd()" in lines[1]
    assert "Nothing." in findings_html([], "Links", none="Nothing.")


async def test_the_frames_hold_what_was_sanitised(tmp_path: Path) -> None:
    """The origin's frame is the marked body after cleaning, and nothing else."""
    previews = open_previews(await decided_workspace(tmp_path))
    index = previews.body_index.find("lossy")
    losses = previews.body_index.converted(index).losses
    frame = re.search(r'srcdoc="([^"]*)"', str(body_preview(previews, "lossy").html()))
    assert str(sanitised(marked_html(LOSSY, losses))) in unescape(frame.group(1))


async def test_unattended_without_the_files_stops(tmp_path: Path) -> None:
    """Missing embeds.yaml or blocks.yaml ends the run and is named, exit code 3."""
    workspace = await decided_workspace(tmp_path)
    for name in ("embeds.yaml", "blocks.yaml"):
        (workspace.project.decisions / name).unlink()
        with pytest.raises(UndecidedError, match=name) as found:
            accept_bodies(open_previews(workspace))
        assert found.value.exit_code == 3


async def test_out_of_order_names_what_comes_first(tmp_path: Path) -> None:
    """Before notebooks 01 and 02 the missing decision is named."""
    workspace = await decided_workspace(tmp_path)
    (workspace.project.decisions / "design.yaml").unlink()
    with pytest.raises(UndecidedError, match=r"design\.yaml.*notebook 02"):
        open_previews(workspace)


async def test_a_person_decides_about_embeds(tmp_path: Path) -> None:
    """Choices reach the preview and the file at once, and Accept signs both files."""
    previews = await by_hand(tmp_path)
    project = previews.workspace.project
    desk = LivePanel(body_preview(previews, "video").widget())
    embeds = LivePanel(embed_policies(previews).widget())
    accept = Controls(accept_bodies(previews).widget())
    await worked()
    assert "▣ block embed" in desk.html("origin")
    kinds = [each["data-row"] for each in embeds.controls("embed-kind")]
    await embeds.work("embed-kind", "drop", kinds.index("video"))
    assert "▣ block embed" not in desk.html("origin")
    assert decision_in(project, EmbedsDecision).reviewed is None
    await embeds.work("embed-signature", "link", -1)
    await accept.enter("bodies-reviewer", "Ada")
    await accept.click("bodies-accept")
    decision = decision_in(project, EmbedsDecision)
    assert decision.kinds["video"] is Treatment.DROP
    assert list(decision.signatures.values()) == [Treatment.LINK]
    assert decision.reviewed.how == "individually"
    blocks = decision_in(project, BlocksDecision)
    assert [each.field for each in blocks.bodies] == ["body"]
    assert blocks.reviewed.by == "Ada"


async def test_a_host_can_go_back_to_its_kind(tmp_path: Path) -> None:
    """Taking a host's choice back leaves no trace of it."""
    previews = await by_hand(tmp_path)
    embeds = LivePanel(embed_policies(previews).widget())
    await worked()
    await embeds.work("embed-signature", "drop")
    assert previews.embeds.signatures
    await embeds.work("embed-signature", "")
    assert previews.embeds.signatures == {}


async def test_the_picker_goes_through_the_bodies(tmp_path: Path) -> None:
    """Next and previous go round among those that the choices offer."""
    previews = await by_hand(tmp_path)
    desk = LivePanel(body_preview(previews).widget())
    await worked()
    await desk.work("body-structure", "video")
    assert "1 of 2" in desk.text("steps")
    await desk.work("body-next")
    assert "Widget — Posts, body" in desk.text("title")
    await desk.work("body-next")
    assert "1 of 2" in desk.text("steps")
    await desk.work("body-previous")
    assert "2 of 2" in desk.text("steps")
    await desk.work("body-field", "1")
    await desk.work("body-item", desk.options("body-item")[0])
    assert "Video — Posts, body" in desk.text("title")
    await desk.work("body-search", "no such name")
    assert "No body passes this choice." in desk.text("title")


async def test_bodies_are_ticked_as_seen(tmp_path: Path) -> None:
    """Ticks are kept in the project and in no decision; a changed body is unseen."""
    previews = await by_hand(tmp_path)
    desk = LivePanel(body_preview(previews).widget())
    await worked()
    decisions = sorted((tmp_path / "decisions").iterdir())
    await desk.work("body-seen")
    await desk.work("body-seen")
    assert "2 of 4 seen" in desk.text("tally")
    await desk.work("body-state", "not seen")
    assert "1 of 2" in desk.text("steps")
    await desk.work("body-seen")
    await desk.work("body-seen")
    assert "4 of 4 seen" in desk.text("tally")
    assert "No body passes" in desk.text("title")
    assert sorted((tmp_path / "decisions").iterdir()) == decisions
    for path in (tmp_path / "raw").glob("*/*.json"):
        path.write_text(path.read_text("utf-8").replace("Nothing is lost", "New"))
    again = LivePanel(body_preview(open_previews(previews.workspace)).widget())
    await worked()
    assert "3 of 4 seen" in again.text("tally")
    await again.work("body-state", "not seen")
    assert "Plain" in again.text("title")
    await again.work("body-state", "")
    await again.work("body-search", "video")
    await again.work("body-seen")
    assert "2 of 4 seen" in again.text("tally")


async def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """Choosing and accepting in a dry run leaves the folder as it was."""
    previews = await by_hand(tmp_path, dry_run=True)
    embeds = LivePanel(embed_policies(previews).widget())
    accept = Controls(accept_bodies(previews, "Ada").widget())
    await worked()
    await embeds.work("embed-kind", "drop", -1)
    await accept.click("bodies-accept")
    assert "Dry run" in accept.shown()
    assert decision_in(previews.workspace.project, EmbedsDecision) is None
    assert decision_in(previews.workspace.project, BlocksDecision) is None


def _site_with_an_open_embed(root: Path) -> None:
    """Write a site one body of which an embed swallows from its start on."""
    project = Project(root)
    write_site(project.raw)
    held = json.dumps(WIDGET)[1:-1]
    swallowed = json.dumps(f'<div data-rt-embed-type="true"><div>w</div>{OPEN_REST}')
    for path in project.raw.glob("*/*.json"):
        path.write_text(path.read_text().replace(held, swallowed[1:-1]))


OPEN_REST = '<h2 id="">Head</h2><p id="">One <img src="i.png"></p>'


async def test_an_embed_that_is_never_closed_is_ended_by_choice(tmp_path: Path) -> None:
    """A person sees what it holds and ends it; the file says so to headless runs."""
    _site_with_an_open_embed(tmp_path)
    previews = await by_hand(tmp_path)
    index = previews.body_index.find("widget")
    embeds = LivePanel(embed_policies(previews).widget())
    desk = LivePanel(body_preview(previews, "widget").widget())
    await worked()
    assert "1 embeds in 1 bodies are never closed" in embeds.text("unclosed")
    assert "1 heading, 1 picture, 3 words" in desk.text("losses")
    assert previews.body_index.converted(index).document["content"][0]["type"] == "blok"
    await embeds.work("embed-unclosed", "end")
    await worked()
    kinds = [
        each["type"]
        for each in previews.body_index.converted(index).document["content"]
    ]
    assert kinds[:4] == ["blok", "heading", "paragraph", "image"]
    assert "end where the body goes on" in embeds.text("unclosed")
    project = previews.workspace.project
    assert "unclosed: end" in (project.decisions / "embeds.yaml").read_text()
    headless = open_previews(pulled_workspace(tmp_path))
    assert headless.body_index.converted(index) == previews.body_index.converted(index)
