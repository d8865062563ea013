"""Instances of a designer's components as blocks: HTML in, document and losses out."""

from __future__ import annotations

import ast
from random import Random
from typing import Any

import pytest

from cmsmig.canonical import Json
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.policy import (
    EmbedPolicy,
    InstanceBlock,
    PropField,
    PropType,
    Treatment,
)
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.conservation import invented, unaccounted, vague
from tests.support.richtext.instances import (
    MAPPED,
    decided,
    instance_body,
    random_policy,
)

CARD = (
    '<wf-component data-w-id="w1" component-id="card" name="Card" prop-a="{a}">'
    '<wf-prop name="b" label="Body" type="richtext">{b}</wf-prop></wf-component>'
)


def card(a: str = "", b: str = "") -> str:
    return CARD.replace("{a}", a).replace("{b}", b)


def policy(*fields: tuple[str, PropType]) -> EmbedPolicy:
    """Return a decision in which each property becomes the field `its_` and its id."""
    props = tuple(PropField(prop, f"its_{prop}", kind) for prop, kind in fields)
    return decided(InstanceBlock("card", "card_block", props, component="Card"))


def convert(html: str, chosen: EmbedPolicy) -> Converted:
    converted = NativeEngine().from_html(html, chosen)
    assert problems(converted.document) == ()
    return converted


def blocks(converted: Converted) -> list[dict[str, Any]]:
    content: Any = converted.document["content"]
    return [b for n in content if n["type"] == "blok" for b in n["attrs"]["body"]]


def lost(converted: Converted) -> list[tuple[str, str]]:
    return [(loss.kind, loss.what) for loss in converted.losses]


@pytest.mark.parametrize(
    ("value", "kind", "field"),
    [
        ("a &lt;b&gt; c", PropType.TEXT, "a <b> c"),
        (" -1.5 ", PropType.NUMBER, "-1.5"),
        ("True", PropType.BOOLEAN, True),
        ("false", PropType.BOOLEAN, False),
        (
            "/way?a=1&amp;b=2",
            PropType.LINK,
            {
                "fieldtype": "multilink",
                "id": "",
                "linktype": "url",
                "url": "/way?a=1&b=2",
                "cached_url": "/way?a=1&b=2",
            },
        ),
        (
            "plain",
            PropType.RICHTEXT,
            {
                "type": "doc",
                "content": [
                    {
                        "type": "paragraph",
                        "attrs": {"textAlign": None},
                        "content": [{"type": "text", "text": "plain"}],
                    }
                ],
            },
        ),
    ],
)
def test_a_scalar_becomes_a_value_of_the_field(
    value: str, kind: PropType, field: Json
) -> None:
    """One block, its value in the form of its type, and no loss."""
    converted = convert(card(value), policy(("a", kind)))
    [block] = blocks(converted)
    assert block["component"] == "card_block"
    assert block["its_a"] == field
    assert lost(converted) == []


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1e5", PropType.NUMBER),
        ("twelve", PropType.NUMBER),
        ("perhaps", PropType.BOOLEAN),
        ("javascript:steal()", PropType.LINK),
        ("{}", PropType.LINK),
    ],
)
def test_a_value_of_another_type_is_a_loss_with_its_property(
    value: str, kind: PropType
) -> None:
    """The field is left out, since the destination refuses such a value."""
    converted = convert(card(value), policy(("a", kind)))
    [block] = blocks(converted)
    assert "its_a" not in block
    [loss] = converted.losses
    assert (loss.kind, loss.what) == ("property", f'prop-a="{value}"')
    assert loss.where == "wf-component"
    assert f"is no {kind}, which the field `its_a` takes" in loss.why


def test_rich_text_goes_through_the_same_converter() -> None:
    """Captions, scripts and addresses in a property fare as in the body itself."""
    body = (
        "<h2>Two</h2><figure><img src='i.png'><figcaption>Said</figcaption></figure>"
        "<p onclick='steal()'>a <a href='javascript:steal()'>b</a></p>"
        "<script>steal()</script>"
    )
    converted = convert(card(b=body), policy(("b", PropType.RICHTEXT)))
    outside = convert(body, EmbedPolicy())
    [block] = blocks(converted)
    kinds = [node["type"] for node in block["its_b"]["content"]]
    assert kinds == ["heading", "blok", "paragraph"]
    assert kinds == [node["type"] for node in outside.document["content"]]  # type: ignore[union-attr,index,call-overload]
    assert sorted(lost(converted)) == sorted(lost(outside))
    assert {loss.where.split("/")[1] for loss in converted.losses} == {"wf-prop"}


