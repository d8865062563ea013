"""Bodies about moving pictures and sound."""

from __future__ import annotations

from cmsmig.sandbox.sample.bodies.markup import (
    embed,
    heading,
    paragraphs,
    video,
    video_published,
)
from cmsmig.sandbox.sample.bodies.prose_en import BREWING, HARBOUR, PEOPLE, PRACTICAL
from cmsmig.sandbox.sample.identity import address

YOUTUBE = (
    paragraphs(BREWING[0])
    + video(
        "https://www.youtube.com/embed/s4ltG0seK1t",
        page="https://www.youtube.com/watch?v=s4ltG0seK1t&list=PLsaltmarsh&t=42s",
        title="Four in the morning",
        size=(854, 480),
    )
    + paragraphs(BREWING[1])
    + video(
        "https://www.youtube.com/embed/ch4lkW4ter0",
        page="https://youtu.be/ch4lkW4ter0",
        title="Under the chalk",
        caption=(
            "Under the chalk, <em>eight minutes</em>. Filmed by "
            '<a href="/authors/lio-fontaine">Lio Fontaine</a>.'
        ),
        align="center",
    )
)
"""Two films by their page address, one with a caption that holds a link."""

WITHOUT_PAGE = (
    paragraphs(PEOPLE[0])
    + video(
        "https://www.youtube.com/embed/c4ndleP0int",
        page="",
        size=(0, 0),
        title="",
    )
    + paragraphs(PEOPLE[4])
)
"""A film whose page address was never stored: only the player's is known."""

OTHER_SERVICES = (
    paragraphs(HARBOUR[2])
    + video(
        "https://player.vimeo.com/video/900100200",
        page="https://vimeo.com/900100200",
        title="Steam",
        size=(1920, 1080),
        caption="Four seconds to get it wrong.",
    )
    + video(
        "https://www.loom.com/embed/5a17ma55b0a7",
        page="https://www.loom.com/share/5a17ma55b0a7",
        title="How we plank",
    )
    + video(
        "https://giphy.com/embed/gu11sAtT3n",
        page="https://giphy.com/gifs/gu11sAtT3n",
        title="Gulls",
        size=(480, 270),
        align="normal",
    )
    + video(
        "//cdn.embedly.com/widgets/media.html?src=https%3A%2F%2Fplayer.vimeo.com%2F"
        "video%2F900100201&amp;display_name=Vimeo",
        page="https://vimeo.com/900100201",
        title="Vimeo embed",
        size=(940, 529),
    )
)
"""Vimeo, Loom, Giphy, and a player behind Embedly."""

PUBLISHED = (
    paragraphs(BREWING[3])
    + video_published(
        "https://www.youtube.com/embed/sm0keM4lt00",
        title="Smoke &amp; malt",
        caption="As the page shows it.",
    )
    + paragraphs(BREWING[4])
)
"""The same as a published page holds it: no data attributes."""

OWN_FILES = (
    heading(2, "Listen first")
    + paragraphs(PEOPLE[3])
    + embed(
        f'<audio controls preload="none" src="{address("choir-in-pairs.mp3")}"></audio>'
    )
    + paragraphs(PRACTICAL[1])
    + embed(
        f'<video controls playsinline width="720" poster="'
        f'{address("tide-poster.jpg")}"><source src="{address("tide-timelapse.mp4")}" '
        'type="video/mp4"><p>Your browser shows no films.</p></video>'
    )
)
"""A sound file, a film and its poster from the site's own files."""

IFRAMES = (
    paragraphs(PRACTICAL[0])
    + embed(
        '<iframe width="560" height="315" src="https://www.youtube.com/embed/'
        'l4stBus1810" title="The last bus" frameborder="0" allowfullscreen></iframe>'
    )
    + embed(
        '<iframe src="https://maps.example.com/embed?pb=!1m18!2sPort+Ardoise" '
        'width="600" height="450" style="border:0;" loading="lazy"></iframe>',
        quote='"',
    )
    + "<p>Loose: <iframe src='https://forms.example.com/f/9'></iframe></p>"
)
"""Players and maps that an editor pasted into embeds, and one loose in text."""
