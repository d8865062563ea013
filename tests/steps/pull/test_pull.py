"""A pull, seen in its requests and in the folder that it leaves."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.errors import (
    CacheError,
    CredentialsError,
    SettingsError,
    UnreachableError,
)
from cmsmig.events import Event, Noticed
from cmsmig.origin.cache import RawCache
from cmsmig.steps.pull.pull import PullReport, pull
from tests.support.steps.pull_origin import (
    FakeOrigin,
    item,
    no_files,
    project,
    session,
    settings,
    tree,
)


class KilledError(BaseException):
    """Simulates the end of the process."""


async def run_killed(
    folder: Path,
    origin: FakeOrigin,
    when: Callable[[httpx.Request], bool],
    **more: Any,
) -> None:
    """Pull until a request at which the process ends."""

    def kill(request: httpx.Request) -> None:
        if when(request):
            raise KilledError

    origin.before = kill
    with pytest.raises(KilledError):
        await run(folder, origin, **more)
    origin.before = lambda request: None


def is_third_page(request: httpx.Request) -> bool:
    return request.url.params.get("offset") == "200"


async def run(
    folder: Path, origin: FakeOrigin, *, files: Any = no_files, **more: Any
) -> PullReport:
    configured = more.pop("settings", None) or settings(folder)
    async with session(origin) as api, session(files, "files") as downloads:
        return await pull(
            configured, project(folder), origin=api, files=downloads, **more
        )


def read_items(folder: Path, collection: str, *, live: bool = False) -> list[str]:
    cache = RawCache(project(folder).raw)
    return [entry.key.item_id for entry in cache.items(collection, live=live)]


async def test_both_sets_of_every_collection_land_in_the_content_folder(
    tmp_path: Path,
) -> None:
    """Site, list, schemas, staged and live sets are all there, and counted."""
    drafts = item(3) | {"isDraft": True}
    archived = item(4) | {"isArchived": True}
    origin = FakeOrigin(
        staged={"posts": [item(1), item(2), drafts, archived], "tags": []},
        live={"posts": [item(1)], "tags": []},
    )
    report = await run(tmp_path, origin)
    raw = project(tmp_path).raw
    assert json.loads((raw / "items/posts.json").read_text())["items"][0] == item(1)
    assert json.loads((raw / "live/posts.json").read_text()) == {"items": [item(1)]}
    assert json.loads((raw / "items/tags.json").read_text()) == {"items": []}
    row = report.collections[0]
    assert (row.staged, row.live, row.drafts, row.archived) == (4, 1, 1, 1)
    assert RawCache(raw).complete()
    lines = (raw / "items/posts.json").read_bytes().splitlines()
    assert lines[0] == b'{"items": ['
    assert lines[-1] == b"]}"
    assert len(lines) == 6


TAGS = "/v2/collections/tags"
FORBIDDEN = {"code": "missing_scopes", "message": "missing ecommerce:read"}
OLD_FORBIDDEN = {"code": 403, "msg": "Forbidden", "err": "missing ecommerce:read"}
UNPUBLISHED = {"code": "collection_not_found", "message": "Collection not found: null"}


def unread(report: PullReport) -> dict[str, str]:
    """Return why collections were not read, by id."""
    return {each.collection_id: each.unread for each in report.unread}


def refusing(origin: FakeOrigin, path: str, answer: httpx.Response) -> None:
    """Let every request of a path, or of one that is below it, be answered so."""
    origin.before = lambda request: (
        answer if f"{request.url.path}/".startswith(f"{path}/") else None
    )


def published(number: int) -> dict[str, Any]:
    return item(number) | {"lastPublished": "2024-02-01T00:00:00.000Z"}


@pytest.mark.parametrize(
    ("path", "status", "body", "said"),
    [
        (TAGS, 403, FORBIDDEN, "give the token what this needs: ecommerce:read."),
        (f"{TAGS}/items", 403, FORBIDDEN, "missing ecommerce:read"),
        (TAGS, 403, OLD_FORBIDDEN, "give the token what this needs: ecommerce:read."),
        (f"{TAGS}/items/live", 404, UNPUBLISHED, "Collection not found: null"),
        (TAGS, 404, UNPUBLISHED, "Collection not found: null"),
        (f"{TAGS}/items", 400, {"message": "no such field"}, "no such field"),
        (f"{TAGS}/items/live", 500, {"message": "oops"}, "it answered 500"),
        (TAGS, 409, {"message": "busy"}, "busy"),
    ],
)
async def test_a_collection_that_cannot_be_read_is_named(
    tmp_path: Path, path: str, status: int, body: dict[str, str], said: str
) -> None:
    """The others are read; each pull tries it again, until it is left out."""
    origin = FakeOrigin(
        staged={"posts": [item(1)], "tags": [published(2)]},
        live={"tags": [published(2)]},
        fields=[{"id": "n", "slug": "name", "type": "PlainText", "displayName": "N"}],
    )
    answers = origin.before
    refusing(origin, path, httpx.Response(status, json=body))
    report = await run(tmp_path, origin)
    assert read_items(tmp_path, "posts") == ["i0001"]
    assert said in unread(report)["tags"]
    assert "cms:read" not in unread(report)["tags"]
    assert "--refresh" not in unread(report)["tags"]
    cache = RawCache(project(tmp_path).raw)
    cache.require_complete()
    assert (cache.collection("tags").fields, read_items(tmp_path, "tags")) == ((), [])
    assert list(unread(await run(tmp_path, origin))) == ["tags"]
    origin.requests.clear()
    report = await run(tmp_path, origin, not_migrated=frozenset({"tags"}))
    assert (unread(report), origin.requests) == ({}, [])
    assert [each.collection_id for each in report.not_migrated] == ["tags"]
    origin.before = answers
    assert unread(await run(tmp_path, origin)) == {}
    assert read_items(tmp_path, "tags") == ["i0002"]
    # What was read once is kept when it cannot be read any more.
    refusing(origin, path, httpx.Response(status, json=body))
    report = await run(tmp_path, origin, refresh=True)
    assert list(unread(report)) == ["tags"]
    assert read_items(tmp_path, "tags", live=True) == ["i0002"]
    assert cache.collection("tags").fields
    origin.before = answers
    origin.staged["tags"].append(item(3))
    assert unread(await run(tmp_path, origin)) == {}
    assert read_items(tmp_path, "tags") == ["i0002", "i0003"]
    assert not list((project(tmp_path).raw / ".pages").glob("before/*"))


async def test_a_collection_that_was_never_published_has_no_live_items(
    tmp_path: Path,
) -> None:
    """The origin says that it is not found; nothing of it was ever published."""
    origin = FakeOrigin(staged={"posts": [item(1)], "tags": [item(2)]})
    refusing(origin, f"{TAGS}/items/live", httpx.Response(404, json=UNPUBLISHED))
    report = await run(tmp_path, origin)
    assert unread(report) == {}
    assert read_items(tmp_path, "tags") == ["i0002"]
    assert read_items(tmp_path, "tags", live=True) == []


async def test_a_collection_deleted_since_it_was_listed_is_named(
    tmp_path: Path,
) -> None:
    """The list is older than the answer, so that reading it again may help."""
    origin = FakeOrigin(staged={"posts": [item(1)], "tags": [item(2)]})
    with pytest.raises(UnreachableError):
        await run(tmp_path, replaced(origin, TAGS, httpx.ConnectError("gone")))
    refusing(origin, TAGS, httpx.Response(404, json={"code": "resource_not_found"}))
    assert "pull --refresh" in unread(await run(tmp_path, origin))["tags"]


def replaced(origin: FakeOrigin, path: str, error: Exception) -> FakeOrigin:
    """Let requests of a path break."""

    def broken(request: httpx.Request) -> None:
        if request.url.path == path:
            raise error

    origin.before = broken
    return origin


@pytest.mark.parametrize(
    ("status", "error"), [(401, CredentialsError), (429, Exception)]
)
async def test_what_concerns_all_ends_the_pull(
    tmp_path: Path, status: int, error: type[Exception]
) -> None:
    """A refused token and too many requests are about no single collection."""
    origin = FakeOrigin(staged={"posts": [item(1)], "tags": [item(2)]})
    refusing(origin, TAGS, httpx.Response(status, json={"message": "no"}))
    with pytest.raises(error):
        await run(tmp_path, origin)


async def test_a_token_that_reads_no_collection_is_refused(tmp_path: Path) -> None:
    """Where all of them are refused, it is the token's fault, not theirs."""
    origin = FakeOrigin(staged={"posts": [item(1)], "tags": [item(2)]})
    refusing(
        origin, "/v2/collections", httpx.Response(403, json={"message": "cms:read"})
    )
    with pytest.raises(CredentialsError, match="cms:read"):
        await run(tmp_path, origin)


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422, 500, 503])
async def test_pages_are_optional_whatever_they_answer(
    tmp_path: Path, status: int
) -> None:
    """No item needs them."""
    origin = FakeOrigin(staged={"posts": [item(1)]})
    refusing(origin, "/v2/sites/site-1/pages", httpx.Response(status, json={}))
    assert unread(await run(tmp_path, origin)) == {}
    assert read_items(tmp_path, "posts") == ["i0001"]


