"""A site in two languages whose items hold every pair of a filled, unset or empty value
in the one and in the other, for each kind of field.

Some items lack the second language, have it archived, as a draft or changed since it
went live; some lack the first. Topics that items refer to are archived in some of these
ways too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from tests.support.sites.identity import asset, file_id, option_id, ref, refs
from tests.support.sites.markup import image, linked, paragraphs
from tests.support.sites.records import Column, Entry, State, Table, into, site_record
from tests.support.sites.writer import Content, write_content
from tests.support.steps.every_kind import VALUES
from tests.support.tiny_site import picture

THINGS = Table(
    "things",
    "Things",
    "Thing",
    (
        *VALUES,
        Column("Reference", "topic", "Topic", False, into("topics")),
        Column("MultiReference", "topics", "Topics", False, into("topics")),
    ),
    nulls=True,
)
TOPICS = Table(
    "topics",
    "Topics",
    "Topic",
    (Column("PlainText", "line", "Line", False, {"singleLine": True}),),
    nulls=False,
)
ITEMS = 300
"""Of the whole site; each counts once, whatever languages it has."""
_TOPICS = 40
_FILES = ("one.png", "two.png", "one.pdf", "two.pdf")
_PAIRS = tuple(
    product(("filled", "unset", "empty"), ("same", "other", "unset", "empty"))
)
"""What a field holds in the first language, and in the second."""
_EMPTY: JsonObject = {
    "text": "<p></p>",
    "views": [],
    "topics": [],
    "film": {"url": ""},
    "open": False,
}
"""How a field is empty that is not null; others hold an empty text."""


def write_two_languages(folder: Path, items: int = ITEMS) -> None:
    """Write the site."""
    topics = min(_TOPICS, items // 4)
    collections = (
        (THINGS, tuple(_thing(n, topics) for n in range(items - topics))),
        (TOPICS, tuple(_topic(n) for n in range(topics))),
    )
    files = {file_id(name): picture(number) for number, name in enumerate(_FILES, 1)}
    write_content(folder, Content(site_record(), collections, files))


@dataclass(frozen=True)
class _Filled:
    """The values of an item in one language, where its fields are filled."""

    number: int
    topics: int
    tongue: str
    """`en` or `fr`."""

    def values(self) -> JsonObject:
        onward = self.number + (self.tongue == "fr")
        name = "one" if self.tongue == "en" else "two"
        text = f"Text{self.number}{self.tongue}."
        return {
            "text": paragraphs(text, *self._links(onward)) + image(f"{name}.png"),
            "line": f"Line {self.number} {self.tongue}",
            "lines": f"Two {self.number}\nlines {self.tongue}",
            "picture": asset(f"{name}.png", self.tongue),
            "views": [asset(f"{name}.png", self.tongue)],
            "paper": asset(f"{name}.pdf"),
            "film": {"url": f"https://vimeo.com/90010020{len(name)}", "metadata": None},
            "website": self._website(onward),
            "email": f"{name}@example.org",
            "phone": f"+44 20 7946 000{self.number % 10}",
            "size": 2.5 if self.tongue == "en" else 0,
            "day": f"2024-05-0{1 + onward % 9}T00:00:00.000Z",
            "open": self.tongue == "en" or self.number % 7 < 4,
            "colour": "#336699" if self.tongue == "en" else "#996633",
            "mood": option_id("things", "mood", "a" if self.tongue == "en" else "b"),
            "topic": ref("topics", str(onward % self.topics)),
            "topics": refs(
                "topics",
                str((onward + 3) % self.topics),
                str((onward + 9) % self.topics),
            ),
        }

    def _links(self, onward: int) -> Iterator[str]:
        """Yield links to a topic, by its address in each language and whole."""
        topic = onward % self.topics
        yield linked(f"/topics/topic-{topic}", f"first{self.tongue}")
        yield linked(f"/fr/topics/sujet-{topic}", f"second{self.tongue}")
        yield linked("https://example.org/away", f"away{self.tongue}")

    def _website(self, onward: int) -> str:
        topic = onward % self.topics
        if self.number % 3 == 0:
            return f"https://example.org/{self.tongue}"
        return (
            f"/fr/topics/sujet-{topic}"
            if self.number % 3 == 1
            else (f"/topics/topic-{topic}")
        )


def _thing(number: int, topics: int) -> Entry:
    english = _Filled(number, topics, "en").values()
    french = _Filled(number, topics, "fr").values()
    own: JsonObject = {"name": f"Thing {number}", "slug": f"thing-{number}"}
    other: JsonObject = {"name": f"Chose {number}", "slug": f"chose-{number}"}
    for at, field in enumerate(english):
        first, second = _PAIRS[(number * 5 + at) % len(_PAIRS)]
        own[field] = _value(first, field, english)
        other[field] = own[field] if second == "same" else _value(second, field, french)
    state, french_state = _states(number)
    return Entry(
        str(number),
        None if number % 30 == 29 else own,
        state,
        None if number % 10 == 6 else other,
        french_state,
        earlier=_earlier(state, "en"),
        french_earlier=_earlier(french_state, "fr"),
    )


def _value(kind: str, field: str, filled: JsonObject) -> Json:
    if kind in ("filled", "other"):
        return filled[field]
    return None if kind == "unset" else _EMPTY.get(field, "")


def _states(number: int) -> tuple[State, State]:
    """Return the state of an item in each language."""
    french = {
        7: State.ARCHIVED,
        8: State.DRAFT,
        9: State.CHANGED,
    }.get(number % 10, State.PUBLISHED)
    english = {11: State.CHANGED, 12: State.DRAFT}.get(number % 25, State.PUBLISHED)
    return english, french


def _earlier(state: State, tongue: str) -> JsonObject:
    """Return what is live of an item that was changed since."""
    if state is not State.CHANGED:
        return {}
    return {"line": f"Earlier {tongue}", "open": True, "picture": None}


def _topic(number: int) -> Entry:
    """Return a topic; some are archived in one language or in both, some have one."""
    own: JsonObject = {
        "name": f"Topic {number}",
        "slug": f"topic-{number}",
        "line": f"About {number}",
    }
    other: JsonObject = {
        "name": f"Sujet {number}",
        "slug": f"sujet-{number}",
        "line": f"Sur {number}",
    }
    kind = number % 8
    return Entry(
        str(number),
        own,
        State.ARCHIVED if kind in (1, 2) else State.PUBLISHED,
        None if kind == 5 else other,
        State.ARCHIVED if kind in (2, 3) else State.PUBLISHED,
    )
