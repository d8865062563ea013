"""Faults on request: what is asked for goes wrong, exactly that, and is told."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.errors import UsageError
from cmsmig.sandbox.faults.fault_rules import Fault, read_plan
from cmsmig.sandbox.server import SandboxOptions, running_sandbox
from tests.sandbox.conftest import ARTICLES, ENGLISH, Desk

DROPPED = httpx.TransportError


@pytest.fixture
def faulty(desk: Desk) -> Iterator[Desk]:
    """Give the shared sandbox, and take every fault back afterwards."""
    yield desk
    desk.public.delete("/_sandbox/faults")


def inject(desk: Desk, *entries: dict[str, Any]) -> None:
    """Set a plan as an operator would."""
    reply = desk.public.put("/_sandbox/faults", json={"faults": [*entries]})
    assert reply.status_code == 200, reply.text


def paths(desk: Desk) -> list[str]:
    space = desk.handle.state.space
    return [space.full_slug(each) for each in space.stories.values()]


def create(desk: Desk, slug: str) -> httpx.Response:
    return desk.story(slug, {"component": "page", "_uid": slug})


ON_CREATE = {"method": "POST", "route": "create story"}


@pytest.mark.parametrize(
    ("fault", "applied"), [("drop_before", False), ("drop_after", True)]
)
def test_a_dropped_connection_gives_no_byte(
    faulty: Desk, fault: str, applied: bool
) -> None:
    """The client learns nothing; whether it was applied is what the name says."""
    inject(faulty, {"fault": fault, "item": f"{fault}-1", **ON_CREATE})
    with pytest.raises(DROPPED):
        create(faulty, f"{fault}-1")
    assert (f"{fault}-1" in paths(faulty)) is applied
    assert create(faulty, f"{fault}-2").status_code == 201


@pytest.mark.parametrize(
    ("fault", "status", "applied", "kind"),
    [
        ("error_before", 500, False, "application/json"),
        ("error_after", 500, True, "application/json"),
        ("gateway_before", 502, False, "text/html"),
        ("gateway_after", 502, True, "text/html"),
        ("too_many", 429, False, "application/json"),
    ],
)
def test_a_failure_is_answered_and_applied_or_not(
    faulty: Desk, fault: str, status: int, applied: bool, kind: str
) -> None:
    """Status and form of the answer, and what stands in the space after it."""
    inject(faulty, {"fault": fault, **ON_CREATE})
    reply = create(faulty, f"told-{fault}")
    assert reply.status_code == status
    assert reply.headers["content-type"].startswith(kind)
    assert (f"told-{fault}" in paths(faulty)) is applied


def test_a_truncated_body_breaks_off(faulty: Desk) -> None:
    """Headers come, the body stops in the middle."""
    inject(faulty, {"fault": "truncated", **ON_CREATE})
    with pytest.raises(httpx.RemoteProtocolError, match="complete message"):
        create(faulty, "cut-1")
    assert "cut-1" in paths(faulty)


@pytest.mark.parametrize("fault", ["malformed", "empty"])
def test_an_answer_may_be_useless(faulty: Desk, fault: str) -> None:
    """A success that cannot be read, or says nothing; it was applied."""
    inject(faulty, {"fault": fault, **ON_CREATE})
    reply = create(faulty, f"useless-{fault}")
    assert reply.status_code == 201
    if fault == "empty":
        assert reply.json() == {}
    else:
        with pytest.raises(json.JSONDecodeError):
            reply.json()
    assert f"useless-{fault}" in paths(faulty)


def test_a_storm_of_429s_lasts_as_long_as_it_was_told(faulty: Desk) -> None:
    """From the second request on, three of them, with the seconds to wait."""
    storm = {"fault": "too_many", "attempt": 2, "times": 3, "retry_after": 2}
    inject(faulty, {**storm, "route": "components"})
    replies = [faulty.space.get("/components") for _ in range(6)]
    assert [each.status_code for each in replies] == [200, 429, 429, 429, 200, 200]
    assert [each.headers.get("retry-after") for each in replies[1:3]] == ["2", "2"]


def test_a_429_may_leave_out_how_long_to_wait(faulty: Desk) -> None:
    """Without `retry_after` there is no header."""
    inject(faulty, {"fault": "too_many", "route": "components"})
    assert "retry-after" not in faulty.space.get("/components").headers


def test_a_slow_answer_comes_late(faulty: Desk) -> None:
    """By the seconds of its entry, and it is whole."""
    inject(faulty, {"fault": "slow", "seconds": 0.2, "route": "components"})
    started = time.monotonic()
    assert faulty.space.get("/components").status_code == 200
    assert time.monotonic() - started >= 0.2


def test_a_silent_upload_stores_nothing(faulty: Desk) -> None:
    """204 as ever, and no file at the public address."""
    inject(faulty, {"fault": "silent", "item": "silent.png"})
    signed = faulty.sign("silent.png")
    assert faulty.upload(signed).status_code == 204
    assert faulty.public.get(signed["public_url"]).status_code == 404
    assert faulty.upload(signed).status_code == 204
    assert faulty.public.get(signed["public_url"]).status_code == 200


def test_an_upload_is_refused_for_an_old_policy(faulty: Desk) -> None:
    """403 in the upload host's own form."""
    inject(faulty, {"fault": "expired", "item": "old.png"})
    reply = faulty.upload(faulty.sign("old.png"))
    assert (reply.status_code, "Policy expired" in reply.text) == (403, True)


