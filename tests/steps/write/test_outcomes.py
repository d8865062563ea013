"""Tags, publication, files and languages, changed by us, by them and by both.

Fields, bodies, names and slugs of stories are in `test_three_way`; components and
datasources in `test_schema_edits`; folders in `test_folders`. docs/ledger.md has the
whole table.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from tests.support.rehearsal import Ended, Rehearsal, write_env
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import StagedProject

OUTCOMES = ("ours", "theirs", "alike", "otherwise")
FILES = {each: f"spot-{n}.jpg" for n, each in enumerate(OUTCOMES, start=1)}
TITLED = "spot-5.jpg"
"""Gets a title and a focus there, and another text at the origin."""
FRENCH = {
    each: f"fr/notes/la-note-{n}"
    for each, n in zip(OUTCOMES, (1, 3, 5, 7), strict=True)
}
PUBLIC = {
    "ours": "notes/note-2",
    "theirs": "spots/spot-1",
    "alike": "notes/note-4",
    "otherwise": "notes/note-6",
}
TAGGED = {
    "theirs": "notes/note-8",
    "alike": "notes/note-10",
    "otherwise": "notes/note-12",
}
"""Tagged there; ours writes another name, and in the last one they write one, too."""


@dataclass(frozen=True)
class Played:
    """All of it, played once."""

    staged: StagedProject
    before: dict[str, dict[str, Any]]
    """The assets after the first import, by name."""
    plan: dict[str, Any]
    changes: dict[str, Any]
    ended: Ended
    mark: int
    differences: list[dict[str, Any]]
    """What verification found afterwards."""


def assets(staged: StagedProject) -> dict[str, dict[str, Any]]:
    """Return the records of all assets, by the name of their file."""
    return {
        each.key.rpartition("/")[2]: {**each.body, "id": each.asset_id}
        for each in staged.space.assets.values()
    }


def save_file(staged: StagedProject, name: str, **texts: str) -> None:
    """Save an asset's record as an editor would."""
    own = assets(staged)[name]["id"]
    staged.api("PUT", f"/assets/{own}", {"asset": texts})


def save_story(staged: StagedProject, path: str, **record: object) -> None:
    own = staged.stories()[path].story_id
    staged.api("PUT", f"/stories/{own}", {"story": record})


def change_there(staged: StagedProject) -> None:
    """Do what editors do."""
    save_file(staged, FILES["theirs"], alt="theirs")
    save_file(staged, FILES["alike"], alt="alike")
    save_file(staged, FILES["otherwise"], alt="theirs")
    save_file(staged, TITLED, title="A title", focus="1x1:2x2")
    save_story(staged, FRENCH["theirs"], name="theirs")
    save_story(staged, FRENCH["alike"], name="alike")
    save_story(staged, FRENCH["otherwise"], name="theirs")
    for path in (PUBLIC["theirs"], PUBLIC["alike"]):
        staged.api("GET", f"/stories/{staged.stories()[path].story_id}/publish")
    staged.edit(PUBLIC["otherwise"], about="")
    for path in TAGGED.values():
        save_story(staged, path, tag_list=["by hand"])
    save_story(staged, TAGGED["otherwise"], name="theirs")


def change_here(staged: StagedProject) -> None:
    """Do what editors of the origin do, and decide to publish the notes."""
    names = {
        FRENCH["ours"]: "ours",
        FRENCH["alike"]: "alike",
        FRENCH["otherwise"]: "ours",
        PUBLIC["otherwise"]: "ours",
        TAGGED["alike"]: "ours",
        TAGGED["otherwise"]: "ours",
    }
    by_slug = {path.rpartition("/")[2]: name for path, name in names.items()}
    alts = {FILES[each]: each for each in ("ours", "alike")}
    alts |= {FILES["otherwise"]: "ours", TITLED: "ours"}

    def change(item: Item) -> Item:
        data = item["fieldData"]
        data["name"] = by_slug.get(data["slug"], data["name"])
        picture = data.get("picture") or {"url": ""}
        for name, alt in alts.items():
            if picture["url"].endswith(name):
                picture["alt"] = alt
        return item

    edit_items(staged, change)
    path = staged.folder / "decisions" / "collections.yaml"
    notes, mark, spots = path.read_text().partition("- collection: spots")
    notes = notes.replace("publish: nothing", "publish: what_is_live")
    path.write_text(notes + mark + spots)


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
    small_site: Path,
    decided_project: Callable[[Path], Path],
) -> Iterator[Played]:
    """Import, change both sides, import again."""
    folder = tmp_path_factory.mktemp("outcomes")
    with running_sandbox(SandboxOptions(content=small_site, rate=500)) as handle:
        project = folder / "project"
        shutil.copytree(decided_project(small_site), project)
        write_env(project, environment_file_text(dict(handle.announcement), 500))
        staged = StagedProject(Rehearsal(handle, project, folder / "state"))
        staged.done("import")
        before = assets(staged)
        change_there(staged)
        change_here(staged)
        changes = staged.done("changes", "--json").document
        plan, mark = staged.plan(), staged.mark()
        ended = staged.run("import")
        found = staged.run("verify", "--json").document["differences"]
        yield Played(staged, before, plan, changes, ended, mark, found)


