"""A project's own rules: what they claim, the result, and what goes wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import pytest

from cmsmig.richtext.custom.claims import CustomRules
from cmsmig.richtext.custom.rules import RuleFunction
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.html.soup import Tag
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.schema.validate import problems
from tests.support import example_rules
from tests.support.richtext.outline import outline
from tests.support.richtext.rules import answering, note_of, noted


def convert(html: str, rule: RuleFunction) -> Converted:
    """Convert a body with a rule; whatever comes out is valid."""
    converted = NativeEngine(rules=CustomRules(rule)).from_html(html)
    assert problems(converted.document) == ()
    return converted


def rule_losses(converted: Converted) -> list[str]:
    """Return what the losses say of rules."""
    return [each.why for each in converted.losses if each.kind == "custom-rule"]


EXAMPLE = example_rules.rule


def test_the_example_makes_its_blocks() -> None:
    """Each known widget is a block; everything else converts as ever."""
    made = convert(
        '<p>a</p><div class="signup big" data-form="f1"><b>Sign</b> up</div>'
        '<iframe src="https://maps.example.com/?q=1" title="Here"></iframe>'
        '<aside class="tip">Mind <b>this</b></aside>'
        '<iframe src="https://other.example.com/"></iframe><p>z</p>',
        EXAMPLE,
    )
    assert outline(made.document).splitlines() == [
        "paragraph",
        '  "a"',
        "blok",
        '  signup_form form="f1" label="Sign up"',
        "blok",
        '  map address="https://maps.example.com/?q=1" note="Here"',
        "blok",
        '  tip text="Mind this"',
        "blok",
        '  embed url="https://other.example.com/" kind="iframe" title="" caption="" '
        'html="<iframe src=\\"https://other.example.com/\\"></iframe>" '
        'frame="https://other.example.com/" shape=""',
        "paragraph",
        '  "z"',
    ]
    assert rule_losses(made) == []


def test_the_outermost_element_has_it() -> None:
    """Elements are asked about from outside in, once each."""
    asked: list[str] = []

    def rule(tag: Tag) -> Mapping[str, object] | None:
        asked.append(f"{tag.name}{tag.get('id', '')}")
        return note_of(text=tag.get_text()) if tag.name == "div" else None

    html = '<p id="1">w</p><div id="2">x<div id="3">y</div></div><div id="4">z</div>'
    shown = outline(convert(html, rule).document)
    assert shown.endswith('blok\n  note text="xy"\nblok\n  note text="z"\n')
    assert [each for each in asked if each[-1].isdecimal()] == ["p1", "div2", "div4"]


def test_uids_are_derived_and_differ() -> None:
    """The same body gives the same bytes; no two blocks share a `_uid`."""
    html = '<div class="w">a</div>' * 3
    answer = answering(note_of(text="a", more=[note_of(text="b"), note_of(text="c")]))
    first = convert(html, answer).document
    assert json.dumps(first) == json.dumps(convert(html, answer).document)
    written = json.dumps(first)
    assert written.count('"_uid"') == 9
    assert list(first["content"][0]["attrs"]["body"][0])[:2] == ["_uid", "component"]


def circular() -> list[object]:
    """Return a list that holds itself."""
    made: list[object] = []
    made.append(made)
    return made


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"component": "x", "a": {1, 2}}, "holds a set"),
        ({"component": "x", "a": object()}, "holds a object"),
        ({"component": "x", "a": "\ud800"}, "half of a character"),
        ({"component": "x", "a": circular()}, "deeper than 40 levels"),
    ],
)
def test_nonsense_is_a_listed_loss(value: object, says: str) -> None:
    """The element is treated as without the rule, and the loss names both."""
    html = '<p>a</p><div class="w">W</div>'
    made = convert(html, answering(value))
    assert made.document == NativeEngine().from_html(html).document
    (loss,) = [each for each in made.losses if each.kind == "custom-rule"]
    assert loss.why.startswith("The rule of this project went wrong here (")
    assert says in loss.why
    assert (loss.what, loss.where) == ('<div class="w">', "div")


def test_a_rule_that_raises_is_a_listed_loss() -> None:
    """Named are element and error; other elements go on."""

    def broken(tag: Tag) -> Mapping[str, object] | None:
        if tag.get("class") != ["w"]:
            return None
        if tag.get_text() == "leave":
            sys.exit(3)
        raise KeyError(f"{object()!r} {tag['data-x']}")

    html = '<div class="w">one</div><div class="w" data-x="2">two</div>'
    made = convert(html, broken)
    assert made.document == NativeEngine().from_html(html).document
    assert rule_losses(made) == [
        "The rule of this project went wrong here (KeyError: 'data-x'), so the element "
        "was treated as without it.",
        "The rule of this project went wrong here (KeyError: '<object object> 2'), so "
        "the element was treated as without it.",
    ]
    assert "SystemExit" in rule_losses(convert('<div class="w">leave</div>', broken))[0]


def test_a_rule_may_take_its_tree_apart() -> None:
    """It looks at a copy: what is converted does not change."""

    def greedy(tag: Tag) -> None:
        for each in list(tag.find_all(True)):
            each.decompose()
        tag.clear()

    html = '<div class="w"><p>a</p><p class="w">b</p></div>'
    assert convert(html, greedy).document == NativeEngine().from_html(html).document


def test_depth_is_no_matter() -> None:
    """Thousands of levels around and in a claimed element: done, in linear time."""
    html = "<div>" * 4000 + '<b class="w">W</b>' + "</div>" * 4000 + "<p>z</p>"
    assert 'note text="W"' in outline(convert(html, noted(".w")).document)
    made = convert(f'<div class="w">{html}</div>', noted("div.w"))
    assert 'note text="Wz"' in outline(made.document)
