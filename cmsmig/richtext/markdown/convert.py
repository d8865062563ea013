"""Markdown to the HTML that the official converter makes of it.

It uses markdown-it in JavaScript; this uses its port to Python, with a few
rules of our own where the port differs.
"""

from __future__ import annotations

from functools import cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from cmsmig.richtext.markdown.ported_rules import as_in_javascript

_MOST_WORK = 20_000_000
"""Characters of one text, times the weight of the signs in it: the rules for links and
for quotes take quadratic time, and more than this takes seconds."""
_WEIGHTS = {"[": 1.0, "//": 1.0, '"': 0.01, "'": 0.01}
"""At a bracket or an address reading looks ahead; for a quote the text is copied."""
_LIMITED = "limited"


def html_within_limit(text: str) -> tuple[str, list[str]]:
    """Return the same, and the texts that take too much work to be read.

    Each of these becomes an embed, which holds its characters as they are. The
    limit counts characters, not time: the same text always gives the same.
    """
    unread: list[str] = []
    return str(_reader().render(text, {_LIMITED: unread})), unread


def _set_apart(state: StateCore) -> None:
    """Replace the texts that take too much work, where a limit is asked for."""
    unread = state.env.get(_LIMITED)
    if unread is None:
        return
    for index, token in enumerate(state.tokens):
        content = token.content
        if token.type != "inline" or len(content) < 1000:
            continue
        signs = sum(content.count(sign) * each for sign, each in _WEIGHTS.items())
        if len(content) * signs > _MOST_WORK:
            unread.append(content)
            for around in state.tokens[index - 1 : index + 2 : 2]:
                around.hidden = around.type.startswith("paragraph")
            token.type = "html_block"
            kept = escape(content, quote=False)
            token.content = f'<div data-rt-embed-type="true"><pre>{kept}</pre></div>'


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
    reader.core.ruler.after("block", "set_apart", _set_apart)
    return reader
