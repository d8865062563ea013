"""A project's own rules: what they claim, what becomes of it, what goes wrong."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from cmsmig.richtext.custom.claims import CustomRules
from cmsmig.richtext.custom.rules import CustomRule, Tag, component, rule
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.html.soup import Selector, Tree
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.schema.validate import problems
from tests.support import example_rules
from tests.support.richtext.bodies import bodies
from tests.support.richtext.conservation import unaccounted

NOTE = component("note", text="text", html="textarea", more="bloks")


def convert(html: str, *rules: CustomRule) -> Converted:
    """Convert a body with rules; whatever comes out is valid."""
    converted = NativeEngine(rules=CustomRules(rules)).from_html(html)
    assert problems(converted.document) == ()
    return converted


def blocks(converted: Converted) -> list[dict[str, Any]]:
    """Return the blocks in the `blok` nodes of a document, without `_uid`."""
    found = []
    stack: list[Any] = [converted.document]
    while stack:
        node = stack.pop()
        if node["type"] == "blok":
            found += node["attrs"]["body"]
        stack.extend(reversed(node.get("content", [])))
    return [
        {key: value for key, value in block.items() if key != "_uid"} for block in found
    ]


def shape(converted: Converted) -> list[str]:
    """Return the types of the top-level nodes."""
    content: Any = converted.document["content"]
    return [node["type"] for node in content]


def told(converted: Converted) -> list[str]:
    """Return what the losses say of rules."""
    return [each.why for each in converted.losses if each.kind == "custom-rule"]


def noted(selector: str) -> CustomRule:
    """Return a rule that makes a note of an element's text."""

    @rule(selector)
    def note(tag: Tag) -> Mapping[str, object]:
        return NOTE(text=tag.get_text(), html=str(tag))

    return note


def returning(value: object) -> CustomRule:
    """Return a rule that answers the same for every widget."""

    @rule("div.w")
    def answer(tag: Tag) -> Any:
        return value

    return answer


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
    assert shape(made) == ["paragraph", "blok", "blok", "blok", "blok", "paragraph"]
    assert [block["component"] for block in blocks(made)] == [
        "signup_form",
        "map",
        "map",
        "embed",
    ]
    assert blocks(made)[:3] == [
        {"component": "signup_form", "form": "f1", "label": "Sign up"},
        {
            "component": "map",
            "address": "https://maps.example.com/?q=1",
            "note": "Here",
        },
        {"component": "map", "address": "Main St 1", "note": ""},
    ]
    assert told(made) == []


def test_an_element_that_is_nobodys_business_stays() -> None:
    """A rule that returns None leaves everything as it was without rules."""
    html = '<div class="map" data-address=" ">x <b>y</b></div>'
    assert convert(html, *EXAMPLE) == NativeEngine().from_html(html)


def test_exact_conversion_knows_no_rules() -> None:
    """It is the official converter, byte for byte."""
    html = '<div class="map" data-address="a">x</div>'
    engine = NativeEngine(Mode.EXACT, rules=CustomRules(EXAMPLE))
    assert engine.from_html(html) == NativeEngine(Mode.EXACT).from_html(html)


@pytest.mark.parametrize(
    ("html", "shapes"),
    [
        ('<p>a <span class="w">W</span> b</p>', ["paragraph", "blok", "paragraph"]),
        ('<p><span class="w"></span></p>', ["blok"]),
        ('<div class="w-embed"><div class="w">W</div></div>', ["blok"]),
        ('<div data-rt-embed-type="true"><i class="w"></i></div>', ["blok"]),
        ('<figure><div><div class="w">W</div></div></figure>', ["blok"]),
        ('<h2><span class="w"></span></h2>', ["blok"]),
        ('<noscript><div class="w">W</div></noscript>', ["blok"]),
        ('<wf-component><b class="w">W</b></wf-component>', ["blok"]),
        ('<video><p class="w">W</p></video>', ["blok"]),
        ('<a href="/x"><div class="w">W</div></a>', ["blok"]),
        ('<iframe class="w" src="/f">W</iframe>', ["blok"]),
        ('<script class="w" src="/s.js"></script>', ["blok"]),
        ('<img class="w" src="/i.png">', ["blok"]),
        ('<ul><li>a</li><li class="w">W</li></ul>', None),
        ('<table><tr><td><div class="w">W</div></td></tr></table>', None),
        ('<pre>a <code class="w">W</code></pre>', None),
        ('<blockquote><p class="w">W</p></blockquote>', None),
        ('<ul class="w"><li>W</li></ul>', ["blok"]),
        (
            '<figure class="w"><img src="/i.png"><figcaption>W</figcaption></figure>',
            ["blok"],
        ),
    ],
)
def test_a_claimed_element_is_a_block_wherever_it_stands(
    html: str, shapes: list[str] | None
) -> None:
    """No structure around it swallows it, and none is lost in silence."""
    made = convert(html, noted(".w"))
    assert [block["component"] for block in blocks(made)] == ["note"]
    if shapes is not None:
        assert shape(made) == shapes
    assert unaccounted(html, made) == []


