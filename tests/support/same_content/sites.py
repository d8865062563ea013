"""Small sites, drawn, of everything whose order could leak into the content.

Slugs that clash once they are cleaned, within a folder and across locales, names
and moments that are equal, files of the same bytes under several names and ids,
references in circles, into nothing and twice into the same, bodies with pictures,
links and raw HTML, and collections and locales that want the same folder.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from hypothesis import strategies as st

DANGLING = 9
"""An item number that no item has: references by it lead nowhere."""

# (folder in addresses, tag): the last three want one folder at the destination.
LOCALES = (("", "en"), ("fr", "fr-FR"), ("pt", "pt-PT"), ("PT", "pt-BR"), ("Pt", "p"))
# (slug, singular name): folders clash, component names do, one is a locale's folder.
COLLECTIONS = (
    ("notes", "Note"),
    ("spots", "Note"),
    ("Notes", "Spot"),
    ("fr", "Page"),
    ("a b", ""),
)
_SLUGS = ("one", "One", "one-2", "öne", "", "..", "spots", "fr", "two words", "x" * 260)
_NAMES = ("One", "", "Zwölf “Ü”", "日本 \u202e", "One\n", "<b>&amp;</b>")
CREATED = ("2022-01-10T07:30:00.000Z", "2022-01-10T07:30:00Z", "2021-05-01")
# (name, which bytes it holds): three contents under seven names; `None` is gone.
FILES: tuple[tuple[str, int | None], ...] = (
    ("a.png", 0),
    ("b.png", 0),
    ("c ä.jpg", 0),
    ("a.png", 1),
    ("d.PNG", 1),
    ("paper.pdf", 2),
    ("lost.png", None),
)
BYTES = ("first.png", "second.png", "third.pdf")
ALTS = (None, "", "One", "Zwei & drei", "__wf_reserved_inherit")
TEXTS = ("Text.", "é & <i>schräg</i> 日本", "<strong>One</strong>", "")
_STATES = ("published", "draft", "archived", "changed", "live_only")


class Shown:
    """Shows a record by what is not as always, so that examples can be read."""

    def __repr__(self) -> str:
        shown = [
            f"{one.name}={value!r}"
            for one in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, one.name)) != one.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, repr=False)
class Variant(Shown):
    """One item in one locale."""

    name: str = "One"
    slug: str = "one"
    state: str = "published"
    body: tuple[tuple[str, int, int], ...] = ()
    """(kind of part, which, another number), in order."""
    picture: tuple[int, int] | None = None
    """(file, alt text)."""
    plates: tuple[tuple[int, int], ...] = ()
    one: int | None = None
    many: tuple[int, ...] = ()
    """Numbers of items, as the field has them: their order is content."""
    order: int | None = None
    mood: int | None = None
    link: tuple[int, int] | None = None
    stray: bool = False
    """Whether it holds a value that the schema does not list."""


@dataclass(frozen=True)
class Entry:
    """One item: its collection, when it was made, and its variants by locale."""

    collection: int
    created: str
    variants: tuple[tuple[int, Variant], ...]


@dataclass(frozen=True, repr=False)
class Choices(Shown):
    """What people decide other than is proposed."""

    items: str = "staged"
    publish: bool = False
    split: bool = False
    """Whether bodies become blocks, by every rule."""


AS_PROPOSED = Choices()


@dataclass(frozen=True)
class Site:
    """Everything that is at the origin, and what is decided."""

    locales: tuple[int, ...] = (1,)
    """The secondary ones."""
    collections: tuple[int, ...] = (0, 1)
    entries: tuple[Entry, ...] = ()
    choices: Choices = AS_PROPOSED


@dataclass(frozen=True, repr=False)
class Orders(Shown):
    """The order in which the origin holds things: 0 is the plain one, every other
    number another shuffle."""

    items: int = 0
    collections: int = 0
    locales: int = 0
    keys: int = 0

    @property
    def is_plain(self) -> bool:
        """Return whether the origin's own bytes are those of the plain order."""
        return self == PLAIN_ORDERS


