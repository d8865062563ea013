"""Decision files as YAML: written in one stable form, read as nodes that know their
lines, and changed so that every other byte stays as it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

import yaml

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.valid_text import valid_text

_TAG = "tag:yaml.org,2002:"
NULL = f"{_TAG}null"
_INDENT = 2


class _Writer(yaml.SafeDumper):
    """Without anchors, which people would take for content."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _write_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    text = valid_text(text)
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
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            # Ten lines of them expand to gigabytes.
            if getattr(event, "anchor", None) is not None or _is_merge(event):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise DecisionsError(
                    f"{where}, line {line} has an anchor, an alias or a merge key "
                    "(&name, *name, <<), which files of decisions may not have; write "
                    "the value out where it is meant."
                )
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        last = text.rstrip().count("\n")
        at = f", line {min(mark.line, last) + 1}" if mark else ""
        raise DecisionsError(
            f"{where}{at} is not valid YAML: {error.problem or error.context}; "
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


def _is_merge(event: yaml.Event) -> bool:
    if not isinstance(event, yaml.ScalarEvent):
        return False
    is_plain = bool(event.implicit[0]) and event.value == "<<"
    return is_plain or event.tag == f"{_TAG}merge"


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
        return text.lower() in ("true", "yes", "on")
    if kind == "int" and text.lstrip("+-").isdigit():
        return int(text)
    if kind == "float":
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(value)
        return value
    return text


_Edit: TypeAlias = tuple[int, int, str]
"""Where a piece of the text begins and ends, and what replaces it."""


def edited(
    text: str, root: yaml.Node, before: JsonObject, after: JsonObject
) -> str | None:
    """Return `text`, which holds `before`, changed to hold `after`.

    `root` is what `text` was read into. Lists may only have grown at their ends.
    None where the text has no place for a change. The caller reads the result again:
    a text of an unusual form may say something else then.
    """
    if not text.endswith("\n"):
        text += "\n"
    try:
        edits = list(_of_value(text, root, before, after, 0))
    except _NoPlaceError:
        return None
    return _applied(text, edits)


class _NoPlaceError(Exception):
    """A change that cannot be made in the text alone."""


def _applied(text: str, edits: Iterable[_Edit]) -> str:
    """Return the text with the edits; of those at one place the first comes first."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=itemgetter(0)):
        parts += (text[at:start], new)
        at = max(at, end)
    return "".join((*parts, text[at:]))


def _of_value(
    text: str, node: yaml.Node, before: Json, after: Json, column: int
) -> Iterator[_Edit]:
    """Yield the edits of one value; `column` is where its key is."""
    if before == after:
        return
    if isinstance(node, yaml.MappingNode):
        if not isinstance(before, dict) or not isinstance(after, dict):
            raise _NoPlaceError
        yield from _of_mapping(text, node, before, after)
    elif isinstance(node, yaml.SequenceNode):
        if not isinstance(before, list) or not isinstance(after, list):
            raise _NoPlaceError
        yield from _of_list(text, node, before, after, column)
    else:
        start = node.start_mark.index
        space = " " if text[start - 1 : start] == ":" else ""
        yield start, node.end_mark.index, space + dumped(after, flow=True)


def _of_mapping(
    text: str, node: yaml.MappingNode, before: JsonObject, after: JsonObject
) -> Iterator[_Edit]:
    column = node.start_mark.column
    written = {key.value: value for key, value in node.value}
    for name, value in written.items():
        if name in after:
            yield from _of_value(text, value, before.get(name), after[name], column)
        elif name in before:
            raise _NoPlaceError
    new: JsonObject = {
        name: value
        for name, value in after.items()
        if name not in written and value != before.get(name)
    }
    if new and (node.flow_style or not node.value):
        raise _NoPlaceError
    if new:
        end = _end_of(text, node)
        yield end, end, _indented(dumped(new), column)


def _of_list(
    text: str,
    node: yaml.SequenceNode,
    before: Sequence[Json],
    after: Sequence[Json],
    column: int,
) -> Iterator[_Edit]:
    if not len(node.value) == len(before) <= len(after):
        raise _NoPlaceError
    for value, old, new in zip(node.value, before, after, strict=False):
        yield from _of_value(text, value, old, new, value.start_mark.column)
    added = list(after[len(before) :])
    if not added:
        return
    if not node.flow_style:
        end = _end_of(text, node)
        yield end, end, _indented(dumped(added), node.start_mark.column)
    elif node.value:
        inside = node.end_mark.index - 1
        yield inside, inside, f", {dumped(added, flow=True)[1:-1]}"
    else:
        start = node.start_mark.index
        block = _indented(dumped(added), column + _INDENT).rstrip("\n")
        start -= len(text[:start]) - len(text[:start].rstrip(" "))
        yield start, node.end_mark.index, f"\n{block}"


def _end_of(text: str, node: yaml.Node) -> int:
    """Return where the line begins that follows a value."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = node.end_mark.index
    if end and text[end - 1] == "\n":
        return end
    return text.index("\n", end) + 1


def _indented(block: str, column: int) -> str:
    return "".join(" " * column + line for line in block.splitlines(keepends=True))