def test_what_stands_beside_a_widget_in_an_embed_converts_or_is_listed() -> None:
    """An embed that a rule reaches into is opened: its script is a loss."""
    made = convert(
        '<div class="w-embed"><p>before</p><div class="w">W</div>'
        '<script src="https://cdn.example.com/w.js"></script></div>',
        noted(".w"),
    )
    assert shape(made) == ["paragraph", "blok"]
    (script,) = [each for each in made.losses if each.kind == "script"]
    assert "https://cdn.example.com/w.js" in script.what


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
    assert [block["text"] for block in blocks(made)] == ["bxy", "bz"]
    assert asked == ["a1", "b1", "a3", "b3"]


def test_a_selector_sees_the_whole_body() -> None:
    """What is around, before and inside an element counts, as in a style sheet."""
    html = (
        '<section id="s"><h2>t</h2><p>one</p><p>two</p></section><p>three</p>'
        "<blockquote><p><b>four</b></p></blockquote>"
    )
    for selector, found in (
        ("#s > p", ["one", "two"]),
        ("h2 + p", ["one"]),
        ("p:has(b)", ["four"]),
        ("body > p", ["three"]),
        ("p:not(section p):not(blockquote p)", ["three"]),
        ("p:nth-of-type(2)", ["two"]),
        (":is(h2, b)", ["t", "four"]),
    ):
        made = convert(html, noted(selector))
        assert [block["text"] for block in blocks(made)] == found, selector


def test_uids_are_derived_and_differ() -> None:
    """The same body gives the same bytes; no two blocks share a `_uid`."""
    html = '<div class="w">a</div>' * 3
    answer = returning(NOTE(text="a", more=[NOTE(text="b"), NOTE(text="c")]))
    first = convert(html, answer).document
    assert json.dumps(first) == json.dumps(convert(html, answer).document)
    written = json.dumps(first)
    assert written.count('"_uid"') == 9
    assert list(first["content"][0]["attrs"]["body"][0])[:2] == ["_uid", "component"]


def test_fields_without_a_value_are_left_out() -> None:
    """None says that there is none; whatever the field is called."""
    made = convert(
        '<div class="w"></div>', returning({"component": "x", "caption": None})
    )
    assert blocks(made) == [{"component": "x"}]


def test_numbers_are_text_as_every_field_takes_them() -> None:
    """Also in a block of a block; what is no field of a block stays."""
    block = {"component": "note", "more": [{"component": "note", "size": 1e21}]}
    given = {**block, "size": 5, "part": -0.5, "wide": True, "plain": {"width": 7}}
    (made,) = blocks(convert('<div class="w"></div>', returning(given)))
    assert (made["size"], made["part"], made["wide"]) == ("5", "-0.5", True)
    assert made["more"][0]["size"] == "1000000000000000000000"
    assert made["plain"] == {"width": 7}


def test_a_link_around_a_block_is_carried_or_listed() -> None:
    """Once, however the block's fields are called."""
    html = '<a href="/there"><div class="w">W</div></a>'
    for fields, lost in (
        ({"text": "W"}, ["link"]),
        ({"text": "W", "link": "/there"}, []),
        ({"text": "W", "url": "/there"}, []),
        ({"text": "W", "link": "other"}, ["link"]),
    ):
        made = convert(html, returning({"component": "x", **fields}))
        assert [each.kind for each in made.losses] == lost


def test_what_a_rule_leaves_out_is_listed() -> None:
    """Words, addresses, alternative texts and code that are not in the block."""
    made = convert(
        '<div class="w">kept gone <a href="https://e.example/x">kept</a>'
        '<img src="/i.png" alt="shown"><script>run("it")</script></div>',
        returning(NOTE(text="kept")),
    )
    (loss,) = made.losses
    assert loss.kind == "custom-rule"
    assert loss.what == "gone https://e.example/x kept /i.png shown run( it )"
    assert loss.why == "The rule `answer` of this project left it out of its block."


def test_a_block_that_carries_the_html_leaves_nothing_out() -> None:
    """Markup in a field counts with its words and its addresses."""

    @rule(".w")
    def whole(tag: Tag) -> Mapping[str, object]:
        return NOTE(text=str(tag))

    html = '<div class="w">a &amp; <i>b</i> <a href="/x?a=1&amp;b=2">c</a></div>'
    assert convert(html, whole).losses == ()


