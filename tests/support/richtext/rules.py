"""Rules of a project, for tests of their blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cmsmig.richtext.custom.rules import CustomRule, Tag, component, rule

NOTE = component("note", text="text", html="textarea", more="bloks")


def noted(selector: str) -> CustomRule:
    """Return a rule that makes a note of an element's text and of its HTML."""

    @rule(selector)
    def note(tag: Tag) -> Mapping[str, object]:
        return NOTE(text=tag.get_text(), html=str(tag))

    return note


def answering(value: object) -> CustomRule:
    """Return a rule that answers the same for every widget."""

    @rule("div.w")
    def answer(tag: Tag) -> Any:
        return value

    return answer
