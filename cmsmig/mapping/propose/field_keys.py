"""Destination keys of fields, names of components, and labels of options, which are
their values there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from cmsmig.mapping.decisions.design import Option
from cmsmig.mapping.naming import claims, folded

RESERVED = frozenset(("component", "_uid", "_editable"))
"""Keys that a block uses itself. Source: destination, content rules."""

KEY = re.compile(r"[a-z][a-z0-9_]*")
COMPONENT = re.compile(r"[a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """The destination key of one origin field."""

    slug: str
    key: str
    note: str
    """One sentence when more than `-` to `_` was needed, else empty."""


def assign_keys(
    slugs: Sequence[str], taken: Collection[str] = ()
) -> tuple[KeyChoice, ...]:
    """Return a key for each slug, in order: valid, and no two alike.

    A slug that is a good key keeps it, whichever others would become equal to it.
    """
    unchanged_first = sorted(
        range(len(slugs)), key=lambda index: _plain_key(slugs[index]) != slugs[index]
    )
    given = claims(
        [_plain_key(slugs[index]) for index in unchanged_first], numbered_name, taken
    )
    by_index = dict(zip(unchanged_first, given, strict=True))
    return tuple(
        KeyChoice(slug, by_index[index], _note(slug, by_index[index]))
        for index, slug in enumerate(slugs)
    )


def key_problem(key: str) -> str:
    """Return why `key` can't be a field key, as half a sentence, or empty."""
    if key in RESERVED or key.startswith("_"):
        return "is reserved by the destination"
    if not KEY.fullmatch(key):
        return (
            "may hold only lower-case letters, digits and underscores, "
            "and must begin with a letter"
        )
    if "__i18n__" in key:
        return "holds __i18n__, which the destination reads as a translation"
    return ""


def numbered_name(name: str, number: int) -> str:
    """Return `name_2` and so on."""
    return f"{name}_{number}"


def free_names(*names: str) -> Iterator[str]:
    """Yield names to try in turn: these, then the first with numbers, without end."""
    yield from names
    for number in count(2):
        yield numbered_name(names[0], number)


def _plain_key(slug: str) -> str:
    key = re.sub(r"[^a-z0-9_]", "_", folded(slug))
    key = re.sub("_+i18n_+", "_i18n_", key)
    bare = key.lstrip("_")
    if key != bare or not bare or bare[0].isdigit():
        key = f"field_{bare}".rstrip("_")
    return f"{key}_field" if key in RESERVED else key


def _note(slug: str, key: str) -> str:
    if slug.replace("-", "_") == key:
        return ""
    plain = _plain_key(slug)
    if plain != key:
        why = f"another field has the key `{plain}`"
    elif slug.replace("-", "_").startswith("_") or slug in RESERVED:
        why = "the destination keeps such keys for itself"
    elif slug[:1].isdigit():
        why = "a key must not begin with a digit"
    else:
        why = "a key holds only lower-case letters, digits and underscores"
    return f"Renamed from `{slug}` to `{key}`: {why}."


def option_labels(options: tuple[tuple[str, str], ...]) -> tuple[Option, ...]:
    """Return the options in schema order, no two labels alike and none blank.

    The first of several equal labels stays as it is, the others get ` (2)`, and
    so on; a blank label is replaced by the option's id.
    """
    once = dict(options)
    labels = claims(
        [label if label.strip() else option_id for option_id, label in once.items()],
        _numbered,
    )
    return tuple(map(Option, once, labels))


def later_label(taken: Collection[str], label: str, option_id: str) -> str:
    """Return the label of an option that came later than those of `taken`."""
    return claims([label if label.strip() else option_id], _numbered, taken)[0]


def _numbered(label: str, number: int) -> str:
    return f"{label} ({number})"