@pytest.mark.parametrize("status", [401, None])
async def test_pages_do_not_hide_a_refused_token_or_a_lost_network(
    tmp_path: Path, status: int | None
) -> None:
    """Both concern all that follows."""
    origin, path = FakeOrigin(staged={"posts": []}), "/v2/sites/site-1/pages"
    if status is None:
        replaced(origin, path, httpx.ConnectError("gone"))
    else:
        refusing(origin, path, httpx.Response(status, json={}))
    with pytest.raises(CredentialsError if status else UnreachableError):
        await run(tmp_path, origin)


async def test_an_empty_live_set_is_called_unpublished(tmp_path: Path) -> None:
    """A live set of 0 next to staged items is reported in words, and only then."""
    events: list[Event] = []
    origin = FakeOrigin(staged={"posts": [item(1)], "tags": []})
    await run(tmp_path, origin, observer=events.append)
    said = [event for event in events if isinstance(event, Noticed)]
    assert [event.where for event in said] == ["Posts"]
    assert "nothing is published" in said[0].what
    assert "1 staged" in said[0].what


async def test_locale_variants_share_an_id_and_are_all_kept(tmp_path: Path) -> None:
    """All locales of the site are asked for; an id occurs once for each."""
    both = [item(1), item(1, locale="loc-fr"), item(2)]
    origin = FakeOrigin(
        staged={"posts": both}, live={"posts": both}, locales=("loc-en", "loc-fr")
    )
    await run(tmp_path, origin)
    cache = RawCache(project(tmp_path).raw)
    keys = [entry.key.locale_id for entry in cache.items("posts", live=False)]
    assert keys == ["loc-en", "loc-fr", "loc-en"]
    asked = [request.url.params.get("cmsLocaleId") for request in origin.requests]
    assert asked[-2:] == ["loc-en,loc-fr", "loc-en,loc-fr"]


