"""A decided project with its sandbox, and every way to look at both from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cmsmig.sandbox.destination.space import StoredStory
from tests.support.rehearsal import Rehearsal
from tests.support.sandbox.history import Entry


@dataclass(frozen=True)
class StagedProject(Rehearsal):
    """One project, one space."""

    @property
    def space(self) -> Any:
        return self.handle.state.space

    def plan(self) -> dict:
        return self.done("plan", "--json").document

    def status(self) -> dict:
        return self.done("status", "--json").document

    def verified(self) -> None:
        """Insist that everything read back is as it was decided."""
        found = self.run("verify", "--json")
        assert (found.code, found.document["differences"]) == (0, [])
        assert found.document["kept"] == []
        violations = self.handle.state.recorder.violations
        assert violations == [], violations

    def codes(self) -> list[str]:
        """Return the codes of what a verification finds, which ends with 4."""
        found = self.run("verify", "--json")
        assert found.code == 4, found.out + found.err
        return sorted({each["code"] for each in found.document["differences"]})

    def kept(self) -> list[dict]:
        """Return the edits that a verification lists as kept and nothing else."""
        found = self.run("verify", "--json")
        assert (found.code, found.document["differences"]) == (0, [])
        return found.document["kept"]

    # the ledger, as plain SQL sees it

    def rows(self, query: str, *values: object) -> list[tuple]:
        # A connection that may write would take away the log of a killed run.
        path = (self.folder / "ledger.sqlite").as_uri()
        with closing(sqlite3.connect(f"{path}?mode=ro", uri=True)) as db:
            return [tuple(row) for row in db.execute(query, values)]

    def doctor(self, statement: str, *values: object) -> None:
        """Change the ledger by hand: what a killed run would have left."""
        with closing(sqlite3.connect(self.folder / "ledger.sqlite")) as db, db:
            db.execute(statement, values)

    def open_intents(self) -> list[tuple[str, str]]:
        return self.rows("SELECT kind, subject FROM intent WHERE outcome IS NULL")

    def outcome(self, full_slug: str) -> tuple:
        """Return status, reason and link state of the item at a path."""
        (found,) = self.rows(
            "SELECT status, reason, link_state FROM item WHERE full_slug = ?", full_slug
        )
        return found

    # the space, as its history and its records show it

    def since(self, number: int = 0) -> list[Entry]:
        entries = self.handle.state.recorder.entries
        return [each for each in entries if each.number > number]

    def mark(self) -> int:
        return self.handle.state.recorder.arrivals

    def count(self, route: str, since: int = 0) -> int:
        return sum(1 for each in self.since(since) if each.route == route)

    def calls(self, since: int = 0) -> int:
        """Return how many requests drew on the destination's budget."""
        return sum(1 for each in self.since(since) if each.quota)

    def stories(self) -> dict[str, StoredStory]:
        return {
            self.space.full_slug(each): each
            for each in self.space.stories.values()
            if each.deleted_at is None and not each.is_folder
        }

    def folders(self) -> list[str]:
        return sorted(
            self.space.full_slug(each)
            for each in self.space.stories.values()
            if each.deleted_at is None and each.is_folder
        )

    def components(self) -> list[str]:
        return sorted(str(each["name"]) for each in self.space.components.values())

    # what an editor does meanwhile

    def edit(self, full_slug: str, **changes: object) -> None:
        """Save a story with some of its content changed."""
        story = self.stories()[full_slug]
        content = {**story.content, **changes}
        self.api("PUT", f"/stories/{story.story_id}", {"story": {"content": content}})

    def delete(self, full_slug: str) -> None:
        self.api("DELETE", f"/stories/{self.stories()[full_slug].story_id}")

    def datasource(self, slug: str, *entries: str) -> None:
        """Make a datasource as an editor would, with entries of these labels."""
        body = {"name": slug.title(), "slug": slug}
        made = self.api("POST", "/datasources", {"datasource": body})["datasource"]
        for label in entries:
            entry = {"datasource_id": made["id"], "name": label, "value": label}
            self.api("POST", "/datasource_entries", {"datasource_entry": entry})

    def entries(self) -> list[str]:
        """Return the labels of all datasource entries."""
        return [each["name"] for each in self.space.entries.values()]

    # what a person decides

    def decide(self, name: str, old: str, new: str) -> None:
        """Edit a decision file as a person would, in one place or several."""
        path = self.folder / "decisions" / name
        text = path.read_text()
        assert old in text, text
        path.write_text(text.replace(old, new))

    def decide_about(self, part: str, **record: str) -> None:
        """Add a decision to a part of `conflicts.yaml`, before the others."""
        decide_about(self.folder, part, **record)


Stage = Callable[..., StagedProject]


def decide_about(project: Path, part: str, **record: str) -> None:
    """Add a decision to a part of a project's `conflicts.yaml`, before the others."""
    path = project / "decisions" / "conflicts.yaml"
    body = yaml.safe_load(path.read_text()) or {}
    body[part] = [record, *(body.get(part) or ())]
    path.write_text(yaml.safe_dump(body, sort_keys=False))


def exactly_one_of_everything(project: StagedProject) -> None:
    """Insist on one story per item, one folder, component and asset per thing."""
    existing = project.rows("SELECT story_id FROM items WHERE story_id IS NOT NULL")
    there = [each.story_id for each in project.stories().values()]
    assert sorted(row[0] for row in existing) == sorted(there)
    uids = [each.content["_uid"] for each in project.stories().values()]
    assert len(set(uids)) == len(uids)
    assert len(set(project.folders())) == len(project.folders())
    assert len(set(project.components())) == len(project.components())
    externals = [each.body["ext_id"] for each in project.space.assets.values()]
    assert len(set(externals)) == len(externals)
    assert all(each.data is not None for each in project.space.assets.values())
    assert sorted(externals) == sorted(
        row[0]
        for row in project.rows("SELECT ext_id FROM asset WHERE status = 'proven'")
    )
    assert project.open_intents() == []
    counts = project.status()["accounting"]
    assert counts["in"] == sum(counts[name] for name in counts if name != "in")
