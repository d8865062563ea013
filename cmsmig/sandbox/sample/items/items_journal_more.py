"""Journal posts in every state, under awkward slugs, and with plain bodies."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies import (
    bodies_embeds,
    bodies_images,
    bodies_imported,
    bodies_links,
    bodies_long,
    bodies_text,
    bodies_videos,
)
from cmsmig.sandbox.sample.identity import asset, ref, refs, short_id
from cmsmig.sandbox.sample.items.items_journal import article, post, tone
from cmsmig.sandbox.sample.records import Entry, State

_LONG_SLUG = (
    "being-a-true-and-particular-account-of-the-great-tide-of-the-ninth-of-november-"
    "with-the-names-of-those-who-were-wet-and-of-those-who-were-only-told-about-it-"
    "afterwards-together-with-some-remarks-upon-the-sluice-and-the-conduct-of-the-cow"
)

STATES = (
    Entry(
        "eleven-boats",
        post(
            "Eleven boats (second edition)",
            "eleven-boats-again",
            bodies_embeds.SCRIPTS,
            topics=refs("topics", "harbour"),
            sort_order=20,
        ),
        State.CHANGED,
        earlier={
            "name": "Eleven boats",
            "slug": "eleven-boats",
            "post-body": bodies_text.PLAIN,
            "sort-order": 19,
        },
        french=article("Onze bateaux", "onze-bateaux", bodies_long.note("port")),
        french_state=State.PUBLISHED,
    ),
    Entry(
        "a-wall-breached",
        post(
            "A wall, breached",
            "a-wall-breached",
            bodies_embeds.NESTED,
            topics=refs("topics", "marsh"),
            place=ref("places", "grisel-marsh"),
        ),
        State.REQUEUED,
        earlier={"post-body": bodies_embeds.EMPTY, "topics": []},
        french=article("La digue ouverte", "la-digue-ouverte", bodies_text.PLAIN),
        french_state=State.CHANGED,
        french_earlier={"name": "La digue rompue"},
    ),
    Entry(
        "printed-tomorrow",
        post("Printed tomorrow", "printed-tomorrow", bodies_embeds.LONG),
        State.QUEUED,
    ),
    Entry(
        "the-fifth-pier",
        {
            "name": "The fifth pier",
            "slug": "the-fifth-pier",
            "post-body": bodies_text.EMPTY,
            "deck": "",
        },
        State.DRAFT,
    ),
    Entry(
        "notes-for-autumn",
        {"name": "Notes for autumn (working title)", "slug": "notes-for-autumn"},
        State.DRAFT,
        french={
            "name": "Notes d’automne",
            "slug": "notes-d-automne",
            "post-body": bodies_long.note("pratique"),
        },
        french_state=State.PUBLISHED,
    ),
    Entry(
        "an-apology",
        post("An apology", "an-apology", bodies_text.BARE),
        State.UNPUBLISHED,
    ),
    Entry(
        "regatta-notes",
        post(
            "Notes from the regatta",
            "regatta-notes",
            bodies_long.short_read("harbour", "regatta.jpg"),
        ),
        State.ARCHIVED,
        french=article("Notes de régate", "notes-de-regate", bodies_text.PLAIN),
        french_state=State.ARCHIVED,
    ),
    Entry(
        "christmas-hours-2022",
        post("Christmas hours 2022", "christmas-hours-2022", bodies_text.LINES),
        State.ARCHIVED_DRAFT,
    ),
    Entry(
        "ferry-timetable-2023",
        post(
            "Ferry timetable 2023",
            "ferry-timetable-2023",
            bodies_imported.BARE_TABLE,
            topics=refs("topics", "archive"),
        ),
        State.ARCHIVED_LIVE,
        earlier={"summary": "Still on the page until the next full publish."},
    ),
    Entry(
        "a-notice-withdrawn",
        post("A notice, withdrawn", "a-notice-withdrawn", bodies_text.PLAIN),
        State.LIVE_ONLY,
    ),
    Entry(
        "la-cale-seche",
        None,
        french=post(
            "La cale sèche",
            "la-cale-seche",
            bodies_long.lecture("port", "brasserie"),
            topics=refs("topics", "harbour"),
        ),
    ),
    Entry(
        "tides-in-french",
        post("What the French call it", "what-the-french-call-it", bodies_text.QUOTES),
        french=article("Vives-eaux", "vives-eaux", bodies_long.note("sentier")),
        french_state=State.DRAFT,
    ),
)

PLAIN = (
    Entry("old-quay", post("Old quay", "Notes-From-The-OLD-Quay", bodies_text.MARKS)),
    Entry("great-tide", post("The great tide", _LONG_SLUG, bodies_text.SPACERS)),
    Entry(
        "five-paths",
        post(
            "Five paths and a shoulder of slate",
            "five-paths",
            bodies_text.HEADINGS,
            author=ref("authors", "bram-oakes"),
            topics=refs("topics", "walking"),
            tone=tone("report"),
        ),
    ),
    Entry(
        "baskets",
        post(
            "Hold the other end",
            "hold-the-other-end",
            bodies_images.CAPTIONS,
            topics=refs("topics", "craft", "people"),
        ),
        french=article("Tenez l’autre bout", "tenez-l-autre-bout", bodies_text.PLAIN),
    ),
    Entry(
        "follow-the-tern",
        post("Follow the tern", "follow-the-tern", bodies_images.LINKED),
    ),
    Entry(
        "steam",
        post(
            "Four seconds to get it wrong",
            "four-seconds",
            bodies_images.SOURCES,
            gallery=[
                asset("planks.jpg", "Larch", variant="-p-800"),
                asset("bram-oakes.jpg", variant="-p-500"),
                asset("planks.jpg", "Larch"),
                asset("Slip & “Mole” (été) [final] 100%.jpg"),
            ],
        ),
    ),
    Entry("steam-films", post("Steam, moving", "steam", bodies_videos.OTHER_SERVICES)),
    Entry("malt-film", post("Malt, moving", "malt-moving", bodies_videos.PUBLISHED)),
    Entry("last-bus", post("The last bus", "last-bus", bodies_videos.IFRAMES)),
    Entry("sum", post("A tide clock of one’s own", "tide-clock", bodies_embeds.CODE)),
    Entry("nothing", post("Nothing to see", "nothing-to-see", bodies_embeds.EMPTY)),
    Entry(
        "reading-list",
        post("A reading list", "reading-list", bodies_links.INTERNAL),
        french=article(
            "À lire",
            "a-lire",
            "<p>Voir <a href='/fr/journal/l-arpent-incertain'>L’arpent</a>, "
            '<a href="/journal/two-bakers">en anglais</a>, '
            '<a href="/fr/places/candle-point">le phare</a>.</p>',
        ),
    ),
    Entry("again", post("We have told this before", "again", bodies_links.ABSOLUTE)),
    Entry(
        "take-away", post("To take with you", "take-away", bodies_links.FILES_LINKED)
    ),
    Entry("chain", post("One thing and another", "one-thing", bodies_links.CHAIN)),
    Entry("shared", post("Pictures we use twice", "twice", bodies_images.SHARED)),
    Entry("styled", post("Dark, light", "dark-light", bodies_imported.STYLED)),
    Entry("left", post("Left over", "left-over", bodies_imported.MARKDOWN_LEFT)),
    Entry(
        "torn",
        post(
            "Torn page",
            "torn-page",
            bodies_imported.MALFORMED,
            author=short_id("item:authors:deleted-author"),
            place="",
        ),
    ),
    Entry("pasted", post("Pasted", "pasted", bodies_imported.WORD)),
    Entry(
        "slow-day",
        post(
            "A slow day on the marsh",
            "slow-day",
            bodies_long.long_read(
                "marsh",
                "walking",
                "table",
                "practical",
                picture="sluice.jpg",
                next_story="two-bakers",
                ids=False,
            ),
            related_posts=[],
        ),
        french=article(
            "Une lente journée",
            "une-lente-journee",
            bodies_long.lecture("marais", "sentier", "pratique", suite="two-bakers"),
        ),
    ),
    Entry(
        "people-and-rain",
        post(
            "People, mostly in the rain",
            "people-mostly-in-the-rain",
            bodies_long.long_read(
                "people",
                "harbour",
                picture="gulls.jpg",
                next_story="measuring-rain",
            ),
        ),
    ),
    Entry("index", post("Index of names", "index", bodies_text.LINES)),
)

MORE_STORIES = (*STATES, *PLAIN)
