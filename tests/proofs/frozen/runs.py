"""The runs: scripted days of work on both sides, each on a site of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cmsmig.sandbox.server import SAMPLE
from tests.proofs.frozen.stage import Stage
from tests.support.sites.exact import write_load_site
from tests.support.steps.every_kind import write_every_kind
from tests.support.steps.item_states import SLUGS, write_states
from tests.support.steps.origin_edits import write_items
from tests.support.tiny_site import write_tiny_site

Script = Callable[[Stage], None]
_LOOKS = ("plan", "changes", "verify", "rollback --plan", "status")
_FRENCH = {"languages": ("fr-fr",)}
_OPTION = "encoding: option\n"
_DATASOURCE = "encoding: option_datasource\n        datasource: moods\n"


@dataclass(frozen=True)
class Run:
    """A site, a script, and what the space is like."""

    script: Script
    write: Callable[[Path], object] = write_tiny_site
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: bool = True
    """Whether commands are also run for their texts, which takes twice as long."""


write_records = partial(write_load_site, items=12, images=4)
copy_sample = partial(shutil.copytree, SAMPLE, dirs_exist_ok=True)


def write_things(folder: Path) -> None:
    """Write eleven of the items with a field of every kind; some references dangle."""
    write_every_kind(folder)
    for path in (*folder.glob("items/*"), *folder.glob("live/*")):
        items = json.loads(path.read_text())["items"]
        write_items(path, [*items[:8], *items[-3:]])


# what several scripts do


def decided(
    stage: Stage, *, items: str = "staged", publish: bool = True, fields: bool = False
) -> None:
    """Pull and decide; languages are `fields` of one story, or folders."""
    stage.do("pull")
    stage.do("decide", "--accept-proposals", "--reviewer", "a tester")
    stage.decide("collections.yaml", "items: staged\n", f"items: {items}\n")
    if publish:
        stage.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    if fields:
        stage.decide("collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:")


def migrated(stage: Stage, **choices: Any) -> None:
    """Pull, decide and import."""
    decided(stage, **choices)
    stage.do("import")


def looked(stage: Stage) -> None:
    """Run every command that only reads."""
    for each in _LOOKS:
        stage.do(*each.split())


def delta(stage: Stage) -> None:
    """Bring what moved at the origin, look, import twice, look."""
    stage.do("pull", "--refresh")
    looked(stage)
    stage.do("import")
    stage.do("import")
    stage.do("verify")


def holding(**values: Any) -> Callable[[dict[str, Any]], None]:
    """Return an edit at the origin."""
    return lambda item: item["fieldData"].update(values)


def grown(stage: Stage, slug: str) -> None:
    """Add a field to the first collection at the origin, like its first line."""
    (path,) = (stage.world.folder / "content" / "collections").glob("*.json")
    schema = json.loads(path.read_text())
    like = next(each for each in schema["fields"] if each["type"] == "PlainText")
    schema["fields"].insert(0, {**like, "slug": slug, "displayName": slug,
                                "id": f"{len(schema['fields']):032}"})  # fmt: skip
    path.write_text(json.dumps(schema))
    stage.origin(holding(**{slug: "A value"}))


def gone(_: object) -> bool:
    """Delete an item at the origin."""
    return False


def save(stage: Stage, path: str, **story: Any) -> None:
    """Save a story as an editor does."""
    own = stage.stories()[path].story_id
    stage.api("PUT", f"/stories/{own}", {"story": story})


def shown(stage: Stage, path: str, how: str) -> None:
    """Publish or unpublish a story."""
    stage.api("GET", f"/stories/{stage.stories()[path].story_id}/{how}")


def labelled(stage: Stage, name: str, label: str) -> None:
    """Give a component another label, as a developer does."""
    component = stage.space.component(name)
    body = {"component": {"display_name": label}}
    stage.api("PUT", f"/components/{component['id']}", body)


def described(stage: Stage, alt: str) -> None:
    """Give the first file another alternative text."""
    own = min(stage.space.assets)
    stage.api("PUT", f"/assets/{own}", {"asset": {"alt": alt}})


def folder(stage: Stage, name: str, parent: int = 0) -> int:
    """Make a folder as an editor does."""
    body = {"name": name, "slug": name, "is_folder": True, "parent_id": parent}
    return int(stage.api("POST", "/stories", {"story": body})["story"]["id"])


# the scripts


def first(stage: Stage) -> None:
    """A first migration, step by step, and again."""
    stage.do("check")
    decided(stage)
    for each in ("plan", "prepare", "create", "link", "publish", "import", "import"):
        stage.do(each)
    looked(stage)


def whole(stage: Stage) -> None:
    """Some days on any site: the first and last items and stories move."""
    decided(stage)
    stage.do("plan")
    stage.do("import")
    stage.day("items are renamed and deleted, stories edited and deleted")
    paths = sorted(stage.stories())
    save(stage, paths[0], name="Named there")
    stage.delete(paths[1])
    shown(stage, paths[2], "unpublish")
    slugs = sorted({story.slug for story in stage.stories().values()})
    stage.origin(holding(name="Renamed"), slug=slugs[0])
    stage.origin(gone, slug=slugs[-1])
    delta(stage)
    stage.day("decisions")
    stage.decide_edit("*", "*", "ours")
    stage.decide_gone("*", "recreate")
    stage.decide_gone("*", "delete", "origin")
    stage.do("import")
    looked(stage)


def editors(stage: Stage) -> None:
    """Editors change everything that a story has; the origin changes the same items."""
    migrated(stage)
    stage.day("editors at work")
    at = "records/record-{}".format
    other = folder(stage, "other")
    save(stage, at(1), name="Named there")
    save(stage, at(2), slug="moved-there")
    save(stage, at(3), parent_id=other)
    save(stage, at(4), tag_list=["theirs"])
    stage.edit(at(5), position="99")
    save(stage, at(6), first_published_at="2020-01-01T00:00:00.000Z")
    save(stage, at(7), publish_at="2031-06-01T00:00:00.000Z")
    shown(stage, at(8), "unpublish")
    stage.edit(at(9), text=stage.stories()[at(10)].content["text"])
    shown(stage, at(9), "publish")
    stage.delete(at(10))
    save(stage, at(11), pinned=True)
    described(stage, "Described there")
    labelled(stage, "record", "Entry")
    looked(stage)
    stage.do("import")
    stage.day("the origin changes the same items")
    stage.origin(holding(name="Renamed", text="<p>Rewritten.</p>"))
    delta(stage)
    stage.day("the editor takes the deletion back")
    stage.decide_gone(at(10), "recreate")
    stage.do("import")
    looked(stage)


def conflicts(stage: Stage) -> None:
    """Both sides change the same; each side is taken, once as shown, once always."""
    migrated(stage)
    stage.day("both sides change the same")
    at = "records/record-{}".format
    for number in range(1, 7):
        save(stage, at(number), name=f"Named there {number}")
        stage.edit(at(number), position=f"{number}0")
    labelled(stage, "record", "Entry")
    stage.origin(holding(name="Renamed", position=7))
    stage.decide("design.yaml", "display_name: Record\n", "display_name: A record\n")
    delta(stage)
    stage.day("decisions")
    waiting = stage.run("plan", "--json").document["edit_conflicts"]
    seen = {(each["what"], each["field"]): each["seen"] for each in waiting}
    name, position = "name", "content.position"
    stage.decide_edit(at(1), name, "ours")
    stage.decide_edit(at(2), name, "theirs")
    stage.decide_edit(at(3), name, "ours", seen.get((at(3), name), ""))
    stage.decide_edit(at(4), name, "theirs", seen.get((at(4), name), ""))
    stage.decide_edit(at(5), "*", "ours")
    stage.decide_edit("*", position, "theirs")
    stage.decide_edit("record", "display_name", "ours", kind="component")
    stage.do("import")
    looked(stage)
    stage.day("what was decided about is edited again")
    save(stage, at(3), name="Named once more")
    save(stage, at(4), name="Named once more")
    stage.origin(holding(name="Named at last"))
    delta(stage)


def gone_items(stage: Stage) -> None:
    """Items and stories are deleted; every action is decided."""
    migrated(stage)
    stage.day("items are deleted at the origin")
    at = "records/record-{}".format
    for number in (1, 2, 3, 4, 5):
        stage.origin(gone, slug=f"record-{number}")
    stage.edit(at(4), position="99")
    save(stage, at(5), publish_at="2031-06-01T00:00:00.000Z")
    delta(stage)
    stage.decide_gone(at(1), "keep", "origin")
    stage.decide_gone(at(2), "unpublish", "origin")
    stage.decide_gone("*", "delete", "origin")
    stage.do("import")
    looked(stage)
    stage.day("stories, files and the component are deleted at the destination")
    stage.delete(at(7))
    stage.delete(at(8))
    stage.delete(at(9))
    stage.api("DELETE", f"/assets/{min(stage.space.assets)}")
    delta(stage)
    stage.decide_gone(at(7), "recreate")
    stage.decide_gone(at(8), "leave_out")
    stage.do("import")
    stage.do("import", "--recreate")
    looked(stage)
    stage.api("DELETE", f"/components/{stage.space.component('record')['id']}")
    stage.do("import")
    stage.do("import", "--recreate")
    looked(stage)


def moves(stage: Stage) -> None:
    """Slugs and folders change on both sides; two items swap their slugs."""
    migrated(stage)
    stage.day("slugs change")
    at = "records/record-{}".format
    for old, new in (("1", "x"), ("2", "1"), ("x", "2"), ("3", "3-new")):
        slugs = f"record-{old}", f"record-{new}"
        stage.origin(holding(slug=slugs[1]), slug=slugs[0])
    save(stage, at(5), slug="moved-there")
    save(stage, at(6), parent_id=folder(stage, "other"))
    delta(stage)
    stage.day("ours is decided for slugs")
    stage.decide_edit("*", "slug", "ours")
    stage.do("import")
    stage.do("import")
    looked(stage)
    stage.day("another folder in the design, a folder renamed there")
    own = next(each.story_id for each in stage.space.stories.values()
               if each.is_folder and each.slug == "records")  # fmt: skip
    stage.api("PUT", f"/stories/{own}", {"story": {"name": "Their name"}})
    looked(stage)
    stage.decide("design.yaml", "folder: records\n", "folder: archive\n")
    stage.decide_edit("*", "folder", "ours")
    stage.do("plan")
    stage.do("import")
    stage.do("import")
    looked(stage)


def shaped(stage: Stage) -> None:
    """Folders, tags and a start page by fields; an item goes to another folder."""
    decided(stage)
    stage.decide("design.yaml", "    fields:\n",
                 "    folder_by: next\n    tags_by: mood\n    start_page: bare\n"
                 "    fields:\n")  # fmt: skip
    stage.do("plan")
    stage.do("import")
    stage.day("items go to other folders, tags change on both sides")
    data = stage.world.handle.state.naming.origin.content
    things = data.items(str(data.collections[0]["id"]), live=False)
    values = things[2]["fieldData"]
    stage.origin(holding(next=values["next"], mood=None), slug="thing-0")
    save(stage, sorted(stage.stories())[5], tag_list=["theirs"])
    delta(stage)


def pilot(stage: Stage) -> None:
    """A pilot, another one, and then all."""
    decided(stage)
    for each in ("--limit 2", "--collection spots", "--collection notes --locale fr"):
        stage.do("plan", *each.split())
        stage.do("import", *each.split())
        stage.do("verify")
    stage.day("the origin moves between pilot and whole")
    stage.origin(holding(name="Renamed"), slug="note-0")
    delta(stage)


def translated(stage: Stage, *, fields: bool) -> None:
    """Two languages; both sides change what only one of them has."""
    migrated(stage, fields=fields)
    stage.day("both sides change the other language")
    path = "notes/note-0" if fields else "fr/notes/la-note"
    save(stage, path, name="Nommée ailleurs", translated_slugs_attributes=[
        {"lang": "fr-fr", "slug": "la-note", "name": "Nommée là"}])  # fmt: skip
    stage.origin(holding(name="Une autre note", slug="la-note-2"), slug="la-note")
    stage.origin(holding(name="Renamed"), slug="note-0")
    delta(stage)
    stage.day("ours is decided; the item is no longer translated")
    stage.decide_edit("*", "*", "ours")
    stage.do("import")
    stage.origin(gone, slug="la-note-2")
    delta(stage)


def states(stage: Stage, *, items: str) -> None:
    """Items in each state of publication, from one of the sets."""
    migrated(stage, items=items)
    looked(stage)
    stage.day("the live and the staged set move, editors edit")
    stage.origin(holding(text="<p>Live.</p>"), "live", slug=SLUGS["changed"])
    stage.origin(holding(text="<p>Staged.</p>"), "items", slug=SLUGS["published"])
    paths = sorted(stage.stories())
    save(stage, paths[0], name="Named there")
    save(stage, paths[-1], tag_list=["theirs"])
    delta(stage)
    stage.day("an unpublished page, decisions")
    shown(stage, paths[0], "unpublish")
    stage.origin(gone, "live", slug=SLUGS["published"])
    delta(stage)
    stage.decide_edit("*", "published", "ours")
    stage.decide_edit("*", "name", "ours")
    stage.do("import")
    looked(stage)


def rolled_back(stage: Stage) -> None:
    """A part is taken back, then all; what was edited stays until it is decided."""
    folder(stage, "theirs")
    migrated(stage)
    stage.day("edits, and a part is taken back")
    save(stage, "notes/note-1", name="Named there")
    save(stage, "notes/note-2", tag_list=["theirs"])
    described(stage, "Described there")
    stage.do("rollback", "--collection", "spots")
    stage.do("import")
    stage.do("rollback", "--plan")
    stage.do("rollback")
    looked(stage)
    stage.day("ours is decided")
    for kind in ("story", "asset"):
        stage.decide_edit("*", "*", "ours", kind=kind)
        stage.do("rollback")
    stage.do("rollback")
    stage.do("import")


def rebuilt(stage: Stage, **choices: Any) -> None:
    """The ledger is lost after editors edited."""
    migrated(stage, **choices)
    stage.day("edits, then the ledger is lost")
    paths = sorted(stage.stories())
    stage.edit(paths[0], text=stage.stories()[paths[2]].content["text"])
    save(stage, paths[0], name="Named there")
    save(stage, paths[1], slug="moved-there")
    save(stage, paths[2], tag_list=["theirs"])
    shown(stage, paths[3], "unpublish")
    stage.delete(paths[4])
    described(stage, "Described there")
    for path in stage.folder.glob("ledger.*"):
        path.unlink()
    stage.do("plan")
    stage.do("rebuild")
    looked(stage)
    stage.do("import")
    stage.day("the origin moves")
    stage.origin(holding(name="Renamed"))
    delta(stage)
    stage.do("rollback")


def killed(
    stage: Stage, *, at: int, applied: bool, edit: bool = False, **choices: Any
) -> None:
    """An import is killed at a write; perhaps an editor edits, then it runs again."""
    decided(stage, **choices)
    stage.killed(at, "import", applied=applied)
    if edit:
        for path in stage.stories():
            save(stage, path, name="Named there")
    looked(stage)
    stage.do("import")
    stage.do("import")
    stage.do("verify")


def killed_rollback(stage: Stage) -> None:
    """A rollback is killed, an import is after it, and that is rolled back."""
    migrated(stage)
    stage.killed(4, "rollback")
    stage.do("rollback", "--plan")
    stage.do("import")
    stage.do("rollback")


def foreign(stage: Stage) -> None:
    """Components, a datasource and a story of others have our names."""
    decided(stage)
    stage.decide("design.yaml", _OPTION, _DATASOURCE)
    schema = {"line": {"type": "number", "pos": 0}}
    for name in ("thing", "figure"):
        component = {"name": name, "display_name": name, "schema": schema,
                     "is_root": name == "thing"}  # fmt: skip
        stage.api("POST", "/components", {"component": component})
    stage.datasource("moods", "Calm")
    own = folder(stage, "things")
    story = {"name": "Theirs", "slug": "thing-1", "parent_id": own,
             "content": {"component": "thing"}}  # fmt: skip
    stage.api("POST", "/stories", {"story": story})
    stage.do("plan")
    stage.do("import")
    stage.day("names of our own, and decisions")
    stage.decide("design.yaml", "component: thing\n", "component: our_thing\n")
    stage.decide("design.yaml", "component: figure\n", "component: our_figure\n")
    stage.do("plan")
    stage.decide("design.yaml", "datasource: moods\n", "datasource: our_moods\n")
    stage.do("plan")
    stage.do("import")
    stage.decide_conflict("things/thing-1", "rename", "thing-one")
    stage.do("import")
    looked(stage)
    stage.do("rollback")


def redesigned(stage: Stage) -> None:
    """The design changes after an import; developers change components too."""
    migrated(stage)
    stage.day("labels and fields change")
    stage.decide("design.yaml", "display_name: Line\n", "display_name: A line\n")
    labelled(stage, "thing", "Their thing")
    delta(stage)
    stage.day("choices come from a datasource, which others edit")
    stage.decide("design.yaml", _OPTION, _DATASOURCE)
    delta(stage)
    entry = min(stage.space.entries)
    body = {"datasource_entry": {"name": "Their label"}}
    stage.api("PUT", f"/datasource_entries/{entry}", body)
    delta(stage)
    stage.day("the origin has one more field")
    grown(stage, "remark")
    delta(stage)
    stage.do("decide", "--accept-proposals", "--reviewer", "a tester")
    delta(stage)
    stage.day("another component")
    stage.decide("design.yaml", "component: thing\n", "component: matter\n")
    delta(stage)


RUNS: Mapping[str, Run] = {
    "first": Run(first, write_things),
    "sample": Run(whole, copy_sample),
    "editors": Run(editors, write_records),
    "conflicts": Run(conflicts, write_records),
    "gone": Run(gone_items, write_records),
    "moves": Run(moves, write_records),
    "shaped": Run(shaped, write_things),
    "pilot": Run(pilot),
    "folders": Run(partial(translated, fields=False)),
    "fields": Run(partial(translated, fields=True), options=_FRENCH),
    **{
        each: Run(partial(states, items=each), write_states)
        for each in ("live", "staged", "staged_published_only", "mirror")
    },
    "rollback": Run(rolled_back),
    "rebuild": Run(rebuilt, write_records),
    "rebuild-mirror": Run(partial(rebuilt, items="mirror"), write_states),
    "rebuild-fields": Run(partial(rebuilt, fields=True), options=_FRENCH),
    **{
        f"kill-{at}-{'applied' if applied else 'unsent'}": Run(
            partial(killed, at=at, applied=applied)
        )
        for at, applied in ((2, True), (9, False), (12, True), (18, True), (24, False))
    },
    **{
        f"kill-{at}-edited": Run(partial(killed, at=at, applied=True, edit=True))
        for at in (18, 24)
    },
    **{
        f"kill-mirror-{at}": Run(
            partial(killed, at=at, applied=True, edit=True, items="mirror"),
            write_states,
        )
        for at in (16, 20, 24)
    },
    "kill-rollback": Run(killed_rollback),
    "foreign": Run(foreign, write_things),
    "redesigned": Run(redesigned, write_things),
}
