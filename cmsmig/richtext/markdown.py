"""Markdown to the HTML that the official converter makes of it."""

from __future__ import annotations

from markdown_it import MarkdownIt


def html_of_markdown(text: str) -> str:
    """Return HTML: links recognised, quotes curled, newlines kept, HTML escaped."""
    reader = MarkdownIt(
        "js-default",
        {"html": False, "linkify": True, "typographer": True, "breaks": True},
    )
    reader.enable(["linkify", "replacements", "smartquotes"])
    return str(reader.render(text))
