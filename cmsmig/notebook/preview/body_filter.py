"""The bodies that the body editor of notebook 03 lists, and the one it shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from markupsafe import Markup

from cmsmig.mapping.decisions.body_reviews import BodyState
from cmsmig.notebook.kit.live_controls import button, search, select, words
from cmsmig.notebook.preview.body_scan import UNREVIEWED, BodyScanner
from cmsmig.review.body_index import LossFilter, Wanted, loss_name
from cmsmig.ui.html.safe_html import NOTHING, joined

PAGE = 30
"""Bodies that the drop-down holds at once."""
_MARKS = {
    BodyState.REVIEWED: "✓ ",
    BodyState.OPEN: "● ",
    BodyState.REOPENED: "↻ ",
}
_ANY, _LEFT, _UNSEEN = "", "to review", "not seen"
_STATES = (
    ("all", _ANY),
    ("to review", _LEFT),
    ("not seen", _UNSEEN),
    *((str(each), str(each)) for each in reversed(BodyState)),
)


@dataclass(slots=True)
class BodyFilter:
    """The filter, the bodies that pass it, and the one on show."""

    scanner: BodyScanner
    wanted: Wanted = field(default_factory=Wanted)
    state: str = _ANY
    """A `BodyState`, or what is left to review."""
    passing: tuple[int, ...] = ()
    at: int = -1
    """The index of the body on show; -1: none."""

    def change(self, **wanted: str) -> None:
        """Want other bodies; what is on show stays, if it is among them."""
        self.wanted = replace(self.wanted, **wanted)
        self.narrow()

    def narrow(self) -> None:
        """Find out again which bodies pass; show the first one if need be."""
        self.renew()
        if self.at not in self.passing:
            self.at = next(iter(self.passing), -1)

    def renew(self) -> None:
        """Find out again which bodies pass; the one on show stays."""
        found = self.scanner.body_index.select(self.wanted)
        if self.state != _ANY:
            found = tuple(each for each in found if self._stands(each))
        self.passing = found

    def step(self, by: int) -> None:
        """Go on among the bodies that pass, round and round."""
        if not self.passing:
            return
        if self.at in self.passing:
            place = self.passing.index(self.at) + by
        else:
            later = (n for n, each in enumerate(self.passing) if each > self.at)
            place = next(later, 0) + (by if by < 0 else 0)
        self.at = self.passing[place % len(self.passing)]

    def next_unreviewed(self) -> bool:
        """Go to the next body that awaits a person; False: there is none known.

        Bodies that pass come first.
        """
        waiting = list(self.scanner.unreviewed())
        passing = set(self.passing)
        among = [each for each in waiting if each in passing] or waiting
        if not among:
            return False
        self.at = next((each for each in among if each > self.at), among[0])
        return True

    def next_unseen(self) -> bool:
        """Go to the next body that passes, needs no review and is not ticked as seen;
        False: there is none known."""
        among = [each for each in self.passing if self.scanner.unticked(each)]
        if not among:
            return False
        self.at = next((each for each in among if each > self.at), among[0])
        return True

    def filters(self) -> Markup:
        """Return the controls that choose bodies, but for the search."""
        body_index, wanted = self.scanner.body_index, self.wanted
        return joined(
            (
                select("body-state", "Review", _STATES, self.state),
                select("body-loss", "Losses", self._losses(), wanted.lost),
                select("body-structure", "Holds", self._structures(), wanted.structure),
                select("body-field", "Field", self._fields(), self._field()),
                select("body-locale", "Locale", self._locales(), wanted.locale)
                if any(body.locale for body in body_index.bodies)
                else NOTHING,
            )
        )

    def choose_field(self, number: str) -> None:
        """Want the bodies of one field, named by its place in the list."""
        options = [("", ""), *self._places()]
        collection_id, origin = options[int(number)]
        self.change(collection_id=collection_id, field=origin)

    def typed(self) -> Markup:
        """Return the field that searches."""
        return search(
            "body-search",
            "Search",
            self.wanted.text,
            hint="name, slug or text",
            key="/",
        )

    def listed(self) -> Markup:
        """Return the drop-down of the bodies around the one on show."""
        if not self.passing:
            return select("body-item", "Body", [("no such body", "")], "")
        place = self.place
        start = max(place, 0) // PAGE * PAGE
        page = self.passing[start : start + PAGE]
        options = [
            (f"{start + n}. {self._title(index)}", str(index))
            for n, index in enumerate(page, start=1)
        ]
        if place < 0:
            options.insert(0, (self._title(self.at), str(self.at)))
        return select("body-item", "Body", options, str(self.at))

    def steps(self) -> Markup:
        """Return where the body on show stands in the list, and ways to others."""
        pages = len(self.passing) > PAGE
        return joined(
            (
                button("body-previous", "Previous", key="p", still=True),
                button("body-next", "Next", key="n", still=True),
                button("body-open", "Next to review", key="o", still=True),
                button("body-back", f"−{PAGE}", about=f"{PAGE} bodies back")
                if pages
                else NOTHING,
                button("body-on", f"+{PAGE}", about=f"{PAGE} bodies on")
                if pages
                else NOTHING,
                words(self._told()),
            )
        )

    @property
    def place(self) -> int:
        """Return where the body on show stands among those that pass, or -1."""
        return self.passing.index(self.at) if self.at in self.passing else -1

    def _told(self) -> str:
        count = len(self.passing)
        if not count:
            return "no body passes"
        place = self.place
        among = f"{place + 1:,} of {count:,}" if place >= 0 else f"none of {count:,}"
        tally = self.scanner.tally()
        asked = self.state or self.wanted.lost or self.wanted.structure
        if asked and not tally.complete:
            return f"{among} among the {tally.seen:,} looked through so far"
        return among

    def _title(self, index: int) -> str:
        state = self.scanner.state(index)
        mark = _MARKS.get(state, "") if state else ""
        if self.scanner.ticked(index):
            mark = _MARKS[BodyState.REVIEWED]
        body = self.scanner.body_index.bodies[index]
        return f"{mark}{body.title} · {body.design.origin}"

    def _stands(self, index: int) -> bool:
        state = self.scanner.state(index)
        if self.state == _UNSEEN:
            return self.scanner.unticked(index)
        if self.state == _LEFT:
            return state in UNREVIEWED
        return state is not None and state == self.state

    def _losses(self) -> list[tuple[str, str]]:
        body_index = self.scanner.body_index
        sorts = [
            (
                f"{each.kind}, {each.severity} ({each.bodies:,})",
                loss_name((each.severity, each.kind)),
            )
            for each in body_index.losses()
        ]
        some, content = body_index.losing()
        return [
            ("any", LossFilter.ANY),
            (f"some loss ({some:,})", LossFilter.SOMETHING),
            (f"some content ({content:,})", LossFilter.CONTENT),
            *sorts,
        ]

    def _structures(self) -> list[tuple[str, str]]:
        found = self.scanner.body_index.structures()
        listed = [(f"{name} ({count:,})", name) for name, count in found.items()]
        return [("anything", ""), *listed]

    def _places(self) -> dict[tuple[str, str], str]:
        return {
            (body.collection.collection_id, body.design.origin): (
                f"{body.collection.display_name}: {body.design.origin}"
            )
            for body in self.scanner.body_index.bodies
        }

    def _fields(self) -> list[tuple[str, str]]:
        labels = ["all", *self._places().values()]
        return [(label, str(number)) for number, label in enumerate(labels)]

    def _field(self) -> str:
        wanted = (self.wanted.collection_id, self.wanted.field)
        places = [("", ""), *self._places()]
        return str(places.index(wanted))

    def _locales(self) -> list[tuple[str, str]]:
        tags = dict.fromkeys(body.locale for body in self.scanner.body_index.bodies)
        return [("all", ""), *((tag, tag) for tag in tags if tag)]
