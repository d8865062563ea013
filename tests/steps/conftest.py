"""Projects that are pulled and decided already, copied for each test."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cmsmig.sandbox.http.asgi import Middleware
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SAMPLE, environment_file_text
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.sandbox.observed import Show, running_sandbox
from tests.support.sites.exact import write_load_site, write_small_site
from tests.support.sites.identity import address
from tests.support.sites.markup import embed, image
from tests.support.steps.every_kind import write_every_kind
from tests.support.steps.item_states import write_states
from tests.support.steps.origin_edits import read_items, write_items
from tests.support.steps.scenario.editors import write_edited_site
from tests.support.steps.split_site import write_split_site
from tests.support.steps.staged_project import StagedProject
from tests.support.two_languages import write_two_languages

RATE = 500
LINKS = (
    "<p><a href=\"/archive/record-2\">two</a> <a href='/Archive/record-3#end'>three</a>"
    ' <a href="/archive/no-record">none</a> <a href="/record-4">at the root</a></p>'
)


FILE_LINKS = (
    f'<p><a href="{address("sheet.pdf")}?v=2#page=2">two</a></p>'
    + image("sprite.svg", alt="star", link=f"{address('sheet.pdf')}#page=3")
    + f'<p><img src="{address("sprite.svg")}#icon-star" alt="icon"></p>'
    + f'<iframe src="{address("sheet.pdf")}#view=Fit"></iframe>'
    + f'<video src="{address("clip.mp4")}#t=0.5"></video>'
    + embed(
        f"<svg><use href='{address('sprite.svg')}#check'></use></svg>"
        f"<a href='{address('sheet.pdf')}?v=2#nameddest=ch2'>Two</a>"
        f"<i style='background:url({address('sprite.svg')}#grey)'></i>"
    )
    + "<p>Read http://localhost:8080/guide.pdf</p>"
)
"""File addresses with a fragment in every place of a body, and one that is none."""


def write_tiny_site(more: str, folder: Path) -> None:
    """Write the tiny site; the first record has more in its body."""
    SITES["tiny"](folder)
    for path in folder.glob("[il]*/*.json"):
        items = read_items(path)
        for item in items:
            if item["fieldData"]["slug"] == "record-1":
                item["fieldData"]["text"] += more
        write_items(path, items)


def add_moods(folder: Path, slug: str, *names: str) -> None:
    """Add a field of choices to a collection; the first has the id 1111…."""
    for path in (folder / "collections").iterdir():
        schema = json.loads(path.read_text())
        if schema["slug"] == slug:
            options = [{"name": n, "id": f"{at}" * 32} for at, n in enumerate(names, 1)]
            mood = {"id": "e" * 32, "slug": "mood", "displayName": "Mood"}
            mood |= {"type": "Option", "isRequired": False}
            schema["fields"].append({**mood, "validations": {"options": options}})
            path.write_text(json.dumps(schema))


def write_moody_site(folder: Path) -> None:
    """Write the tiny site with a field of choices."""
    SITES["tiny"](folder)
    add_moods(folder, "records", "calm", "loud")


def write_choosing_site(folder: Path) -> None:
    """Write the small site; its spots have a field of choices."""
    write_small_site(folder)
    add_moods(folder, "spots", "calm", "loud", "odd")


SITES: dict[str, Callable[[Path], None]] = {
    "tiny": partial(write_load_site, items=6, images=4),
    "pair": partial(write_load_site, items=2, images=0),
    "twenty": partial(write_load_site, items=20, images=0),
    "long": partial(write_load_site, items=104, images=0, relations=False),
    "renamed": partial(write_tiny_site, LINKS),
    "file links": partial(write_tiny_site, FILE_LINKS),
    "moody": write_moody_site,
    "choosing": write_choosing_site,
    "split": write_split_site,
    "every kind": write_every_kind,
    "states": write_states,
    "edited": write_edited_site,
    "two versions": partial(write_edited_site, fields=1),
    "pairs": partial(write_two_languages, items=40),
}
"""Content folders by the names that cases give them, and `small` and `sample`: records
that refer to the 7th and the 3rd after them, two pages of a list (`long`), one record
with more in its body (`renamed`, `file links`), an item in each state, items for each
field that can be edited, values of every kind and, in two languages, every pair."""


@pytest.fixture(scope="session")
def content_of(
    small_site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Return a content folder by its name, written once."""
    made = {"small": small_site, "sample": SAMPLE}

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp("site") / "content"
            SITES[name](made[name])
        return made[name]

    return folder


@pytest.fixture(scope="session")
def decided_project(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Path], Path]:
    """Return the pulled and decided project of a content folder, made once; what is
    kept of its drafts is there, too."""
    made: dict[Path, Path] = {}

    def project(content: Path) -> Path:
        if content not in made:
            folder = tmp_path_factory.mktemp("decided")
            options = SandboxOptions(content=content, rate=RATE, origin_rate=60_000)
            with running_sandbox(options) as handle:
                state = folder / "state"
                done = Rehearsal.start(handle, folder / "project", RATE, state)
                shutil.copytree(done.decided().folder, folder / "planned")
                replace(done, folder=folder / "planned").run("plan")
            shutil.copy(folder / "planned" / "derived.sqlite", done.folder)
            made[content] = done.folder
        return made[content]

    return project


@pytest.fixture
def rehearse(
    rehearse: Callable[..., StagedProject], without_sockets: None
) -> Callable[..., StagedProject]:
    """Start a sandbox and a project, whose commands need no sockets."""
    return rehearse


@pytest.fixture
def stage(
    tmp_path: Path,
    content_of: Callable[[str], Path],
    decided_project: Callable[[Path], Path],
    serve: Show,
    without_sockets: None,
) -> Callable[..., StagedProject]:
    """Show a sandbox with faults, for a copy of a decided project.

    `stage(fault, ..., content=folder, settings="in_flight = 1")`; `more` are options of
    the sandbox.
    """

    def start(
        *middleware: Middleware,
        content: Path | None = None,
        settings: str = "",
        demo_space: bool = False,
        languages: tuple[str, ...] = (),
        **more: Any,
    ) -> StagedProject:
        content = content or content_of("tiny")
        options = SandboxOptions(
            content=content,
            rate=RATE,
            origin_rate=60_000,
            middleware=middleware,
            demo_space=demo_space,
            languages=languages,
            origin_token="the-token-of-the-origin",
            destination_token="the-token-of-the-destination",
            **more,
        )
        source = decided_project(content)
        handle = serve(options)
        folder = tmp_path / f"staged{sum(1 for each in tmp_path.glob('staged*'))}"
        shutil.copytree(source, folder)
        text = environment_file_text(dict(handle.announcement), RATE)
        write_env(folder, text)
        if settings:
            with (folder / "cmsmig.toml").open("a") as file:
                file.write(f"\n{settings}\n")
        return StagedProject(handle, folder, tmp_path / "state")

    return start
