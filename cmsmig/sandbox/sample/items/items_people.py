"""Contributors, topics and press cuttings."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import bodies_long, bodies_text
from cmsmig.sandbox.sample.bodies.markup import paragraphs
from cmsmig.sandbox.sample.bodies.prose_en import BREWING, PEOPLE
from cmsmig.sandbox.sample.bodies.prose_fr import BRASSERIE, MARAIS
from cmsmig.sandbox.sample.identity import (
    address,
    asset,
    bare_asset,
    ref,
    refs,
    short_id,
)
from cmsmig.sandbox.sample.records import Entry, State


def _author(name: str, slug: str, role: str, **more: Json) -> JsonObject:
    data: JsonObject = {"name": name, "slug": slug, "role": role}
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


AUTHOR_ENTRIES = (
    Entry(
        "maud-ellery",
        _author(
            "Maud Ellery",
            "maud-ellery",
            "Editor",
            biography=paragraphs("Edits what the tide leaves. <em>Since 2009.</em>"),
            portrait=asset("maud-ellery.jpg", "Maud Ellery at her desk"),
            email="maud@saltmarsh.example.com",
            telephone="+33 2 55 50 01 17",
            website="https://maud.example.com/",
            favourites=refs("journal", "two-bakers", "measuring-rain"),
            with_us_since="2009-03-01T00:00:00.000Z",
            on_staff=True,
        ),
        french={"role": "Rédactrice en chef", "biography": bodies_text.PLAIN},
    ),
    Entry(
        "lio-fontaine",
        _author(
            "Lio Fontaine",
            "lio-fontaine",
            "Photographer",
            portrait=asset("shared-logo.svg", "Lio hides behind our mark"),
            website="//lio.example.com/work",
            telephone="02 55 50",
            showreel="https://vimeo.com/900100204",
        ),
        french={"role": "Photographe"},
    ),
    Entry(
        "bram-oakes",
        _author(
            "Bram Oakes",
            "bram-oakes",
            "Reed cutter",
            biography=paragraphs(PEOPLE[4], PEOPLE[0], ids=True),
            portrait=asset("bram-oakes.jpg", None),
            telephone="ask at the bar of the Sledge Inn",
            website="/places/grisel-marsh",
        ),
        french={"role": "Coupeur de roseau", "biography": paragraphs(MARAIS[2])},
    ),
    Entry(
        "ines-carrow",
        _author(
            "Inès Carrow",
            "ines-carrow",
            "Historian",
            email="ines.carrow+harbour@saltmarsh.example.com",
            mentor=ref("authors", "maud-ellery"),
        ),
        french={"role": "Historienne"},
    ),
    Entry(
        "hugo-pellerin",
        _author(
            "Hugo Pellerin",
            "hugo-pellerin",
            "Writes about beer",
            biography=paragraphs(BREWING[1]),
            favourites=refs("journal", "nine-thousand-year-water"),
            mentor=ref("authors", "hugo-pellerin"),
            on_staff=False,
        ),
        french={"role": "Écrit sur la bière", "biography": paragraphs(BRASSERIE[1])},
    ),
    Entry(
        "adaeze-thorne",
        _author(
            "Adaeze Thorne",
            "adaeze-thorne",
            "Brewer",
            website="tel:+33255500118",
            favourites=[],
        ),
    ),
    Entry(
        "severine-aubry",
        _author("Séverine Aubry", "severine-aubry", "Cook", website="", email=""),
        french={"role": "Cuisinière"},
    ),
    Entry("wendell-pike", _author("Wendell Pike", "wendell-pike", "Keeper")),
    Entry(
        "orla-finch",
        _author(
            "Orla Finch",
            "orla-finch",
            "Measures rain",
            showreel={
                "url": "https://www.youtube.com/watch?v=r41nG4uge0",
                "metadata": {"type": "video", "title": "Nine o’clock"},
            },
        ),
    ),
    Entry(
        "tomas-quill",
        {"name": "Tomas Quill", "slug": "tomas-quill"},
        State.DRAFT,
    ),
    Entry(
        "former-editor",
        _author("Agnes Vane", "agnes-vane", "Editor until 2009"),
        State.ARCHIVED,
    ),
)

_MARKDOWN = (
    "# The marsh\n\nEverything that stands in **salt water** twice a day:\n\n"
    "- reed\n- *samphire*\n- people looking for the tide\n\n"
    "See [the doubtful acre](/journal/the-doubtful-acre) or "
    "`low water` in the [table](https://tides.example.com).\n\n"
    "1. Look\n2. Wait\n\n> It comes from behind."
)


def _topic(name: str, slug: str, colour: str, order: int, **more: Json) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "colour": colour,
        "sort-order": order,
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


TOPIC_ENTRIES = (
    Entry(
        "marsh",
        _topic(
            "Marsh",
            "marsh",
            "#4a6b57cc",
            1,
            description=_MARKDOWN,
            lead_post=ref("journal", "the-doubtful-acre"),
            icon=asset("shared-logo.svg", None),
        ),
        french={
            "name": "Marais",
            "slug": "marais",
            "description": "Deux fois par *jour*.",
        },
    ),
    Entry(
        "harbour",
        _topic("Harbour", "harbour", "#27c", 2, icon=asset("wave-rule.svg", "")),
        french={"name": "Port", "slug": "port"},
    ),
    Entry(
        "brewing",
        _topic(
            "Brewing",
            "brewing",
            "#c93f",
            3,
            lead_post=ref("journal", "the-fifth-pier"),
            parent=ref("topics", "table"),
        ),
        french={"name": "Brasserie", "slug": "brasserie"},
    ),
    Entry(
        "walking",
        _topic("Walking", "walking", "rgba(80, 120, 60, 0.8)", 4),
        french={"name": "Marche", "slug": "marche"},
    ),
    Entry(
        "table",
        _topic("Table", "table", "hsla(12, 60%, 50%, .9)", 5, description=""),
        french={"name": "Table", "slug": "table"},
    ),
    Entry(
        "people",
        _topic("People", "people", "transparent", 6, lead_post=""),
        french={"name": "Gens", "slug": "gens"},
    ),
    Entry(
        "weather",
        _topic("Weather", "weather", "LightSteelBlue", 7),
        french={"name": "Temps", "slug": "temps"},
    ),
    Entry("craft", _topic("Craft", "craft", "", 8, parent=ref("topics", "people"))),
    Entry("archive", _topic("Archive", "archive", "#888888", 9)),
    Entry(
        "harrowmere",
        _topic("Harrowmere", "harrowmere", "#123ABC", 10, parent=ref("topics", "gone")),
        french={},
    ),
)

_THUMBNAILS: list[Json] = [asset("cutting-1998.jpg", variant="-p-500")]
_SCANS: list[Json] = [
    bare_asset("cutting-1998.jpg"),
    bare_asset("cutting-1998-back.jpg"),
]

PRESS_ENTRIES = (
    Entry(
        "observer-1998",
        {
            "name": "A reed cutter’s January",
            "slug": "a-reed-cutters-january",
            "day": "1998-01-18T00:00:00.000Z",
            "on-front-page": True,
            "scan": asset("cutting-1998.jpg", "The cutting, yellowed"),
            "more-scans": _SCANS,
            "thumbnails": _THUMBNAILS,
            "document": bare_asset("cutting-1998.pdf"),
            "about-post": ref("journal", "reed-cutting-in-january"),
            "mentions": refs("places", "grisel-marsh", "harrowmere"),
            "text": bodies_long.short_read("marsh", "cutting-1998.jpg", first=3),
        },
    ),
    Entry(
        "evening-2004",
        {
            "name": "Harbour loses tenth boat",
            "slug": "tenth-boat",
            "day": "2004-10-02T22:00:00.000Z",
            "on-front-page": False,
            "clip": "https://www.youtube.com/watch?v=t3nthB0at",
            "mentions": refs("places", "port-ardoise"),
        },
    ),
    Entry(
        "radio-2011",
        {
            "name": "The bench and the ferry (transcript)",
            "slug": "the-bench-and-the-ferry",
            "text": paragraphs(
                f'Recording: <a href="{address("bench.mp3")}">listen</a>.'
            ),
            "about-post": short_id("item:journal:deleted-long-ago"),
        },
    ),
    Entry("scan-only", {"name": "Unsorted", "slug": "unsorted"}, State.DRAFT),
)
