"""`schema`: the files say what an import makes, and no text of the content acts in
them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.support.cases import part
from tests.support.cli.bad_input import Rig

HOSTILE = "*/ } `x` | <b>&\n\u2028# [y](z)"
"""Ends a comment, a type, a table cell, a line."""
TYPED = [
    "  mood?: string;",
    "  /** * / } `x` | <b>&\\n\\u2028# [y](z). * / } `x` | <b>&\\n\\u2028# [y](z) */",
    'export interface Type404Content extends Block<"404"> {',
    '  "da-sh"?: "" | "*/" | "\\"}\\n";',
    "  any_blocks?: AnyBlock[];",
    "export type Type404Story = Story<Type404Content>;",
    'export interface Any_2Block extends Block<"any"> {',
    "  inside?: (Any_2Block | AB_2Block)[];",
    "  story?: Relation<Type404Story>;",
    "  plugin: Plugin;",
    "  other?: unknown;",
    'export interface ABBlock extends Block<"a_b"> {',
    'export interface AB_2Block extends Block<"a-b"> {',
]


def test_the_files_are_what_an_import_makes(whole: Rig, tmp_path: Path) -> None:
    """Component by component, but for the group, which the import leaves as it is."""
    written = whole.done("schema", "--json", "--out", str(tmp_path)).document
    made = {path.name: path for path in map(Path, written["written"])}
    assert {*made} == {"components.json", "groups.json", "stories.d.ts", "reference.md"}
    groups = {each["uuid"] for each in json.loads(made["groups.json"].read_text())}
    files = json.loads(made["components.json"].read_text())
    assert [each["name"] for each in files] == written["components"]
    space = whole.handle.state.space.components.values()
    there = {each["name"]: each for each in space}
    assert {*there} >= {*written["components"]}
    for each in files:
        assert each.pop("component_group_uuid") in groups
        assert part(there[each["name"]], each) == each
    icons = {each["name"]: (each["icon"], each.get("preview_field")) for each in files}
    assert icons["spot"] == ("block-doc", "line")
    assert icons["embed"] == ("block-monitor", "url")


def test_decisions_are_all_that_is_needed(rig: Callable[..., Rig]) -> None:
    """The same files without the raw cache; without a design, what is missing."""
    project = rig()
    outs = [project.folder / name for name in ("with", "without")]
    project.done("schema", "--out", str(outs[0]))
    shutil.rmtree(project.folder / "raw")
    project.done("schema", "--out", str(outs[1]))
    first, second = (
        {path.relative_to(out): path.read_bytes() for path in out.rglob("*.*")}
        for out in outs
    )
    assert first == second
    (project.folder / "decisions" / "design.yaml").unlink()
    assert "design.yaml" in project.fails(3, "schema")


def test_an_import_uses_what_the_official_tool_pushed(rig: Callable[..., Rig]) -> None:
    """As it is: no component is made or changed, and each keeps its group."""
    project = rig()
    out = project.folder / "out"
    project.done("schema", "--out", str(out))
    groups, components = (
        json.loads((out / "components" / "design" / f"{name}.json").read_text())
        for name in ("groups", "components")
    )
    # The scopes of an import do not allow groups.
    project.handle.state.space.groups.update({each["id"]: each for each in groups})
    for each in components:
        project.api("POST", "/components", {"component": each})
    there = project.api("GET", "/components")
    project.done("import")
    project.done("verify")
    assert project.api("GET", "/components") == there


def test_texts_of_the_content_do_not_act(rig: Callable[..., Rig]) -> None:
    """In comments, keys, options, names of types; in cells of the page."""
    project = rig()
    shutil.rmtree(project.folder / "raw")  # the origin has no such fields
    path = project.folder / "decisions" / "design.yaml"
    design = yaml.safe_load(path.read_text())
    _, spots = design["content_types"]
    spots |= {"component": "404", "display_name": HOSTILE}
    line = spots["fields"][0] | {"display_name": HOSTILE, "help_text": HOSTILE}
    choice = {"encoding": "option_datasource", "datasource": "mood"}
    choice["options"] = [{"id": "1", "label": HOSTILE}]
    spots["fields"] = [line, {**line, **choice, "key": "mood"}]
    options = [{"name": str(each), "value": each} for each in ("*/", '"}\n')]
    fields = {
        "inside": {"type": "bloks", "component_whitelist": ["any", "a-b", "gone"]},
        "story": {
            "type": "option",
            "source": "internal_stories",
            "filter_content_type": ["404"],
        },
        "plugin": {"type": "custom", "field_type": "p", "required": True},
        "other": {"type": "new"},
        "da-sh": {"type": "option", "options": options},
        "any_blocks": {"type": "bloks"},
    }
    design["blocks"] += [
        {"component": name, "display_name": name, "schema": schema}
        for name, schema in {"any": fields, "a_b": {}, "a-b": {}}.items()
    ]
    path.write_text(json.dumps(design))  # YAML too, without aliases
    out = project.folder / "out"
    project.done("schema", "--out", str(out))
    lines = (out / "stories.d.ts").read_text("utf-8").splitlines()
    assert [each for each in TYPED if each not in lines] == []
    (source,) = json.loads((out / "datasources/design/datasources.json").read_bytes())
    assert (source["slug"], source["entries"][0]["value"]) == ("mood", HOSTILE)
    page = (out / "reference.md").read_text("utf-8")
    assert "\\*/ } \\`x\\` \\| &lt;b&gt;&amp; \\# \\[y\\](z)" in page
