"""Stories of one item in several languages: one group, and no call for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.uids import derived_group
from cmsmig.steps.write.alternates import wanted_groups
from tests.support.steps.faults import CREATE_STORY, CUT, Fault
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

Change = Callable[[Item], "Item | None"]
NAMESPACE = "5b0c6a39-9c5c-5f4e-8f3b-3f7a6f0a2d11"


def pairs(project: StagedProject) -> list[tuple[str, str]]:
    """Return the paths of the stories of each item that is there in two languages."""
    listed = project.rows(
        "SELECT min(full_slug), max(full_slug) FROM items WHERE story_id IS NOT NULL "
        "GROUP BY collection_id, item_id HAVING count(*) = 2 ORDER BY 1"
    )
    assert listed
    return [(first, second) for first, second in listed]


def alternates(project: StagedProject, full_slug: str) -> list[str]:
    """Return the alternates of a story as the service shows them."""
    shown = project.api("GET", f"/stories/{project.stories()[full_slug].story_id}")
    return [each["full_slug"] for each in shown["story"]["alternates"]]


def french(project: StagedProject, *, migrate: bool) -> None:
    """Decide whether the second language is taken along."""
    old, new = ("true", "false") if not migrate else ("false", "true")
    rest = "\n    folder: fr"
    project.decide("collections.yaml", f"migrate: {old}{rest}", f"migrate: {new}{rest}")


def apart(project: StagedProject) -> Iterator[str]:
    """Yield what a verification says of languages that are not together."""
    for each in project.run("verify", "--json").document["differences"]:
        if each["code"] == "languages_apart":
            yield each["subject"]


def test_languages_share_a_group_at_no_call_of_its_own(
    stage: Stage, small_site: Path
) -> None:
    """Each shows the other as its alternate; calls are those that were planned."""
    project = stage(content=small_site)
    calls = project.plan()["calls"]
    number = project.mark()
    project.done("import")
    assert project.count("create story", number) == 47 + calls["create_folders"]
    assert project.count("update story", number) == calls["update_stories"]
    assert sum(each.quota for each in project.since(number)) == calls["total"]
    for english, other in pairs(project):
        assert alternates(project, english) == [other]
        assert alternates(project, other) == [english]
    assert len({each.group_id for each in project.stories().values()}) == 47 - len(
        pairs(project)
    )
    found = project.done("verify", "--json").document
    assert found["compared"]["languages"] == len(pairs(project))
    project.verified()


def references(project: StagedProject) -> dict[tuple[str, str], str]:
    """Return the UUIDs that stories refer to, with the path of each."""
    by_uuid = {each.uuid: path for path, each in project.stories().items()}
    return {
        (path, uuid): by_uuid[uuid]
        for path, each in project.stories().items()
        for value in each.content.values()
        for uuid in (value if isinstance(value, list) else [value])
        if isinstance(uuid, str) and uuid in by_uuid
    }


def across(project: StagedProject) -> list[tuple[str, str]]:
    """Return the references from French stories to those of the other language."""
    return [
        (path, target)
        for (path, _), target in references(project).items()
        if path.startswith("fr/") and not target.startswith("fr/")
    ]


def change_one_target(project: StagedProject, change: Change) -> None:
    """Change the French variant of an item that French items refer to."""
    site = json.loads((project.folder / "raw" / "sites.json").read_text())["sites"][0]
    (french,) = (each["cmsLocaleId"] for each in site["locales"]["secondary"])
    wanted: list[str] = []

    def note(item: Item) -> Item:
        if item["cmsLocaleId"] == french:
            wanted.extend(item["fieldData"].get("related") or [])
        return item

    edit_items(project, note)
    changed = (wanted[0], french)

    edit_items(
        project,
        lambda item: (
            change(item) if (item["id"], item["cmsLocaleId"]) == changed else item
        ),
    )


def test_a_reference_to_what_lacks_the_language_leads_to_the_primary_story(
    stage: Stage, small_site: Path
) -> None:
    """As proposed, and each is listed; left out where that is decided."""
    project = stage(content=small_site)
    assert project.plan()["in_primary_language"] == []
    change_one_target(project, lambda _: None)
    planned = project.plan()
    listed = planned["in_primary_language"]
    assert listed
    assert planned["dangling_by_cause"].get("other_locale", 0) == 0
    project.done("import")
    assert len(across(project)) == len(listed)
    project.verified()
    project.decide("collections.yaml", "language: primary", "language: leave_out")
    planned = project.plan()
    assert planned["in_primary_language"] == []
    assert planned["dangling_by_cause"]["other_locale"] == len(listed)
    project.done("import")
    assert across(project) == []
    project.verified()


def test_what_is_archived_in_a_language_has_no_stand_in(
    stage: Stage, small_site: Path
) -> None:
    """It is not missing there: somebody took it away, and the cause says so."""
    project = stage(content=small_site)
    change_one_target(project, lambda item: {**item, "isArchived": True})
    planned = project.plan()
    assert planned["in_primary_language"] == []
    assert planned["dangling_by_cause"]["archived"] > 0
    project.done("import")
    assert across(project) == []
    project.verified()


def test_an_item_of_one_language_is_sent_no_group(stage: Stage) -> None:
    """The service gives it one, as to any story."""
    sent: list[bytes] = []
    fault = Fault(CREATE_STORY, "", at=(), before=lambda call: sent.append(call.body))
    project = stage(fault)
    fault.at = (-1,)
    project.done("import")
    bodies = [each for each in sent if b"group_id" in each]
    assert bodies == []


def test_a_later_language_joins_those_that_exist(
    stage: Stage, small_site: Path
) -> None:
    """The stories that were there keep their groups, and are not written for it."""
    project = stage(content=small_site)
    french(project, migrate=False)
    project.done("import")
    before = {slug: each.group_id for slug, each in project.stories().items()}
    french(project, migrate=True)
    planned, number = project.plan()["calls"], project.mark()
    project.done("import")
    assert project.count("update story", number) == planned["update_stories"]
    assert {slug: project.stories()[slug].group_id for slug in before} == before
    for english, other in pairs(project):
        assert alternates(project, other) == [english]
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_languages_share_a_group_after_a_kill(stage: Stage, small_site: Path) -> None:
    """Whoever of them was created before the kill."""
    fault = Fault(CREATE_STORY, CUT, at=(30,), then_dead=True)
    project = stage(fault, content=small_site)
    assert project.run("import").code != 0
    fault.over()
    project.done("import")
    for english, other in pairs(project):
        assert alternates(project, english) == [other]
    project.verified()


def test_stories_of_an_older_import_come_together_when_they_are_written(
    stage: Stage, small_site: Path
) -> None:
    """A write that is made anyway takes the group along; others are listed."""
    project = stage(content=small_site)
    project.done("prepare")
    project.done("create")
    for story in project.stories().values():
        lone(project, story.story_id)
    project.doctor("UPDATE home SET group_id = ''")
    number = project.mark()
    project.done("link")
    written = {each.subject for each in project.since(number) if each.method == "PUT"}
    together = [
        pair for pair in pairs(project) if alternates(project, pair[0]) == [pair[1]]
    ]
    assert together
    younger = {
        max(pair, key=lambda each: project.stories()[each].story_id)
        for pair in pairs(project)
    }
    assert {slug for pair in together for slug in pair} >= younger & written
    assert len(list(apart(project))) == len(pairs(project)) - len(together)


def lone(project: StagedProject, story_id: int) -> None:
    """Put a story into a group of its own, as its creation did once."""
    story = project.space.stories[story_id]
    project.space.displace(story)
    story.body["group_id"] = project.space.new_uuid()
    project.space.place(story)


def test_a_group_that_an_editor_chose_stays(stage: Stage, small_site: Path) -> None:
    """The next write leaves it alone, and the verification tells of it."""
    project = stage(content=small_site)
    project.done("import")
    _, other = pairs(project)[0]
    story = project.stories()[other]
    chosen = project.space.new_uuid()
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"group_id": chosen}})
    project.decide("design.yaml", "key: text", "key: words")
    project.done("import")
    assert project.stories()[other].content.keys() >= {"words"}
    assert project.stories()[other].group_id == chosen
    ((collection, item, locale),) = project.rows(
        "SELECT collection_id, item_id, locale_id FROM items WHERE full_slug = ?", other
    )
    assert list(apart(project)) == [f"{collection}/{item}@{locale}"]


def test_a_group_without_effect_is_listed(stage: Stage, small_site: Path) -> None:
    """Each language is named whose answer shows the group, and no alternates."""
    project = stage(content=small_site)
    project.done("import")
    assert list(apart(project)) == []
    stories = [project.stories()[path] for path in pairs(project)[0]]
    project.space.alternates[stories[0].group_id].clear()
    found = project.run("verify", "--json").document["differences"]
    assert [each["code"] for each in found] == ["languages_apart"] * 2
    assert "does not show all of them as its alternates" in found[0]["text"]


# the rule itself


KEYS = tuple(ItemKey("c", "1", locale) for locale in ("de", "en", "fr"))


def item(key: ItemKey, story_record: StoryRecord | None) -> ItemRow:
    return ItemRow(key, "", "", "", "created", "", "", "linked", "", story_record)


def story_record(number: int, group: str) -> StoryRecord:
    return StoryRecord(number, f"u{number}", "p", True, "h", "then", group_id=group)


def row(number: int, group: str) -> StoryRow:
    return StoryRow(
        story_id=number,
        uuid=f"u{number}",
        name="",
        slug="p",
        full_slug="p",
        parent_id=0,
        is_folder=False,
        is_startpage=False,
        published=False,
        unpublished_changes=False,
        updated_at="then",
        content_type="x",
        group_id=group,
    )


@pytest.mark.parametrize("selected", [*permutations(KEYS)])
def test_new_stories_share_what_derives_from_the_item(
    selected: tuple[ItemKey, ...],
) -> None:
    """In any order, and not for another item or one of one language."""
    lone_item = ItemKey("c", "2", "en")
    found = wanted_groups(NAMESPACE, [*selected, lone_item], {}, [])
    assert found == dict.fromkeys(KEYS, derived_group(NAMESPACE, KEYS[0]))
    assert derived_group(NAMESPACE, lone_item) != found[KEYS[0]]


@given(st.lists(st.sampled_from(["g", "h", "ours", ""]), min_size=3, max_size=3))
def test_all_languages_want_one_group_that_is_there_if_any_is(
    groups: list[str],
) -> None:
    """The derived one first, else the oldest story's; listed before remembered."""
    derived = derived_group(NAMESPACE, KEYS[0])
    there = [derived if group == "ours" else group for group in groups]
    rows = {
        key: item(key, story_record(number, "older"))
        for number, key in enumerate(KEYS)
        if there[number]
    }
    listed = [row(number, group) for number, group in enumerate(there) if group]
    found = wanted_groups(NAMESPACE, KEYS, rows, listed)
    assert len(set(found.values())) == 1
    present = [group for group in there if group]
    wanted = derived if derived in present or not present else present[0]
    assert set(found.values()) == {wanted}
    assert wanted_groups(NAMESPACE, reversed(KEYS), rows, reversed(listed)) == found