PLAIN_ORDERS = Orders()


def full_site() -> Site:
    """Return a site that has something of everything."""
    return Site(
        locales=(3, 4),
        collections=(0, 1, 2),
        entries=tuple(_full_entry(number) for number in range(8)),
        choices=Choices(publish=True, split=True),
    )


def _full_entry(number: int) -> Entry:
    locales = ((0, 3), (0,), (3, 4), (0, 4))[number % 4]
    variants = tuple(
        (
            locale,
            Variant(
                name=_NAMES[number % 3],
                slug=_SLUGS[(number // 3 + locale) % 4],
                state=("published", "changed", "published", "draft")[number % 4],
                body=(
                    ("picture", number, locale),
                    ("link", number + 3, locale),
                    ("head", 0, 0),
                    ("embed", number + 1, 0),
                    ("text", 0, number),
                ),
                picture=(number % len(FILES), (number + locale) % len(ALTS)),
                plates=((6 - number % 7, 2), (number // 2, 3)),
                one=(number + 1) % 9,
                many=((number + 3) % 8, DANGLING, number, (number + 3) % 8),
                order=number % 2,
                mood=number % 4,
                link=(number + 1, locale),
                stray=number == 5,
            ),
        )
        for locale in locales
    )
    return Entry(number % 3, CREATED[number % 2], variants)


def sites(most_items: int = 10) -> st.SearchStrategy[Site]:
    """Return sites of 2 or 3 locales, 2 or 3 collections and up to 10 items."""
    shapes = st.tuples(
        st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True),
        st.lists(st.integers(0, 4), min_size=2, max_size=3, unique=True),
    )
    return shapes.flatmap(lambda shape: _sites(*shape, most_items))


def orders() -> st.SearchStrategy[Orders]:
    """Return orders; most leave something as it was."""
    number = st.just(0) | st.integers(1, 40)
    return st.builds(
        Orders, items=number, collections=number, locales=number, keys=number
    )


def _sites(
    locales: list[int], collections: list[int], most_items: int
) -> st.SearchStrategy[Site]:
    entries = st.builds(
        Entry,
        collection=st.integers(0, len(collections) - 1),
        created=st.sampled_from(CREATED),
        variants=_variants([0, *locales]),
    )
    return st.builds(
        Site,
        locales=st.just(tuple(locales)),
        collections=st.just(tuple(collections)),
        entries=st.lists(entries, min_size=6, max_size=most_items).map(tuple),
        choices=st.builds(
            Choices,
            items=st.sampled_from(("staged", "live", "staged_published_only")),
            publish=st.booleans(),
            split=st.booleans(),
        ),
    )


def _variants(locales: list[int]) -> st.SearchStrategy[tuple]:
    return (
        st.lists(st.sampled_from(locales), min_size=1, unique=True)
        .map(sorted)
        .flatmap(
            lambda chosen: st.tuples(
                *(st.tuples(st.just(one), _VARIANT) for one in chosen)
            )
        )
    )


_ITEM = st.integers(0, DANGLING)
_FILE = st.tuples(st.integers(0, len(FILES) - 1), st.integers(0, len(ALTS) - 1))
_PART = st.tuples(
    st.sampled_from(("text", "head", "picture", "link", "embed", "quote")),
    st.integers(0, DANGLING),
    st.integers(0, 4),
)
_VARIANT = st.builds(
    Variant,
    name=st.sampled_from(_NAMES),
    slug=st.sampled_from(_SLUGS),
    state=st.sampled_from(("published", *_STATES)),
    body=st.lists(_PART, max_size=4).map(tuple),
    picture=st.none() | _FILE,
    plates=st.lists(_FILE, max_size=3).map(tuple),
    one=st.none() | _ITEM,
    many=st.lists(_ITEM, max_size=4).map(tuple),
    order=st.none() | st.integers(0, 2),
    mood=st.none() | st.integers(0, 3),
    link=st.none() | st.tuples(_ITEM, st.integers(0, 4)),
    stray=st.booleans(),
)
