"""What both sides do in the scripted runs, by the words of `runs.yaml`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.proofs.frozen.stage import Stage
from tests.support.steps.item_states import SLUGS

SCRIPTS: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_name("runs.yaml").read_text(encoding="utf-8")
)


def play(stage: Stage, steps: Sequence[Any]) -> None:
    """Do the steps, one after the other."""
    for step in steps:
        if isinstance(step, str) and step in SCRIPTS["parts"]:
            play(stage, SCRIPTS["parts"][step])
        elif isinstance(step, str):
            DEEDS[step](stage)
        else:
            _do(stage, step)


def _do(stage: Stage, step: Mapping[str, Any]) -> None:
    for word, given in step.items():
        if word in ("do", "day"):
            lines = [given] if isinstance(given, str) else given
            act = stage.command if word == "do" else stage.day
            for line in lines:
                act(line)
        elif isinstance(given, Mapping):
            DEEDS[word](stage, **given)
        else:
            stage.decide(*given)


def name_paths(stage: Stage) -> None:
    """Name the stories by numbers from here on."""
    stage.named["paths"] = sorted(stage.stories())


def path_of(stage: Stage, at: str | int) -> str:
    """Return the path that a step names."""
    return stage.named["paths"][at] if isinstance(at, int) else at


def origin(
    stage: Stage,
    slug: str = "",
    *,
    nth: int | None = None,
    state: str = "",
    sets: Sequence[str] = (),
    hold: Mapping[str, Any] | None = None,
    next_of: str = "",
    gone: bool = False,
) -> None:
    """Change the items of a slug at the origin, or all; they hold values, or are gone.

    `nth` names one of the slugs that stories have, `state` that of an item in it.
    """
    if nth is not None:
        slug = sorted({story.slug for story in stage.stories().values()})[nth]
    values = dict(hold or {})
    if next_of:
        values["next"] = item_of(stage, next_of)["next"]

    def change(item: dict[str, Any]) -> bool:
        item["fieldData"].update(values)
        return not gone

    stage.origin(change, *sets, slug=SLUGS[state] if state else slug)


def item_of(stage: Stage, slug: str) -> dict[str, Any]:
    """Return the fields of an item at the origin."""
    content = stage.rehearsal.handle.state.naming.origin.content
    items = content.items(str(content.collections[0]["id"]), live=False)
    found = [each["fieldData"] for each in items if each["fieldData"]["slug"] == slug]
    return found[0]


def grow(stage: Stage, slug: str) -> None:
    """Add a field to the first collection at the origin, like its first line."""
    (path,) = (stage.work.parent / "content" / "collections").glob("*.json")
    schema = json.loads(path.read_text())
    like = next(each for each in schema["fields"] if each["type"] == "PlainText")
    schema["fields"].insert(0, {**like, "slug": slug, "displayName": slug,
                                "id": f"{len(schema['fields']):032}"})  # fmt: skip
    path.write_text(json.dumps(schema))
    origin(stage, hold={slug: "A value"})


def save(stage: Stage, at: str | int, into: str = "", **story: Any) -> None:
    """Save a story as an editor does."""
    if into:
        story["parent_id"] = stage.named[into]
    own = stage.stories()[path_of(stage, at)].story_id
    stage.api("PUT", f"/stories/{own}", {"story": story})


def save_all(stage: Stage, **story: Any) -> None:
    """Save every story as an editor does."""
    for path in stage.stories():
        save(stage, path, **story)


def edit(stage: Stage, at: str | int, text_of: str | int = "", **content: Any) -> None:
    """Edit the content of a story; it may get the text of another one."""
    if text_of != "":
        content["text"] = stage.stories()[path_of(stage, text_of)].content["text"]
    stage.edit(path_of(stage, at), **content)


def show(stage: Stage, at: str | int, how: str) -> None:
    """Publish or unpublish a story."""
    own = stage.stories()[path_of(stage, at)].story_id
    stage.api("GET", f"/stories/{own}/{how}")


def delete(stage: Stage, at: str | int) -> None:
    """Delete a story as an editor does."""
    stage.delete(path_of(stage, at))


def delete_file(stage: Stage) -> None:
    """Delete the first file."""
    stage.api("DELETE", f"/assets/{min(stage.space.assets)}")


def describe(stage: Stage, alt: str) -> None:
    """Give the first file another alternative text."""
    own = min(stage.space.assets)
    stage.api("PUT", f"/assets/{own}", {"asset": {"alt": alt}})


def folder(stage: Stage, name: str) -> None:
    """Make a folder as an editor does."""
    body = {"name": name, "slug": name, "is_folder": True, "parent_id": 0}
    made = stage.api("POST", "/stories", {"story": body})["story"]
    stage.named[name] = int(made["id"])


def rename_folder(stage: Stage, slug: str, name: str) -> None:
    """Give a folder another name."""
    folders = [each for each in stage.space.stories.values() if each.is_folder]
    own = next(each.story_id for each in folders if each.slug == slug)
    stage.api("PUT", f"/stories/{own}", {"story": {"name": name}})


def story(stage: Stage, name: str, slug: str, into: str, component: str) -> None:
    """Make a story as an editor does."""
    body = {"name": name, "slug": slug, "parent_id": stage.named[into],
            "content": {"component": component}}  # fmt: skip
    stage.api("POST", "/stories", {"story": body})


def component(stage: Stage, name: str, *, is_root: bool) -> None:
    """Make a component as a developer does."""
    schema = {"line": {"type": "number", "pos": 0}}
    body = {"name": name, "display_name": name, "schema": schema, "is_root": is_root}
    stage.api("POST", "/components", {"component": body})


def label(stage: Stage, component: str, label: str) -> None:
    """Give a component another label, as a developer does."""
    own = stage.space.component(component)["id"]
    body = {"component": {"display_name": label}}
    stage.api("PUT", f"/components/{own}", body)


def delete_component(stage: Stage, name: str) -> None:
    """Delete a component as a developer does."""
    stage.api("DELETE", f"/components/{stage.space.component(name)['id']}")


def datasource(stage: Stage, slug: str, entries: Sequence[str]) -> None:
    """Make a datasource as a developer does."""
    stage.datasource(slug, *entries)


def label_entry(stage: Stage, name: str) -> None:
    """Give the first entry of a datasource another label."""
    body = {"datasource_entry": {"name": name}}
    stage.api("PUT", f"/datasource_entries/{min(stage.space.entries)}", body)


def read_plan(stage: Stage) -> None:
    """Look at the values of fields that wait for a decision."""
    waiting = stage.run("plan", "--json").document["edit_conflicts"]
    stage.named["seen"] = {(e["what"], e["field"]): e["seen"] for e in waiting}


def decide_shown(stage: Stage, what: str, field: str, take: str) -> None:
    """Decide about a field as it was shown, once."""
    seen = stage.named["seen"].get((what, field), "")
    stage.decide_edit(what, field, take, seen)


def lose_ledger(stage: Stage) -> None:
    """Lose the ledger."""
    for path in stage.folder.glob("ledger.*"):
        path.unlink()


def kill(
    stage: Stage, at: int, command: str = "import", *, applied: bool = True
) -> None:
    """Run a command that is killed at a write."""
    stage.killed(at, command, applied=applied)


DEEDS: Mapping[str, Callable[..., None]] = {
    "decide_conflict": Stage.decide_conflict,
    "decide_edit": Stage.decide_edit,
    "decide_gone": Stage.decide_gone,
    **{
        each.__name__: each
        for each in (
            *(name_paths, origin, grow, save, save_all, edit, show, delete),
            *(delete_file, describe, folder, rename_folder, story, component, label),
            *(delete_component, datasource, label_entry, read_plan, decide_shown),
            *(lose_ledger, kill),
        )
    },
}
"""What a step may be, by its word."""
