"""Places and the shops that sell the magazine."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import bodies_long
from cmsmig.sandbox.sample.identity import address, asset, moved_asset, ref, refs
from cmsmig.sandbox.sample.records import Entry, State


def _place(
    name: str,
    slug: str,
    subject: str,
    spot: tuple[float, float],
    **more: Json,
) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "standfirst": f"{name}, on foot and without hurry",
        "description": bodies_long.place_note(subject, name, first=len(name) % 5),
        "picture": asset(f"place-{slug}.jpg", f"{name} from the path"),
        "latitude": spot[0],
        "longitude": spot[1],
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


def _lieu(nom: str, slug: str, sujet: str) -> JsonObject:
    return {
        "name": nom,
        "slug": slug,
        "standfirst": f"{nom}, à pied et sans hâte",
        "description": bodies_long.note(sujet, first=len(nom)),
    }


_DIRECTIONS = (
    "From the station: downhill, left at the maltings.\n"
    f"A printed map: {address('route-map.pdf')}\n\n"
    "From the sea: when in doubt, don't."
)

PLACE_ENTRIES = (
    Entry(
        "harrowmere",
        _place(
            "Harrowmere",
            "harrowmere",
            "harbour",
            (49.6402, -1.6221),
            views=[asset("harbour-dawn.jpg", "Dawn"), asset("gulls.jpg", "Gulls")],
            neighbours=refs("places", "port-ardoise", "grisel-marsh", "candle-point"),
            read_first=ref("journal", "harrowmere"),
            website="https://www.saltmarsh.example.com/journal/harrowmere",
            telephone="+33 (0)2 55 50 01 00",
            step_free=True,
            directions=_DIRECTIONS,
        ),
        french=_lieu("Harrowmere", "harrowmere", "port"),
    ),
    Entry(
        "port-ardoise",
        _place(
            "Port Ardoise",
            "port-ardoise",
            "harbour",
            (49.651, -1.633),
            views=[asset("quay.jpg"), moved_asset("port-ardoise-piers.jpg", "Piers")],
            neighbours=refs("places", "harrowmere", "mole-end"),
            website="https://saltmarsh-quarterly.webflow.io/places/harrowmere",
        ),
        french=_lieu("Port-Ardoise", "port-ardoise", "port"),
    ),
    Entry(
        "candle-point",
        _place(
            "Candle Point",
            "candle-point",
            "people",
            (49.7, -1.95),
            telephone="tel: +33 2 55 50 01 44 ext. 2",
            website="/journal/keeper-of-the-railings",
        ),
        french=_lieu("Pointe de la Chandelle", "candle-point", "sentier"),
    ),
    Entry(
        "grisel-marsh",
        _place(
            "Grisel Marsh",
            "grisel-marsh",
            "marsh",
            (49.61, -1.7),
            views=[],
            neighbours=[*refs("places", "harrowmere", "old-customs-house"), ""],
            read_first=ref("journal", "the-doubtful-acre"),
        ),
        french=_lieu("Marais de Grisel", "marais-de-grisel", "marais"),
    ),
    Entry(
        "wether-down",
        _place("Wether Down", "wether-down", "walking", (49.58, -1.81)),
        french=_lieu("Wether Down", "wether-down-fr", "sentier"),
    ),
    Entry(
        "long-causeway",
        _place("The Long Causeway", "long-causeway", "walking", (49.66, -1.7135)),
        french=_lieu("La Longue Chaussée", "longue-chaussee", "sentier"),
    ),
    Entry(
        "dunlock-brewery",
        _place("Dunlock Brewery", "dunlock-brewery", "brewing", (49.63, -1.6)),
        french=_lieu("Brasserie Dunlock", "brasserie-dunlock", "brasserie"),
    ),
    Entry(
        "quern-mill",
        _place("Quern Mill", "quern-mill", "table", (49.599999, -1.61)),
        french=_lieu("Moulin de Quern", "moulin-de-quern", "pratique"),
    ),
    Entry(
        "maltings",
        _place("The Maltings", "maltings", "brewing", (49.0, -1.0)),
        State.CHANGED,
        earlier={"name": "The old Maltings", "standfirst": None},
    ),
    Entry("tern-spit", _place("Tern Spit", "tern-spit", "walking", (49.72, -1.9))),
    Entry(
        "slate-quarry", _place("Slate Quarry", "slate-quarry", "walking", (49.5, -1.8))
    ),
    Entry("old-sluice", _place("Old Sluice", "old-sluice", "marsh", (49.62, -1.71))),
    Entry(
        "two-bakers-lane",
        _place("Two Bakers Lane", "two-bakers-lane", "table", (49.641, -1.62)),
    ),
    Entry("north-bed", _place("The North Bed", "north-bed", "table", (49.69, -1.62))),
    Entry("mole-end", _place("Mole End", "mole-end", "harbour", (49.652, -1.64))),
    Entry("lych-gate", _place("The Lych-gate", "lych-gate", "walking", (49.642, -1.6))),
    Entry(
        "rain-station",
        _place("The Rain Gauge", "rain-station", "people", (49.6, -1.6)),
    ),
    Entry("sledge-inn", _place("Sledge Inn", "sledge-inn", "people", (49.55, -1.75))),
    Entry(
        "old-customs-house",
        _place("Old Customs House", "old-customs-house", "harbour", (49.65, -1.63)),
        State.ARCHIVED,
    ),
    Entry(
        "a-new-hide",
        {"name": "A new hide", "slug": "a-new-hide", "latitude": 0, "longitude": 0},
        State.DRAFT,
    ),
    Entry(
        "phare-vert",
        None,
        french={**_lieu("Le phare vert", "le-phare-vert", "port"), "latitude": 49.71},
    ),
)

_TOWNS = (
    ("Harrowmere", "harrowmere"),
    ("Port Ardoise", "port-ardoise"),
    ("Saint-Vase", ""),
    ("Quernford", "quern-mill"),
    ("Wether Cross", "wether-down"),
    ("Dunlock", "dunlock-brewery"),
    ("Tern Bay", "tern-spit"),
    ("Upper Sallow", ""),
    ("Lower Sallow", ""),
    ("Slatehead", "slate-quarry"),
    ("Chapel Ropes", ""),
    ("Marram", "grisel-marsh"),
    ("Great Hythe", ""),
    ("Little Hythe", ""),
)
_SHOPS = ("Books", "Chandlery", "Post Office", "Station Kiosk")


def _stockist(number: int) -> Entry:
    town, place = _TOWNS[number // len(_SHOPS)]
    shop = _SHOPS[number % len(_SHOPS)]
    slug = f"{town}-{shop}".lower().replace(" ", "-")
    data: JsonObject = {
        "name": f"{town} {shop}",
        "slug": slug,
        "address": f"{number + 1} Quay Road\n{town}",
        "telephone": f"+33 2 55 5{number % 10} {number:02d} {99 - number:02d}",
        "copies": 5 + number * 7 % 40,
    }
    if place:
        data["near"] = ref("places", place)
    if number % 3 == 0:
        data["website"] = f"https://{slug}.example.com"
    return Entry(slug, data)


STOCKIST_ENTRIES = tuple(_stockist(n) for n in range(len(_TOWNS) * len(_SHOPS)))

STOCKIST_KEYS = tuple(entry.key for entry in STOCKIST_ENTRIES)
"""Enough of them for a list of fifty references."""