def circular() -> list[object]:
    """Return a list that holds itself."""
    made: list[object] = []
    made.append(made)
    return made


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("text", "returned a str and no block"),
        (["x"], "returned a list and no block"),
        (True, "returned a bool and no block"),
        ({}, "without `component`"),
        ({"text": "x"}, "without `component`"),
        ({"component": 1}, "component is 1"),
        ({"component": "No Spaces"}, "component is 'No Spaces'"),
        ({"component": ""}, "component is ''"),
        ({"component": "x", "a": {1, 2}}, "holds a set"),
        ({"component": "x", "a": float("nan")}, "holds a float"),
        ({"component": "x", "a": object()}, "holds a object"),
        ({"component": "x", 1: "a"}, "key 1"),
        ({"component": "x", "a": "\ud800"}, "half a character"),
        ({"component": "x", "a": circular()}, "deeper than 40 levels"),
        ({"component": "x", "a": [{"component": 3}]}, "component is 3"),
        (
            {"component": "x", "body": {"type": "doc", "content": []}},
            "a wrong document: A doc is empty",
        ),
    ],
)
def test_nonsense_is_a_listed_loss(value: object, says: str) -> None:
    """The element is treated as without the rule, and the loss names both."""
    html = '<p>a</p><div class="w">W</div>'
    made = convert(html, returning(value))
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
    assert told(made) == [
        "The rule `broken` of this project went wrong here (KeyError: 'data-x'), so "
        "the element was treated as without it.",
        "The rule `broken` of this project went wrong here (KeyError: '<object "
        "object> 2'), so the element was treated as without it.",
    ]
    assert "SystemExit" in told(convert('<div class="w">leave</div>', broken))[0]
    rescued = convert(html, broken, noted("div.w"))
    assert [block["text"] for block in blocks(rescued)] == ["one", "two"]


def test_a_rule_may_take_its_tree_apart() -> None:
    """It looks at a copy: what is converted does not change."""

    @rule("div.w")
    def greedy(tag: Tag) -> None:
        for each in list(tag.find_all(True)):
            each.decompose()
        tag.clear()

    html = '<div class="w"><p>a</p><p class="w">b</p></div>'
    assert convert(html, greedy).document == NativeEngine().from_html(html).document


@settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(bodies)
def test_nothing_is_lost_under_rules(html: str) -> None:
    """Whatever rules claim, the account of a body holds and it stays valid."""
    assume(unaccounted(html, NativeEngine().from_html(html)) == [])
    made = convert(html, noted("b, figcaption"), noted("div"), noted("li:has(a)"))
    assert unaccounted(html, made) == []


@settings(derandomize=True, deadline=None, max_examples=100)
@given(bodies)
def test_rules_that_take_nothing_change_nothing(html: str) -> None:
    """Asked about every element, a rule that says None leaves no trace."""

    @rule("*")
    def nobody(tag: Tag) -> None:
        return None

    assert convert(html, nobody) == NativeEngine().from_html(html)


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


SELECTORS = (
    "p",
    "li:has(b)",
    "figure.w-richtext-align-center",
    "[data-rt-embed-type] iframe",
    "a[href^='/']",
    "img:not([alt])",
    "div > p + p",
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(bodies)
def test_what_the_quick_look_excludes_never_matches(html: str) -> None:
    """It only ever saves work."""
    from cmsmig.richtext.html.parse import parse

    tree = Tree(parse(html))
    for css in SELECTORS:
        selector = Selector(css)
        if selector.matching(tree):
            assert selector.may_match(html.lower())


def spent(work: Callable[[], object], times: int) -> float:
    """Return the best time of three runs."""

    def once() -> float:
        started = time.process_time()
        for _ in range(times):
            work()
        return time.process_time() - started

    return min(once() for _ in range(3))


def test_bodies_that_no_selector_can_match_cost_nothing() -> None:
    """Twenty rules over a body that has none of their widgets: a quick look."""
    rules = tuple(noted(f"div.widget-{number}[data-x]") for number in range(20))
    html = (
        '<p class="x">some <b>text</b> &#39;here&#39;</p><div class="y">z</div>' * 100
    )
    plain, ruled = NativeEngine(), NativeEngine(rules=CustomRules(rules))
    # The quickest of many rounds, one beside the other: others use the machine too.
    rounds = [
        (
            spent(lambda: plain.from_html(html), 1),
            spent(lambda: ruled.from_html(html), 1),
        )
        for _ in range(15)
    ]
    without, looked = (min(times) for times in zip(*rounds, strict=True))
    assert looked < 1.5 * without


def test_depth_is_no_matter() -> None:
    """Thousands of levels around and in a claimed element: done, in linear time."""
    html = "<div>" * 4000 + '<b class="w">W</b>' + "</div>" * 4000 + "<p>z</p>"
    made = convert(html, noted(".w"))
    assert [block["text"] for block in blocks(made)] == ["W"]
    made = convert(f'<div class="w">{html}</div>', noted("div.w"))
    assert [block["text"] for block in blocks(made)] == ["Wz"]


def declared(make: Iterable[object]) -> str:
    """Return what declaring raises."""
    with pytest.raises((ValueError, TypeError)) as caught:
        list(make)
    return str(caught.value)


def test_a_wrong_declaration_says_what_is_wrong() -> None:
    """Selectors, names and field types are checked where they are written."""
    assert "no CSS selector" in declared(rule(each) for each in ["div["])
    assert "above a function" in declared(rule("p")(each) for each in [3])  # type: ignore[arg-type]
    assert "lower-case letters" in declared(component(each) for each in ["A b"])
    for key in ("_uid", "component", "A", "a-b"):
        assert key in declared(component("x", **{each: "text"}) for each in [key])
    assert "has the type `words`" in declared(
        component("x", a=each) for each in ["words"]
    )
    assert "no field `b`" in declared(
        component("x", a="text")(**{each: 1}) for each in "b"
    )
