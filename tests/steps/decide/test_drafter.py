"""Drafts are made once: every step reads what the first one made of the same."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from uuid import UUID

import pytest

from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.draft import DraftContext
from cmsmig.origin.schema import Field
from cmsmig.richtext.blocks.block_runs import Block
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SAMPLE
from cmsmig.settings import Project, Settings, load_settings
from cmsmig.steps.decide.drafter import Drafter, DraftOrder, DraftStore, make_drafts
from cmsmig.steps.decide.migration import Migration, open_migration
from tests.support.mapping.drafting import draft_story
from tests.support.rehearsal import Rehearsal
from tests.support.steps.split_site import write_split_site
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)

COUNTED = """\
def rule(tag):
    print("asked")
"""
READING = """\
from pathlib import Path

def rule(tag):
    Path({path!r}).read_text()
"""
NAMED = 'richtext.rules = "rules.py"'


@pytest.fixture
def site(
    decided_project: Callable[[Path], Path], small_site: Path, tmp_path: Path
) -> Project:
    """Return a project of a site in two languages that was pulled and decided."""
    folder = tmp_path / "site"
    shutil.copytree(decided_project(small_site), folder)
    for path in folder.glob("derived*"):
        path.unlink()
    return Project(folder)


def settings_of(project: Project) -> Settings:
    return load_settings(project, dict(os.environ))


def kept(migration: Migration, context: DraftContext) -> list[StoryDraft]:
    """Return all stories, by way of what is kept of their drafts."""
    found = [migration.story(key, context) for key in migration.items]
    migration.drafter.store.flush()
    return [unmarked(each) for each in found]


def direct(migration: Migration, context: DraftContext) -> list[StoryDraft]:
    """Return all stories, made as if nothing was ever kept."""
    types = {each.collection_id: each for each in migration.design.content_types}
    return [
        unmarked(draft_story(item, types[item.key.collection_id], context))
        for item in migration.items.values()
    ]


def unmarked(story: StoryDraft | str | None) -> StoryDraft:
    """Return a story without what holds marks."""
    assert isinstance(story, StoryDraft), story
    return replace(story, draft=replace(story.draft, made_of="", mentions=()))


def drawn(migration: Migration, draw: random.Random) -> DraftContext:
    """Return a context in which some files are there, some failed, some got new
    addresses, and some alt texts are others."""
    assets: dict[str, UploadedAsset] = {}
    missing: dict[str, str] = {}
    for address in sorted({use.address for use in migration.files.uses}):
        if draw.random() < 0.7:
            number = draw.randrange(1000)
            name = f"https://a.storyblok.com/f/1/{number}/a&b {number}.jpg"
            assets[address] = UploadedAsset(number, name)
        else:
            missing[address] = f"It failed {draw.randrange(3)} times."
    context = migration.context(assets, missing)
    alts = {name: f"{alt} {draw.randrange(2)}" for name, alt in context.alts.items()}
    return replace(context, alts=alts)


def facts(migration: Migration, context: DraftContext) -> list[bytes]:
    """Return what plans use of all drafts, without their content."""
    drafts = [migration.item_draft(each.item, context) for each in migration.selected]
    return [each.as_bytes() for each in drafts if isinstance(each, ItemDraft)]


def test_what_plans_use_is_of_the_same_draft(site: Project) -> None:
    """Drafts that were kept before files came and went are not used."""
    draw = random.Random(1)
    migration = open_migration(site, settings_of(site))
    contexts = [drawn(migration, draw) for _ in range(2)]
    found = [facts(migration, each) for each in contexts]
    migration.drafter.store.flush()
    for context, expected in zip(contexts, found, strict=True):
        for path in site.root.glob("derived*"):
            path.unlink()
        assert facts(open_migration(site, settings_of(site)), context) == expected
    assert len({b"".join(each) for each in found}) == len(contexts)


@pytest.mark.parametrize("seed", range(2))
def test_what_is_kept_is_what_is_made(site: Project, seed: int) -> None:
    """Whatever became of the files meanwhile, with the file open, closed or new."""
    draw = random.Random(seed)
    migration = open_migration(site, settings_of(site))
    for _ in range(4):
        context = drawn(migration, draw)
        wanted = direct(migration, context)
        assert wanted
        assert kept(migration, context) == wanted
        assert kept(migration, context) == wanted
        again = open_migration(site, settings_of(site))
        assert kept(again, context) == wanted


def test_drafts_made_side_by_side_are_the_same(
    sample_migration: Migration, tmp_path: Path
) -> None:
    """Every one of them is kept, and read as if one process had made it."""
    context = drawn(sample_migration, random.Random(3))
    store = DraftStore(
        DerivedFile(tmp_path / "derived.sqlite"), sample_migration.namespace
    )
    migration = replace(sample_migration, drafter=Drafter(store, ""))
    types = {each.collection_id: each for each in migration.design.content_types}
    items = [each.item for each in migration.selected]
    pairs = [(item, types[item.key.collection_id]) for item in items]
    migration.drafter.make_ahead(pairs, context, least=1)
    store.flush()
    assert {*rows(tmp_path)} == {str(item.key) for item in items}
    before = rows(tmp_path)
    assert kept(migration, context) == direct(migration, context)
    assert rows(tmp_path) == before


def test_a_process_that_dies_loses_nothing(
    sample_migration: Migration, tmp_path: Path
) -> None:
    """What it would have made is made when it is asked for."""
    context = drawn(sample_migration, random.Random(4))
    types = {each.collection_id: each for each in sample_migration.design.content_types}
    orders = [
        DraftOrder(item, types[item.key.collection_id], "0" * 64)
        for item in (each.item for each in sample_migration.selected)
    ]
    before = set(active_children())
    made = make_drafts(orders * 4, context, processes=2)
    assert next(made).key == orders[0].item.key
    for child in set(active_children()) - before:
        child.kill()
    assert len(list(made)) < 4 * len(orders) - 1
    store = DraftStore(
        DerivedFile(tmp_path / "derived.sqlite"), sample_migration.namespace
    )
    migration = replace(sample_migration, drafter=Drafter(store, ""))
    assert kept(migration, context) == direct(migration, context)


def limited(field: Field) -> Field:
    """Return a field that takes no number that anybody wrote."""
    return replace(field, validations={**field.validations, "minValue": 10**12})


OTHERS: dict[str, Callable[[DraftContext], DraftContext]] = {
    "time zone": lambda context: replace(
        context, site=replace(context.site, time_zone="Pacific/Pago_Pago")
    ),
    "embeds": lambda context: replace(
        context, embeds=replace(context.embeds, embed_component="frame")
    ),
    "file hosts": lambda context: replace(context, file_hosts=frozenset()),
    "namespace": lambda context: replace(context, namespace=str(UUID(int=1))),
    "schemas": lambda context: replace(
        context,
        collections={
            name: replace(each, fields=tuple(map(limited, each.fields)))
            for name, each in context.collections.items()
        },
    ),
}


@pytest.fixture(scope="module")
def sample_migration(
    decided_project: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Migration:
    """Return the sample's migration, its drafts kept as its settings are."""
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(decided_project(SAMPLE), folder / "site")
    project = Project(folder / "site")
    return open_migration(project, settings_of(project))


