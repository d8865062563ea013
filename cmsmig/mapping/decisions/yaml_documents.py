"""Decision files as YAML: written in one stable form, read as nodes that know
their lines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import yaml

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.whole_text import whole_text

_TAG = "tag:yaml.org,2002:"
NULL = f"{_TAG}null"
_MERGE = f"{_TAG}merge"
YES = frozenset(("true", "yes", "on"))
NO = frozenset(("false", "no", "off"))


class _SharedValueError(Exception):
    """The text uses one value in several places: from this line on."""


class _Reader(yaml.SafeLoader):
    """Reads an escaped lone surrogate as the character that files can hold.

    Refuses anchors, aliases and merge keys: ten lines of them expand to gigabytes.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1 if event.start_mark else 1
        if getattr(event, "anchor", None) is not None:
            raise _SharedValueError(line)
        node = super().compose_node(parent, index)
        if node is not None and node.tag == _MERGE:
            raise _SharedValueError(line)
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        node.value = whole_text(node.value)
        return node


class _Writer(yaml.SafeDumper):
    """Without anchors, which people would take for content."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _write_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    # YAML reads these as line ends outside of double quotes, and folds them.
    quoted = any(sign in text for sign in "\r\x85\u2028\u2029")
    return writer.represent_scalar(f"{_TAG}str", text, style='"' if quoted else None)


_Writer.add_representer(str, _write_text)


def write_document(body: JsonObject, header: str) -> str:
    """Return `body` as YAML in the order of its keys, below comment lines."""
    comment = "".join(f"# {line}\n" for line in header.splitlines())
    return comment + dumped(body)


def dumped(value: Json, *, flow: bool = False) -> str:
    """Return a value as YAML: on lines of its own, or as one line without an end."""
    text = str(
        yaml.dump(
            value,
            Dumper=_Writer,
            sort_keys=False,
            allow_unicode=True,
            width=10**6 if flow else 88,
            default_flow_style=flow,
        )
    )
    return text.removesuffix("\n").removesuffix("\n...") if flow else text


def read_document(text: str, where: str) -> yaml.Node:
    """Return the root of what `text` holds.

    Raises `DecisionsError` naming `where` and the line for what is no YAML, empty,
    nested beyond reason, or uses anchors, aliases or merge keys.
    """
    try:
        node = yaml.compose(text, Loader=_Reader)
    except _SharedValueError as error:
        raise DecisionsError(
            f"{where}, line {error} has an anchor, an alias or a merge key (&name, "
            "*name, <<), which files of decisions may not have; write the value out "
            "where it is meant."
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise DecisionsError(
            f"{where}{line} is not valid YAML: {error.problem or error.context}; "
            "correct it or delete the file and decide again."
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise DecisionsError(
            f"{where} is not valid YAML; correct it or delete the file and decide "
            "again."
        ) from error
    if node is None:
        raise DecisionsError(f"{where} is empty; delete the file and decide again.")
    return node


def text_of(node: yaml.Node) -> yaml.Node | str:
    """Return a scalar's text as it is written, and any other node as it is."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else node


def json_of(node: yaml.MappingNode) -> JsonObject:
    """Return a mapping as JSON, with YAML's own reading of scalars.

    Raises `ValueError` or `RecursionError` for what JSON can't hold.
    """
    return {str(key.value): _json(value) for key, value in node.value}


def _json(node: yaml.Node) -> Json:
    if isinstance(node, yaml.MappingNode):
        return json_of(node)
    if isinstance(node, yaml.SequenceNode):
        return [_json(value) for value in node.value]
    return _json_scalar(str(node.value), node.tag.removeprefix(_TAG))


def _json_scalar(text: str, kind: str) -> Json:
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in YES
    if kind == "int" and text.lstrip("+-").isdigit():
        return int(text)
    if kind == "float":
        return _finite(float(text))
    return text


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(value)
    return value


def mapping_of(values: Mapping[str, StrEnum]) -> JsonObject:
    """Return a mapping to enum values as plain JSON, in the order of its keys."""
    return {key: str(values[key]) for key in sorted(values)}
