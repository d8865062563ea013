"""Random origin bodies: well-formed, but with things in unlikely places."""

from __future__ import annotations

from html import escape

from hypothesis import strategies as st

_WORDS = st.text(
    alphabet=st.sampled_from("abcdefgäß 😀&<>\"'\u200d\u00a0\n"), max_size=8
).map(lambda text: escape(text, quote=False))
_NAMES = st.text(alphabet="abc", min_size=1, max_size=2)
_HREFS = st.sampled_from(
    (
        "/blog/a",
        "#top",
        "https://e.com/?a=1&b=2",
        "mailto:a@b.c",
        "javascript:go()",
        "",
        "tel:1",
    )
)
_STYLES = st.sampled_from(
    (
        "font-weight:bold",
        "color:red",
        "text-align:center",
        "width:50%",
        "white-space:pre",
    )
)
_INLINE = ("b", "em", "u", "s", "sup", "sub", "mark", "span", "code", "small", "q", "a")
_SECTIONS = ("p", "h2", "div", "section", "blockquote", "main", "article", "details")
_LISTS = ("ul", "ol", "li", "dl", "dt")
_OTHERS = ("table", "td", "th", "figure", "figcaption", "pre")
_BLOCK = (*_SECTIONS, *_LISTS, *_OTHERS)


def _image(name: str) -> str:
    return f'<img src="{name}.png" alt="{name}" width="auto">'


def _frame(name: str) -> str:
    return f'<iframe src="https://v.example/{name}" title="{name}"></iframe>'


def _video(name: str) -> str:
    return (
        '<figure class="w-richtext-figure-type-video" data-rt-type="video" '
        f'data-page-url="https://v.example/watch?v={name}"><div>{_frame(name)}</div>'
        f"<figcaption>cap {name}</figcaption></figure>"
    )


def _embed(name: str) -> str:
    return (
        "<div data-rt-embed-type='true'><table><tr><td>"
        f'<a href="/{name}">{name}</a></td></tr></table><script>{name}()</script></div>'
    )


_LEAVES = st.one_of(
    _WORDS,
    _WORDS,
    st.sampled_from(("<br>", "<hr>", "<input>", "<script>x < y</script>")),
    st.builds(_image, _NAMES),
    st.builds(_frame, _NAMES),
    st.builds(_video, _NAMES),
    st.builds(_embed, _NAMES),
)


def _wrapped(tag: str, style: str | None, name: str, href: str, inside: str) -> str:
    written = f' style="{style}"' if style else ""
    if tag == "a":
        written += f' href="{escape(href)}"'
    if name and tag != "td":
        written += f' id="{name}"'
    return f"<{tag}{written}>{inside}</{tag}>"


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        _wrapped,
        st.sampled_from((*_INLINE, *_BLOCK)),
        st.none() | _STYLES,
        st.just("") | _NAMES,
        _HREFS,
        st.lists(inner, max_size=4).map("".join),
    )


bodies = st.lists(st.recursive(_LEAVES, _grown, max_leaves=12), max_size=5).map("".join)
"""Fragments of HTML as an origin may deliver them."""

garbage = st.lists(
    st.sampled_from(
        (
            *(f"<{tag}>" for tag in (*_INLINE, *_BLOCK)),
            *(f"</{tag}>" for tag in (*_INLINE, *_BLOCK)),
            "<a href=x",
            "<!--",
            "-->",
            "&#0;",
            "&amp",
            "<",
            ">",
            '"',
            "<img src='",
            "x",
            " ",
            "<figure data-page-url=y>",
            "<div class=w-embed>",
        )
    ),
    max_size=30,
).map("".join)
"""What no one should write, yet someone has."""
