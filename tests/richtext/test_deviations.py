"""A conversion is the official one but for deviations that have a name and a reason,
and that it notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cmsmig.richtext.deviations import DEVIATIONS, Deviation
from cmsmig.richtext.native import NativeEngine
from tests.support import example_rules

DOCUMENT = Path(__file__).parents[2] / "docs" / "rich-text.md"
SAMPLES: dict[Deviation, str] = {
    Deviation.FIGURE: (
        "<p>a</p><figure class='w-richtext-align-center'><img src=i>"
        "<figcaption>b <b>c</b></figcaption></figure><p>d</p>"
    ),
    Deviation.LINKED_IMAGE: "<p>a</p><a href=/x><img src=i></a><p>b</p>",
    Deviation.IMAGE_SOURCE: "<p>a</p><img src='data:image/gif;base64,R0lGODlh'>",
    Deviation.RESERVED_ALT: "<img src=i alt=__wf_reserved_decorative><p>a</p>",
    Deviation.VIDEO: "<p>a</p><iframe src=https://v.example/1></iframe><p>b</p>",
    Deviation.EMBED: "<p>a</p><div class=w-embed><b>x</b></div><p>b</p>",
    Deviation.COMPONENT: "<p>a</p><wf-component><p>x</p></wf-component><p>b</p>",
    Deviation.BLOK: "<p>a</p><div data-blok><p>x</p></div><p>b</p>",
    Deviation.ANCHOR: "<h2 id=a>One two</h2><p>b</p>",
    Deviation.BLOCKS_INSIDE: (
        "<h2>a<img src=i>b</h2><ol><li><img src=i></li><li>c</li></ol>"
    ),
    Deviation.BLOCKS_APART: "<details><summary>a</summary>b</details><p>c</p>",
    Deviation.BLANKS: "<p>a</p>\nb<p>c</p>",
    Deviation.QUOTATION: "<p>a <q>b <q>c</q></q></p>",
    Deviation.DIRECTION: "<p dir=rtl>a</p>",
    Deviation.READING: "<p><ruby>a<rt>b</rt></ruby></p>",
    Deviation.SPACER: "<p>a</p><p>\u200d</p><ul><li><p>&nbsp;</p></li></ul>",
    Deviation.LIST_BLANKS: (
        "<ol> &nbsp;<li>a</li> &nbsp;<li>b<ul></ul></li></ol><ul> </ul><p>c</p>"
    ),
    Deviation.LIST_NUMBERS: (
        "<ol>a<li value=4>b</li><hr>c<li>d</li></ol><ol start=2><hr><li>e</li></ol>"
    ),
    Deviation.VALUES: "<img src=i alt=007><h2 level=abc>a</h2><ol start=1e999><li>b",
    Deviation.MAIL_LINK: "<a href=mailto:a@b.c>a</a><p>b</p>",
    Deviation.LINK_ATTRIBUTES: "<a href=/x class=w-button onclick=go()>a</a>",
    Deviation.EMPTY_ID: "<a href=/x id=''>a</a><a href=/x id=' ' rel=me>b</a>",
    Deviation.LINK_TARGET: (
        "<a href=/x target=_new>a</a><a href=/y target=/y><img src=i></a>"
    ),
    Deviation.CODE_IN_LINK: "<a href=/x>a <code>b</code></a><code>c</code>",
    Deviation.SPAN: "<span id=i class=k>a</span> b",
    Deviation.UNDONE_MARKS: (
        "<u style=text-decoration:none>a</u><b>b <i style=font-weight:normal>c</i></b>"
    ),
    Deviation.STYLE: "<span style='font:bold 12px Arial'>a</span>",
    Deviation.TABLE_PARTS: (
        "<p>a</p><table><tfoot><tr><td>f</td></tr></tfoot><caption>c</caption>"
        "<tbody><tr><td>b</td></tr></tbody></table>"
    ),
    Deviation.NESTING: "<p>a</p>" + "<ul><li>x" * 18,
    Deviation.MARKUP: "<b>1<i>2</b>3</i>",
    Deviation.MARKDOWN: "\u3000a",
}
"""For each deviation a body to which it applies."""


def deviations_of(html: str) -> tuple[Deviation, ...]:
    """Return the deviations that the conversion of a body notes."""
    engine = NativeEngine()
    markdown = html == SAMPLES[Deviation.MARKDOWN]
    return (engine.from_markdown if markdown else engine.from_html)(html).deviations


def test_every_deviation_has_a_row() -> None:
    """One row each, in the order of the names, with reasons; as documented."""
    assert [rule.name for rule in DEVIATIONS] == list(Deviation)
    rules = [(str(rule.name), rule.official, rule.instead) for rule in DEVIATIONS]
    assert all(all(rule) for rule in rules)
    written = DOCUMENT.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", written, re.M
    )
    assert [row for row in rows if row[0] in list(Deviation)] == rules


def test_the_document_shows_the_example_of_rules() -> None:
    """The example that the document shows is the one that is tested."""
    example = Path(example_rules.__file__).read_text(encoding="utf-8")
    assert f"```python\n{example}```" in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(Deviation))
def test_each_deviation_is_noted_where_it_applies(name: Deviation) -> None:
    """In the order of the table."""
    found = deviations_of(SAMPLES[name])
    assert name in found
    assert list(found) == [each for each in Deviation if each in found]


@pytest.mark.parametrize(
    "html",
    [
        "<p>a</p><h2>b</h2><ul><li>c</li></ul><ol start=-2><li>d</li></ol>",
        "<p><a href=/x target=_blank rel=me>a</a> <b style='font-weight: normal'>b</b>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td colspan=1>b</td>",
        "<p><span style='color: rgb(1, 2, 3)'>a</span><br>b &amp; c &eacute;</p><hr>",
        "<blockquote>a</blockquote><pre><code class=k>a &lt; b</code></pre><img src=i>",
    ],
)
def test_where_none_applies_none_is_noted(html: str) -> None:
    """Unless an end tag is missing: others may read that otherwise."""
    root = html.count("<table") + html.count("<p><a")
    assert deviations_of(html) == (Deviation.MARKUP,) * bool(root)


@pytest.mark.parametrize(
    "html",
    [
        *("<p>a", "<p>a<div>b</div>", "<ul><li>a<li>b</ul>", "<a>a<a>b</a></a>"),
        *("a</b>", "<b>1<i>2</b>3</i>", "a < b", "a&copy b", "a\0b", "a --> b"),
        *('<p title="a>b">x', "<p =a>b</p>", '<p a=b"c>d</p>', "<!x><p>a</p>"),
        *("<br><!-- a -->b", "<!-- a", "a<!-->b", "<title>a</title>", "<svg></svg>"),
        *("<table><p>a</p></table>", "<td>a</td>", "<table><td>a</td></table>"),
    ],
)
def test_malformed_markup_is_noted(html: str) -> None:
    """Whatever a parser may read otherwise than another."""
    assert Deviation.MARKUP in deviations_of(html)


@pytest.mark.parametrize("text", ["\u3000a", "# a\xa0", "'😀'", "\\\\ a", "ftp://a*b"])
def test_odd_markdown_is_noted(text: str) -> None:
    """What the original reads otherwise than its port."""
    assert NativeEngine().from_markdown(text).deviations == (Deviation.MARKDOWN,)


@pytest.mark.parametrize("text", ["# a\n\n'b' `c` [d](e) https://e.com", "a\xa0b"])
def test_plain_markdown_is_not_noted(text: str) -> None:
    """Most of it is read alike."""
    assert NativeEngine().from_markdown(text).deviations == ()


@pytest.mark.parametrize(
    ("style", "noted"),
    [
        ("font: bold 12px Arial", True),
        ("font-weight: bold !important", True),
        ("Font-Weight: bold", True),
        ("text-decoration: UNDERLINE", True),
        ("font-weight: bold; font-family: 'A B'", False),
        ("color: rgb(1, 2, 3)", False),
    ],
)
def test_styles_that_are_read_otherwise_are_noted(style: str, noted: bool) -> None:
    """Only where a look of a document is read from them."""
    found = deviations_of(f'<p><span style="{style}">a</span></p>')
    assert (Deviation.STYLE in found) is noted
