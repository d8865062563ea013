"""Bodies that are too much of something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cmsmig.richtext.engine import Converted
from tests.support.richtext.conservation import of_document, of_losses


@dataclass(frozen=True, slots=True)
class Extreme:
    """One kind of excess, and how much of it the proofs ask for."""

    name: str
    written: Callable[[int], str]
    full: int
    texts: int | None = 1
    """How many visible `x` the body shows, per unit where negative."""


def _deep(*tags: str) -> Callable[[int], str]:
    def written(count: int) -> str:
        opened = [tags[each % len(tags)] for each in range(count)]
        ends = "".join(f"</{tag.split()[0]}>" for tag in reversed(opened))
        return "".join(f"<{tag}>" for tag in opened) + "x" + ends

    return written


def _around(before: str, unit: str, after: str) -> Callable[[int], str]:
    return lambda count: before + unit * count + after


def _attributes(count: int) -> str:
    return "<p " + " ".join(f"a{each}=b" for each in range(count)) + ">x</p>"


def _square(cells: int) -> str:
    side = int(cells**0.5)
    return "<table>" + ("<tr>" + "<td>x</td>" * side + "</tr>") * side + "</table>"


_DEEP = (
    ("div",), ("span",), ("b",), ("ul", "li"), ("blockquote",), ("figure",), ("p",),
    ("table", "tr", "td"), ("a href=y",), ("ol", "li", "b", "div", "blockquote", "em"),
    ("span class=c",), ("figure", "figcaption"), ("li",), ("section", "h2"), ("pre",),
    ("div class=w-embed",), ("code",), ("td",), ("wf-component",), ("x-y",),
    ("figure", "p", "figcaption"),
)  # fmt: skip

_CAPTION = "<figcaption>x</figcaption></figure>"
_FIGURE = f"<figure><img src=i.png>{_CAPTION}"

EXTREMES: tuple[Extreme, ...] = (
    *(Extreme(f"deep {'/'.join(tags)}", _deep(*tags), 10_000) for tags in _DEEP),
    Extreme("text", lambda count: "<p>" + "x" * count + "</p>", 10_000_000, -1),
    Extreme(
        "paragraphs", _around("", "<p>x <b>y</b> <a href=z>z</a></p>", ""), 310_000, -1
    ),
    Extreme(
        "marks on a word",
        _deep(*(f"span style=color:#{each:06x}" for each in range(1000))),
        1000,
    ),
    Extreme("attributes", _attributes, 100_000),
    Extreme("an attribute", lambda count: f"<p title='{'y' * count}'>x</p>", 5_000_000),
    Extreme(
        "an attribute of a link",
        lambda count: f"<a href='{'y' * count}'>x</a>",
        5_000_000,
    ),
    Extreme("a style", lambda count: f"<p style='{'a:b;' * count}'>x</p>", 1_000_000),
    Extreme("a class", lambda count: f"<p class='{'a ' * count}'>x</p>", 1_000_000),
    Extreme("less than", _around("x", "<", ""), 1_000_000),
    Extreme("less than, letter", _around("x", "<a", ""), 1_000_000),
    Extreme("less than, slash", _around("x", "</", ""), 1_000_000),
    Extreme("open tag, quote", _around("x", "<a b='", ""), 300_000, None),
    Extreme("open quote, then blanks", _around("<a b='", "y ", ""), 100_000, None),
    Extreme("open tags, long", _around("x<a b=' ", "y<p c ", ""), 50_000, None),
    Extreme("equal signs", _around("x<a ", "=", ">"), 1_000_000),
    Extreme("unclosed b", _around("", "<b>", "x"), 100_000),
    Extreme("unclosed b with text", _around("", "<b>x", ""), 100_000, -1),
    Extreme("unclosed p", _around("", "<p>x", ""), 100_000, -1),
    Extreme("unclosed p and b", _around("", "<p>x<b>", ""), 20_000, -1),
    Extreme("unclosed a", _around("", "<a href=y>x", ""), 100_000, -1),
    Extreme("unclosed div and a", _around("", "<div><a href=y>x", ""), 5_000, -1),
    Extreme("unclosed li", _around("<ul>", "<li>x", ""), 50_000, -1),
    Extreme("unclosed font in div", _around("", "<div><font>x</div>", ""), 20_000, -1),
    Extreme("unclosed comments", _around("x", "<!--", ""), 100_000),
    Extreme("comments", _around("x", "<!---->", ""), 200_000),
    Extreme("end tags", _around("x", "</b>", ""), 200_000),
    Extreme("end tags in depth", _around("<div>" * 5000 + "x", "</b>", ""), 20_000),
    Extreme("a table", _square, 40_000, None),
    Extreme("list items", _around("<ul>", "<li>x</li>", "</ul>"), 50_000, -1),
    Extreme(
        "lists between items",
        _around("<ul><li>x</li>", "<ul><li>x</li></ul>", "</ul>"),
        20_000,
        None,
    ),
    Extreme("images", _around("<p>", "<img src=i.png alt=y>", "x</p>"), 20_000),
    Extreme("figures", _around("", _FIGURE, ""), 20_000, -1),
    Extreme("embeds", _around("", "<div class=w-embed><b>x</b></div>", ""), 20_000, -1),
    Extreme(
        "embeds in an embed",
        _around(
            "<div class=w-embed>", "<img src=i.png><iframe src=v></iframe>", "x</div>"
        ),
        10_000,
    ),
    Extreme(
        "frames in a figure",
        _around("<figure>", "<iframe src=v></iframe>", _CAPTION),
        10_000,
    ),
    Extreme(
        "captions",
        _around("<figure><img src=i>", "<figcaption>x</figcaption>", "</figure>"),
        10_000,
        -1,
    ),
    Extreme("rules in items", _around("<ul>", "<li><hr>x</li>", "</ul>"), 20_000, -1),
    Extreme("entities", _around("", "&amp;x", ""), 100_000, -1),
    Extreme("entity soup", _around("x", "&notit&#;&#x;&;", ""), 100_000),
    Extreme("breaks", _around("<p>x", "<br>", "</p>"), 100_000),
    Extreme("blanks", _around("<p>x", " <b> </b>", "</p>"), 50_000),
    Extreme("scripts", _around("x", "<script>", ""), 100_000),
    Extreme("ends of scripts", _around("x<script>", "</scrip", ""), 200_000),
    Extreme("anchors", _around("", "<a id=n></a>", "x"), 50_000),
    Extreme("spacers", _around("", "<p>&nbsp;</p>", "x"), 50_000),
    Extreme("NULs", _around("x", "\x00", ""), 1_000_000),
)


def missing_texts(extreme: Extreme, count: int, converted: Converted) -> int:
    """Return how many of the `x` of an extreme neither document nor losses hold."""
    shown = extreme.texts
    if shown is None:
        shown = extreme.written(count).count("x")
    texts = (
        *of_document(converted.document).texts,
        *of_losses(converted.losses).texts,
    )
    return (count if shown < 0 else shown) - sum(each.count("x") for each in texts)
