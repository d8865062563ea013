"""Stories whose fields are translated: one for an item, whatever languages it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.evidence.redirects import RedirectMap, redirect_rows
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.steps.faults import (
    CREATE_STORY,
    CUT,
    UNSENT,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.french import (
    CODE,
    FRENCH,
    NOTE,
    SPOT,
    change,
    delivered,
    locale_of,
    with_data,
)
from tests.support.steps.origin_edits import edit_items
from tests.support.steps.staged_project import Stage, StagedProject


def translations(staged: StagedProject) -> list[tuple[str, str]]:
    """Return the name and the slug of the first note in other languages."""
    own = staged.stories()[NOTE].story_id
    shown = staged.api("GET", f"/stories/{own}")["story"]["translated_slugs"]
    return [(each["name"], each["slug"]) for each in shown]


def test_an_item_of_two_languages_is_one_story(
    french: Callable[..., StagedProject],
) -> None:
    """What differs stands beside its field, what does not has no translation; nothing
    is written again."""
    staged = french()
    planned, mark = staged.plan(), staged.mark()
    assert planned["skipped"] == {"archived": 1, "in_primary_story": 18}
    staged.done("import")
    assert len([e for e in staged.since(mark) if e.quota]) == planned["calls"]["total"]
    stories = staged.stories()
    assert not [path for path in stories if path.startswith("fr")]
    note, spot = stories[NOTE].content, stories[SPOT].content
    assert {key for key in note if FRENCH in key} == {
        f"text{FRENCH}",
        f"related{FRENCH}",
    }
    assert spot[f"line{FRENCH}"] != spot["line"]
    assert f"picture{FRENCH}" not in spot
    schema = staged.space.component("note")["schema"]
    flags = {key for key, each in schema.items() if each.get("translatable")}
    assert (flags, flags < schema.keys()) == ({"text", "related"}, True)
    staged.verified()
    assert staged.done("import", "--json").document["writes"] == 0


def test_references_and_links_between_languages_lead_to_the_one_story(
    french: Callable[..., StagedProject],
) -> None:
    """An address of the other language is the same story's."""
    staged = french()
    staged.done("import")
    stories = staged.stories()
    by_uuid = {each.uuid: path for path, each in stories.items()}
    text = json.dumps(stories["notes/note-3"].content[f"text{FRENCH}"])
    assert stories[NOTE].uuid in text
    related = stories["notes/note-3"].content[f"related{FRENCH}"]
    assert [by_uuid[each] for each in related] == ["notes/note-5"]


def redirects(staged: StagedProject) -> RedirectMap:
    """Return where the old addresses lead."""
    project = Project(staged.folder)
    settings = load_settings(project, {}, need_origin=False)
    return redirect_rows(open_migration(project, settings))


def test_old_addresses_of_both_languages_lead_on(
    french: Callable[..., StagedProject],
) -> None:
    """The other language's to its own page of the story."""
    staged = french()
    staged.done("import")
    rows = redirects(staged)
    moved = {each.old: each.new for each in rows.moved}
    assert moved["/fr/notes/la-note-1"] == f"/{CODE}/notes/la-note-1"
    assert rows.lost == ()


def test_visitors_get_both_languages(public: StagedProject) -> None:
    """The slug, too; what is not translated is the primary language's."""
    shown = delivered(public, NOTE, CODE)
    assert shown["full_slug"] == f"{CODE}/notes/la-note-1"
    own = delivered(public, NOTE, "")
    assert shown["content"]["text"] != own["content"]["text"]
    assert shown["content"]["about"] == own["content"]["about"]
    assert not [key for key in own["content"] if FRENCH in key]
    public.verified()


def test_a_translation_that_visitors_do_not_get_is_a_difference(
    public: StagedProject,
) -> None:
    """Though the story is the same in the primary language."""
    public.edit(SPOT, **{f"line{FRENCH}": "Ailleurs"})
    own = public.stories()[SPOT].story_id
    public.api("GET", f"/stories/{own}/publish")
    found = public.run("verify", "--json").document["differences"]
    told = [each for each in found if each["code"] == "public_value"]
    assert [each["where"] for each in told] == ["line"]
    assert f"Visitors in `{CODE}` get" in told[0]["text"]


def test_what_changes_in_one_language_is_written(
    french: Callable[..., StagedProject],
) -> None:
    """One update; the other language stays. A page's slug waits for a decision."""
    staged = french()
    staged.done("import")
    change(staged, "la-note-1", with_data(name="Première", text="<p>Neuf.</p>"))
    assert staged.plan()["calls"]["update_stories"] == 1
    staged.done("import")
    assert "Neuf." in str(staged.stories()[NOTE].content[f"text{FRENCH}"])
    assert translations(staged) == [("Première", "la-note-1")]
    change(staged, "la-note-1", with_data(slug="premiere-note"))
    assert staged.run("import").code == 1
    (failed,) = staged.status()["failed"]
    assert f"slug in {CODE}" in failed["explanation"]
    staged.decide_edit(NOTE, f"slug in {CODE}", "ours")
    staged.done("import")
    assert translations(staged) == [("Première", "premiere-note")]
    staged.verified()


