"""Slugs by the destination's rules, made the same way on every run."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.mapping.naming import claims, folded, transliterated
from cmsmig.mapping.select.selection import Selected, origin_order

LONGEST_SLUG = 255
"""Characters; a longer slug has no room in the destination's records."""

_VALID = re.compile(r"(?!\.+$)[a-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class SlugChange:
    """A page whose last path segment is not what it was."""

    key: ItemKey
    old: str
    """As at the origin; empty when the item had none, so no page either."""
    new: str
    why: str
    """One sentence for an editor."""


def slug_problem(slug: str) -> str:
    """Return why the destination would refuse `slug`, as half a sentence, or empty.

    Source: destination, stories: no slash, and `about#` is invalid.
    """
    if len(slug) > LONGEST_SLUG:
        return f"is longer than {LONGEST_SLUG} characters"
    if not _VALID.fullmatch(slug):
        return (
            "may hold only lower-case letters a to z, digits, dots, hyphens "
            "and underscores"
        )
    return ""


def normalised_slug(text: str) -> str:
    """Return `text` as a slug; a valid one stays as it is, hopeless ones go empty."""
    if not slug_problem(text):
        return text
    plain = re.sub(r"[^a-z0-9_.-]+", "-", folded(transliterated(text))).strip("-.")
    return plain[:LONGEST_SLUG].rstrip("-.")


def assign_slugs(
    items: Sequence[Selected], taken: Collection[str] = ()
) -> tuple[dict[ItemKey, str], tuple[SlugChange, ...]]:
    """Return a slug for each item of one folder, all different, and the changes.

    `taken` are the slugs of the folders inside it. Each item that can keep its own slug
    does; of several that want the same, the smallest (created, id, locale) gets
    it and the others a number. The order of `items` changes nothing.
    """
    wanted = {entry.item.key: _propose_slug(entry) for entry in items}
    ranked = sorted(
        items,
        key=lambda entry: (
            wanted[entry.item.key] != entry.slug,
            origin_order(entry.item),
            entry.item.key,
        ),
    )
    names = claims([wanted[entry.item.key] for entry in ranked], numbered_slug, taken)
    given = {entry.item.key: name for entry, name in zip(ranked, names, strict=True)}
    changes = [
        change
        for entry in sorted(items, key=lambda entry: origin_order(entry.item))
        for change in _changes(entry, wanted[entry.item.key], given[entry.item.key])
    ]
    return given, tuple(changes)


def translated_slugs(
    items: Sequence[Selected], taken: Collection[str] = ()
) -> dict[ItemKey, tuple[tuple[str, str], ...]]:
    """Return the slugs of the items of one folder in their other languages, all
    different in each language, by the language's code."""
    wanted: dict[str, list[tuple[str, ItemKey]]] = {}
    for entry in sorted(items, key=lambda each: origin_order(each.item)):
        # The page of a language stays where visitors know it.
        known = entry.public.languages if entry.public else ()
        languages = {each.code: each for each in (*entry.item.languages, *known)}
        for each in languages.values():
            slug = normalised_slug(each.slug) or normalised_slug(each.name)
            found = wanted.setdefault(each.code, [])
            found.append((slug or _propose_slug(entry), entry.item.key))
    given: dict[ItemKey, tuple[tuple[str, str], ...]] = {}
    for code, pairs in sorted(wanted.items()):
        names = claims([slug for slug, _ in pairs], numbered_slug, taken)
        for (_, key), slug in zip(pairs, names, strict=True):
            given[key] = (*given.get(key, ()), (code, slug))
    return given


def _propose_slug(entry: Selected) -> str:
    item = entry.item
    return (
        normalised_slug(entry.slug)
        or normalised_slug(item.name)
        or normalised_slug(item.key.item_id)
        or "item"
    )


def numbered_slug(slug: str, number: int) -> str:
    """Return a slug with a number behind it, no longer than a slug may be."""
    ending = f"-{number}"
    return slug[: LONGEST_SLUG - len(ending)] + ending


def _changes(entry: Selected, wanted: str, given: str) -> list[SlugChange]:
    item = entry.item
    found: list[SlugChange] = []
    if given != item.slug:
        why = _waiting(entry) or _why(item.slug, wanted)
        found.append(SlugChange(item.key, item.slug, given, why))
        if wanted != given:
            found[0] = SlugChange(
                item.key,
                item.slug,
                given,
                f"Another page of the folder has the slug `{wanted}`.",
            )
    if entry.live_slug not in ("", item.slug, given):
        found.append(
            SlugChange(
                item.key,
                entry.live_slug,
                given,
                "The live page still has the slug from before the latest edits.",
            )
        )
    return found


def _waiting(entry: Selected) -> str:
    if entry.slug == entry.item.slug:
        return ""
    return (
        f"The slug `{entry.item.slug}` is an unpublished change; the story keeps the "
        "one that visitors know until it is published at the origin."
    )


def _why(slug: str, wanted: str) -> str:
    if not slug:
        return "The item has no slug, so one was made."
    if not normalised_slug(slug):
        return f"The slug `{slug}` holds nothing that a slug may hold."
    return f"The slug `{slug}` {slug_problem(slug)}."
