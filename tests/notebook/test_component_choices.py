"""The designer's components in notebook 03, listed and decided on."""

from __future__ import annotations

import json
from pathlib import Path

from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.notebook.preview.previewing import embed_policies, open_previews
from cmsmig.richtext.policy import InstanceBlock, PropField, PropType
from cmsmig.steps.decide.decision_store import decision_in
from tests.notebook.test_previewing import by_hand, decided_workspace
from tests.support.notebook.live_panel import LivePanel, worked
from tests.support.notebook.pulled_site import POSTS, write_site

NESTED = (
    '<wf-component component-id="c2" name="Price"><wf-prop name="q1" label="Amount" '
    'type="text">€ 12</wf-prop></wf-component>'
)
CARD = (
    '<wf-component component-id="c1" name="Recipe &lt;i&gt;card" prop-p1="{number}">'
    '<wf-prop name="p2" label="Method &lt;i&gt;" type="richtext"><p>Mash it.</p>'
    f"{NESTED}</wf-prop></wf-component>"
)


def write_cards(root: Path) -> None:
    """Write the small site with instances of two components in two bodies."""
    raw = root / "raw"
    write_site(raw)
    for part in ("items", "live"):
        path = raw / part / f"{POSTS}.json"
        told = path.read_text()
        for said, number in (("Nothing is lost.", "3"), ("Look", "4")):
            card = json.dumps(CARD.replace("{number}", number))[1:-1]
            told = told.replace(f"<p>{said}</p>", f"<p>{said}</p>{card}", 1)
        path.write_text(told)


async def test_components_are_listed_with_their_properties(tmp_path: Path) -> None:
    """Unattended: instances, bodies, labels, types and samples; hostile names inert."""
    write_cards(tmp_path)
    previews = open_previews(await decided_workspace(tmp_path))
    html = str(embed_policies(previews).html())
    assert "Recipe &lt;i&gt;card, as every component: 2 instances in 2 bodies" in html
    assert "Price, as every component: 2 instances in 2 bodies" in html
    for told in ("Method &lt;i&gt;", "richtext", "Mash it.", "p1", "3 · 4", "€ 12"):
        assert told in html, told
    assert "<i>" not in html


async def test_a_component_becomes_a_block_by_a_few_choices(tmp_path: Path) -> None:
    """Proposed with a field for each property, named and left out by hand."""
    write_cards(tmp_path)
    previews = await by_hand(tmp_path)
    project = previews.workspace.project
    panel = LivePanel(embed_policies(previews).widget())
    await worked()
    assert len(panel.options("component-chosen")) == 2
    await panel.work("component-chosen", "c1")
    await panel.work("component-becomes", "block")
    proposed = decision_in(project, EmbedsDecision).components
    assert proposed == (
        InstanceBlock(
            "c1",
            "recipe_i_card",
            (
                PropField("p1", "prop_p1", PropType.NUMBER),
                PropField("p2", "method_i", PropType.RICHTEXT, label="Method <i>"),
            ),
            component="Recipe <i>card",
        ),
    )
    await panel.work("component-block", "no name!")
    assert "block no name! of the component" in panel.said()
    assert decision_in(project, EmbedsDecision).components == proposed
    await panel.work("component-block", "recipe")
    await panel.work("component-prop", "nothing", 0)
    (block,) = decision_in(project, EmbedsDecision).components
    assert (block.block, [each.prop for each in block.props]) == ("recipe", ["p2"])
    index = previews.body_index.find("plain")
    assert index is not None
    converted = previews.body_index.converted(index)
    assert '"component": "recipe"' in json.dumps(converted.document)
    assert [loss.what for loss in converted.losses] == ['prop-p1="3"']
    await worked()
    counted = {each.kind: each.losses for each in previews.body_index.losses()}
    assert counted["property"] == 2
    await panel.work("component-prop", "text", 0)
    (block,) = decision_in(project, EmbedsDecision).components
    assert block.props[0] == PropField("p1", "prop_p1", PropType.TEXT)
    await panel.work("component-becomes", "kind")
    assert decision_in(project, EmbedsDecision).components == ()
