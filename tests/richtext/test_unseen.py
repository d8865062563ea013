"""What shows nothing between blocks or in lists leaves no node, and is listed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.native import NativeEngine
from tests.richtext.test_conversion import body, converted, kinds, outline
from tests.support.richtext.deviating import deviations_of

chosen = settings(derandomize=True, deadline=None, max_examples=200)
_SIGNS = ("&nbsp;", "\u200d", " \u200b ", "\u00a0\u00a0", "&#x2060;", "\ufeff")
_BETWEEN_ITEMS = (
    *_SIGNS, " ", "\n", "<br>", "<p>&nbsp;</p>", "<p></p>", "<h3>\u200d</h3>",
    "<ul></ul>", "<ol> </ol>", "<ul>&nbsp;</ul>", "<div>&nbsp;</div>", "<b>\u200d</b>",
    "<ul><br></ul>", "<blockquote></blockquote>", "<ul><ol></ol></ul>",
    "<span> </span>", "<p><br></p>",
)  # fmt: skip
_BETWEEN_BLOCKS = (
    *_SIGNS, " ", "\n", "<div>\u200d</div>", "<b>&nbsp;</b>", "<ul></ul>",
    "<ol>\n</ol>", "<section>\u200b<br>\u200d</section>", "<ul>&nbsp;<br></ul>",
)  # fmt: skip
_BLOCKS = (
    "<p>a</p>", "<h2>b</h2>", "<figure><img src=i></figure>", "<hr>", "<img src=j>",
    "<blockquote>c</blockquote>", "<ul><li>d</li></ul>", "<pre>e</pre>",
    "<table><tbody><tr><td>f</td></tr></tbody></table>",
    "<figure><iframe src=//v.example/1></iframe></figure>",
)  # fmt: skip


def between(blanks: tuple[str, ...], others: tuple[str, ...]) -> st.SearchStrategy:
    """Return pieces of both sorts, each with whether it shows something."""
    piece = st.sampled_from([*((each, False) for each in blanks),
                             *((each, True) for each in others)])  # fmt: skip
    return st.lists(piece, max_size=8)


def nodes(html: str) -> str:
    """Return the document as text, without the names of blocks."""
    return json.dumps(converted(html).document)


@chosen
@given(between(_BETWEEN_ITEMS, ("<li>a</li>", "<li></li>", "<li>b<p>c</p></li>")))
def test_only_items_are_items(pieces: list[tuple[str, bool]]) -> None:
    """A list is the same as without what shows nothing between its items."""
    whole = "".join(piece for piece, _ in pieces)
    items = "".join(piece for piece, shows in pieces if shows)
    for tag in ("ul", "ol"):
        held = nodes(f"<p>x</p><{tag}>{whole}</{tag}><p>y</p>")
        if items:
            assert held == nodes(f"<p>x</p><{tag}>{items}</{tag}><p>y</p>")
        else:
            assert held == nodes("<p>x</p><p>y</p>")


@chosen
@given(between(_BETWEEN_BLOCKS, _BLOCKS))
def test_what_shows_nothing_between_blocks_is_no_paragraph(
    pieces: list[tuple[str, bool]],
) -> None:
    """A body is the same as without what shows nothing between its blocks."""
    whole = "<p>x</p>" + "".join(piece for piece, _ in pieces)
    assert nodes(whole) == nodes(
        "<p>x</p>" + "".join(piece for piece, shows in pieces if shows)
    )


@chosen
@given(st.sampled_from(_SIGNS), st.sampled_from(_BLOCKS), st.sampled_from(_BLOCKS))
def test_what_is_left_out_between_blocks_is_listed(
    sign: str, before: str, after: str
) -> None:
    """Once for a body, with how often."""
    made = converted(f"{before}{sign}{after}{sign}<p>end</p>")
    found = [loss for loss in made.losses if loss.kind == "spacer"]
    assert [loss.context for loss in found] == ["2 times in this body"]
    assert found[0].what.startswith("&")


def test_blanks_between_items_do_not_count() -> None:
    """Two items are numbers one and two, and the blanks are listed."""
    html = "<ol> &nbsp;<li>a</li> &nbsp;<li>b</li></ol>"
    assert (
        body(html)
        == "ordered_list(list_item(paragraph('a')), list_item(paragraph('b')))"
    )
    (loss,) = converted(html).losses
    assert (loss.kind, loss.what, loss.where, loss.context) == (
        "list-blank",
        "&nbsp;",
        "ol",
        "2 times in this body",
    )


@pytest.mark.parametrize(
    ("html", "wanted", "lost"),
    [
        ("<p>a</p><ul></ul>", "paragraph('a')", ["list-blank"]),
        ("<ul></ul>", "paragraph", ["list-blank"]),
        ("<ul><li></li></ul>", "bullet_list(list_item(paragraph))", []),
        (
            "<ul>one<br>two<li>a</li></ul>",
            "bullet_list(list_item(paragraph('one', hard_break, 'two')), "
            "list_item(paragraph('a')))",
            [],
        ),
        ("<ul><h2>a</h2></ul>", "heading('a')", ["element"]),
        (
            "<li>a<ul> </ul>b</li>",
            "bullet_list(list_item(paragraph('a'), paragraph('b')))",
            ["list-blank"],
        ),
        (
            "<ul><a id=n></a>&nbsp;<li>a</li></ul>",
            "bullet_list(list_item(paragraph('a')))",
            ["list-blank"],
        ),
        ("<table><tr><td>&nbsp;</td></tr></table>", None, []),
        ("<li>&nbsp;</li>", "bullet_list(list_item(paragraph('\u00a0')))", []),
        ("<p>a&nbsp;</p>b\u200d<p>c</p>", None, []),
        (
            "<p>\u200d<img src=i></p><p>b</p>",
            "image, paragraph('b')",
            ["spacer"],
        ),
        (
            "<a href=/x>\u200d</a><p>b</p>",
            "paragraph('b')",
            ["link", "spacer"],
        ),
    ],
)
def test_what_stays_and_what_goes(
    html: str, wanted: str | None, lost: list[str]
) -> None:
    """Items, cells and words stay; a name or a link in what goes is kept or listed."""
    assert sorted(kinds(converted(html))) == sorted(lost)
    if wanted is not None:
        assert body(html) == wanted
    if "id=n" in html:
        assert '"id": "n"' in nodes(html)


def test_without_the_deviation_blanks_are_items_again() -> None:
    """The official's way is one switch away."""
    html = "<ul>&nbsp;<li>a</li></ul><ul></ul>"
    assert Deviation.LIST_BLANKS in deviations_of(html)
    engine = NativeEngine(deviations=frozenset(Deviation) - {Deviation.LIST_BLANKS})
    assert outline(engine.from_html(html).document) == (
        "doc(bullet_list(list_item(paragraph('\u00a0')), list_item(paragraph('a'))), "
        "bullet_list(list_item(paragraph)))"
    )
