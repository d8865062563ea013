"""Runs that ended between an intent and its result: adopted or made, never twice."""

from __future__ import annotations

import re

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.desk import Desk, Stage, exactly_one_of_everything
from tests.support.steps.faults import (
    CREATE_COMPONENT,
    CREATE_STORY,
    ERROR,
    PUBLISH_STORY,
    SIGN,
    UNSENT,
    UPDATE_STORY,
    Fault,
)

_ONE_AT_A_TIME = "in_flight = 1"


@pytest.mark.parametrize("mode", [ERROR, UNSENT])
@pytest.mark.parametrize(
    ("request_kind", "at"),
    [
        (CREATE_COMPONENT, 1),
        (CREATE_STORY, 1),
        (CREATE_STORY, 3),
        (SIGN, 2),
        (UPDATE_STORY, 2),
    ],
    ids=["component", "folder", "story", "asset", "update"],
)
def test_a_run_that_ended_at_a_request_is_resumed(
    stage: Stage, request_kind: tuple[str, str], at: int, mode: str
) -> None:
    """Whether the last request was applied or not, the rerun finds out by looking."""
    fault = Fault(request_kind, mode, at=(at,), then_dead=True)
    desk = stage(fault, settings=_ONE_AT_A_TIME)
    assert desk.run("import").code == 7
    assert len(desk.open_intents()) == 1
    fault.over()
    planned, number = desk.plan(), desk.mark()
    desk.done("import")
    assert desk.calls(number) == planned["calls"]["total"]
    exactly_one_of_everything(desk)
    desk.verified()
    made = desk.rows("SELECT DISTINCT made FROM made")
    assert made == [(1,)], "what a killed run made is ours"
    assert desk.done("import", "--json").document["writes"] == 0


class Witness:
    """Middleware that looks into the ledger when a write arrives."""

    def __init__(self) -> None:
        self.desk: Desk | None = None
        self.seen: list[tuple[str, bool]] = []

    async def __call__(self, call: Call, answer: Next) -> Reply:
        kind = next(
            (kind for kind, request in _KINDS.items() if _is(call, request)), ""
        )
        if kind and self.desk is not None:
            kinds = [each for each, _ in self.desk.open_intents()]
            self.seen.append((kind, kind in kinds))
        return await answer(call)


_KINDS = {
    "component": CREATE_COMPONENT,
    "create": CREATE_STORY,
    "sign": SIGN,
    "update": UPDATE_STORY,
    "publish": PUBLISH_STORY,
}


def _is(call: Call, request: tuple[str, str]) -> bool:
    return call.method == request[0] and bool(re.search(request[1], call.path))


