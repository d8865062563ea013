"""Walking routes: the collection that uses every kind of field."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import bodies_embeds, bodies_long, bodies_text
from cmsmig.sandbox.sample.identity import (
    asset,
    moved_asset,
    option_id,
    ref,
    refs,
    short_id,
)
from cmsmig.sandbox.sample.items.items_places import STOCKIST_KEYS
from cmsmig.sandbox.sample.records import Entry, State


def _route(
    name: str, slug: str, length: float, difficulty: str, start: str, **more: Json
) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "the-walk": bodies_long.short_read("walking", f"{slug}.jpg", first=len(slug)),
        "length-km": length,
        "difficulty": option_id("routes", "difficulty", difficulty),
        "starts-at": ref("places", start),
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


_FILM: JsonObject = {
    "url": "https://vimeo.com/900100205",
    "metadata": {
        "html": (
            '<iframe class="embedly-embed" src="//cdn.embedly.com/widgets/media.html'
            '?src=https%3A%2F%2Fplayer.vimeo.com%2Fvideo%2F900100205" width="940" '
            'height="529" title="Vimeo embed" allowfullscreen="true"></iframe>'
        ),
        "type": "video",
        "title": "The crossing, in forty seconds",
        "width": 940,
        "height": 529,
        "provider_name": "Vimeo",
        "thumbnail_url": "https://thumbs.example.com/900100205.jpg",
        "description": None,
    },
}

_CAUSEWAY = _route(
    "The crossing",
    "causeway-crossing",
    4.2,
    "hard",
    "long-causeway",
    component="Estuary ring, part 2",
    warnings=bodies_embeds.TABLES,
    climb_m=3,
    waymark="gold",
    passes=refs("places", "long-causeway", "tern-spit", "candle-point"),
    stock_up_at=refs("stockists", *reversed(STOCKIST_KEYS[:50])),
    picture=asset("causeway-crossing.jpg", "Posts, water, posts"),
    track=asset("causeway.gpx", "The track of the crossing"),
    leaflet=asset("route-map.pdf"),
    downloads=[
        asset("route-map.pdf", None),
        moved_asset("Programme d'été (2025).pdf", "Programme"),
    ],
    film=_FILM,
    warden_email="warden@saltmarsh.example.com",
    warden_phone="+33 6 55 50 01 02",
    surveyed_at="2025-04-11T14:35:00.000Z",
    closed_from="2025-10-25T22:00:00.000Z",
    dogs_welcome=True,
    sponsor=short_id("item:sponsors:harbour-bank"),
)
_CAUSEWAY.update(
    {
        "sub-title": "Two hours and a half, less half an hour",
        "sub_title": "An old subtitle\nthat had two lines",
        "_uid": "SV-0002",
        "3d-model": "https://models.example.com/causeway?view=3d",
    }
)

_ROUND = _route(
    "Lych-gate round",
    "lych-gate-round",
    7,
    "easy",
    "lych-gate",
    component="",
    climb_m=0,
    waymark="#ff0",
    passes=refs("places", "lych-gate", "wether-down", "lych-gate"),
    film="https://www.youtube.com/watch?v=lychG4teR0u",
    surveyed_at="2025-05-02T00:00:00.000Z",
    closed_from="2025-12-01T23:00:00.000Z",
    dogs_welcome=False,
    warden_email="not an address",
    warden_phone="n/a",
)
_ROUND.update({"sub-title": "Stile, plank, opinion", "3d-model": "/routes/old-road"})

ROUTE_ENTRIES = (
    Entry(
        "causeway-crossing",
        _CAUSEWAY,
        french={
            "name": "La traversée",
            "slug": "la-traversee",
            "sub-title": "Deux heures et demie, moins une demi-heure",
            "the-walk": bodies_long.note("sentier", first=1),
        },
    ),
    Entry(
        "lych-gate-round",
        _ROUND,
        french={
            "name": "Le tour du porche",
            "slug": "le-tour-du-porche",
            "the-walk": bodies_long.note("sentier"),
        },
        french_state=State.QUEUED,
    ),
    Entry(
        "old-road",
        _route(
            "The old road",
            "old-road",
            12.75,
            "fair",
            "wether-down",
            the_walk=bodies_text.HEADINGS,
            waymark="hsl(200 50% 40%)",
            climb_m=-12,
        ),
    ),
    Entry("spit", _route("To the spit", "spit", 3.5, "easy", "tern-spit")),
    Entry(
        "quarry", _route("Quarry and inn", "quarry-inn", 9.1, "fair", "slate-quarry")
    ),
    Entry("hides", _route("Four hides", "four-hides", 2, "easy", "grisel-marsh")),
    Entry("malt", _route("The malt walk", "malt-walk", 5.05, "easy", "maltings")),
    Entry("rain", _route("In the rain", "in-the-rain", 0.8, "easy", "rain-station")),
    Entry("railings", _route("The railings", "railings", 1e1, "fair", "candle-point")),
    Entry("ring", _route("Estuary ring", "estuary-ring", 62.4, "hard", "harrowmere")),
    Entry(
        "closed-path",
        _route("The closed path", "closed-path", 1.9, "fair", "old-customs-house"),
        State.ARCHIVED,
    ),
    Entry(
        "new-path",
        {"name": "A path to be walked first", "slug": "new-path"},
        State.DRAFT,
    ),
    Entry(
        "customs",
        _route("Customs walk", "customs-walk", 3.3, "easy", "old-customs-house"),
    ),
    Entry(
        "green-light",
        _route("To the green light", "green-light", 4.4, "easy", "phare-vert"),
    ),
)
