"""Bodies about pictures: figures, alternative texts, captions, sources."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import (
    NBSP,
    ZWJ,
    embed,
    heading,
    image,
    image_reordered,
    paragraphs,
)
from cmsmig.sandbox.sample.bodies.prose_en import HARBOUR, MARSH, PEOPLE, TABLE, WALKING
from cmsmig.sandbox.sample.identity import FILES, address, file_id

ALIGNMENTS = (
    paragraphs(MARSH[0])
    + image(
        "doubtful-acre.jpg",
        alt="A tarred lane ending in shining mud",
        align="fullwidth",
        width="1150px",
        caption="The last dry metre of the lane, in March.",
    )
    + paragraphs(MARSH[1])
    + image("sluice.jpg", alt="The old sluice at half tide", width="640px")
    + image("reed-bundle.jpg", alt="A tied bundle of reed", align="normal")
    + paragraphs(MARSH[2])
    + image(
        "curlew.jpg",
        alt="Curlew, head down",
        align="floatleft",
        width="320px",
        caption="Numenius arquata",
    )
    + paragraphs(MARSH[3])
    + image("bram-oakes.jpg", alt="Bram Oakes with his hook", align="floatright")
    + paragraphs(MARSH[5])
)
"""Every alignment the service knows, with a maximum width and without."""

ALTERNATIVES = (
    paragraphs(HARBOUR[0], ids=True)
    + image("port-ardoise-piers.jpg", alt="Three piers seen from the chapel roof")
    + image("fish-auction.jpg", alt=None, caption="Ten to seven, and all sold.")
    + image("shared-logo.svg", alt="__wf_reserved_inherit")
    + paragraphs(HARBOUR[1], ids=True)
    + image("wave-rule.svg", alt="__wf_reserved_decorative", align="fullwidth")
    + image("gulls.jpg", alt="")
    + image("IMG_0417.jpg", alt="0417")
    + image("harbour-dawn.jpg", alt="__wf_reserved_inherit", align="fullwidth")
    + paragraphs(HARBOUR[4], ids=True)
    + image("quay.jpg", alt="Tar &amp; toast: the &quot;north&quot; quay &lt;1931&gt;")
)
"""Alternative texts: real, missing, inherited, decorative, empty, a number."""

CAPTIONS = (
    paragraphs(PEOPLE[1])
    + image(
        "basket-round.jpg",
        alt="A round basket",
        caption=(
            "A <strong>round</strong> basket of <em>white</em> willow, from "
            '<a href="/journal/reed-cutting-in-january">the January cutting</a>.'
        ),
    )
    + image_reordered(
        "basket-oval.jpg",
        alt="An oval basket",
        align="fullwidth",
        caption='Photo: <a href="https://photos.example.com/lio">Lio Fontaine</a>',
    )
    + paragraphs(PEOPLE[3])
    + image(
        "choir.jpg",
        alt="Fourteen people and a telephone",
        caption="First line.<br>Second line, with " + NBSP + "a hard blank.",
    )
    + image("choir-map.png", alt="", caption=" " + ZWJ)
)
"""Captions with marks, links, line breaks, and one that shows nothing."""

LINKED = (
    paragraphs(WALKING[0])
    + image(
        "lych-gate.jpg",
        alt="The lych-gate in rain",
        link="/routes/lych-gate-round",
        caption="Press the picture for the route.",
    )
    + paragraphs(WALKING[1])
    + image(
        "causeway-tide-table.png",
        alt="Tide table of the causeway",
        link="https://tides.example.com/table?port=ardoise&amp;year=2025",
        align="fullwidth",
    )
    + paragraphs(WALKING[2])
    + image("wether-down.jpg", alt="", link=address("route-map.pdf"))
)
"""Figures that link: into the site, out of it, and to a file."""

INLINE = (
    f'<p>Before the loaf <img src="{address("loaf-dark.jpg")}" alt="Dark loaf" '
    f'loading="lazy" width="240" height="180"> and after.</p>'
    f'<p><img src="{address("loaf-light.jpg")}" alt="Light loaf" width="auto" '
    'height="auto"></p>'
    f'<h3>The upper baker <img src="{address("wheat-mark.svg")}" alt=""></h3>'
    + paragraphs(TABLE[2])
    + f'<ul><li><img src="{address("oven.jpg")}" alt="Oven door">The oven, 1911</li>'
    f'<li>Flour from the mill <img src="{address("mill.jpg")}" alt="The mill"></li>'
    "</ul>"
    f'<blockquote>No middle one. <img src="{address("loaf-dark.jpg")}" alt="Dark '
    'loaf, again"></blockquote>'
    f'<p><strong><a href="/places/two-bakers-lane"><img src="'
    f'{address("lane-sign.png")}" alt="Sign of the lane"></a></strong></p>'
)
"""Pictures in a paragraph, a heading, list entries, a quotation and a mark."""

SOURCES = (
    paragraphs(HARBOUR[2])
    + f'<p><img srcset="{address("steam-box.jpg", variant="-p-500")} 500w, '
    f"{address('steam-box.jpg', variant='-p-800')} 800w, "
    f'{address("steam-box.jpg")} 1600w" sizes="(max-width: 767px) 100vw, 800px" '
    'alt="The steam box at work"></p>'
    + image("planks.jpg", alt="Larch planks", variant="-p-1080")
    + image("planks.jpg", alt="The same larch planks, full size")
    + f'<figure class="w-richtext-figure-type-image w-richtext-align-center" '
    f'data-rt-type="image" data-rt-align="center"><div><img src="'
    f"{FILES}/{file_id('carte-du-littoral.png')}_carte%2520du%2520littoral.png"
    '" alt="Map of the coast, its name encoded twice" loading="lazy"></div></figure>'
    + image("Slip & “Mole” (été) [final] 100%.jpg", alt="A name full of characters")
    + image("l'écluse – vue d'ensemble.jpeg", alt="The lock from above")
    + image("photo without a suffix", alt="No suffix at all")
    + image("missing.png", alt="The host no longer has this one")
    + "<p>From elsewhere: "
    '<img src="https://images.example.com/hotlinked/buoy.jpg" alt="A buoy"></p>'
)
"""Sources: srcset alone, derived sizes, hard names, one lost, one foreign."""

ARTICLE = (
    heading(2, "What the ledger holds", ids=True)
    + paragraphs(HARBOUR[3], HARBOUR[5], ids=True)
    + image_reordered("ledger-page.jpg", alt="__wf_reserved_inherit")
    + heading(3, "The wooden leg", ids=True)
    + paragraphs(PEOPLE[2], ids=True)
    + image_reordered(
        "wooden-leg.jpg", alt=None, align="floatleft", caption="Handed in, 1911."
    )
    + embed(
        f'<style>.plate{{max-width:40rem}}</style><img class="plate" '
        f'src="{address("brass-plate.jpg")}" alt="The brass plate">'
    )
)
"""A long read with figures whose attributes come in another order."""

SHARED = (
    paragraphs(MARSH[4], MARSH[5])
    + image("harbour-dawn.jpg", alt="The harbour again, from another story")
    + image("shared-logo.svg", alt="Our mark")
    + image("shared-logo-copy.svg", alt="Our mark, uploaded a second time")
)
"""Files that other items use too, and one uploaded twice."""
