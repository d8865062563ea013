"""Questions and answers."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import (
    bodies_imported,
    bodies_links,
    bodies_long,
    bodies_text,
)
from cmsmig.sandbox.sample.bodies.markup import bullets, linked, paragraphs
from cmsmig.sandbox.sample.bodies.prose_en import PRACTICAL, WALKING
from cmsmig.sandbox.sample.identity import address, long_id, option_id, refs
from cmsmig.sandbox.sample.records import Entry, State


def _question(
    name: str, slug: str, about: str, position: int, answer: str, **more: Json
) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "answer": answer,
        "about": option_id("faq", "about", about),
        "position": position,
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


FAQ_ENTRIES = (
    Entry(
        "when-do-you-print",
        _question(
            "When do you print?",
            "when-do-you-print",
            "post",
            1,
            paragraphs(PRACTICAL[2]),
            see_also=refs("faq", "where-is-my-copy", "can-i-write"),
            short_answer="Four times a year",
        ),
        french={
            "name": "Quand paraissez-vous ?",
            "slug": "quand-paraissez-vous",
            "answer": bodies_long.note("pratique", first=2),
            "short-answer": "Quatre fois l’an",
        },
    ),
    Entry(
        "where-is-my-copy",
        _question(
            "Where is my copy?",
            "where-is-my-copy",
            "post",
            2,
            paragraphs(
                "On its way. If not, "
                + linked("mailto:post@saltmarsh.example.com", "write to us")
                + "."
            ),
            see_also=refs("faq", "when-do-you-print"),
            more="mailto:post@saltmarsh.example.com",
        ),
        french={
            "name": "Où est mon numéro ?",
            "slug": "ou-est-mon-numero",
            "answer": "<p>En route.</p>",
        },
    ),
    Entry(
        "is-the-water-safe",
        _question(
            "Is the water safe to drink?",
            "is-the-water-safe",
            "visit",
            3,
            bodies_imported.HOSTILE,
            more="javascript:alert(1)",
        ),
        french={
            "name": "L’eau est-elle potable ?",
            "slug": "eau-potable",
            "answer": "<p>Oui, au robinet.</p>",
        },
    ),
    Entry(
        "is-it-level",
        _question("Is it level?", "is-it-level", "visit", 4, paragraphs(PRACTICAL[4])),
        french={
            "name": "Est-ce plat ?",
            "slug": "est-ce-plat",
            "answer": "<p>Jusqu’au deuxième affût.</p>",
        },
        french_state=State.REQUEUED,
        french_earlier={"answer": "<p>Oui.</p>"},
    ),
    Entry(
        "dogs",
        _question("Dogs?", "dogs", "visit", 5, paragraphs(WALKING[5]), short_answer=""),
        french={"name": "Les chiens ?", "slug": "dogs", "answer": "<p>Parfois.</p>"},
    ),
    Entry("bell", _question("Is anybody in?", "bell", "visit", 6, bodies_text.BARE)),
    Entry(
        "lines", _question("What does it say?", "lines", "shop", 7, bodies_text.LINES)
    ),
    Entry(
        "files",
        _question(
            "A map?",
            "a-map",
            "shop",
            8,
            bodies_links.FILES_LINKED,
            more=address("route-map.pdf"),
        ),
    ),
    Entry(
        "can-i-write",
        _question(
            "Can I write for you?",
            "can-i-write",
            "post",
            9,
            paragraphs("Yes, if you:")
            + bullets("walk slowly", "look behind you", "have no app to mention"),
            see_also=refs("faq", "can-i-write", "how-do-i-pay"),
        ),
    ),
    Entry(
        "gift",
        {
            **_question("Can I give it?", "gift", "shop", 10, "<p>Please do.</p>"),
            "about": long_id("option:faq:about:gifts"),
        },
    ),
    Entry("empty", _question("Why?", "why", "visit", 11, bodies_text.EMPTY)),
    Entry(
        "parking",
        _question("Parking?", "parking", "visit", 12, paragraphs(PRACTICAL[3])),
        State.CHANGED,
        earlier={"answer": "<p>Behind the chapel.</p>"},
    ),
    Entry(
        "how-do-i-pay",
        _question("How do I pay?", "how-do-i-pay", "shop", 13, "<p>Later.</p>"),
        State.DRAFT,
    ),
    Entry(
        "masks",
        _question("Masks?", "masks", "visit", 14, "<p>No longer.</p>"),
        State.ARCHIVED,
    ),
    Entry("tin", {"name": "What is the tin for?", "slug": "tin"}, State.DRAFT),
)
