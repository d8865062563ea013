"""Proposals accepted once more: decisions get what they lack and keep the rest."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from cmsmig.cli.outcomes import accepted_json, accepted_lines
from cmsmig.errors import UndecidedError
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.steps.decide.accept_proposals import Accepted, accept_proposals
from cmsmig.steps.decide.decision_store import read_decisions
from cmsmig.steps.decide.migration import open_migration
from tests.support.notebook.pulled_site import POSTS, pulled_workspace

EVENTS = "65a000000000000000000003"


async def accept(workspace: Workspace, reviewer: str = "Bea") -> Accepted:
    return await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer=reviewer,
        observer=workspace.observer,
    )


def schema(workspace: Workspace, *fields: dict[str, Any]) -> None:
    """Give the posts more fields; one of a known slug takes its place."""
    path = workspace.project.raw / "collections" / f"{POSTS}.json"
    body = json.loads(path.read_text())
    new = {each["slug"]: each for each in fields}
    kept = [new.pop(each["slug"], each) for each in body["fields"]]
    body["fields"] = [each for each in (*kept, *new.values()) if each.get("type")]
    path.write_text(json.dumps(body))


def field(slug: str, kind: str, **more: object) -> dict[str, Any]:
    title = slug.title()
    return {"id": f"f-{slug}", "slug": slug, "displayName": title, "type": kind, **more}


def new_collection(workspace: Workspace) -> None:
    """Add a collection that nothing but its names tells from the posts' one."""
    raw = workspace.project.raw
    ids = json.loads((raw / "collections.json").read_text())
    ids["collections"].append({"id": EVENTS})
    (raw / "collections.json").write_text(json.dumps(ids))
    body = {"id": EVENTS, "displayName": "Events", "singularName": "Posts"}
    body |= {"slug": "posts", "fields": [field("name", "PlainText")]}
    (raw / "collections" / f"{EVENTS}.json").write_text(json.dumps(body))
    for kind in ("items", "live"):
        (raw / kind / f"{EVENTS}.json").write_text('{"items": [\n]}')


def grow(workspace: Workspace) -> None:
    """Let the origin grow in every way that decisions follow."""
    tones = ("t1", "Report"), ("t2", "Essay"), ("t3", "Essay")
    options = [{"id": each, "name": name} for each, name in tones]
    schema(
        workspace,
        field("tone", "Option", validations={"options": options}),
        field("subtitle", "PlainText"),
        field("aside", "RichText"),
    )
    new_collection(workspace)


def texts(workspace: Workspace) -> dict[str, str]:
    folder = workspace.project.decisions
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def edit(workspace: Workspace, name: str, old: str, new: str) -> None:
    path = workspace.project.decisions / name
    text = path.read_text()
    assert old in text, text
    path.write_text(text.replace(old, new, 1))


def gone_lines(before: str, after: str) -> list[str]:
    """Return the lines of a text that another one lacks, or has elsewhere."""
    return [
        line[2:]
        for line in difflib.ndiff(before.splitlines(), after.splitlines())
        if line.startswith("- ")
    ]


async def test_what_the_origin_has_more_is_added_and_edits_stay(tmp_path: Path) -> None:
    """Every other byte stays, but for who accepted what is new."""
    workspace = pulled_workspace(tmp_path)
    await accept(workspace, "Ann")
    edit(workspace, "design.yaml", "key: body", "key: text  # as we call it")
    edit(workspace, "design.yaml", "label: Essay", 'label:   "An essay"')
    edit(workspace, "design.yaml", "component: people", "component: subtitle")
    edit(workspace, "collections.yaml", "items: staged", "items:  live")
    before = texts(workspace)
    grow(workspace)
    with pytest.raises(UndecidedError, match="decide --accept-proposals") as found:
        open_migration(workspace.project, workspace.local_settings)
    assert "the collection Events" in str(found.value)

    done = await accept(workspace)
    assert accepted_lines(done)[-1] == (
        "added: collection `posts`; field `subtitle` of `posts`; field `aside` of "
        "`posts`; option `Essay` of field `tone` of `posts`; content type `posts_2`; "
        "body `aside` of `posts`"
    )
    assert accepted_json(done)["added"][1] == {
        "kind": "field",
        "name": "subtitle",
        "collection": "posts",
        "field": "",
    }
    after = texts(workspace)
    for name in ("collections.yaml", "design.yaml", "blocks.yaml"):
        lost = gone_lines(before[name], after[name])
        assert {line.split(":")[0] for line in lost} <= {"  by", "  at"}, name
        assert "by: Bea" in after[name]
    for name in ("embeds.yaml", "conflicts.yaml"):
        assert after[name] == before[name]
    design = read_decisions(workspace.project).design
    posts, people, events = design.content_types
    assert people.component == "subtitle"
    assert (events.folder, events.component) == ("posts-2", "posts_2")
    assert [one.key for one in posts.fields] == [
        "text",
        "tone",
        "author",
        "subtitle",
        "aside",
    ]
    assert posts.fields[1].options == (
        ("t1", "Report"),
        ("t2", "An essay"),
        ("t3", "Essay"),
    )
    open_migration(workspace.project, workspace.local_settings)

    said = accepted_lines(await accept(workspace))
    assert said == ["nothing is missing: everything that was pulled is decided"]
    assert texts(workspace) == after


async def test_what_the_origin_has_no_more_is_named_and_kept(tmp_path: Path) -> None:
    """A field that is gone, one of another type, and an option."""
    workspace = pulled_workspace(tmp_path)
    await accept(workspace)
    before = texts(workspace)
    options = [{"id": "t1", "name": "Report"}]
    schema(
        workspace,
        field("tone", "Option", validations={"options": options}),
        field("author", "PlainText"),
        {"slug": "body", "type": ""},
    )
    done = await accept(workspace)
    body, author, split, tone = done.to_decide
    assert "field body: the origin has no such field" in body
    assert "take the field out" in body
    assert "field author: its type is PlainText at the origin" in author
    assert "write `type: PlainText` and one of the encodings text," in author
    assert "has no field `body`" in split
    assert "no longer has the option `Essay` of the field `tone` of `posts`" in tone
    assert (done.added, done.written) == ((), ())
    assert texts(workspace) == before


async def test_a_file_without_acceptance_is_accepted(tmp_path: Path) -> None:
    """What a notebook wrote without a name gets one, and nothing else changes."""
    workspace = pulled_workspace(tmp_path)
    await accept(workspace)
    path = workspace.project.decisions / "design.yaml"
    lines = path.read_text().splitlines(keepends=True)
    start = lines.index("reviewed:\n")
    path.write_text("".join([*lines[:start], "reviewed:\n", *lines[start + 4 :]]))
    done = await accept(workspace, "Ann")
    assert accepted_lines(done)[-1] == "added: acceptance `design.yaml`"
    assert read_decisions(workspace.project).design.reviewed.by == "Ann"
