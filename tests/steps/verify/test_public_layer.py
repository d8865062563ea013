"""What visitors get, read through the delivery side."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

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
        self.has_token = True
        """Whether the space shows its preview token."""
        self.status = 0
        """What the delivery side answers instead, if not 0."""
        self.redirects: list[str] = []
        """Where the next lists are sent on to."""
        self.asked: list[dict[str, str]] = []
        """The parameters of each list."""
        self.lists = 0

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Be the sandbox's middleware."""
        reply = await answer(call)
        if re.fullmatch(r"/v1/spaces/\d+", call.path) and not self.has_token:
            body = json.loads(reply.body)
            del body["space"]["first_token"]
            return replace(reply, body=json.dumps(body).encode())
        if self.status and call.path.startswith("/v2/cdn/"):
            return json_reply(self.status, {"error": "No"})
        if not call.path.startswith("/v2/cdn/stories"):
            return reply
        self.lists += 1
        self.asked.append(dict(call.query))
        if self.redirects:
            where = self.redirects.pop(0)
            if where.startswith("?"):
                where = f"{call.path}{where}&by_uuids={call.parameter('by_uuids')}"
            return Reply(301, headers=(("Location", where),))
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


@pytest.mark.parametrize("status", [0, 401, 403, 404])
def test_where_what_visitors_get_cannot_be_read_that_is_reported(
    mirrored: tuple[Desk, Delivery], status: int
) -> None:
    """No preview token (0), or a delivery side that refuses: the rest is verified, and
    what could not be read does not pass for equal."""
    desk, delivery = mirrored
    delivery.status = status
    delivery.has_token = status > 0
    found = desk.run("verify", "--json")
    assert found.code == 4
    assert found.document["compared"]["public"] == 0
    assert found.document["compared"]["stories"] == 6
    assert found.document["differences"] == []
    why = found.document["public_unread"]
    assert "What visitors get could not be read" in why
    assert ("no preview token" if status == 0 else str(status)) in why
    assert why in found.err
    assert why in desk.run("verify").out


def test_the_token_of_visitors_is_read_with_the_space(
    mirrored: tuple[Desk, Delivery],
) -> None:
    """No call needs the list of access tokens: it has no scope."""
    desk, _ = mirrored
    assert desk.count("api keys") == 0
    calls = desk.plan()["verification_calls"]
    number = desk.mark()
    desk.verified()
    made = [each for each in desk.since(number) if each.quota]
    assert len(made) == calls


def test_a_redirect_on_the_own_host_is_followed(
    mirrored: tuple[Desk, Delivery],
) -> None:
    """The version that it names is asked for from then on."""
    desk, delivery = mirrored
    delivery.redirects = ["?cv=4711&version=published&token=of-nobody"]
    desk.verified()
    assert delivery.asked[1]["cv"] == "4711"
    assert {each["token"] for each in delivery.asked} == {desk.space.preview_token}


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/v2/cdn/stories?cv=1", "//e.test/x", "http://[/"]
)
def test_a_redirect_to_another_host_is_not_followed(
    mirrored: tuple[Desk, Delivery], target: str
) -> None:
    """The token goes to no other host."""
    desk, delivery = mirrored
    delivery.redirects = [target]
    found = desk.run("verify", "--json")
    assert (found.code, found.document["differences"]) == (4, [])
    assert "What visitors get could not be read" in found.document["public_unread"]
    assert delivery.lists == 1


def test_redirects_without_end_are_an_error(mirrored: tuple[Desk, Delivery]) -> None:
    """They are counted."""
    desk, delivery = mirrored
    delivery.redirects = [f"?cv={number}" for number in range(50)]
    found = desk.run("verify", "--json")
    assert found.code == 4
    assert "more than 5 times" in found.document["public_unread"]
    assert delivery.lists == 6