@pytest.mark.parametrize("locales", [(), ("loc-en",)])
async def test_a_site_without_localization_gets_no_locale_parameter(
    tmp_path: Path, locales: tuple[str, ...]
) -> None:
    """Where it lists no locale, or one that is not enabled; a null `cmsLocaleId` is an
    empty locale, and such an item is read as one that names its locale."""
    both = [item(1, locale=None), item(2)]
    origin = FakeOrigin(staged={"posts": both}, locales=locales, is_localized=False)
    await run(tmp_path, origin)
    assert all("cmsLocaleId" not in each.url.params for each in origin.requests)
    keys = [e.key for e in RawCache(project(tmp_path).raw).items("posts", live=False)]
    assert [each.locale_id for each in keys] == ["", "loc-en"]


async def test_an_item_deleted_between_pages_loses_no_other(tmp_path: Path) -> None:
    """A deletion shifts the pages; the set is read again, without the deleted."""
    origin = FakeOrigin(staged={"posts": [item(number) for number in range(250)]})

    def delete_once(request: httpx.Request) -> None:
        if (
            request.url.params.get("offset") == "100"
            and len(origin.staged["posts"]) == 250
        ):
            del origin.staged["posts"][10]

    origin.before = delete_once
    await run(tmp_path, origin)
    found = read_items(tmp_path, "posts")
    assert found == [each["id"] for each in origin.staged["posts"]]
    assert origin.page_requests("posts") == [0, 100, 200, 0, 100, 200]


async def test_a_set_that_never_rests_is_taken_without_loss_or_duplicates(
    tmp_path: Path,
) -> None:
    """Every item that stayed is there once, no deleted one is, and it is said."""
    origin = FakeOrigin(staged={"posts": [item(number) for number in range(330)]})
    dice = random.Random(7)
    born = iter(range(1000, 2000))
    stayed = {each["id"] for each in origin.staged["posts"]}

    def stir(request: httpx.Request) -> None:
        if "offset" in request.url.params and not request.url.path.endswith("live"):
            for _ in range(3):
                gone = origin.staged["posts"].pop(dice.randrange(100))
                stayed.discard(gone["id"])
            origin.staged["posts"].append(item(next(born)))

    origin.before = stir
    events: list[Event] = []
    await run(tmp_path, origin, observer=events.append)
    found = read_items(tmp_path, "posts")
    assert len(found) == len(set(found))
    assert stayed <= set(found)
    assert any("changed each of" in str(event) for event in events)
    assert len(origin.page_requests("posts")) <= 12


async def test_a_killed_pull_continues(tmp_path: Path) -> None:
    """For a kill at every request: no page twice, same folder in the end."""

    def site() -> FakeOrigin:
        return FakeOrigin(
            staged={
                "posts": [item(number) for number in range(230)],
                "tags": [item(number) for number in range(5)],
            },
            live={"posts": [item(number) for number in range(120)], "tags": []},
        )

    whole = site()
    await run(tmp_path / "whole", whole)
    expected = tree(project(tmp_path / "whole").root)
    for killed_at in range(1, len(whole.requests) + 1):
        folder = tmp_path / f"killed-{killed_at}"
        first = site()
        await run_killed(
            folder, first, lambda _, at=killed_at, one=first: len(one.requests) >= at
        )
        second = site()
        await run(folder, second)
        assert tree(project(folder).root) == expected
        answered = killed_at - 1
        # Requests in flight at the kill may be repeated, no others.
        assert len(second.requests) <= len(whole.requests) - answered + 3