def test_a_signing_reply_gets_lost(faulty: Desk) -> None:
    """The record is made and nobody hears of it."""
    inject(faulty, {"fault": "drop_after", "route": "sign upload", "item": "lost.png"})
    with pytest.raises(DROPPED):
        faulty.sign("lost.png", ext_id="lost-1")
    listed = faulty.space.get("/assets", params={"ext_id": "lost-1"}).json()["assets"]
    assert [each["short_filename"] for each in listed] == ["lost.png"]


def test_a_public_file_may_be_unseen_for_a_while(faulty: Desk) -> None:
    """A delivery network that lags behind: 404, then the file."""
    signed = faulty.sign("late.png")
    faulty.upload(signed)
    inject(faulty, {"fault": "unseen", "item": "late.png"})
    codes = [faulty.public.get(signed["public_url"]).status_code for _ in range(2)]
    assert codes == [404, 200]


def slugs(reply: httpx.Response) -> list[str]:
    return [each["fieldData"]["slug"] for each in reply.json()["items"]]


@pytest.mark.parametrize(("fault", "by"), [("list_grows", 1), ("list_shrinks", -1)])
def test_the_origins_list_moves_between_pages(
    faulty: Desk, fault: str, by: int
) -> None:
    """A row comes twice or not at all, and the total says that something moved."""
    inject(faulty, {"fault": fault, "route": "items"})
    path = f"/v2/collections/{ARTICLES}/items"
    asked = {"limit": 10, "cmsLocaleId": ENGLISH}
    first = faulty.origin.get(path, params={**asked, "offset": 0})
    second = faulty.origin.get(path, params={**asked, "offset": 10})
    assert slugs(first)[-1] == "item-10"
    assert slugs(second)[0] == f"item-{11 - by}"
    totals = [each.json()["pagination"]["total"] for each in (first, second)]
    assert totals == [120, 120 + by]
    assert second.json()["pagination"]["offset"] == 10


@pytest.mark.parametrize(("fault", "by"), [("list_grows", 1), ("list_shrinks", -1)])
def test_the_destinations_list_moves_between_pages(
    faulty: Desk, fault: str, by: int
) -> None:
    """The same with pages that are numbered and a total in a header."""
    for number in range(9):
        create(faulty, f"{fault}-row-{number}")
    asked = {"starts_with": f"{fault}-row", "per_page": 3}
    inject(faulty, {"fault": fault, "route": "stories"})
    pages = [
        faulty.space.get("/stories", params={**asked, "page": page})
        for page in (1, 2, 3)
    ]
    rows = [[row["slug"][-1] for row in page.json()["stories"]] for page in pages]
    assert rows[0] == ["0", "1", "2"]
    assert rows[1] == (["2", "3", "4"] if by > 0 else ["4", "5", "6"])
    assert rows[2] == ["6", "7", "8"]
    assert [page.headers["total"] for page in pages] == ["9", str(9 + by), "9"]


