"""Links below the path that a collection had before its slug changed."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import shutil
from pathlib import Path

import pytest
import yaml

from cmsmig.evidence.redirects import redirect_rows, redirects_csv
from cmsmig.notebook.inspect import inspection
from cmsmig.notebook.kit.workspace import open_workspace
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.notebook.front_end import front_end
from tests.support.steps.staged_project import Stage, StagedProject

LINKS = (
    "<p><a href=\"/archive/record-2\">two</a> <a href='/Archive/record-3#end'>three</a>"
    ' <a href="/archive/no-record">none</a> <a href="/record-4">at the root</a></p>'
)


@pytest.fixture(scope="session")
def renamed_site(tiny_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tiny site, whose records were below /archive once."""
    folder = tmp_path_factory.mktemp("renamed") / "content"
    shutil.copytree(tiny_site, folder)
    for path in [*folder.glob("items/*.json"), *folder.glob("live/*.json")]:
        document = json.loads(path.read_text())
        for item in document["items"]:
            if item["fieldData"]["slug"] == "record-1":
                item["fieldData"]["text"] += LINKS
        lines = ",\n".join(map(json.dumps, document["items"]))
        path.write_text(f'{{"items": [\n{lines}\n]}}\n')
    return folder


def former_paths(staged: StagedProject) -> list[dict]:
    text = (staged.folder / "decisions" / "collections.yaml").read_text()
    return yaml.safe_load(text).get("former_paths", [])


def links_of(staged: StagedProject, full_slug: str) -> list[dict]:
    """Return the links of a story's documents that lead to stories."""
    found: list[dict] = []

    def look(value: object) -> None:
        if isinstance(value, dict):
            if value.get("type") == "link" and value["attrs"]["linktype"] == "story":
                found.append(value["attrs"])
            value = [*value.values()]
        for each in value if isinstance(value, list) else ():
            look(each)

    look(staged.stories()[full_slug].content)
    return found


def redirects(staged: StagedProject) -> dict[str, str]:
    """Return the lines of redirects.csv, over the places that are planned."""
    project = Project(staged.folder)
    migration = open_migration(project, load_settings(project, {}))
    text = redirects_csv(redirect_rows(migration))
    return {row["old"]: row["new"] for row in csv.DictReader(io.StringIO(text))}


def test_an_accepted_path_leads_links_and_redirects_to_the_items(
    stage: Stage, renamed_site: Path
) -> None:
    """All items of the collection, though two are linked; the root is not proposed in
    bulk."""
    staged = stage(content=renamed_site)
    (decided,) = former_paths(staged)
    assert (decided["path"], decided["collection"]) == ("/archive", "records")
    assert staged.plan()["links_left_by_cause"] == {"static": 2}
    staged.done("import")
    staged.verified()
    linked = links_of(staged, "records/record-1")
    stories = staged.stories()
    assert [(each["uuid"], each["anchor"]) for each in linked] == [
        (stories["records/record-2"].uuid, None),
        (stories["records/record-3"].uuid, "end"),
    ]
    assert redirects(staged) == {
        f"/archive/record-{n}": f"/records/record-{n}" for n in range(1, 7)
    }


def test_a_path_that_was_refused_is_not_proposed_again(
    stage: Stage, renamed_site: Path
) -> None:
    staged = stage(content=renamed_site)
    staged.decide("collections.yaml", "follow: true", "follow: false")
    staged.done("decide", "--accept-proposals", "--reviewer", "Bo")
    assert [each["follow"] for each in former_paths(staged)] == [False]
    assert staged.plan()["links_left_by_cause"] == {"static": 4}
    staged.done("import")
    assert links_of(staged, "records/record-1") == []
    assert redirects(staged) == {}


def test_a_path_is_added_to_decisions_that_lack_it(
    stage: Stage, renamed_site: Path
) -> None:
    staged = stage(content=renamed_site)
    text = (staged.folder / "decisions" / "collections.yaml").read_text()
    path = staged.folder / "decisions" / "collections.yaml"
    path.write_text(text[: text.index("former_paths:")])
    found = staged.done("decide", "--accept-proposals", "--reviewer", "Bo", "--json")
    assert found.document["added"] == [
        {
            "kind": "former path",
            "name": "/archive",
            "collection": "records",
            "field": "",
        }
    ]
    assert len(former_paths(staged)) == 1


def test_an_unknown_collection_and_a_double_are_refused(
    stage: Stage, renamed_site: Path
) -> None:
    staged = stage(content=renamed_site)
    (decided,) = former_paths(staged)
    known = decided["collection_id"]
    path = staged.folder / "decisions" / "collections.yaml"
    above, _, former = path.read_text().partition("former_paths:")
    path.write_text(f"{above}former_paths:{former}{former}".rstrip() + "\n")
    ended = staged.run("plan")
    assert (ended.code, "decided twice" in ended.err) == (2, True)
    path.write_text(f"{above}former_paths:{former.replace(known, '0' * 24)}")
    ended = staged.run("plan")
    assert ended.code == 2
    assert "collections.yaml" in ended.err
    assert "0" * 24 in ended.err


async def test_a_path_is_decided_in_the_notebook(
    stage: Stage, renamed_site: Path
) -> None:
    """The root too, which a person looks at; what is not decided is not written."""
    staged = stage(content=renamed_site)
    workspace = open_workspace(str(staged.folder), interactive=True)
    with front_end() as page:
        inspection.choose_item_sets(workspace, "Ada")._repr_mimebundle_()
        assert "/archive/record-2" in page.html()
        await page.set("former-path", 0, index=1)
        await page.set("former-path", 1, index=0)
        await page.click("item-set-save")
    said = {each["path"]: each["follow"] for each in former_paths(staged)}
    assert said == {"/archive": False, "/": True}
    planned = await asyncio.to_thread(staged.plan)
    assert planned["links_left_by_cause"] == {"static": 3}
    with front_end() as page:
        inspection.choose_item_sets(workspace, "Ada")._repr_mimebundle_()
        await page.set("former-path", 0, index=2)
        await page.click("item-set-save")
    assert [each["path"] for each in former_paths(staged)] == ["/"]
