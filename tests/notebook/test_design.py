"""Notebook 02 unattended, and what panels do with files that others wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from cmsmig.errors import DecisionsError, UndecidedError, UsageError
from cmsmig.mapping.decisions.choices import (
    CollectionsDecision,
    Languages,
    LocaleChoice,
)
from cmsmig.mapping.decisions.design import Design, Encoding, SectionDesign
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.designing import (
    DesignReview,
    accept_design,
    design_table,
    open_design,
)
from cmsmig.notebook.kit.decision_files import known_reviewer
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.review.design_edits import DesignEditor, propose
from cmsmig.review.samples import component_bodies_of
from cmsmig.steps.decide.decision_store import decision_in, write_decision
from cmsmig.steps.decide.pulled_origin import read_origin
from tests.support.notebook.page import Page, words_of
from tests.support.notebook.pulled_site import POSTS, pulled_workspace
from tests.support.notebook.session import Session, decide_all, decide_collections


def editor_of(workspace: Workspace) -> DesignEditor:
    """Return an editor of the proposal."""
    decision = decide_collections(workspace)
    origin = read_origin(workspace.project, None)
    return DesignEditor(origin, decision, propose(origin, decision, SpaceFacts()))


def test_samples_of_many_items_read_few(tmp_path: Path) -> None:
    """The first value is found wherever it is; others are looked for among the
    items that follow it, and not in all of a large collection."""
    workspace = pulled_workspace(tmp_path)
    for name in ("items", "live"):
        path = workspace.project.raw / name / f"{POSTS}.json"
        first = json.loads(path.read_text())["items"][0]
        rows = [
            json.dumps({**first, "id": f"i{number}", "fieldData": filled(number)})
            for number in range(1300)
        ]
        listed = ",\n".join(rows)
        path.write_text(f'{{"items": [\n{listed}\n]}}\n')
    editor = editor_of(workspace)
    posts = editor.content_types[0]
    body, tone, author = (editor.samples(posts, each) for each in posts.fields)
    assert len(body) == 3
    assert len(tone) == 1
    assert author == ()
    assert editor.unfilled(0) == ("author",)


def filled(number: int) -> dict[str, str]:
    """Return an item's values: a body always, a tone late, another one much later."""
    tone = {700: "t1", 1250: "t2"}.get(number)
    data = {"name": "A", "slug": f"a-{number}", "body": f"<p>{number}</p>"}
    return {**data, "tone": tone} if tone else data


def test_an_example_names_no_deleted_item_by_its_id(tmp_path: Path) -> None:
    """It is called a deleted item."""
    workspace = pulled_workspace(tmp_path)
    path = workspace.project.raw / "items" / f"{POSTS}.json"
    rows = json.loads(path.read_text())["items"]
    for each in rows:
        each["fieldData"]["author"] = "0" * 24
    listed = ",\n".join(map(json.dumps, rows))
    path.write_text(f'{{"items": [\n{listed}\n]}}\n')
    editor = editor_of(workspace)
    posts = editor.content_types[0]
    author = next(each for each in posts.fields if each.key == "author")
    (sample, *_) = editor.samples(posts, author)
    assert "a deleted item" in str(sample)
    assert "story 000" not in str(sample)


async def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """Out of order, the notebook or the file that comes first; exit code 3 unattended
    without a design."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    with pytest.raises(UndecidedError, match=r"collections\.yaml.*notebook 01"):
        await open_design(workspace)
    with pytest.raises(UndecidedError, match=r"design\.yaml is missing") as found:
        await open_design(pulled_workspace(tmp_path))
    assert found.value.exit_code == 3
    decide_collections(workspace)
    for path in workspace.project.raw.glob("*.json"):
        path.unlink()
    with pytest.raises(UsageError, match="Nothing is read yet"):
        await open_design(workspace)


async def test_unattended_panels_are_plain_and_safe(tmp_path: Path) -> None:
    """An accepted design shows as tables, without any control and any file."""
    workspace = pulled_workspace(tmp_path)
    await decide_all(workspace)
    before = sorted(tmp_path.rglob("*"))
    review = await open_design(workspace)
    for panel in (design_table(review), accept_design(review, "x")):
        bundle = panel._repr_mimebundle_()
        assert set(bundle) == {"text/html", "text/plain"}
        assert "<script>steal" not in str(bundle["text/html"])
    assert "in bulk by a tester" in str(bundle["text/html"])
    assert sorted(tmp_path.rglob("*")) == before


async def test_notebooks_of_earlier_projects_accept_in_a_cell_of_its_own(
    tmp_path: Path,
) -> None:
    """Their last cell signs as the button of the panel does."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    decide_collections(workspace)
    page = Page(accept_design(await open_design(workspace), "Ada"))
    await page.click("design-accept")
    assert decision_in(workspace.project, Design).reviewed.by == "Ada"


