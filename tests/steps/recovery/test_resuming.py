"""Runs that ended between an intent and its result: adopted or made, never twice."""

from __future__ import annotations

import re

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.faults import (
    CREATE_COMPONENT,
    CREATE_STORY,
    PUBLISH_STORY,
    SIGN,
    UPDATE_STORY,
)
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
)


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
