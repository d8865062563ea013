"""Every construct of a body or a field value, as a text of any size.

The names come from the converter's own tables, so that a new tag, attribute, style
property or encoding is measured as soon as the converter knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cmsmig.mapping.decisions.design import Encoding
from cmsmig.richtext.build import attributes, element_rules
from cmsmig.richtext.html import dom, inline_style, parse, visibility

BODY, ATTRIBUTE, STYLE, FIELD = "body", "attribute", "style", "field"
KINDS = (BODY, ATTRIBUTE, STYLE, FIELD)


@dataclass(frozen=True, slots=True)
class Construct:
    """One construct: `before`, then `unit` as often as it fits, then `after`.

    `ends` closes each unit, in reverse order: the units are nested.
    """

    kind: str
    name: str
    unit: str
    before: str = ""
    after: str = ""
    ends: str = ""
    encoding: str = ""

    def written(self, size: int) -> str:
        """Return a text of about `size` characters."""
        room = size - len(self.before) - len(self.after)
        count = max(1, room // len(self.unit + self.ends))
        return f"{self.before}{self.unit * count}{self.ends * count}{self.after}"


_TAGS = frozenset().union(
    element_rules.RULES, element_rules.IGNORED_TAGS, attributes.KEPT,
    dom.MORE_BLOCK_TAGS, parse.VOID, parse.RAW, parse.ESCAPABLE_RAW,
    parse.FORMATTING, parse.CLOSES_PARAGRAPH, parse.CLOSED_BY_SIBLING,
    visibility.SHOWN, visibility.HIDDEN, visibility.LEFT_OUT, ("wf-component", "x-y"),
)  # fmt: skip
_OPENED = (
    'div class="w-embed"', 'div data-rt-embed-type="true"', "div data-blok", "a href=y",
    "span id=i", "span class=c", "span style=color:red", "p id=i", "a id=i",
    "figure class=w-richtext-figure-type-video", "figure data-page-url=//a",
    "b style=font-weight:normal", "pre style=x", "p style=white-space:pre",
    "span data-emoji=e", "img src=i", "img srcset=//a", "iframe src=//v",
    "table><tr><td", "ul><li", "ol><li><p", "figure><figcaption", "figure><a href=y",
    'div class="w-embed"><div', 'div class="w-embed"><div class="x"><p id="q"',
    'div class="w-embed"><!--', 'div class="w-embed"><script',
    'div class="w-embed"><a href="//a', "table><caption", "li><hr", "h2><ul><li",
    "a href=y><img src=i", "div><font", "p><b", "svg><br", "select><option",
    "div data-url=//a", "i class=icon", "x-y src=//a", "p style=background:url(a)",
    "td><i class=icon", "a href=y><div", "ol><hr><li", "ol><div><li value=7",
    "ol start=2><li>a</li><p",
    "div hidden", "div onclick=x title=t", "p><img src=i width=1",
)  # fmt: skip
"""Start tags that conversion has something of its own for."""

_PIECES = (
    '<div class="w-embed"><div></div><p id="q">x</p>',
    '<div class="w-embed"><b>x</div><p id="q">y</p>',
    '<div class="w-embed"><div><div></div><h2>x</h2>',
    '<div class="w-embed"><script>x</div><p id="q">y</p>',
    '<div class="w-embed"><!--x</div><p id="q">y</p>',
    '<section class="w-embed"><div></section><p id="q">x</p>',
    '<div class="w-embed"><img src="//a"></div>', "<figure><img src=i><p>x</figure>",
    '<div data-rt-embed-type="true"><a href="/a">x</a></div>',
    "<ul><li>x</li><p>y</p></ul>", "<p>x<div>y</div></p>", "<li><b>x</li>",
    "<a href=y><p>x</p>", "<a href=y><b>x</a>", "<b><p>x</b></p>", "<td>x<tr>y",
    "<table><td>x", "<table><tr><p>x", "<h1><p>x</p><ul><li>y</ul></h1>",
    "<pre><code>x</code>", "<code>x<b>y</code>", "<p></p>", "<p>&nbsp;</p>",
    "<p>x</p>", "<p>x</p><p>y</p>", "<p>x y z</p><ul><li>x y</li></ul>", "x<br>",
    "<figure data-page-url=//a><iframe src=//a></iframe><figcaption>x</figure>",
    "<span id=a>x</span><a href=#a>y</a>", "<a href=/posts/x>y</a>", "</p>", "</br>",
    "<li></li>", "<code class=y>x</code>",
)  # fmt: skip
"""Pieces of bodies, well formed and not."""

_DEPTHS = (
    ("", "<div>"), ("", "<b>"), ("<li><ul>", "<span>"), ("<table><tr><td>", "<main>"),
)  # fmt: skip
"""Elements that are left open, and what begins before them."""

_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        frozenset().union(
            *attributes.KEPT.values(), attributes._TELLING, attributes._UNSAFE,
            ("id", "onclick", "data-x", "data-rt-x", "role", "x"),
        ),
        ("p", "a href=y", "img src=i"),
    ),
    **dict.fromkeys(("hidden", "reversed", "open"), ("p", "ol", "dialog")),
    **dict.fromkeys(attributes.KEPT["ol"], ("ol",)),
    **dict.fromkeys(attributes.KEPT["td"], ("table><tr><td",)),
    **dict.fromkeys(attributes.KEPT["span"], ("span", "code", "pre")),
    **dict.fromkeys(attributes._IMAGE, ("img", "figure><img")),
    **dict.fromkeys(("src", "data-src", "srcdoc", "title"), ("iframe", "img", "video")),
    **dict.fromkeys(
        ("data-page-url", "data-rt-align", "data-rt-max-width", "data-rt-dimensions",
         "data-rt-type", "class", "style"),
        ("figure", "figure><img src=i", 'div class="w-embed" '),
    ),
    **dict.fromkeys(("href", "rel", "target", "download", "name"), ("a",)),
    "level": ("h2",),
    "body": ("div data-blok",),
}  # fmt: skip
"""Attributes, and the elements on which conversion reads them."""

UNITS = (
    "-", "_", "(", ")", "a(", "a-", "-a", "1", "1.", ".1", "0", "+", "e1", "a", "A",
    "a ", " ", "\t", "\n", "\xa0", "e\u0301", "\u0301", "\u200b", "\xe9", "\U0001f600",
    ";", ":", "a:", "a:b;", ",", "a,", "/", "//", "//a", "//a ", "/a", "//a.a-",
    "a.", "a-.",
    "http://", "https://", "http:", ",http://", "//a)", "//(", "@", "a@", "a@a.",
    "a@.a",
    "mailto:", "mailto:a@", "?", "#", "=", "a=", "&", "&amp;", "&a", "&#", "&#1", "&#x",
    "<", "<a", "<a ", "<a b=", "</", "</a", "</a>", "<!", "<!--", "-->", "<![", "<?",
    "<a href=", "<img src=", "<b>", "<p>", "<p/>", "[", "]", "[a](", "![a](", "*", "**",
    "`", "~", "|", "|-", "> ", "- ", "1. ", "\\", "\\/", "'", '"', "''", "\x00", "%",
    "%20",
    "calc(", "rgb(", "url(", "url( ", "url(//a", "var(--", "var(--a,", "1px ", "1deg ",
    "oblique ", "bold ", "!important", "srcdoc", "//files.example.net/",
    "https://files.example.net/a.png ", "1w,", "//a 1w,", "a\n", "\r", "ext", "x1",
    "(1",
)  # fmt: skip
"""What is repeated in texts and values."""

_FONTS = ("bold ", "oblique ", "1px ", "1px/", "a,", "'a',", "var(--a) ", "normal ")
_PREFIXES = ("", "calc(", "rgb(", "url(", "var(--a,", "oblique ", "fit-content(", "-")
_PROPERTIES = sorted(
    {*inline_style._LOOKS, *attributes._STYLED_EVERYWHERE, "text-align", "color",
     "background-color", "background-image", "max-width", "display", "padding-bottom"}
)  # fmt: skip
_STARTS = (
    "",
    "mailto:",
    "a@",
    "https://files.example.net/",
    "//",
    "rgb(",
    "#",
    "1",
    "+1",
)


def _bare(name: str) -> Iterator[Construct]:
    tag = name.split()[0].split(">")[0]
    yield Construct(BODY, f"<{name}> repeated", f"<{name}>x</{tag}>")
    yield Construct(BODY, f"<{name}> nested", f"<{name}>", ends=f"</{tag}>")
    yield Construct(BODY, f"<{name}> open", f"<{name}>x")
    yield Construct(BODY, f"<{name}> open and bare", f"<{name}>")
    yield Construct(BODY, f"</{tag}> after <{name}>", f"</{tag}>", f"<{name}>x")


def _attribute(name: str, on: str) -> Iterator[Construct]:
    yield Construct(ATTRIBUTE, f"<{on} {name}> each", f"<{on} {name}=y>x")
    for unit in UNITS:
        quote = "'" if '"' in unit else '"'
        for end in ("", "!"):
            yield Construct(
                ATTRIBUTE, f"{name} of <{on}>: {unit!r} {end}", unit,
                f"<{on} {name}={quote}", f"{end}{quote}>x",
            )  # fmt: skip


def _styles() -> Iterator[Construct]:
    for name in _PROPERTIES:
        yield Construct(STYLE, f"{name} again", f"{name}:1px;")
        for unit in {*UNITS, *_FONTS}:
            for start in _PREFIXES:
                yield Construct(
                    STYLE, f"{name}: {start} {unit!r}", unit, f"{name}:{start}", "!"
                )
    for unit in UNITS:
        yield Construct(STYLE, f"{unit!r}", unit)
        yield Construct(STYLE, f"{unit!r} as a name", unit, "", ":b")


def _bodies() -> Iterator[Construct]:
    for name in sorted(_TAGS):
        yield from _bare(name)
    for name in _OPENED:
        yield from _bare(name)
    for piece in _PIECES:
        yield Construct(BODY, piece, piece)
        for before, opened in _DEPTHS:
            below = f"{piece} below {before}{opened}"
            yield Construct(BODY, below, opened, before, ends=piece)
    for unit in UNITS:
        for before, after in (
            ("", ""), ("<p>", "!</p>"), ("<a ", ">x"), ("<script>", ""), ("<pre>", ""),
            ('<div class="w-embed">', "</div>"), ('<div class="w-embed"><script>', ""),
        ):  # fmt: skip
            yield Construct(BODY, f"{before}{unit!r}{after}", unit, before, after)


def _attributes() -> Iterator[Construct]:
    for name, elements in sorted(_ATTRIBUTES.items()):
        for on in elements:
            yield from _attribute(name, on)


def _fields() -> Iterator[Construct]:
    for encoding in Encoding:
        for unit in UNITS:
            for start in _STARTS:
                yield Construct(
                    FIELD, f"{encoding}: {start}{unit!r}", unit, start, "?",
                    encoding=encoding,
                )  # fmt: skip


def constructs(kind: str) -> Iterator[Construct]:
    """Yield the constructs of one of `KINDS`."""
    made: dict[str, Callable[[], Iterator[Construct]]] = {
        BODY: _bodies, ATTRIBUTE: _attributes, STYLE: _styles, FIELD: _fields
    }  # fmt: skip
    yield from made[kind]()