def test_everything_is_intended_before_it_is_asked_for(stage: Stage) -> None:
    """When a write arrives, its intent can be read in the ledger by anybody."""
    witness = Witness()
    witness.desk = stage(witness)
    collections = ("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    witness.desk.decide(*collections)
    witness.desk.done("import")
    folder, *later = [each for each in witness.seen if each[0] == "create"]
    assert folder == ("create", False), "a folder's intent is of another kind"
    others = [each for each in witness.seen if each[0] != "create"]
    assert {kind for kind, _ in [*others, *later]} == set(_KINDS)
    assert all(intended for _, intended in [*others, *later])


def prepared(desk: Desk) -> str:
    """Prepare, and return the key of the record 3 as the ledger writes it."""
    desk.done("prepare")
    ((collection, item, locale),) = desk.rows(
        "SELECT collection_id, item_id, locale_id FROM item WHERE full_slug = ?",
        "records/record-3",
    )
    return f"{collection}/{item}" + (f"@{locale}" if locale else "")


def intend(desk: Desk, kind: str, subject: str, request_hash: str = "x") -> None:
    desk.doctor(
        "INSERT INTO intent (kind, subject, request_hash, made_at) VALUES (?, ?, ?, ?)",
        *(kind, subject, request_hash, "2026-01-01"),
    )


def test_an_intent_that_was_never_sent_is_created(stage: Stage) -> None:
    """Killed between intent and request: there is nothing there, so it is made."""
    desk = stage()
    intend(desk, "create", prepared(desk))
    desk.done("import")
    exactly_one_of_everything(desk)
    desk.verified()
    settled = desk.rows("SELECT outcome FROM intent WHERE made_at = '2026-01-01'")
    assert settled == [("absent",)]


def test_a_story_of_somebody_else_at_an_intended_place_is_a_conflict(
    stage: Stage,
) -> None:
    """An open intent does not make a story ours; the root block's `_uid` does."""
    desk = stage()
    intend(desk, "create", prepared(desk))
    foreign = _foreign_story(desk)
    assert desk.run("import").code == 1
    assert desk.outcome("records/record-3")[:2] == ("failed", "conflict")
    assert not [each for each in desk.since() if each.status == 422], "nothing asked"
    assert desk.stories()["records/record-3"].content == foreign
    assert len(desk.stories()) == 6


def _foreign_story(desk: Desk) -> dict:
    folder = next(
        each.story_id for each in desk.space.stories.values() if each.is_folder
    )
    content = {"component": "record", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}
    story = {"name": "X", "slug": "record-3", "parent_id": folder, "content": content}
    desk.api("POST", "/stories", {"story": story})
    return content


def test_an_adopted_story_that_was_edited_meanwhile_is_not_overwritten(
    stage: Stage,
) -> None:
    """Killed after the create, edited by a person, resumed: the edit stays."""
    fault = Fault(CREATE_STORY, ERROR, at=(4,), then_dead=True)
    desk = stage(fault, settings=_ONE_AT_A_TIME)
    desk.run("import")
    fault.over()
    (full_slug,) = set(desk.stories()) - {
        slug for (slug,) in desk.rows("SELECT full_slug FROM items WHERE story_id > 0")
    }
    desk.edit(full_slug, position="4711")
    desk.done("import")
    assert desk.stories()[full_slug].content["position"] == "4711"
    assert desk.stories()[full_slug].content["next"], "the rest of it goes on"
    assert len(desk.stories()) == 6


def test_an_orphan_asset_of_a_killed_run_is_signed_again_on_its_id(
    stage: Stage,
) -> None:
    """Killed between signing and its result: the asset without bytes is used."""
    fault = Fault(SIGN, ERROR, at=(2,), then_dead=True)
    desk = stage(fault, settings=_ONE_AT_A_TIME)
    desk.run("import")
    fault.over()
    (orphan,) = [each for each in desk.space.assets.values() if each.data is None]
    desk.done("import")
    assert desk.space.assets[orphan.asset_id].data is not None
    assert len(desk.space.assets) == 4
    exactly_one_of_everything(desk)
    desk.verified()


def test_a_file_that_had_arrived_is_not_signed_again(stage: Stage) -> None:
    """Killed between upload and proof: its address tells that it is there."""
    desk = stage()
    desk.done("prepare")
    desk.doctor("UPDATE asset SET status = 'signed'")
    assert desk.plan()["calls"]["sign_uploads"] == 0
    number = desk.mark()
    desk.done("import")
    assert desk.count("sign upload", number) == 0
    exactly_one_of_everything(desk)
    desk.verified()


def test_an_item_taken_out_of_the_import_is_still_settled(stage: Stage) -> None:
    """A story that a killed run made has its row, whatever was decided since."""
    fault = Fault(CREATE_STORY, ERROR, at=(4,), then_dead=True)
    desk = stage(fault, settings=_ONE_AT_A_TIME)
    desk.run("import")
    fault.over()
    desk.decide(
        "collections.yaml", "migrate: true\n    items", "migrate: false\n    items"
    )
    desk.done("import")
    assert len(desk.stories()) == 3
    existing = desk.rows("SELECT story_id FROM items WHERE story_id > 0")
    assert {row[0] for row in existing} == {s.story_id for s in desk.stories().values()}
