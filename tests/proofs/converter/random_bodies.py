"""Random bodies of everything that the rich text rules know, and of more.

The same seed and index give the same body, whatever was made before it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

_WORDS = (
    "alpha beta gamma delta Überblick naïve 東京 день 42 3.14 price&nbsp;tag &amp; "
    "&lt;tag&gt; &quot;so&quot; it&#39;s &hellip; &mdash; soft&shy;hyphen &copy; "
    "&#x1F600; 😀 e\u0301 a&nbsp; &nbsp; \u200b \u200d \u00a0 &notit; &amp;amp; AT&T "
    "R&D &unknown; https://example.com/a?b=1&c=2 007 true x<y ' \" ` \\ / } { ] ["
)
WORDS = _WORDS.split(" ")
BLANKS = (" ", " ", " ", " ", "  ", "\n", "\n  ", "\t", " \r\n ", "&#32;", "\f", "")
MARKS = (
    "b", "strong", "i", "em", "u", "s", "del", "strike", "sub", "sup", "mark", "code",
)  # fmt: skip
COLOURS = ("red", "#00f", "rgb(1, 2, 3)", "RED", "hsl(120 50% 50%)", "var(--c)")
ALIGNMENTS = ("left", "center", "right", "justify", "start", "CENTER")
HREFS = (
    "/blog/post", "https://example.com/a?b=1&amp;c=2", "http://x.y", "#part", "?q=1",
    "mailto:a@example.com", "tel:+491234", "//cdn.example.com/x", "ftp://f.example/x",
    " /blank ", "/ünï?x=ä", "../up", "https://example.com/a b", "sms:1", "a:b",
)  # fmt: skip
REFUSED = ("javascript:alert(1)", "data:text/html,x", "", "slack://x", "localhost:3000")
EXTRAS = (
    'target="_blank"', 'rel="noopener"', 'title="T &amp; t"', 'class="w-inline-block"',
    'id="here"', 'data-uuid="u-1"', 'data-anchor="part"', 'data-linktype="story"',
    'aria-label="x"', 'target="_self"', "download", 'data-w-id="1"', 'uuid="2"',
)  # fmt: skip
CALM_EXTRAS = ('target="_blank"', 'rel="noopener"', 'title="T"', 'aria-label="x"')
STYLES = (
    "color: red", "color:#123456;", "background-color: yellow", "font-weight: bold",
    "font-weight: 400", "font-weight:600", "font-style: italic", "font-style:normal",
    "text-decoration: underline", "text-decoration: line-through underline",
    "vertical-align: super", "vertical-align:sub", "text-align: right", "margin: 0",
    "white-space: pre-wrap", "font: bold 12px serif", "COLOR: Blue", "",
)  # fmt: skip
LANGUAGES = ("language-python", "hljs language-js", "", "lang-c")
ALTS = (
    "", 'alt=""', 'alt="A picture"', 'alt="2024"', 'alt="true"', 'alt="007"',
    'alt="__wf_reserved_inherit"',
)  # fmt: skip
HOSTS = (
    "https://www.youtube.com/embed/x1?a=1&amp;b=2", "https://player.vimeo.com/video/1",
    "https://www.google.com/maps/embed?pb=1", "/own/frame",
)  # fmt: skip
FIGURES = (
    "w-richtext-align-center", "w-richtext-align-fullwidth",
    "w-richtext-align-floatleft", "w-richtext-figure-type-image",
)  # fmt: skip
UNKNOWN = (
    "small",
    "ins",
    "kbd",
    "abbr",
    "q",
    "cite",
    "font",
    "x-note",
    "label",
    "time",
)
WRAPPERS = ("div", "section", "article", "header", "main", "aside", "nav", "center")
HIDDEN = (
    "<!-- note -->", "<!---->", "<script>var a = '<p>';</script>", "<wbr>",
    "<style>p > a { color: red }</style>", "<noscript><img src='/n.png'></noscript>",
)  # fmt: skip
SPACERS = ("<p></p>", "<p>&nbsp;</p>", "<p>\u200d</p>", "<p> </p>", "<p><br></p>")
DEPTH = 3


class Bodies:
    """Makes one body; a part of the kinds is left out of each, by chance."""

    def __init__(self, seed: int, index: int) -> None:
        self._random = random.Random(f"{seed}/{index}")
        self._plain = self._random.random() < 0.6
        self._linked = False
        self._calm = self._plain and self._random.random() < 0.7
        blocks: list[Callable[[int], str]] = [
            self.heading, self.quote, self.code, self.table, self.list, self.rule,
            self.picture, self.wrapped, self.spacer, self.loose, self.figure,
            self.embed, self.hidden, self.list, self.quote, self.blok,
        ]  # fmt: skip
        kept = self._random.randint(1, 6)
        known = blocks[:6] if self._plain else blocks
        self._blocks = [self.paragraph, self.paragraph]
        self._blocks += [self._random.choice(known) for _ in range(kept)]
        self._styled = not self._plain or self._chance(0.3)

    def body(self) -> str:
        """Return the HTML."""
        size = self._random.choice((1, 1, 2, 3, 4, 6, 10))
        glue = self._random.choice(("", "", "\n", "\n\n", " ", "\n    "))
        return glue.join(self.block(0) for _ in range(size))

    def block(self, depth: int) -> str:
        """Return one block; deeper ones are simpler."""
        if depth >= DEPTH:
            return self.paragraph(depth)
        return self._random.choice(self._blocks)(depth + 1)

    def paragraph(self, depth: int) -> str:
        return f"<p{self._aligned()}>{self.inline(0)}</p>"

    def heading(self, depth: int) -> str:
        name = f"h{self._random.randint(1, 6)}"
        more = ' id="part"' if not self._plain and self._chance(0.2) else ""
        return f"<{name}{more}{self._aligned()}>{self.inline(1)}</{name}>"

    def quote(self, depth: int) -> str:
        inside = self.inline(1) if self._chance(0.5) else self._several(depth)
        return f"<blockquote>{inside}</blockquote>"

    def code(self, depth: int) -> str:
        lines = [self.text(2).replace("<", "&lt;") for _ in range(3)]
        text = self._random.choice(("\n", "\n  ", "\r\n")).join(lines)
        language = self._random.choice(LANGUAGES)
        form = self._random.randrange(4)
        if form == 0:
            return f"<pre>{text}</pre>"
        if form == 1:
            return f'<pre><code class="{language}">{text}</code></pre>'
        if form == 2:
            return f'<pre class="{language}"><code>{text}\n</code></pre>'
        return f'<pre><code data-language="py" class="{language}">{text}</code></pre>'

    def list(self, depth: int) -> str:
        name = self._random.choice(("ul", "ol"))
        starts = ('start="3"', 'start="0"', 'data-order="7"', 'start=" 4 "', "reversed")
        starts = starts[:3] if self._calm else starts
        start = f" {self._pick(starts)}" if name == "ol" and self._chance(0.4) else ""
        role = ' role="list"' if self._chance(0.2) else ""
        glue = self._random.choice(("", "", "\n", "\n  "))
        items = [self._item(depth) for _ in range(self._random.randint(1, 4))]
        return f"<{name}{start}{role}>{glue}{glue.join(items)}{glue}</{name}>"

    def _item(self, depth: int) -> str:
        inside = self.inline(1)
        if self._chance(0.2):
            inside = f"<p>{inside}</p>"
        if depth < DEPTH and self._chance(0.25):
            inside += self.list(depth + 1)
        elif not self._plain and depth < DEPTH and self._chance(0.2):
            inside = self._random.choice((inside, "")) + self.block(depth + 1)
        return f"<li>{inside}</li>"

    def table(self, depth: int) -> str:
        width = self._random.randint(1, 4)
        rows = [
            self._row("th" if index == 0 and self._chance(0.5) else "td", width, depth)
            for index in range(self._random.randint(1, 4))
        ]
        glue = self._random.choice(("", "\n"))
        form = self._random.randrange(4)
        if form == 0 or len(rows) < 2:
            return f"<table>{glue}{glue.join(rows)}</table>"
        if form == 1:
            return f"<table><tbody>{glue}{glue.join(rows)}{glue}</tbody></table>"
        caption = "<caption>cap</caption>" if form == 3 and not self._plain else ""
        head, rest = rows[0], glue.join(rows[1:])
        return (
            f"<table>{caption}<thead>{head}</thead>{glue}<tbody>{rest}</tbody></table>"
        )

    def _row(self, name: str, width: int, depth: int) -> str:
        cells = []
        for _ in range(width):
            more = "".join(
                f" {each}"
                for each in (
                    'colspan="2"', 'rowspan="3"', 'style="width: 120px"',
                    'colwidth="100,50"', 'style="background-color: #eee"',
                    'colspan="x"', 'width="10"',
                )
                if self._chance(0.08) and not (self._calm and each == 'colspan="x"')
            )  # fmt: skip
            kind = "th" if self._chance(0.1) else name
            inside = self.inline(1) if self._chance(0.7) else self._several(depth)
            cells.append(f"<{kind}{more}>{inside}</{kind}>")
        return f"<tr>{''.join(cells)}</tr>"

    def rule(self, depth: int) -> str:
        return self._random.choice(("<hr>", "<hr/>", '<hr class="x">'))

    def picture(self, depth: int = 0) -> str:
        name = self._random.choice(("a.png", "b c.jpg", "d.svg?x=1&amp;y=2", "ü.webp"))
        alt = self._pick(ALTS[:3] if self._plain else ALTS)
        more = " ".join(
            each
            for each in ('title="T"', 'loading="lazy"', 'width="300"', 'id="9"',
                         'srcset="a.png 2x"', 'class="image"', 'copyright="c"')
            if self._chance(0.15)
        )  # fmt: skip
        return f'<img src="https://cdn.example.com/{name}" {alt} {more}>'

    def figure(self, depth: int) -> str:
        classes = " ".join(each for each in FIGURES if self._chance(0.4))
        style = self._random.choice(
            ("", ' style="max-width: 60%"', ' data-rt-type="image"')
        )
        inside = f"<div>{self.picture()}</div>"
        if self._chance(0.2):
            inside = f'<a href="{self._pick(HREFS)}">{inside}</a>'
        if self._chance(0.2):
            inside = f'<div><iframe src="{self._pick(HOSTS)}"></iframe></div>'
        if self._chance(0.5):
            inside += f"<figcaption>{self.inline(1)}</figcaption>"
        return f'<figure class="{classes}"{style}>{inside}</figure>'

    def embed(self, depth: int) -> str:
        code = self._random.choice((
            f'<iframe src="{self._pick(HOSTS)}" title="F"></iframe>',
            '<script src="https://w.example.com/w.js"></script>',
            '<blockquote class="tweet">q <a href="https://t.example/1">d</a></blockquote>',
            "<style>.x{}</style><div class='x'>Widget</div>", "",
            '<video controls><source src="/v.mp4">No video</video>',
        ))  # fmt: skip
        form = self._random.randrange(3)
        if form == 0:
            return f'<div class="w-embed w-iframe">{code}</div>'
        if form == 1:
            return f"<div data-rt-embed-type='true'>{code}</div>"
        return code

    def blok(self, depth: int) -> str:
        return '<div data-blok="" id="7">inside</div>'

    def wrapped(self, depth: int) -> str:
        name = self._pick(WRAPPERS)
        inside = self.inline(1) if self._chance(0.4) else self._several(depth)
        return f"<{name}{self._style(0.2)}>{inside}</{name}>"

    def spacer(self, depth: int) -> str:
        return self._pick(SPACERS)

    def hidden(self, depth: int) -> str:
        return self._pick(HIDDEN)

    def loose(self, depth: int) -> str:
        return self.inline(0)

    def inline(self, depth: int) -> str:
        """Return running text with marks, links, breaks and whatever else."""
        parts = [self._run(depth) for _ in range(self._random.randint(1, 5))]
        return self._pick(("", "", " ")).join(parts)

    def _run(self, depth: int) -> str:
        text = self.text(self._random.randint(1, 6))
        chosen = self._random.random()
        if depth > DEPTH or chosen < 0.45:
            return text
        if chosen < 0.65:
            if self._calm and not self._linked and self._chance(0.15):
                return f"<code>{text}</code>"
            name = self._pick(MARKS[:-1] if self._calm else (*MARKS, "code"))
            return f"<{name}{self._style(0.1)}>{self.inline(depth + 1)}</{name}>"
        if chosen < 0.77:
            return text if self._calm and self._linked else self._link(depth)
        if chosen < 0.83:
            return text + self._pick(("<br>", "<br/>", "<br> ", "\n<br>\n"))
        if chosen < 0.93:
            more = self._pick(
                (' class="lead"', "", ' class="a b"', ' id="x"', ' class=""')
                if not self._calm or self._chance(0.1)
                else (' class="lead"', "", ' class="a b"', ' id="x"')
            )
            return f"<span{more}{self._style(0.6)}>{self.inline(depth + 1)}</span>"
        return text if self._plain else self._odd(depth)

    def _odd(self, depth: int) -> str:
        form = self._random.randrange(8)
        if form <= 1:
            return self.picture()
        if form <= 3:
            name = self._pick(UNKNOWN)
            return f"<{name}>{self.inline(depth + 1)}</{name}>"
        if form == 4:
            return '<img data-emoji="x" data-name="smile" src="/e.png">'
        if form == 5:
            return '<span data-emoji="😀" data-name="grin">😀</span>'
        if form == 6:
            return self.hidden(0)
        return f"<b>{self.block(DEPTH - 1)}</b>"

    def _link(self, depth: int) -> str:
        hrefs = REFUSED if not self._plain and self._chance(0.2) else HREFS
        extras = CALM_EXTRAS if self._calm else EXTRAS
        more = "".join(f" {each}" for each in extras if self._chance(0.08))
        style = "" if self._calm else self._style(0.05)
        href = self._pick(hrefs).replace("mailto:", "tel:" if self._calm else "mailto:")
        attributes = [f'href="{href}"', more, style]
        self._random.shuffle(attributes)
        outer, self._linked = self._linked, True
        inside = self.inline(depth + 1)
        self._linked = outer
        return f"<a {' '.join(attributes)}>{inside}</a>"

    def text(self, words: int) -> str:
        """Return escaped words with odd blanks between and around them."""
        made = "".join(self._pick(WORDS) + self._pick(BLANKS) for _ in range(words))
        around = self._pick(("", "", "", " ", "\n"))
        return (around + made).replace("x<y", "x &lt; y")

    def _several(self, depth: int) -> str:
        return "".join(self.block(depth) for _ in range(self._random.randint(0, 3)))

    def _aligned(self) -> str:
        if self._chance(0.15):
            return f' style="text-align: {self._pick(ALIGNMENTS)}"'
        return self._style(0.08)

    def _style(self, chance: float) -> str:
        if not self._styled or not self._chance(chance):
            return ""
        form = self._pick(STYLES)
        return f' style="{form}"'

    def _chance(self, chance: float) -> bool:
        return self._random.random() < chance

    def _pick(self, among: tuple[str, ...]) -> str:
        return self._random.choice(among)


def random_body(seed: int, index: int) -> str:
    """Return the HTML body of this seed and index."""
    return Bodies(seed, index).body()
