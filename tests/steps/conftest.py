"""Projects that are pulled and decided already, copied for each test."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cmsmig.sandbox.http.asgi import Middleware
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SAMPLE, environment_file_text, running_sandbox
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.sites.exact import write_load_site
from tests.support.steps.every_kind import write_every_kind
from tests.support.steps.item_states import write_states
from tests.support.steps.scenario_edits import write_edited_site
from tests.support.steps.split_site import write_split_site
from tests.support.steps.staged_project import StagedProject

RATE = 500
LINKS = (
    "<p><a href=\"/archive/record-2\">two</a> <a href='/Archive/record-3#end'>three</a>"
    ' <a href="/archive/no-record">none</a> <a href="/record-4">at the root</a></p>'
)


@pytest.fixture(scope="session")
def tiny_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 6 records that refer to each other, 4 files."""
    folder = tmp_path_factory.mktemp("content") / "tiny"
    write_load_site(folder, items=6, images=4)
    return folder


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


@pytest.fixture(scope="session")
def split_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with bodies that hold all that can become a block."""
    folder = tmp_path_factory.mktemp("content") / "split"
    write_split_site(folder)
    return folder


@pytest.fixture(scope="session")
def twenty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 20 records, which refer to the 7th and 3rd after."""
    folder = tmp_path_factory.mktemp("content") / "twenty"
    write_load_site(folder, items=20, images=0)
    return folder


@pytest.fixture(scope="session")
def pair_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 2 records that refer to each other."""
    folder = tmp_path_factory.mktemp("content") / "pair"
    write_load_site(folder, items=2, images=0)
    return folder


@pytest.fixture(scope="session")
def moody_site(tiny_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tiny site with a field of choices."""
    folder = tmp_path_factory.mktemp("moody") / "content"
    shutil.copytree(tiny_site, folder)
    add_moods(folder, "records", "calm", "loud")
    return folder


@pytest.fixture(scope="session")
def choosing_site(small_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the small site; its spots have a field of choices."""
    folder = tmp_path_factory.mktemp("choosing") / "content"
    shutil.copytree(small_site, folder)
    add_moods(folder, "spots", "calm", "loud", "odd")
    return folder


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


@pytest.fixture(scope="session")
def every_kind_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with a field of every kind, filled or empty."""
    folder = tmp_path_factory.mktemp("kinds") / "content"
    write_every_kind(folder)
    return folder


@pytest.fixture(scope="session")
def sample_site() -> Path:
    """Return the content folder of the sample."""
    return SAMPLE


@pytest.fixture(scope="session")
def states_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with an item in each state."""
    folder = tmp_path_factory.mktemp("states") / "content"
    write_states(folder)
    return folder


@pytest.fixture(scope="session")
def edited_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with two items for each field that can be edited."""
    folder = tmp_path_factory.mktemp("edited") / "content"
    write_edited_site(folder)
    return folder


@pytest.fixture(scope="session")
def two_versions_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with an item of one version, and one of two."""
    folder = tmp_path_factory.mktemp("versions") / "content"
    write_edited_site(folder, fields=1)
    return folder


@pytest.fixture(scope="session")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder whose list of items has two pages."""
    folder = tmp_path_factory.mktemp("long") / "content"
    write_load_site(folder, items=104, images=0, relations=False)
    return folder


@pytest.fixture(scope="session")
def decided_project(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Path], Path]:
    """Return the pulled and decided project of a content folder, made once."""
    made: dict[Path, Path] = {}

    def project(content: Path) -> Path:
        if content not in made:
            folder = tmp_path_factory.mktemp("decided")
            options = SandboxOptions(content=content, rate=RATE, origin_rate=60_000)
            with running_sandbox(options) as handle:
                state = folder / "state"
                Rehearsal.start(handle, folder / "project", RATE, state).decided()
            made[content] = folder / "project"
        return made[content]

    return project


@pytest.fixture(scope="session")
def stops() -> Iterator[list[threading.Thread]]:
    """Collect what stops servers in the background, and wait for it at the end."""
    stopping: list[threading.Thread] = []
    yield stopping
    for each in stopping:
        each.join()


@pytest.fixture
def stage(
    tmp_path: Path,
    tiny_site: Path,
    decided_project: Callable[[Path], Path],
    stops: list[threading.Thread],
) -> Iterator[Callable[..., StagedProject]]:
    """Start a sandbox with faults beside a copy of a decided project.

    `stage(fault, ..., content=folder, settings="in_flight = 1")`; `more` are options of
    the sandbox.
    """
    stack = ExitStack()
    try:

        def start(
            *middleware: Middleware,
            content: Path = tiny_site,
            settings: str = "",
            demo_space: bool = False,
            languages: tuple[str, ...] = (),
            **more: Any,
        ) -> StagedProject:
            options = SandboxOptions(
                content=content,
                rate=RATE,
                origin_rate=60_000,
                middleware=middleware,
                demo_space=demo_space,
                languages=languages,
                **more,
            )
            source = decided_project(content)
            handle = stack.enter_context(running_sandbox(options))
            number = sum(1 for each in tmp_path.glob("staged*"))
            folder = tmp_path / f"staged{number}"
            shutil.copytree(source, folder)
            text = environment_file_text(dict(handle.announcement), RATE)
            write_env(folder, text)
            if settings:
                with (folder / "cmsmig.toml").open("a") as file:
                    file.write(f"\n{settings}\n")
            return StagedProject(Rehearsal(handle, folder, tmp_path / "state"))

        yield start
    finally:
        # A server takes a while to stop: the next test need not wait for it.
        stopping = threading.Thread(target=stack.close)
        stopping.start()
        stops.append(stopping)
