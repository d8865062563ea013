"""Stories that an editor merely opened and saved are not edited; edits still are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.canonical import Json, fingerprint
from cmsmig.sandbox.server import SAMPLE
from tests.support.steps.every_kind import write_every_kind
from tests.support.steps.origin_edits import Item, delete_item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

_TYPES = (
    *("text", "textarea", "markdown", "number", "datetime", "boolean", "option"),
    *("options", "multiasset", "bloks", "asset", "multilink", "richtext", "table"),
)
"""Types of the fields that a developer adds to our components."""
MODES = ("drafts", "staged", "mirror", "fields")
BARE, CHANGED = "things/bare", "things/changed"


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds") / "content"
    write_every_kind(folder)
    return folder


def opened(stage: Stage, content: Path, mode: str) -> StagedProject:
    """Return a project that publishes what is live, unless it brings drafts only."""
    languages = ("fr-fr",) if mode == "fields" else ()
    project = stage(content=content, languages=languages)
    if mode != "drafts":
        project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    if mode == "mirror":
        project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    if mode == "fields":
        project.decide(
            "collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:"
        )
    return project


@pytest.fixture
def imported(stage: Stage, every_kind: Path) -> Callable[[str], StagedProject]:
    """Return a project after an import, with a developer's fields in our components."""

    def start(mode: str = "staged") -> StagedProject:
        project = opened(stage, every_kind, mode)
        project.done("import")
        develop(project)
        return project

    return start


def develop(project: StagedProject) -> None:
    """Add a field of each type to our components, and decide that they stay."""
    project.space.plugins = frozenset({"picker"})
    project.space.unknowns = replace(project.space.unknowns, plugin_keys=("chosen",))
    for component in [*project.space.components.values()]:
        added = {f"dev_{kind}": {"type": kind} for kind in _TYPES}
        added["dev_custom"] = {"type": "custom", "field_type": "picker"}
        schema = {**component["schema"], **added}
        body = {"component": {"name": component["name"], "schema": schema}}
        project.api("PUT", f"/components/{component['id']}", body)
    project.decide_edit("*", "*", "theirs", kind="component")


def save(project: StagedProject, path: str = "") -> None:
    """Open and save a story, or all, as the visual editor does."""
    base = project.rehearsal.handle.announcement["base_url"].removesuffix("/v1")
    body = {"story_id": project.stories()[path].story_id} if path else {}
    url = f"{base}/_sandbox/open-and-save"
    answer = httpx.post(url, json=body, trust_env=False).json()
    assert len(answer["saved"]) == (1 if path else len(project.stories()))
    assert answer["refused"] == []


def changed_fields(project: StagedProject) -> set[tuple[str, str]]:
    """Return the paths and fields of stories that `changes` names."""
    found = project.done("changes", "--json").document
    return {
        (each["what"], each.get("field", ""))
        for each in (*found["origin"], *found["destination"])
        if each["what"] in project.stories()
    }


def verified_fields(project: StagedProject) -> set[tuple[str, str]]:
    """Return the paths and fields that a verification finds."""
    found = project.run("verify", "--json").document
    assert found["public_unread"] == ""
    rows = project.rows("SELECT item_id, locale_id, full_slug FROM item")
    paths = {f"{item}@{locale}": path for item, locale, path in rows}
    return {
        (paths.get(each["subject"].rpartition("/")[2], each["text"]), each["where"])
        for each in found["differences"]
    }


def kept(project: StagedProject) -> set[str]:
    """Return the paths of the stories that a rollback would leave."""
    plan = project.done("rollback", "--plan", "--json").document
    gone = {each["what"] for each in plan["objects"] if each["kind"] == "story"}
    return project.stories().keys() - gone


def insist_untouched(project: StagedProject) -> None:
    """Insist that no command takes a story for edited."""
    assert project.done("import", "--json").document["writes"] == 0
    assert project.plan()["edit_conflicts"] == []
    assert changed_fields(project) == set()
    assert verified_fields(project) == set()
    assert kept(project) == set()


@pytest.mark.parametrize("mode", MODES)
def test_a_save_without_a_change_is_no_edit(
    imported: Callable[[str], StagedProject], mode: str
) -> None:
    """Every field of a developer's was filled with its empty value, of all types."""
    project = imported(mode)
    save(project)
    held = project.stories()[BARE].content
    assert held["dev_table"]["fieldtype"] == "table"
    assert held["dev_custom"]["chosen"] == ""
    insist_untouched(project)


