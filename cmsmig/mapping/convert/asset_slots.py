"""Assets in a draft that is kept: what the destination calls them is filled in late.

A draft is made before its files are uploaded, and stays good when they are uploaded
anew. So it holds a mark where a file's id or address will stand, and knows where.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.draft import UploadedAsset

Path: TypeAlias = tuple[str | int, ...]
"""Keys and positions that lead to a value."""
_Chain: TypeAlias = "tuple[_Chain | None, str | int]"
"""The same from its end: what leads to the value's holder, then the last key."""

_NONCE_DIGITS = 40
_MARK = re.compile(r"https://([0-9a-f]+)\.invalid/([0-9]+)&(amp;)?\.")
"""Its ampersand tells whether the text around it is HTML that was escaped."""


class SlotId(int):
    """Stands for an asset's id: which of the draft's assets it is.

    Told by its type and not by its value, so no number of the content is taken for
    one.
    """


@dataclass(frozen=True, slots=True)
class Slots:
    """Where a draft's content holds what is filled in."""

    addresses: tuple[str, ...]
    """Origin addresses of the files."""
    ids: tuple[tuple[Path, int], ...]
    """Values that are an asset's id, with the file's place in `addresses`."""
    texts: tuple[Path, ...]
    """Texts that hold marks."""


class Marks:
    """The marks of one draft: addresses that no content holds by chance.

    `made_of` is a fingerprint of the item: no text holds that of itself.
    """

    def __init__(self, made_of: str) -> None:
        self._nonce = made_of[:_NONCE_DIGITS]
        self._numbers: dict[str, int] = {}

    def asset(self, address: str) -> UploadedAsset:
        """Return what stands for the file at an origin address."""
        number = self._numbers.setdefault(address, len(self._numbers))
        return UploadedAsset(
            SlotId(number), f"https://{self._nonce}.invalid/{number}&."
        )

    def slots(self, content: JsonObject) -> Slots:
        """Return where the marks stand in content that is just made."""
        ids: list[tuple[Path, int]] = []
        texts: list[Path] = []
        # What asked for no file holds no mark.
        for chain, value in _leaves(content) if self._numbers else ():
            if type(value) is SlotId:
                ids.append((_path(chain), int(value)))
            elif type(value) is str and self._nonce in value:
                texts.append(_path(chain))
        return Slots(tuple(self._numbers), tuple(ids), tuple(texts))

    def unmarked_print(self, text: bytes) -> str:
        """Return the fingerprint of a text, which is the same under another nonce."""
        return hashlib.sha256(text.replace(self._nonce.encode(), b"")).hexdigest()

    def origin_text(self, text: str) -> str:
        """Return a text with each file's address at the origin where its mark is."""
        return self._named(text, list(self._numbers))

    def fill(
        self, content: JsonObject, slots: Slots, assets: Mapping[str, UploadedAsset]
    ) -> None:
        """Put the assets into content of one's own, in place.

        Raises `KeyError` for an address that has none.
        """
        filled = [assets[address] for address in slots.addresses]
        names = [each.filename for each in filled]
        for path, number in slots.ids:
            _put(content, path, filled[number].asset_id)
        for path in slots.texts:
            text = _at(content, path)
            _put(content, path, self._named(str(text), names))

    def _named(self, text: str, names: Sequence[str]) -> str:
        """Return a text with a name for each mark, by its number."""

        def name(mark: re.Match[str]) -> str:
            if mark[1] != self._nonce:
                return mark[0]
            found = names[int(mark[2])]
            return escape(found) if mark[3] else found

        return _MARK.sub(name, text) if self._nonce in text else text


def _leaves(content: JsonObject) -> Iterator[tuple[_Chain, Json]]:
    """Yield texts and whole numbers, each with the way to it."""
    stack: list[tuple[_Chain | None, JsonObject | list[Json]]] = [(None, content)]
    while stack:
        above, value = stack.pop()
        held: Iterable[tuple[str | int, Json]]
        held = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in held:
            kind = type(each)
            if kind is str or kind is SlotId:
                yield (above, key), each
            elif isinstance(each, (dict, list)):
                stack.append(((above, key), each))


def _path(chain: _Chain) -> Path:
    keys: list[str | int] = []
    rest: _Chain | None = chain
    while rest is not None:
        rest, key = rest
        keys.append(key)
    return tuple(reversed(keys))


def _at(content: JsonObject, path: Path) -> Json:
    value: Json = content
    for key in path:
        value = value[key]  # type: ignore[index]
    return value


def _put(content: JsonObject, path: Path, value: Json) -> None:
    _at(content, path[:-1])[path[-1]] = value  # type: ignore[index]
