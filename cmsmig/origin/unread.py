"""Collections that the origin lists and does not give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.origin.cache import UNREAD, RawCache
from cmsmig.origin.records import disk, document, read_document, replace_file
from cmsmig.origin.schema import Collection, parse_collection


def unread_sentence(collection: Collection) -> str:
    """Return what is to be said and done about a collection that could not be read."""
    known = collection.is_known
    kept = "what was read before is kept" if known else "none of it is here"
    return (
        f"The collection {collection.display_name} ({collection.slug}) could not be "
        f"read, and {kept}: {collection.unread} Solve this and run `cmsmig pull`, or "
        "leave the collection out: choose `do not migrate` in notebook 01, or write "
        "`migrate: false` in decisions/collections.yaml."
    )


def keep_unread(cache: RawCache, unread: Mapping[str, str]) -> None:
    """Write down why collections could not be read, by their ids.

    What was here of each before this pull stays; one that never could be read has
    neither fields nor items.
    """
    known = cache.unread()
    for identifier in unread:
        if identifier not in known or cache.before(identifier).exists():
            _restore(cache, identifier)
    for identifier in cache.collection_ids():
        with disk(cache.folder):
            cache.before(identifier).unlink(missing_ok=True)
    _write(cache, unread)


def read_again(cache: RawCache, identifiers: Iterable[str]) -> None:
    """Mark collections that could not be read as to be read again."""
    rest = cache.unread()
    for identifier in identifiers:
        cache.reopen(identifier)
        del rest[identifier]
    _write(cache, rest)


def _restore(cache: RawCache, identifier: str) -> None:
    before = cache.before(identifier)
    sets = [cache.item_file(identifier, live=live) for live in (False, True)]
    is_known = before.exists() and bool(
        parse_collection(read_document(before), str(before)).fields
    )
    if is_known and all(path.exists() for path in sets):
        with disk(cache.folder):
            before.replace(cache.schema(identifier))
        for live in (False, True):
            cache.pages(identifier, live=live).end()
        return
    record = cache.listed()[identifier]
    body = record if isinstance(record, dict) else {}
    cache.keep_collection(identifier, {**body, "fields": []})
    for live in (False, True):
        cache.keep_items(identifier, (), live=live)


def _write(cache: RawCache, unread: Mapping[str, str]) -> None:
    path = cache.folder / UNREAD
    if not unread:
        with disk(path):
            path.unlink(missing_ok=True)
    elif cache.unread() != unread:
        replace_file(path, [document({**unread})])
