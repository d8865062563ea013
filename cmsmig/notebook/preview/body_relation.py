"""The bodies of a migration as rows of a list, under review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cmsmig.mapping.decisions.body_reviews import BodyState
from cmsmig.review.bodies import Body
from cmsmig.review.scanned_bodies import ScannedBody
from cmsmig.richtext.losses import Severity
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Rows

UNREVIEWED = frozenset((BodyState.OPEN, BodyState.REOPENED))
_STATES = ("to review", "not seen", *map(str, reversed(BodyState)))
_LOSSES = {"something": "some loss", "content": "some content"}
_COLUMNS = (
    Column("title", "Body"),
    Column("field", "Field"),
    Column("review", "Review"),
    Column("losses", "Losses", most_first=True, css="number"),
    *(
        Column(each, "", hidden=True)
        for each in ("state", "loss", "structure", "place", "locale")
    ),
)
_FILTERS = (
    Filter("state", "Review", ""),
    Filter("loss", "Losses", ""),
    Filter("structure", "Holds", ""),
    Filter("place", "Field", ""),
    Filter("locale", "Locale", ""),
)


class BodyRelation(Rows):
    """The bodies, each with what is known of it so far."""

    key = "number"

    def __init__(self, bodies: Sequence[Body]) -> None:
        nouns = Nouns(
            "body", "bodies", "No item that is imported has a rich text body."
        )
        has_locales = any(each.locale for each in bodies)
        super().__init__(nouns, _COLUMNS, _FILTERS if has_locales else _FILTERS[:-1])
        self._bodies = bodies
        for index in range(len(bodies)):
            self.note(index, None)

    def note(self, index: int, scanned: ScannedBody | None) -> None:
        """Keep what is known of a body; None: nothing yet."""
        body, losses = self._bodies[index], scanned.losses if scanned else ()
        loss = {f"{each.severity}/{each.kind}" for each in losses}
        loss |= {"something"} if losses else set()
        content = any(each.severity is Severity.CONTENT for each in losses)
        loss |= {"content"} if content else set()
        words = (body.title, body.item.slug, body.item.key.item_id)
        row = (
            *(body.title, body.design.origin, "", len(losses), ""),
            "\n".join(sorted(loss)),
            "\n".join(scanned.structures if scanned else ()),
            f"{body.collection.display_name}: {body.design.origin}",
            body.locale,
            *(*words, scanned.words if scanned else ""),
        )
        self.put_row(0, index, 0, row)

    def review(self, index: int, state: BodyState, *, ticked: bool) -> None:
        """Keep how far a body's review is."""
        states = [str(state)]
        if state in UNREVIEWED:
            states.append("to review")
        if state is BodyState.NOT_NEEDED and not ticked:
            states.append("not seen")
        shown = "seen" if ticked else str(state)
        self.change(0, index, {"review": shown, "state": "\n".join(states)})

    def passing(self, query: Query) -> list[int]:
        """Return the places of the bodies that pass, in their order."""
        return [int(each) for each in self.keys(query)]

    def options(self, name: str, values: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return states in the order of the work, losses from the worst."""
        if name == "state":
            return [(each, each) for each in _STATES if each in values]
        if name == "loss":
            some = [(label, each) for each, label in _LOSSES.items() if each in values]
            return [*some, *((_named(e), e) for e in sorted(values) if "/" in e)]
        return [(each, each) for each in sorted(values)]

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the body `by` places after another, round and round."""
        found = self.passing(query)
        if not found:
            return ""
        if (at := int(key)) in found:
            return str(found[(found.index(at) + by) % len(found)])
        later = next((n for n, each in enumerate(found) if each > at), 0)
        return str(found[later + min(by, 0)])


def _named(loss: str) -> str:
    severity, _, kind = loss.partition("/")
    return f"{kind}, {severity}"
