"""Well-formed bodies as a site builder's editor writes them, of a wanted size.

Paragraphs with marks and links, headings, lists, quotes, pictures in figures.
"""

from __future__ import annotations

import random

SEED = 7
_WORDS = (
    "garden window paper river number evening market simple colour answer story light "
    "never between under morning little people another moment around useful system "
    "weather language picture travel quiet station kitchen letter bridge summer Müller "
    "design team content page value search client project café result"
)
WORDS = _WORDS.split(" ")


class WebflowBody:
    """One body; the same seed, size and index give the same one."""

    def __init__(self, size: int, index: int, seed: int = SEED) -> None:
        self._random = random.Random(f"{seed}/{size}/{index}")
        self._size = size

    def html(self) -> str:
        """Return about so many bytes of HTML."""
        makers = (
            self._paragraph, self._paragraph, self._paragraph, self._paragraph,
            self._heading, self._list, self._quote, self._figure,
        )  # fmt: skip
        parts = [self._paragraph()]
        left = self._size - len(parts[0])
        while left > 150:
            part = self._random.choice(makers)()
            if len(part) <= left + 150:
                parts.append(part)
                left -= len(part)
        return "".join(parts)

    def _paragraph(self) -> str:
        aligned = ' style="text-align: center"' if self._random.random() < 0.05 else ""
        return f"<p{aligned}>{self._sentences(self._random.randint(1, 4))}</p>"

    def _heading(self) -> str:
        level = self._random.choice((2, 2, 3, 3, 4))
        return f"<h{level}>{self._words(3, 8)}</h{level}>"

    def _list(self) -> str:
        name = self._random.choice(("ul", "ul", "ol"))
        items = []
        for _ in range(self._random.randint(2, 6)):
            inner = f'<ul role="list"><li>{self._words(2, 6)}</li></ul>'
            more = inner if self._random.random() < 0.1 else ""
            items.append(f"<li>{self._sentences(1)}{more}</li>")
        return f'<{name} role="list">{"".join(items)}</{name}>'

    def _quote(self) -> str:
        return f"<blockquote>{self._sentences(2)}</blockquote>"

    def _figure(self) -> str:
        number = self._random.randint(1000, 9999)
        caption = (
            f"<figcaption>{self._words(3, 9)}</figcaption>"
            if self._random.random() < 0.5
            else ""
        )
        return (
            '<figure class="w-richtext-align-fullwidth w-richtext-figure-type-image">'
            f'<div><img src="https://cdn.example.com/5f/{number}_photo.jpg" '
            f'alt="{self._words(2, 5)}" loading="lazy"></div>{caption}</figure>'
        )

    def _sentences(self, count: int) -> str:
        return " ".join(self._sentence() for _ in range(count))

    def _sentence(self) -> str:
        parts = [self._words(3, 9).capitalize()]
        chosen = self._random.random()
        if chosen < 0.25:
            name = self._random.choice(("strong", "em", "strong", "code", "sup"))
            parts.append(f"<{name}>{self._words(1, 4)}</{name}>")
        elif chosen < 0.42:
            address = f"/{self._random.choice(WORDS)}/{self._random.choice(WORDS)}"
            parts.append(f'<a href="{address}">{self._words(1, 4)}</a>')
        elif chosen < 0.5:
            address = (
                f"https://www.example.com/?q={self._random.randint(1, 999)}&amp;r=1"
            )
            parts.append(
                f'<a href="{address}" target="_blank"><strong>{self._words(1, 3)}'
                "</strong></a>"
            )
        elif chosen < 0.55:
            parts.append(f"{self._words(1, 3)}<br>{self._words(1, 3)}")
        elif chosen < 0.6:
            parts.append(f"&ldquo;{self._words(2, 4)}&rdquo;&nbsp;&amp; more")
        parts.append(self._words(2, 8) + ".")
        return " ".join(parts)

    def _words(self, least: int, most: int) -> str:
        count = self._random.randint(least, most)
        return " ".join(self._random.choice(WORDS) for _ in range(count))


def webflow_bodies(size: int, count: int) -> list[str]:
    """Return so many bodies of about so many bytes."""
    return [WebflowBody(size, index).html() for index in range(count)]
