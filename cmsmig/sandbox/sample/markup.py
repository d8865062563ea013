"""The origin's rich text structures as its read API gives them, part by part."""

from __future__ import annotations

from cmsmig.sandbox.sample.identity import address


def image(
    name: str,
    *,
    alt: str | None = "",
    align: str = "center",
    width: str = "",
    caption: str = "",
    link: str = "",
    variant: str = "",
) -> str:
    """Return an image figure as the API gives it; alt None leaves it out."""
    style = f' style="max-width:{width}"' if width else ""
    wide = f' data-rt-max-width="{width}"' if width else ""
    opening = (
        f'<figure class="w-richtext-figure-type-image w-richtext-align-{align}"'
        f'{style} data-rt-type="image" data-rt-align="{align}"{wide}>'
    )
    return opening + _pictured(name, alt, caption, link, variant) + "</figure>"


def video(
    source: str,
    *,
    page: str,
    title: str = "",
    size: tuple[int, int] = (1280, 720),
    caption: str = "",
    align: str = "fullwidth",
) -> str:
    """Return a video figure as the API gives it; `page` may be empty."""
    width, height = size
    ratio = f"{100 * height / width:.4f}%" if width else ""
    style = f' style="padding-bottom:{ratio}"' if ratio else ""
    return (
        f'<figure class="w-richtext-figure-type-video w-richtext-align-{align}"'
        f'{style} data-rt-type="video" data-rt-align="{align}" data-rt-max-width="" '
        f'data-rt-max-height="{ratio}" data-rt-dimensions="{width}:{height}" '
        f'data-page-url="{page}"><div><iframe src="{source}" title="{title}" '
        'scrolling="no" frameborder="0" allowfullscreen="true"></iframe></div>'
        f"{_caption(caption)}</figure>"
    )


def embed(html: str, *, quote: str = "'") -> str:
    """Return a custom embed as the API gives it, its HTML raw inside."""
    return f"<div data-rt-embed-type={quote}true{quote}>{html}</div>"


def paragraphs(*texts: str, ids: bool = False) -> str:
    """Return each text as a paragraph, with the API's empty ids if wanted."""
    opening = '<p id="">' if ids else "<p>"
    return "".join(f"{opening}{text}</p>" for text in texts)


def heading(level: int, text: str, *, ids: bool = False) -> str:
    """Return a heading of this level."""
    empty = ' id=""' if ids else ""
    return f"<h{level}{empty}>{text}</h{level}>"


def linked(href: str, text: str, *, more: str = "") -> str:
    """Return a link; `more` is written into the tag as it stands."""
    return f'<a href="{href}"{" " + more if more else ""}>{text}</a>'


def _pictured(name: str, alt: str | None, caption: str, link: str, variant: str) -> str:
    picture = (
        f'<div><img src="{address(name, variant=variant)}" loading="lazy"{_alt(alt)} '
        'width="auto" height="auto"></div>'
    )
    if link:
        picture = f'<a href="{link}" class="w-inline-block">{picture}</a>'
    return picture + _caption(caption)


def _alt(alt: str | None) -> str:
    return "" if alt is None else f' alt="{alt}"'


def _caption(caption: str) -> str:
    return f"<figcaption>{caption}</figcaption>" if caption else ""
