"""The site that fault cases import: pulled and decided once, copied from then on."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.project_init import start_project
from cmsmig.steps.pull.pull import pull
from tests.proofs.faults.importing import RATE, environ, unheard
from tests.support.sites.exact import write_small_site


@dataclass(frozen=True)
class Prepared:
    """A decided project that cases are copied from."""

    folder: Path
    content: Path
    languages: tuple[str, ...] = ()
    """Of the space, beside the default one."""


def prepare(work: Path) -> Prepared:
    """Write the site, pull it, decide, and return what cases start from."""
    content, folder = work / "content", work / "project"
    write_small_site(content)
    _add_choices(content)
    options = SandboxOptions(content=content, rate=RATE, origin_rate=60_000)
    with running_sandbox(options) as handle:
        project = Project(folder)
        start_project(project)
        text = environment_file_text(dict(handle.announcement), RATE)
        project.env.write_text(text)
        settings = load_settings(project, environ(work))
        asyncio.run(pull(settings, project))
        asyncio.run(
            accept_proposals(project, settings, reviewer="faults", observer=unheard)
        )
    _decide(project)
    return Prepared(folder, content)


def translated(prepared: Prepared, work: Path) -> Prepared:
    """Return the same with both languages in one story, in both layers: of some items
    a translation is not published yet."""
    folder = work / "translated"
    shutil.copytree(prepared.folder, folder)
    path = folder / "decisions" / "collections.yaml"
    text = path.read_text().replace("items: staged\n", "items: mirror\n")
    path.write_text(text.replace("\nlocales:", "\nlanguages: fields\nlocales:", 1))
    for path in (folder / "raw" / "items").glob("*.json"):
        items = json.loads(path.read_text())["items"]
        lines = ",\n".join(json.dumps(_retranslated(each)) for each in items)
        path.write_text(f'{{"items": [\n{lines}\n]}}')
    return Prepared(folder, prepared.content, ("fr-fr",))


def _retranslated(item: dict) -> dict:
    data = item["fieldData"]
    if data["slug"] not in ("la-note-1", "la-note-5"):
        return item
    return {**item, "fieldData": {**data, "text": "<p>Pas encore.</p>"}}


def _add_choices(content: Path) -> None:
    """Give one collection a field of choices: datasources come into it."""
    path = next(
        path
        for path in (content / "collections").iterdir()
        if json.loads(path.read_text())["slug"] == "spots"
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


def _decide(project: Project) -> None:
    """Choose what makes more requests: publication, a folder, a datasource."""
    changes = (
        ("collections.yaml", "    publish: nothing", "    publish: what_is_live"),
        ("design.yaml", "asset_folder: ''", "asset_folder: Old site"),
        ("design.yaml", "encoding: option\n",
         "encoding: option_datasource\n        datasource: moods\n"),
    )  # fmt: skip
    for name, before, after in changes:
        path = project.decisions / name
        text = path.read_text()
        assert before in text, f"{name} holds no {before}"
        path.write_text(text.replace(before, after, 1))
