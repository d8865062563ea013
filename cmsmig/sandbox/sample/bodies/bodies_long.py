"""Longer bodies: articles put together from the paragraphs, by subject."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import (
    ZWJ,
    bullets,
    embed,
    heading,
    image,
    linked,
    paragraphs,
    video,
)
from cmsmig.sandbox.sample.bodies.prose_en import BANK
from cmsmig.sandbox.sample.bodies.prose_fr import BANQUE


def short_read(subject: str, picture: str, *, first: int = 0) -> str:
    """Return two paragraphs and a picture between them."""
    texts = BANK[subject]
    return (
        paragraphs(texts[first % len(texts)])
        + image(picture, alt=f"{subject.capitalize()}, seen on the day")
        + paragraphs(texts[(first + 1) % len(texts)])
    )


def long_read(*subjects: str, picture: str, next_story: str, ids: bool = True) -> str:
    """Return an article: a chapter per subject, with what editors put between."""
    parts = [paragraphs(f"<em>From our spring issue.</em>{ZWJ}", ids=ids)]
    for number, subject in enumerate(subjects):
        parts.append(heading(2, subject.capitalize(), ids=ids))
        parts.append(paragraphs(*BANK[subject], ids=ids))
        if number == 0:
            parts.append(
                image(picture, alt="", align="fullwidth", caption="Looking on.")
            )
        elif number == 1:
            parts.append(bullets("Slowly", "Twice a day", "From below", ids=ids))
        else:
            parts.append(f'<p id="">{ZWJ}</p>' if ids else "<p>&nbsp;</p>")
    more = linked(f"/journal/{next_story}", "Read the next one")
    return "".join(parts) + paragraphs(f"{more}.", ids=ids)


def event_note(subject: str, *, first: int = 0) -> str:
    """Return what an event's page says: the matter, then the practical side."""
    texts, practical = BANK[subject], BANK["practical"]
    return (
        paragraphs(texts[first % len(texts)])
        + heading(3, "Practical")
        + bullets(practical[0], practical[1], practical[3])
        + paragraphs(
            linked("mailto:events@saltmarsh.example.com", "Ask us") + " if in doubt."
        )
    )


def place_note(subject: str, town: str, *, first: int = 0) -> str:
    """Return what a place's page says, with a map in an embed."""
    texts = BANK[subject]
    query = town.replace(" ", "+")
    return (
        paragraphs(texts[first % len(texts)], texts[(first + 2) % len(texts)], ids=True)
        + heading(3, "Getting there", ids=True)
        + paragraphs(BANK["practical"][first % 5], ids=True)
        + embed(
            f'<iframe src="https://maps.example.com/embed?q={query}" title="{town}" '
            'width="600" height="400" loading="lazy"></iframe>'
        )
    )


def lecture(*sujets: str, image_nom: str = "", suite: str = "") -> str:
    """Return a French article: a chapter per subject."""
    parts: list[str] = []
    for sujet in sujets:
        parts.append(heading(2, sujet.capitalize(), ids=True))
        parts.append(paragraphs(*BANQUE[sujet], ids=True))
    if image_nom:
        legende = "Vu du quai, un matin d’octobre."
        parts.append(image(image_nom, alt="Le quai au matin", caption=legende))
    if suite:
        parts.append(paragraphs(linked(f"/fr/journal/{suite}", "Lire la suite")))
    return "".join(parts)


def note(sujet: str, *, first: int = 0) -> str:
    """Return two French paragraphs."""
    textes = BANQUE[sujet]
    return paragraphs(textes[first % 3], textes[(first + 1) % 3])


FEATURE = (
    long_read(
        "harbour",
        "people",
        "table",
        picture="harbour-dawn.jpg",
        next_story="the-winter-of-the-ice",
    )
    + video(
        "https://www.youtube.com/embed/p0rtArd0ise",
        page="https://www.youtube.com/watch?v=p0rtArd0ise",
        title="Port Ardoise",
        caption="Five minutes on the mole.",
    )
    + long_read(
        "marsh",
        "brewing",
        picture="doubtful-acre.jpg",
        next_story="two-bakers",
        ids=False,
    )
)
"""The longest: some 1,500 words in two halves."""
