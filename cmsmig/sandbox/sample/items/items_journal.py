"""Journal posts that are published: the magazine's stories."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import (
    bodies_embeds,
    bodies_images,
    bodies_imported,
    bodies_links,
    bodies_long,
    bodies_text,
    bodies_videos,
)
from cmsmig.sandbox.sample.identity import (
    asset,
    long_id,
    moved_asset,
    option_id,
    ref,
    refs,
)
from cmsmig.sandbox.sample.records import Entry


def post(headline: str, slug: str, body: str, **more: Json) -> JsonObject:
    """Return a post's data; keyword names stand for field slugs, `_` for `-`."""
    data: JsonObject = {
        "name": headline,
        "slug": slug,
        "summary": f"{headline}. A story from the estuary, told slowly.",
        "post-body": body,
        "main-image": asset(
            f"{slug[:40].lower()}-lead.jpg", f"{headline}, the picture"
        ),
        "author": ref("authors", "maud-ellery"),
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


def article(titre: str, slug: str, corps: str, **more: Json) -> JsonObject:
    """Return what a post's French variant has of its own."""
    data: JsonObject = {
        "name": titre,
        "slug": slug,
        "summary": f"{titre}. Une histoire de l’estuaire, racontée sans hâte.",
        "post-body": corps,
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


def tone(choice: str) -> str:
    """Return the id of a choice of the field `tone`."""
    return option_id("journal", "tone", choice)


STORIES = (
    Entry(
        "the-doubtful-acre",
        post(
            "The doubtful acre",
            "the-doubtful-acre",
            bodies_images.ALIGNMENTS,
            deck="Where the lane gives up",
            main_image=asset("doubtful-acre.jpg", "A lane ending in mud"),
            thumbnail_image=asset("doubtful-acre.jpg", None, variant="-p-500"),
            gallery=[
                asset("sluice.jpg", "The old sluice"),
                asset("curlew.jpg"),
                moved_asset("reed-bundle.jpg", ""),
            ],
            publication_date="2025-03-20T00:00:00.000Z",
            topics=refs("topics", "marsh", "people", "harrowmere"),
            place=ref("places", "grisel-marsh"),
            related_posts=refs("journal", "reed-cutting-in-january", "measuring-rain"),
            next_post=ref("journal", "reed-cutting-in-january"),
            sort_order=1,
            featured=True,
            accent="#4a6b57",
            tone=tone("report"),
            seo_title="The doubtful acre: a walk to where the lane ends",
        ),
        french=article(
            "L’arpent incertain",
            "l-arpent-incertain",
            bodies_long.lecture("marais", "sentier", image_nom="doubtful-acre.jpg"),
            deck="Là où le chemin renonce",
        ),
    ),
    Entry(
        "a-harbour-facing-the-wrong-way",
        post(
            "A harbour facing the wrong way",
            "a-harbour-facing-the-wrong-way",
            bodies_images.ALTERNATIVES,
            main_image=asset("harbour-dawn.jpg", "Port Ardoise before the auction"),
            gallery=[asset("quay.jpg", "The quay"), asset("harbour-dawn.jpg", "Dawn")],
            publication_date="2024-12-20T23:00:00.000Z",
            topics=refs("topics", "harbour"),
            place=ref("places", "port-ardoise"),
            co_authors=refs("authors", "lio-fontaine", "ines-carrow"),
            accent="rgb(181, 80, 47)",
            tone=tone("report"),
            sort_order=2,
            source="https://harbour.example.com/annual-report?year=2024#boats",
        ),
        french=article(
            "Un port qui regarde du mauvais côté",
            "un-port-du-mauvais-cote",
            bodies_long.lecture(
                "port", image_nom="quay.jpg", suite="l-arpent-incertain"
            ),
        ),
    ),
    Entry(
        "four-in-the-morning-gose",
        post(
            "A gose at four in the morning",
            "four-in-the-morning-gose",
            bodies_videos.YOUTUBE,
            author=ref("authors", "hugo-pellerin"),
            publication_date="2025-06-21T04:00:00.000Z",
            topics=refs("topics", "brewing", "people"),
            place=ref("places", "dunlock-brewery"),
            accent="hsl(38, 70%, 45%)",
            tone=tone("portrait"),
            sort_order=3,
            access={"planId": long_id("plan:friends"), "name": "Friends of the marsh"},
        ),
        french=article(
            "Une gose à quatre heures du matin",
            "une-gose-a-quatre-heures",
            bodies_long.note("brasserie"),
        ),
    ),
    Entry(
        "the-long-causeway",
        post(
            "The Long Causeway",
            "the-long-causeway",
            bodies_embeds.TABLES,
            author=ref("authors", "bram-oakes"),
            publication_date="2024-06-19T22:00:00.000Z",
            topics=refs("topics", "walking"),
            place=ref("places", "long-causeway"),
            accent="rebeccapurple",
            tone=tone("essay"),
            sort_order=4,
            source="/routes/causeway-crossing",
            main_image=moved_asset("causeway-low-water.jpg", "Posts in a line"),
        ),
        french=article(
            "La Longue Chaussée",
            "la-longue-chaussee",
            bodies_long.note("sentier", first=1),
        ),
    ),
    Entry(
        "nine-thousand-year-water",
        post(
            "Nine-thousand-year-old water",
            "nine-thousand-year-water",
            bodies_long.long_read(
                "brewing",
                "marsh",
                "practical",
                picture="chalk-well.jpg",
                next_story="four-in-the-morning-gose",
            ),
            author=ref("authors", "hugo-pellerin"),
            topics=refs("topics", "brewing", "archive"),
            tone=tone("essay_short"),
            sort_order=5,
            source="https://saltmarsh.example.com/places/dunlock-brewery",
        ),
        french=article(
            "Une eau de neuf mille ans",
            "une-eau-de-neuf-mille-ans",
            bodies_long.lecture("brasserie", "marais", "pratique"),
        ),
    ),
    Entry(
        "keeper-of-the-railings",
        post(
            "The keeper of the railings",
            "keeper-of-the-railings",
            bodies_links.HABITS,
            author=ref("authors", "orla-finch"),
            topics=refs("topics", "people"),
            place=ref("places", "candle-point"),
            tone=tone("portrait"),
            source="mailto:light@saltmarsh.example.com",
            sort_order=6,
        ),
    ),
    Entry(
        "the-winter-of-the-ice",
        post(
            "The winter of the ice",
            "the-winter-of-the-ice",
            bodies_videos.WITHOUT_PAGE,
            topics=refs("topics", "weather", "archive"),
            tone=tone("essay"),
            source="tel:+33255500117",
            publication_date="2023-12-21T00:00:00.000Z",
            sort_order=7,
        ),
        french=article(
            "L’hiver de la glace", "l-hiver-de-la-glace", bodies_long.note("marais")
        ),
    ),
    Entry(
        "salt-smoke-barley",
        post(
            "Salt, smoke, barley",
            "salt---smoke---barley",
            bodies_imported.PUBLISHED_PAGE,
            author=ref("authors", "adaeze-thorne"),
            topics=refs("topics", "brewing", "craft"),
            place=ref("places", "maltings"),
            accent="#C93",
            sort_order=8,
            source="https://saltmarsh-quarterly.webflow.io/product/marsh-salt",
        ),
        french=article(
            "Sel, fumée, orge",
            "salt---smoke---barley",
            bodies_long.note("brasserie", first=2),
        ),
    ),
    Entry(
        "reed-cutting-in-january",
        post(
            "Reed cutting in January",
            "reed-cutting-in-january",
            bodies_text.LISTS,
            author=ref("authors", "bram-oakes"),
            topics=refs("topics", "marsh", "craft"),
            place=ref("places", "grisel-marsh"),
            related_posts=refs("journal", "the-doubtful-acre"),
            sort_order=9,
            main_image=asset("reed-bundle.jpg", "Bundles, tied with their own stuff"),
        ),
        french=article(
            "Couper le roseau", "couper-le-roseau", bodies_long.note("marais", first=1)
        ),
    ),
    Entry(
        "the-ledger-of-lost-things",
        post(
            "The ledger of lost things",
            "the-ledger-of-lost-things",
            bodies_images.ARTICLE,
            author=ref("authors", "ines-carrow"),
            topics=refs("topics", "archive", "harbour"),
            place=ref("places", "port-ardoise"),
            sort_order=10,
            related_posts=[
                ref("journal", "two-bakers"),
                ref("journal", "the-fifth-pier"),
                ref("journal", "regatta-notes"),
                ref("journal", "deleted-long-ago"),
                "",
                None,
                ref("journal", "la-cale-seche"),
                ref("journal", "a-notice-withdrawn"),
                ref("journal", "printed-tomorrow"),
                ref("journal", "measuring-rain"),
            ],
            next_post=ref("journal", "the-fifth-pier"),
        ),
        french=article(
            "Le registre des choses perdues",
            "le-registre-des-choses-perdues",
            bodies_long.note("port", first=1),
        ),
    ),
    Entry(
        "penguin-on-the-fridge",
        post(
            "A penguin on the fridge",
            "penguin-on-the-fridge",
            bodies_embeds.COMPONENTS,
            author=ref("authors", "adaeze-thorne"),
            topics=refs("topics", "brewing"),
            tone=long_id("option:journal:tone:poem"),
            sort_order=11,
        ),
    ),
    Entry(
        "samphire-with-scissors",
        post(
            "Samphire, with scissors",
            "samphire-with-scissors",
            bodies_embeds.PUBLISHED,
            author=ref("authors", "severine-aubry"),
            topics=refs("topics", "table"),
            place=ref("places", "north-bed"),
            sort_order=12,
            source="https://shop.saltmarsh.example.com/product/marsh-salt",
        ),
        french=article(
            "La salicorne aux ciseaux",
            "la-salicorne-aux-ciseaux",
            bodies_text.PLAIN,
        ),
    ),
    Entry(
        "two-bakers",
        post(
            "Two bakers",
            "two-bakers",
            bodies_images.INLINE,
            author=ref("authors", "severine-aubry"),
            topics=refs("topics", "table", "people"),
            place=ref("places", "two-bakers-lane"),
            related_posts=refs("journal", "the-ledger-of-lost-things", "two-bakers"),
            sort_order=13,
            publication_date="2024-03-30T23:00:00.000Z",
        ),
        french=article(
            "Deux boulangers", "two-bakers", bodies_long.note("pratique", first=1)
        ),
    ),
    Entry(
        "the-choir-that-cannot-read",
        post(
            "The choir that cannot read",
            "the-choir-that-cannot-read",
            bodies_videos.OWN_FILES,
            author=ref("authors", "wendell-pike"),
            topics=refs("topics", "people"),
            sort_order=14,
        ),
    ),
    Entry(
        "measuring-rain",
        post(
            "Measuring rain",
            "measuring-rain",
            bodies_imported.SEMANTIC,
            author=ref("authors", "orla-finch"),
            topics=refs("topics", "weather", "people"),
            place=ref("places", "rain-station"),
            next_post=ref("journal", "the-doubtful-acre"),
            sort_order=15,
        ),
        french=article(
            "Mesurer la pluie", "mesurer-la-pluie", bodies_long.note("sentier")
        ),
    ),
    Entry(
        "harrowmere",
        post(
            "Harrowmere",
            "harrowmere",
            bodies_long.FEATURE,
            author=ref("authors", "ines-carrow"),
            co_authors=refs("authors", "bram-oakes", "maud-ellery", "lio-fontaine"),
            topics=refs("topics", "harrowmere", "harbour", "marsh"),
            place=ref("places", "harrowmere"),
            featured=True,
            sort_order=16,
            main_image=asset("Harrowmère, “vue d'en haut” [1] (été).jpg", "From above"),
        ),
    ),
)
