"""The first redirect map: where each old address leads, as a CSV file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from cmsmig.canonical import JsonObject
from cmsmig.errors import StorageError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import path_in_language
from cmsmig.mapping.select.routes import OldPaths, RouteTarget
from cmsmig.masking import masked
from cmsmig.plain_file import require_in_place
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.decide.pulled_origin import old_addresses
from cmsmig.ui.csv_text import csv_text, formula_sign
from cmsmig.whole_text import whole_text

STATUS = 301
"""Moved for good. Spec: import rule 7."""
FOLDER = "redirects"
"""Below a run's folder."""
_UNSEEN = re.compile(
    r"[\x00-\x20\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    r"\u3000\ufeff]"
)


@dataclass(frozen=True, slots=True, order=True)
class Redirect:
    """One old path whose page is elsewhere now; both start with a slash."""

    old: str
    new: str
    key: ItemKey


@dataclass(frozen=True, slots=True)
class LostAddress:
    """An address that visitors can open now and that leads nowhere afterwards."""

    old: str
    key: ItemKey
    name: str


@dataclass(frozen=True, slots=True)
class GoneAddress:
    """The address that an item had which is gone at the origin."""

    old: str
    key: ItemKey
    name: str
    new: str
    """Where its story is kept; empty when that was taken away."""


@dataclass(frozen=True, slots=True)
class RedirectMap:
    """What becomes of every address that an item has now."""

    moved: tuple[Redirect, ...]
    """Sorted by old path; an old path occurs once."""
    kept: int
    """Addresses that stay as they are and need no redirect."""
    lost: tuple[LostAddress, ...]
    """Live items without a story: skipped, failed or not created yet."""
    shared: tuple[str, ...]
    """Old paths that several stories claim; the first by item key has it."""
    shadowed: tuple[str, ...]
    """New paths that are an old path too, so a redirect would hide the page."""
    untargeted: tuple[LostAddress, ...] = ()
    """Addresses of items that are gone at the origin, and so are their stories: a
    person names where each is to lead."""

    def as_json(self) -> JsonObject:
        """Return what report.json says of the redirects."""
        return {
            "status": STATUS,
            "moved": len(self.moved),
            "kept": self.kept,
            "without_a_new_page": [
                {"old": each.old, "item": str(each.key), "name": each.name}
                for each in self.lost
            ],
            "needs_a_target": [
                {"old": each.old, "item": str(each.key), "name": each.name}
                for each in self.untargeted
            ],
            "old_paths_of_several_stories": list(self.shared),
            "new_paths_hidden_by_a_redirect": list(self.shadowed),
        }


def redirect_rows(
    migration: Migration,
    existing: Mapping[ItemKey, str] | None = None,
    earlier: Mapping[ItemKey, Iterable[str]] | None = None,
    gone: Sequence[GoneAddress] = (),
) -> RedirectMap:
    """Return where the address of every live item leads, and of those that are gone.

    `existing` are the full slugs of the stories that exist, and of their pages in other
    languages; without them, the places that are planned. An item that is not live has
    no address. `earlier` are addresses that items had at the origin, and paths that
    their stories had: who knows one of them, or the address that the item had then, is
    led on too, and so is who knows the path that a renamed collection had, unless
    another page is there now. Pure.
    """
    if existing is None:
        places = migration.places.places.items()
        existing = {key: place.full_slug for key, place in places}
    existing = {**dict(_translated_stories(migration, existing)), **existing}
    paths = old_addresses(migration.origin)
    live = {
        each.key: each for items in migration.origin.live.values() for each in items
    }
    pairs = [(paths[key], f"/{existing[key]}", key) for key in live if key in existing]
    # A new item at an address has it, whoever had it before.
    free = [each for each in gone if each.old and each.old not in paths.values()]
    pairs += [(each.old, f"/{each.new}", each.key) for each in free if each.new]
    pairs.sort()
    moved: dict[str, Redirect] = {}
    taken = Counter(old for old, _, _ in pairs)
    stays = {old for old, new, _ in pairs if old == new}
    for old, new, key in pairs:
        if old not in stays:
            moved.setdefault(old, Redirect(old, new, key))
    pages = stays | {f"/{path}" for path in existing.values()}
    former = (
        (old, f"/{existing[key]}", key)
        for key, old in _former_addresses(migration)
        if key in existing
    )
    before = _earlier_pairs(paths, existing, earlier or {})
    for old, new, key in chain(former, before):
        if old not in pages:
            moved.setdefault(old, Redirect(old, new, key))
    shadowed = {new for _, new, _ in pairs} & moved.keys()
    for old in _in_circles(moved):
        del moved[old]
    return RedirectMap(
        moved=tuple(sorted(moved.values())),
        kept=len(stays),
        lost=tuple(
            sorted(
                (
                    LostAddress(paths[key], key, item.name)
                    for key, item in live.items()
                    if key not in existing
                ),
                key=lambda lost: (lost.old, lost.key),
            )
        ),
        shared=tuple(old for old, count in sorted(taken.items()) if count > 1),
        shadowed=tuple(sorted(shadowed)),
        untargeted=tuple(
            LostAddress(each.old, each.key, each.name)
            for each in sorted(free, key=lambda each: (each.old, each.key))
            if not each.new
        ),
    )


