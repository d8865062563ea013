"""Stories whose fields are translated: one for an item, whatever languages it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.evidence.redirects import RedirectMap, redirect_rows
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.steps.desk import Desk, Stage
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


def translations(desk: Desk) -> list[tuple[str, str]]:
    """Return the name and the slug of the first note in other languages."""
    own = desk.stories()[NOTE].story_id
    shown = desk.api("GET", f"/stories/{own}")["story"]["translated_slugs"]
    return [(each["name"], each["slug"]) for each in shown]


def test_an_item_of_two_languages_is_one_story(french: Callable[..., Desk]) -> None:
    """What differs stands beside its field, what does not has no translation; nothing
    is written again."""
    desk = french()
    planned, mark = desk.plan(), desk.mark()
    assert planned["skipped"] == {"archived": 1, "in_primary_story": 18}
    desk.done("import")
    assert len([e for e in desk.since(mark) if e.quota]) == planned["calls"]["total"]
    stories = desk.stories()
    assert not [path for path in stories if path.startswith("fr")]
    note, spot = stories[NOTE].content, stories[SPOT].content
    assert {key for key in note if FRENCH in key} == {
        f"text{FRENCH}",
        f"related{FRENCH}",
    }
    assert spot[f"line{FRENCH}"] != spot["line"]
    assert f"picture{FRENCH}" not in spot
    schema = desk.space.component("note")["schema"]
    flags = {key for key, each in schema.items() if each.get("translatable")}
    assert (flags, flags < schema.keys()) == ({"text", "related"}, True)
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


def test_references_and_links_between_languages_lead_to_the_one_story(
    french: Callable[..., Desk],
) -> None:
    """An address of the other language is the same story's."""
    desk = french()
    desk.done("import")
    stories = desk.stories()
    by_uuid = {each.uuid: path for path, each in stories.items()}
    text = json.dumps(stories["notes/note-3"].content[f"text{FRENCH}"])
    assert stories[NOTE].uuid in text
    related = stories["notes/note-3"].content[f"related{FRENCH}"]
    assert [by_uuid[each] for each in related] == ["notes/note-5"]


def redirects(desk: Desk) -> RedirectMap:
    """Return where the old addresses lead."""
    project = Project(desk.folder)
    settings = load_settings(project, {}, need_origin=False)
    return redirect_rows(open_migration(project, settings))


def test_old_addresses_of_both_languages_lead_on(french: Callable[..., Desk]) -> None:
    """The other language's to its own page of the story."""
    desk = french()
    desk.done("import")
    rows = redirects(desk)
    moved = {each.old: each.new for each in rows.moved}
    assert moved["/fr/notes/la-note-1"] == f"/{CODE}/notes/la-note-1"
    assert rows.lost == ()


def test_visitors_get_both_languages(public: Desk) -> None:
    """The slug, too; what is not translated is the primary language's."""
    shown = delivered(public, NOTE, CODE)
    assert shown["full_slug"] == f"{CODE}/notes/la-note-1"
    own = delivered(public, NOTE, "")
    assert shown["content"]["text"] != own["content"]["text"]
    assert shown["content"]["about"] == own["content"]["about"]
    assert not [key for key in own["content"] if FRENCH in key]
    public.verified()


def test_a_translation_that_visitors_do_not_get_is_a_difference(public: Desk) -> None:
    """Though the story is the same in the primary language."""
    public.edit(SPOT, **{f"line{FRENCH}": "Ailleurs"})
    own = public.stories()[SPOT].story_id
    public.api("GET", f"/stories/{own}/publish")
    found = public.run("verify", "--json").document["differences"]
    told = [each for each in found if each["code"] == "public_value"]
    assert [each["where"] for each in told] == ["line"]
    assert f"Visitors in `{CODE}` get" in told[0]["text"]


def test_what_changes_in_one_language_is_written(french: Callable[..., Desk]) -> None:
    """One update; the other language stays. A page's slug waits for a decision."""
    desk = french()
    desk.done("import")
    change(desk, "la-note-1", with_data(name="Première", text="<p>Neuf.</p>"))
    assert desk.plan()["calls"]["update_stories"] == 1
    desk.done("import")
    assert "Neuf." in str(desk.stories()[NOTE].content[f"text{FRENCH}"])
    assert translations(desk) == [("Première", "la-note-1")]
    change(desk, "la-note-1", with_data(slug="premiere-note"))
    assert desk.run("import").code == 1
    (failed,) = desk.status()["failed"]
    assert f"slug in {CODE}" in failed["explanation"]
    desk.decide_edit(NOTE, f"slug in {CODE}", "ours")
    desk.done("import")
    assert translations(desk) == [("Première", "premiere-note")]
    desk.verified()


