"""Events, past and to come."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import bodies_embeds, bodies_imported, bodies_long
from cmsmig.sandbox.sample.identity import asset, ref, refs
from cmsmig.sandbox.sample.records import Entry, State


def _event(
    name: str, slug: str, starts: str, subject: str, venue: str, **more: Json
) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "starts": starts,
        "about": bodies_long.event_note(subject, first=len(slug) % 5),
        "venue": ref("places", venue),
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


EVENT_ENTRIES = (
    Entry(
        "reed-day",
        _event(
            "Reed day",
            "reed-day",
            "2026-01-17T08:30:00.000Z",
            "marsh",
            "grisel-marsh",
            ends="2026-01-17T16:00:00.000Z",
            day="2026-01-17T00:00:00.000Z",
            guests=refs("authors", "bram-oakes", "orla-finch"),
            topics=refs("topics", "marsh", "craft"),
            entry=6.5,
            sold_out=False,
            tickets="https://tickets.example.com/e/reed-day?ref=sq",
            poster=asset("reed-bundle.jpg", "Reed day"),
            programme=asset("Programme d'été (2025).pdf", "The programme"),
            contact="events@saltmarsh.example.com",
            review=ref("journal", "reed-cutting-in-january"),
        ),
        french={
            "name": "La journée du roseau",
            "slug": "journee-du-roseau",
            "about": bodies_long.note("marais", first=2),
        },
    ),
    Entry(
        "open-day",
        _event(
            "Open day at the maltings",
            "open-day",
            "2025-09-06T10:00:00.000Z",
            "brewing",
            "maltings",
            day="2025-09-05T22:00:00.000Z",
            topics=refs("topics", "brewing"),
            entry=0,
            sold_out=True,
            tickets="/product/estuary-map",
            trailer="https://youtu.be/0penD4yM4lt",
        ),
        french={
            "name": "Portes ouvertes à la malterie",
            "slug": "portes-ouvertes",
            "about": bodies_long.note("brasserie"),
        },
        french_state=State.CHANGED,
        french_earlier={"name": "Portes ouvertes"},
    ),
    Entry(
        "night-walk",
        _event(
            "Night walk",
            "night-walk",
            "2025-11-20T21:15:00.000Z",
            "walking",
            "lych-gate",
            day="2025-11-19T23:00:00.000Z",
            about=bodies_embeds.LONG,
            trailer={
                "url": "https://www.youtube.com/watch?v=n1ghtW4lk0",
                "metadata": {"type": "video", "width": 854, "height": 480},
            },
        ),
        french={
            "name": "Marche de nuit",
            "slug": "marche-de-nuit",
            "about": bodies_long.note("sentier", first=2),
        },
        french_state=State.DRAFT,
    ),
    Entry(
        "phone-choir",
        _event(
            "The choir, by phone",
            "phone-choir",
            "2025-12-14T19:00:00.000Z",
            "people",
            "sledge-inn",
            guests=refs("authors", "wendell-pike", "tomas-quill", "former-editor"),
            tickets="tel:+33255500119",
            entry=12.25,
        ),
    ),
    Entry(
        "oyster-supper",
        _event(
            "Oyster supper",
            "oyster-supper",
            "2025-10-11T17:30:00.000Z",
            "table",
            "north-bed",
            tickets="mailto:events@saltmarsh.example.com",
            about=bodies_imported.BARE_TABLE,
        ),
    ),
    *(
        Entry(slug, _event(name, slug, starts, subject, venue))
        for name, slug, starts, subject, venue in (
            (
                "Wading birds",
                "wading-birds",
                "2025-10-04T06:00:00.000Z",
                "marsh",
                "tern-spit",
            ),
            (
                "The last cask",
                "last-cask",
                "2025-09-27T16:00:00.000Z",
                "brewing",
                "dunlock-brewery",
            ),
            (
                "Mend the stile",
                "mend-the-stile",
                "2026-03-14T09:00:00.000Z",
                "walking",
                "lych-gate",
            ),
            (
                "Plum morning",
                "plum-morning",
                "2025-08-30T04:30:00.000Z",
                "table",
                "quern-mill",
            ),
            (
                "Rain, read aloud",
                "rain-aloud",
                "2026-02-01T18:00:00.000Z",
                "people",
                "rain-station",
            ),
            (
                "Auction, with sound",
                "auction",
                "2025-10-18T05:00:00.000Z",
                "harbour",
                "port-ardoise",
            ),
            (
                "Steam and planks",
                "steam",
                "2026-05-09T08:00:00.000Z",
                "harbour",
                "port-ardoise",
            ),
        )
    ),
    Entry(
        "regatta-2019",
        _event(
            "Regatta 2019",
            "regatta-2019",
            "2019-07-13T09:00:00.000Z",
            "harbour",
            "mole-end",
        ),
        State.ARCHIVED,
    ),
    Entry(
        "regatta-2026",
        _event(
            "Regatta 2026",
            "regatta-2026",
            "2026-07-11T09:00:00.000Z",
            "harbour",
            "mole-end",
            review=ref("journal", "regatta-notes"),
        ),
        State.QUEUED,
    ),
    Entry(
        "something-in-may",
        {"name": "Something in May", "slug": "something-in-may"},
        State.DRAFT,
    ),
    Entry(
        "called-off",
        _event(
            "Called off",
            "called-off",
            "2025-06-01T12:00:00.000Z",
            "marsh",
            "old-sluice",
        ),
        State.UNPUBLISHED,
    ),
)
