"""Identifiers derived from site, space and item: every run makes the same ones."""

from __future__ import annotations

import uuid

from cmsmig.item_key import ItemKey


def story_uid(namespace: str, key: ItemKey) -> str:
    """Return the `_uid` of a story's root block: how we know a story as ours."""
    return _derive(namespace, "story", *key)


def block_uid(namespace: str, key: ItemKey, path: str) -> str:
    """Return the `_uid` of the block at `path` (unique in the item)."""
    return _derive(namespace, "block", *key, path)


def external_id(namespace: str, sha256: str) -> str:
    """Return the external id of the asset that holds these bytes."""
    return _derive(namespace, "asset", sha256)


def derived_group(namespace: str, key: ItemKey) -> str:
    """Return the group that an item's stories share, whatever their language."""
    return _derive(namespace, "group", key.collection_id, key.item_id)


def option_uid(field_key: str, value: str) -> str:
    """Return the `_uid` of an option in a field definition, the same in every space."""
    return _derive("", "option", field_key, value)


def _derive(namespace: str, *parts: str) -> str:
    # The length in front keeps ("a", "bc") and ("ab", "c") apart.
    name = "".join(f"{len(part)}:{part}" for part in parts)
    return str(uuid.uuid5(_root(namespace), name))


def _root(namespace: str) -> uuid.UUID:
    try:
        return uuid.UUID(namespace)
    except ValueError:
        return uuid.uuid5(uuid.NAMESPACE_URL, namespace)
