"""Notebook 03 unattended, and the parts of its previews."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import UndecidedError, UsageError
from cmsmig.mapping.convert.bodies import block_values
from cmsmig.mapping.decisions.choices import BlocksDecision
from cmsmig.notebook.preview.block_cards import BLOCK_FORM, Split, cards_html
from cmsmig.notebook.preview.body_panes import compared, losses_html, tree_html
from cmsmig.notebook.preview.previews import Previews
from cmsmig.notebook.previewing import (
    accept_bodies,
    bodies,
    body_fields,
    body_preview,
    embed_policies,
    open_previews,
)
from cmsmig.review.bodies import ConvertedBody, elements_by_path, structure_names
from cmsmig.review.embeds import embeds_of
from cmsmig.review.loss_marks import destination_html, marked_html, numbered
from cmsmig.richtext.blocks.block_runs import Heuristic, Heuristics, propose_blocks
from cmsmig.richtext.blocks.outline import BlockKind, outline_of
from cmsmig.richtext.native import NativeEngine, convert_text
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.ui.doc import Note
from cmsmig.ui.documents.findings import Finding, findings_csv_lines, findings_doc
from cmsmig.ui.form import FormView
from cmsmig.ui.html.safe_html import doc_html, escape
from cmsmig.ui.html.sanitizer import sanitised
from tests.support.notebook.front_end import front_end
from tests.support.notebook.page import Page, words_of, worked
from tests.support.notebook.pulled_site import (
    LOSSY,
    POSTS,
    VIDEO,
    WIDGET,
    pulled_workspace,
)
from tests.support.notebook.session import Session, decide_all


async def unattended(root: Path) -> Previews:
    """Return the previews where every proposal was accepted in bulk."""
    workspace = pulled_workspace(root)
    await decide_all(workspace)
    return open_previews(workspace)


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
    assert structure_names(LOSSY) >= {"heading", "link", "image", "script"}
    assert "figure" in structure_names(VIDEO)
    assert structure_names("plain text") == frozenset()


def test_each_loss_is_marked_where_it_is() -> None:
    """Every loss has its number at its own element; those beyond looks are marked."""
    losses = convert_text(LOSSY).losses
    marked = str(numbered(sanitised(marked_html(LOSSY, losses))))
    for number, loss in enumerate(losses, start=1):
        assert loss.where in elements_by_path(LOSSY)
        assert f'data-loss="{number}">{number}</sup>' in marked
        is_marked = f'<mark><sup class="cmsmig-loss" data-loss="{number}"' in marked
        assert is_marked == (loss.severity != "layout")
    link = next(n for n, loss in enumerate(losses, 1) if loss.kind == "link")
    assert f'{link}</sup><span class="cmsmig-link"' in marked


def test_the_origin_writes_no_number_of_a_loss() -> None:
    """Neither a note's number nor one that holds our sign is taken for one."""
    body = '<p>A note<sup>1</sup>, <sup>\ufdd02</sup>, <sup data-loss="3">3</sup>.</p>'
    assert "data-loss" not in numbered(sanitised(marked_html(body, ())))


@given(st.text(alphabet="<>/abpitrd\"=' ", max_size=60))
def test_marking_only_adds(html: str) -> None:
    """Without the marks a body is what it was, whatever it holds."""
    marked = marked_html(html, convert_text(html).losses)
    number = r"<sup>\ufdd0\d+</sup>"
    marks = f"<mark>{number}</mark> |<mark>{number}|</mark>|{number} "
    assert re.sub(marks, "", marked) == html


def test_table_marks_stay_out_of_the_gaps_of_tables() -> None:
    """A mark is in a cell or before the table, where browsers leave it."""
    html = '<table><tr onclick="x()"><td onclick="x()">a</td></tr></table>'
    marked = marked_html(html, convert_text(html).losses)
    assert re.search(r"<table>\s*<mark|<tr[^>]*>\s*<mark", marked) is None
    assert marked.count("<sup>") == 2


def test_blocks_are_named_at_the_destination() -> None:
    """What the renderer leaves out is a box with its component and address."""
    html = destination_html(convert_text(VIDEO).document)
    assert "▣ block embed" in html
    assert "https://video.example.com/embed/7" in html
    assert "<iframe" not in html


