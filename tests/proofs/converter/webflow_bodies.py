"""Well-formed bodies as a site builder's editor writes them, of a wanted size."""

from __future__ import annotations

import random

_WORDS = (
    "garden window paper river number evening market simple colour answer story light "
    "never between under morning little people another moment around useful system "
    "weather language picture travel quiet station kitchen letter bridge summer Müller "
    "design team content page value search client project café result"
)
WORDS = _WORDS.split(" ")
SENTENCES = (
    "{5} {6}.", "{4} {7}.", "{3} {8}.", "{6} {3}.", "{4} <strong>{2}</strong> {5}.",
    "{4} <em>{3}</em> {4}.", "{3} <code>{1}</code> {4}.", "{2} <sup>{1}</sup> {5}.",
    '{4} <a href="/{1}/{1}">{2}</a> {4}.', "{3} {2}<br>{2} {5}.",
    '{3} <a href="https://www.example.com/?q={1}&amp;r=1" target="_blank"><strong>{2}'
    "</strong></a> {3}.",
    "{4} &ldquo;{3}&rdquo;&nbsp;&amp; more {3}.",
)  # fmt: skip
BLOCKS = (
    "<p>{s}</p>", "<p>{s} {s}</p>", "<p>{s} {s} {s}</p>", "<p>{s} {s} {s} {s}</p>",
    '<p style="text-align: center">{s}</p>', "<h2>{5}</h2>", "<h3>{4}</h3>",
    '<ul role="list"><li>{s}</li><li>{s}</li><li>{s}</li></ul>',
    '<ol role="list"><li>{s}<ul role="list"><li>{3}</li></ul></li><li>{s}</li></ol>',
    "<blockquote>{s} {s}</blockquote>",
    '<figure class="w-richtext-align-fullwidth w-richtext-figure-type-image"><div><img '
    'src="https://cdn.example.com/5f/{n}_photo.jpg" alt="{3}" loading="lazy"></div>'
    "<figcaption>{6}</figcaption></figure>",
)  # fmt: skip


def webflow_body(size: int, index: int) -> str:
    """Return about so many bytes of HTML; the same for the same size and index."""
    drawn = random.Random(f"{size}/{index}")
    parts: list[str] = []
    left = size
    while left > 0:
        part = drawn.choice(BLOCKS) if parts else BLOCKS[1]
        while "{s}" in part:
            part = part.replace("{s}", drawn.choice(SENTENCES), 1)
        part = part.replace("{n}", str(drawn.randint(1000, 9999)))
        for words in range(1, 9):
            while f"{{{words}}}" in part:
                chosen = " ".join(drawn.choices(WORDS, k=words))
                part = part.replace(f"{{{words}}}", chosen, 1)
        parts.append(part)
        left -= len(part)
    return "".join(parts)


def webflow_bodies(size: int, number: int) -> list[str]:
    """Return so many bodies of about so many bytes."""
    return [webflow_body(size, index) for index in range(number)]
