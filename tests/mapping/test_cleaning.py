"""What operations of `cleaning.yaml` make of values, and what is always so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import DecisionsError
from cmsmig.mapping.cleaning.body_edits import OBJECT, Body
from cmsmig.mapping.cleaning.cleaner import Cleaner, cleaned_value, closed
from cmsmig.mapping.decisions.cleaning import (
    AltText,
    CleaningDecision,
    CleaningKind,
    Operation,
    Within,
    cleaning_problems,
)
from cmsmig.mapping.decisions.decision_files import from_text, to_text
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.origin.schema import Collection, Field, parse_item
from cmsmig.richtext.html.dom import text_of, walk
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.prepare.embeds import is_custom_embed
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.bodies import SEARCH, bodies, mutated
from tests.support.timelimit import at_most

OPTIONS = {"options": [{"id": "1", "name": "Café"}, {"id": "2", "name": "cafe"}]}
FIELDS = {
    name: Field(name, name, name.title(), kind, required, "", validations)
    for name, kind, required, validations in (
        ("name", "PlainText", True, {}),
        ("slug", "PlainText", True, {}),
        ("body", "RichText", False, {}),
        ("topic", "Option", False, OPTIONS),
        ("price", "Number", False, {}),
        ("shown", "Switch", False, {}),
        ("site", "Link", False, {}),
        ("cover", "Image", False, {}),
        ("pictures", "MultiImage", False, {}),
    )
}
POSTS = Collection("c1", "Posts", "Post", "posts", tuple(FIELDS.values()))
SOMEONE = Reviewed("Ann", "2026-01-01T00:00:00+00:00", "individually")
PICTURE = "https://files.example/one.png"
HEADINGS = '<h1 id="">A</h1><p>x</p><h4>B</h4><h2>&nbsp;</h2><p>y</p>'


def operation(kind: str, **more: Any) -> Operation:
    return Operation(kind=CleaningKind(kind), reviewed=SOMEONE, **more)


def done(field: str, value: object, given: Operation) -> Any:
    return cleaned_value(given, FIELDS[field], f"posts/one/{field}", value)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "old", "given_", "new"),
    [
        ("name", "Cafe", operation("merge_values", values=("Cafe",), to="Caf"), "Caf"),
        ("topic", "2", operation("merge_values", values=("cafe",), to="Café"), "1"),
        ("name", "An Acme", operation("replace", find="Acme", to="Foo"), "An Foo"),
        (
            "body",
            "<p>The <b>Ac</b>me<code>Acme</code> &lt;a</p>",
            operation("replace", find="Acme", to="A & B"),
            "<p>The <b>A &amp; B</b><code>Acme</code> &lt;a</p>",
        ),
        (
            "body",
            '<p>Acme</p><div class="w-embed">Acme</div><!-- Acme -->',
            operation("replace", find="Acme", to="Foo"),
            '<p>Foo</p><div class="w-embed">Acme</div><!-- Acme -->',
        ),
        (
            "body",
            "<p>on 3.4.2020, or 5.6.2021</p>",
            operation("replace", find=r"(\d)\.(\d)\.(\d+)", to=r"\3-\2-\1", regex=True),
            "<p>on 2020-4-3, or 2021-6-5</p>",
        ),
        (
            "body",
            '<p><a class=x href="http://old.test/?a=1&amp;b=2">old.test</a></p>',
            operation("replace", find="old.test", to="new.org", within=Within.LINKS),
            '<p><a class=x href="http://new.org/?a=1&amp;b=2">old.test</a></p>',
        ),
        (
            "site",
            "http://old.test/a",
            operation("replace", find="http://old.test", within=Within.LINKS),
            "/a",
        ),
        ("body", HEADINGS, operation("headings", top=2), HEADINGS.replace("h4", "h5")
         .replace("h2", "h3").replace("h1", "h2")),
        ("body", HEADINGS, operation("headings", close_jumps=True),
         HEADINGS.replace("h4", "h2")),
        ("body", HEADINGS, operation("headings", drop_empty=True),
         HEADINGS.replace("<h2>&nbsp;</h2>", "")),
        ("name", " a  b\xa0", operation("trim"), "a b"),
        ("name", "two\n\n  indented", operation("trim"), "two\n\n  indented"),
        ("body", "<p>&nbsp;Some&nbsp;words, 5&nbsp;km </p><p>&nbsp;</p>",
         operation("trim"), "<p>Some words, 5\xa0km</p><p>&nbsp;</p>"),
        ("body", "<p>Say <b>&nbsp;it</b></p>", operation("trim"),
         "<p>Say <b>it</b></p>"),
        ("body", f'<p><img src="{PICTURE}"/></p>',
         operation("alt_text", alts=(AltText(PICTURE, 'A "b"'),)),
         f'<p><img alt="A &quot;b&quot;" src="{PICTURE}"/></p>'),
        ("body", f'<p><img src="{PICTURE}" alt="kept"></p>',
         operation("alt_text", alts=(AltText(PICTURE, "other"),)),
         f'<p><img src="{PICTURE}" alt="kept"></p>'),
        ("cover", {"url": PICTURE, "alt": None},
         operation("alt_text", alts=(AltText(PICTURE, "One"),)),
         {"url": PICTURE, "alt": "One"}),
        ("pictures", [{"url": PICTURE, "alt": ""}, {"url": "x", "alt": ""}],
         operation("alt_text", alts=(AltText(PICTURE, "One", "posts/one/pictures"),
                                     AltText("x", "Two", "posts/two/pictures"))),
         [{"url": PICTURE, "alt": "One"}, {"url": "x", "alt": ""}]),
        ("topic", None, operation("set_value", value="Café"), "1"),
        ("price", 3, operation("set_value", value="4.5"), 4.5),
        ("shown", None, operation("set_value", value="no"), False),
        ("site", "http://x", operation("empty_value"), None),
    ],
)  # fmt: skip
def test_an_operation_changes_a_value(
    field: str, old: object, given_: Operation, new: object
) -> None:
    """And the same again changes nothing; what it does not mean stays as it was."""
    assert done(field, old, given_) == new
    assert done(field, new, given_) == new


@pytest.mark.parametrize(
    ("find", "to", "value"),
    [("a+", r"\g<0>a", "baa"), ("^", "x", "b"), ("ab", "", "a" * 99 + "b" * 99)],
)
def test_what_would_never_end_changes_nothing(find: str, to: str, value: str) -> None:
    """Its own result always holds something new to replace."""
    assert done("name", value, operation("replace", find=find, to=to, regex=True)) in (
        value,
    )


def test_an_expression_has_a_limit_of_time() -> None:
    """It is named, with the text; nothing is replaced by halves."""
    slow = operation("replace", find="(a|aa)+$", to="b", regex=True)
    with at_most(20), pytest.raises(DecisionsError, match="takes more than 2 seconds"):
        done("name", "a" * 60 + "!", slow)


def test_a_result_that_names_no_group_is_refused() -> None:
    """With the expression."""
    wrong = operation("replace", find="(a)", to=r"\2", regex=True)
    with pytest.raises(
        DecisionsError, match=r"`\(a\)` finds cannot be replaced by `\\2`"
    ):
        done("name", "a", wrong)


def test_levels_follow_each_other() -> None:
    """The first one stays, and so does each that is above all before it."""
    assert closed([3, 5, 5, 4, 2, 6, 6, 3]) == [3, 4, 4, 4, 2, 3, 3, 3]
    assert closed([]) == []


ANY = (
    operation("replace", find="a", to="b"),
    operation("replace", find="o ", to=""),
    operation("replace", find=r"(?<!\w)\w+(?= )", to="<&>", regex=True),
    operation("trim"),
    operation("headings", top=2, close_jumps=True, drop_empty=True),
    operation("headings", top=3),
    operation("alt_text", alts=(AltText("/a.png", "x"), AltText(PICTURE, '"&'))),
    operation("replace", find="/", to="&\"'<>", within=Within.LINKS),
)


def kept(html: str) -> list[str]:
    """Return the source of code and embeds."""
    return [
        html[each.start : each.end]
        for each in walk(parse(html))
        if each.tag in ("pre", "script", "svg", "iframe") or is_custom_embed(each)
    ]


def facts(html: str) -> list[list[str]]:
    """Return what a body says: texts, headings, links and alternative texts."""
    body = Body(html)
    texts = [each for each in body.texts if each.strip()]
    return [texts, [each.tag for each in body.headings], body.hrefs, body.alts]


@SEARCH
@given(bodies | mutated, st.sampled_from(ANY))
def test_a_body_stays_one(html: str, given_: Operation) -> None:
    """Applied twice it changes nothing the second time; code and embeds are the same
    bytes; what it does not look at says the same; it converts to a valid document."""
    new = done("body", html, given_)
    assert done("body", new, given_) == new
    assert kept(new) == kept(html)
    before, after = facts(html), facts(new)
    looks_at = {"headings": 1, "alt_text": 3}.get(given_.kind, 0)
    looks_at = 2 if given_.within is Within.LINKS else looks_at
    for part, (old, said) in enumerate(zip(before, after, strict=True)):
        assert old == said or part == looks_at
    if given_ is ANY[0]:
        assert after[0] == [each.replace("a", "b") for each in before[0]]
    if given_.kind is CleaningKind.HEADINGS and not given_.drop_empty:
        down = max(3 - min((int(each[1]) for each in before[1]), default=6), 0)
        assert after[1] == [f"h{min(int(each[1]) + down, 6)}" for each in before[1]]
    if looks_at:
        assert text_of(parse(new)).split() == text_of(parse(html)).split()
    assert not [*problems(NativeEngine().from_html(new).document)]


@SEARCH
@given(bodies | mutated)
def test_a_body_without_a_place_is_the_same_string(html: str) -> None:
    """Whatever markup it is in."""
    absent = operation("replace", find="no such words", to="x")
    assert done("body", html, absent) is html


@SEARCH
@given(bodies | mutated)
def test_lines_hold_every_visible_letter(html: str) -> None:
    """In their order, with one character for each picture, code and embed."""
    said = "".join(Body(html).texts).replace(OBJECT, "")
    rest = iter(text_of(parse(html)))
    assert all(letter in rest for letter in said)


@pytest.mark.parametrize(
    "part",
    ["<b>a ", "<p>a  b</p>", "<h1>a</h1>", "<h2></h2>", "&nbsp; ", "a", " ", "</b>",
     "<img src=x>", "<a href=/a>a</a>", "<div class=w-embed>", "<ul><li>a", "a<br>"],
)  # fmt: skip
def test_no_construct_is_slower_than_linear(part: str) -> None:
    """Some hundred thousand characters of each take seconds at most."""
    html = part * (120_000 // len(part))
    for each in ANY:
        with at_most(20):
            done("body", html, each)


def cleaner(*operations: Operation) -> Cleaner:
    decided = CleaningDecision(operations)
    return Cleaner(decided.accepted, {"c1": POSTS}, {"l1": "de"})


DATA: dict[str, Any] = {
    "name": " An  Acme", "slug": "an--acme", "topic": "2", "site": None,
    "body": "<p>Acme</p>", "extra": " kept ",
}  # fmt: skip

ITEM = parse_item({"id": "i1", "cmsLocaleId": "l1", "fieldData": DATA}, "c1", "here")


def test_operations_follow_each_other_and_leave_the_slug() -> None:
    """Each works on what the one before left, in its scope alone; a proposal and a
    refused one do nothing."""
    replaced = operation("replace", find="An Acme", to="An Foo", fields=("name",))
    skipped = (
        replace(replaced, find="Foo", to="Bar", reviewed=None),
        replace(replaced, find="Foo", to="Bar", refused=True),
        replace(replaced, find="Foo", to="Bar", locales=("fr",)),
        replace(replaced, find="Foo", to="Bar", items=("i2",)),
        replace(replaced, find="Foo", to="Bar", collections=("others",)),
        replace(replaced, find="Foo", to="Bar", search="acme nowhere"),
    )
    every = cleaner(operation("trim"), replaced, *skipped)
    assert every.cleaned(ITEM) == {**DATA, "name": "An Foo"}
    assert [each.operation for each in every.edits(ITEM)] == [1, 2]
    found = cleaner(replace(replaced, find="  Acme", search="ACME i1 CAFE"))
    assert found.cleaned(ITEM)["name"] == " AnAn Foo"


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        (operation("trim", collections=("psts",)), "names the collection `psts`"),
        (operation("trim", fields=("slug",)), "cannot change the field `slug`"),
        (operation("headings", top=2, fields=("name",)), "change the field `name`"),
        (operation("headings"), "needs `top`, `close_jumps` or `drop_empty`"),
        (operation("headings", top=9), "has `top: 9`"),
        (operation("replace"), "needs `find`"),
        (operation("replace", find="a", to="bab"), "would never end"),
        (operation("replace", find="(", regex=True), "cannot be read: missing )"),
        (operation("merge_values", values=("a",), to="b"), "needs `fields`"),
        (operation("merge_values", fields=("topic",), values=("cafe",), to="Kaffee"),
         "needs an option of `topic` under `to`; there are Café, cafe"),
        (operation("set_value", fields=("price",), value="1"), "`search` or `items`"),
        (operation("set_value", fields=("price",), value="x", items=("i1",)),
         "sets `price` to `x`, which is no Number"),
        (operation("set_value", fields=("cover",), value="x", items=("i1",)),
         "cannot set the field `cover`, which is a Image"),
        (operation("empty_value", fields=("name",), search="x"), "which is required"),
    ],
)  # fmt: skip
def test_a_wrong_operation_is_named(given_: Operation, says: str) -> None:
    """With its number, its kind, and what there is."""
    good = operation("trim")
    found = [*cleaning_problems(CleaningDecision((good, given_)), {"c1": POSTS})]
    assert len(found) == 1
    assert found[0].startswith(f"operation 2 ({given_.kind}) ")
    assert says in found[0]


def test_a_file_says_what_was_decided() -> None:
    """Keys that have their default are left out."""
    text = """\
operations:
- kind: replace
  find: "Acme\\u00a0Corp"
  to: No
  fields: [body]
  note: as the brand book says
  reviewed: {by: Ann, at: 2026-01-01T00:00:00+00:00, how: individually}
"""
    found = from_text(text, "cleaning.yaml", CleaningDecision)
    assert found.operations == (
        operation("replace", find="Acme\xa0Corp", to="No", fields=("body",),
                  note="as the brand book says"),
    )  # fmt: skip
    assert from_text(to_text(found), "f", CleaningDecision) == found
    assert "regex" not in to_text(found).split("operations:")[1]
    with pytest.raises(DecisionsError, match=r"cleaning.yaml, line 2 .*tidy"):
        from_text("operations:\n- kind: tidy\n", "cleaning.yaml", CleaningDecision)


def test_a_domain_of_links_is_named_without_slashes() -> None:
    """As editors write it."""
    one = operation("replace", find="//old.test", to="//new.org", within=Within.LINKS)
    assert one.title == "“old.test” becomes “new.org” in links"
