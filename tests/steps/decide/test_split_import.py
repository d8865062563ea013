"""Bodies split into blocks, from the decision to stories that are read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal
from tests.support.steps.split_site import RULES, write_split_site
from tests.support.steps.staged_project import StagedProject

ALL_RULES = tuple(part for rule in RULES for part in ("--split", rule))
DECIDE = ("decide", "--accept-proposals", "--reviewer", "Ann")


def options(content: Path) -> SandboxOptions:
    return SandboxOptions(content=content, rate=500, origin_rate=60_000)


@pytest.fixture
def project(rehearse: Callable[..., Rehearsal], tmp_path: Path) -> StagedProject:
    """Return a pulled project of the site, undecided."""
    write_split_site(tmp_path / "site")
    started = StagedProject(rehearse(options(tmp_path / "site")))
    started.done("pull")
    return started


@pytest.fixture
def split(project: StagedProject) -> StagedProject:
    """Return the project with every body split by every rule."""
    project.done(*DECIDE, *ALL_RULES)
    return project


def blocks_of(project: StagedProject, slug: str, field: str = "body") -> list[dict]:
    return project.stories()[slug].content[field]


def names(blocks: list[dict]) -> list[str]:
    return [block["component"] for block in blocks]


def test_a_block_that_somebody_changed_is_a_difference(split: StagedProject) -> None:
    """Blocks in another order, one that is gone, and a field that takes fewer."""
    split.done("import")
    blocks = blocks_of(split, "articles/two")
    split.edit("articles/two", body=blocks[::-1])
    assert split.codes() == ["field_value"]
    split.edit("articles/two", body=blocks[:1])
    assert split.codes() == ["field_value"]
    split.edit("articles/two", body=blocks)
    split.verified()
    (article,) = (
        each for each in split.space.components.values() if each["name"] == "article"
    )
    body = {**article["schema"]["body"], "component_whitelist": ["text_block"]}
    changed = {**article, "schema": {**article["schema"], "body": body}}
    split.api("PUT", f"/components/{article['id']}", {"component": changed})
    assert split.codes() == ["component_changed"]


def entries(project: StagedProject) -> list[str]:
    text = (project.folder / "decisions/blocks.yaml").read_text()
    return re.split(r"(?m)^(?=  - slug: )", text)[1:]


def test_what_people_decided_is_replayed_and_kept(split: StagedProject) -> None:
    """Blocks as in the file, whatever the rules propose; accepting the rest in
    bulk leaves them alone."""
    path = split.folder / "decisions" / "blocks.yaml"
    (long,) = (each for each in entries(split) if '"long"' in each)
    lines = re.findall(r"(?m)^      - .*\n", long)
    nodes = sum(int(re.search(r"nodes: (\d+)", line)[1]) for line in lines)
    one = f'      - {{kind: text, nodes: {nodes}, how: rejected, begins: "x"}}\n'
    mine = re.sub(r"(?s)blocks:\n.*", f"blocks:\n{one}", long).replace("Ann", "Bob")
    two = next(each for each in entries(split) if '"two"' in each)
    path.write_text(path.read_text().replace(long, mine).replace(two, ""))
    assert split.run("plan").code == 3
    ended = split.done(*DECIDE)
    assert "blocks of 1 body accepted in bulk" in ended.out
    assert mine in path.read_text()
    split.done("import")
    split.verified()
    assert names(blocks_of(split, "articles/long")) == ["text_block"]
    assert names(blocks_of(split, "articles/two")) == ["text_block", "text_block"]
