"""Random markup of any element with any attribute, and some of it malformed."""

from __future__ import annotations

import random

_TAGS = (
    "p p p div span b i a a ul ol li li h1 h3 pre code table thead tbody tfoot tr "
    "td th caption col colgroup blockquote img br hr section article main nav "
    "details summary dl dt dd figure figcaption form label button select option "
    "textarea input iframe video audio source object param embed svg path math mi "
    "template noscript script style title head body html center font small big tt "
    "u s del ins q cite abbr kbd mark sup sub x-y image noembed xmp plaintext "
    "address em strong fieldset legend"
)
TAGS = _TAGS.split(" ")
VOID = frozenset(("br", "hr", "img", "col", "input", "source", "param", "embed"))
ATTRIBUTES = (
    'class="a"', "class=b", 'id="x"', "id", 'style="color:red"',
    "style='font-weight:7'",
    'style="text-align:center;text-decoration:underline"', 'href="/x"', "href=/y/",
    'src="/p.png"', 'src="data:image/png,x"', 'alt="1.50"', 'alt="-3"', 'start="1e2"',
    'start="x"', 'level="2"', 'colspan="2"', 'colspan="0"', 'rowspan="true"',
    'colwidth="1,b"', 'style="width:33.3%"', 'style="background-color:#fff"',
    'data-emoji="e"', 'data-blok body="x"', 'data-language="py"', 'target="_top"',
    'title="a &gt; b"', 'HREF="/Z"', 'onclick="a()"', "a='1\"2'", 'data-x="&copy=1"',
    'style="white-space:pre"', 'style="vertical-align:sub"', 'href="javascript:x"',
)  # fmt: skip
TEXTS = (
    "a", "b c", " ", "\n", " d ", "&nbsp;", "&amp", "&#0;", "&#x80;", "\u00a0e",
    "1 < 2", "f > g", "&lt;p&gt;", "\t\th", "i\r\nj", "é", "<!-- k -->", "l\u200b",
    "&copycat;",
)  # fmt: skip
BROKEN = (
    "<", ">", "</", "</p>", "</br>", "<!-->", "<!-- ", "<p", '<a href="', "</div>",
    "<3", "<p/>", "<!doctype html>", "<?x?>", "<![CDATA[y]]>", "</b>", "<li>",
    "<td>", "=\"'",
)  # fmt: skip


class Soup:
    """Makes one text; half of them are well-formed."""

    def __init__(self, seed: int, index: int) -> None:
        self._random = random.Random(f"soup/{seed}/{index}")
        self._broken = 0.06 if self._random.random() < 0.5 else 0.0
        self._left = self._random.randint(3, 25)

    def text(self) -> str:
        """Return the markup."""
        return "".join(self._node(0) for _ in range(self._random.randint(1, 5)))

    def _node(self, depth: int) -> str:
        if self._random.random() < self._broken:
            return self._random.choice(BROKEN)
        if depth > 6 or self._left <= 0 or self._random.random() < 0.35:
            return self._random.choice(TEXTS)
        self._left -= 1
        tag = self._random.choice(TAGS)
        count = self._random.choice((0, 0, 1, 1, 2, 3))
        chosen = [self._random.choice(ATTRIBUTES) for _ in range(count)]
        start = f"<{' '.join([tag, *chosen])}>"
        if tag in VOID:
            return start
        inside = "".join(
            self._node(depth + 1) for _ in range(self._random.randint(0, 4))
        )
        end = "" if self._random.random() < self._broken else f"</{tag}>"
        return f"{start}{inside}{end}"


def random_soup(seed: int, index: int) -> str:
    """Return the markup of this seed and index."""
    return Soup(seed, index).text()
