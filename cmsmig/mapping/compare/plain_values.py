"""What of a value in a component counts when it is compared."""

from __future__ import annotations

from cmsmig.canonical import Json

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
