"""Notebook 02: sections, nested components, option lists, places, flags."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from bs4 import BeautifulSoup

from cmsmig.mapping.decisions.choices import (
    CollectionsDecision,
    Languages,
    LocaleChoice,
)
from cmsmig.mapping.decisions.design import Design, Encoding, SectionDesign
from cmsmig.notebook.design.designing import design_table, open_design
from cmsmig.steps.decide.decision_store import decision_in, write_decision
from tests.support.notebook.designing import (
    OPTIONS,
    SECTIONS,
    STORY,
    by_hand,
    decide_all,
    decide_collections,
    rows_in_error,
    with_fields,
)
from tests.support.notebook.live_panel import LivePanel
from tests.support.notebook.pulled_site import POSTS, Controls, pulled_workspace


async def test_a_section_is_made_nested_and_taken_apart(tmp_path: Path) -> None:
    """Chosen fields become a section, that a nested component without the relation,
    and both come back; each step is on disk and undone by one press."""
    review = await by_hand(tmp_path)
    project = review.workspace.project
    element = design_table(review).widget()
    table, sections = Controls(element), LivePanel(element, SECTIONS)
    assert "No section yet" in sections.text()
    await table.click("design-section-make")
    assert "Name the section" in table.shown()
    await table.enter("design-section-name", "About <b>it</b>")
    await table.click("design-section-make")
    assert "Choose the section" in table.shown()
    for number in (1, 2):
        await table.enter("design-field-pick", True, number)
    await table.click("design-section-make")
    made = SectionDesign("about_b_it_b", "About <b>it</b>", ("tone", "author"))
    assert decision_in(project, Design).content_types[0].sections == (made,)
    assert not any(each.value for each in table.named("design-field-pick"))
    assert "<b>it</b>" not in sections.html()
    await sections.work("section-nest")
    assert "Left at the root of the story: author" in sections.said()
    posts = decision_in(project, Design).content_types[0]
    nested = replace(made, fields=("tone",), component="posts_about_b_it_b")
    assert posts.sections == (nested,)
    story = LivePanel(element, STORY)
    await story.work("story-search", "lossy")
    await story.work("story-view", "story")
    sent = json.loads(BeautifulSoup(story.html("item"), "html.parser").pre.text)
    (block,) = sent["content"][made.key]
    assert (block["component"], block["tone"]) == (nested.component, "Essay")
    assert review.desk.problems() == ()
    await sections.work("section-component", "mood")
    await sections.work("section-label", "Mood")
    await sections.work("section-key", "mood_block")
    await sections.work("section-flatten")
    flat = SectionDesign("mood_block", "Mood", ("tone",))
    assert decision_in(project, Design).content_types[0].sections == (flat,)
    await sections.work("section-dissolve")
    assert decision_in(project, Design).content_types[0].sections == ()
    for _ in range(7):
        await table.click("design-undo")
    assert decision_in(project, Design).content_types[0].sections == ()
    assert review.desk.undoable == 0


async def test_a_section_of_relations_alone_is_not_nested(tmp_path: Path) -> None:
    """Nothing would be left in it, and the panel says so."""
    review = await by_hand(tmp_path)
    element = design_table(review).widget()
    table, sections = Controls(element), LivePanel(element, SECTIONS)
    await table.enter("design-section-name", "People")
    await table.enter("design-field-pick", True, 2)
    await table.click("design-section-make")
    before = review.desk.design
    await sections.work("section-nest")
    assert "nothing to nest" in sections.said()
    assert review.desk.design == before


async def test_a_field_goes_into_a_section_in_its_row(tmp_path: Path) -> None:
    """The row names the section, another one takes the field over, and a relation
    in a nested component is an error of its row."""
    review = await by_hand(tmp_path)
    desk = review.desk
    posts = desk.content_types[0]
    sections = (
        SectionDesign("one", "One", ("body",)),
        SectionDesign("two", "Two", ("tone",), component="two"),
    )
    desk.change(0, replace(posts, sections=sections))
    element = design_table(review).widget()
    table, story = Controls(element), LivePanel(element, STORY)
    chosen = [each.value for each in table.named("design-field-section")]
    assert chosen[:3] == ["one", "two", ""]
    await table.enter("design-field-section", "one", 2)
    posts = decision_in(review.workspace.project, Design).content_types[0]
    assert [each.fields for each in posts.sections] == [("body", "author"), ("tone",)]
    form = story.text("item")
    assert form.index("One") < form.index("Author") < form.index("Tone")
    await table.enter("design-field-section", "two", 2)
    (row,) = rows_in_error(table)
    assert "at the root of a story" in row.value
    await table.enter("design-field-section", "", 2)
    assert rows_in_error(table) == []
    await table.enter("design-field-section", "two", 0)
    posts = decision_in(review.workspace.project, Design).content_types[0]
    assert [each.fields for each in posts.sections] == [("body", "tone")]
    labels = [text for text, _ in table.named("design-field-section")[0].options]
    assert labels == ["no section", "Two (in two)"]


async def test_what_places_and_dates_stories_is_chosen(tmp_path: Path) -> None:
    """Only fields that fit are offered, what does not fit is shown as written, and
    the sentence below says where the stories go."""
    workspace = pulled_workspace(tmp_path, interactive=True)
    with_fields(
        workspace,
        {"slug": "on", "displayName": "On", "type": "DateTime"},
        {"slug": "rank", "displayName": "Rank", "type": "Number"},
    )
    decide_collections(workspace)
    review = await open_design(workspace)
    table = Controls(design_table(review).widget())
    assert "creation" in dict(table.named("design-date-field")[0].options)
    for name, value, offered in (
        ("design-date-field", "on", ["", "on"]),
        ("design-order-field", "rank", ["", "rank"]),
        ("design-folder-by", "tone", ["", "tone", "author"]),
        ("design-tags-by", "author", None),
        ("design-nestable", True, None),
        ("design-component-label", "Story", None),
        ("design-asset-folder", "From the site", None),
    ):
        if offered:
            listed = [value for _, value in table.named(name)[0].options]
            assert listed == offered
        await table.enter(name, value)
    design = decision_in(workspace.project, Design)
    posts = design.content_types[0]
    assert (posts.date_field, posts.order_field) == ("on", "rank")
    assert (posts.folder_by, posts.tags_by) == ("tone", "author")
    assert (posts.universal, posts.display_name) == (True, "Story")
    assert design.asset_folder == "From the site"
    shown = table.shown()
    assert "<code>/posts/‹tone›/‹slug›</code>" in shown
    assert "is_root and is_nestable" in shown
    assert review.desk.problems() == ()
    review.desk.change(0, replace(posts, date_field="tone"))
    table = Controls(design_table(review).widget())
    assert table.named("design-date-field")[0].value == "tone"
    assert "names `tone`" in review.desk.problems()[0]
    await table.enter("design-date-field", "")
    assert review.desk.problems() == ()


async def test_option_lists_are_renamed_and_become_datasources(tmp_path: Path) -> None:
    """A label is what stories hold, a datasource is named, and two equal labels are
    said in the field's row."""
    review = await by_hand(tmp_path)
    project = review.workspace.project
    element = design_table(review).widget()
    table, options = Controls(element), LivePanel(element, OPTIONS)
    assert options.options("options-field") == ["tone"]
    assert "Report" in options.text("options")
    await options.work("options-label", "<i>Long read</i>", 1)
    field = decision_in(project, Design).content_types[0].fields[1]
    assert field.options == (("t1", "Report"), ("t2", "<i>Long read</i>"))
    assert "<i>" not in options.html()
    story = LivePanel(element, STORY)
    await story.work("story-search", "lossy")
    assert "<i>Long read</i>" in story.text("item")
    await options.work("options-label", "Report", 1)
    assert "two options have the label" in rows_in_error(table)[0].value.lower()
    await options.work("options-label", "  Essay ", 1)
    await options.work("options-source", "option_datasource")
    await options.work("options-datasource", "tones")
    field = decision_in(project, Design).content_types[0].fields[1]
    assert field.encoding is Encoding.OPTION_DATASOURCE
    assert (field.datasource, field.options[1]) == ("tones", ("t2", "Essay"))
    await table.enter("design-field-encoding", "json_text", 1)
    assert "no list at the destination" in options.text("list")
    await table.enter("design-content-type", "1")
    assert "No field of this content type has options" in options.text("options")