def test_a_translation_that_somebody_changed_stays(
    french: Callable[..., Desk],
) -> None:
    """Field by field, as any other: the origin's next text is a conflict."""
    desk = french()
    desk.done("import")
    desk.edit(SPOT, **{f"line{FRENCH}": "Ailleurs"})
    change(desk, "spot-1", with_data(line="Un autre lieu"))
    assert desk.run("import").code == 1
    assert desk.stories()[SPOT].content[f"line{FRENCH}"] == "Ailleurs"


def test_an_item_without_the_primary_language_is_named(
    french: Callable[..., Desk],
) -> None:
    """There is no story that it could be a translation of."""
    desk = french()
    locale = locale_of(desk)
    edit_items(
        desk,
        lambda item: (
            None
            if item["fieldData"]["slug"] == "spot-2" and item["cmsLocaleId"] != locale
            else item
        ),
    )
    assert desk.plan()["skipped"]["no_primary_language"] == 1
    desk.done("import")
    rows = desk.rows(
        "SELECT explanation FROM item WHERE reason = 'no_primary_language'"
    )
    assert "decide `languages: folders`" in rows[0][0]


def test_an_empty_translation_is_a_loss(french: Callable[..., Desk]) -> None:
    """The service shows the primary language's value instead."""
    desk = french()
    change(desk, "spot-1", with_data(line=""))
    (loss,) = [e for e in desk.plan()["losses"] if e["kind"] == "empty-translation"]
    assert loss["full_slug"] == SPOT
    desk.done("import")
    desk.verified()


def test_a_language_that_the_space_lacks_is_refused_before_anything_is_written(
    french: Callable[..., Desk],
) -> None:
    """Nobody would see the values."""
    desk = french(languages=("de",))
    mark = desk.mark()
    ended = desk.run("import")
    assert ended.code == 1
    assert f"The space has no language `{CODE}` (it has de)" in ended.err
    assert not [each for each in desk.since(mark) if each.method != "GET"]
    desk.decide("collections.yaml", "folder: fr", "folder: fr\n    language: de")
    desk.done("import")
    assert "line__i18n__de" in desk.stories()[SPOT].content


def test_a_language_that_is_a_draft_is_unpublished_change(
    french: Callable[..., Desk],
) -> None:
    """Visitors get what is live in each language, editors what they are at."""
    desk = french()
    desk.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    change(desk, "spot-1", with_data(line="Pas encore"), ("items",))
    change(desk, "spot-2", lambda _: None, ("live",))
    desk.done("import")
    assert "/fr/spots/spot-2" not in [each.old for each in redirects(desk).moved]
    story = desk.stories()[SPOT]
    assert story.content[f"line{FRENCH}"] == "Pas encore"
    assert story.published_content[f"line{FRENCH}"] != "Pas encore"
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


def test_languages_that_were_stories_are_told_when_they_become_fields(
    stage: Stage, small_site: Path
) -> None:
    """Their stories are kept and named, until somebody decides about them."""
    desk = stage(content=small_site, languages=(CODE,))
    desk.done("import")
    desk.decide("collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:")
    desk.run("import")
    assert f"line{FRENCH}" in desk.stories()[SPOT].content
    gone = desk.plan()["gone_at_origin"]
    assert {each["reason"] for each in gone} == {"in_primary_story"}
    assert len(gone) == 18


@pytest.mark.parametrize("request_", [CREATE_STORY, UPDATE_STORY])
@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_run_that_dies_is_taken_up(
    french: Callable[..., Desk], request_: tuple[str, str], mode: str
) -> None:
    """Nothing is made twice, and no language is lost."""
    fault = Fault(request_, mode, at=(9,), then_dead=True)
    desk = french(fault)
    assert desk.run("import").code == 7
    fault.over()
    desk.done("import")
    desk.verified()
    assert len(desk.space.stories) == 29 + len(desk.folders())
    assert desk.open_intents() == []
    assert desk.done("import", "--json").document["writes"] == 0


def test_a_translation_stands_in_the_block_of_its_field(
    french: Callable[..., Desk],
) -> None:
    """Where the field is in a component of its own; visitors get it from there."""
    desk = french()
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    name = "    folder_name: Spots\n"
    section = (
        "    - {key: facts, display_name: Facts, component: facts, fields: [line]}"
    )
    desk.decide("design.yaml", name, f"{name}    sections:\n{section}\n")
    desk.done("import")
    (block,) = desk.stories()[SPOT].content["facts"]
    assert block[f"line{FRENCH}"] != block["line"]
    assert desk.space.component("facts")["schema"]["line"]["translatable"] is True
    (shown,) = delivered(desk, SPOT, CODE)["content"]["facts"]
    assert shown["line"] == block[f"line{FRENCH}"]
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