@pytest.mark.parametrize("other", OTHERS)
def test_what_all_items_share_counts(sample_migration: Migration, other: str) -> None:
    """Each part of it changes some draft, so each change makes drafts again."""
    migration = sample_migration
    context = drawn(migration, random.Random(1))
    first = kept(migration, context)
    changed = OTHERS[other](context)
    # One drafter is for one such context: the next one has its own.
    drafter = Drafter(migration.drafter.store, "")
    wanted = direct(migration, changed)
    assert wanted != first == direct(migration, context)
    assert kept(replace(migration, drafter=drafter), changed) == wanted


def test_a_body_that_is_divided_otherwise_is_made_again(
    rehearse: Callable[..., Rehearsal], tmp_path: Path
) -> None:
    """Blocks of one body merged by hand; the design says nothing of it."""
    write_split_site(tmp_path / "split")
    staged = rehearse(SandboxOptions(content=tmp_path / "split"))
    staged.done("pull")
    staged.done(
        "decide", "--accept-proposals", "--reviewer", "A", "--split", "headings"
    )
    project = Project(staged.folder)
    migration = open_migration(project, settings_of(project))
    context = drawn(migration, random.Random(1))
    divided = kept(migration, context)
    merged = {
        key: [Block(BlockKind.TEXT, sum(each.nodes for each in blocks))]
        for key, blocks in context.blocks.items()
    }
    other = replace(context, blocks=merged)
    assert direct(migration, other) != divided == direct(migration, context)
    assert kept(migration, other) == direct(migration, other)


