"""What both sides do in the scripted runs, by the words of `runs.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.proofs.frozen.stage import Stage
from tests.support.steps.item_states import SLUGS

SCRIPTS: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_name("runs.yaml").read_text(encoding="utf-8")
)

_RECORD = re.compile(r"<(\w+) ?([^>]*)>")


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
    content = stage.handle.state.origin_api.content
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
    ask(stage, f"PUT /stories/<stories {path_of(stage, at)}>", into, story=story)


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
    ask(stage, f"GET /stories/<stories {path_of(stage, at)}>/{how}")


def delete(stage: Stage, at: str | int) -> None:
    """Delete a story as an editor does."""
    stage.delete(path_of(stage, at))


def ask(stage: Stage, send: str, into: str = "", **body: Any) -> None:
    """Send a request as an editor or a developer does, perhaps about a story in a
    folder; `<table name>` in its path is the id of a record."""
    if into:
        folder = id_of(stage, "stories", into)
        body["story"] = {**body["story"], "parent_id": folder}
    method, path = send.split(" ", 1)
    path = _RECORD.sub(lambda found: str(id_of(stage, *found.groups())), path)
    stage.api(method, path, body or None)


def id_of(stage: Stage, table: str, name: str) -> int:
    """Return the id of a record by its name, of a story or folder by its path; without
    a name of the first one."""
    if table == "stories":
        stories = stage.space.stories.items()
        there = {
            stage.space.full_slug(s): own for own, s in stories if not s.deleted_at
        }
        return there[name]
    records = getattr(stage.space, table).items()
    return min(own for own, each in records if not name or each["name"] == name)


def datasource(stage: Stage, slug: str, entries: Sequence[str]) -> None:
    """Make a datasource as a developer does."""
    stage.datasource(slug, *entries)


def read_plan(stage: Stage) -> None:
    """Look at the values of fields that wait for a decision."""
    waiting = stage.run("plan", "--json").document["edit_conflicts"]
    stage.named["seen"] = {(e["what"], e["field"]): e["seen"] for e in waiting}


def decide_conflict(stage: Stage, **about: str) -> None:
    """Decide about a story of others at our place."""
    stage.decide_about("conflicts", **{"kind": "story", **about})


def decide_edit(stage: Stage, **about: str) -> None:
    """Decide whose value an edited field keeps."""
    stage.decide_about("edits", **{"kind": "story", "seen": "", **about})


def decide_gone(stage: Stage, side: str = "destination", **about: str) -> None:
    """Decide about an object that one side no longer has."""
    stage.decide_about("gone", **{"from": side, **about})


def decide_shown(stage: Stage, what: str, field: str, take: str) -> None:
    """Decide about a field as it was shown, once."""
    seen = stage.named["seen"].get((what, field), "")
    decide_edit(stage, what=what, field=field, take=take, seen=seen)


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
    **{
        each.__name__: each
        for each in (
            *(name_paths, origin, grow, save, save_all, edit, show, delete),
            *(ask, datasource, read_plan, lose_ledger, kill),
            *(decide_conflict, decide_edit, decide_gone, decide_shown),
        )
    },
}
"""What a step may be, by its word."""
