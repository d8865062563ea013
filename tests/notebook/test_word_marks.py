"""Words that one side alone says, marked in both; nothing else is changed."""

from __future__ import annotations

import re
import time
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.review.loss_marks import destination_html, numbered
from cmsmig.ui.html.sanitizer import sanitised
from cmsmig.ui.html.word_marks import SideBySide, side_by_side

_MARK = re.compile(
    r'<(?:del|ins) class="cmsmig-word" title="[^"]*">(.*?)</(?:del|ins)>', re.DOTALL
)
_SPLIT = re.compile(r'<span class="cmsmig-split" data-at="\d+">[^<]*</span>')


def compared(left: str, *right: str, names: tuple[str, ...] = ()) -> SideBySide:
    """Return two sides as notebook 03 shows them."""
    return side_by_side(
        numbered(sanitised(left)),
        [sanitised(each) for each in right],
        names,
    )


def said(html: object) -> list[str]:
    """Return what is marked."""
    return _MARK.findall(str(html))


def unmarked(html: object) -> str:
    return _SPLIT.sub("", _MARK.sub(r"\1", str(html))).replace("<wbr>", "")


def test_what_one_side_alone_says_is_marked() -> None:
    """By words, over other elements and other blanks; with a name for each mark."""
    found = compared(
        "<h2>The old pier</h2><p>It <b>fell</b> down in  1911, and no one wept.</p>",
        "<h2>The old pier</h2><div>It fell&nbsp;down in <i>1912</i>, and no one wept"
        " much.</div>",
    )
    assert said(found.left) == ["1911,", "wept."]
    assert said(found.right[0]) == ["1912", ",", "wept much."]
    assert (found.only_left, found.only_right) == (2, 3)
    assert 'title="At the origin, not at the destination"' in found.left
    assert 'title="At the destination, not at the origin"' in found.right[0]


def test_looks_are_no_words() -> None:
    """Another element, half of a word in bold, a soft hyphen, a loss's number."""
    found = compared(
        "<p><sup>\ufdd01</sup> Half of a w<b>or</b>d, co\u00adopted\u200b.</p>"
        "<ul><li>x</ul>",
        "<p>Half of a word, coopted.</p><p>x</p>",
    )
    assert (found.only_left, found.only_right) == (0, 0)
    assert "cmsmig-word" not in found.left


def test_boxes_are_no_words() -> None:
    """A picture, and the names and settings of a block, are on neither side."""
    text = {"type": "text", "text": "Two"}
    code = {"type": "text", "text": " x", "marks": [{"type": "code"}]}
    figure = {
        "component": "figure",
        "size": "none",
        "link": {"url": "https://x.example"},
    }
    document = {
        "type": "doc",
        "content": [
            {"type": "blok", "attrs": {"body": [figure]}},
            {"type": "paragraph", "content": [text, code]},
        ],
    }
    found = compared(
        "<p>One</p><img src='a.png' alt='A cat'><p>Two</p>",
        f"<p>One</p>{destination_html(document)}",
    )
    assert "▣ block figure" in found.right[0]
    assert "\ufdd0" not in found.right[0]
    assert said(found.left) == []
    assert said(found.right[0]) == ["x"]


def test_what_a_block_holds_is_said_there() -> None:
    """A table in a block of HTML, a caption: not marked, and shown nowhere twice."""
    document = {
        "type": "doc",
        "content": [
            {
                "type": "blok",
                "attrs": {
                    "body": [
                        {"component": "html", "html": "<table><td>Low</table><!--x-->"},
                        {"component": "figure", "caption": "At noon"},
                    ]
                },
            },
            {"type": "paragraph", "content": [{"type": "text", "text": "End"}]},
        ],
    }
    found = compared(
        "<table><td>Low</table><p>At <b>noon</b></p><p>The end</p>",
        destination_html(document),
    )
    assert said(found.left) == ["The end"]
    assert said(found.right[0]) == ["End"]


def test_the_left_says_where_each_part_begins() -> None:
    """A part without words begins with the one after it; the last ones at the end."""
    found = compared(
        "<p>Once upon a time.</p><img src='a.png'><p>There was</p><p>an end.</p>",
        "<p>Once upon a time.</p>",
        "<figure></figure>",
        "<p>There was an end.</p>",
        "<hr>",
        names=("1 text", "2 picture", "3 text", "4 <b>"),
    )
    lines = re.findall(r'data-at="(\d)">([^<]*)</span>(\w*)', str(found.left))
    assert lines == [
        ("0", "1 text", "Once"),
        ("1", "2 picture, 3 text", "There"),
        ("3", "4 &lt;b&gt;", ""),
    ]
    assert len(found.right) == 4


# fmt: off
_BITS = st.sampled_from([
    "<p>", "</p>", "<b>", "</b>", "<br>", "word", " ", "&nbsp;", "&lt;i&gt;",
    "▣ block x", "<dl>", "</dl>", "<dt>", "<dd>", "<sup>1</sup>", "<code>", "</code>",
    "<li>", "<img alt='a > b' src=x>", '<a title="<ins>" href="/x>y">', "</a>",
    "a\u200bb", "\"'>", "<!-- > -->", "<del>", "<ins>",
])
# fmt: on
_HTML = st.lists(_BITS, max_size=25).map("".join)


@given(left=_HTML, right=st.lists(_HTML, max_size=3))
def test_nothing_but_marks_is_added(left: str, right: list[str]) -> None:
    """Without the marks both sides are as they were, and cleaning takes nothing."""
    found = compared(left, *right, names=tuple(map(str, range(len(right)))))
    assert unmarked(found.left) == sanitised(left)
    assert [*map(unmarked, found.right)] == [sanitised(each) for each in right]


def test_a_long_body_takes_no_time() -> None:
    """2,500 words in one paragraph, every 20th another; all the same; none the same."""
    drawn = Random(7)
    words = [f"word{drawn.randrange(500)}" for _ in range(2_500)]
    others = [each if n % 20 else f"other{n}" for n, each in enumerate(words)]
    for left, right, lost in (
        (words, others, 125),
        (["a"] * 8_000, ["a"] * 7_000, 1_000),
        (["a"] * 2_500, ["b"] * 2_500, 2_500),
        (["a"] * 11_000, ["b"] * 10_000, 11_000),
    ):
        began = time.process_time()
        found = compared(f"<p>{' '.join(left)}</p>", f"<div>{' '.join(right)}</div>")
        assert time.process_time() - began < 2
        assert found.only_left == lost


def test_words_of_a_very_long_body_are_found_wherever_they_are() -> None:
    """Halves that changed places: a word that one side alone has is marked, and one
    that it has once more."""
    words = [f"word{n}" for n in range(3_000)]
    left = f"<p>lost {' '.join(words)} twice twice</p>"
    right = f"<p>{' '.join(words[1_500:])} twice {' '.join(words[:1_500])} added</p>"
    found = compared(left, right)
    assert said(found.left) == ["lost", "twice"]
    assert said(found.right[0]) == ["added"]
