"""Markdown to HTML by the port of the official converter's reader, markdown-it."""

from __future__ import annotations

import re
from functools import cache
from html import escape as html_escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

_MOST_WORK = 20_000_000
"""Characters of one text, times the weight of the signs in it: the rules for links and
for quotes take quadratic time, and more than this takes seconds."""
_WEIGHTS = {"[": 1.0, "//": 1.0, '"': 0.01, "'": 0.01}
"""At a bracket or an address reading looks ahead; for a quote the text is copied."""
_LIMITED = "limited"
_WIDE = (
    r"[\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
)
_ODD = re.compile(
    rf"^[ \t>#*+\-0-9.)]*{_WIDE}|{_WIDE}[ \t#]*$|[\U00010000-\U0010ffff][\"']"
    r"|[\"'][\U00010000-\U0010ffff]|\\ ",
    re.MULTILINE,
)


def html_within_limit(text: str) -> tuple[str, list[str]]:
    """Return HTML (links recognised, quotes curled, newlines kept, HTML escaped), and
    the texts that take too much work to be read.

    Each of these becomes an embed, which holds its characters as they are. The
    limit counts characters, not time: the same text always gives the same.
    """
    unread: list[str] = []
    return str(_reader().render(text, {_LIMITED: unread})), unread


def markdown_may_differ(text: str) -> bool:
    """Return whether the original may read another text: wide blanks around a line,
    quotes beside a character beyond 16 bits, a backslash before a blank, an address
    with a star."""
    return _ODD.search(text) is not None or any(
        "*" in word.partition("://")[2] for word in text.split()
    )


def _set_apart(state: StateCore) -> None:
    """Replace the texts that take too much work."""
    unread: list[str] = state.env[_LIMITED]
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
            kept = html_escape(content, quote=False)
            token.content = f'<div data-rt-embed-type="true"><pre>{kept}</pre></div>'


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt(
        "js-default",
        {"html": False, "linkify": True, "typographer": True, "breaks": True},
    )
    reader.enable(["linkify", "replacements", "smartquotes"])
    reader.core.ruler.after("block", "set_apart", _set_apart)
    return reader
