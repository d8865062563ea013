"""Instances of a component of the designer, from a decision to stories read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal
from tests.support.steps.split_site import TO_SHORT, write_split_site
from tests.support.steps.staged_project import StagedProject

DECIDE = ("decide", "--accept-proposals", "--reviewer", "Ann")
CARD = (
    '<wf-component component-id="c1" name="Card" prop-k1="/articles/short" '
    'prop-k2="7" prop-k3="true" prop-k4="left over"><wf-prop name="k5" '
    f'label="Body" type="richtext"><p>{TO_SHORT}</p></wf-prop></wf-component>'
)
DECISION = """\
components:
  - component: Card
    component_id: c1
    block: card
    props:
      - {prop: k1, field: target, type: link}
      - {prop: k2, field: amount, type: number}
      - {prop: k3, field: shown, type: boolean}
      - {prop: k5, label: Body, field: body, type: richtext}
"""


@pytest.fixture
def project(rehearse: Callable[..., Rehearsal], tmp_path: Path) -> StagedProject:
    """Return a pulled and decided project of a site with an instance in a body."""
    write_split_site(tmp_path / "site", headed=CARD)
    content = SandboxOptions(content=tmp_path / "site", rate=500, origin_rate=60_000)
    started = StagedProject(rehearse(content))
    started.done("pull")
    started.done(*DECIDE)
    return started


def decide(project: StagedProject, decision: str = DECISION) -> None:
    path = project.folder / "decisions" / "embeds.yaml"
    path.write_text(path.read_text().partition("components:\n  - ")[0] + decision)


def test_a_decided_component_is_made_and_holds_its_properties(
    project: StagedProject,
) -> None:
    """The service keeps every value, links lead to stories, and nothing differs."""
    undecided = project.plan()
    decide(project)
    planned = project.plan()
    assert planned["hash"] != undecided["hash"]
    assert planned["losses_by_kind"]["property"] == 1
    assert project.done("decisions", "check", "--json").code == 0
    project.done("import", "--plan", planned["hash"])
    (made,) = (c for c in project.space.components.values() if c["name"] == "card")
    assert {key: field["type"] for key, field in made["schema"].items()} == {
        "target": "multilink",
        "amount": "number",
        "shown": "boolean",
        "body": "richtext",
    }
    assert (made["schema"]["body"]["display_name"], made["display_name"]) == (
        "Body",
        "Card",
    )
    stories = project.stories()
    body = stories["articles/two"].content["body"]["content"]
    (block,) = next(node for node in body if node["type"] == "blok")["attrs"]["body"]
    short = stories["articles/short"].uuid
    assert (block["component"], block["amount"], block["shown"]) == ("card", "7", True)
    assert (block["target"]["linktype"], block["target"]["id"]) == ("story", short)
    assert short in str(block["body"])
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("block: card", "block: Card!", "the block `Card!` of the component Card may"),
        ("field: amount", "field: target", "two properties of the component Card have"),
        ("field: amount", "field: _uid", "`_uid` of the component Card is reserved"),
        ("prop: k2", "prop: k1", "the property k1 of the component Card is decided"),
        ("block: card", "block: article", "which is a content type"),
        ("block: card", "block: figure", "has for figure blocks"),
        ("type: number", "type: price", "use one of text, number, boolean, link"),
        ("    block: card\n", "", "lacks the key `block`"),
    ],
)
def test_a_decision_that_cannot_work_is_refused(
    project: StagedProject, old: str, new: str, says: str
) -> None:
    """The check names the file and what is wrong there, before anything is written."""
    decide(project, DECISION.replace(old, new))
    refused = project.run("decisions", "check")
    assert refused.code == 2
    assert "embeds.yaml" in refused.err
    assert says in refused.err


def test_a_block_of_the_design_stands_and_has_to_fit(project: StagedProject) -> None:
    """Its own field definitions stay; another type of field is refused."""
    block = (
        "\nblocks:\n  - component: card\n    display_name: Our card\n    schema:\n"
        "      target: {type: multilink}\n      amount: {type: KIND}\n"
        "      shown: {type: boolean}\n      body: {type: richtext}\n"
    )
    decide(project)
    project.decide("design.yaml", "\nblocks:\n", block.replace("KIND", "text"))
    refused = project.run("decisions", "check")
    assert (refused.code, "`amount` of the block `card`" in refused.err) == (2, True)
    project.decide("design.yaml", "amount: {type: text}", "amount: {type: number}")
    project.done("import")
    (made,) = (c for c in project.space.components.values() if c["name"] == "card")
    assert made["display_name"] == "Our card"
    project.verified()


def test_what_was_decided_otherwise_is_told(
    project: StagedProject, tmp_path: Path
) -> None:
    """`decisions diff` names the component, its block and each property."""
    before = tmp_path / "before"
    decide(project)
    before.mkdir()
    for each in (project.folder / "decisions").iterdir():
        (before / each.name).write_bytes(each.read_bytes())
    changed = DECISION.replace("field: amount, type: number", "field: sum, type: text")
    decide(project, changed.replace("block: card", "block: teaser"))
    told = project.run(
        "decisions", "diff", str(before), str(project.folder / "decisions")
    )
    assert told.code == 1
    assert "component Card: block teaser, was card" in told.out
    assert "component Card, k2: sum (text), was amount (number)" in told.out
