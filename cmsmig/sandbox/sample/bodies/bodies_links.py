"""Bodies about links: every kind of address and every habit of editors."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import (
    NBSP,
    bullets,
    heading,
    linked,
    paragraphs,
)
from cmsmig.sandbox.sample.bodies.prose_en import HARBOUR, MARSH, PEOPLE, PRACTICAL
from cmsmig.sandbox.sample.identity import address

HOST = "saltmarsh.example.com"
SHOP = "shop.saltmarsh.example.com"
PLATFORM = "saltmarsh-quarterly.webflow.io"

INTERNAL = paragraphs(MARSH[0]) + paragraphs(
    "Read on in " + linked("/journal/the-long-causeway", "The Long Causeway") + ".",
    "Or walk it: "
    + linked("/routes/causeway-crossing#tides", "the crossing, from the tide table")
    + " and "
    + linked("/places/harrowmere?from=story&amp;n=1", "what Harrowmere is like")
    + ".",
    "In French: "
    + linked("/fr/journal/l-arpent-incertain", "L’arpent incertain")
    + ". Same words, "
    + linked("/fr/places/harrowmere", "same town")
    + ".",
    "Pages that are not items: "
    + linked("/about/how-we-print", "how we print")
    + ", "
    + linked("/journal", "all stories")
    + ", "
    + linked("/", "the front page")
    + ".",
    "Not out yet: "
    + linked("/journal/the-fifth-pier", "The fifth pier")
    + "; long gone: "
    + linked("/journal/no-such-story", "a story we took down")
    + "; put away: "
    + linked("/events/regatta-2019", "the regatta of 2019")
    + ".",
    "Page two of the list is "
    + linked("/journal?5a17f00d_page=2", "here")
    + ", and a link with a slash at its end "
    + linked("/journal/two-bakers/", "there")
    + ".",
)
"""Root-relative links: items, anchors, queries, drafts, static pages."""

ABSOLUTE = paragraphs(
    HARBOUR[0],
    "We have told this before, "
    + linked(f"https://{HOST}/journal/the-ledger-of-lost-things", "in the journal")
    + ", "
    + linked(f"https://www.{HOST}/journal/the-winter-of-the-ice", "in the winter")
    + ", "
    + linked(f"http://{HOST}/places/port-ardoise", "in the place itself")
    + " and "
    + linked(f"https://{PLATFORM}/journal/two-bakers", "on the trial site")
    + ".",
    "Buy the map "
    + linked(f"https://{SHOP}/product/estuary-map", "in the shop")
    + " or the salt "
    + linked(f"https://{SHOP}/product/marsh-salt?utm_source=journal", "beside it")
    + "; en français, "
    + linked(f"https://{HOST}/fr/product/carte-de-l-estuaire", "la carte")
    + ".",
    "Not ours: "
    + linked("https://neighbours.example.com/journal/two-bakers", "the neighbours")
    + ", "
    + linked(f"https://{HOST}.example.org/journal/two-bakers", "a lookalike")
    + ", "
    + linked("//cdn.example.com/notice.txt", "a protocol-relative notice")
    + ".",
)
"""Absolute links under each of the site's domains, and lookalikes."""

HABITS = (
    paragraphs(PEOPLE[0])
    + paragraphs(
        "Write to "
        + linked("mailto:desk@saltmarsh.example.com?subject=Railings", "the desk")
        + " or ring "
        + linked("tel:+33255500117", "+33 2 55 50 01 17")
        + ".",
        "See the note"
        + linked("#note-1", " below")
        + ", the editor’s"
        + linked("https://maud.example.com", " own page", more='target="_blank"')
        + "and the "
        + linked("/authors/maud-ellery", "profile", more='target="_self"')
        + ".",
        linked("", "A link to nowhere")
        + ", "
        + "<a>one without an address</a>, "
        + linked("javascript:void(0)", "one that does nothing")
        + ", "
        + linked("https://garbled.example.com", "one with a garbled target").replace(
            "<a ", '<a target="mailto:desk@saltmarsh.example.com" '
        )
        + " and "
        + linked("/journal/measuring-rain", "a block", more='class="w-inline-block"')
        + ".",
        linked(
            "https://old.example.com/2017",
            "An old one",
            more='data-rt-link-type="external" rel="nofollow noopener" id=""',
        )
        + ", a bare word "
        + linked("example.com/no-scheme", "without scheme")
        + ", a relative one "
        + linked("../places/candle-point", "upwards")
        + ", and one with blanks "
        + linked(" https://spaces.example.com/a b ", "around it")
        + ".",
        f"<em>{linked('/journal/penguin-on-the-fridge', 'Linked within emphasis')}</em>"
        ", "
        + linked("/journal/measuring-rain", "with <strong>emphasis</strong> inside")
        + ", "
        + linked("/places/candle-point", " ")
        + linked("/places/candle-point", NBSP + "hard blank first"),
    )
    + '<p id="note-1">The note itself.</p>'
)
"""Mail, telephone, anchors, empty and garbled links, blanks at their edges."""

FILES_LINKED = (
    heading(2, "To take with you")
    + bullets(
        linked(address("route-map.pdf"), "The route map", more='target="_blank"'),
        linked(address("Programme d'été (2025).pdf"), "Summer programme"),
        linked(address("causeway.gpx"), "The track"),
        linked(address("harbour-dawn.jpg"), "The picture, full size"),
    )
    + paragraphs(PRACTICAL[2])
)
"""Links to the site's own files."""

CHAIN = (
    paragraphs(PEOPLE[2])
    + bullets(
        *(
            linked(f"/journal/{slug}", slug.replace("-", " "))
            for slug in (
                "the-doubtful-acre",
                "salt---smoke---barley",
                "Notes-From-The-OLD-Quay",
                "harrowmere",
            )
        ),
        linked("/topics/harrowmere", "the topic Harrowmere"),
        linked("/places/harrowmere", "the place Harrowmere"),
        linked("/journal/the-doubtful-acre", "an item linked twice"),
    )
    + paragraphs("Full stop.")
)
"""Links to awkward slugs, and to one slug in three collections."""