async def test_the_state_of_each_content_type_is_listed(tmp_path: Path) -> None:
    """As proposed, edited, or accepted; an edit leaves the others accepted."""
    session = Session(tmp_path)
    await session.open_design("Ada")
    await session.shows("table", "3 fields, proposed", "0 fields, proposed")
    await session.set("design-folder", "journal")
    await session.shows("table", "3 fields, edited", "0 fields, proposed")
    await session.click("design-accept")
    await session.shows("table", "3 fields, accepted", "0 fields, accepted")
    await session.set("design-folder", "diary")
    await session.shows("table", "3 fields, edited", "0 fields, accepted")


async def test_an_unattended_design_that_cannot_work_stops(tmp_path: Path) -> None:
    """A malformed edit of the file ends the run with its sentence."""
    workspace = pulled_workspace(tmp_path)
    await decide_all(workspace)
    path = workspace.project.decisions / "design.yaml"
    path.write_text(path.read_text().replace("key: body", "key: _uid"))
    with pytest.raises(DecisionsError, match="`_uid` is reserved"):
        await open_design(workspace)


async def test_the_component_is_compared_with_the_space(tmp_path: Path) -> None:
    """Each property that the space says differently is shown with both sides."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    editor = editor_of(workspace)
    posts = editor.content_types[0]
    body = component_bodies_of(editor.design, posts)[posts.component]
    theirs = json.loads(json.dumps({**body, "id": 7, "real_name": "Posts"}))
    theirs["schema"]["tone"]["display_name"] = "<i>Mood</i>"
    theirs["schema"]["teaser"] = {"type": "text"}
    del theirs["schema"]["body"]
    space = SpaceFacts(components={posts.component: theirs})
    editor = DesignEditor(
        editor.origin, decide_collections(workspace), editor.design, space
    )
    review = DesignReview(workspace, editor, DesignFile(workspace, editor))
    page = Page(design_table(review))
    await page.click("story-view", 3)
    rows = BeautifulSoup(page.html("item"), "html.parser").select("tbody tr")
    cells = {each.th.text: [cell.text for cell in each.select("td")] for each in rows}
    assert cells.pop("field tone: display_name") == ["Tone", "<i>Mood</i>"]
    assert cells.pop("field teaser")[0] == "not there"
    assert cells.pop("field body")[1] == "not there"
    assert cells == {}
    await page.set("design-component", "brand_new")
    await page.shows("item", "brand_new is new")


async def test_translated_fields_are_named(tmp_path: Path) -> None:
    """What is another value in another language is translated, where languages are
    fields; elsewhere nothing is said of it."""
    session = Session(tmp_path)
    await session.open_design()
    await session.hides("translated")
    path = tmp_path / "raw" / "items" / f"{POSTS}.json"
    items = json.loads(path.read_text())["items"]
    english = [{**each, "cmsLocaleId": "en"} for each in items]
    data = {**items[0]["fieldData"], "body": "<p>Rien ne se perd.</p>"}
    french = {**items[0], "cmsLocaleId": "fr", "fieldData": data}
    rows = ",\n".join(map(json.dumps, [*english, french]))
    path.write_text(f'{{"items": [\n{rows}\n]}}\n')
    project = pulled_workspace(tmp_path).project
    english_choice = LocaleChoice(
        locale_id="en", tag="en", migrate=True, folder="en", primary=True
    )
    french_choice = LocaleChoice(locale_id="fr", tag="fr", migrate=True, folder="fr")
    decision = replace(
        decision_in(project, CollectionsDecision),
        languages=Languages.FIELDS,
        locales=(english_choice, french_choice),
    )
    write_decision(project, decision)
    await session.open_design()
    await session.sees("RichText, translated", "Option, not translated")
    await session.sees("/en/posts/‹slug›")


async def test_unattended_everything_that_is_designed_is_shown(tmp_path: Path) -> None:
    """Sections, flags, places, dates and option lists are in plain tables."""
    workspace = pulled_workspace(tmp_path)
    await decide_all(workspace)
    design = decision_in(workspace.project, Design)
    posts = design.content_types[0]
    nested = SectionDesign("mood", "<b>Mood</b>", ("tone",), component="mood_block")
    first = replace(posts.fields[0], required=True)
    posts = replace(posts, sections=(nested,), universal=True)
    posts = replace(posts, fields=(first, *posts.fields[1:]))
    write_decision(
        workspace.project,
        replace(design, content_types=(posts, *design.content_types[1:])),
    )
    review = await open_design(workspace)
    words = words_of(design_table(review).html())
    for each in (
        "label, key encoding section why",
        "Body body richtext, required",
        "option <b>Mood</b> (in mood_block)",
        "<b>Mood</b> mood mood_block tone",
        "tone Report Report tone Essay Essay",
        "Stories at /posts/‹slug› , dated by creation",
        "content type and block",
        "Uploads go into the root of the assets",
    ):
        assert each in words


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[" * 100_000,
        '{"design": 7}',
        '{"design": "DESIGN", "past": ["content_types: nonsense", 7]}',
        '{"design": "DESIGN", "past": ["content_types: nonsense"]}',
        '{"design": "DESIGN", "past": ["content_types: []"]}',
    ],
)
async def test_a_damaged_undo_file_does_no_harm(tmp_path: Path, damage: str) -> None:
    """The design stays, edits continue, and the next one writes the file again."""
    session = Session(tmp_path)
    await session.open_design()
    await session.set("design-folder", "journal")
    path = tmp_path / "design_undo.json"
    known = json.loads(path.read_text())["design"]
    path.write_text(damage.replace("DESIGN", known))
    await session.open_design()
    await session.click("design-undo")
    await session.decided("design", {"content_types.0.folder": "journal"})
    await session.set("design-folder", "diary")
    await session.click("design-undo")
    await session.decided("design", {"content_types.0.folder": "journal"})
    assert json.loads(path.read_text())["past"] == []


def test_what_undo_keeps_is_bounded(tmp_path: Path) -> None:
    """The oldest edits go first, by number and by size."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    editor = editor_of(workspace)
    file, path = DesignFile(workspace, editor), tmp_path / "design_undo.json"
    for number in range(53):
        posts = replace(editor.content_types[0], folder=f"folder-{number}")
        editor.change(0, posts)
        file.keep()
    kept = json.loads(path.read_text())["past"]
    assert len(kept) == 50
    assert "folder: folder-51" in kept[-1]
    for number in range(4):
        label = "x" * 900_000 + str(number)
        body = replace(editor.content_types[0].fields[0], display_name=label)
        editor.change_field(0, 0, body)
        file.keep()
    assert len(json.loads(path.read_text())["past"]) == 2


