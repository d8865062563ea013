"""A failing case is made as small as it can be."""

from __future__ import annotations

from tests.support.same_content.sites import (
    DANGLING,
    Entry,
    Orders,
    Site,
    Variant,
    full_site,
)
from tests.support.same_content.smaller import smallest
from tests.support.same_content.ways import CANCEL, STOP, Arrangement, Break


def test_what_is_left_is_what_it_takes() -> None:
    """Of everything, an order of items, a stop and two values of two items."""
    stop = Break("import", STOP, 3)

    def fails(site: Site, way: Arrangement) -> bool:
        variants = [one for entry in site.entries for _, one in entry.variants]
        return (
            way.orders.items != 0
            and stop in way.breaks
            and any(one.stray for one in variants)
            and any(not one.name and DANGLING in one.many for one in variants)
        )

    way = Arrangement(
        orders=Orders(items=3, locales=2),
        origin_page=2,
        delays=1,
        breaks=(Break("pull", CANCEL, 1), stop),
    )
    site, left = smallest(full_site(), way, fails)
    assert left == Arrangement(orders=Orders(items=3), breaks=(stop,))
    values = [one for entry in site.entries for _, one in entry.variants]
    assert sorted(map(repr, values)) == [
        "Variant(name='', many=(9,))",
        "Variant(stray=True)",
    ]


def test_the_last_item_stays() -> None:
    """A case that always fails keeps an item with nothing in it."""
    site, way = smallest(full_site(), Arrangement(delays=2), lambda site, way: True)
    assert way == Arrangement()
    assert [type(entry) for entry in site.entries] == [Entry]
    assert [one for _, one in site.entries[0].variants] == [Variant()]
