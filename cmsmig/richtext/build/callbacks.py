"""What may be done otherwise in fitting, and who has a say in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.schema.marks import Mark, MarkSet, added

Runs: TypeAlias = "Sequence[tuple[str, MarkSet]]"
"""Pieces of one text, each with its marks."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """What is done otherwise than the official converter does it."""

    inside: bool = False
    """Blocks in paragraphs and items: no paragraphs that were never there, no
    broken lists, and what follows in a heading is the heading still."""
    apart: bool = False
    """What a browser shows as a block ends the paragraph before it."""
    items: bool = False
    """A list in which no item was placed is left out."""
    blanks: bool = False
    """No blank at the beginning of a paragraph that follows a block."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Who is told what happens, and may have a say in it."""

    entered: Callable[[Element], None] | None = None
    """Of every element, before anything in it."""
    joined: Callable[[Mark, MarkSet], MarkSet] = added
    """Of every mark of an element; returns the marks for what is in it."""
    placed: Callable[[str, MarkSet], Runs] | None = None
    """Of every text; returns what to write in its place."""
    filled: Callable[[Element, MarkSet], None] | None = None
    """Of a finished block with something in it, before the block is placed."""
    marked: Callable[[MarkSet, bool], None] | None = None
    """Of the marks of an emoji or a line break, which stand (True), and of those that
    a text loses in a code block."""
    cut: Callable[[Element], None] | None = None
    """Of a picture or block between two texts that stand on one line of a page."""
    unplaced: Callable[[Element], None] | None = None
    """Of every leaf that found no place."""


AS_OFFICIAL = Repairs()
UNHEARD = Hooks()