async def test_unattended_previews_are_static_and_safe(tmp_path: Path) -> None:
    """Previews and tables, no control, and nothing in them that could run."""
    previews = await unattended(tmp_path)
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
    """As many bodies as asked for, and the one that an item parameter names; each loss
    has its number in the origin, which is clean."""
    previews = await unattended(tmp_path)
    html = str(body_preview(previews, count=1).html())
    assert html.count("data-stage=") == 1
    assert "&lt;b&gt;Lossy&lt;/b&gt; — Posts, body" in html
    losses = previews.body_index.converted(previews.body_index.find("lossy")).losses
    page = BeautifulSoup(html, "html.parser")
    marks = page.select("[data-region=origin] .cmsmig-loss")
    assert {each.text for each in marks} == {str(n + 1) for n in range(len(losses))}
    assert page.select("[data-region=origin] :is(script, a, iframe, [onclick])") == []
    named = str(body_preview(previews, "video", "body").html())
    assert "Video — Posts, body" in named
    with pytest.raises(UsageError, match="no such"):
        body_preview(previews, "no such")


async def test_a_body_that_cannot_be_converted_stops_no_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named with the reason; the others are shown as ever."""
    previews = await unattended(tmp_path)
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


def test_the_tree_of_a_large_document_is_bounded() -> None:
    """A hostile value is text, and what is left out is counted."""
    large = convert_text("<p>a <b>&lt;i onclick=x&gt;</b></p>" * 200).document
    tree = BeautifulSoup(str(tree_html(large)), "html.parser")
    assert not tree.select("i")
    assert len(tree.select("details, .leaf")) == 120
    assert "… and 480 more nodes" in tree.get_text()


async def test_unattended_lists_every_loss(tmp_path: Path) -> None:
    """By item, page and field, content first; a severity explains each kind once."""
    previews = await unattended(tmp_path)
    html = str(bodies(previews).html())
    found = [*previews.losses.findings()]
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
    scripts = {each.severity for each in found if each.kind == "Script"}
    assert html.count(str(escape(script.todo))) == len(scripts)


def test_a_list_of_findings_is_inert_and_bounded() -> None:
    """Hostile names are text, in the table and in a spreadsheet; what is left out
    is counted, and a reason of its own is in its row."""
    hostile = "=cmd()<img src=x onerror=y()>"
    finding = Finding("Link", hostile, "/p", "body", "x", "As a rule.", "Do it.")
    findings = [finding, replace(finding, why="On its own."), finding]
    html = str(doc_html(findings_doc(findings, "Links", none="", shown=2)))
    assert "<img" not in html
    assert html.count("As a rule.") == 1
    assert "x: On its own." in html
    assert "… and 1" in html
    lines = [*findings_csv_lines(findings)]
    assert len(lines) == 4
    assert ",'=cmd()" in lines[1]
    assert findings_doc([], "Links", none="Nothing.") == [Note("Nothing.", "good")]


async def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """A missing embeds.yaml or blocks.yaml ends the run with exit code 3; before that
    notebook 02 comes first."""
    workspace = (await unattended(tmp_path)).workspace
    for name in ("embeds.yaml", "blocks.yaml"):
        (workspace.project.decisions / name).unlink()
        with pytest.raises(UndecidedError, match=name) as found:
            accept_bodies(open_previews(workspace))
        assert found.value.exit_code == 3
    (workspace.project.decisions / "design.yaml").unlink()
    with pytest.raises(UndecidedError, match=r"design\.yaml.*notebook 02"):
        open_previews(workspace)


async def test_all_fields_are_split_together(tmp_path: Path) -> None:
    """By one choice, and what is ticked is ticked for each; then one by itself."""
    session = Session(tmp_path)
    path = tmp_path / "raw" / "collections" / f"{POSTS}.json"
    text = path.read_text("utf-8").replace('"Option"', '"RichText"')
    path.write_text(text, "utf-8")
    await session.open_bodies("", "Ada")
    await session.set("blocks-field", "all")
    await session.set("blocks-mode", "blocks")
    await session.set("blocks-rule", "quotes=1")
    await session.shows("table", "Posts body blocks, split at: quotes")
    await session.set("blocks-field", "0")
    await session.set("blocks-mode", "one_richtext")
    choices = decision_in(Project(tmp_path), BlocksDecision).bodies
    assert [(each.mode, [*each.heuristics.on]) for each in choices] == [
        ("one_richtext", ["quotes"]),
        ("blocks", ["quotes"]),
    ]


async def test_unattended_an_unreviewed_split_stops(tmp_path: Path) -> None:
    """The bodies are named, with exit code 3. Once they are reviewed, the same cards
    and losses are shown as by hand, without a control or a widget message."""
    session = Session(tmp_path)
    await session.split()
    await session.click("bodies-accept")
    workspace = pulled_workspace(tmp_path)
    with pytest.raises(UndecidedError, match=r"Plain, Widget") as found:
        accept_bodies(open_previews(workspace))
    assert found.value.exit_code == 3
    await session.click("block-merge")
    await session.click("review-all")
    with front_end() as page:
        previews = open_previews(workspace)
        assert "Accepted" in accept_bodies(previews).html()
        panels = (bodies, embed_policies, body_fields, body_preview)
        named = str(body_preview(previews, "plain").html())
        html = "".join(str(each(previews).html()) for each in panels) + named
    assert page.channels == []
    await session.set("body-search", "plain")
    assert cards(named) == cards(session.html("target"))
    plain = previews.body_index.converted(previews.body_index.find("plain"))
    losses = str(losses_html(plain.losses))
    assert losses in named
    assert losses in session.html("losses")
    assert re.search(r"<(button|select|input)\b|data-do", html) is None


def cards(html: str) -> list[str]:
    """Return what the cards say, without what may be done with them."""
    soup = BeautifulSoup(html, "html.parser")
    for each in soup.select(".bar"):
        each.decompose()
    return [words_of(each) for each in soup.select("li")]


async def test_the_next_to_review_is_shown_once_it_is_found(tmp_path: Path) -> None:
    """Asked for while nothing is known yet; the wish is not forgotten. A choice about
    embeds looks again at the bodies that have one."""
    await (session := Session(tmp_path)).split()
    previews = open_previews(pulled_workspace(tmp_path, interactive=True), "Ada")
    page = Page(body_preview(previews, "plain"))
    await page.shows("title", "Plain")
    asked = asyncio.create_task(page.click("body-review"))
    previews.scanner._seen.clear()
    asyncio.get_running_loop().call_later(0.02, previews.scanner.forget)
    await asked
    await page.shows("title", "Widget")
    assert page.text("body_said") == ""
    await page.click("body-previous")
    previews.scanner.forget()
    await worked()
    await page.lacks("title", "Widget")
    previews.scanner.finish()
    assert len(previews.body_index.digests) == 4
    previews.treat_kind("video", Treatment.LINK)
    assert len(previews.body_index.digests) == 3
    await session.decided("embeds", {"kinds.video": "link"})


PIECES = (
    "<h2>h</h2>",
    "<p>a <b>b</b></p>",
    "<blockquote>q</blockquote>",
    "<table><tbody><tr><td>t</td></tr></tbody></table>",
    '<img src="x.png" alt="p" onerror="steal()">',
    "<script>steal()</script>",
    '<p><a href="javascript:steal()">l</a></p>',
)


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.booleans())
def test_cards_hold_all_of_a_body_and_nothing_that_runs(
    pieces: list[str], live: bool
) -> None:
    """Every visible text is in a card, in order, whatever the body holds."""
    html = "".join(pieces)
    document = convert_text(html).document
    outline = outline_of(document)
    blocks = propose_blocks(outline, Heuristics(frozenset(Heuristic)))
    values = block_values(document, blocks, dict.fromkeys(BlockKind, "x"), str)
    split = Split(document, outline, blocks, values)
    sides = compared(html, ConvertedBody(document, ()), lambda: str, split)
    form = FormView(BLOCK_FORM, lambda row: blocks[int(row)], print) if live else None
    shown = str(cards_html(split, sides.right, form=form))
    soup = BeautifulSoup(shown, "html.parser")
    texts = "".join(each.get_text() for each in soup.select(".content"))
    wanted = [text for text in ("h", "q", "t", "l") if f">{text}<" in html]
    assert all(text in texts for text in wanted)
    assert len(soup.select("li")) == len(blocks)
    assert soup.select("script, [onerror], a[href^=javascript]") == []
