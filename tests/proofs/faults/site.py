"""The site that fault cases import, decided, and what both sides do with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cmsmig.sandbox.destination.assets.asset_routes import remove
from cmsmig.sandbox.destination.space import Space
from tests.proofs.world.world import World
from tests.support.sites.exact import write_small_site

_NEW = "f" * 24
"""The id of the item that comes."""
_DECIDED = """edits:
- {kind: story, what: notes/note-3, field: '*', take: theirs, seen: ''}
- {kind: story, what: notes/note-5, field: name, take: ours, seen: ''}
- {kind: asset, what: spot-1.jpg, field: alt, take: theirs, seen: ''}
"""
_GONE = """gone:
- {from: origin, what: notes/note-20, action: delete}
"""
_RECORDS = ("stories", "by_uuid", "places", "children", "alternates", "components",
            "assets", "by_key", "asset_folders", "datasources", "entries")  # fmt: skip


def write_site(content: Path) -> None:
    """Write 30 items in two locales with relations and files; one collection has a
    field of choices, so that datasources come into it."""
    write_small_site(content)
    paths = (content / "collections").iterdir()
    path = next(
        each for each in paths if json.loads(each.read_text())["slug"] == "spots"
    )
    schema = json.loads(path.read_text())
    options = [{"name": name, "id": f"{name:0>32}"} for name in ("calm", "loud")]
    field = {"id": "e" * 32, "slug": "mood", "displayName": "Mood", "type": "Option",
             "isRequired": False, "isEditable": True, "helpText": None,
             "validations": {"options": options}}  # fmt: skip
    schema["fields"].insert(0, field)
    path.write_text(json.dumps(schema))
    for kind in ("items", "live"):
        rows = content / kind / path.name
        document = json.loads(rows.read_text())
        for number, item in enumerate(document["items"]):
            item["fieldData"]["mood"] = options[number % 2]["id"]
        rows.write_text(json.dumps(document))


def decide(one: World) -> None:
    """Pull, and decide what needs more requests: publication, folder, datasource."""
    one.decided()
    one.decide("collections.yaml", "    publish: nothing", "    publish: what_is_live")
    one.decide("design.yaml", "asset_folder: ''", "asset_folder: Old site")
    encoding = "encoding: option_datasource\n        datasource: moods\n"
    one.decide("design.yaml", "encoding: option\n", encoding)
    clean(one, {"stand still": "wait"})


def clean(one: World, replaced: Mapping[str, str]) -> None:
    """Decide which texts become others while they move."""
    reviewed = {"by": "she", "at": "2026-01-01T00:00:00+00:00", "how": "in bulk"}
    operations = [
        {"kind": "replace", "find": old, "to": new, "reviewed": reviewed}
        for old, new in replaced.items()
    ]
    path = one.folder / "decisions" / "cleaning.yaml"
    path.write_text(json.dumps({"operations": operations}))


def translate(one: World) -> None:
    """Have both languages in one story, in both layers: of some items a translation is
    not published yet."""
    one.space.languages = ("fr-fr",)
    for slug in ("la-note-1", "la-note-5"):
        one.origin(holding(text="<p>Pas encore.</p>"), "items", slug=slug)
    one.done("pull", "--refresh")
    one.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    one.decide("collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:")


def holding(**values: Any) -> Callable[[dict[str, Any]], None]:
    """Return an edit at the origin."""
    return lambda item: item["fieldData"].update(values)


def move(one: World) -> None:
    """Let both sides move after an import, and decide so that nothing waits.

    At the origin items were renamed, rewritten, added and deleted, a picture got
    another text, and a name is cleaned. Two changes are not published yet: both layers
    are mirrored. In the space an editor changed stories and a picture; the design has
    another label.
    """
    one.done("import")
    for slug in ("note-3", "note-5"):
        one.origin(holding(name="Renamed"), slug=slug)
    one.origin(holding(name="Renamed"), "items", slug="note-1")
    one.origin(holding(text="<p>Rewritten.</p>"), "items", slug="note-7")
    for slug in ("spot-1", "spot-2"):
        one.origin(_described, slug=slug)
    one.origin(lambda item: False, slug="note-20")
    for kind in ("items", "live"):
        _add_note(one, kind)
    one.origin(_referring, slug="note-9")
    one.done("pull", "--refresh")
    one.decide("conflicts.yaml", "edits: []\n", _DECIDED)
    one.decide("conflicts.yaml", "gone: []\n", _GONE)
    one.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    one.decide("design.yaml", "name: Line\n", "name: A line\n")
    clean(one, {"stand still": "wait", "Note 9": "Note nine"})
    _edit(one)


def _described(item: dict[str, Any]) -> None:
    item["fieldData"]["picture"]["alt"] = "Described again"


def _referring(item: dict[str, Any]) -> None:
    item["fieldData"]["related"] = [*item["fieldData"]["related"], _NEW]


def _add_note(one: World, kind: str) -> None:
    """Add an item before `note-2`, which it is like."""
    for name, items in one.handle.state.origin_api.content.kept.items():
        slugs = [each["fieldData"]["slug"] for each in items]
        if name.startswith(f"{kind}/") and "note-2" in slugs:
            new = copy.deepcopy(items[slugs.index("note-2")])
            new["id"], new["fieldData"]["slug"] = _NEW, "note-new"
            items.insert(slugs.index("note-2"), new)


def _edit(one: World) -> None:
    """Do what editors do in the space."""
    for path in ("notes/note-3", "notes/note-5"):
        own = one.stories()[path].story_id
        one.api("PUT", f"/stories/{own}", {"story": {"name": "Named there"}})
        # Without this it holds an unfinished edit, which an import does not publish.
        one.api("GET", f"/stories/{own}/publish")
    for asset in [*one.space.assets.values()]:
        if asset.key.endswith("/spot-1.jpg"):
            one.api("PUT", f"/assets/{asset.asset_id}", {"asset": {"alt": "Theirs"}})


def empty(space: Space) -> None:
    """Delete everything, as a person does: stories are in the trash then."""
    for story in list(space.stories.values()):
        space.displace(story)
        story.deleted_at = space.now()
    for asset in list(space.assets.values()):
        remove(space, asset)
    for name in ("components", "asset_folders", "datasources", "entries"):
        getattr(space, name).clear()


def restart(space: Space) -> None:
    """Give another space: nothing is known, and old numbers are given again."""
    for name in _RECORDS:
        getattr(space, name).clear()
    space.last_id = 0
