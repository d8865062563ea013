"""The parts of a component that changed since our last write."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.component_merge import ANSWERED, as_sent
from cmsmig.mapping.compare.plain_values import plain


def component_changes(there: JsonObject, written: JsonObject) -> tuple[str, ...]:
    """Return what differs between a component and what was last written of it, a
    phrase each.

    Only the keys that were written count: others outlive a write. Source:
    destination, components: `schema` is replaced as a whole, other keys one by one.
    """
    name = str(written.get("name"))
    there = as_sent(there, written)
    return (
        *(
            f"`{key}` of component `{name}` was changed"
            for key in written
            if key not in ("schema", ANSWERED)
            and plain({key: there.get(key)}) != plain({key: written[key]})
        ),
        *_schema_changes(_schema(there), _schema(written), name),
    )


def _schema_changes(
    there: dict[str, Json], written: dict[str, Json], component: str
) -> Iterator[str]:
    for key in written.keys() - there.keys():
        yield f"field `{key}` of component `{component}` is gone"
    for key in there.keys() - written.keys():
        yield f"field `{key}` of component `{component}` was added"
    for key in sorted(there.keys() & written.keys()):
        names = sorted(_differing(plain(there[key]), plain(written[key])))
        if names:
            yield (
                f"field `{key}` of component `{component}` was changed "
                f"({', '.join(names)})"
            )


def _schema(body: JsonObject) -> dict[str, Json]:
    schema = body.get("schema")
    return schema if isinstance(schema, dict) else {}


def _differing(there: Json, written: Json) -> Iterator[str]:
    first = there if isinstance(there, dict) else {"": there}
    second = written if isinstance(written, dict) else {"": written}
    for name in first.keys() | second.keys():
        if first.get(name) != second.get(name):
            yield name