def test_our_own_fields_that_are_absent_are_filled_and_not_edited(
    imported: Callable[[str], StagedProject],
) -> None:
    """A script took out every empty value of a story, and an editor saved it."""
    project = imported("staged")
    story = project.stories()[BARE]
    content = {key: story.content[key] for key in ("component", "_uid")}
    body = {"story": {"content": content}}
    project.api("PUT", f"/stories/{story.story_id}", body)
    insist_untouched(project)
    save(project)
    held = project.stories()[BARE].content
    assert held["text"] == {"type": "doc", "content": [{"type": "paragraph"}]}
    assert held["open"] is False
    insist_untouched(project)


def test_no_story_of_the_sample_site_is_edited_by_a_save(stage: Stage) -> None:
    """All collections, languages and states, visitors' versions apart."""
    project = opened(stage, SAMPLE, "mirror")
    project.done("import")
    develop(project)
    save(project)
    insist_untouched(project)


TEXT = {"type": "text", "text": "Edited"}
DOCUMENT = {"type": "doc", "content": [{"type": "paragraph", "content": [TEXT]}]}


def _in_block(body: Any, component: str, **values: Json) -> Any:
    """Return a document with other values in its blocks of a component."""
    changed = json.loads(json.dumps(body))
    for node in changed["content"]:
        for block in node.get("attrs", {}).get("body", ()):
            if block["component"] == component:
                block.update(values)
    return changed


def _cell(table: Any) -> Any:
    changed = json.loads(json.dumps(table))
    changed["tbody"][0]["body"][1]["value"] = "x"
    return changed


EDITS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a text": ("line", lambda old: f"{old}!"),
    "a text is emptied": ("line", lambda old: ""),
    "a long text": ("lines", lambda old: "One line"),
    "a number": ("size", lambda old: "0"),
    "a date": ("day", lambda old: "2024-05-02 00:00"),
    "true becomes false": ("open", lambda old: False),
    "an option is taken away": ("mood", lambda old: ""),
    "a list in another order": ("related", lambda old: old[::-1]),
    "a list is emptied": ("related", lambda old: []),
    "a relation": ("next", lambda old: ""),
    "an asset's text": ("picture", lambda old: {**old, "alt": "Other"}),
    "an asset is taken away": (
        "paper",
        lambda old: {**old, "id": None, "filename": ""},
    ),
    "assets in another order": ("views", lambda old: old[::-1]),
    "a link": ("website", lambda old: {**old, "url": "https://example.com/"}),
    "an empty paragraph": (
        "text",
        lambda old: {**old, "content": [*old["content"], {"type": "paragraph"}]},
    ),
    "a document is emptied": (
        "text",
        lambda old: {"type": "doc", "content": [{"type": "paragraph"}]},
    ),
    "a field of a block in a document": (
        "text",
        lambda old: _in_block(old, "figure", alignment="left"),
    ),
    "a document in a block in a document": (
        "text",
        lambda old: _in_block(old, "figure", caption=DOCUMENT),
    ),
    "a field that a block in a document lacked": (
        "text",
        lambda old: _in_block(old, "html_embed", dev_boolean=True),
    ),
    "a developer's number": ("dev_number", lambda old: "0"),
    "a developer's switch": ("dev_boolean", lambda old: True),
    "a developer's document": ("dev_richtext", lambda old: DOCUMENT),
    "a developer's table": ("dev_table", _cell),
    "a developer's blocks": (
        "dev_bloks",
        lambda old: [
            {"component": "figure", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}
        ],
    ),
    "a plugin's value": ("dev_custom", lambda old: {**old, "chosen": "a"}),
    "a developer's link": ("dev_multilink", lambda old: {**old, "anchor": "part"}),
}


