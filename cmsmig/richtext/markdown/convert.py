"""Markdown to the HTML that the official converter makes of it.

It uses markdown-it in JavaScript; this uses its port to Python, with a few
rules of our own where the port differs.
"""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt

from cmsmig.richtext.markdown.ported_rules import as_in_javascript


def html_of_markdown(text: str) -> str:
    """Return HTML: links recognised, quotes curled, newlines kept, HTML escaped."""
    return str(_reader().render(text))


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt(
        "js-default",
        {"html": False, "linkify": True, "typographer": True, "breaks": True},
    )
    reader.enable(["linkify", "replacements", "smartquotes"])
    as_in_javascript(reader)
    return reader
