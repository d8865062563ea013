"""A rehearsal's sandbox that continues where it was, even after a kill."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.errors import CacheError
from cmsmig.run.rehearsal import kept_options, kept_sandbox_running
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SAMPLE
from cmsmig.settings import Project
from tests.support.rehearsal import run_here
from tests.support.sandbox.observed import running_sandbox

LISTS = (
    "stories",
    "components",
    "component_groups",
    "datasources",
    "datasource_entries",
    "assets",
    "asset_folders",
)
FAST = ("--rate", "200", "--origin-rate", "60000")
COMMAND = (sys.executable, "-m", "cmsmig.cli", "--project")


@contextmanager
def killed_sandbox(folder: Path, *more: str) -> Iterator[dict[str, str]]:
    """Run a project's sandbox; kill it at the end, without a word."""
    process = subprocess.Popen(
        [*COMMAND, str(folder), "sandbox", *more], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def done(folder: Path, *arguments: str) -> str:
    """Run a command in the project and insist on exit code 0."""
    ended = run_here("--project", str(folder), *arguments)
    assert ended.code == 0, ended.out + ended.err
    return ended.out


def state(announced: dict[str, str]) -> bytes:
    """Return everything that the space holds, ids and times included.

    Without preview tokens, which are signed again in each answer.
    """
    space = f"{announced['base_url']}/spaces/{announced['space_id']}"
    headers = {"authorization": announced["user_token"]}
    with httpx.Client(headers=headers, trust_env=False, timeout=30) as client:

        def asked(path: str) -> httpx.Response:
            return client.get(f"{space}/{path}").raise_for_status()

        lists = [asked(f"{name}?per_page=1000") for name in LISTS]
        listed = lists[0].json()["stories"]
        stories = [
            asked(f"stories/{each['id']}") for each in listed if not each["is_folder"]
        ]
        key = asked("").json()["space"]["first_token"]
        public = client.get(
            f"{announced['base_url'].removesuffix('/v1')}/v2/cdn/stories",
            params={"token": key, "per_page": 100},
            follow_redirects=True,
        ).raise_for_status()
    published = json.dumps(public.json()["stories"]).encode()
    held = b"\n".join([*(each.content for each in (*lists, *stories)), published])
    return re.sub(rb'"preview_token": ?{[^}]*}', b"", held)


def languages(announced: dict[str, str]) -> list[str]:
    """Return the codes of the space's languages."""
    space = f"{announced['base_url']}/spaces/{announced['space_id']}"
    headers = {"Authorization": announced["destination_token"]}
    answer = httpx.get(space, headers=headers, trust_env=False).json()
    return [each["code"] for each in answer["space"]["languages"]]


def publish_what_is_live(folder: Path) -> None:
    """Decide that what is live is published."""
    path = folder / "decisions" / "collections.yaml"
    text = path.read_text("utf-8")
    assert "publish: nothing" in text
    path.write_text(text.replace("publish: nothing", "publish: what_is_live"), "utf-8")


def test_an_import_holds_after_the_sandbox_was_killed(
    tmp_path: Path, small_site: Path
) -> None:
    """Killed after an import and started again: the same ports, tokens and space,
    byte by byte, and the next plan has nothing to write."""
    folder = tmp_path / "site"
    done(folder, "init")
    first = ("--content", str(small_site), "--language", "fr", "--language", "de")
    with killed_sandbox(folder, *FAST, *first) as announced:
        done(folder, "pull")
        done(folder, "decide", "--accept-proposals", "--reviewer", "a tester")
        publish_what_is_live(folder)
        done(folder, "import")
        before = state(announced)
        assert re.search(rb'"published": ?true', before)
    said: list[str] = []
    with kept_sandbox_running(Project(folder), os.environ, said.append):
        assert state(announced) == before
        assert languages(announced) == ["fr", "de"]
        assert "writes: 0" in done(folder, "import").splitlines()
        done(folder, "verify")
        # One that runs is left alone.
        with kept_sandbox_running(Project(folder), os.environ, said.append):
            pass
    assert len(said) == 1
    assert announced["base_url"] in said[0]
    for path in (folder / "sandbox").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert "/sandbox/" in (folder / ".gitignore").read_text("utf-8")


def test_a_refused_write_is_not_done_by_the_restart(tmp_path: Path) -> None:
    """Writes side by side with latency: some are answered 429 while others change the
    space. What was refused is refused for good."""
    options = SandboxOptions(
        kept_in=tmp_path / "requests.sqlite",
        destination_token="a token",
        latency=0.1,
        rate=10,
    )
    with running_sandbox(options) as sandbox:
        announced = dict(sandbox.announcement)
        answers = created(announced, 30)
        before = state(announced)
    assert sorted(set(answers)) == [201, 429]
    port = httpx.URL(announced["base_url"]).port
    with running_sandbox(replace(options, destination_port=port or 0)):
        assert state(announced) == before


def created(announced: dict[str, str], count: int) -> list[int]:
    """Create folders at once; return the status of each answer."""
    url = f"{announced['base_url']}/spaces/{announced['space_id']}/stories"

    def create(number: int) -> int:
        folder = {"name": f"{number}", "slug": f"f-{number}", "is_folder": True}
        token = {"authorization": announced["destination_token"]}
        return httpx.post(
            url, headers=token, json={"story": folder}, trust_env=False
        ).status_code

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(create, range(count)))


