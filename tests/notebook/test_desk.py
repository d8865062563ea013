"""Notebook 03: how bodies are split into blocks, reviewed by hand and replayed."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import UndecidedError
from cmsmig.mapping.decisions.body_reviews import BodyState
from cmsmig.mapping.decisions.choices import BlocksDecision, EmbedsDecision
from cmsmig.notebook.preview.block_cards import Split, block_contents, cards_html
from cmsmig.notebook.preview.preview_html import losses_html
from cmsmig.notebook.preview.previewing import (
    Previews,
    accept_bodies,
    bodies,
    body_fields,
    body_preview,
    embed_policies,
    open_previews,
)
from cmsmig.richtext.blocks.outline import outline_of
from cmsmig.richtext.blocks.proposals import Heuristic, Heuristics, propose_blocks
from cmsmig.richtext.native import convert_text
from cmsmig.richtext.policy import Treatment
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.decision_store import decision_in
from tests.support.notebook.front_end import front_end
from tests.support.notebook.live_panel import LivePanel, worked
from tests.support.notebook.pulled_site import POSTS, pulled_workspace

SPLITTING = (
    "<p>Before</p><h2>One</h2><p>First</p><p>Second</p><blockquote>Said</blockquote>"
    "<p>After</p>"
)
ALSO = "<h2>Only headings</h2><p>x</p><h2>Twice</h2>"


async def previews_of(root: Path, *, dry_run: bool = False) -> Previews:
    """Return the previews of a site with two bodies that headings split."""
    workspace = pulled_workspace(root, interactive=True, dry_run=dry_run)
    path = workspace.project.raw / "items" / f"{POSTS}.json"
    edit(path, plain=SPLITTING, widget=ALSO)
    await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer="a tester",
        observer=workspace.observer,
    )
    return open_previews(workspace, "Ada")


def edit(path: Path, **texts: str) -> None:
    """Give some items other bodies, by their id."""
    document = json.loads(path.read_text("utf-8"))
    for item in document["items"]:
        if item["id"] in texts:
            item["fieldData"]["body"] = texts[item["id"]]
    rows = ",\n".join(map(json.dumps, document["items"]))
    path.write_text(f'{{"items": [\n{rows}\n]}}\n', "utf-8")


@pytest.fixture
async def split(tmp_path: Path) -> tuple[Previews, LivePanel]:
    """Return the desk after headings and quotes were ticked."""
    previews = await previews_of(tmp_path)
    desk = await ticked(previews)
    return previews, desk


async def ticked(previews: Previews) -> LivePanel:
    """Choose blocks, split at headings and quotes; return the desk."""
    fields = LivePanel(body_fields(previews).widget())
    desk = LivePanel(body_preview(previews, "plain").widget())
    await fields.work("blocks-mode", "blocks")
    for rule in ("headings", "quotes"):
        await fields.work("blocks-rule", f"{rule}=1")
    await worked()
    return desk


def cards(html: str) -> list[str]:
    """Return what the cards say, without what may be done with them."""
    soup = BeautifulSoup(html, "html.parser")
    for each in soup.select(".bar"):
        each.decompose()
    return [" ".join(each.get_text(" ").split()) for each in soup.select("li")]


def kinds(desk: LivePanel) -> list[str]:
    """Return the kinds of the blocks on show."""
    soup = BeautifulSoup(desk.html("target"), "html.parser")
    return [each.get_text().split(" ", 1)[1] for each in soup.select(".kind")]


async def test_choices_about_a_field_are_written_at_once(tmp_path: Path) -> None:
    """Mode, rules and level stand in the file after each click."""
    previews = await previews_of(tmp_path)
    fields = LivePanel(body_fields(previews).widget())
    await fields.work("blocks-mode", "blocks")
    assert "single text block" in fields.text("said")
    await fields.work("blocks-rule", "headings=1")
    await fields.work("blocks-rule", "tables=1")
    await fields.work("blocks-rule", "tables=0")
    await fields.work("blocks-level", "4")
    [choice] = decision_in(previews.workspace.project, BlocksDecision).bodies
    assert choice.heuristics == Heuristics(frozenset({Heuristic.HEADINGS}), 4)
    assert "headings 1 to 4" in fields.text("table")


async def test_cards_are_changed_and_undone(
    split: tuple[Previews, LivePanel],
) -> None:
    """Merge, split, change of kind, back into the text; each can be taken back."""
    _, desk = split
    assert kinds(desk) == ["text", "text", "quote", "text"]
    await desk.work("block-type", which=0)
    assert kinds(desk) == ["text", "text", "text", "text"]
    await desk.work("block-merge", which=2)
    assert kinds(desk) == ["text", "text", "text"]
    await desk.work("block-split", "1=2")
    assert kinds(desk) == ["text", "text", "text", "text"]
    await desk.work("block-reject", which=1)
    assert kinds(desk) == ["text", "text", "text"]
    for _ in range(4):
        await desk.work("review-undo")
    assert kinds(desk) == ["text", "text", "quote", "text"]
    assert cards(desk.html("target"))[2].startswith("3 quote A quote stands here. Said")
    await desk.work("block-merge", which=0)
    await desk.work("review-reset")
    assert kinds(desk) == ["text", "text", "quote", "text"]


async def test_accepting_goes_on_to_the_next(split: tuple[Previews, LivePanel]) -> None:
    """What is reviewed and what is left is counted; the last one says so."""
    previews, desk = split
    assert "0 reviewed, 2 left" in desk.text("tally")
    await desk.work("review-accept")
    assert "1 reviewed, 1 left" in desk.text("tally")
    assert "Widget" in desk.text("title")
    await desk.work("review-accept")
    assert "Nothing is left to review." in desk.text("said")
    reviews = decision_in(previews.workspace.project, BlocksDecision).reviews.values()
    assert {(each.by, each.how) for each in reviews} == {("Ada", "individually")}


async def test_the_next_to_review_is_shown_once_it_is_found(
    split: tuple[Previews, LivePanel],
) -> None:
    """Asked for while nothing is known yet; the wish is not forgotten."""
    previews, desk = split
    assert "Plain" in desk.text("title")
    asked = asyncio.create_task(desk.work("body-open"))
    previews.scanner._seen.clear()
    asyncio.get_running_loop().call_later(0.02, previews.scanner.forget)
    await asked
    await worked()
    assert "Widget" in desk.text("title")
    assert desk.text("said") == ""
    await desk.work("body-previous")
    previews.scanner.forget()
    await worked()
    assert "Widget" not in desk.text("title")


async def test_bodies_of_one_kind_are_accepted_at_once(
    split: tuple[Previews, LivePanel],
) -> None:
    """Those split into texts alone, then all that are left; one undo each."""
    previews, desk = split
    assert desk.options("review-kind") == ["quote", "text"]
    await desk.work("review-bulk", "kind=text")
    assert "1 reviewed, 1 left" in desk.text("tally")
    await desk.work("review-all")
    assert "2 reviewed, 0 left" in desk.text("tally")
    await desk.work("review-undo")
    await desk.work("review-undo")
    assert "0 reviewed, 2 left" in desk.text("tally")
    assert decision_in(previews.workspace.project, BlocksDecision).reviews == {}


async def test_without_a_name_nothing_is_accepted(
    split: tuple[Previews, LivePanel],
) -> None:
    """The sentence says what is missing; with the name it goes on."""
    previews, desk = split
    await desk.work("review-name", "")
    await desk.work("review-accept")
    assert "enter your name first" in desk.said()
    await desk.work("review-name", "Grace")
    await desk.work("review-accept")
    assert desk.said() == ""
    [review] = decision_in(previews.workspace.project, BlocksDecision).reviews.values()
    assert review.by == "Grace"


async def test_a_restart_loses_nothing(split: tuple[Previews, LivePanel]) -> None:
    """Another kernel shows what was accepted, changed, and who did."""
    previews, desk = split
    await desk.work("review-accept")
    await desk.work("block-merge", which=0)
    again = open_previews(previews.workspace)
    assert again.review.reviewer == "Ada"
    desk = LivePanel(body_preview(again, "widget").widget())
    await worked()
    assert kinds(desk) == ["text"]
    assert "unreviewed, changed by hand" in desk.text("title")
    assert "1 reviewed, 1 left" in desk.text("tally")


async def test_a_changed_body_reopens_alone(
    split: tuple[Previews, LivePanel],
) -> None:
    """After an edit at the origin, and after an embed choice that changes a shape."""
    previews, desk = split
    await desk.work("review-all")
    project = previews.workspace.project
    edit(project.raw / "items" / f"{POSTS}.json", plain=f"{SPLITTING}<p>More</p>")
    again = open_previews(previews.workspace)
    desk = LivePanel(body_preview(again).widget())
    await worked()
    assert "1 reviewed, 1 left, 1 of them reopened" in desk.text("tally")
    await desk.work("body-state", str(BodyState.REOPENED))
    assert "Plain" in desk.text("title")
    assert "changed after this was decided" in desk.text("title")
    embeds = LivePanel(embed_policies(again).widget())
    assert "are to be reviewed again" in embeds.text("said")


async def test_an_embed_choice_is_written_at_once_and_looks_again(
    split: tuple[Previews, LivePanel],
) -> None:
    """Only bodies with such an embed are looked through once more."""
    previews, _ = split
    previews.scanner.finish()
    assert previews.body_index.known == 4
    previews.treat_kind("video", Treatment.LINK)
    assert previews.body_index.known == 3
    written = decision_in(previews.workspace.project, EmbedsDecision)
    assert written.kinds["video"] is Treatment.LINK
    assert written.reviewed.by == "Ada"


async def test_unattended_an_unreviewed_split_stops(
    split: tuple[Previews, LivePanel],
) -> None:
    """The bodies are named, with exit code 3; nothing stops once they are reviewed."""
    previews, desk = split
    unattended = pulled_workspace(previews.workspace.project.root)
    with pytest.raises(UndecidedError, match=r"Plain, Widget") as found:
        accept_bodies(open_previews(unattended))
    assert found.value.exit_code == 3
    await desk.work("review-all")
    with front_end() as page:
        panel = accept_bodies(open_previews(unattended))
        assert "Accepted" in panel.html()
    assert page.channels == []


async def test_unattended_shows_the_same_previews(
    split: tuple[Previews, LivePanel],
) -> None:
    """The same cards and losses as by hand, no control, not one widget message."""
    previews, desk = split
    await desk.work("block-merge", which=0)
    with front_end() as page:
        again = open_previews(pulled_workspace(previews.workspace.project.root))
        panels = [
            each(again) for each in (bodies, embed_policies, body_fields, body_preview)
        ]
        named = str(body_preview(again, "plain").html())
        html = "".join(str(each.html()) for each in panels) + named
    assert page.channels == []
    assert cards(named) == cards(desk.html("target"))
    losses = losses_html(
        again.body_index.converted(again.body_index.find("plain")).losses
    )
    assert str(losses) in named
    assert str(losses) in desk.html("losses")
    assert re.search(r"<(button|select|input)\b|data-do", html) is None


async def test_a_dry_run_keeps_decisions_to_itself(tmp_path: Path) -> None:
    """Everything can be tried, and no file changes."""
    previews = await previews_of(tmp_path, dry_run=True)
    before = (tmp_path / "decisions" / "blocks.yaml").read_bytes()
    desk = await ticked(previews)
    await desk.work("review-accept")
    assert "1 reviewed, 1 left" in desk.text("tally")
    assert (tmp_path / "decisions" / "blocks.yaml").read_bytes() == before


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
    """Every visible text stands in a card, in order, whatever the body holds."""
    html = "".join(pieces)
    document = convert_text(html).document
    outline = outline_of(document)
    blocks = propose_blocks(outline, Heuristics(frozenset(Heuristic)))
    split, current = Split(document, outline, blocks), 0 if live else None
    contents = block_contents(split, current, None)
    shown = str(cards_html(split, contents, current))
    soup = BeautifulSoup(shown, "html.parser")
    texts = "".join(each.get_text() for each in soup.select(".content"))
    wanted = [text for text in ("h", "q", "t", "l") if f">{text}<" in html]
    assert all(text in texts for text in wanted)
    assert len(soup.select("li")) == len(blocks)
    assert soup.select("script, [onerror], a[href^=javascript]") == []
