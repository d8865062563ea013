"""Notebook 02: proposed, edited, checked at once, accepted; unattended only read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from cmsmig.errors import CmsmigError, DecisionsError, UndecidedError, UsageError
from cmsmig.mapping.decisions.design import Design, Encoding, SectionDesign
from cmsmig.mapping.propose.additions import with_missing_designs
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.designing import (
    DesignReview,
    accept_design,
    design_table,
    open_design,
    sample_values,
)
from cmsmig.notebook.kit.reviewer import known_reviewer
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.preview.previewing import open_previews
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.field_changes import with_field_moved, without_fields
from cmsmig.review.item_story import components_of
from cmsmig.steps.decide.decision_store import decision_in
from tests.support.notebook.designing import (
    STORY,
    by_hand,
    decide_all,
    decide_collections,
    desk_of,
    rows_in_error,
)
from tests.support.notebook.live_panel import LivePanel
from tests.support.notebook.pulled_site import (
    PEOPLE,
    POSTS,
    Controls,
    pulled_workspace,
    settled,
)


def test_edits_are_checked_at_once(tmp_path: Path) -> None:
    """A key that cannot be is a sentence, and correcting it takes that away."""
    desk = desk_of(pulled_workspace(tmp_path))
    assert desk.problems() == ()
    desk.edit_field(0, 0, key="Not A Key")
    (problem,) = desk.problems()
    assert "Not A Key" in problem
    assert problem.endswith(".")
    desk.edit_field(0, 0, key="text")
    assert desk.problems() == ()


def test_sections_follow_their_fields(tmp_path: Path) -> None:
    """Renaming a key renames it in the section that holds the field."""
    desk = desk_of(pulled_workspace(tmp_path))
    for number, field in enumerate(desk.content_types[0].fields):
        desk.edit_field(0, number, key=f"{field.key}_new")
    keys = {field.key for field in desk.content_types[0].fields}
    assert all(set(each.fields) <= keys for each in desk.content_types[0].sections)
    assert desk.problems() == ()


def test_a_datasource_choice_gets_its_datasource(tmp_path: Path) -> None:
    """Choosing an option from a datasource leaves nothing to correct."""
    desk = desk_of(pulled_workspace(tmp_path))
    desk.edit_field(0, 1, encoding=Encoding.OPTION_DATASOURCE)
    assert desk.content_types[0].fields[1].datasource == "posts-tone"
    assert desk.problems() == ()


def test_samples_tell_names_instead_of_ids(tmp_path: Path) -> None:
    """Options and relations are shown by what they mean, bodies with losses."""
    desk = desk_of(pulled_workspace(tmp_path))
    content_type = desk.content_types[0]
    body, tone, author = (
        desk.samples(content_type, field) for field in content_type.fields
    )
    assert {each.becomes for each in tone} == {"Report", "Essay"}
    assert author[0].telling == "story Ada"
    assert any("never ran" in loss for each in body for loss in each.losses)


def test_samples_of_many_items_read_few(tmp_path: Path) -> None:
    """The first value is found wherever it stands; others are looked for among the
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
    desk = desk_of(workspace)
    posts = desk.content_types[0]
    body, tone, author = (desk.samples(posts, each) for each in posts.fields)
    assert len(body) == 3
    assert len(tone) == 1
    assert author == ()
    assert desk.unfilled(0) == ("author",)


def filled(number: int) -> dict[str, str]:
    """Return an item's values: a body always, a tone late, another one much later."""
    tone = {700: "t1", 1250: "t2"}.get(number)
    data = {"name": "A", "slug": f"a-{number}", "body": f"<p>{number}</p>"}
    return {**data, "tone": tone} if tone else data