def test_other_settings_start_nothing(tmp_path: Path) -> None:
    """A project that points at the real service keeps its sandbox down."""
    project = Project(tmp_path)
    kept_options(project, SandboxOptions(), {})
    project.env.write_text("CMSMIG_SPACE_ID=123456\n")
    project.env.chmod(0o600)
    said: list[str] = []
    with kept_sandbox_running(project, {}, said.append):
        assert said == []


def control(address: str, verb: str, **sent: object) -> dict[str, Any]:
    """Do an act on a control page; return its answer."""
    url = f"{address.removesuffix('/v1')}/_sandbox/{verb}"
    reply = httpx.post(url, json=sent, trust_env=False)
    assert reply.is_success, reply.text
    return dict(reply.json())


def names(announced: dict[str, str], collection: str, *, live: bool) -> list[str]:
    """Return the names of a collection's items at the origin."""
    path = f"v2/collections/{collection}/items{'/live' if live else ''}"
    url = f"{announced['origin_api_url']}/{path}"
    headers = {"Authorization": f"Bearer {announced['origin_token']}"}
    answer = httpx.get(url, headers=headers, trust_env=False).json()
    return [item["fieldData"]["name"] for item in answer["items"]]


def first_item(site: Path) -> tuple[str, str]:
    """Return collection and id of a site's first live item."""
    for path in sorted((site / "live").iterdir()):
        for item in json.loads(path.read_text("utf-8"))["items"]:
            return path.stem, item["id"]
    raise AssertionError("nothing is live")


def test_content_may_change_between_starts(tmp_path: Path, small_site: Path) -> None:
    """The origin serves what was given last, each folder with the edits it had; ports,
    tokens and space stay, and an editor's edit there too."""
    folder = tmp_path / "site"
    done(folder, "init")
    collection, item = first_item(small_site)
    with killed_sandbox(folder, *FAST, "--content", str(small_site)) as first:
        origin = first["origin_api_url"]
        before = names(first, collection, live=True)
        edited = control(origin, "edit", item=item, fieldData={"name": "Edited"})
        added = control(
            origin, "add", collection=collection, fieldData=_needed(edited, "Added")
        )
        made = created(first, 1)
        assert b'"slug": "f-0"' in state(first)
    assert made == [201]
    with killed_sandbox(folder) as again:
        assert again == first
        assert names(again, collection, live=True) == before
        staged = names(again, collection, live=False)
        assert "Edited" in staged
        assert staged[-1] == "Added"
        control(origin, "publish", item=item)
        control(origin, "delete", item=added["id"])
        held = state(again)
    with killed_sandbox(folder, "--content", str(SAMPLE)) as other:
        assert other == first
        assert state(other) == held
        headers = {"Authorization": f"Bearer {other['origin_token']}"}
        sites = httpx.get(f"{origin}/v2/sites", headers=headers, trust_env=False)
        [site] = sites.json()["sites"]
        assert site["shortName"] == "saltmarsh-quarterly"
    with killed_sandbox(folder, "--content", str(small_site)) as back:
        assert "Edited" in names(back, collection, live=True)
        assert "Added" not in names(back, collection, live=False)


def _needed(item: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the fields of an item with another name and no slug."""
    return {k: v for k, v in item["fieldData"].items() if k != "slug"} | {"name": name}


def test_content_that_cannot_be_served_changes_nothing(tmp_path: Path) -> None:
    """The next start without `--content` serves what was served before."""
    project = Project(tmp_path)
    kept_options(project, SandboxOptions(content=SAMPLE), {})
    with pytest.raises(CacheError, match=r"sites\.json"):
        kept_options(project, SandboxOptions(content=tmp_path / "other"), {})
    assert kept_options(project, SandboxOptions(), {}).content == SAMPLE


def test_an_editors_edit_outlives_the_sandbox(tmp_path: Path) -> None:
    """What is edited on the destination's page is kept as requests are."""
    options = SandboxOptions(
        kept_in=tmp_path / "requests.sqlite", destination_token="a token", rate=200
    )
    with running_sandbox(options) as sandbox:
        announced = dict(sandbox.announcement)
        url = f"{announced['base_url']}/spaces/{announced['space_id']}"
        headers = {"authorization": announced["destination_token"]}
        component = {"name": "page", "schema": {"text": {"type": "text"}}}
        content = {"component": "page", "text": "Before"}
        story = {"name": "A", "slug": "a", "content": content}
        for path, body in (
            ("components", {"component": component}),
            ("stories", {"story": story}),
        ):
            reply = httpx.post(
                f"{url}/{path}", headers=headers, json=body, trust_env=False
            )
            assert reply.status_code == 201, reply.text
        own = reply.json()["story"]["id"]
        control(
            announced["base_url"], "edit", story_id=own, content={"text": "By hand"}
        )
        before = state(announced)
    assert b"By hand" in before
    port = httpx.URL(announced["base_url"]).port
    with running_sandbox(replace(options, destination_port=port or 0)):
        assert state(announced) == before
