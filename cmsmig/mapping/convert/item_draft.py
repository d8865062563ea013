"""What an item becomes, as it is made and stored: a story but for its place, its files
and its links; and what a draft asked for while it was made.

Besides its item, its content type and what all drafts of a collection share, a draft
depends only on the files, alt texts and block decisions that it asked for: it stays
valid while the answers do. It is made before its files are uploaded: it holds a mark
where a file's id or address will be, and knows where.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TypeAlias, TypeVar, cast

from pydantic import TypeAdapter

from cmsmig.canonical import Json, JsonObject, compact, fingerprint, unpacked
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.content_shape import ContentShape
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.draft import DraftContext, FieldLoss, Place, RelationUse
from cmsmig.richtext.blocks.block_runs import Blocks
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.losses import Loss, LossCounts, Severity

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


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """What an item becomes, with what plans ask for apart from its content."""

    made_of: str
    """Fingerprint of everything that it was made of, but for what it asked for."""
    key: ItemKey
    name: str
    """The item's own; the story takes its slug where that is blank."""
    names: tuple[tuple[str, str], ...]
    """What the story is called in other languages, by their code."""
    first_published_at: str
    """ISO 8601, or empty."""
    sort_by_date: str
    """YYYY-MM-DD, or empty."""
    relations: tuple[RelationUse, ...]
    links: tuple[tuple[str, str], ...]
    """Every link in the content's order: the field that it is in, as `link_uses`
    returns it, and its address."""
    mentions: tuple[tuple[str, str], ...]
    """The same of what raw HTML mentions in code and data."""
    lookups: Lookups
    slots: Slots
    shape: ContentShape
    size: int
    """Bytes of the content as JSON, about: what is filled in has other lengths."""
    losses: LossCounts
    losses_print: str
    """Tells losses apart; empty without any."""
    fingerprint: str
    """Of the story and its losses, before files and links are filled in; the same
    whatever the marks are. A plan is made for this content."""
    body: bytes = field(compare=False, repr=False)
    """Content and losses, packed."""

    def name_at(self, place: Place) -> str:
        """Return what the story is called."""
        return self.name if self.name.strip() else place.slug

    def fingerprint_of(self, content: bytes) -> str:
        """Return the fingerprint that the draft has with this unpacked body."""
        parts = [
            Marks(self.made_of).unmarked_print(content),
            [
                [each.field, each.origin_field, each.multiple, each.targets]
                for each in self.relations
            ],
            [self.name, self.first_published_at, self.sort_by_date, self.names],
        ]
        return fingerprint(parts)

    def story(self, place: Place, assets: Mapping[str, UploadedAsset]) -> StoryDraft:
        """Return the story at its place, the files of its content filled in."""
        body = cast(JsonObject, json.loads(unpacked(self.body)))
        content = cast(JsonObject, body["content"])
        Marks(self.made_of).fill(content, self.slots, assets)
        losses = tuple(map(_loss_of, cast("list[list[str]]", body["losses"])))
        return StoryDraft(self, place, content, losses)

    def as_bytes(self) -> bytes:
        """Return the draft as it is stored, without `made_of` and `body`."""
        apart = {"made_of", "body"}
        return compact(_CODEC.dump_python(self, mode="json", exclude=apart))

    @classmethod
    def of(cls, kept: bytes, made_of: str, body: bytes) -> ItemDraft:
        """Return a kept draft; raises `ValueError` and the like for anything else."""
        unpacked(body)
        record = {**json.loads(kept), "made_of": made_of, "body": body}
        return _CODEC.validate_python(record)


_CODEC = TypeAdapter(ItemDraft)


@dataclass(frozen=True, slots=True)
class StoryDraft:
    """A story before phase one: complete but for relations and internal links."""

    draft: ItemDraft
    place: Place
    content: JsonObject
    """With `component` and `_uid`; relation fields empty (`""` or `[]`)."""
    losses: tuple[FieldLoss, ...]

    @property
    def key(self) -> ItemKey:
        """Return the item's key."""
        return self.draft.key

    @property
    def name(self) -> str:
        """Return what the story is called."""
        return self.draft.name_at(self.place)


def _loss_of(row: Sequence[str]) -> FieldLoss:
    at, kind, what, where, context, why, severity = row
    return FieldLoss(at, Loss(kind, what, where, context, why, Severity(severity)))