def test_a_translation_that_somebody_changed_stays(
    french: Callable[..., StagedProject],
) -> None:
    """Field by field, as any other: the origin's next text is a conflict."""
    staged = french()
    staged.done("import")
    staged.edit(SPOT, **{f"line{FRENCH}": "Ailleurs"})
    change(staged, "spot-1", with_data(line="Un autre lieu"))
    assert staged.run("import").code == 1
    assert staged.stories()[SPOT].content[f"line{FRENCH}"] == "Ailleurs"


def test_an_item_without_the_primary_language_is_named(
    french: Callable[..., StagedProject],
) -> None:
    """There is no story that it could be a translation of."""
    staged = french()
    locale = locale_of(staged)
    edit_items(
        staged,
        lambda item: (
            None
            if item["fieldData"]["slug"] == "spot-2" and item["cmsLocaleId"] != locale
            else item
        ),
    )
    assert staged.plan()["skipped"]["no_primary_language"] == 1
    staged.done("import")
    rows = staged.rows(
        "SELECT explanation FROM item WHERE reason = 'no_primary_language'"
    )
    assert "decide `languages: folders`" in rows[0][0]


def test_an_empty_translation_is_a_loss(french: Callable[..., StagedProject]) -> None:
    """The service shows the primary language's value instead."""
    staged = french()
    change(staged, "spot-1", with_data(line=""))
    (loss,) = [e for e in staged.plan()["losses"] if e["kind"] == "empty-translation"]
    assert loss["full_slug"] == SPOT
    staged.done("import")
    staged.verified()


def test_a_language_that_the_space_lacks_is_refused_before_anything_is_written(
    french: Callable[..., StagedProject],
) -> None:
    """Nobody would see the values."""
    staged = french(languages=("de",))
    mark = staged.mark()
    ended = staged.run("import")
    assert ended.code == 1
    assert f"The space has no language `{CODE}` (it has de)" in ended.err
    assert not [each for each in staged.since(mark) if each.method != "GET"]
    staged.decide("collections.yaml", "folder: fr", "folder: fr\n    language: de")
    staged.done("import")
    assert "line__i18n__de" in staged.stories()[SPOT].content


def test_a_language_that_is_a_draft_is_unpublished_change(
    french: Callable[..., StagedProject],
) -> None:
    """Visitors get what is live in each language, editors what they are at."""
    staged = french()
    staged.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    staged.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    change(staged, "spot-1", with_data(line="Pas encore"), ("items",))
    change(staged, "spot-2", lambda _: None, ("live",))
    staged.done("import")
    assert "/fr/spots/spot-2" not in [each.old for each in redirects(staged).moved]
    story = staged.stories()[SPOT]
    assert story.content[f"line{FRENCH}"] == "Pas encore"
    assert story.published_content[f"line{FRENCH}"] != "Pas encore"
    staged.verified()
    assert staged.done("import", "--json").document["writes"] == 0


def test_languages_that_were_stories_are_told_when_they_become_fields(
    stage: Stage, small_site: Path
) -> None:
    """Their stories are kept and named, until somebody decides about them."""
    staged = stage(content=small_site, languages=(CODE,))
    staged.done("import")
    staged.decide("collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:")
    staged.run("import")
    assert f"line{FRENCH}" in staged.stories()[SPOT].content
    gone = staged.plan()["gone_at_origin"]
    assert {each["reason"] for each in gone} == {"in_primary_story"}
    assert len(gone) == 18


@pytest.mark.parametrize("request_", [CREATE_STORY, UPDATE_STORY])
@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_run_that_dies_is_taken_up(
    french: Callable[..., StagedProject], request_: tuple[str, str], mode: str
) -> None:
    """Nothing is made twice, and no language is lost."""
    fault = Fault(request_, mode, at=(9,), then_dead=True)
    staged = french(fault)
    assert staged.run("import").code == 7
    fault.over()
    staged.done("import")
    staged.verified()
    assert len(staged.space.stories) == 29 + len(staged.folders())
    assert staged.open_intents() == []
    assert staged.done("import", "--json").document["writes"] == 0


def test_a_translation_stands_in_the_block_of_its_field(
    french: Callable[..., StagedProject],
) -> None:
    """Where the field is in a component of its own; visitors get it from there."""
    staged = french()
    staged.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    name = "    folder_name: Spots\n"
    section = (
        "    - {key: facts, display_name: Facts, component: facts, fields: [line]}"
    )
    staged.decide("design.yaml", name, f"{name}    sections:\n{section}\n")
    staged.done("import")
    (block,) = staged.stories()[SPOT].content["facts"]
    assert block[f"line{FRENCH}"] != block["line"]
    assert staged.space.component("facts")["schema"]["line"]["translatable"] is True
    (shown,) = delivered(staged, SPOT, CODE)["content"]["facts"]
    assert shown["line"] == block[f"line{FRENCH}"]
    staged.verified()
    assert staged.done("import", "--json").document["writes"] == 0


