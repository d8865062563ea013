"""Runs that ended between an intent and its result: adopted or made, never twice."""

from __future__ import annotations

import re

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
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
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
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
    project = stage(fault, settings=_ONE_AT_A_TIME)
    assert project.run("import").code == 7
    assert len(project.open_intents()) == 1
    fault.over()
    planned, number = project.plan(), project.mark()
    project.done("import")
    assert project.calls(number) == planned["calls"]["total"]
    exactly_one_of_everything(project)
    project.verified()
    made = project.rows("SELECT DISTINCT made FROM made")
    assert made == [(1,)], "what a killed run made is ours"
    assert project.done("import", "--json").document["writes"] == 0


class Witness:
    """Middleware that looks into the ledger when a write arrives."""

    def __init__(self) -> None:
        self.project: StagedProject | None = None
        self.seen: list[tuple[str, bool]] = []

    async def __call__(self, call: Call, answer: Next) -> Reply:
        kind = next(
            (kind for kind, request in _KINDS.items() if _is(call, request)), ""
        )
        if kind and self.project is not None:
            kinds = [each for each, _ in self.project.open_intents()]
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
    witness.project = stage(witness)
    collections = ("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    witness.project.decide(*collections)
    witness.project.done("import")
    folder, *later = [each for each in witness.seen if each[0] == "create"]
    assert folder == ("create", False), "a folder's intent is of another kind"
    others = [each for each in witness.seen if each[0] != "create"]
    assert {kind for kind, _ in [*others, *later]} == set(_KINDS)
    assert all(intended for _, intended in [*others, *later])


def prepared(project: StagedProject) -> str:
    """Prepare, and return the key of the record 3 as the ledger writes it."""
    project.done("prepare")
    ((collection, item, locale),) = project.rows(
        "SELECT collection_id, item_id, locale_id FROM item WHERE full_slug = ?",
        "records/record-3",
    )
    return f"{collection}/{item}" + (f"@{locale}" if locale else "")


def intend(
    project: StagedProject, kind: str, subject: str, request_hash: str = "x"
) -> None:
    project.doctor(
        "INSERT INTO intent (kind, subject, request_hash, made_at) VALUES (?, ?, ?, ?)",
        *(kind, subject, request_hash, "2026-01-01"),
    )


def test_an_intent_that_was_never_sent_is_created(stage: Stage) -> None:
    """Killed between intent and request: there is nothing there, so it is made."""
    project = stage()
    intend(project, "create", prepared(project))
    project.done("import")
    exactly_one_of_everything(project)
    project.verified()
    settled = project.rows("SELECT outcome FROM intent WHERE made_at = '2026-01-01'")
    assert settled == [("absent",)]


def test_a_story_of_somebody_else_at_an_intended_place_is_a_conflict(
    stage: Stage,
) -> None:
    """An open intent does not make a story ours; the root block's `_uid` does."""
    project = stage()
    intend(project, "create", prepared(project))
    foreign = _foreign_story(project)
    assert project.run("import").code == 1
    assert project.outcome("records/record-3")[:2] == ("failed", "conflict")
    assert not [each for each in project.since() if each.status == 422], "nothing asked"
    assert project.stories()["records/record-3"].content == foreign
    assert len(project.stories()) == 6


def _foreign_story(project: StagedProject) -> dict:
    folder = next(
        each.story_id for each in project.space.stories.values() if each.is_folder
    )
    content = {"component": "record", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}
    story = {"name": "X", "slug": "record-3", "parent_id": folder, "content": content}
    project.api("POST", "/stories", {"story": story})
    return content


def test_an_adopted_story_that_was_edited_meanwhile_is_not_overwritten(
    stage: Stage,
) -> None:
    """Killed after the create, edited by a person, resumed: the edit stays."""
    fault = Fault(CREATE_STORY, ERROR, at=(4,), then_dead=True)
    project = stage(fault, settings=_ONE_AT_A_TIME)
    project.run("import")
    fault.over()
    (full_slug,) = set(project.stories()) - {
        slug
        for (slug,) in project.rows("SELECT full_slug FROM items WHERE story_id > 0")
    }
    project.edit(full_slug, position="4711")
    project.done("import")
    assert project.stories()[full_slug].content["position"] == "4711"
    assert project.stories()[full_slug].content["next"], "the rest of it goes on"
    assert len(project.stories()) == 6


def test_an_orphan_asset_of_a_killed_run_is_signed_again_on_its_id(
    stage: Stage,
) -> None:
    """Killed between signing and its result: the asset without bytes is used."""
    fault = Fault(SIGN, ERROR, at=(2,), then_dead=True)
    project = stage(fault, settings=_ONE_AT_A_TIME)
    project.run("import")
    fault.over()
    (orphan,) = [each for each in project.space.assets.values() if each.data is None]
    project.done("import")
    assert project.space.assets[orphan.asset_id].data is not None
    assert len(project.space.assets) == 4
    exactly_one_of_everything(project)
    project.verified()


def test_a_file_that_had_arrived_is_not_signed_again(stage: Stage) -> None:
    """Killed between upload and proof: its address tells that it is there."""
    project = stage()
    project.done("prepare")
    project.doctor("UPDATE asset SET status = 'signed'")
    assert project.plan()["calls"]["sign_uploads"] == 0
    number = project.mark()
    project.done("import")
    assert project.count("sign upload", number) == 0
    exactly_one_of_everything(project)
    project.verified()


def test_an_item_taken_out_of_the_import_is_still_settled(stage: Stage) -> None:
    """A story that a killed run made has its row, whatever was decided since."""
    fault = Fault(CREATE_STORY, ERROR, at=(4,), then_dead=True)
    project = stage(fault, settings=_ONE_AT_A_TIME)
    project.run("import")
    fault.over()
    project.decide(
        "collections.yaml", "migrate: true\n    items", "migrate: false\n    items"
    )
    project.done("import")
    assert len(project.stories()) == 3
    existing = project.rows("SELECT story_id FROM items WHERE story_id > 0")
    assert {row[0] for row in existing} == {
        s.story_id for s in project.stories().values()
    }
