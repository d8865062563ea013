"""The origin's rich text structures as its read API gives them, part by part."""

from __future__ import annotations

from tests.support.sites.identity import address


def image(name: str, *, alt: str = "", caption: str = "", link: str = "") -> str:
    """Return an image figure."""
    picture = (
        f'<div><img src="{address(name)}" loading="lazy" alt="{alt}" '
        'width="auto" height="auto"></div>'
    )
    if link:
        picture = f'<a href="{link}" class="w-inline-block">{picture}</a>'
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return (
        '<figure class="w-richtext-figure-type-image w-richtext-align-center"'
        ' data-rt-type="image" data-rt-align="center">'
        f"{picture}{below}</figure>"
    )


def video(source: str, *, page: str) -> str:
    """Return a video figure; `page` may be empty."""
    return (
        '<figure class="w-richtext-figure-type-video w-richtext-align-fullwidth"'
        ' style="padding-bottom:56.2500%" data-rt-type="video" '
        'data-rt-align="fullwidth" data-rt-max-width="" '
        'data-rt-max-height="56.2500%" data-rt-dimensions="1280:720" '
        f'data-page-url="{page}"><div><iframe src="{source}" title="" '
        'scrolling="no" frameborder="0" allowfullscreen="true"></iframe></div>'
        "</figure>"
    )


def embed(html: str) -> str:
    """Return a custom embed, its HTML raw inside."""
    return f"<div data-rt-embed-type='true'>{html}</div>"


def paragraphs(*texts: str) -> str:
    """Return each text as a paragraph."""
    return "".join(f"<p>{text}</p>" for text in texts)


def heading(level: int, text: str) -> str:
    """Return a heading of this level."""
    return f"<h{level}>{text}</h{level}>"


def linked(href: str, text: str) -> str:
    """Return a link."""
    return f'<a href="{href}">{text}</a>'
