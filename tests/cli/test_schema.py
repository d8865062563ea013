"""`schema`: the files say what an import makes, and no text of the content acts in
them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support.cli.bad_input import Rig
from tests.support.sites.identity import collection_id

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
    """Each component and each field of it."""
    written = whole.done("schema", "--json", "--out", str(tmp_path)).document
    made = {path.name: path for path in map(Path, written["written"])}
    assert {*made} == {"languages.json", "stories.d.ts", "reference.md"}
    space = whole.handle.state.space.components.values()
    there = {each["name"]: each for each in space}
    assert {*there} >= {*written["components"]}
    page, types = (made[n].read_text() for n in ("reference.md", "stories.d.ts"))
    for name in written["components"]:
        assert f"(`{name}`)" in page
        assert f'extends Block<"{name}">' in types
        for key, field in there[name]["schema"].items():
            assert field["type"] in ("section", "tab") or f"{key}`" in page
    assert (there["spot"]["icon"], there["spot"]["preview_field"]) == (
        "block-doc",
        "line",
    )
    assert there["embed"]["icon"] == "block-monitor"


def test_decisions_are_all_that_is_needed(rig: Callable[..., Rig]) -> None:
    """The same design without the raw cache, which alone knows stories and old pages;
    without a design, what is missing."""
    project = rig()
    outs = [project.folder / name for name in ("with", "without")]
    project.done("schema", "--out", str(outs[0]))
    shutil.rmtree(project.folder / "raw")
    project.done("schema", "--out", str(outs[1]))
    first, second = (
        {path.name: path.read_text("utf-8") for path in out.rglob("*.*")}
        for out in outs
    )
    pages = [files.pop("reference.md").splitlines() for files in (first, second)]
    known, unknown = (
        json.loads(files.pop("languages.json")) for files in (first, second)
    )
    assert first == second
    assert [each for each in pages[1] if each not in pages[0]] == [
        "| English (primary) | `en` |  |  |",
        "| French (France) | `fr-FR` | `starts_with=fr/` |  |",
    ]
    assert [each["stories"] for each in unknown["languages"]] == [None, None]
    assert [each["stories"] for each in known["languages"]] == [5, 1]
    (project.folder / "decisions" / "design.yaml").unlink()
    assert "design.yaml" in project.fails(3, "schema")


MODES = {
    "folders": {
        "codes": ("", ""),
        "folders": ("", "fr"),
        "page": (
            "| English (primary) | `en` |  | 5 |",
            "| French (France) | `fr-FR` | `starts_with=fr/` | 1 |",
        ),
        "said": "Each language has stories of its own (`languages: folders`).",
    },
    "fields": {
        "codes": ("", "fr-fr"),
        "folders": ("", ""),
        "page": (
            "| English (primary) | `en` |  | 5 |",
            "| French (France) | `fr-FR` | `language=fr-fr` | 1 |",
        ),
        "said": "Each item is one story that has all languages (`languages: fields`).",
    },
}


@pytest.mark.parametrize("mode", MODES)
def test_the_languages_and_how_many_stories_exist_in_each(
    rig: Callable[..., Rig], mode: str
) -> None:
    """For the code of a front end, and on the page; by content type, too."""
    project, wanted = rig(), MODES[mode]
    path = project.folder / "decisions" / "collections.yaml"
    text = path.read_text().replace("\nlocales:", f"\nlanguages: {mode}\nlocales:")
    path.write_text(text)
    out = project.folder / "out"
    project.done("schema", "--out", str(out))
    named = (("en", "English", True, 5), ("fr-FR", "French (France)", False, 1))
    assert json.loads((out / "languages.json").read_text("utf-8")) == {
        "mode": mode,
        "languages": [
            {"tag": tag, "name": name, "primary": primary, "stories": stories}
            | {"code": code, "folder": folder}
            for (tag, name, primary, stories), code, folder in zip(
                named, wanted["codes"], wanted["folders"], strict=True
            )
        ],
    }
    page = (out / "reference.md").read_text("utf-8")
    assert wanted["said"] in page
    assert [each for each in wanted["page"] if each not in page] == []
    notes, spots = (line for line in page.splitlines() if line.startswith("Old pages"))
    assert notes == (
        "Old pages: `en` `/notes/SLUG` (4 stories); `fr-FR` `/fr/notes/SLUG` (1 story)."
    )
    assert "`fr-FR` `/fr/spots/SLUG` (0 stories)" in spots


def test_the_heads_of_the_old_pages(rig: Callable[..., Rig]) -> None:
    """Paths and patterns of the template pages, as the origin lists them."""
    project = rig()
    raw = project.folder / "raw"
    (site,) = json.loads((raw / "sites.json").read_text())["sites"]
    french = site["locales"]["secondary"][0]["id"]
    name = '{{wf {"path":"name","type":"PlainText"\\} }}'
    common = {"collectionId": collection_id("notes"), "isBranch": False}
    pages = [
        {
            **common,
            "publishedPath": "/field-notes",
            "localeId": None,
            "seo": {"title": f"{name} | Saltmarsh", "description": "a|b <i>"},
            "openGraph": {"titleCopied": True, "descriptionCopied": False},
        },
        {
            **common,
            "publishedPath": "/fr/carnets",
            "localeId": french,
            "seo": {"title": name},
            "openGraph": {"title": "Carnet", "titleCopied": False},
        },
        {**common, "isBranch": True, "seo": {"title": "A branch"}},
        {"collectionId": None, "seo": {"title": "Home"}, "publishedPath": "/"},
    ]
    (raw / "pages.json").write_text(json.dumps({"pages": pages}))
    project.done("schema", "--out", str(project.folder / "out"))
    page = (project.folder / "out" / "reference.md").read_text("utf-8").splitlines()
    start = page.index(
        "Old pages: `en` `/field-notes/SLUG` (4 stories); "
        "`fr-FR` `/fr/carnets/SLUG` (1 story)."
    )
    assert page[start + 2 : start + 11] == [
        "What the template page has in its head:",
        "",
        "| Language | What | Pattern |",
        "| --- | --- | --- |",
        f"| en | SEO title | `{name} \\| Saltmarsh` |",
        f"| en | Open graph title | `{name} \\| Saltmarsh` |",
        "| en | SEO description | a\\|b &lt;i&gt; |",
        f"| fr-FR | SEO title | `{name}` |",
        "| fr-FR | Open graph title | `Carnet` |",
    ]
    assert "A branch" not in "".join(page)


def test_a_story_says_where_it_is_in_other_languages(
    whole: Rig, tmp_path: Path
) -> None:
    """The type of a story has what the delivery API gives of languages and paths."""
    whole.done("schema", "--out", str(tmp_path))
    lines = (tmp_path / "stories.d.ts").read_text("utf-8").splitlines()
    for key in ("default_full_slug", "translated_slugs", "alternates", "path"):
        assert any(line.startswith(f"  {key}?: ") for line in lines)


def test_an_import_uses_the_components_that_are_there(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """As they are: no component is made or changed, and each keeps its group."""
    project = rig()
    # The scopes of an import do not allow groups.
    project.handle.state.space.groups[1] = {"id": 1, "name": "Ours", "uuid": "g-1"}
    made = whole.done("schema", "--json").document["components"]
    for each in whole.api("GET", "/components")["components"]:
        if each["name"] in made:
            body = {key: each[key] for key in ("name", "display_name", "schema")}
            body |= {key: each[key] for key in ("is_root", "is_nestable", "icon")}
            body |= {"preview_field": each.get("preview_field")}
            body["component_group_uuid"] = "g-1"
            project.api("POST", "/components", {"component": body})
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
    page = (out / "reference.md").read_text("utf-8")
    assert "(`a_b`)\n\nIt has no fields.\n" in page
    assert "\\*/ } \\`x\\` \\| &lt;b&gt;&amp; \\# \\[y\\](z)" in page