def test_each_kind_of_edit_is_named_and_kept(
    imported: Callable[[str], StagedProject],
) -> None:
    """One story each; exactly those, in conflicts, changes, verification, rollback."""
    project = imported("staged")
    save(project)
    named = set()
    for number, (key, change) in enumerate(EDITS.values()):
        path = f"things/thing-{number}"
        project.edit(path, **{key: change(project.stories()[path].content[key])})
        named.add((path, key))
    before = {path: project.stories()[path].content for path, _ in named}
    assert changed_fields(project) == {(path, f"content.{key}") for path, key in named}
    older = {(path, "published") for path, _ in named}
    assert verified_fields(project) == named | older
    assert kept(project) == {path for path, _ in named}
    assert project.done("import", "--json").document["writes"] == 0
    change_lines(project, "New at the origin")
    plan = project.plan()["edit_conflicts"]
    waiting = {(each["what"], each["field"]) for each in plan}
    assert waiting == {(path, "content.line") for path, key in named if key == "line"}
    project.run("import")
    for path, key in named:
        assert project.stories()[path].content[key] == before[path][key]


def change_lines(
    project: StagedProject,
    line: str,
    slug: str = "thing-",
    folders: tuple[str, ...] = (),
) -> None:
    """Change a text of the items whose slugs begin so, at the origin."""

    def change(item: Item) -> Item:
        data = item["fieldData"]
        is_meant = data["slug"].startswith(slug)
        return {**item, "fieldData": {**data, "line": line}} if is_meant else item

    edit_items(project, change, folders)


def test_an_import_writes_to_saved_stories_without_a_conflict(
    imported: Callable[[str], StagedProject],
) -> None:
    """What the origin changed arrives, and is published with the rest."""
    project = imported("staged")
    save(project)
    change_lines(project, "New at the origin")
    assert project.plan()["edit_conflicts"] == []
    assert project.done("import", "--json").document["writes"] > 0
    assert project.stories()["things/thing-3"].content["line"] == "New at the origin"
    insist_untouched(project)


def test_a_default_value_that_the_editor_fills_in_is_kept(
    imported: Callable[[str], StagedProject],
) -> None:
    """Whether the editor does so is unknown: then it is a value, which is named."""
    project = imported("drafts")
    project.space.unknowns = replace(project.space.unknowns, editor_fills_defaults=True)
    thing = project.space.component("thing")
    added = {"dev_default": {"type": "text", "default_value": "x"}}
    body = {"name": "thing", "schema": {**thing["schema"], **added}}
    project.api("PUT", f"/components/{thing['id']}", {"component": body})
    save(project, BARE)
    assert changed_fields(project) == {(BARE, "content.dev_default")}
    assert project.done("import", "--json").document["writes"] == 0
    assert kept(project) == {BARE}
    assert project.stories()[BARE].content["dev_default"] == "x"


def test_saved_drafts_are_published_once_that_is_decided(
    imported: Callable[[str], StagedProject],
) -> None:
    """They hold nobody's unfinished edits."""
    project = imported("drafts")
    save(project)
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    shown = [each for each in project.stories().values() if each.published is not None]
    assert len(shown) == len(project.stories()) - 1
    insist_untouched(project)


def test_a_saved_story_of_a_deleted_item_is_deleted_with_it(
    imported: Callable[[str], StagedProject],
) -> None:
    """As decided; one that somebody edited stays."""
    project = imported("drafts")
    save(project)
    project.edit("things/later", line="Edited")
    for slug in ("bare", "later"):
        delete_item(project, slug)
    project.decide_gone("*", "delete", "origin")
    project.run("import")
    assert {BARE, "things/later"} & project.stories().keys() == {"things/later"}


def test_a_save_does_not_outdate_a_plan(
    imported: Callable[[str], StagedProject],
) -> None:
    """A plan holds after a save without an edit; an edit is named as a drift."""
    project = imported("staged")
    change_lines(project, "New at the origin")
    shown = project.plan()["hash"]
    save(project)
    project.edit("things/thing-3", lines="Edited")
    refused = project.run("import", "--plan", shown)
    assert refused.code == 1
    assert refused.err.count("was edited") == 1
    assert "destination: story things/thing-3 was edited" in refused.err
    project.edit("things/thing-3", lines="Two\nlines")
    project.done("import", "--plan", shown)
    insist_untouched(project)


def test_only_what_visitors_do_not_get_is_older(
    imported: Callable[[str], StagedProject],
) -> None:
    """A name that an editor changed and did not publish; the others were saved only."""
    project = imported("staged")
    save(project)
    story = project.stories()["things/thing-4"]
    body = {"story": {"name": "Renamed"}}
    project.api("PUT", f"/stories/{story.story_id}", body)
    expected = {("things/thing-4", "name"), ("things/thing-4", "published")}
    assert verified_fields(project) == expected
    project.api("GET", f"/stories/{story.story_id}/publish")
    assert verified_fields(project) == {("things/thing-4", "name")}


