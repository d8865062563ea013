"""What visitors get, read through the delivery side."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.item_states import SLUGS, write_states

CHANGED = f"records/{SLUGS['changed']}"


@pytest.fixture(scope="session")
def states_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layers") / "content"
    write_states(folder)
    return folder


class Delivery:
    """Stands between the delivery side and its reader."""

    def __init__(self) -> None:
        self.spoil: Callable[[Reply], Reply] | None = None
        self.keys: Reply | None = None
        self.lists = 0

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Be the sandbox's middleware."""
        if call.path.endswith("/api_keys") and self.keys is not None:
            return self.keys
        reply = await answer(call)
        if not call.path.startswith("/v2/cdn/stories"):
            return reply
        self.lists += 1
        spoil, self.spoil = self.spoil, None
        return spoil(reply) if spoil else reply


@pytest.fixture
def mirrored(stage: Stage, states_site: Path) -> tuple[Desk, Delivery]:
    delivery = Delivery()
    desk = stage(delivery, content=states_site)
    desk.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    desk.done("import")
    return desk, delivery


def publish(desk: Desk, path: str) -> None:
    desk.api("GET", f"/stories/{desk.stories()[path].story_id}/publish")


def test_what_visitors_get_is_read_in_pages_and_counted(
    mirrored: tuple[Desk, Delivery],
) -> None:
    """One list for up to 25 stories; the token of the space is asked for, and told to
    nobody."""
    desk, delivery = mirrored
    found = desk.done("verify", "--json")
    assert found.document["compared"]["public"] == 3
    assert found.document["public_unread"] == ""
    assert delivery.lists == 1
    told = found.out + found.err
    files = [each for each in desk.folder.rglob("*") if each.is_file()]
    for token in (desk.space.public_token, desk.space.preview_token):
        assert token not in told
        assert not any(token.encode() in each.read_bytes() for each in files)


def test_an_unfinished_edit_before_visitors_is_found(
    mirrored: tuple[Desk, Delivery],
) -> None:
    """Somebody published what editors were still at."""
    desk, _ = mirrored
    publish(desk, CHANGED)
    assert desk.codes() == ["public_value"]
    found = desk.run("verify", "--json").document["differences"]
    assert {each["where"] for each in found} == {"name", "text"}


def test_an_edit_that_was_decided_to_stay_is_no_difference_for_visitors_either(
    mirrored: tuple[Desk, Delivery],
) -> None:
    """Saved and published by an editor, and decided as theirs."""
    desk, _ = mirrored
    path = f"records/{SLUGS['published']}"
    desk.edit(path, position="4711")
    publish(desk, path)
    assert desk.codes() == ["field_value"]
    desk.decide_edit(path, "content.position", "theirs")
    desk.verified()


def test_a_reader_that_lags_behind_is_read_once_more(
    mirrored: tuple[Desk, Delivery],
) -> None:
    """An older copy is no difference when a later look shows the newer one."""
    desk, delivery = mirrored

    def older(reply: Reply) -> Reply:
        body = json.loads(reply.body)
        body["stories"][0]["content"]["position"] = "4711"
        return replace(reply, body=json.dumps(body).encode())

    delivery.spoil = older
    desk.verified()
    assert delivery.lists == 2


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, {"error": "Forbidden"}),
        (404, {"error": "Not found"}),
        (200, {"api_keys": []}),
        (200, {"keys": 7}),
    ],
)
def test_where_no_token_is_to_be_had_that_is_said(
    mirrored: tuple[Desk, Delivery], status: int, body: JsonObject
) -> None:
    """The rest is verified; what could not be read does not pass for equal."""
    desk, delivery = mirrored
    delivery.keys = json_reply(status, body)
    found = desk.run("verify", "--json")
    assert found.code == 0
    assert found.document["compared"]["public"] == 0
    assert "What visitors get could not be read" in found.document["public_unread"]
    assert delivery.lists == 0
