"""When two values of story content are the same; pure, the one place that decides it.
And what of a component's values and of their order is compared.

A save in the visual editor fills absent fields with the empty value of their type, and
the service brings the paths of story links up to date: neither is an edit.

Source: destination, absent equals empty; asset field value and multilink value.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from cmsmig.canonical import Json, JsonObject, canonical

_UNSET: Final[tuple[Json, ...]] = (None, "", [], {})
ADDED: Final = frozenset(("_editable",))
"""What the service adds to blocks for its visual editor."""
_KEPT_UP_TO_DATE = frozenset(("cached_url", "url")) | ADDED
"""What the service renews in a stored link when its target moves."""
_NAMING = {
    "asset": ("id", "filename"),
    "multilink": ("id", "url", "cached_url", "email", "anchor"),
}
"""What an asset or a link names, by its kind; without any of it, it is empty."""
_EMPTY_DOCUMENTS: Final[tuple[Json, ...]] = ([{"type": "paragraph"}], None)
_EMPTY_TABLES: Final[tuple[Json, ...]] = ([["", ""], ["", ""]], [[]])
"""The texts of the cells of an empty table, the head before the rows."""


def comparable(value: Json) -> Json:
    """Return the form of a field's value, a block or whole content that is compared.

    An empty value of any type is None, and no block has a key with one.
    """
    if isinstance(value, list):
        # A value in a list stays one, also where it is empty.
        return [
            comparable(each)
            if (type(each) is dict and not _is_plain_text(each)) or type(each) is list
            else each
            for each in value
        ] or None
    if not isinstance(value, dict):
        return None if value is False or value == "" else value
    if "component" not in value:
        return _comparable_object(value)
    return _members(value, ADDED)


def _is_plain_text(value: JsonObject) -> bool:
    """Return whether it is a text without marks, as most of a document is: it has
    nothing to leave out."""
    return len(value) == 2 and value.get("type") == "text" and bool(value.get("text"))


def same(one: Json, other: Json) -> bool:
    """Return whether two values are the same for an editor; absent is given as None."""
    return canonical(comparable(one)) == canonical(comparable(other))


def _comparable_object(value: JsonObject) -> Json:
    """Return the form of what is no block; its shape identifies its type."""
    if "fieldtype" in value:
        return _comparable_field(value)
    if "plugin" in value:
        found = _members(value, ADDED)
        return found if found.keys() - {"plugin", "_uid"} else None
    if "type" in value:
        node = _comparable_node(value)
        is_empty = value["type"] == "doc" and node.get("content") in _EMPTY_DOCUMENTS
        return None if is_empty else node
    return _members(value, ADDED) or None


def _comparable_field(value: JsonObject) -> Json:
    kind = value["fieldtype"]
    naming = _NAMING.get(str(kind), ())
    if naming and all(value.get(name) in _UNSET for name in naming):
        return None
    if kind == "table" and _table_texts(value) in _EMPTY_TABLES:
        return None
    is_renewed = kind == "multilink" and value.get("linktype") == "story"
    return _members(value, _KEPT_UP_TO_DATE if is_renewed else ADDED)


def _members(value: JsonObject, left_out: frozenset[str]) -> JsonObject:
    found: JsonObject = {}
    for name, each in value.items():
        # Most values are texts, which need no call of their own.
        if type(each) is dict or type(each) is list:
            each = comparable(each)
        if (each or (each not in _UNSET and each is not False)) and (
            name not in left_out
        ):
            found[name] = each
    return found


def _comparable_node(value: JsonObject) -> JsonObject:
    """Return the form of a node, a mark or the attributes of one: unset attributes are
    left out, but `false` is a value there."""
    found: JsonObject = {}
    for name, each in value.items():
        if name == "attrs" and type(each) is dict:
            each = _comparable_node(each)
        elif type(each) is dict or type(each) is list:
            each = comparable(each)
        if (each or each not in _UNSET) and name != "_editable":
            found[name] = each
    return found


def _table_texts(value: JsonObject) -> list[Json]:
    rows = value.get("tbody")
    bodies = (
        [each for each in rows if isinstance(each, dict)]
        if isinstance(rows, list)
        else []
    )
    return [
        _cell_texts(value.get("thead")),
        *(_cell_texts(each.get("body")) for each in bodies),
    ]


def _cell_texts(cells: Json) -> Json:
    listed = cells if isinstance(cells, list) else []
    return [each.get("value") or "" for each in listed if isinstance(each, dict)]


GENERATED = frozenset(("id", "_uid"))
"""What the service adds to a definition and its options."""


def plain(value: Json) -> Json:
    """Return a value without what is unset and what the service generates.

    The service may give an unset key back as null, as empty or not at all, and a
    list of names with commas between them.
    """
    if isinstance(value, dict):
        held = {
            name: plain(each) for name, each in value.items() if name not in GENERATED
        }
        return {name: each for name, each in held.items() if not is_unset(each)}
    if isinstance(value, list):
        listed = [plain(each) for each in value]
        texts = [each for each in listed if isinstance(each, str)]
        return ",".join(texts) if listed and len(texts) == len(listed) else [*listed]
    return value


def is_unset(value: Json) -> bool:
    """Return whether a value says as little as no value."""
    # Zero is a value, though it equals False.
    return value is None or value is False or value in ("", [], {})


def merged_order(
    values: Collection[str], leading: Sequence[str], other: Sequence[str]
) -> list[str]:
    """Return `values` in the order of `leading`.

    Each that only `other` has comes after the one that it comes after there. All
    values are in one of the two.
    """
    order = [each for each in leading if each in values]
    for index, value in enumerate(other):
        if value in values and value not in order:
            before = [each for each in other[:index] if each in order]
            order.insert(order.index(before[-1]) + 1 if before else 0, value)
    return order
