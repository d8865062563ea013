"""What visitors get, read through the delivery side."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.steps.item_states import SLUGS
from tests.support.steps.staged_project import Stage, StagedProject

CHANGED = f"records/{SLUGS['changed']}"


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
def mirrored(stage: Stage, states_site: Path) -> tuple[StagedProject, Delivery]:
    delivery = Delivery()
    project = stage(delivery, content=states_site)
    project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    return project, delivery


def publish(project: StagedProject, path: str) -> None:
    project.api("GET", f"/stories/{project.stories()[path].story_id}/publish")


def test_what_visitors_get_is_read_in_pages_and_counted(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """One list for up to 25 stories; the token of the space is asked for, and told to
    nobody."""
    project, delivery = mirrored
    found = project.done("verify", "--json")
    assert found.document["compared"]["public"] == 3
    assert found.document["public_unread"] == ""
    assert delivery.lists == 1
    told = found.out + found.err
    files = [each for each in project.folder.rglob("*") if each.is_file()]
    for token in (project.space.public_token, project.space.preview_token):
        assert token not in told
        assert not any(token.encode() in each.read_bytes() for each in files)


def test_an_unfinished_edit_before_visitors_is_found(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """Somebody published what editors were still at."""
    project, _ = mirrored
    publish(project, CHANGED)
    assert project.codes() == ["public_value"]
    found = project.run("verify", "--json").document["differences"]
    assert {each["where"] for each in found} == {"name", "text"}


def test_an_edit_that_was_decided_to_stay_is_no_difference_for_visitors_either(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """Saved and published by an editor, and decided as theirs."""
    project, _ = mirrored
    path = f"records/{SLUGS['published']}"
    project.edit(path, position="4711")
    publish(project, path)
    assert project.codes() == ["field_value"]
    project.decide_edit(path, "content.position", "theirs")
    project.verified()


def test_a_reader_that_lags_behind_is_read_once_more(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """An older copy is no difference when a later look shows the newer one."""
    project, delivery = mirrored

    def older(reply: Reply) -> Reply:
        body = json.loads(reply.body)
        body["stories"][0]["content"]["position"] = "4711"
        return replace(reply, body=json.dumps(body).encode())

    delivery.spoil = older
    project.verified()
    assert delivery.lists == 2


@pytest.mark.parametrize("status", [0, 401, 403, 404])
def test_where_what_visitors_get_cannot_be_read_that_is_reported(
    mirrored: tuple[StagedProject, Delivery], status: int
) -> None:
    """No preview token (0), or a delivery side that refuses: the rest is verified, and
    what could not be read does not pass for equal."""
    project, delivery = mirrored
    delivery.status = status
    delivery.has_token = status > 0
    found = project.run("verify", "--json")
    assert found.code == 4
    assert found.document["compared"]["public"] == 0
    assert found.document["compared"]["stories"] == 6
    assert found.document["differences"] == []
    why = found.document["public_unread"]
    assert "What visitors get could not be read" in why
    assert ("no preview token" if status == 0 else str(status)) in why
    assert why in found.err
    assert why in project.run("verify").out


def test_the_token_of_visitors_is_read_with_the_space(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """No call needs the list of access tokens: it has no scope."""
    project, _ = mirrored
    assert project.count("api keys") == 0
    calls = project.plan()["verification_calls"]
    number = project.mark()
    project.verified()
    made = [each for each in project.since(number) if each.quota]
    assert len(made) == calls


def test_a_redirect_on_the_own_host_is_followed(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """The version that it names is asked for from then on."""
    project, delivery = mirrored
    delivery.redirects = ["?cv=4711&version=published&token=of-nobody"]
    project.verified()
    assert delivery.asked[1]["cv"] == "4711"
    assert {each["token"] for each in delivery.asked} == {project.space.preview_token}


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/v2/cdn/stories?cv=1", "//e.test/x", "http://[/"]
)
def test_a_redirect_to_another_host_is_not_followed(
    mirrored: tuple[StagedProject, Delivery], target: str
) -> None:
    """The token goes to no other host."""
    project, delivery = mirrored
    delivery.redirects = [target]
    found = project.run("verify", "--json")
    assert (found.code, found.document["differences"]) == (4, [])
    assert "What visitors get could not be read" in found.document["public_unread"]
    assert delivery.lists == 1


def test_redirects_without_end_are_an_error(
    mirrored: tuple[StagedProject, Delivery],
) -> None:
    """They are counted."""
    project, delivery = mirrored
    delivery.redirects = [f"?cv={number}" for number in range(50)]
    found = project.run("verify", "--json")
    assert found.code == 4
    assert "more than 5 times" in found.document["public_unread"]
    assert delivery.lists == 6
