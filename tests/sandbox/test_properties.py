"""What holds for whatever is sent, and in whatever order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sandbox.conftest import Served
from tests.sandbox.scenario import Scenario

KEYS = st.one_of(
    st.sampled_from(["type", "attrs", "content", "marks", "text", "body", "component"]),
    st.sampled_from(["_uid", "linktype", "level", "keys", "options", "schema", "name"]),
    st.sampled_from(["slug", "parent_id", "source", "rich", "many", "link", "file"]),
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["doc", "link", "blok", "image", "heading", "hostile", "story"])
    | st.text(max_size=4)
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="session")
def hostile(serving: Callable[..., Served]) -> Served:
    """A space with a content type that takes everything in."""
    kinds = {"rich": "richtext", "many": "options", "link": "multilink"}
    kinds |= {"file": "asset", "body": "bloks", "text": "text", "level": "number"}
    opened = serving(scopes=None)
    schema = {key: {"type": kind} for key, kind in kinds.items()}
    component = {"name": "hostile", "is_root": True, "schema": schema}
    opened.ask("POST", "/components", json={"component": component})
    return opened


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(KEYS, ANYTHING, max_size=5), ANYTHING, st.integers(0, 10**9))
def test_no_body_brings_the_service_down(
    hostile: Served, fields: dict[str, Any], whole: Any, number: int
) -> None:
    """Whatever JSON is sent, it is taken or refused, and never a crash."""
    content = {**fields, "component": "hostile"}
    story = {"name": "x", "slug": f"h-{number}", "content": content}
    component = {"name": f"h{number}", "schema": {"a": {"type": "text", **fields}}}
    replies = [
        hostile.ask("POST", "/stories", json={"story": story}),
        hostile.ask("POST", "/stories", json={"story": whole}),
        hostile.ask("POST", "/components", json={"component": component}),
        hostile.ask("POST", "/components", json={"component": whole}),
        hostile.ask("POST", "/assets", json=whole),
    ]
    assert {reply.status_code for reply in replies} <= {200, 201, 422}
    state = hostile.ask("GET", f"{hostile.root}/_sandbox/state?comparable")
    assert state.status_code == 200


FILLED: list[dict[str, Any]] = [
    {"component": {"name": "node", "schema": {"next": {"type": "option"}}}},
    {"folder": {"slug": "folder"}, "keep": "folder"},
]
STATE = {"ask": "GET /_sandbox/state?comparable", "keep": "state"}


def node(slug: str) -> list[dict[str, Any]]:
    """Return the steps that make a story and a file of this name."""
    content = {"component": "node", "_uid": slug, "next": ""}
    return [
        {"sign": {"filename": f"{slug}.png", "ext_id": slug}, "keep": f"file_{slug}"},
        {"upload": f"<file_{slug}>", "data": slug},
        {
            "story": {"slug": slug, "parent_id": "<folder.id>", "content": content},
            "keep": slug,
        },
    ]


def tied(slug: str, other: str) -> dict[str, Any]:
    """Return the step that lets a story name the other story and its file."""
    content = {"component": "node", "_uid": slug, "next": f"<{other}.uuid>"}
    content["picture"] = f"<file_{other}.public_url>"
    return {"ask": f"PUT /stories/<{slug}.id>", "send": {"story": {"content": content}}}


async def state_after(content: Path, *steps: dict[str, Any]) -> Any:
    scenario = Scenario.of(content, {})
    await scenario.play([*steps, STATE])
    return scenario.kept["state"]


BOTH = [*FILLED, *node("a"), *node("b"), tied("a", "b"), tied("b", "a")]


async def test_two_orders_of_work_compare_as_equal(content: Path) -> None:
    """Ids, UUIDs, addresses and times aside, the order of work leaves no trace."""
    other = [*FILLED, *node("b"), *node("a"), tied("b", "a"), tied("a", "b")]
    assert await state_after(content, *BOTH) == await state_after(content, *other)


@pytest.mark.parametrize(
    "change",
    [
        {
            "ask": "PUT /stories/<a.id>",
            "send": {"story": {"content": {"component": "x"}}},
        },
        {"ask": "PUT /stories/<a.id>", "send": {"story": {"name": "another"}}},
        {"ask": "GET /stories/<a.id>/publish"},
        {"ask": "POST /asset_folders", "send": {"asset_folder": {"name": "Old"}}},
        {"upload": "<file_a>", "data": "other"},
    ],
    ids=str,
)
async def test_a_difference_is_seen(content: Path, change: dict[str, Any]) -> None:
    """Another content, name, state, folder and file each show."""
    before = await state_after(content, *BOTH)
    assert await state_after(content, *BOTH, change) != before


async def test_the_order_of_a_form_is_another_one_at_each_signing(
    content: Path,
) -> None:
    """The key comes first; any two parts out of order store nothing."""
    scenario = Scenario.of(content, {})
    orders = []
    for first, second in itertools.combinations(range(11), 2):
        swap = {"upload": "<s>", "swapped": [[first, second]], "status": 204}
        missing = {"ask": "GET <s.public_url>", "status": 404}
        noted = {"noted": ["upload_order"]}
        await scenario.play([{"sign": {}, "keep": "s"}, {**swap, **noted}, missing])
        orders.append(tuple(scenario.kept["s"]["fields"]))
    assert {order[0] for order in orders} == {"key"}
    assert all(a != b for a, b in itertools.pairwise(orders))
    assert len({frozenset(order) for order in orders}) == 1


async def test_a_save_gives_each_block_a_uid_of_its_own(content: Path) -> None:
    """At every depth, in unknown components too; those that are alone stay."""
    twice = {"component": "everything", "_uid": "root"}
    blok = {"id": "i", "body": [twice, {"component": "everything"}]}
    rich = {"type": "doc", "content": [{"type": "blok", "attrs": blok}]}
    unknown = {"component": "unknown", "rows": [{"component": "everything"}]}
    kept = {"component": "everything", "_uid": "kept", "_editable": "x"}
    schema = {"bloks": {"type": "bloks"}, "rich": {"type": "richtext"}}
    bloks = [{"component": "everything", "rich": rich}, kept, unknown]
    scenario = Scenario.of(content, {})
    await scenario.play(
        [
            {"component": {"name": "everything", "schema": schema}},
            {"save": {"bloks": bloks, "_editable": "x"}, "keep": "one"},
        ]
    )
    stored = scenario.kept["one"]["content"]
    first, same, other = stored["bloks"]
    inner = first["rich"]["content"][0]["attrs"]["body"]
    blocks = [stored, first, *inner, same, other, other["rows"][0]]
    uids = [block["_uid"] for block in blocks]
    assert (len({*uids}), all(uids)) == (len(blocks), True)
    assert (stored["_uid"], same["_uid"]) == ("root", "kept")
    assert not [block for block in blocks if "_editable" in block]


async def test_at_most_fifty_stories_are_resolved(content: Path) -> None:
    """Of more relations fifty are resolved and the UUIDs of all are named."""
    scenario = Scenario.of(content, {})
    slugs = [f"t{number}" for number in range(51)]
    content_of = {"component": "hub", "_uid": "1"}
    many = {"type": "options", "source": "internal_stories"}
    steps: list[dict[str, Any]] = [
        {"component": {"name": "hub", "schema": {"many": many}}},
        *({"story": {"slug": s, "content": content_of}, "keep": s} for s in slugs),
    ]
    uuids = [f"<{slug}.uuid>" for slug in slugs]
    query = "token=<preview>&version=draft&resolve_relations=hub.many"
    for slug, related, names in (("hub", uuids, uuids), ("few", uuids[:50], None)):
        steps += [
            {"story": {"slug": slug, "content": {**content_of, "many": related}}},
            {
                "ask": f"GET /v2/cdn/stories/{slug}?{query}",
                "answer": {"rel_uuids": names, "story": {"content": {"many": related}}},
                "column": {"rels.uuid": uuids[:50]},
            },
        ]
    plain = {"ask": "GET /v2/cdn/stories/few?token=<preview>&version=draft"}
    await scenario.play([*steps, {**plain, "column": {"rels.uuid": []}}])


@pytest.mark.parametrize(("rows", "rate"), [(25, 50), (50, 15), (75, 10), (100, 6)])
async def test_larger_pages_may_be_read_less_often(
    content: Path, rows: int, rate: int
) -> None:
    """Beyond the rate a 429 comes that says nothing more."""
    page = f"GET /v2/cdn/stories?token=<preview>&version=draft&per_page={rows}"
    silent = {"retry-after": None, "x-cache": "Error from cloudfront"}
    steps = [{"ask": page}] * rate + [{"ask": page, "status": 429, "header": silent}]
    await Scenario.of(content, {}).play([*steps, {"clock": 1, "ask": page}])
