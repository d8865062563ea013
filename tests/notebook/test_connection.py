"""Notebook 00: the connection check and the forecast, unattended and by hand."""

from __future__ import annotations

import asyncio
import re

import pytest

from cmsmig.errors import CredentialsError, SettingsError
from cmsmig.notebook.connecting import connection_check, forecast
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.opened_project import Workspace, open_workspace
from tests.support.rehearsal import Rehearsal


def at(rehearsal: Rehearsal, *, interactive: bool = False) -> Workspace:
    """Return the workspace of a rehearsal."""
    return open_workspace(str(rehearsal.folder), interactive=interactive)


def html(panel: Panel) -> str:
    """Return what an unattended run leaves."""
    return panel._repr_mimebundle_()["text/html"]


async def test_the_check_names_site_space_and_limits(rehearse) -> None:
    """Both services answer; what they said and what the plans allow is a table."""
    rehearsal = rehearse()
    shown = html(await connection_check(at(rehearsal)))
    assert rehearsal.handle.announcement["space_id"] in shown
    assert "This is a rehearsal" in shown
    assert "Limits of the plans" in shown
    assert "Destination: largest story" in shown
    assert "an older page: 5 MB of JSON" in shown
    assert "the service&#39;s technical limits page of November 2026" in shown
    assert "look here" not in shown


async def test_unattended_a_refused_token_ends_the_run(rehearse) -> None:
    """The run ends with the error of the service and its exit code."""
    rehearsal = rehearse()
    (rehearsal.folder / ".env").write_text(wrong_token(rehearsal))
    with pytest.raises(CredentialsError):
        await connection_check(at(rehearsal))


async def test_unattended_a_setting_that_does_not_fit_ends_the_run(rehearse) -> None:
    """A site that the token does not see is named as what to correct."""
    rehearsal = rehearse()
    with (rehearsal.folder / ".env").open("a") as file:
        file.write("\nCMSMIG_SITE_ID=0123456789abcdef01234567\n")
    with pytest.raises(SettingsError, match="site_id"):
        await connection_check(at(rehearsal))


def test_the_forecast_says_what_comes_first(rehearse) -> None:
    """Before the pull and the decisions it lists them, and fails nothing."""
    rehearsal = rehearse()
    assert html(asyncio.run(forecast(at(rehearsal)))).count("open</td>") == 3
    rehearsal.done("pull")
    shown = html(asyncio.run(forecast(at(rehearsal))))
    assert shown.count("open</td>") == 2
    assert "cmsmig decide" in shown


def test_before_decisions_there_is_an_estimate(rehearse) -> None:
    """One light request for each collection before the pull, none after; the plan
    never has more writes than it says at most, and more is not made of it."""
    rehearsal = rehearse()
    requests = rehearsal.handle.state.recorder.entries
    before = len(requests)
    shown = html(asyncio.run(forecast(at(rehearsal))))
    asked = [each for each in requests[before:] if "/items" in each.path]
    total = int(_number(shown, "item"))
    assert "This is an estimate, not the plan" in shown
    assert "not known yet" in shown
    collections = int(_number(shown, "collection"))
    assert len(asked) == collections
    assert len(requests) - before == collections + 2
    rehearsal.done("pull")
    before = len(requests)
    shown = html(asyncio.run(forecast(at(rehearsal))))
    assert len(requests) == before
    assert int(_number(shown, "item")) >= total
    assert "one a file, each content once" in shown
    most = int(
        re.search(r"between [\d,]+ and ([\d,]+) calls", shown)[1].replace(",", "")
    )
    rehearsal.decided()
    calls = rehearsal.done("plan", "--json").document["calls"]
    writes = ("create_", "update_", "sign_", "publish_")
    assert 0 < sum(n for name, n in calls.items() if name.startswith(writes)) <= most


def _number(shown: str, noun: str) -> str:
    found = re.search(rf"([\d,]+) {noun}s?\b", shown)
    assert found is not None, shown
    return found[1].replace(",", "")


def test_an_estimate_that_cannot_be_made_says_why(rehearse) -> None:
    """The rest of the cell is shown."""
    rehearsal = rehearse()
    (rehearsal.folder / ".env").write_text(wrong_token(rehearsal))
    shown = html(asyncio.run(forecast(at(rehearsal))))
    assert "There is no estimate: " in shown
    assert shown.count("open</td>") == 3


def test_the_forecast_is_the_plan(rehearse) -> None:
    """With everything decided it shows the calls that `plan` shows."""
    rehearsal = rehearse().decided()
    shown = html(asyncio.run(forecast(at(rehearsal))))
    document = rehearsal.done("plan", "--json").document
    assert f">{document['calls']['total']:,}</td>" in shown
    assert document["hash"][:16] in shown


def wrong_token(rehearsal: Rehearsal) -> str:
    """Return the settings with a token that the origin does not know."""
    text = (rehearsal.folder / ".env").read_text()
    return text.replace(rehearsal.handle.announcement["origin_token"], "not-this-one")