def test_what_came_later_is_proposed_beside_what_was_decided(tmp_path: Path) -> None:
    """An accepted design keeps its own names and gets the missing parts."""
    desk = desk_of(pulled_workspace(tmp_path))
    proposal = desk.design
    desk.edit_field(0, 0, key="mine")
    posts = desk.content_types[0]
    shorter = replace(posts, fields=posts.fields[:-1], sections=())
    known = Design((shorter,), desk.design.blocks)
    full, added = with_missing_designs(
        known, proposal, desk.origin.collections, SpaceFacts()
    )
    assert [str(each) for each in added] == [
        "field `author` of `posts`",
        "content type `people`",
    ]
    assert full.content_types[0].fields[0].key == "mine"
    assert len(full.content_types[0].fields) == 3
    assert full.content_type(PEOPLE) is not None


async def test_unattended_without_a_design_stops(tmp_path: Path) -> None:
    """The missing file is named, exit code 3, whatever else is there or not."""
    with pytest.raises(UndecidedError, match=r"design\.yaml is missing") as found:
        await open_design(pulled_workspace(tmp_path))
    assert found.value.exit_code == 3


async def test_by_hand_before_the_pull_names_what_to_do_first(tmp_path: Path) -> None:
    """Out of order, a sentence says which notebook comes first."""
    workspace = Workspace(pulled_workspace(tmp_path / "a").project, False, True)
    with pytest.raises(UndecidedError, match=r"collections\.yaml.*notebook 01"):
        await open_design(workspace)
    decide_collections(workspace)
    for path in workspace.project.raw.glob("*.json"):
        path.unlink()
    with pytest.raises(UsageError, match="Nothing was pulled"):
        await open_design(workspace)


async def test_unattended_panels_are_plain_and_safe(tmp_path: Path) -> None:
    """An accepted design shows as tables, without any control and any file."""
    workspace = pulled_workspace(tmp_path)
    await decide_all(workspace)
    before = sorted(tmp_path.rglob("*"))
    review = await open_design(workspace)
    for panel in (
        design_table(review),
        sample_values(review),
        accept_design(review, "x"),
    ):
        bundle = panel._repr_mimebundle_()
        assert set(bundle) == {"text/html", "text/plain"}
        assert "<script>steal" not in str(bundle["text/html"])
    assert "in bulk by a tester" in str(bundle["text/html"])
    assert sorted(tmp_path.rglob("*")) == before


async def test_an_unattended_design_that_cannot_work_stops(tmp_path: Path) -> None:
    """A malformed edit of the file ends the run with its sentence."""
    workspace = pulled_workspace(tmp_path)
    await decide_all(workspace)
    path = workspace.project.decisions / "design.yaml"
    path.write_text(path.read_text().replace("key: body", "key: _uid"))
    with pytest.raises(CmsmigError, match="`_uid` is reserved") as found:
        await open_design(workspace)
    assert isinstance(found.value, DecisionsError)


async def test_a_person_edits_and_accepts(tmp_path: Path) -> None:
    """What the controls say is what the file holds, individually and by name."""
    review = await by_hand(tmp_path)
    table = Controls(design_table(review).widget())
    accept = Controls(accept_design(review).widget())
    await table.enter("design-field-key", "text")
    await table.enter("design-field-encoding", "json_text", 1)
    await table.enter("design-folder", "journal")
    await table.enter("design-content-type", "1")
    await table.enter("design-component", "person")
    await table.enter("design-block", "raw_html")
    await accept.click("design-accept")
    assert "enter your name" in accept.shown()
    await accept.enter("design-reviewer", "Ada")
    await accept.click("design-accept")
    design = decision_in(review.workspace.project, Design)
    posts, people = design.content_types
    assert (posts.folder, people.component) == ("journal", "person")
    assert posts.fields[0].key == "text"
    assert posts.fields[1].encoding is Encoding.JSON_TEXT
    assert design.blocks[0].component == "raw_html"
    assert (design.reviewed.by, design.reviewed.how) == ("Ada", "individually")


async def test_a_design_with_a_problem_is_not_accepted(tmp_path: Path) -> None:
    """The problem is said at the table and at the button, and nobody signs it."""
    review = await by_hand(tmp_path)
    table = Controls(design_table(review).widget())
    accept = Controls(accept_design(review, "Ada").widget())
    await table.enter("design-component", "No Name")
    assert "No Name" in table.shown()
    await accept.click("design-accept")
    assert "Correct this first" in accept.shown()
    design = decision_in(review.workspace.project, Design)
    assert design.content_types[0].component == "No Name"
    assert design.reviewed is None


