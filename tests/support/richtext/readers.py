"""What readers see of a body, and what of it a page made from it does not show.

Independent of the converter: HTML is read by another parser, and a page is compared
with its source by what is on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from lxml import etree

from cmsmig.data_address import short_address
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.render_story import render_value

_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\ufffd\x00"))
Text: TypeAlias = str | bytes
"""What the parser hands over, typed as its stubs have it; it is never bytes."""
_INLINE: Final = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em"),
        *("font", "i", "img", "ins", "kbd", "label", "mark", "q", "s", "samp", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
        *("acronym", "data", "nobr", "slot"),
    )
)
_OF_RUBY: Final = frozenset(("rb", "rp", "rt", "rtc", "ruby"))
_SILENT: Final = frozenset(
    ("head", "iframe", "noscript", "script", "style", "template", "title")
)
_UNBROKEN: Final = _INLINE | _OF_RUBY | _SILENT - {"iframe"}
"""Elements that part no words."""
_RESERVED: Final = ("__wf_reserved_inherit", "__wf_reserved_decorative")
"""Alternative texts that are none. Source: origin, rich text."""
_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_PARTS = re.compile(r"[\s<>\"'=]+")
"""Part the words of HTML, those in its tags too."""
_SHOWN = 3
_LONGEST = 60


@dataclass(slots=True)
class Account:
    """What a reader sees, each kind in the order of the page."""

    html: str = ""
    words: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    """By address, all texts that lead there, without blanks."""
    pictures: list[tuple[str, str]] = field(default_factory=list)
    """Address and alternative text."""
    headings: list[tuple[int, str]] = field(default_factory=list)
    """Level and text, without blanks."""


def unseen(html: str, converted: Converted) -> list[str]:
    """Return what readers of a body see and readers of the rendered story do not."""
    after = account_of(render_value(converted.document))
    return unaccounted(account_of(html), after, converted.losses)


def account_of(html: str) -> Account:
    """Return what a reader of HTML sees."""
    reader = _Reader(html)
    parser = etree.HTMLParser(target=reader, huge_tree=True, encoding="utf-8")
    with suppress(etree.LxmlError):
        # Of what is nested too deeply, the beginning is read.
        parser.feed(html.encode("utf-8", "replace"))
        parser.close()
    return reader.account


def unaccounted(before: Account, after: Account, losses: Iterable[Loss]) -> list[str]:
    """Return what a page does not show as its source does, a phrase each; what a loss
    names is none of it, nor what a browser leaves out of broken HTML."""
    lost = _Lost.of(losses)
    return [
        *_texts(before, after, lost),
        *_links(before, after, lost),
        *_pictures(before, after, lost),
        *_headings(before, after, lost),
    ]


def _texts(before: Account, after: Account, lost: _Lost) -> Iterator[str]:
    if before.words == after.words:
        return
    there, here = Counter(before.words), Counter(after.words)
    yield from _listed("missing text", there - here - lost.words)
    more = Counter(filter(None, _PARTS.split(" ".join((here - there).elements()))))
    yield from _listed("added text", more - Counter(_PARTS.split(before.html)))
    if there == here:
        pairs = zip(before.words, after.words, strict=True)
        moved = [one for one, other in pairs if one != other]
        yield from _listed("text in another order", moved)


def _links(before: Account, after: Account, lost: _Lost) -> Iterator[str]:
    for address, text in before.links.items():
        led = after.links.get(address)
        is_named = address in lost.named
        if led != text and not is_named and not lost.explains(text, led):
            yield f"link to {address}: {_cut(text) or 'without text'}"
    for address in after.links.keys() - before.links.keys():
        if address not in before.html:
            yield f"added link to {address}"


def _pictures(before: Account, after: Account, lost: _Lost) -> Iterator[str]:
    shown = Counter(address for address, _ in after.pictures)
    for address in Counter(address for address, _ in before.pictures) - shown:
        if address not in lost.named:
            yield f"picture {address}"
    there = Counter(each for each in before.pictures if each[1] and shown[each[0]])
    for address, alt in there - Counter(after.pictures):
        if alt not in lost.named:
            yield f"alternative text of {address}: {_cut(alt)}"


def _headings(before: Account, after: Account, lost: _Lost) -> Iterator[str]:
    if _by_level(before.headings) == _by_level(after.headings):
        # A line across a heading makes two of it.
        return
    for level, text in Counter(before.headings) - Counter(after.headings):
        if f"<h{level}>" not in lost.named and text not in lost.texts:
            yield f"heading {level}: {_cut(text)}"


def _by_level(headings: Sequence[tuple[int, str]]) -> dict[int, str]:
    return {
        level: "".join(text for each, text in headings if each == level)
        for level, _ in headings
    }


@dataclass(frozen=True, slots=True)
class _Lost:
    """What losses name."""

    words: Counter[str]
    named: frozenset[str]
    texts: str
    """All of it, without blanks."""

    @classmethod
    def of(cls, losses: Iterable[Loss]) -> _Lost:
        words = Counter[str]()
        named: set[str] = set()
        for loss in losses:
            named.update((loss.what, loss.what.strip()))
            is_markup = loss.what.startswith("<")
            shown = (
                account_of(loss.what) if is_markup else Account(words=_words(loss.what))
            )
            words.update(shown.words)
            named.update(address for address, _ in shown.pictures)
            named.update(shown.links)
        return cls(words, frozenset(named), "".join(map(_bare, sorted(named))))

    def explains(self, before: str, after: str | None) -> bool:
        """Return whether losses name all of a link's text that does not lead there."""
        gone = Counter(before) - Counter(after) - Counter(self.texts)
        return after is not None and not gone


