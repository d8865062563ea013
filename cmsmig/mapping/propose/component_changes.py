"""The parts of a component that changed since our last write."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject

_GENERATED = frozenset(("id", "_uid"))
"""What the service adds to a definition and its options."""


def component_changes(there: JsonObject, written: JsonObject) -> tuple[str, ...]:
    """Return what differs between a component and what was last written of it, a
    phrase each.

    Only the keys that were written count: others outlive a write. Source:
    destination, components: `schema` is replaced as a whole, other keys one by one.
    """
    name = str(written.get("name"))
    return (
        *(
            f"`{key}` of component `{name}` was changed"
            for key in written
            if key != "schema"
            and _plain({key: there.get(key)}) != _plain({key: written[key]})
        ),
        *_schema_changes(_schema(there), _schema(written), name),
    )


def written_part(answered: JsonObject, sent: JsonObject) -> JsonObject:
    """Return what was sent in the form that the service gave it in its answer."""
    return {key: answered.get(key, value) for key, value in sent.items()}


def _schema_changes(
    there: dict[str, Json], written: dict[str, Json], component: str
) -> Iterator[str]:
    for key in written.keys() - there.keys():
        yield f"field `{key}` of component `{component}` is gone"
    for key in there.keys() - written.keys():
        yield f"field `{key}` of component `{component}` was added"
    for key in sorted(there.keys() & written.keys()):
        names = sorted(_differing(_plain(there[key]), _plain(written[key])))
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


def _plain(value: Json) -> Json:
    """Return a value without what is unset and what the service generates.

    The service may give an unset key back as null, as empty or not at all, and a
    list of names with commas between them.
    """
    if isinstance(value, dict):
        held = {
            name: _plain(each) for name, each in value.items() if name not in _GENERATED
        }
        return {name: each for name, each in held.items() if not _unset(each)}
    if isinstance(value, list):
        listed = [_plain(each) for each in value]
        texts = [each for each in listed if isinstance(each, str)]
        return ",".join(texts) if listed and len(texts) == len(listed) else [*listed]
    return value


def _unset(value: Json) -> bool:
    # Zero is a value, though it equals False.
    return value is None or value is False or value in ("", [], {})
