"""What a list is asked for: one search, filters and an order, in every list alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markupsafe import Markup

from cmsmig.mapping.cleaning.search import folded as folded


@dataclass(frozen=True, slots=True)
class Query:
    """Which rows are wanted, in which order."""

    text: str = ""
    """Words that a row holds, each anywhere in it; accents and case do not count."""
    filters: tuple[tuple[str, str], ...] = ()
    """Names of filters with the value that is wanted of each."""
    sort: str = ""
    """A column; empty: the order of the list itself."""
    descending: bool = False

    def get(self, name: str, default: str = "") -> str:
        """Return the wanted value of a filter."""
        return dict(self.filters).get(name, default)

    def having(self, name: str, value: str) -> Query:
        """Return the same with another value of a filter; empty: any."""
        kept = tuple(each for each in self.filters if each[0] != name)
        return replace(self, filters=(*kept, (name, value)) if value else kept)

    def without(self, *names: str) -> Query:
        """Return the same without these filters."""
        kept = tuple(each for each in self.filters if each[0] not in names)
        return replace(self, filters=kept)

    @property
    def words(self) -> list[str]:
        """Return the words that are searched for, folded."""
        return folded(self.text).split()


EVERYTHING = Query()


def marked(text: str, words: list[str]) -> Markup:
    """Return a text as HTML in which the words that were searched for are marked."""
    found = [False] * len(text)
    letters = [" " if each.isspace() else folded(each) for each in text]
    # A letter may fold to several: places of the folded text lead back to letters.
    places = [n for n, each in enumerate(letters) for _ in each]
    line = "".join(letters)
    for word in words:
        for match in re.finditer(re.escape(word), line):
            for place in places[match.start() : match.end()]:
                found[place] = True
    for n in range(1, len(text)):
        if not letters[n]:  # a mark goes with its letter
            found[n] = found[n - 1]
    return Markup("").join(_pieces(text, found))


def _pieces(text: str, found: list[bool]) -> Iterator[Markup]:
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or found[end] != found[start]:
            form = Markup("<mark>{}</mark>" if found[start] else "{}")
            yield form.format(text[start:end])
            start = end