def test_files_of_a_changed_item_are_found_again(
    decided_project: Callable[[Path], Path], small_site: Path, tmp_path: Path
) -> None:
    """What is kept of uses and uploads is what would be found without it."""
    folder = tmp_path / "site"
    shutil.copytree(decided_project(small_site), folder)
    project = Project(folder)

    def found(*, afresh: bool) -> tuple[object, ...]:
        for path in folder.glob("derived*") if afresh else ():
            path.unlink()
        files = open_migration(project, settings_of(project)).files
        return list(files.uses), files.uploads, files.missing, files.alts

    first = found(afresh=True)
    assert found(afresh=False) == first
    assert first[1]
    address = first[1][0].addresses[0]
    for path in (folder / "raw").glob("*/*.json"):
        if path.parent.name in ("items", "live"):
            text = path.read_text()
            path.write_text(text.replace(address, f"{address}?other", 1))
    changed = found(afresh=False)
    assert changed != first
    assert found(afresh=True) == changed


def test_files_found_side_by_side_are_the_same(
    sample_migration: Migration, tmp_path: Path
) -> None:
    """What is kept of each item is what one process keeps; what is kept is left."""
    uses = sample_migration.files.uses
    assert len({use.key for use in uses}) > 20

    def found(folder: Path, *, ahead: bool) -> list[tuple[int, str, str, str]]:
        folder.mkdir(exist_ok=True)
        here = replace(uses, derived=DerivedFile(folder / "derived.sqlite"))
        if ahead:
            here.find_ahead(least=1)
        else:
            assert list(here) == list(uses)
        with closing(sqlite3.connect(folder / "derived.sqlite")) as db:
            return db.execute("SELECT rowid, * FROM file_use ORDER BY rowid").fetchall()

    alone = found(tmp_path / "alone", ahead=False)
    assert len(alone) == len(uses.items)
    side_by_side = found(tmp_path / "side by side", ahead=True)
    assert side_by_side == alone
    assert found(tmp_path / "side by side", ahead=True) == alone
    with closing(sqlite3.connect(tmp_path / "side by side" / "derived.sqlite")) as db:
        db.execute("DELETE FROM file_use WHERE rowid = 5")
        db.commit()
    again = found(tmp_path / "side by side", ahead=True)
    assert [each[1:] for each in again if each[0] > len(alone)] == [alone[4][1:]]


def rows(folder: Path) -> dict[str, tuple[int, str]]:
    """Return when each item's draft was written, as a number, and of what."""
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db:
        found = db.execute("SELECT key, id, print FROM draft").fetchall()
    return {key: (number, made_of) for key, number, made_of in found}


def test_a_changed_item_is_made_again_and_no_other(stage: Stage) -> None:
    """The others are read, by a plan, an import and a verification."""
    staged = stage()
    staged.plan()
    before = rows(staged.folder)
    assert len(before) == 6
    (path,) = (staged.folder / "raw" / "items").glob("*.json")
    text = path.read_text()
    live = staged.folder / "raw" / "live" / path.name
    changed = json.loads(text)["items"][2]
    old = json.dumps(changed["fieldData"]["name"])
    for each in (path, live):
        each.write_text(each.read_text().replace(old, '"Another name"'))
    staged.plan()
    after = rows(staged.folder)
    assert [key for key in before if before[key] != after[key]] == [
        key for key in before if changed["id"] in key
    ]
    staged.done("import")
    exactly_one_of_everything(staged)
    staged.verified()
    assert rows(staged.folder) == after


def test_what_a_plan_converted_is_not_converted_again(stage: Stage) -> None:
    """Until the project's own rules change, in no command."""
    staged = stage(settings=NAMED)
    (staged.folder / "rules.py").write_text(COUNTED)
    first = staged.done("plan").err.count("asked")
    assert first > 0
    steps = ("plan", "import", "plan", "import", "verify")
    later = [staged.done(each).err.count("asked") for each in steps]
    assert later == [0] * len(steps)
    (staged.folder / "rules.py").write_text(COUNTED + "# changed\n")
    assert staged.done("plan").err.count("asked") == first


def test_what_a_rule_missed_is_looked_for_again(stage: Stage) -> None:
    """A rule may fail for what is not in its file: its failure is not kept."""
    staged = stage(settings=NAMED)
    needed = staged.folder / "needed.txt"
    (staged.folder / "rules.py").write_text(READING.format(path=str(needed)))
    assert staged.plan()["losses_by_kind"]["custom-rule"] > 0
    needed.write_text("there")
    assert "custom-rule" not in staged.plan()["losses_by_kind"]


def test_a_busy_file_is_not_needed(stage: Stage) -> None:
    """Another program holds it, and the migration continues."""
    staged: StagedProject = stage()
    planned = staged.plan()
    with closing(sqlite3.connect(staged.folder / "derived.sqlite")) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert staged.plan() == planned
