"""What bodies lose and are made of, kept with the rows of a catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, dataclass

from cmsmig.canonical import JsonObject
from cmsmig.mapping.select.routes import Routes
from cmsmig.richtext.engine import Lenient
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.native import NativeEngine
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_filter import LOSS_OF, STRUCTURE
from cmsmig.survey.census import example_of, structures_of
from cmsmig.ui.documents.findings import loss_name

_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class _Notice:
    """What one body holds of one sort."""

    finding: str
    field: str
    times: int
    what: str
    """The first one."""
    place: str = ""
    """Where in the body the first one is."""
    why: str = ""


def look_through_bodies(catalogue: Catalogue) -> Iterator[int]:
    """Note what the bodies of each item lose and hold; yield how many items are left.

    As conversion stands before any choice of the notebooks 02 and 03.
    """
    engine = Lenient(NativeEngine())
    routes = Routes(catalogue.site, tuple(catalogue.collections.values()), {}, {})
    fields = {
        each.collection_id: [f.slug for f in each.fields if f.type == "RichText"]
        for each in catalogue.collections.values()
    }
    waiting = f"edition IN {catalogue.ids()} AND losses IS NULL AND bodies > 0"
    while True:
        (left,) = catalogue.one(f"SELECT count(*) FROM entry WHERE {waiting}")
        if not left:
            return
        for entry in catalogue.entries(f"WHERE {waiting} ORDER BY id LIMIT {_AT_ONCE}"):
            source = entry.staged or entry.live
            data = source.read() if source else {}
            lost, noticed = 0, list[_Notice]()
            for field, body in _bodies(data, fields[entry.key.collection_id]):
                losses = engine.from_html(body).losses
                lost += len(losses)
                noticed += [*_losses(field, losses), *_made_of(field, body, routes)]
            _keep(catalogue, entry.entry_id, lost, noticed)
            left -= 1
            yield int(left)


def _bodies(data: JsonObject, fields: list[str]) -> Iterator[tuple[str, str]]:
    for field in fields:
        body = data.get(field)
        if isinstance(body, str) and body.strip():
            yield field, body


def _losses(field: str, losses: tuple[Loss, ...]) -> Iterator[_Notice]:
    """Yield each kind of what a body loses, with the first loss of that kind."""
    kinds: dict[str, list[Loss]] = {}
    for each in losses:
        kinds.setdefault(loss_name(each.kind), []).append(each)
    for kind, found in kinds.items():
        first = found[0]
        what = first.what or first.context
        name = f"{LOSS_OF}{kind}"
        yield _Notice(name, field, len(found), what, first.where, first.why)


def _made_of(field: str, body: str, routes: Routes) -> Iterator[_Notice]:
    for name, elements in structures_of(body, routes).items():
        first = example_of(elements[0])
        yield _Notice(f"{STRUCTURE}{name}", field, len(elements), first)


def _keep(
    catalogue: Catalogue, entry_id: int, lost: int, noticed: list[_Notice]
) -> None:
    def write(db: sqlite3.Connection) -> None:
        db.execute("UPDATE entry SET losses = ? WHERE id = ?", (lost, entry_id))
        db.executemany(
            "INSERT OR REPLACE INTO noticed VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(entry_id, *astuple(each)) for each in noticed],
        )

    catalogue.change(write)