async def test_looking_at_another_content_type_changes_nothing(tmp_path: Path) -> None:
    """Rows are used again for every content type, and edits stay where they belong."""
    review = await by_hand(tmp_path)
    before = review.desk.design
    table = Controls(design_table(review).widget())
    for place in ("1", "0", "1", "0"):
        await table.enter("design-content-type", place)
    assert review.desk.design == before


async def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """Accepting in a dry run says so and leaves the folder as it was."""
    review = await by_hand(tmp_path, dry_run=True)
    accept = Controls(accept_design(review, "Ada").widget())
    await accept.click("design-accept")
    assert "Dry run" in accept.shown()
    assert decision_in(review.workspace.project, Design) is None


async def test_samples_follow_the_edits(tmp_path: Path) -> None:
    """The samples can be shown again with what was edited so far."""
    review = await by_hand(tmp_path)
    samples = Controls(sample_values(review).widget())
    review.desk.edit_field(0, 0, encoding=Encoding.JSON_TEXT)
    await samples.click("samples-again")
    assert "json_text" in samples.shown()
    await samples.enter("samples-content-type", "1")
    assert "People" in samples.shown()


async def test_the_field_in_error_is_marked_in_its_row(tmp_path: Path) -> None:
    """What is wrong with a field stands beside its sample, until it is corrected."""
    review = await by_hand(tmp_path)
    table = Controls(design_table(review).widget())
    assert "This field:" not in table.shown()
    await table.enter("design-field-key", "Not A Key", 1)
    (row,) = [each.value for each in rows_in_error(table)]
    assert "Not A Key" in row
    assert "Essay" in row
    await table.enter("design-field-key", "body", 1)
    first, second = (each.value for each in rows_in_error(table))
    assert "Another field or section has the key" in first
    assert "Essay" not in first
    assert "Essay" in second
    await table.enter("design-content-type", "1")
    await table.enter("design-content-type", "0")
    assert len(rows_in_error(table)) == 2
    await table.enter("design-field-key", "tone", 1)
    assert rows_in_error(table) == []


async def test_one_item_follows_each_edit(tmp_path: Path) -> None:
    """The item on show is what the design makes of it, as soon as it is edited."""
    review = await by_hand(tmp_path)
    element = design_table(review).widget()
    table, story = Controls(element), LivePanel(element, STORY)
    await story.work("story-search", "lossy")
    assert "1 of 1" in story.text("steps")
    form = story.text("item")
    assert "<b>Lossy</b>" in form
    assert "Body body, richtext" in form
    assert "Author author, option Ada" in form
    assert "Tone tone, option Essay" in form
    assert "Lost: " in form
    assert "<script>steal" not in story.html()
    await table.enter("design-field-key", "text")
    await table.enter("design-field-encoding", "json_text", 1)
    form = story.text("item")
    assert "Body text, richtext" in form
    assert "Tone tone, textarea" in form
    await table.enter("design-content-type", "1")
    assert "Ada" in story.text("item")
    assert "1 of 1" in story.text("steps")


async def test_items_are_found_and_leafed_through(tmp_path: Path) -> None:
    """Next and previous stay among what the search finds, and say where they end."""
    review = await by_hand(tmp_path)
    story = LivePanel(design_table(review).widget(), STORY)
    count = len(review.desk.items(0))
    seen = [story.text("item")]
    for _ in range(count - 1):
        await story.work("story-next")
        seen.append(story.text("item"))
    assert len(set(seen)) == count
    await story.work("story-next")
    assert "last item in this direction" in story.said()
    await story.work("story-previous")
    assert story.text("item") == seen[-2]
    await story.work("story-item", story.options("story-item")[0])
    assert story.text("item") == seen[0]
    await story.work("story-search", "nobody is called this")
    assert "no such item" in story.text("steps")
    await story.work("story-next")
    assert "No item has this in its name" in story.said()


