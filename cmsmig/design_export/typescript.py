"""The design as TypeScript types: an interface for each component, a type for the
stories of each content type, and the types of field values.

Names and texts come from content: identifiers are made of ASCII letters and digits,
keys and options are JSON strings, and no text ends a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from cmsmig.canonical import JsonObject
from cmsmig.mapping.compare.component_fields import keys_in_order, options_of, schema_of
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.naming import claims, identifier
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.printable import printable

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_TYPES: Mapping[str, str] = {
    "text": "string",
    "textarea": "string",
    "markdown": "string",
    "number": "string",
    "datetime": "string",
    "boolean": "boolean",
    "asset": "Asset",
    "multiasset": "Asset[]",
    "multilink": "Link",
    "richtext": "RichText",
    "table": "Table",
    "custom": "Plugin",
}
"""By type of the field; what is not listed is unknown."""
_NO_VALUE = frozenset(("section", "tab"))
_TAKEN = frozenset(("Any",))
"""`AnyStory` and `AnyBlock` are all of them."""


def typescript(design: Design) -> str:
    """Return the text of a `.d.ts` file that needs no other file."""
    return "\n".join(_Types.of(design).lines())


@dataclass(frozen=True, slots=True)
class _Types:
    """The components of a design, and their names in TypeScript."""

    bodies: Sequence[JsonObject]
    names: Mapping[str, str]
    """The name of the type of a block, by component."""

    @classmethod
    def of(cls, design: Design) -> _Types:
        bodies = [each.body for each in component_bodies(design)]
        components = [str(each["name"]) for each in bodies]
        wanted = [*map(_type_name, components)]
        plain = claims(wanted, lambda name, number: f"{name}_{number}", _TAKEN)
        names = {
            component: f"{name}{'Content' if body['is_root'] else 'Block'}"
            for component, name, body in zip(components, plain, bodies, strict=True)
        }
        return cls(bodies, names)

    def lines(self) -> Iterator[str]:
        base = resources.files("cmsmig.design_export").joinpath("base_types.d.ts")
        yield from ("// Written by `cmsmig schema`; a new run replaces this file.", "")
        yield base.read_text("utf-8")
        for body in self.bodies:
            yield from self._interface(body)
        stories = [self._story(name) for name in self._components(is_root=True)]
        yield from _alias("AnyStory", stories)
        blocks = [self.names[name] for name in self._components(is_nestable=True)]
        yield from _alias("AnyBlock", blocks)

    def _interface(self, body: JsonObject) -> Iterator[str]:
        component = str(body["name"])
        name, schema = self.names[component], schema_of(body)
        yield _comment(str(body.get("display_name") or component))
        yield f"export interface {name} extends Block<{json.dumps(component)}> {{"
        for key in keys_in_order(schema):
            definition = schema[key]
            if definition.get("type") in _NO_VALUE:
                continue
            yield f"  {_comment(_label(key, definition))}"
            sign = "" if definition.get("required") else "?"
            yield f"  {_key(key)}{sign}: {self._value(definition)};"
        yield from ("}", "")
        if body["is_root"]:
            yield from _alias(self._story(component), [f"Story<{name}>"])

    def _value(self, definition: JsonObject) -> str:
        kind = str(definition.get("type"))
        if kind == "bloks":
            return _list_of(self._blocks(definition))
        if kind in ("option", "options"):
            one = self._choice(definition)
            return _list_of(one) if kind == "options" else one
        return _TYPES.get(kind, "unknown")

    def _blocks(self, definition: JsonObject) -> str:
        listed = _names_in(definition.get("component_whitelist"))
        known = [self.names[name] for name in listed if name in self.names]
        return " | ".join(known) or "AnyBlock"

    def _choice(self, definition: JsonObject) -> str:
        if definition.get("source") == "internal_stories":
            listed = _names_in(definition.get("filter_content_type"))
            targets = [self._story(name) for name in listed if name in self.names]
            return f"Relation<{' | '.join(targets) or 'AnyStory'}>"
        options = options_of(definition) or {}
        # A source outside of the field has options that are not known here.
        own = not definition.get("source") and options
        return " | ".join(map(json.dumps, ["", *options])) if own else "string"

    def _story(self, component: str) -> str:
        return f"{self.names[component].removesuffix('Content')}Story"

    def _components(self, **flags: bool) -> list[str]:
        return [
            str(body["name"])
            for body in self.bodies
            if all(body[name] is flag for name, flag in flags.items())
        ]


def _type_name(component: str) -> str:
    words = identifier(component).split("_")
    name = "".join(word.capitalize() for word in words)
    return name if name[:1].isalpha() else f"Type{name}"


def _names_in(value: object) -> list[str]:
    listed = value if isinstance(value, list) else []
    return [each for each in listed if isinstance(each, str)]


def _list_of(one: str) -> str:
    return f"({one})[]" if " | " in one else f"{one}[]"


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) else json.dumps(key)


def _label(key: str, definition: JsonObject) -> str:
    texts = (definition.get("display_name") or key, definition.get("description"))
    return ". ".join(str(each).rstrip(".") for each in texts if each)


def _comment(text: str) -> str:
    return f"/** {printable(text).replace('*/', '* /')} */"


def _alias(name: str, types: Sequence[str]) -> Iterator[str]:
    yield from (f"export type {name} = {' | '.join(types) or 'never'};", "")
