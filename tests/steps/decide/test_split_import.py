"""Bodies split into blocks, from the decision to stories that are read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal
from tests.support.steps.split_site import COMPONENTS, RULES, write_split_site
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


def test_split_stories_hold_their_components(split: StagedProject) -> None:
    """No rule of the destination is broken, nothing differs when read back, and
    the picture of an image block is the uploaded asset."""
    split.done("import")
    split.verified()
    assert names(blocks_of(split, "articles/long")) == COMPONENTS
    assert names(blocks_of(split, "articles/two")) == ["text_block", "text_block"]
    assert names(blocks_of(split, "articles/short")) == ["text_block"]
    assert names(blocks_of(split, "articles/long", "aside")) == ["text_block"]
    assert blocks_of(split, "articles/short", "aside") == []
    picture = blocks_of(split, "articles/long")[2]["image"]
    asset = split.space.asset_at(picture["filename"])
    assert asset is not None
    assert (asset.asset_id, picture["alt"]) == (picture["id"], "Alone")
    assert set(split.components()) >= set(COMPONENTS)


def test_a_decision_after_a_plan_counts(project: StagedProject) -> None:
    """Nothing that was made of the undivided bodies is written, and the other way."""
    project.done(*DECIDE)
    undivided = project.plan()
    project.done(*DECIDE, "--overwrite", *ALL_RULES)
    assert project.plan() != undivided
    project.done("import")
    project.verified()
    assert names(blocks_of(project, "articles/long")) == COMPONENTS


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


def test_links_in_blocks_are_filled(split: StagedProject) -> None:
    """In texts and quotes, in raw HTML, in the figure inside of a gallery."""
    split.done("import")
    short = split.stories()["articles/short"]
    _, text, _, _, gallery, _, html, quote, *_ = blocks_of(split, "articles/long")
    for document in (text["text"], quote["text"]):
        assert short.uuid in str(document)
    assert gallery["images"][1]["link"]["id"] == short.uuid
    assert 'href="/articles/short"' in html["html"]
    assert text["text"]["content"][1]["content"][1]["marks"][0]["attrs"]["uuid"]


def test_a_second_import_writes_nothing(split: StagedProject) -> None:
    """Split stories are what they were, block for block."""
    split.done("import")
    before = split.comparable()
    assert split.done("import", "--json").document["writes"] == 0
    assert split.comparable() == before


def test_splitting_costs_no_call_but_its_components(
    rehearse: Callable[..., Rehearsal], project: StagedProject, tmp_path: Path
) -> None:
    """The plan has the same calls for stories and files."""
    project.done(*DECIDE)
    whole = project.plan()["calls"]
    project.done(*DECIDE, *ALL_RULES)
    assert {
        name: count
        for name, count in project.plan()["calls"].items()
        if count != whole[name]
    } == {
        "create_components": whole["create_components"] + 5,
        "total": whole["total"] + 5,
    }


def test_an_edited_body_reopens_its_own_decision_only(
    split: StagedProject, rehearse: Callable[..., Rehearsal], tmp_path: Path
) -> None:
    """The import refuses with 3 and names it, until somebody has looked."""
    split.done("import")
    write_split_site(tmp_path / "edited", headed="Two texts, edited")
    edited = rehearse(options(tmp_path / "edited"))
    text = (split.folder / ".env").read_text()
    told = edited.handle.announcement
    for name, value in (
        ("CMSMIG_ORIGIN_API_URL", told["origin_api_url"]),
        ("CMSMIG_ORIGIN_TOKEN", told["origin_token"]),
    ):
        text = re.sub(f"(?m)^{name}=.*$", f"{name}={value}", text)
    (split.folder / ".env").write_text(text)
    split.done("pull", "--refresh")
    for command in ("import", "plan", "prepare", "create", "link", "publish", "verify"):
        ended = split.run(command)
        assert ended.code == 3
        assert "how one body is split" in ended.err
        assert "1 changed after it was decided" in ended.err
        assert "Two (articles/body" in ended.err
        assert "Long" not in ended.err
    told_again = split.done(*DECIDE, "--json").document
    assert told_again["bodies_accepted"] == 1
    split.done("plan")


def test_an_embed_choice_reopens_the_bodies_that_it_changes(
    split: StagedProject,
) -> None:
    """Bodies with a video, which is a link now; the others' decisions hold."""
    split.decide("embeds.yaml", "video: component", "video: link")
    ended = split.run("plan")
    assert ended.code == 3
    assert "how 3 bodies are split" in ended.err
    assert "3 changed after it was decided" in ended.err
    assert "Two" not in ended.err
    split.decide("embeds.yaml", "video: link", "video: component")
    split.done("plan")