class _Reader:
    """Notes what is seen, tag by tag: it needs no tree."""

    def __init__(self, html: str) -> None:
        self.account = Account(html)
        self._line: list[str] = []
        self._silent = 0
        self._address = ""
        self._level = 0
        self._quoted = 0
        self._rubies = 0
        self._ruby_part = ""
        self._address_around = ""
        self._bracketed = False
        """Whether a `rp` says the brackets around readings."""

    def start(self, tag: Text, attrib: Mapping[Text, Text]) -> None:
        """Note a link, a picture or a heading."""
        given = {str(name): str(value) for name, value in attrib.items()}
        self._part(tag)
        self._silent += tag in _SILENT
        if self._silent:
            return
        if tag == "a":
            self._address = _address(given.get("href", ""))
            if self._address:
                self.account.links.setdefault(self._address, "")
        elif tag == "img":
            self._picture(given)
        elif tag == "q":
            self.data("‘" if self._quoted else "“")
            self._quoted += 1
        elif tag in _OF_RUBY:
            self._rubies += tag == "ruby"
            self._bracketed &= tag != "ruby"
            self._end_reading(str(tag))
        elif tag in _LEVELS:
            self._level = _LEVELS[str(tag)]
            self.account.headings.append((self._level, ""))

    def end(self, tag: Text) -> None:
        """End what a tag began."""
        self._part(tag)
        self._silent -= tag in _SILENT
        if tag == "q" and not self._silent:
            self._quoted -= 1
            self.data("’" if self._quoted else "”")
        elif tag in _OF_RUBY:
            self._rubies -= tag == "ruby"
            self._end_reading()
        elif tag == "a":
            self._address = ""
        elif tag in _LEVELS:
            self._level = 0

    def data(self, data: Text) -> None:
        """Note a text."""
        if self._silent:
            return
        text = str(data).translate(_UNSEEN)
        if text.strip():
            self._begin_reading()
        self._line.append(text)
        if self._address:
            self.account.links[self._address] += _bare(text)
        if self._level:
            level, before = self.account.headings[-1]
            self.account.headings[-1] = level, before + _bare(text)

    def _begin_reading(self) -> None:
        """Open the bracket before what a page shows above the letters."""
        if self._ruby_part == "rp":
            self._bracketed = True
        elif self._ruby_part == "rt" and self._rubies and not self._bracketed:
            self._ruby_part = "bracket"
            inside, self._address = self._address, self._address_around
            self.data("(")
            self._address = inside

    def _end_reading(self, next_part: str = "") -> None:
        if self._ruby_part == "bracket":
            self._ruby_part = ""
            self.data(")")
        self._ruby_part, self._address_around = next_part, self._address

    def comment(self, text: Text) -> None:
        """Pass over a comment, which is not shown."""

    def close(self) -> None:
        """End the page."""
        self.end_line()

    def _part(self, tag: Text) -> None:
        if tag not in _UNBROKEN and "-" not in tag:
            # A hyphen makes a custom element, which is inline.
            self.end_line()

    def end_line(self) -> None:
        """Part the words before from those after."""
        self.account.words += "".join(self._line).split()
        self._line.clear()

    def _picture(self, given: Mapping[str, str]) -> None:
        address = _address(given.get("src") or given.get("data-src", ""))
        if address:
            alt = " ".join(given.get("alt", "").split())
            alt = "" if alt in _RESERVED else alt
            self.account.pictures.append((address, alt))


def _address(text: str) -> str:
    bare = short_address(text.strip())
    return bare[7:] if bare[:7].lower() == "mailto:" else bare


def _words(text: str) -> list[str]:
    return text.translate(_UNSEEN).split()


def _bare(text: str) -> str:
    return "".join(_words(text))


def _listed(what: str, words: Iterable[str]) -> Iterator[str]:
    """Yield one phrase for words, if there are any."""
    listed = [*words]
    if listed:
        more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        yield f"{what}: {' '.join(map(_cut, listed[:_SHOWN]))}{more}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