async def test_a_complete_pull_asks_for_nothing_again(tmp_path: Path) -> None:
    """Without refresh no request is made; with it all of them are."""
    origin = FakeOrigin(staged={"posts": [item(1)]}, live={"posts": [item(1)]})
    await run(tmp_path, origin)
    count = len(origin.requests)
    await run(tmp_path, origin)
    assert len(origin.requests) == count
    origin.staged = {"notes": [item(9)]}
    await run(tmp_path, origin, refresh=True)
    assert read_items(tmp_path, "notes") == ["i0009"]
    assert not (project(tmp_path).raw / "items/posts.json").exists()


async def test_an_interrupted_refresh_is_not_taken_for_complete(tmp_path: Path) -> None:
    """After a kill in a refresh the old items are not mistaken for the new."""
    origin = FakeOrigin(staged={"posts": [item(1)]}, live={"posts": [item(1)]})
    await run(tmp_path, origin)
    await run_killed(
        tmp_path, origin, lambda asked: asked.url.path.endswith("/items"), refresh=True
    )
    cache = RawCache(project(tmp_path).raw)
    assert not cache.complete()
    with pytest.raises(CacheError, match="not read to its end"):
        list(cache.items("posts", live=False))
    origin.staged["posts"].append(item(2))
    await run(tmp_path, origin)
    assert read_items(tmp_path, "posts") == ["i0001", "i0002"]


async def test_several_sites_need_a_choice(tmp_path: Path) -> None:
    """The sites are listed; an unknown one is refused with the names."""
    origin = FakeOrigin(staged={"posts": []}, site_ids=("site-1", "site-2"))
    with pytest.raises(SettingsError, match=r"SITE-1 \(site-1\), SITE-2 \(site-2\)"):
        await run(tmp_path, origin)
    with pytest.raises(SettingsError, match="does not see the site nope"):
        await run(tmp_path, origin, settings=settings(tmp_path, site_id="nope"))
    chosen = await run(tmp_path, origin, settings=settings(tmp_path, site_id="site-2"))
    assert chosen.site.site_id == "site-2"
    with pytest.raises(SettingsError, match=r"holds the site SITE-2 \(site-2\)"):
        await run(tmp_path, origin, settings=settings(tmp_path, site_id="site-1"))


@pytest.mark.parametrize("hostile", ["../../x", "a/b", ".", "", "x" * 200])
async def test_a_hostile_collection_id_never_becomes_a_path(
    tmp_path: Path, hostile: str
) -> None:
    """An id that is no plain word is refused before anything is written."""
    origin = FakeOrigin(staged={hostile: []})
    with pytest.raises(CacheError):
        await run(tmp_path, origin)
    written = {Path(name).parts[0] for name in tree(tmp_path)}
    assert written <= {"project"}


@pytest.mark.parametrize(("size", "limit"), [(100, {}), (25, {"limit": 25})])
async def test_a_total_that_counts_an_item_once_for_all_locales(
    tmp_path: Path, size: int, limit: dict[str, int]
) -> None:
    """Variants beyond such a total are read too, and nothing is read twice; nor is
    the total an end where the pages of a service are smaller."""
    both = [
        item(number, locale=locale)
        for number in range(size)
        for locale in ("loc-en", "loc-fr")
    ]
    origin = FakeOrigin(staged={"posts": both}, locales=("loc-en", "loc-fr"))

    def count_ids(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/items"):
            return None
        offset = int(request.url.params["offset"])
        paging = {"total": size, "offset": offset, **limit}
        page = both[offset : offset + size]
        return httpx.Response(200, json={"items": page, "pagination": paging})

    origin.before = count_ids
    await run(tmp_path, origin)
    cache = RawCache(project(tmp_path).raw)
    assert len({each.key for each in cache.items("posts", live=False)}) == 2 * size
    assert origin.page_requests("posts") == [0, size, 2 * size]


async def test_pages_of_a_pull_that_stopped_long_ago_are_read_again(
    tmp_path: Path,
) -> None:
    """After a day too much may have moved to go on from the middle."""
    origin = FakeOrigin(staged={"posts": [item(number) for number in range(250)]})
    await run_killed(tmp_path, origin, is_third_page, clock=lambda: 1000.0)
    del origin.staged["posts"][3]
    origin.staged["posts"].append(item(900))
    origin.requests.clear()
    await run(tmp_path, origin, clock=lambda: 90_000.0)
    assert origin.page_requests("posts") == [0, 100, 200]
    found = read_items(tmp_path, "posts")
    assert found == [each["id"] for each in origin.staged["posts"]]
