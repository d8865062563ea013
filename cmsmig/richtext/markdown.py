"""Markdown to the HTML that the official converter makes of it.

It uses markdown-it in JavaScript; this uses its port to Python, with a few
rules of our own where the port differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import escape as html_escape

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, heading, lheading, paragraph
from markdown_it.rules_core import StateCore
from markdown_it.rules_core.smartquotes import smartquotes
from markdown_it.rules_inline import StateInline, escape

_LIGHT = " \t\n\r"
"""Blanks around a paragraph that do not count; others are text."""
_SPACED = re.compile(r" ([^\r\n\u2028\u2029]+) ")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*")
_SCHEME_LENGTH = 10
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_LETTER = "x"


def as_in_javascript(reader: MarkdownIt) -> None:
    """Give `reader` the rules of this module."""
    block, inline, core = reader.block.ruler, reader.inline.ruler, reader.core.ruler
    block.at("paragraph", _with_wide_blanks(paragraph))
    block.at("lheading", _with_wide_blanks(lheading))
    block.at("heading", _heading, {"alt": ["paragraph", "reference", "blockquote"]})
    inline.at("escape", _escape)
    inline.at("backticks", _backticks)
    inline.at("linkify", _linkify)
    core.at("smartquotes", _smartquotes)


def _with_wide_blanks(rule: Callable[..., bool]) -> Callable[..., bool]:
    """Return a rule that takes lines with the wide blanks around them."""

    def read(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        found = rule(state, start, end, silent)
        if found and not silent and (lines := state.tokens[-2].map) is not None:
            first, last = lines
            text = state.getLines(first, last, state.blkIndent, False)
            state.tokens[-2].content = text.strip(_LIGHT)
        return found

    return read


def _heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take a heading with the wide blanks around it."""
    found = heading(state, start, end, silent)
    if found and not silent:
        level = len(state.tokens[-1].markup)
        at = state.bMarks[start] + state.tShift[start] + level
        last = state.skipSpacesBack(state.eMarks[start], at)
        closing = state.skipCharsStrBack(last, "#", at)
        if closing > at and state.src[closing - 1] in " \t":
            last = closing
        state.tokens[-2].content = state.src[at:last].strip(_LIGHT)
    return found


def _escape(state: StateInline, silent: bool) -> bool:
    """Read a backslash before a blank alone; the blank may be of a line's end."""
    at = state.pos
    if not state.src.startswith("\\ ", at) or at + 1 >= state.posMax:
        return escape(state, silent)
    if not silent:
        token = state.push("text_special", "", 0)
        token.content = token.markup = "\\"
        token.info = "escape"
    state.pos = at + 1
    return True


def _backticks(state: StateInline, silent: bool) -> bool:
    """Read code; a search that came to the end counts for what is before it too.

    A link's text is searched first, so code in brackets that are no link may
    stay text. Blanks around code that is nothing but blanks go as well.
    """
    start, limit, source = state.pos, state.posMax, state.src
    if source[start] != "`":
        return False
    opened = _run_end(source, start, limit)
    length = opened - start
    marker = source[start:opened]
    if state.backticksScanned and state.backticks.get(length, 0) <= start:
        return _plain(state, marker, opened, silent)
    end = opened
    while (begins := source.find("`", end)) >= 0:
        end = _run_end(source, begins, limit)
        if end - begins == length:
            if not silent:
                content = source[opened:begins].replace("\n", " ")
                token = state.push("code_inline", "code", 0)
                token.markup = marker
                spaced = _SPACED.fullmatch(content)
                token.content = content if spaced is None else spaced[1]
            state.pos = end
            return True
        state.backticks[end - begins] = begins
    state.backticksScanned = True
    return _plain(state, marker, opened, silent)


def _run_end(source: str, start: int, limit: int) -> int:
    end = start + 1
    while end < limit and source[end] == "`":
        end += 1
    return end


def _plain(state: StateInline, text: str, end: int, silent: bool) -> bool:
    if not silent:
        state.pending += text
    state.pos = end
    return True


def _linkify(state: StateInline, silent: bool) -> bool:
    """Read an address with a scheme; at most ten characters before `://` count."""
    at = state.pos
    if (
        state.linkLevel > 0
        or not state.src.startswith("://", at)
        or at + 3 > state.posMax
        or state.md.linkify is None
    ):
        return False
    lowest = at - min(_SCHEME_LENGTH, len(state.pending), at)
    start = at
    while start > lowest and _is_scheme(state.src[start - 1]):
        start -= 1
    if _SCHEME.match(state.src, start, at) is None:
        return False
    link = state.md.linkify.match_at_start(state.src[start:])
    if link is None or len(link.url) <= at - start:
        return False
    url = link.url.rstrip("*")
    address = state.md.normalizeLink(url)
    if not state.md.validateLink(address):
        return False
    if not silent:
        state.pending = state.pending[: start - at]
        opening = state.push("link_open", "a", 1)
        opening.attrs = {"href": address}
        state.push("text", "", 0).content = state.md.normalizeLinkText(url)
        for token in (opening, state.push("link_close", "a", -1)):
            token.markup, token.info = "linkify", "auto"
    state.pos += len(url) - (at - start)
    return True


def _is_scheme(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in "+-.")


def _smartquotes(state: StateCore) -> None:
    """Curl quotes; a character beyond 16 bits next to one counts as a letter."""
    hidden: list[tuple[int, int, list[tuple[int, str]]]] = []
    for outer, token in enumerate(state.tokens):
        for inner, child in enumerate(token.children or ()):
            if child.type == "text" and _BEYOND.search(child.content):
                found = [
                    (one.start(), one[0]) for one in _BEYOND.finditer(child.content)
                ]
                hidden.append((outer, inner, found))
                child.content = _BEYOND.sub(_LETTER, child.content)
    smartquotes(state)
    for outer, inner, found in hidden:
        child = (state.tokens[outer].children or [])[inner]
        characters = list(child.content)
        for at, character in found:
            characters[at] = character
        child.content = "".join(characters)


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
            kept = html_escape(content, quote=False)
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
