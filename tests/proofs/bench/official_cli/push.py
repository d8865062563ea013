"""An import with one relation a story, and `stories push` of the official CLI.

Both write the same stories into an empty sandbox without quota, and once more. Ours is
`cmsmig import` of a project that was pulled and decided: plan and conversion count. The
CLI pushes stories that it pulled from the space that we filled.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx

from tests.proofs.measuring.processes import (
    NO_QUOTA,
    Measured,
    Served,
    measured,
    project,
    sandbox,
)
from tests.proofs.measuring.results import tell
from tests.support.sites.identity import refs
from tests.support.sites.records import Column, Entry, State, Table, into, site_record
from tests.support.sites.writer import Content, write_content

STORIES = 400
ROWS = (f"import of {STORIES} related stories", "and again")
RIVAL = "official CLI, stories push"
_HERE = Path(__file__).parent
_PULLED_FROM = "1"
"""The name of the space whose stories are pushed: another one than the sandbox's."""
_COMPONENT = ("name", "display_name", "schema", "is_root", "is_nestable")


def rows(folder: Path) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield both rows, each with the CLI's time."""
    tell(f"  {ROWS[0]}")
    cli, work, content = _installed(folder), folder / "push", folder / "push-site"
    shutil.rmtree(work, ignore_errors=True)
    if not content.exists():
        write_content(content, _site())
    with project(
        work, content, rate=NO_QUOTA, origin_rate=NO_QUOTA
    ) as here, sandbox(content, rate=NO_QUOTA) as emptied:  # fmt: skip
        here.decided()
        ours = [here.run("import", "--json") for _ in ROWS]
        _pull(cli, here.served, work)
        components = _space(here.served).get("/components").json()["components"]
        _keep_components(work, components, emptied)
        theirs = [_run(cli, emptied, work, "push", "--from", _PULLED_FROM)
                  for _ in ROWS]  # fmt: skip
    for name, one, other in zip(ROWS, ours, theirs, strict=True):
        yield name, {**one.figures(), "floor": other.seconds}


def _site() -> Content:
    site = site_record()
    site.pop("locales")
    columns = (
        Column("RichText", "text", "Text"),
        Column("Reference", "next", "Next", False, into("posts")),
    )
    table = Table("posts", "Posts", "Post", columns, nulls=True, localised=False)
    return Content(site, [(table, [_entry(number) for number in range(STORIES)])])


def _entry(number: int) -> Entry:
    state, following = State.PUBLISHED, str((number + 1) % STORIES)
    data = {
        "name": f"Post {number}",
        "slug": f"post-{number}",
        "text": f"<p>Post {number} has <strong>some</strong> text.</p>" * 5,
        "next": refs("posts", following)[0],
    }
    return Entry(str(number), data, state, None, state)


def _installed(folder: Path) -> list[str]:
    """Return the command of the CLI, which is installed once."""
    node, npm, place = shutil.which("node"), shutil.which("npm"), folder / "storyblok"
    if node is None or npm is None:
        sys.exit("The official CLI needs Node and npm on the PATH; install them.")
    if not (place / "node_modules").exists():
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(_HERE / "package.json", place)
        install = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(install, cwd=place, check=True, stdout=subprocess.DEVNULL)
    program = place / "node_modules" / "storyblok" / "dist" / "index.mjs"
    return [node, "--import", str(_HERE / "redirect.mjs"), str(program)]


def _run(cli: Sequence[str], served: Served, work: Path, *asked: str) -> Measured:
    known = served.announced
    settings = {
        "SANDBOX": known["base_url"],
        "STORYBLOK_LOGIN": "bench@example.com",
        "STORYBLOK_TOKEN": known["destination_token"],
        "STORYBLOK_REGION": "eu",
        "HOME": str(work),
    }
    place = ["--path", str(work / "cli"), "--space", str(known["space_id"])]
    everything = ["--api-rate-limit", "0", "stories", *asked, *place]
    took = measured([*cli, *everything], settings)
    if f"{STORIES + 1} stories p" not in took.output + took.said:
        sys.exit(f"The official CLI did not write all stories: {took.output[-600:]}")
    return took


def _pull(cli: Sequence[str], served: Served, work: Path) -> None:
    _run(cli, served, work, "pull")
    stories = work / "cli" / "stories"
    (stories / str(served.announced["space_id"])).rename(stories / _PULLED_FROM)


def _keep_components(work: Path, components: list[dict], served: Served) -> None:
    """Write the components for the CLI, and make them in the space to fill."""
    kept = work / "cli" / "components" / _PULLED_FROM
    kept.mkdir(parents=True)
    (kept / "components.json").write_text(json.dumps(components))
    with _space(served) as space:
        for each in components:
            body = {"component": {key: each[key] for key in _COMPONENT}}
            space.post("/components", json=body).raise_for_status()


def _space(served: Served) -> httpx.Client:
    known = served.announced
    return httpx.Client(
        base_url=f"{known['base_url']}/spaces/{known['space_id']}",
        headers={"Authorization": known["destination_token"]},
        trust_env=False,
    )
