"""Random origin bodies: well-formed, but with things in unlikely places."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from random import Random

from hypothesis import strategies as st

_LETTERS = "abcdefgäßλжあ"
_ODD = ("&", "<", ">", '"', "'", "\u200d", "\u00a0", "\n", " ", "\t", "\r\n", "\u200b")
_WHOLE = (
    "😀", "👩\u200d👩\u200d👧", "שלום", "\u202bעב\u202c", "مرحبا", "𝒳", "\U00020bb7",
    "e\u0301", "2024", "…", "“q”", "\ufeffz", "a\u00adb", "\u2028", "n\u00a0m",
)  # fmt: skip
_ENTITIES = ("&amp;", "&#x27;", "&copy", "&nbsp;", "&eacute;", "&hellip;", "&#128512;")
_HREFS = (
    "/blog/a", "#top", "https://e.com/?a=1&b=2", "mailto:a@b.c", "javascript:go()", "",
    "tel:1", " /x ", "whatsapp:5", "https://e.com/?a=1&copy=2", "/ü?x=\u200d",
)  # fmt: skip
_STYLES = (
    "font-weight:bold", "font-weight: normal", "color:red", "text-align:center",
    "width:50%", "white-space:pre", "text-decoration:underline; color: blue",
    "background-image:url(x;y)", "font-style:italic;vertical-align:super", ";:;",
)  # fmt: skip
_HOSTILE = (
    ' onclick="go()"', " onload=x", ' style="background:url(javascript:x)"',
    ' data-x="<b>&quot;"', " title='a \"b\" c'", ' class="w-richtext-x y"', ' id=""',
    ' aria-label="said"', " hidden", ' lang="he" dir="rtl"', ' data-blok=""',
)  # fmt: skip
_INLINE = (
    "b", "em", "u", "s", "sup", "sub", "mark", "span", "code", "small", "q", "strong",
    "i", "kbd", "cite", "font", "del", "abbr", "x-own",
)  # fmt: skip
_SECTIONS = (
    "p", "p", "p", "h2", "h4", "div", "section", "blockquote", "main", "article",
    "details", "summary", "header", "address", "center",
)  # fmt: skip
_LISTS = ("ul", "ol", "li", "li", "dl", "dt", "dd")
_OTHERS = ("table", "tr", "td", "th", "tbody", "caption", "figure", "figcaption", "pre")
_BLOCK = (*_SECTIONS, *_LISTS, *_OTHERS)
_ALIGNMENTS = ("fullwidth", "center", "normal", "floatleft", "floatright")


def body(random: Random) -> str:
    """Return a fragment of HTML as an origin may deliver it."""
    return _Writer(random).parts(5, 4)


class _Writer:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._count = 0

    def parts(self, most: int, depth: int) -> str:
        return "".join(self.part(depth) for _ in range(self._random.randint(0, most)))

    def part(self, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.35:
            return self.words() if self._random.random() < 0.5 else self.leaf(depth)
        if self._random.random() < 0.25:
            return self._one(_STRUCTURES)(self, depth - 1)
        return self.element(self._one((*_INLINE, *_BLOCK)), self.parts(4, depth - 1))

    def element(self, tag: str, inside: str) -> str:
        written = ""
        if self._random.random() < 0.3:
            written += f' style="{self._one(_STYLES)}"'
        if self._random.random() < 0.25 and tag != "td":
            written += f' id="{self._name()}"'
        if self._random.random() < 0.2:
            written += self._one(_HOSTILE)
        return f"<{tag}{written}>{inside}</{tag}>"

    def words(self) -> str:
        made = []
        for _ in range(self._random.randint(0, 6)):
            choice = self._random.random()
            if choice < 0.6:
                made.append(self._one(_LETTERS))
            elif choice < 0.85:
                made.append(escape(self._one(_ODD), quote=False))
            else:
                made.append(self._one((*_WHOLE, *_ENTITIES)))
        return "".join(made)

    def leaf(self, _depth: int) -> str:
        return self._one(_LEAVES)(self, 0)

    def _one(self, choices):  # type: ignore[no-untyped-def]
        return choices[self._random.randrange(len(choices))]

    def _name(self) -> str:
        """Return a name that no other thing in this body has."""
        self._count += 1
        return f"n{self._count}"

    # Things with nothing inside

    def rule(self, _depth: int) -> str:
        return self._one(("<br>", "<hr>", "<br/>", "<wbr>", "<p></p>", "<p>\u200d</p>"))

    def code(self, _depth: int) -> str:
        return self._one(
            (
                "<script>x < y && z</script>",
                "<style>.a > b { color: red }</style>",
                "<!-- said -->",
                "<pre><code class='language-js'>\n\n a  &lt; b\n</code></pre>",
                "<pre></pre>",
                "<code>f(x)</code>",
                "<noscript><img src='n.png'>no</noscript>",
            )
        )

    def form(self, _depth: int) -> str:
        return self._one(
            (
                "<input value=v>",
                "<button>Go</button>",
                "<form action=/f><label>Name<input></label></form>",
                "<select><option>one<option>two</select>",
                "<textarea>kept</textarea>",
                "<fieldset><legend>L</legend>t</fieldset>",
            )
        )

    def image(self, _depth: int = 0) -> str:
        name = self._name()
        alt = self._one((name, "", "2024", "__wf_reserved_inherit", 'a "b" &amp; c'))
        more = self._one(("", ' width="auto" height="auto"', " srcset='s.png 2x'"))
        return f"<img src=\"{name}.png\" alt='{alt}'{more}>"

    def frame(self, _depth: int = 0) -> str:
        name = self._name()
        return f'<iframe src="https://v.example/{name}?a=1&b=2" title="t"></iframe>'

    def media(self, _depth: int) -> str:
        name = self._name()
        return self._one(
            (
                f"<video src='{name}.mp4' controls>no video</video>",
                f"<audio><source src='{name}.ogg'>no audio</audio>",
                f"<object data='{name}.pdf'>no object</object>",
                f"<embed src='{name}.swf'>",
                f"<svg><a href='/{name}'><text>drawn</text></a></svg>",
                f"<picture><source srcset='{name}.webp'>{self.image()}</picture>",
            )
        )

    def emoji(self, _depth: int) -> str:
        return self._one(
            (
                "<span data-emoji='😀' data-name='grin'>😀</span>",
                "<span data-emoji='😀'>grinning</span>",
                f"<span data-emoji='😀' id='{self._name()}'>jump</span>",
                f"<span data-emoji='😀'>a {self.image()}{self.link(0)}</span>",
                "<img data-emoji='😀' src='grin.png'>",
            )
        )

    # Things with something inside

    def link(self, depth: int) -> str:
        href = escape(self._one(_HREFS))
        inside = self._unlinked(depth)
        more = self._one(("", " target=_blank", ' class="w-button"', " rel=nofollow"))
        return f'<a href="{href}"{more}>{inside}</a>'

    def _unlinked(self, depth: int) -> str:
        inside = self.parts(3, depth)
        return self.words() if "<a " in inside else inside

    def figure(self, depth: int) -> str:
        inside = f'<div id="">{self.image()}</div>'
        if self._random.random() < 0.4:
            href = escape(self._one(_HREFS))
            inside = f'<a href="{href}" class="w-inline-block">{inside}</a>'
        where = self._one(_ALIGNMENTS)
        size = self._one(("", ' style="max-width:60%" data-rt-max-width="60%"'))
        return (
            f'<figure class="w-richtext-figure-type-image w-richtext-align-{where}" '
            f'data-rt-type="image" data-rt-align="{where}"{size}>'
            f"{inside}{self.caption(depth)}</figure>"
        )

    def caption(self, depth: int) -> str:
        if self._random.random() < 0.3:
            return ""
        return f"<figcaption>{self.parts(3, depth)}</figcaption>"

    def video(self, depth: int) -> str:
        page = self._one(("", f"https://v.example/watch?v={self._name()}&list=1"))
        inside = self.frame() if page == "" or self._random.random() < 0.8 else ""
        return (
            '<figure class="w-richtext-figure-type-video" data-rt-type="video" '
            f'style="padding-bottom:56%" data-page-url="{page}">'
            f"<div>{inside}</div>{self.caption(depth)}</figure>"
        )

    def embed(self, depth: int) -> str:
        name = self._name()
        inside = self._one(
            (
                f'<table><tr><td><a href="/{name}">{name}</a></td></tr></table>',
                f"<script src='https://s.example/{name}.js'></script>",
                f"<script>{name}(1 < 2)</script><style>.{name} {{}}</style>",
                f"<h3>{name}</h3>{self.image()}{self.parts(2, depth)}",
                f"<div data-rt-embed-type='true'>{self.frame()}</div>",
                "",
            )
        )
        open_tag = self._one(
            (
                "<div data-rt-embed-type='true'>",
                '<div class="w-embed w-script">',
                '<div data-rt-embed-type="true" class="w-embed">',
            )
        )
        return f"{open_tag}{inside}</div>"

    def component(self, depth: int) -> str:
        name = self._name()
        return (
            f'<wf-component component-id="{name}" data-w-id="w" name="Card">'
            f'<wf-prop name="{name}" type="richtext">{self.parts(2, depth)}</wf-prop>'
            "</wf-component>"
        )

    def listing(self, depth: int) -> str:
        tag = self._one(("ul", "ol", 'ol start="3"'))
        items = "".join(
            f"<li>{self.parts(3, depth)}</li>{self._one(('', '', ' ', '<ul></ul>'))}"
            for _ in range(self._random.randint(0, 3))
        )
        return f"<{tag}>{items}</{tag.split()[0]}>"

    def table(self, depth: int) -> str:
        rows = "".join(
            "<tr>"
            + "".join(
                f"<{cell}>{self.parts(2, depth)}</{cell}>"
                for cell in ("th", "td")[self._random.randint(0, 1) :]
            )
            + "</tr>"
            for _ in range(self._random.randint(0, 2))
        )
        caption = self._one(("", "<caption>Of it</caption>"))
        return f"<table>{caption}<tbody>{rows}</tbody></table>"

    def anchor(self, depth: int) -> str:
        name = self._name()
        return self._one(
            (
                f'<a id="{name}"></a>',
                f'<span id="{name}"></span>',
                f'<h3 id="{name}">{self.words()}</h3>',
                f'<p id="{name}">{self.parts(2, depth)}</p>',
            )
        )


_Written = Callable[[_Writer, int], str]
_LEAVES: tuple[_Written, ...] = (
    _Writer.rule, _Writer.code, _Writer.form, _Writer.image, _Writer.frame,
    _Writer.media, _Writer.emoji,
)  # fmt: skip
_STRUCTURES: tuple[_Written, ...] = (
    _Writer.link, _Writer.link, _Writer.figure, _Writer.figure, _Writer.video,
    _Writer.embed, _Writer.component, _Writer.listing, _Writer.table, _Writer.anchor,
)  # fmt: skip

bodies = st.randoms(use_true_random=False).map(body)
"""Fragments of HTML as an origin may deliver them."""

garbage = st.lists(
    st.sampled_from(
        (
            *(f"<{tag}>" for tag in (*_INLINE, *_BLOCK)),
            *(f"</{tag}>" for tag in (*_INLINE, *_BLOCK)),
            "<a href=x", "<a href='y'>", "<!--", "-->", "&#0;", "&amp", "<", ">", '"',
            "<img src='", "x", " ", "<figure data-page-url=y>", "<div class=w-embed>",
            "<textarea>", "<script>", "</script>", "<svg>", "<![CDATA[", "<?x", "</",
            "<iframe>", "<select>", "<option>", "<pre>", "\x00", "\r", "</p>", "</br>",
        )
    ),
    max_size=30,
).map("".join)  # fmt: skip
"""What no one should write, yet someone has."""
