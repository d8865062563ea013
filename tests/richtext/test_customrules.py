"""A project's own rules: what they claim, the result, and what goes wrong."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping

import pytest

from cmsmig.richtext.custom.claims import CustomRules
from cmsmig.richtext.custom.rules import CustomRule, Tag, component, rule
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.html.soup import Selector
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.schema.validate import problems
from tests.support import example_rules
from tests.support.richtext.outline import outline
from tests.support.richtext.rules import NOTE, answering, noted


def convert(html: str, *rules: CustomRule) -> Converted:
    """Convert a body with rules; whatever comes out is valid."""
    converted = NativeEngine(rules=CustomRules(rules)).from_html(html)
    assert problems(converted.document) == ()
    return converted


def rule_losses(converted: Converted) -> list[str]:
    """Return what the losses say of rules."""
    return [each.why for each in converted.losses if each.kind == "custom-rule"]


EXAMPLE = (example_rules.signup, example_rules.map_of_a_place)


def test_the_example_makes_its_blocks() -> None:
    """Each known widget is a block; everything else converts as ever."""
    made = convert(
        '<p>a</p><div class="signup big" data-form="f1"><b>Sign</b> up</div>'
        '<iframe src="https://maps.example.com/?q=1" title="Here"></iframe>'
        '<div class="map" data-address="Main St 1"></div>'
        '<iframe src="https://other.example.com/"></iframe><p>z</p>',
        *EXAMPLE,
    )
    assert outline(made.document).splitlines() == [
        "paragraph",
        '  "a"',
        "blok",
        '  signup_form form="f1" label="Sign up"',
        "blok",
        '  map address="https://maps.example.com/?q=1" note="Here"',
        "blok",
        '  map address="Main St 1" note=""',
        "blok",
        '  embed url="https://other.example.com/" kind="iframe" title="" caption="" '
        'html="<iframe src=\\"https://other.example.com/\\"></iframe>" '
        'frame="https://other.example.com/" shape=""',
        "paragraph",
        '  "z"',
    ]
    assert rule_losses(made) == []


def test_the_first_rule_and_the_outermost_element_have_it() -> None:
    """Rules are asked in their order, elements from outside in, once each."""
    asked: list[str] = []

    def asking(name: str, answer: bool) -> CustomRule:
        @rule("div")
        def ask(tag: Tag) -> Mapping[str, object] | None:
            asked.append(f"{name}{tag['id']}")
            return NOTE(text=name + tag.get_text()) if answer else None

        return ask

    html = '<div id="1">x<div id="2">y</div></div><div id="3">z</div>'
    made = convert(html, asking("a", False), asking("b", True), asking("c", True))
    shown = outline(made.document)
    assert shown == 'blok\n  note text="bxy"\nblok\n  note text="bz"\n'
    assert asked == ["a1", "b1", "a3", "b3"]


def test_uids_are_derived_and_differ() -> None:
    """The same body gives the same bytes; no two blocks share a `_uid`."""
    html = '<div class="w">a</div>' * 3
    answer = answering(NOTE(text="a", more=[NOTE(text="b"), NOTE(text="c")]))
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
    assert loss.why.startswith("The rule `answer` of this project went wrong here (")
    assert says in loss.why
    assert (loss.what, loss.where) == ('<div class="w">', "div")


def test_a_rule_that_raises_is_a_listed_loss() -> None:
    """Named are rule, element and error; other rules and elements go on."""

    @rule("div.w")
    def broken(tag: Tag) -> Mapping[str, object]:
        if tag.get_text() == "leave":
            sys.exit(3)
        raise KeyError(f"{object()!r} {tag['data-x']}")

    html = '<div class="w">one</div><div class="w" data-x="2">two</div>'
    made = convert(html, broken)
    assert made.document == NativeEngine().from_html(html).document
    assert rule_losses(made) == [
        "The rule `broken` of this project went wrong here (KeyError: 'data-x'), so "
        "the element was treated as without it.",
        "The rule `broken` of this project went wrong here (KeyError: '<object "
        "object> 2'), so the element was treated as without it.",
    ]
    assert "SystemExit" in rule_losses(convert('<div class="w">leave</div>', broken))[0]
    rescued = outline(convert(html, broken, noted("div.w")).document)
    assert re.findall(r'note text="(\w+)"', rescued) == ["one", "two"]


def test_a_rule_may_take_its_tree_apart() -> None:
    """It looks at a copy: what is converted does not change."""

    @rule("div.w")
    def greedy(tag: Tag) -> None:
        for each in list(tag.find_all(True)):
            each.decompose()
        tag.clear()

    html = '<div class="w"><p>a</p><p class="w">b</p></div>'
    assert convert(html, greedy).document == NativeEngine().from_html(html).document


@pytest.mark.parametrize(
    ("css", "html", "may"),
    [
        ("div.map", '<div class="map">', True),
        ("div.map", '<DIV CLASS="map">', True),
        ("div.map", '<p class="map">', False),
        ("div.map", '<div class="b">', False),
        ("div.map", '<div class="m&#97;p">', True),
        ("div.map", '<div class="b">&#97;', False),
        ("#one > p", '<p id="two">', False),
        ("#one p", '<div id="one"><p>', True),
        ("[data-x]", "<p data-x>", True),
        ("[data-x='1']", "<p data-y=1>", False),
        ("a, [data-x]", "<p data-x>", True),
        ("*", "", True),
        (":not(p)", "<p>", True),
    ],
)
def test_a_quick_look_tells_what_cannot_match(css: str, html: str, may: bool) -> None:
    """True is no promise; False is certain."""
    assert Selector(css).may_match(html.lower()) is may


def test_bodies_that_no_selector_can_match_make_no_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twenty rules over a body that has none of their widgets: a quick look."""
    monkeypatch.setattr("cmsmig.richtext.custom.claims.Tree", None)
    rules = [noted(f"div.widget-{number}[data-x]") for number in range(20)]
    html = '<p class="x">some <b>text</b> &#39;here&#39;</p><div class="y">z</div>'
    assert convert(html, *rules) == NativeEngine().from_html(html)


def test_depth_is_no_matter() -> None:
    """Thousands of levels around and in a claimed element: done, in linear time."""
    html = "<div>" * 4000 + '<b class="w">W</b>' + "</div>" * 4000 + "<p>z</p>"
    assert 'note text="W"' in outline(convert(html, noted(".w")).document)
    made = convert(f'<div class="w">{html}</div>', noted("div.w"))
    assert 'note text="Wz"' in outline(made.document)


def declared(make: Iterable[object]) -> str:
    """Return what declaring raises."""
    with pytest.raises((ValueError, TypeError)) as caught:
        list(make)
    return str(caught.value)


def test_a_wrong_declaration_says_what_is_wrong() -> None:
    """Selectors, names and field types are checked where they are written."""
    assert "no CSS selector" in declared(rule(each) for each in ["div["])
    assert "must decorate a function" in declared(rule("p")(each) for each in [3])  # type: ignore[arg-type]
    assert "lower-case letters" in declared(component(each) for each in ["A b"])
    for key in ("_uid", "component", "A", "a-b"):
        assert key in declared(component("x", **{each: "text"}) for each in [key])
    assert "has the type `words`" in declared(
        component("x", a=each) for each in ["words"]
    )
    assert "no field `b`" in declared(
        component("x", a="text")(**{each: 1}) for each in "b"
    )