@pytest.mark.parametrize("mode", ["staged", "fields"])
def test_a_lost_ledger_is_made_anew_of_saved_stories(
    imported: Callable[[str], StagedProject], mode: str
) -> None:
    """All of them are ours and unedited; nothing is written or published again."""
    project = imported(mode)
    save(project)
    for path in project.folder.glob("ledger.sqlite*"):
        path.unlink()
    found = project.done("rebuild", "--json").document
    assert found["edited"] == []
    assert project.done("import", "--json").document["writes"] == 0


def test_a_decision_about_an_empty_field_outlives_a_save(
    imported: Callable[[str], StagedProject],
) -> None:
    """Absent, then empty: the same edit, which was decided to stay."""
    project = imported("drafts")
    path = "things/thing-5"
    story = project.stories()[path]
    content = {key: each for key, each in story.content.items() if key != "line"}
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"content": content}})
    change_lines(project, "New at the origin")
    [conflict] = project.plan()["edit_conflicts"]
    project.decide_edit(path, "content.line", "theirs", conflict["seen"])
    save(project)
    assert project.plan()["edit_conflicts"] == []
    project.done("import")
    assert project.stories()[path].content["line"] == ""
    assert verified_fields(project) == set()


def earlier_form(value: Json) -> Json:
    """Return content as an earlier release fingerprinted it."""
    if isinstance(value, list):
        return [earlier_form(each) for each in value]
    if not isinstance(value, dict):
        return value
    naming = {
        "asset": ("id", "filename"),
        "multilink": ("id", "url", "cached_url", "email", "anchor"),
    }.get(str(value.get("fieldtype")))
    if naming and all(value.get(name) in (None, "", []) for name in naming):
        return None
    is_story = (value.get("fieldtype"), value.get("linktype")) == ("multilink", "story")
    left_out = ("_editable", *(("cached_url", "url") if is_story else ()))
    formed = {name: earlier_form(value[name]) for name in value if name not in left_out}
    return {name: each for name, each in formed.items() if each not in (None, "", [])}


@pytest.mark.parametrize("mode", ["mirror", "fields"])
def test_the_ledger_of_an_earlier_release_makes_no_story_look_changed(
    stage: Stage,
    every_kind: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
) -> None:
    """Its fingerprints are others: of switches, empty documents, paragraphs."""
    project = opened(stage, every_kind, mode)
    with monkeypatch.context() as earlier:
        module = "cmsmig.reconcile.rules.story_hashes"
        earlier.setattr(f"{module}.comparable", earlier_form)
        project.done("import")
    (project.folder / "derived.sqlite").unlink()
    [(held,)] = project.rows("SELECT content_hash FROM home WHERE full_slug = ?", BARE)
    assert held == fingerprint(earlier_form(project.stories()[BARE].content))
    plan = project.plan()
    assert plan["calls"]["update_stories"] == 0
    assert plan["calls"].get("publish_stories", 0) == 0
    assert plan["calls"].get("show_versions", 0) == 0
    insist_untouched(project)
    develop(project)
    save(project)
    insist_untouched(project)
    change_lines(project, "New at the origin")
    change_lines(project, "Published anew", "changed", ("live",))
    project.done("import")
    assert verified_fields(project) == set()
    if mode == "mirror":
        visible = project.stories()[CHANGED].published_content
        assert visible["line"] == "Published anew"


def test_every_block_that_is_sent_has_a_uid(
    imported: Callable[[str], StagedProject],
) -> None:
    """So that a save of the service has none to make."""
    project = imported("staged")

    def blocks(value: Any) -> list[dict[str, Any]]:
        if isinstance(value, list):
            return [found for each in value for found in blocks(each)]
        if not isinstance(value, dict):
            return []
        own = [value] if "component" in value else []
        return own + [found for each in value.values() for found in blocks(each)]

    found = [
        each for story in project.stories().values() for each in blocks(story.content)
    ]
    used = {each["component"] for each in found}
    assert used == {"thing", "embed", "figure", "html_embed"}
    assert all(each["_uid"] for each in found)
