"""Requests and their answers, in the folder `cases`; see `scenario` for their form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.sandbox.scenario import Scenario
from tests.support.cases import cases


async def play(content: Path, case: dict[str, Any]) -> None:
    """Play the steps that a case begins with, and its own; without steps it is one."""
    scenario = Scenario.of(content, case.get("sandbox", {}))
    own = case.get("steps") or [{**case, "given": None}]
    async with scenario.client:
        await scenario.play([*case.get("given", []), *own])


@cases(__file__, "stories.yaml")
async def test_stories(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "lists.yaml")
async def test_lists(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "strict.yaml")
async def test_strict_values(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "violations.yaml")
async def test_violations(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "records.yaml")
async def test_records(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "assets.yaml")
async def test_assets(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "tokens.yaml")
async def test_tokens(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "delivery.yaml")
async def test_the_delivery_side(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "origin.yaml")
async def test_the_origin(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "edits.yaml")
async def test_edits_by_hand(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)


@cases(__file__, "service.yaml")
async def test_the_service(content: Path, case: dict[str, Any]) -> None:
    await play(content, case)