def named(played: Played, kind: str) -> dict[str, str]:
    """Return the fields that wait for a decision, by what they are of."""
    listed = played.plan["edit_conflicts"]
    return {each["what"]: each["field"] for each in listed if each["kind"] == kind}


def sent(played: Played, path: str) -> list[str]:
    """Return what the import asked for about one story, but for lists."""
    own = played.staged.stories()[path].story_id
    asked = played.staged.since(played.mark)
    return [
        each.route
        for each in asked
        if each.path.split("/stories/")[-1].split("/")[0] == str(own)
    ]


@pytest.mark.parametrize(
    ("outcome", "alt"),
    [
        ("ours", "ours"),
        ("theirs", "theirs"),
        ("alike", "alike"),
        ("otherwise", "theirs"),
    ],
)
def test_an_alternative_text(played: Played, outcome: str, alt: str) -> None:
    """By us alone: written. By them: kept, and verification names it."""
    name = FILES[outcome]
    assert assets(played.staged)[name]["alt"] == alt != played.before[name]["alt"]
    assert (name in named(played, "asset")) == (outcome == "otherwise")
    left = {each["subject"] for each in played.differences if each["where"] == "alt"}
    assert (name in left) == (outcome in ("theirs", "otherwise"))
    for where, moved in (
        ("origin", outcome != "theirs"),
        ("destination", outcome != "ours"),
    ):
        listed = played.changes[where]
        found = [each for each in listed if each["what"] == f"file {name}"]
        assert [each["field"] for each in found] == ["alt"] * moved


def test_nothing_else_of_a_file_is_sent(played: Played) -> None:
    """A title and a focus stay; one read and one write for each text of ours."""
    titled = assets(played.staged)[TITLED]
    assert (titled["alt"], titled["title"], titled["focus"]) == (
        "ours",
        "A title",
        "1x1:2x2",
    )
    for route, call in (("update asset", "update_assets"), ("asset", "compare_assets")):
        assert (
            played.staged.count(route, played.mark) == played.plan["calls"][call] == 2
        )
    assert "there it is `theirs`" in played.ended.err + played.ended.out
    assert played.ended.code == 1


@pytest.mark.parametrize(
    ("outcome", "name"),
    [
        ("ours", "ours"),
        ("theirs", "theirs"),
        ("alike", "alike"),
        ("otherwise", "theirs"),
    ],
)
def test_a_story_of_one_language(played: Played, outcome: str, name: str) -> None:
    """As any other story, and the item's other language is not touched."""
    path = FRENCH[outcome]
    assert played.staged.stories()[path].name == name
    waits = path in named(played, "story")
    assert waits == (outcome == "otherwise")
    assert ("update story" in sent(played, path)) == (outcome == "ours")
    english = path.replace("fr/", "").replace("la-", "")
    assert "update story" not in sent(played, english)


@pytest.mark.parametrize(
    ("outcome", "public", "calls", "code"),
    [
        ("ours", True, 1, ""),
        ("theirs", True, 0, "published_unasked"),
        ("alike", True, 0, ""),
        ("otherwise", False, 0, "not_published"),
    ],
)
def test_a_publication(
    played: Played, outcome: str, public: bool, calls: int, code: str
) -> None:
    """Otherwise: an editor is at work on it, so that visitors do not get to see it."""
    story = played.staged.stories()[PUBLIC[outcome]]
    assert (story.published_content is not None) == public
    assert sent(played, PUBLIC[outcome]).count("publish story") == calls
    path = f"`{PUBLIC[outcome]}`"
    left = [each for each in played.differences if each["where"] == "published"]
    codes = [each["code"] for each in left if path in each["text"]]
    assert codes == ([code] if code else [])


@pytest.mark.parametrize("outcome", TAGGED)
def test_a_tag(played: Played, outcome: str) -> None:
    """An import writes none: theirs stay, whatever else is written, and never wait."""
    path = TAGGED[outcome]
    story = played.staged.stories()[path]
    assert story.body["tag_list"] == ["by hand"]
    assert story.name == {"theirs": "Note 8", "alike": "ours"}.get(outcome, "theirs")
    waiting = [each for each in played.plan["edit_conflicts"] if each["what"] == path]
    assert [each["field"] for each in waiting] == ["name"] * (outcome == "otherwise")


def test_decisions_end_what_waits(played: Played) -> None:
    """`ours` writes over their text; then nothing is left to send."""
    staged = played.staged
    for each in played.plan["edit_conflicts"]:
        staged.decide_edit(
            each["what"], each["field"], "ours", each["seen"], kind=each["kind"]
        )
    staged.run("import")
    assert assets(staged)[FILES["otherwise"]]["alt"] == "ours"
    assert staged.stories()[FRENCH["otherwise"]].name == "ours"
    assert staged.done("import", "--json").document["writes"] == 0
    assert staged.plan()["edit_conflicts"] == []
