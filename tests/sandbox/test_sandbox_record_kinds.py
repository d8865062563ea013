"""What all kinds of record have in common, and in what their answers differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pytest


@dataclass(frozen=True)
class Kind:
    """A kind of record as the wire shows it."""

    path: str
    key: str
    statuses: tuple[int, int, int]
    """Made, changed, removed."""
    paged: bool = False
    alone: bool = True
    """Whether one record can be read."""
    patched: bool = True
    named: bool = True
    """Whether the history names a removed one."""


KINDS = (
    Kind("components", "component", (201, 200, 200), patched=False),
    Kind("component_groups", "component_group", (201, 200, 200), named=False),
    Kind("presets", "preset", (201, 200, 200)),
    Kind("datasources", "datasource", (201, 200, 204), paged=True),
    Kind("datasource_entries", "datasource_entry", (201, 204, 204), paged=True),
    Kind("asset_folders", "asset_folder", (201, 204, 204)),
    Kind("internal_tags", "internal_tag", (200, 200, 204), paged=True, alone=False),
)


@pytest.fixture(scope="module")
def desk(desks):
    """Return a sandbox of this module: its many records would be in others' lists."""
    with desks() as opened:
        yield opened


@pytest.fixture(params=KINDS, ids=lambda kind: kind.path)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return each kind in turn."""
    return request.param  # type: ignore[no-any-return]


NUMBERS = count()
"""Each record has a name of its own."""


def source_of(desk):
    """Make a datasource; return its id."""
    name = f"k-source-{next(NUMBERS)}"
    source = {"datasource": {"name": name, "slug": name}}
    return desk.space.post("/datasources", json=source).json()["datasource"]["id"]


@pytest.fixture
def record(desk, kind):
    """Make a record of the kind, and what it needs."""
    name = f"k-one-{next(NUMBERS)}"
    body = {"name": name}
    if kind.key == "datasource":
        body["slug"] = f"{name}-slug"
    if kind.key == "preset":
        body["component_id"] = desk.component(f"{name}-owner", {})
    if kind.key == "datasource_entry":
        body["datasource_id"] = source_of(desk)
    reply = desk.space.post(f"/{kind.path}", json={kind.key: body})
    assert reply.status_code == kind.statuses[0]
    assert set(reply.json()) == {kind.key}
    return reply.json()[kind.key]


def test_a_record_is_read_changed_and_removed(desk, kind, record):
    """Each answer has its kind's status and envelope; a 204 has no body."""
    one = f"/{kind.path}/{record['id']}"
    read = desk.space.get(one)
    assert read.status_code == (200 if kind.alone else 404)
    if kind.alone:
        assert read.json() == {kind.key: record}
    name = f"k-two-{next(NUMBERS)}"
    change = {kind.key: {"name": name}}
    put = desk.space.put(one, json=change)
    assert put.status_code == kind.statuses[1]
    assert put.content == b"" or put.json()[kind.key]["name"] == name
    patched = desk.space.patch(one, json=change).status_code
    assert patched == (kind.statuses[1] if kind.patched else 404)
    gone = desk.space.delete(one)
    assert gone.status_code == kind.statuses[2]
    assert (gone.content == b"") is (gone.status_code == 204)
    assert desk.space.delete(one).status_code == 404
    assert desk.space.put(one, json=change).status_code == 404


def test_a_list_is_filtered_and_may_have_pages(desk, kind, record):
    """An empty filter keeps all; only lists with pages tell a total."""
    every = desk.space.get(f"/{kind.path}", params={"per_page": 100})
    listed = every.json()[kind.path]
    assert record["id"] in [one["id"] for one in listed]
    empty = {"search": "", "by_ids": ",", "with_parent": "", "per_page": 100}
    assert desk.space.get(f"/{kind.path}", params=empty).json()[kind.path] == listed
    first = desk.space.get(f"/{kind.path}", params={"per_page": 1})
    assert len(first.json()[kind.path]) == (1 if kind.paged else len(listed))
    assert ("total" in first.headers) is kind.paged


def test_a_body_without_its_envelope_is_refused(desk, kind, record):
    """The refusal names the missing key."""
    told = {"error": f"param is missing or the value is empty: {kind.key}"}
    one = f"/{kind.path}/{record['id']}"
    for reply in (
        desk.space.post(f"/{kind.path}", json={"name": "k-three"}),
        desk.space.put(one, json={"name": "k-three"}),
    ):
        assert (reply.status_code, reply.json()) == (422, told)


def test_the_history_names_what_was_made_changed_and_removed(desk, kind, record):
    """By name, or a datasource by its slug; a component group's removal does not."""
    one = f"/{kind.path}/{record['id']}"
    name = f"k-two-{next(NUMBERS)}"
    desk.space.put(one, json={kind.key: {"name": name}})
    desk.space.delete(one)
    entries = desk.handle.state.recorder.entries[-3:]
    before = record.get("slug", record["name"])
    after = record.get("slug", name)
    expected = [before, after, after if kind.named else ""]
    assert [entry.item for entry in entries] == expected


def test_entries_of_a_slug_that_is_empty_are_none(desk):
    """Unlike other filters, the slug of a datasource counts when it is empty."""
    own = source_of(desk)
    entry = {"datasource_entry": {"name": "k", "datasource_id": own}}
    assert desk.space.post("/datasource_entries", json=entry).status_code == 201
    slug = desk.space.get(f"/datasources/{own}").json()["datasource"]["slug"]
    for wanted, rows in ((slug, 1), ("", 0), ("k-other", 0)):
        query = {"datasource_slug": wanted}
        listed = desk.space.get("/datasource_entries", params=query).json()
        assert len(listed["datasource_entries"]) == rows
