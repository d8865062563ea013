"""Changes in the text of a decision file that leave every other byte as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import yaml

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.yaml_documents import dumped

_INDENT = 2


@dataclass(frozen=True, slots=True)
class _Edit:
    """One piece of the text and what stands there instead."""

    start: int
    end: int
    text: str


def edited(
    text: str, root: yaml.Node, before: JsonObject, after: JsonObject
) -> str | None:
    """Return `text`, which says `before`, with what `after` says otherwise.

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
    for edit in sorted(edits, key=lambda each: each.start):
        parts += (text[at : edit.start], edit.text)
        at = max(at, edit.end)
    return "".join((*parts, text[at:]))


def _of_value(
    text: str, node: yaml.Node, before: Json, after: Json, column: int
) -> Iterator[_Edit]:
    """Yield the edits of one value; `column` is where its key stands."""
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
        yield _Edit(start, node.end_mark.index, space + dumped(after, flow=True))


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
        yield _Edit(end, end, _indented(dumped(new), column))


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
        yield _Edit(end, end, _indented(dumped(added), node.start_mark.column))
    elif node.value:
        inside = node.end_mark.index - 1
        yield _Edit(inside, inside, f", {dumped(added, flow=True)[1:-1]}")
    else:
        start = node.start_mark.index
        block = _indented(dumped(added), column + _INDENT).rstrip("\n")
        start -= len(text[:start]) - len(text[:start].rstrip(" "))
        yield _Edit(start, node.end_mark.index, f"\n{block}")


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