def test_requests_are_numbered_and_the_fault_is_told(faulty: Desk) -> None:
    """History and summary say which request got what, in stable words."""
    inject(faulty, {"fault": "error_before", "attempt": 2, "item": "notes/told-2"})
    folder = faulty.folder("notes")
    for slug in ("told-1", "told-2", "told-2", "told-2"):
        faulty.story(slug, {"component": "page"}, parent_id=folder)
    history = faulty.public.get("/_sandbox/history").json()["history"][-4:]
    keys = ("subject", "attempt", "fault", "status")
    assert [tuple(each[key] for key in keys) for each in history] == [
        ("notes/told-1", 1, "", 201),
        ("notes/told-2", 1, "", 201),
        ("notes/told-2", 2, "error_before", 500),
        ("notes/told-2", 3, "", 422),
    ]
    assert {each["route"] for each in history} == {"create story"}
    told = faulty.public.get("/_sandbox/faults").json()
    assert [(each["item"], each["attempt"]) for each in told["given"]] == [
        ("notes/told-2", 2)
    ]
    assert told["faults"][0]["fault"] == "error_before"
    counted = faulty.public.get("/_sandbox/summary").json()["faults"]
    assert counted["error_before"] >= 1


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ([], "A plan of faults is"),
        ({"faults": [3]}, "Entry 1 .*not an object"),
        ({"faults": [{"fault": "drop_befor"}]}, "`drop_befor`; write drop_before"),
        ({"faults": [{}]}, "its fault is ``; write drop_before, drop_after"),
        (
            {"faults": [{"fault": "slow"}, {"fault": "slow", "route": "story list"}]},
            "Entry 2 .*its route is `story list`",
        ),
        ({"faults": [{"fault": "slow", "method": "get"}]}, "its method is `get`"),
        ({"faults": [{"fault": "slow", "attempt": 0}]}, "its attempt is not a whole"),
        ({"faults": [{"fault": "slow", "times": True}]}, "its times is not a whole"),
        ({"faults": [{"fault": "slow", "seconds": -1}]}, "its seconds is not a number"),
        ({"faults": [{"fault": "slow", "when": 1}]}, "`when` is not one of its keys"),
        ({"faults": [{"fault": "slow", "item": 7}]}, "its item is not a text"),
    ],
)
def test_a_plan_that_is_none_is_refused_in_one_sentence(
    faulty: Desk, plan: Any, said: str
) -> None:
    """It names the entry and what to write; the plan before stays."""
    with pytest.raises(UsageError, match=said) as refused:
        read_plan(plan, {"stories"})
    assert str(refused.value).count("\n") == 0
    inject(faulty, {"fault": "slow", "seconds": 0})
    reply = faulty.public.put("/_sandbox/faults", json=plan)
    assert reply.status_code == 400
    assert len(faulty.public.get("/_sandbox/faults").json()["faults"]) == 1


def test_the_dial_knows_every_fault(faulty: Desk) -> None:
    """Each name is accepted in a plan and comes back as it was given."""
    inject(faulty, *({"fault": str(each), "item": "nobody"} for each in Fault))
    told = faulty.public.get("/_sandbox/faults").json()
    assert [each["fault"] for each in told["faults"]] == [str(each) for each in Fault]


def test_a_sandbox_may_start_with_a_plan(content: Path) -> None:
    """As `cmsmig sandbox --faults` starts it."""
    plan = {"faults": [{"fault": "gateway_before", "route": "sites"}]}
    options = SandboxOptions(content=content, origin_rate=1000, faults=plan)
    with running_sandbox(options) as handle:
        token = {"Authorization": f"Bearer {handle.announcement['origin_token']}"}
        url = f"{handle.announcement['origin_api_url']}/v2/sites"
        codes = [httpx.get(url, headers=token, trust_env=False) for _ in range(2)]
    assert [each.status_code for each in codes] == [502, 200]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read as JSON"),
        (json.dumps({"faults": [{"fault": "x"}]}), "Entry 1 of the plan"),
    ],
)
def test_the_command_refuses_a_plan_that_is_none(
    tmp_path: Path, text: str, said: str
) -> None:
    """Exit code 2 and one sentence before anything is served."""
    plan = tmp_path / "plan.json"
    plan.write_text(text)
    ended = subprocess.run(
        [sys.executable, "-m", "cmsmig.cli", "sandbox", "--faults", plan],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