async def test_the_story_and_its_component_are_what_is_sent(tmp_path: Path) -> None:
    """Both JSON views hold what the import sends, as the design is now."""
    review = await by_hand(tmp_path)
    element = design_table(review).widget()
    table, story = Controls(element), LivePanel(element, STORY)
    await story.work("story-view", "story")
    await table.enter("design-component", "entry")
    await table.enter("design-field-key", "text")
    sent = json.loads(BeautifulSoup(story.html("item"), "html.parser").pre.text)
    assert sent["content"]["component"] == "entry"
    assert sent["content"]["text"]["type"] == "doc"
    await story.work("story-view", "component")
    body = json.loads(BeautifulSoup(story.html("item"), "html.parser").pre.text)
    assert body["name"] == "entry"
    assert body["schema"]["text"]["type"] == "richtext"


async def test_the_component_is_compared_with_the_space(tmp_path: Path) -> None:
    """Each property that the space says differently stands with both sides."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    desk = desk_of(workspace)
    posts = desk.content_types[0]
    body = components_of(desk.design, posts)[posts.component]
    theirs = json.loads(json.dumps({**body, "id": 7, "real_name": "Posts"}))
    theirs["schema"]["tone"]["display_name"] = "<i>Mood</i>"
    theirs["schema"]["teaser"] = {"type": "text"}
    del theirs["schema"]["body"]
    space = SpaceFacts(components={posts.component: theirs})
    desk = DesignEditor(desk.origin, decide_collections(workspace), desk.design, space)
    review = DesignReview(workspace, desk, DesignFile(workspace, desk))
    story = LivePanel(design_table(review).widget(), STORY)
    await story.work("story-view", "difference")
    rows = BeautifulSoup(story.html("item"), "html.parser").select("tbody tr")
    cells = {each.th.text: [cell.text for cell in each.select("td")] for each in rows}
    assert cells.pop("field tone: display_name") == ["Tone", "<i>Mood</i>"]
    assert cells.pop("field teaser")[0] == "not there"
    assert cells.pop("field body")[1] == "not there"
    assert cells == {}
    desk.edit_content_type(0, component="brand_new")
    await story.work("story-view", "difference")
    assert "brand_new is new" in story.text("item")


async def test_each_edit_is_on_disk_and_can_be_taken_back(tmp_path: Path) -> None:
    """Every edit is written before the next, unsigned; undo goes back step by step,
    to the content type that the edit was in."""
    review = await by_hand(tmp_path)
    project = review.workspace.project
    proposed = review.desk.design
    table = Controls(design_table(review).widget())
    await table.click("design-undo")
    assert "no edit to take back" in table.shown()
    assert decision_in(project, Design) is None
    written = [proposed]
    for name, value, number in (
        ("design-field-key", "Not: a # key", 0),
        ("design-field-encoding", "json_text", 1),
        ("design-folder", "journal", 0),
        ("design-block", "raw_html", 0),
    ):
        await table.enter(name, value, number)
        written.append(decision_in(project, Design))
        assert written[-1] == review.desk.design
        assert written[-1] != written[-2]
        assert written[-1].reviewed is None
    await table.enter("design-content-type", "1")
    for before in reversed(written[:-1]):
        await table.click("design-undo")
        assert decision_in(project, Design) == before
    assert table.named("design-content-type")[0].value == "0"
    assert table.named("design-field-key")[0].value == "body"
    assert table.named("design-block")[0].value == proposed.blocks[0].component
    again = await open_design(review.workspace)
    assert again.desk.design == proposed


async def test_an_edit_takes_the_signature_back(tmp_path: Path) -> None:
    """What was accepted and then edited is accepted by nobody, and the panels say so,
    in the kernel that accepted it and in the next one."""
    review = await by_hand(tmp_path)
    table = Controls(design_table(review).widget())
    accept = Controls(accept_design(review, "Ada").widget())
    await accept.click("design-accept")
    signed = decision_in(review.workspace.project, Design).reviewed
    assert signed.by == "Ada"
    assert signed.at in table.shown()
    await table.enter("design-folder", "journal")
    assert "Edited since Ada accepted it" in accept.shown()
    await accept.click("design-accept")
    review = await open_design(review.workspace)
    table = Controls(design_table(review).widget())
    accept = Controls(accept_design(review, "Bob").widget())
    await table.enter("design-folder-name", "Journal")
    assert decision_in(review.workspace.project, Design).reviewed is None
    for panel in (table, accept):
        assert "Edited since Ada accepted it" in panel.shown()
    await accept.click("design-accept")
    assert "Accepted individually by Bob" in table.shown()
    assert decision_in(review.workspace.project, Design).reviewed.by == "Bob"


async def test_what_somebody_else_wrote_is_not_replaced(tmp_path: Path) -> None:
    """A file that changed meanwhile stays; the panel says what to do."""
    review = await by_hand(tmp_path)
    path = review.workspace.project.decisions / "design.yaml"
    table = Controls(design_table(review).widget())
    await table.enter("design-folder", "journal")
    theirs = path.read_text().replace("folder: journal", "folder: diary")
    path.write_text(theirs)
    await table.enter("design-folder", "blog")
    assert "changed by somebody else" in table.shown()
    assert path.read_text() == theirs
    await table.click("design-undo")
    await table.click("design-undo")
    assert "Your last edit is not in design.yaml" in table.shown()
    path.unlink()
    await table.enter("design-folder", "news")
    assert "changed by somebody else" in table.shown()
    assert not path.exists()


async def test_edits_in_a_dry_run_are_shown_and_not_written(tmp_path: Path) -> None:
    """The item follows, the panel says that nothing is written, and nothing is."""
    review = await by_hand(tmp_path, dry_run=True)
    before = sorted(tmp_path.rglob("*"))
    element = design_table(review).widget()
    table, story = Controls(element), LivePanel(element, STORY)
    await table.enter("design-field-key", "text")
    assert "Body text, richtext" in story.text("item")
    assert "Dry run" in table.shown()
    assert sorted(tmp_path.rglob("*")) == before


async def test_fields_get_labels_and_another_order(tmp_path: Path) -> None:
    """The label is what editors see, and the order is that of the form and the
    component; sections keep to it."""
    review = await by_hand(tmp_path)
    element = design_table(review).widget()
    table, story = Controls(element), LivePanel(element, STORY)
    await table.enter("design-field-label", "Main text", 0)
    await table.click("design-field-down")
    design = decision_in(review.workspace.project, Design)
    assert [each.origin for each in design.content_types[0].fields] == [
        "tone",
        "body",
        "author",
    ]
    form = story.text("item")
    assert form.index("Tone tone") < form.index("Main text body")
    assert [each.value for each in table.named("design-field-key")][:2] == [
        "tone",
        "body",
    ]
    table.named("design-field-up")[1].click()
    await settled()
    fields = decision_in(review.workspace.project, Design).content_types[0].fields
    assert [each.origin for each in fields] == ["body", "tone", "author"]
    await table.click("design-field-up")
    assert (
        fields == decision_in(review.workspace.project, Design).content_types[0].fields
    )


def test_sections_follow_the_order_of_the_fields(tmp_path: Path) -> None:
    """A moved field moves in its section; without its last field a section goes."""
    desk = desk_of(pulled_workspace(tmp_path))
    posts = replace(
        desk.content_types[0],
        sections=(
            SectionDesign("one", "One", ("body", "tone")),
            SectionDesign("two", "Two", ("author",)),
        ),
    )
    moved = with_field_moved(posts, 0, 1)
    assert [each.fields for each in moved.sections] == [("tone", "body"), ("author",)]
    assert with_field_moved(posts, 2, 1) == posts
    shorter = without_fields(posts, ("author", "tone"), "Not wanted.")
    assert [each.fields for each in shorter.sections] == [("body",)]


async def test_fields_are_left_out_with_a_reason_and_taken_again(
    tmp_path: Path,
) -> None:
    """A field that is left out stands below with its reason, and comes back."""
    review = await by_hand(tmp_path)
    project = review.workspace.project
    proposed = review.desk.design.content_types[0]
    element = design_table(review).widget()
    table, story = Controls(element), LivePanel(element, STORY)
    await table.enter("design-leave-reason", "")
    await table.click("design-field-leave")
    assert "Say why" in table.shown()
    assert decision_in(project, Design) is None
    await table.enter("design-leave-reason", "Written <b>anew</b>")
    await table.click("design-field-leave")
    posts = decision_in(project, Design).content_types[0]
    (left,) = (each for each in posts.left_out if each.origin == "body")
    assert left.note == "Written <b>anew</b>"
    assert "Written &lt;b&gt;anew&lt;/b&gt;" in table.shown()
    assert "richtext" not in story.text("item")
    assert review.desk.problems() == ()
    again = await open_design(review.workspace)
    table = Controls(design_table(again).widget())
    await table.click("design-take")
    posts = decision_in(project, Design).content_types[0]
    assert {each.origin for each in posts.fields} == {
        each.origin for each in proposed.fields
    }
    assert posts.left_out == proposed.left_out
    assert again.desk.problems() == ()


async def test_what_no_item_fills_is_said_and_left_out(tmp_path: Path) -> None:
    """A field without any value is said in its row, and left out by one button."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    path = workspace.project.raw / "collections" / f"{POSTS}.json"
    schema = json.loads(path.read_text())
    unused = {**schema["fields"][0], "slug": "unused", "id": "u", "isRequired": False}
    schema["fields"].append(unused)
    path.write_text(json.dumps(schema))
    decide_collections(workspace)
    review = await open_design(workspace)
    table = Controls(design_table(review).widget())
    assert table.shown().count("It can be left out.") == 1
    assert "(1)" in table.named("design-leave-empty")[0].description
    await table.click("design-leave-empty")
    posts = decision_in(workspace.project, Design).content_types[0]
    assert "unused" not in {each.origin for each in posts.fields}
    notes = {each.origin: each.note for each in posts.left_out}
    assert notes["unused"] == "No item fills it."
    assert "(0)" in table.named("design-leave-empty")[0].description
    await table.click("design-leave-empty")
    assert "Every field is filled" in table.shown()
    assert review.desk.problems() == ()