def test_a_property_without_a_field_is_a_loss_that_names_it() -> None:
    """With its label where the origin tells one, and what it held."""
    converted = convert(card("Heads up", "<p>Bring</p>"), policy())
    assert blocks(converted)[0].keys() == {"_uid", "component"}
    said = [(loss.kind, loss.where, loss.why) for loss in converted.losses]
    assert [each[:2] for each in said] == [
        ("property", "wf-component"),
        ("property", "wf-component/wf-prop"),
    ]
    assert "`card_block` takes the property a of Card" in said[0][2]
    assert "the property Body (b) of Card" in said[1][2]


def test_markup_in_a_text_is_listed_and_its_words_stand() -> None:
    """A field for text holds the words; link, picture and script are named."""
    body = "<b>one</b> <a href='/x'>two</a><br><img src='i.png'><script>s()</script>"
    converted = convert(card(b=body), policy(("b", PropType.TEXT)))
    assert blocks(converted)[0]["its_b"] == "one two"
    assert lost(converted) == [
        ("property", "<b>"),
        ("link", "/x"),
        ("property", "<img src='i.png'>"),
        ("dropped", "<script>s()</script>"),
    ]


def test_an_element_counts_more_than_an_attribute_of_the_same_property() -> None:
    """The same words are no loss; other ones are."""
    twice = '<wf-component component-id="card" prop-b="{a}"><wf-prop name="b">one</wf-prop></wf-component>'  # noqa: E501
    chosen = policy(("b", PropType.TEXT))
    same = convert(twice.replace("{a}", "one"), chosen)
    assert (blocks(same)[0]["its_b"], lost(same)) == ("one", [])
    other = convert(twice.replace("{a}", "two"), chosen)
    assert blocks(other)[0]["its_b"] == "one"
    assert lost(other) == [("property", 'prop-b="two"')]


@pytest.mark.parametrize("stray", ["stray", "<p>stray</p>"])
def test_what_is_outside_of_properties_keeps_the_instance_whole(stray: str) -> None:
    """Such an instance goes by the choice for every component, and that is said."""
    html = card("x").replace("</wf-component>", f"{stray}</wf-component>")
    converted = convert(html, policy(("a", PropType.TEXT)))
    assert blocks(converted)[0]["html"] == html
    [loss] = converted.losses
    assert (loss.kind, loss.what) == ("instance", "<wf-component>")
    assert "no block `card_block`" in loss.why


def test_undecided_components_are_as_they_were() -> None:
    """Nothing changes for other components, and nothing in exact mode."""
    other = card("x", "<p>y</p>").replace('"card"', '"other"')
    chosen = policy(("a", PropType.TEXT))
    assert convert(other, chosen) == convert(other, EmbedPolicy())
    exact = NativeEngine(Mode.EXACT)
    assert exact.from_html(card("x"), chosen) == exact.from_html(card("x"))


def test_a_decided_block_beats_the_choice_for_its_kind_and_host() -> None:
    """Components are dropped, and this one is not."""
    chosen = policy(("a", PropType.TEXT))
    dropping = EmbedPolicy({"component": Treatment.DROP}, components=chosen.components)
    assert blocks(convert(card("x"), dropping))[0]["its_a"] == "x"


def test_conversion_is_deterministic_and_uids_differ() -> None:
    """Two instances that say the same have blocks of their own, in every run alike."""
    html = card("x") + card("x")
    first, second = (convert(html, policy(("a", PropType.TEXT))) for _ in range(2))
    assert first == second
    assert len({block["_uid"] for block in blocks(first)}) == 2


def test_instances_in_each_other_end_somewhere() -> None:
    """Hostile nesting is no deeper than readers of JSON take; nothing is silent."""
    html = "x"
    for _ in range(300):
        html = card(b=html)
    converted = convert(html, policy(("b", PropType.RICHTEXT)))
    depth = str(converted.document).count("'its_b'")
    assert 2 <= depth <= 8
    assert "nested too deep" in " ".join(loss.why for loss in converted.losses)


def test_random_instances_keep_the_account() -> None:
    """Every character, link, picture and embed is in the document or is a loss."""
    for number in range(60):
        random = Random(f"instances:{number}")
        chosen, html = random_policy(random), instance_body(random)
        converted = convert(html, chosen)
        assert unaccounted(html, converted, MAPPED) == [], html
        assert invented(html, converted, MAPPED) == {}, html
        assert list(vague(html, converted.losses)) == [], html


def test_the_account_misses_a_property_that_is_gone() -> None:
    """The independent account finds out a block that lacks what an instance says."""
    html = card("told", "<p>body</p>")
    whole = convert(html, policy(("a", PropType.TEXT), ("b", PropType.RICHTEXT)))
    renamed = str(whole.document).replace("card_block", "block_card")
    document = ast.literal_eval(renamed)
    named = frozenset(("card",))
    assert unaccounted(html, Converted(document), named) == []
    for key in ("its_a", "its_b"):
        held = ast.literal_eval(renamed)
        del held["content"][0]["attrs"]["body"][0][key]
        assert unaccounted(html, Converted(held), named) != []
