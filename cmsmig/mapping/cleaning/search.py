"""What a search finds an item by: one meaning for lists and for cleaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.character_references import shown_text
from cmsmig.item_key import ItemKey
from cmsmig.mapping import naming
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.origin.schema import Collection, Field
from cmsmig.richtext.plain_text import html_text

_ADDRESS = re.compile(
    r"(?:href|src|data-page-url)\s*=\s*[\"']?([^\"'<>\s]{1,500})", re.I
)


def folded(text: str) -> str:
    """Return a text as searches compare it: `naming.folded`, its blanks single."""
    return " ".join(naming.folded(text.replace("\0", " ")).split())


def text_of(field: Field, value: Json) -> str:
    """Return a value as text to read: a body without its tags."""
    if isinstance(value, str):
        return html_text(value) if field.type == "RichText" else value
    return " ".join(_texts(value))


def searched_text(field: Field, value: Json) -> str:
    """Return a value as text to search, `folded`: with the addresses in a body and
    the label of an option."""
    if is_blank(value):
        return ""
    text = text_of(field, value)
    if field.type == "RichText" and isinstance(value, str):
        text += " " + " ".join(map(shown_text, _ADDRESS.findall(value)))
    if field.type == "Option" and isinstance(value, str):
        text = dict(field.options).get(value, value)
    return folded(text)


def is_found(
    search: str, collection: Collection, key: ItemKey, data: JsonObject
) -> bool:
    """Return whether an item holds every word of a search, each in any field."""
    words = folded(search).split()
    texts = [searched_text(e, data.get(e.slug)) for e in collection.fields if words]
    return all(
        word in key.item_id or any(word in text for text in texts) for word in words
    )


def _texts(value: Json) -> Iterator[str]:
    """Yield the texts and numbers in a value, in its order."""
    stack: list[Json] = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, list):
            stack.extend(reversed(each))
        elif isinstance(each, dict):
            stack.extend(reversed(list(each.values())))
        elif each is not None:
            yield each if isinstance(each, str) else json.dumps(each)
