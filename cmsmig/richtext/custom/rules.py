"""What a project's own rules are written with: `rule` and `component`.

    FORM = component("signup_form", form="text")

    @rule("div.signup[data-form]")
    def signup(tag):
        return FORM(form=tag["data-form"])

A rule looks at an element and returns the block that it becomes, or None when
the element is not its business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.custom.returned_blocks import plain
from cmsmig.richtext.html.soup import Selector
from cmsmig.richtext.html.soup import Tag as Tag

RuleFunction: TypeAlias = Callable[[Tag], Mapping[str, object] | None]

FIELD_TYPES = frozenset(
    (
        "asset",
        "bloks",
        "boolean",
        "custom",
        "datetime",
        "markdown",
        "multiasset",
        "multilink",
        "number",
        "option",
        "options",
        "richtext",
        "table",
        "text",
        "textarea",
    )
)
"""The destination's field types. Source: destination, field types."""
_COMPONENT = re.compile(r"[a-z0-9_-]+")
_KEY = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class RuleComponent:
    """A component that rules make blocks of; calling it makes one."""

    name: str
    display_name: str
    schema: JsonObject
    """Destination field definitions by key."""

    def __call__(self, **fields: object) -> dict[str, object]:
        """Return a block; `TypeError` for a field that was not declared."""
        for key in fields:
            if key not in self.schema:
                raise TypeError(f"{self.name} has no field `{key}`")
        return {"component": self.name, **fields}


@dataclass(frozen=True, slots=True)
class CustomRule:
    """A function of a project, and which elements it is asked about."""

    name: str
    selectors: tuple[Selector, ...]
    function: RuleFunction

    def __call__(self, tag: Tag) -> Mapping[str, object] | None:
        """Return what the function says."""
        return self.function(tag)

    def may_match(self, html: str) -> bool:
        """Say whether it may be asked about anything in a lower-case text."""
        return any(selector.may_match(html) for selector in self.selectors)


def rule(selector: str) -> Callable[[RuleFunction | CustomRule], CustomRule]:
    """Ask a function about every element that a CSS selector matches.

    Several above one function: any of them. Raises `ValueError` for what is no
    selector.
    """
    compiled = Selector(selector)

    def made(function: RuleFunction | CustomRule) -> CustomRule:
        if isinstance(function, CustomRule):
            selectors = (compiled, *function.selectors)
            return CustomRule(function.name, selectors, function.function)
        if not callable(function):
            raise TypeError("@rule(...) must stand above a function")
        name = getattr(function, "__name__", type(function).__name__)
        return CustomRule(name, (compiled,), function)

    return made


def component(
    name: str, display_name: str = "", /, **fields: str | Mapping[str, object]
) -> RuleComponent:
    """Declare a component, so that the import makes it before the stories.

    A field is the name of a destination field type, or a whole definition such
    as `{"type": "text", "description": "..."}`. Raises `ValueError` for names
    that the destination refuses.
    """
    if not _COMPONENT.fullmatch(name):
        raise ValueError(
            f"the component name `{name}` may hold only lower-case letters, digits, "
            "hyphens and underscores"
        )
    shown = display_name or name.replace("_", " ").replace("-", " ").capitalize()
    schema: JsonObject = {key: _field(key, given) for key, given in fields.items()}
    return RuleComponent(name, shown, schema)


def _field(key: str, given: str | Mapping[str, object]) -> Json:
    if not _KEY.fullmatch(key) or key == "component":
        raise ValueError(
            f"the field `{key}` must begin with a lower-case letter and hold only "
            "those, digits and underscores, and must not be called component"
        )
    definition = plain({"type": given} if isinstance(given, str) else given)
    kind = definition.get("type") if isinstance(definition, dict) else None
    if kind not in FIELD_TYPES:
        known = ", ".join(sorted(FIELD_TYPES))
        raise ValueError(f"the field `{key}` has the type `{kind}`; there are {known}")
    return definition