async def test_translated_fields_are_told(tmp_path: Path) -> None:
    """What is another value in another language is translated, where languages are
    fields; elsewhere nothing is said of it."""
    review = await by_hand(tmp_path)
    assert "translated" not in Controls(design_table(review).widget()).shown()
    workspace = review.workspace
    path = workspace.project.raw / "items" / f"{POSTS}.json"
    listed = json.loads(path.read_text())
    for each in listed["items"]:
        each["cmsLocaleId"] = "en"
    french = json.loads(json.dumps(listed["items"][0]))
    french["cmsLocaleId"] = "fr"
    french["fieldData"]["body"] = "<p>Rien ne se perd.</p>"
    rows = ",\n".join(json.dumps(each) for each in (*listed["items"], french))
    path.write_text(f'{{"items": [\n{rows}\n]}}\n')
    decision = replace(
        decision_in(workspace.project, CollectionsDecision),
        languages=Languages.FIELDS,
        locales=(
            LocaleChoice(
                locale_id="en", tag="en", migrate=True, folder="en", primary=True
            ),
            LocaleChoice(locale_id="fr", tag="fr", migrate=True, folder="fr"),
        ),
    )
    write_decision(workspace.project, decision)
    review = await open_design(workspace)
    shown = Controls(design_table(review).widget()).shown()
    assert "RichText, translated" in shown
    assert "Option, not translated" in shown
    assert "<code>/en/posts/‹slug›</code>" in shown


async def test_unattended_everything_that_is_designed_is_told(tmp_path: Path) -> None:
    """Sections, flags, places, dates and option lists stand in plain tables."""
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
    shown = str(design_table(review)._repr_mimebundle_()["text/html"])
    words = " ".join(BeautifulSoup(shown, "html.parser").get_text(" ").split())
    for each in (
        "label, key encoding section why",
        "Body body richtext, required",
        "option <b>Mood</b> (in mood_block)",
        "<b>Mood</b> mood mood_block tone",
        "tone Report Report tone Essay Essay",
        "Stories at /posts/‹slug› , dated by creation",
        "is_root and is_nestable",
        "Uploads go into the root of the assets",
    ):
        assert each in words