def entries(project: StagedProject) -> list[str]:
    text = (project.folder / "decisions/blocks.yaml").read_text()
    return re.split(r"(?m)^(?=  - slug: )", text)[1:]


def test_unreviewed_splits_are_refused_by_name(split: StagedProject) -> None:
    """Three are named and the rest is counted; nothing is written."""
    path = split.folder / "decisions" / "blocks.yaml"
    before = path.read_text()
    assert len(entries(split)) == 4
    path.write_text(before.split("\nreviews:")[0] + "\n")
    mark = split.mark()
    ended = split.run("import")
    assert ended.code == 3
    assert "how 4 bodies are split into blocks: " in ended.err
    assert "Deux (articles/body, fr-FR), " in ended.err
    assert " and 1 more; review them" in ended.err
    assert "decide --accept-proposals" in ended.err
    assert split.since(mark) == []
    path.write_text(before)
    split.done("plan")


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


def test_who_decided_changes_no_plan(split: StagedProject) -> None:
    """The same blocks by somebody else at another time are the same plan."""
    shown = split.plan()["hash"]
    path = split.folder / "decisions" / "blocks.yaml"
    text = path.read_text().replace('"Ann"', '"Bob"').replace("in bulk", "by hand")
    path.write_text(text)
    assert split.plan()["hash"] == shown
    path.write_text(text.replace("kind: gallery", "kind: text", 1))
    assert split.plan()["hash"] != shown


def test_without_a_rule_bodies_stay_one_text(project: StagedProject) -> None:
    """That is what is accepted in bulk; nothing of blocks is made."""
    project.done(*DECIDE)
    project.done("import")
    assert blocks_of(project, "articles/long")["type"] == "doc"
    assert not set(project.components()) & {"text_block", "gallery", "quote"}
    assert "reviews:\n" not in (project.folder / "decisions/blocks.yaml").read_text()


@pytest.mark.parametrize(("level", "count"), [((), 2), (("--heading-level", "1"), 1)])
def test_the_level_of_headings_can_be_chosen(
    project: StagedProject, level: tuple[str, ...], count: int
) -> None:
    """Headings below the level begin no block."""
    project.done(*DECIDE, "--split", "headings", *level)
    project.done("import")
    assert names(blocks_of(project, "articles/two")) == ["text_block"] * count


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--heading-level", "3"), "only beside --split headings"),
        (("--split", "sections"), "sections"),
        (("--split", "headings", "--heading-level", "7"), "7"),
    ],
)
def test_rules_that_are_none_are_refused(
    project: StagedProject, arguments: tuple[str, ...], said: str
) -> None:
    """Code 2 and a sentence; no decision is written."""
    ended = project.run(*DECIDE, *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert not (project.folder / "decisions" / "blocks.yaml").exists()


def test_a_component_that_the_design_lacks_is_named(split: StagedProject) -> None:
    """Blocks whose component somebody took out of the design stop the import."""
    path = split.folder / "decisions" / "design.yaml"
    text = path.read_text()
    path.write_text(text.replace("role: quote", "role: other"))
    ended = split.run("import")
    assert ended.code == 3
    assert "no block with the role `quote`" in ended.err
