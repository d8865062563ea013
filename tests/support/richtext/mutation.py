"""Mutated bodies: what arrives when an export is cut, merged or hostile."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

from tests.support.richtext.bodies import body

_PIECES = (
    "<", ">", "</", "/>", '"', "'", "=", "&", "&#", "&#x", ";", "<!--", "-->", "--!>",
    "<!-->", "<!DOCTYPE html>", "<![CDATA[", "]]>", "<?x?>", "<!x>", "</p>", "</br>",
    "\x00", "\r", "\r\n", "\f", "\x0b", "\x1b", "\ud800", "\udfff", "\ufffe", "\u2028",
    "\u200d", "\u202e", "\U0010ffff", "<script>", "</script>", "<style>", "</style ",
    "<textarea>", "<title>", "<xmp>", "<plaintext>", "<noscript>", "<template>",
    "<iframe>", "</iframe>", "<svg>", "<math>", "<select>", "<option>", "<frameset>",
    "<table>", "<tr>", "<td>", "</table>", "<li>", "<ul>", "</ul>", "<p>", "<a href=x>",
    "<a href='", '<img src="', "<img src=i.png>", "<b>", "</b>", "<pre>\n", "<h2>",
    "<hr>",
    "<figure>", "<figcaption>", "</figure>", "<div class=w-embed>", "<body>", "</body>",
    "<div data-rt-embed-type=true>", "<wf-component component-id=c>", "<html>",
    "<head>",
    "<figure data-page-url=//v.example>", "<div data-blok body=x>", "<br>", "<code>",
    "<span data-emoji=e>", "<span style='color:red;;:'>", "<p style=text-align:\\>",
    "<ol start=1e309>", "<td colspan=99999999999999999999>", "<h1 level=x>", "<image>",
    "<base href=//e>", "<link>", "<meta>", "<button>", "<form>", "<object>",
    "<embed src=e>",
)  # fmt: skip
_ENTITIES = (
    "&amp", "&lt;", "&gt", "&quot;", "&#0;", "&#x0;", "&#55296;", "&#xD800;",
    "&#1114112;",
    "&#99999999999999999999;", "&#x1F600;", "&notit;", "&notin;", "&copy=", "&copyx",
    "&NotEqualTilde;", "&#128;", "&#13;", "&#x80", "&;", "&#;", "&#x;", "&Amp;",
    "&ngE;",
)  # fmt: skip
_TAGS = (
    "div", "span", "b", "p", "ul", "li", "blockquote", "table", "td", "a href=x",
    "figure",
    "figcaption", "section", "code", "pre", "em", "font", "i", "wf-component", "x-y",
)  # fmt: skip


SMALL, LARGE = 8_000, 200_000
"""Most inputs are cut to what a body has as a rule, every fiftieth is not."""


@cache
def seeds(folder: Path) -> tuple[str, ...]:
    """Return the bodies that mutations start from, fixtures first."""
    paths = sorted(
        (*folder.glob("richtext/**/*.html"), *folder.glob("richtext/**/*.md"))
    )
    read = [path.read_bytes().decode("utf-8", "replace") for path in paths]
    made = [body(Random(number)) for number in range(300)]
    return tuple(text for text in (*read, *made) if text and len(text) < 20_000)


def mutated(pool: tuple[str, ...], seed: str, number: int) -> str:
    """Return input `number` of a seed: always the same for the same pool."""
    random = Random(f"{seed}:{number}")
    text = random.choice(pool)
    for _ in range(1 + int(random.expovariate(0.4))):
        text = random.choice(_CHANGES)(text, random, pool)
    return text[: LARGE if number % 50 == 0 else SMALL]


def _edited(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    at = random.randint(0, len(text))
    cut = random.choice((0, 0, 1, 1, 2, 5))
    put = random.choice(("", "", random.choice(_PIECES), chr(random.randint(0, 0x2FF))))
    return text[:at] + put + text[at + cut :]


def _flipped(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    """Change a byte, and read what has become of it."""
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    if not raw:
        return text
    raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
    how = random.choice(("replace", "surrogateescape", "ignore"))
    return raw.decode("utf-8", how)


def _spliced(text: str, random: Random, pool: tuple[str, ...]) -> str:
    other = random.choice(pool)
    part = other[_boundary(other, random) :]
    part = part[: _boundary(part, random)]
    at = _boundary(text, random)
    return text[:at] + part + text[at:]


def _boundary(text: str, random: Random) -> int:
    places = [found.start() for found in re.finditer("[<>]", text)]
    return random.choice(places) if places else random.randint(0, len(text))


def _cut(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    at = random.randint(0, len(text))
    return text[:at] if random.random() < 0.7 else text[at:]


def _nested(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    times = random.choice((2, 3, 5, 10, 20, 100, 300, 3000))
    tags = [random.choice(_TAGS) for _ in range(random.choice((1, 1, 2, 4)))]
    opening = "".join(f"<{tags[each % len(tags)]}>" for each in range(times))
    if random.random() < 0.5:
        ends = (tags[each % len(tags)].split()[0] for each in reversed(range(times)))
        return opening + text + "".join(f"</{end}>" for end in ends)
    at = random.randint(0, len(text))
    return text[:at] + opening + text[at:]


def _repeated(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    start = _boundary(text, random)
    part = text[start : start + random.randint(1, 200)]
    times = random.choice((2, 3, 10, 10, 50, 300))
    return text[:start] + part * times + text[start:]


def _with_pieces(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    for _ in range(random.randint(1, 12)):
        at = random.randint(0, len(text))
        text = text[:at] + random.choice(_PIECES) + text[at:]
    return text


def _with_entities(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    soup = "".join(
        random.choice(_ENTITIES) for _ in range(random.choice((1, 3, 20, 100)))
    )
    at = random.randint(0, len(text))
    return text[:at] + soup + text[at:]


def _with_attributes(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    at = text.find(">", random.randint(0, len(text)))
    if at < 0:
        return text
    size = random.choice((1, 5, 10, 100, 1000, 20_000))
    long = (
        random.choice(("x", "&amp;", "a b ", "color:red;", "<", "'", "\\", "/")) * size
    )
    many = "".join(f" a{each}=b" for each in range(size // 20))
    name = random.choice(("class", "style", "href", "id", "alt", "title", "src", "y"))
    quote = random.choice(('"', "'", ""))
    made = random.choice((f" {name}={quote}{long}{quote}", many, f" {long}"))
    return text[:at] + made + text[at:]


def _swapped(text: str, random: Random, _pool: tuple[str, ...]) -> str:
    a, b, c = sorted(_boundary(text, random) for _ in range(3))
    return text[:a] + text[b:c] + text[a:b] + text[c:]


_CHANGES = (
    *(_edited, _edited, _edited, _flipped, _spliced, _spliced, _cut, _with_pieces),
    *(_with_pieces, _swapped, _swapped, _repeated, _nested, _with_entities),
    _with_attributes,
)