def test_a_language_that_goes_is_taken_out_of_its_story(
    french: Callable[..., StagedProject],
) -> None:
    """Its values at once; its page by decision, since that is an address."""
    staged = french()
    staged.done("import")
    change(staged, "la-note-1", lambda _: None)
    waiting = [(c["what"], c["field"]) for c in staged.plan()["edit_conflicts"]]
    assert waiting == [(NOTE, f"slug in {CODE}")]
    assert staged.run("import").code == 1
    assert not [key for key in staged.stories()[NOTE].content if FRENCH in key]
    assert [slug for _, slug in translations(staged)] == ["la-note-1"]
    found = staged.run("verify", "--json").document["differences"]
    (waits,) = (each["text"] for each in found if each["where"] == f"slug in {CODE}")
    assert "which would move its page; decide" in waits
    staged.decide_edit(NOTE, f"slug in {CODE}", "ours")
    staged.done("import")
    assert translations(staged) == []
    staged.verified()


@pytest.mark.parametrize("code", ["fr FR", "fr/..", "-fr", ""])
def test_a_language_is_a_code(french: Callable[..., StagedProject], code: str) -> None:
    """It stands in keys and addresses; an empty one is the locale's tag."""
    staged = french()
    staged.decide(
        "collections.yaml", "folder: fr", f"folder: fr\n    language: '{code}'"
    )
    ended = staged.run("plan")
    assert ended.code == (2 if code else 0)
    assert ("is no code" in ended.err) is bool(code)


def test_a_lost_ledger_is_rebuilt(french: Callable[..., StagedProject]) -> None:
    """From the stories as they stand; nothing is written again."""
    staged = french()
    staged.done("import")
    for path in staged.folder.glob("ledger.sqlite*"):
        path.unlink()
    staged.done("rebuild")
    assert staged.done("import", "--json").document["writes"] == 0
    staged.verified()


def test_a_value_that_is_the_same_has_no_translation(
    french: Callable[..., StagedProject],
) -> None:
    """The service shows the field's own; other items have theirs."""
    staged = french()
    change(staged, "spot-1", with_data(line="A place to stand still"))
    staged.done("import")
    spot = staged.stories()[SPOT].content
    assert (spot["line"], f"line{FRENCH}" in spot) == ("A place to stand still", False)
    assert f"line{FRENCH}" in staged.stories()["spots/spot-2"].content


def test_two_pages_of_a_language_have_two_addresses(
    french: Callable[..., StagedProject],
) -> None:
    """As in the primary one: the older keeps it."""
    staged = french()
    change(staged, "la-note-3", with_data(slug="la-note-1"))
    staged.done("import")
    slugs = [
        each["slug"]
        for path in (NOTE, "notes/note-3")
        for each in staged.stories()[path].body["translated_slugs_attributes"]
    ]
    assert slugs == ["la-note-1", "la-note-1-2"]
    staged.verified()


def test_a_page_of_a_language_stays_where_its_visitors_know_it(
    french: Callable[..., StagedProject],
) -> None:
    """A slug that is not live yet waits, as the primary one's does."""
    staged = french()
    staged.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    staged.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    change(staged, "la-note-1", with_data(slug="premiere-note"), ("items",))
    staged.done("import")
    assert [slug for _, slug in translations(staged)] == ["la-note-1"]
    staged.verified()


def test_a_body_is_split_as_it_was_reviewed_in_its_language(
    french: Callable[..., StagedProject],
) -> None:
    """What was decided about the body holds where it stands now."""
    staged = french()
    parts = "<p>Un.</p><h2>Deux</h2><p>Trois.</p><h2>Quatre</h2><p>Cinq.</p>"
    change(staged, "la-note-1", with_data(text=parts))
    by_heading = "mode: blocks\n    split: [headings]"
    staged.decide("blocks.yaml", "    mode: one_richtext", f"    {by_heading}")
    staged.done("decide", "--accept-proposals", "--reviewer", "Ann")
    staged.done("import")
    blocks = staged.stories()[NOTE].content[f"text{FRENCH}"]
    assert len(blocks) == 3
    assert {each["component"] for each in blocks} <= set(staged.components())
    staged.verified()
    assert staged.done("import", "--json").document["writes"] == 0


def test_a_page_in_another_language_keeps_its_name_until_it_is_decided(
    french: Callable[..., StagedProject],
) -> None:
    """The page of an archived item stays whole, and its story counts as no edit; with
    the decision the page goes."""
    staged = french()
    staged.done("import")
    change(staged, "la-note-1", lambda item: {**item, "isArchived": True})
    staged.run("import")
    assert translations(staged) == [("Note 1 (fr)", "la-note-1")]
    assert staged.done("rollback", "--plan", "--json").document["left"] == []
    staged.decide_edit(NOTE, f"slug in {CODE}", "ours")
    staged.done("import")
    assert translations(staged) == []
    assert staged.done("import", "--json").document["writes"] == 0
    assert staged.done("rollback", "--plan", "--json").document["left"] == []
