"""The bodies of a migration as rows of a list, under review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cmsmig.mapping.decisions.body_reviews import BodyState
from cmsmig.notebook.preview.body_scan import UNREVIEWED, BodyScanner
from cmsmig.review.body_index import LossFilter, loss_name
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Page, Relation, Row

_LEFT, _UNSEEN = "to review", "not seen"
_SORTS = {"title": 0, "field": 1, "state": 2, "losses": 3}


class BodyRelation(Relation):
    """The bodies, as far as they were scanned."""

    nouns = Nouns("body", "bodies", "No item that is imported has a rich text body.")

    def __init__(self, scanner: BodyScanner) -> None:
        self._scanner = scanner
        self._index = scanner.body_index
        self._tags = tuple(
            dict.fromkeys(each.locale for each in self._index.bodies if each.locale)
        )
        self._places = {
            f"{body.collection.collection_id} {body.design.origin}": (
                f"{body.collection.display_name}: {body.design.origin}"
            )
            for body in self._index.bodies
        }

    def columns(self, query: Query) -> Sequence[Column]:
        """Return the columns of a body."""
        return (
            Column("title", "Body"),
            Column("field", "Field"),
            Column("state", "Review"),
            Column("losses", "Losses", most_first=True),
        )

    def filters(self, query: Query) -> Sequence[Filter]:
        """Return what bodies can be narrowed by, with counts of those scanned."""
        tags = [("all", ""), *((each, each) for each in self._tags)]
        fields = [("all", ""), *((label, key) for key, label in self._places.items())]
        states = [("all", ""), (_LEFT, _LEFT), (_UNSEEN, _UNSEEN)]
        states += [(str(each), str(each)) for each in reversed(BodyState)]
        found = [
            ("state", "Review", states),
            ("loss", "Losses", self._losses()),
            ("structure", "Holds", self._structures()),
            ("field", "Field", fields),
            *([("locale", "Locale", tags)] if self._tags else []),
        ]
        return [Filter(n, label, query.get(n), listed) for n, label, listed in found]

    def passing(self, query: Query) -> Sequence[int]:
        """Return the places of the bodies that pass, in their order."""
        found: Sequence[int] = self._index.select(query)
        if state := query.get("state"):
            found = [each for each in found if self._is_in(each, state)]
        if query.sort in _SORTS:
            column = _SORTS[query.sort]
            found = sorted(
                found, key=lambda n: self._texts(n)[column], reverse=query.descending
            )
        return found

    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return bodies from a place on."""
        found = self.passing(query)
        first = max(0, min(first, (len(found) - 1) // size * size))
        names = [each.name for each in self.columns(query)]
        rows = [
            Row(
                str(n),
                self._index.bodies[n].title,
                dict(zip(names, texts, strict=True)),
            )
            for n in found[first : first + size]
            for texts in (tuple(map(str, self._texts(n))),)
        ]
        return Page(rows, first, len(found))

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the body `by` places after another, round and round."""
        found = self.passing(query)
        if not found:
            return ""
        if (at := int(key)) in found:
            return str(found[(found.index(at) + by) % len(found)])
        later = next((n for n, each in enumerate(found) if each > at), 0)
        return str(found[later + min(by, 0)])

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield a line for each body that passes."""
        yield [each.title for each in self.columns(query)]
        for each in self.passing(query):
            yield [*map(str, self._texts(each))]

    def _texts(self, index: int) -> tuple[str, str, str, int | str]:
        body, state = self._index.bodies[index], self._scanner.state(index)
        digest = self._index.digests().get(index)
        seen = self._scanner.ticked(index)
        return (
            body.title,
            body.design.origin,
            "seen" if seen else str(state or ""),
            sum(digest.losses.values()) if digest else 0,
        )

    def _is_in(self, index: int, state: str) -> bool:
        if state == _UNSEEN:
            return self._scanner.unticked(index)
        found = self._scanner.state(index)
        return found in UNREVIEWED if state == _LEFT else found == state

    def _losses(self) -> list[tuple[str, str]]:
        sorts = [
            (
                f"{each.kind}, {each.severity} ({each.bodies:,})",
                loss_name((each.severity, each.kind)),
            )
            for each in self._index.losses()
        ]
        some, content = self._index.losing()
        return [
            ("any", LossFilter.ANY),
            (f"some loss ({some:,})", LossFilter.SOMETHING),
            (f"some content ({content:,})", LossFilter.CONTENT),
            *sorts,
        ]

    def _structures(self) -> list[tuple[str, str]]:
        found = self._index.structures()
        return [("anything", ""), *((f"{e} ({n:,})", e) for e, n in found.items())]