def test_a_field_of_another_encoding_keeps_the_rules_that_it_can_have(
    tmp_path: Path,
) -> None:
    """Those of texts alone would make the design one that cannot be accepted."""
    editor = editor_of(pulled_workspace(tmp_path, interactive=True))
    fields = editor.content_types[0].fields
    at = next(n for n, each in enumerate(fields) if each.origin_type == "RichText")
    body = replace(fields[at], rules={"allow_custom_attributes": True})
    editor.change_field(0, at, body)
    assert editor.content_types[0].fields[at] == body
    editor.change_field(0, at, replace(body, encoding=Encoding.JSON_TEXT))
    assert editor.content_types[0].fields[at].rules == {}
    assert not editor.problems()


async def test_every_field_of_the_table_says_what_it_is(tmp_path: Path) -> None:
    """A screen reader finds a label of its own for each control."""
    session = Session(tmp_path)
    await session.open_design()
    for kind in ("field-label", "field-key", "field-encoding", "block"):
        labels = [each["aria-label"] for each in session.tags(f"design-{kind}")]
        assert all(labels)
        assert len(set(labels)) == len(labels) > 1


def test_a_damaged_name_of_a_reviewer_is_none(tmp_path: Path) -> None:
    """The person who signs is asked again."""
    (tmp_path / "reviewer.txt").write_bytes(b"\xff" * 10)
    assert known_reviewer(pulled_workspace(tmp_path)) == ""
