"""The same site leaves the same content, however it is served and worked through.

The order of items, collections, locales and keys, the size of pages, how many
requests are open at once, the order in which answers come, interruptions, and the
hashes of the process: none of them is in what a migration leaves. `make soak
KIND=determinism` draws more sites and ways.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.support.same_content.runs import (
    Left,
    Plainly,
    all_ended,
    another_process,
    assert_same,
    migrated,
)
from tests.support.same_content.sites import Orders, Site, full_site, sites
from tests.support.same_content.ways import (
    CANCEL,
    LAST,
    REFUSED,
    STOP,
    Arrangement,
    Break,
    arrangements,
)

WAYS = {
    "items": Arrangement(orders=Orders(items=3)),
    "lists": Arrangement(orders=Orders(collections=2, locales=2, keys=2)),
    "pages": Arrangement(origin_page=2, listing_page=3, batch=3),
    "one-by-one": Arrangement(reading=1, in_flight=1, batch=1),
    "answers": Arrangement(delays=1),
    "breaks": Arrangement(
        origin_page=2,
        listing_page=2,
        in_flight=3,
        breaks=(
            Break("pull", CANCEL, 7),
            Break("pull", REFUSED, 9),
            Break("decide", LAST, 1),
            Break("import", LAST, 5),
            Break("import", CANCEL, 7),
            Break("import", LAST, 9),
            Break("import", LAST, 2),
            Break("import", STOP, 7),
            Break("import", REFUSED, 6),
            Break("import", LAST, 6),
            Break("import", CANCEL, 3),
        ),
    ),
}


@pytest.fixture(scope="session", autouse=True)
def servers_ended() -> Iterator[None]:
    """Wait for the servers that stop in the background."""
    yield
    all_ended()


@pytest.fixture(scope="session")
def plainly() -> Iterator[Plainly]:
    """Return what migrates a site in the plain way, elsewhere."""
    with another_process() as plainly:
        yield plainly


@pytest.fixture(scope="session")
def plain(plainly: Plainly) -> Left:
    """Return what the site with something of everything leaves in the plain way."""
    return plainly(full_site()).result()


@pytest.mark.parametrize("name", WAYS)
def test_a_way_changes_nothing_of_what_is_left(name: str, plain: Left) -> None:
    """One thing at a time, on a site that has something of everything."""
    way = WAYS[name]
    left = migrated(full_site(), way)
    assert left.broken == len(way.breaks)
    assert_same(plain, left, way)


@settings(
    max_examples=3,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(site=sites(), way=arrangements())
def test_drawn_ways_change_nothing_of_drawn_sites(
    plainly: Plainly, site: Site, way: Arrangement
) -> None:
    """All ways at once, on generated sites."""
    plain = plainly(site)
    left = migrated(site, way)
    assert_same(plain.result(), left, way)