def test_a_language_that_goes_is_taken_out_of_its_story(
    french: Callable[..., Desk],
) -> None:
    """Its values at once; its page by decision, since that is an address."""
    desk = french()
    desk.done("import")
    change(desk, "la-note-1", lambda _: None)
    waiting = [(c["what"], c["field"]) for c in desk.plan()["edit_conflicts"]]
    assert waiting == [(NOTE, f"slug in {CODE}")]
    assert desk.run("import").code == 1
    assert not [key for key in desk.stories()[NOTE].content if FRENCH in key]
    assert [slug for _, slug in translations(desk)] == ["la-note-1"]
    found = desk.run("verify", "--json").document["differences"]
    (waits,) = (each["text"] for each in found if each["where"] == f"slug in {CODE}")
    assert "which would move its page; decide" in waits
    desk.decide_edit(NOTE, f"slug in {CODE}", "ours")
    desk.done("import")
    assert translations(desk) == []
    desk.verified()


@pytest.mark.parametrize("code", ["fr FR", "fr/..", "-fr", ""])
def test_a_language_is_a_code(french: Callable[..., Desk], code: str) -> None:
    """It stands in keys and addresses; an empty one is the locale's tag."""
    desk = french()
    desk.decide("collections.yaml", "folder: fr", f"folder: fr\n    language: '{code}'")
    ended = desk.run("plan")
    assert ended.code == (2 if code else 0)
    assert ("is no code" in ended.err) is bool(code)


def test_a_lost_ledger_is_rebuilt(french: Callable[..., Desk]) -> None:
    """From the stories as they stand; nothing is written again."""
    desk = french()
    desk.done("import")
    for path in desk.folder.glob("ledger.sqlite*"):
        path.unlink()
    desk.done("rebuild")
    assert desk.done("import", "--json").document["writes"] == 0
    desk.verified()


def test_a_value_that_is_the_same_has_no_translation(
    french: Callable[..., Desk],
) -> None:
    """The service shows the field's own; other items have theirs."""
    desk = french()
    change(desk, "spot-1", with_data(line="A place to stand still"))
    desk.done("import")
    spot = desk.stories()[SPOT].content
    assert (spot["line"], f"line{FRENCH}" in spot) == ("A place to stand still", False)
    assert f"line{FRENCH}" in desk.stories()["spots/spot-2"].content


def test_two_pages_of_a_language_have_two_addresses(
    french: Callable[..., Desk],
) -> None:
    """As in the primary one: the older keeps it."""
    desk = french()
    change(desk, "la-note-3", with_data(slug="la-note-1"))
    desk.done("import")
    slugs = [
        each["slug"]
        for path in (NOTE, "notes/note-3")
        for each in desk.stories()[path].body["translated_slugs_attributes"]
    ]
    assert slugs == ["la-note-1", "la-note-1-2"]
    desk.verified()


def test_a_page_of_a_language_stays_where_its_visitors_know_it(
    french: Callable[..., Desk],
) -> None:
    """A slug that is not live yet waits, as the primary one's does."""
    desk = french()
    desk.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    change(desk, "la-note-1", with_data(slug="premiere-note"), ("items",))
    desk.done("import")
    assert [slug for _, slug in translations(desk)] == ["la-note-1"]
    desk.verified()


def test_a_body_is_split_as_it_was_reviewed_in_its_language(
    french: Callable[..., Desk],
) -> None:
    """What was decided about the body holds where it stands now."""
    desk = french()
    parts = "<p>Un.</p><h2>Deux</h2><p>Trois.</p><h2>Quatre</h2><p>Cinq.</p>"
    change(desk, "la-note-1", with_data(text=parts))
    by_heading = "mode: blocks\n    split: [headings]"
    desk.decide("blocks.yaml", "    mode: one_richtext", f"    {by_heading}")
    desk.done("decide", "--accept-proposals", "--reviewer", "Ann")
    desk.done("import")
    blocks = desk.stories()[NOTE].content[f"text{FRENCH}"]
    assert len(blocks) == 3
    assert {each["component"] for each in blocks} <= set(desk.components())
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


def test_a_page_in_another_language_keeps_its_name_until_it_is_decided(
    french: Callable[..., Desk],
) -> None:
    """The page of an archived item stays whole, and its story counts as no edit; with
    the decision the page goes."""
    desk = french()
    desk.done("import")
    change(desk, "la-note-1", lambda item: {**item, "isArchived": True})
    desk.run("import")
    assert translations(desk) == [("Note 1 (fr)", "la-note-1")]
    assert desk.done("rollback", "--plan", "--json").document["left"] == []
    desk.decide_edit(NOTE, f"slug in {CODE}", "ours")
    desk.done("import")
    assert translations(desk) == []
    assert desk.done("import", "--json").document["writes"] == 0
    assert desk.done("rollback", "--plan", "--json").document["left"] == []
