"""Rules of a project, for tests of their blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import soupsieve

from cmsmig.richtext.custom.rules import RuleFunction, Tag


def note_of(**fields: object) -> dict[str, object]:
    """Return a note."""
    return {"component": "note", **fields}


def noted(selector: str) -> RuleFunction:
    """Return a rule that makes a note of the text and the HTML of some elements."""

    def note(tag: Tag) -> Mapping[str, object] | None:
        if not soupsieve.match(selector, tag):
            return None
        return note_of(text=tag.get_text(), html=str(tag))

    return note


def answering(value: object) -> RuleFunction:
    """Return a rule that answers the same for every widget."""

    def answer(tag: Tag) -> Any:
        return value if soupsieve.match("div.w", tag) else None

    return answer
