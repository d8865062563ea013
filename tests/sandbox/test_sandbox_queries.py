from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.sandbox.http.query import read_query


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("a=1&a=2", {"a": "2"}),
        ("a[]=1&a[]=2", {"a": ["1", "2"]}),
        ("a[b][c]=1&a[b][d]=2", {"a": {"b": {"c": "1", "d": "2"}}}),
        ("a[][b]=1&a[][c]=2&a[][b]=3", {"a": [{"b": "1", "c": "2"}, {"b": "3"}]}),
        ("a[b][]=1&a[b][]=2", {"a": {"b": ["1", "2"]}}),
        ("a=1&a[b]=2", {"a": {"b": "2"}}),
        ("a", {"a": ""}),
        ("[a]=1", {"[a]": "1"}),
    ],
)
def test_queries_nest(query, read):
    """Brackets make lists and objects, as the service's framework reads them."""
    assert read_query(parse_qsl(query, keep_blank_values=True)) == read


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text("a[]b", max_size=60), st.text(max_size=3))))
def test_any_query_is_read(pairs):
    """Whatever a query is made of, it is read and ends in an object."""
    assert isinstance(read_query(pairs), dict)


@pytest.fixture(scope="session")
def desk(shared_desk):
    """Four stories with fields of several kinds in a folder of their own."""
    schema = {
        "title": {"type": "text"},
        "count": {"type": "number"},
        "day": {"type": "datetime"},
        "marks": {"type": "options", "options": [{"value": v} for v in "ab"]},
        "bold": {"type": "boolean"},
        "parts": {"type": "bloks"},
    }
    shared_desk.component("filtered", schema)
    parent = shared_desk.folder("filters")
    rows = [
        {"title": "One", "count": "10", "marks": ["a"], "day": "2024-01-01 00:00"},
        {"title": "Two", "count": "9", "marks": ["a", "b"], "bold": True},
        {"title": "", "count": "", "marks": [], "bold": False},
        {"title": "Äpfel", "parts": [{"_uid": "p", "component": "filtered"}]},
    ]
    for number, row in enumerate(rows, 1):
        content = {"_uid": str(number), "component": "filtered", **row}
        shared_desk.story(f"s{number}", content, parent_id=parent)
    return shared_desk


def _slugs(desk, **query):
    named = {"starts_with": "filters/", **query}
    reply = desk.space.get("/stories", params=named)
    assert reply.status_code == 200, reply.text
    assert reply.headers["Total"] == str(len(reply.json()["stories"]))
    return [story["slug"] for story in reply.json()["stories"]]


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ({"[component][in]": "filtered,other", "[title][in]": "One"}, ["s1"]),
        ({"[title][not_in]": "One,Two"}, ["s3", "s4"]),
        ({"[title][like]": "*o*"}, ["s1", "s2"]),
        ({"[title][not_like]": "*o*"}, ["s3", "s4"]),
        ({"[marks][in_array]": "b"}, ["s2"]),
        ({"[marks][in_array][]": ["a", "b"]}, ["s1", "s2"]),
        ({"[marks][all_in_array]": "a,b"}, ["s2"]),
        ({"[count][gt_int]": "9"}, ["s1"]),
        ({"[count][lt_float]": "9.5"}, ["s2"]),
        ({"[day][gt_date]": "2023-12-31 23:00"}, ["s1"]),
        ({"[day][lt_date]": "2023-12-31"}, []),
        ({"[title][is]": "empty"}, ["s3"]),
        ({"[marks][is]": "empty_array"}, ["s3"]),
        ({"[bold][is]": "true"}, ["s2"]),
        ({"[day][is]": "not_null"}, ["s1"]),
        ({"[parts.0.component][in]": "filtered"}, ["s4"]),
        ({"[__or][][title][in]": ["One", "Two"]}, ["s1", "s2"]),
    ],
)
def test_filters_look_into_content(desk, query, slugs):
    """Each operation of `filter_query` chooses by what a story holds."""
    named = {f"filter_query{key}": value for key, value in query.items()}
    assert _slugs(desk, **named) == slugs


@pytest.mark.parametrize(
    "query",
    [
        {"filter_query": "[title][in]=One"},
        {"filter_query[title]": "One"},
        {"filter_query[title][equals]": "One"},
        {"filter_query[title][is]": "full"},
    ],
)
def test_unusable_filters_are_refused(desk, query):
    """A flat query and an unknown operation are answered 422, not passed over."""
    reply = desk.space.get("/stories", params=query)
    assert reply.status_code == 422
    assert "filter_query" in reply.json()["error"]


@pytest.mark.parametrize(
    ("order", "slugs"),
    [
        ("slug:desc", ["s4", "s3", "s2", "s1"]),
        ("content.count:asc", ["s1", "s2", "s3", "s4"]),
        ("content.count:asc:int", ["s2", "s1", "s3", "s4"]),
        ("content.count:desc:int", ["s1", "s2", "s3", "s4"]),
        ("content.count:asc:nulls_first", ["s3", "s4", "s1", "s2"]),
        ("content.count:desc:int,slug:desc", ["s1", "s2", "s4", "s3"]),
    ],
)
def test_lists_are_sorted_by_fields_too(desk, order, slugs):
    """Chains, numbers and content keys sort; what has no value comes last."""
    assert _slugs(desk, sort_by=order) == slugs


def test_ids_come_as_a_list_or_with_commas(desk):
    """One client sends `by_ids[]=1&by_ids[]=2`, another `by_ids=1,2`."""
    rows = desk.space.get("/stories", params={"by_slugs": "filters/s*"}).json()
    ids = [story["id"] for story in rows["stories"]][1:3]
    assert _slugs(desk, **{"by_ids[]": ids}) == ["s2", "s3"]
    assert _slugs(desk, by_ids=",".join(map(str, ids))) == ["s2", "s3"]


def test_references_are_searched_by_address(desk):
    """A file's address finds the stories that hold it."""
    address = "http://127.0.0.1/a/f/1/größe.png"
    content = {"_uid": "r", "component": "filtered", "title": f"at {address}"}
    desk.story("referring", content)
    found = desk.space.get("/stories", params={"reference_search": address}).json()
    assert [story["slug"] for story in found["stories"]] == ["referring"]
