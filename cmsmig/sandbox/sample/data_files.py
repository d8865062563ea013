"""Reads the sample's data files: schemas, items, bodies, paragraphs.

`schemas/` and `items/` hold a YAML file per collection, `bodies/` an HTML file per
rich text that is longer than a line. Identifiers are written as what they identify:

    author: !ref authors/maud-ellery
    tone: !option journal/tone/report
    planId: !id plan/friends
    main-image: !asset {name: quay.jpg, alt: The quay, variant: -p-500}
    post-body: !body journal/two-bakers.html

`!moved-asset` and `!bare-asset` are the file values of these names in `identity`.
In every text `{{quay.jpg}}` stands for the file's address and `{{quay.jpg|-p-500}}`
for that of a derived size. A backslash at the end of a body's line joins the line
to the next one; the last line's end is not part of the body. Joiners and hard
blanks stand in the bodies as they are.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.sample.identity import (
    address,
    asset,
    bare_asset,
    long_id,
    moved_asset,
    option_id,
    ref,
)
from cmsmig.sandbox.sample.records import Column, Entry, State, Table, choices, into

try:
    from yaml import CSafeLoader as _SafeLoader
except ImportError:  # PyYAML was built without its C library
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

_DATA = Path(__file__).with_name("data")
_ADDRESS = re.compile(r"\{\{([^{}|]+)\|?([^{}|]*)\}\}")


def read_table(collection: str) -> Table:
    """Return the schema of a collection."""
    rows = _read(f"schemas/{collection}.yaml")
    columns = tuple(_column(collection, row) for row in rows.pop("columns"))
    groups = tuple(rows.pop("groups", ()))
    return Table(key=collection, columns=columns, groups=groups, **rows)


def read_entries(collection: str) -> tuple[Entry, ...]:
    """Return the items of a collection, in the order of its list."""
    return tuple(_entry(row) for row in _read(f"items/{collection}.yaml"))


def read_body(name: str) -> str:
    """Return the rich text that is stored as `name` below `bodies/`."""
    text = (_DATA / "bodies" / name).read_bytes().decode()
    return _addressed(text.removesuffix("\n").replace("\\\n", ""))


def read_paragraphs(language: str) -> dict[str, list[str]]:
    """Return paragraphs to fill bodies with, by subject."""
    bank: dict[str, list[str]] = _read("paragraphs.yaml")[language]
    return bank


def _column(collection: str, row: dict[str, Any]) -> Column:
    if "into" in row:
        row["validations"] = into(row.pop("into"))
    if "choices" in row:
        row["validations"] = choices(collection, row["slug"], **row.pop("choices"))
    return Column(**row)


def _entry(row: dict[str, Any]) -> Entry:
    row.setdefault("data", None)
    for key in ("state", "french_state"):
        if key in row:
            row[key] = State(row[key])
    return Entry(**row)


def _addressed(text: str) -> str:
    return _ADDRESS.sub(lambda found: address(found[1], variant=found[2]), text)


class _Loader(_SafeLoader):
    """YAML of plain values and the tags of the sample's identifiers."""


def _read(name: str) -> Any:
    # Safe: the loader makes plain values only; any other tag is an error.
    return yaml.load((_DATA / name).read_bytes(), _Loader)


def _text(loader: _Loader, node: yaml.ScalarNode) -> str:
    return _addressed(str(loader.construct_scalar(node)))


def _parts(loader: _Loader, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
    """Return the parts of a file value; its name alone needs no mapping."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node)
    return {"name": loader.construct_scalar(node)}


def _ref(loader: _Loader, node: yaml.ScalarNode) -> str:
    collection, _, item = _text(loader, node).partition("/")
    return ref(collection, item)


def _option(loader: _Loader, node: yaml.ScalarNode) -> str:
    collection, field, option = _text(loader, node).split("/")
    return option_id(collection, field, option)


def _id(loader: _Loader, node: yaml.ScalarNode) -> str:
    return long_id(_text(loader, node).replace("/", ":"))


def _body(loader: _Loader, node: yaml.ScalarNode) -> str:
    return read_body(_text(loader, node))


def _asset(loader: _Loader, node: yaml.ScalarNode | yaml.MappingNode) -> JsonObject:
    return asset(**_parts(loader, node))


def _moved_asset(
    loader: _Loader, node: yaml.ScalarNode | yaml.MappingNode
) -> JsonObject:
    return moved_asset(**_parts(loader, node))


def _bare_asset(
    loader: _Loader, node: yaml.ScalarNode | yaml.MappingNode
) -> JsonObject:
    return bare_asset(**_parts(loader, node))


_Loader.add_constructor("tag:yaml.org,2002:str", _text)
_Loader.add_constructor("!ref", _ref)
_Loader.add_constructor("!option", _option)
_Loader.add_constructor("!id", _id)
_Loader.add_constructor("!body", _body)
_Loader.add_constructor("!asset", _asset)
_Loader.add_constructor("!moved-asset", _moved_asset)
_Loader.add_constructor("!bare-asset", _bare_asset)