async def test_the_reviewer_is_asked_once(tmp_path: Path) -> None:
    """The name that signed stands in the field of the next kernel and in notebook 03;
    a parameter goes before it, and unattended nobody is taken for granted."""
    review = await by_hand(tmp_path)
    accept = Controls(accept_design(review).widget())
    assert accept.named("design-reviewer")[0].value == ""
    await accept.enter("design-reviewer", "  Ada   Byron ")
    await accept.click("design-accept")
    again = await open_design(review.workspace)
    accept = Controls(accept_design(again).widget())
    assert accept.named("design-reviewer")[0].value == "Ada Byron"
    assert open_previews(review.workspace).review.reviewer == "Ada Byron"
    assert open_previews(review.workspace, "Bob").review.reviewer == "Bob"
    assert open_previews(pulled_workspace(tmp_path)).review.reviewer == ""
    accept = Controls(accept_design(again, "Bob").widget())
    assert accept.named("design-reviewer")[0].value == "Bob"
    (tmp_path / "reviewer.txt").write_bytes(b"\xff" * 10)
    assert known_reviewer(review.workspace) == ""


async def test_every_field_of_the_table_says_what_it_is(tmp_path: Path) -> None:
    """Who does not see the columns hears a label of its own for each control."""
    review = await by_hand(tmp_path)
    table = Controls(design_table(review).widget())
    for kind in ("field-label", "field-key", "field-encoding", "block"):
        told = [each.description for each in table.named(f"design-{kind}")]
        assert all(told)
        assert len(set(told)) == len(told) > 1
