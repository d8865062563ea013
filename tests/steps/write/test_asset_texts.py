"""Alternative texts while an import runs, after a lost reply, and over old records."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.faults import CUT, REFUSED, UNSENT, Fault
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

WRITE = ("PUT", r"/assets/\d+$")


def describe(project: StagedProject, alt: str) -> None:
    """Give the picture of the first record another text at the origin."""

    def change(item: Item) -> Item:
        if item["fieldData"]["slug"] == "record-1":
            item["fieldData"]["cover"]["alt"] = alt
        return item

    edit_items(project, change)


def own(project: StagedProject) -> int:
    """Return the asset of that picture."""
    (found,) = [n for n, a in project.space.assets.items() if "plate-00000" in a.key]
    return found


def text(project: StagedProject) -> str:
    return str(project.space.assets[own(project)].body["alt"])


def describe_there(project: StagedProject, alt: str) -> None:
    project.api("PUT", f"/assets/{own(project)}", {"asset": {"alt": alt}})


class Meanwhile:
    """Does something once, before an asset is read."""

    def __init__(self) -> None:
        self.do: Callable[[], None] | None = None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if self.do and call.method == "GET" and re.search(r"/assets/\d+$", call.path):
            done, self.do = self.do, None
            done()
        return await answer(call)


def test_what_is_saved_while_an_import_runs_stays(stage: Stage) -> None:
    """The asset is read right before it is written, and is a conflict then."""
    saving = Meanwhile()
    project = stage(saving)
    project.done("import")
    describe(project, "ours")
    planned = project.plan()

    def save_there() -> None:
        project.space.assets[own(project)].body["alt"] = "theirs"

    saving.do = save_there
    ended = project.run("import", "--plan", planned["hash"])
    assert (ended.code, text(project)) == (1, "theirs")
    assert "there it is `theirs`" in ended.err + ended.out
    (conflict,) = project.plan()["edit_conflicts"]
    assert (conflict["kind"], conflict["base"]) == ("asset", "Plate 1")


@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_write_whose_reply_was_lost_is_settled_by_looking(
    stage: Stage, mode: str
) -> None:
    """Applied or not: ours in the end, by the same plan, and nothing is left."""
    fault = Fault(WRITE, mode, then_dead=True)
    project = stage(fault)
    project.done("import")
    describe(project, "ours")
    planned = project.plan()
    assert project.run("import", "--plan", planned["hash"]).code != 0
    assert fault.hits
    fault.over()
    project.done("import", "--plan", planned["hash"])
    assert text(project) == "ours"
    assert project.done("import", "--json").document["writes"] == 0
    project.verified()


def test_a_text_that_is_refused_is_listed_and_ends_no_run(stage: Stage) -> None:
    """With its reason, until a run writes it."""
    fault = Fault(WRITE, REFUSED, at=())
    project = stage(fault)
    project.done("import")
    describe(project, "ours")
    ended = project.run("import")
    assert (ended.code, text(project), fault.hits) == (1, "Plate 1", 1)
    (listed,) = project.status()["failed_assets"]
    assert listed["reason"] == "text_not_written"
    assert "is not to our liking" in listed["explanation"]
    fault.over()
    project.done("import")
    assert (text(project), project.status()["failed_assets"]) == ("ours", [])
    project.verified()


def test_a_file_that_lost_its_bytes_keeps_the_text_of_an_editor(stage: Stage) -> None:
    """It is signed anew over its record, which would take our text."""
    project = stage()
    project.done("import")
    describe_there(project, "theirs")
    project.space.assets[own(project)].data = None
    project.done("import", "--recreate")
    assert text(project) == "theirs"
    assert project.codes() == ["asset_text"]


def test_where_nobody_knows_what_we_wrote_another_text_is_a_conflict(
    stage: Stage,
) -> None:
    """As after `rebuild`: texts that are as wanted are taken as ours, once."""
    project = stage()
    project.done("import")
    project.doctor("UPDATE asset SET body = ''")
    describe_there(project, "theirs")
    assert project.run("import").code == 1
    (conflict,) = project.plan()["edit_conflicts"]
    assert (conflict["kind"], "base" in conflict) == ("asset", False)
    left = project.done("rollback", "--plan", "--json").document["left"]
    assert "asset_folder_id" not in str(left)
    project.decide_edit(conflict["what"], "alt", "ours", conflict["seen"], kind="asset")
    project.done("import")
    assert text(project) == "Plate 1"


def test_texts_repeated_in_meta_data_follow_ours_and_are_no_edit(stage: Stage) -> None:
    """The copy of the old text would keep a rollback from deleting the file."""
    sent: list[object] = []

    async def watch(call: Call, answer: Next) -> Reply:
        if call.method == "PUT" and re.search(r"/assets/\d+$", call.path):
            sent.append(call.document()["asset"])
        return await answer(call)

    project = stage(watch)
    project.done("import")
    for asset in project.space.assets.values():
        asset.body["meta_data"] = {"alt": asset.body["alt"], "title": "", "source": ""}
    describe(project, "ours")
    project.done("import")
    meta = {"alt": "ours", "title": "", "source": ""}
    assert sent == [{"alt": "ours", "meta_data": meta}]
    project.verified()
    planned = project.done("rollback", "--plan", "--json").document
    assert planned["left"] == []
    project.space.assets[own(project)].body["meta_data"]["alt__i18n__fr"] = "un lieu"
    (left,) = project.done("rollback", "--plan", "--json").document["left"]
    assert left["fields"] == ["meta_data"]
