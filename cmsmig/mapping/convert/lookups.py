"""What a draft asked for while it was made: it stays valid while the answers do.

Besides its item, its content type and what all drafts of a collection share, a draft
depends only on the files, alt texts and block decisions that it asked for. It is made
before its files are uploaded: it holds a mark where a file's id or address will be,
and knows where.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TypeAlias, TypeVar

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.draft import DraftContext
from cmsmig.richtext.blocks.block_runs import Blocks
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.engine import UploadedAsset

K = TypeVar("K")
V = TypeVar("V")
_Division: TypeAlias = tuple[tuple[BlockKind, int], ...] | None
"""The kind of each block of a body and how many nodes it has."""


@dataclass(slots=True)
class Lookups:
    """Questions and their answers, None where there was none."""

    files: dict[str, bool] = field(default_factory=dict)
    """By origin address: whether the file is at the destination, or will be."""
    missing: dict[str, str | None] = field(default_factory=dict)
    """By origin address: why a file could not be fetched."""
    alts: dict[str, str | None] = field(default_factory=dict)
    blocks: dict[str, _Division] = field(default_factory=dict)
    """By the field of the item's body."""

    def hold(self, key: ItemKey, context: DraftContext) -> bool:
        """Return whether each question about an item is answered as before."""
        return (
            all((each in context.assets) == had for each, had in self.files.items())
            and all(context.missing_assets.get(k) == v for k, v in self.missing.items())
            and all(context.alts.get(k) == v for k, v in self.alts.items())
            and all(
                _division(context.blocks.get(BodyKey(*key, k))) == v
                for k, v in self.blocks.items()
            )
        )


def recording(
    context: DraftContext, marks: Marks | None = None
) -> tuple[DraftContext, Lookups]:
    """Return a context that answers with marks for assets, if given, and what it was
    asked."""
    asked = Lookups()
    recorded = replace(
        context,
        assets=Asked(
            context.assets,
            lambda address, held: asked.files.update({address: held is not None}),
            lambda address, held: marks.asset(address) if marks else held,
        ),
        missing_assets=Asked(context.missing_assets, asked.missing.__setitem__),
        alts=Asked(context.alts, asked.alts.__setitem__),
        blocks=Asked(
            context.blocks,
            lambda key, held: asked.blocks.update({key.field: _division(held)}),
        ),
    )
    return recorded, asked


class Asked(Mapping[K, V]):
    """A mapping that reports what it is asked for, and can only be asked. What it
    holds under a key it gives as `shown` has it."""

    def __init__(
        self,
        held: Mapping[K, V],
        report: Callable[[K, V | None], None],
        shown: Callable[[K, V], V] = lambda key, held: held,
    ) -> None:
        self._held, self._report, self._shown = held, report, shown

    def __getitem__(self, key: K) -> V:
        found = self._held.get(key)
        self._report(key, found)
        if found is None:
            raise KeyError(key)
        return self._shown(key, found)

    def __iter__(self) -> Iterator[K]:
        raise TypeError("a draft may ask for names only: others would not be kept")

    def __len__(self) -> int:
        raise TypeError("a draft may ask for names only: others would not be kept")

    def __bool__(self) -> bool:
        """Be asked also where it is empty: it may hold the name the next time."""
        return True


def _division(blocks: Blocks | None) -> _Division:
    return None if blocks is None else tuple((e.kind, e.nodes) for e in blocks)


Path: TypeAlias = tuple[str | int, ...]
"""Keys and positions that lead to a value."""
_Chain: TypeAlias = "tuple[_Chain | None, str | int]"
"""The same from its end: what leads to the value's holder, then the last key."""

_NONCE_DIGITS = 40
_MARK = re.compile(r"https://([0-9a-f]+)\.invalid/([0-9]+)&(amp;)?\.")
"""Its ampersand shows whether the text around it is HTML that was escaped."""


class SlotId(int):
    """In the place of an asset's id: which of the draft's assets it is.

    Its type marks it, not its value: no number of the content is mistaken for one.
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
        """Return the uploaded file of an origin address."""
        number = self._numbers.setdefault(address, len(self._numbers))
        return UploadedAsset(
            SlotId(number), f"https://{self._nonce}.invalid/{number}&."
        )

    def slots(self, content: JsonObject) -> Slots:
        """Return where the marks are in content that is just made."""
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