def _in_circles(moved: Mapping[str, Redirect]) -> list[str]:
    """Return the old paths that lead back to themselves: stories whose slugs are
    exchanged at the origin and not there yet."""
    found: list[str] = []
    for old in moved:
        seen, path = {old}, moved[old].new
        while path in moved and path not in seen:
            seen.add(path)
            path = moved[path].new
        if path == old:
            found.append(old)
    return found


def _translated_stories(
    migration: Migration, existing: Mapping[ItemKey, str]
) -> Iterator[tuple[ItemKey, str]]:
    """Yield the planned paths of items whose story is the primary language's."""
    for entry in migration.selected:
        key = entry.item.key
        slugs = dict(migration.places.places[key].slugs)
        for each in entry.item.languages if key in existing else ():
            slug = slugs[each.code]
            yield each.key, path_in_language(existing[key], each.code, slug)


def _former_addresses(migration: Migration) -> Iterator[tuple[ItemKey, str]]:
    """Yield the live items of renamed collections with the paths that they had before,
    where links to these lead to them."""
    paths = OldPaths.of(migration.origin.site, migration.origin.collections)
    for former in migration.decisions.collections.followed_paths:
        for item in migration.origin.live.get(former.collection_id, ()):
            path = paths.below(former.parts, item.key, item.slug)
            found = migration.routes.resolve(path, item.key.locale_id)
            if isinstance(found, RouteTarget) and found.key[:2] == item.key[:2]:
                yield item.key, path


def _earlier_pairs(
    paths: Mapping[ItemKey, str],
    existing: Mapping[ItemKey, str],
    earlier: Mapping[ItemKey, Iterable[str]],
) -> Iterator[tuple[str, str, ItemKey]]:
    """Yield the addresses that items and stories had before, and their pages now."""
    for key in sorted(earlier.keys() & existing.keys()):
        for path in earlier[key]:
            yield f"/{path}", f"/{existing[key]}", key
            if key in paths:
                above = paths[key].rpartition("/")[0]
                slug = path.rpartition("/")[2]
                yield f"{above}/{slug}", f"/{existing[key]}", key


def redirects_csv(redirects: RedirectMap) -> str:
    """Return the map as CSV: `old,new,status`, one line an old path, UTF-8 text."""
    return csv_text(
        ("old", "new", "status"),
        ((_written(each.old), _written(each.new), STATUS) for each in redirects.moved),
    )


def write_redirects(folder: Path, redirects: RedirectMap) -> tuple[Path, ...]:
    """Write `redirects.csv`, and where there is any `without-a-new-page.csv` and
    `needs-a-target.csv`.

    All go below `folder`/redirects. Raises `StorageError` when the disk refuses.
    """
    texts = {"redirects.csv": redirects_csv(redirects)}
    if redirects.lost:
        texts["without-a-new-page.csv"] = _lost_csv(redirects.lost)
    if redirects.untargeted:
        texts["needs-a-target.csv"] = _lost_csv(redirects.untargeted)
    return tuple(
        write_text(folder / FOLDER / name, text) for name, text in texts.items()
    )


def write_text(path: Path, text: str) -> Path:
    """Write a file of a report, no token in it, and its folder.

    Raises `StorageError`.
    """
    return write_pieces(path, (text,))


def write_pieces(path: Path, pieces: Iterable[str]) -> Path:
    """Write a file of a report piece by piece; no token may reach over two of them.

    Raises `StorageError`.
    """
    try:
        require_in_place(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for piece in pieces:
                file.write(whole_text(masked(piece)))
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); free some space, or name "
            "another folder for the reports."
        ) from error
    return path


def _lost_csv(lost: Iterable[LostAddress]) -> str:
    return csv_text(
        ("old", "name", "item"),
        ((_written(each.old), each.name, str(each.key)) for each in lost),
    )


def _written(path: str) -> str:
    """Percent-encode what shows nothing, as no address holds it bare, and what a
    spreadsheet would compute behind a semicolon: the same address either way."""
    path = _UNSEEN.sub(lambda found: quote(found[0]), whole_text(path))
    return ";".join(map(_uncomputed, path.split(";")))


def _uncomputed(part: str) -> str:
    sign = formula_sign(part)
    if sign is None:
        return part
    encoded = "".join(f"%{byte:02X}" for byte in part[: sign + 1].encode())
    return encoded + part[sign + 1 :]
