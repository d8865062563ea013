"""`cmsmig decisions`: differences in words, a check for CI, and merges by real git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from cmsmig.mapping.decisions.body_reviews import BodyKey, BodyReview
from cmsmig.mapping.decisions.choices import BlocksDecision
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_merge import ATTRIBUTES
from cmsmig.steps.decide.decision_store import change_decision, decision_in
from tests.support.cli.bad_input import Rig
from tests.support.planted import found_running, plant
from tests.support.rehearsal import Ended, run_here


@dataclass(frozen=True)
class Clone:
    """A project folder in a git repository, decided with every body split."""

    folder: Path

    def git(self, *arguments: str, code: int = 0) -> str:
        """Run git and insist on its exit code."""
        ended = subprocess.run(
            ["git", "-C", self.folder, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout

    def commit(self, message: str) -> None:
        """Commit the decisions."""
        self.git("add", "decisions", ".gitattributes")
        self.git("commit", "-qm", message)

    def run(self, *arguments: str) -> Ended:
        """Run a command of `cmsmig decisions`."""
        return run_here("--project", str(self.folder), "decisions", *arguments)

    def said(self, *arguments: str, code: int = 1) -> list[str]:
        """Return the lines of `decisions diff`, which has to end with `code`."""
        ended = self.run("diff", *arguments)
        assert ended.code == code, ended.err
        return ended.out.splitlines()

    @property
    def blocks(self) -> BlocksDecision:
        """Return `blocks.yaml` as it is now."""
        found = decision_in(Project(self.folder), BlocksDecision)
        assert found is not None
        return found

    def review(self, by: str, at: str, *keys: BodyKey) -> None:
        """Take these bodies' blocks as they are, one by one, as notebook 03 does."""

        def change(decision: BlocksDecision) -> BlocksDecision:
            taken: dict[BodyKey, BodyReview] = {
                key: replace(decision.reviews[key], by=by, at=at, how="individually")
                for key in keys
            }
            return replace(
                decision,
                reviews={**decision.reviews, **taken},
                reviewed=Reviewed(by, at, "individually"),
            )

        change_decision(Project(self.folder), BlocksDecision, change)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text in a decision file by hand."""
        path = self.folder / "decisions" / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))


@pytest.fixture(scope="module")
def split(rig_of_module: Rig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project whose bodies are split, each accepted in bulk."""
    rig_of_module.done(
        *("decide", "--accept-proposals", "--overwrite", "--reviewer", "Bo"),
        *("--split", "headings"),
    )
    return rig_of_module.folder


@pytest.fixture(scope="module")
def rig_of_module(whole: Rig, tmp_path_factory: pytest.TempPathFactory) -> Rig:
    """Return a pulled project for this module alone."""
    folder = tmp_path_factory.mktemp("split") / "project"
    shutil.copytree(whole.folder.parent / "decided", folder)
    for path in folder.glob("raw/*/*.json"):
        # Something to split at.
        text = path.read_text().replace("<p>Text ", "<p>Top</p><h2>Part</h2><p>Text ")
        path.write_text(text)
    return replace(whole, folder=folder)


@pytest.fixture
def clone(split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """Return a repository with the split project in its first commit."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.com")
    folder = tmp_path / "project"
    shutil.copytree(split, folder)
    made = Clone(folder)
    made.git("init", "-q", "-b", "main")
    (folder / ".gitattributes").touch()
    made.commit("decided")
    return made


def two_branches(clone: Clone, ada: list[BodyKey], eve: list[BodyKey]) -> None:
    """Have Ada and Eve review, each on a branch of her own."""
    for name, at, keys in (
        ("Ada", "2026-11-20T10:00:00+00:00", ada),
        ("Eve", "2026-11-21T10:00:00+00:00", eve),
    ):
        clone.git("checkout", "-q", "-b", name, "main")
        clone.review(name, at, *keys)
        clone.commit(f"{name} reviewed")
    clone.git("checkout", "-q", "main")
    clone.git("merge", "-q", "Ada")


def test_reviews_of_two_people_merge(clone: Clone) -> None:
    """Neighbours in the file: both are kept and reported, no other entry changes."""
    keys = sorted(clone.blocks.reviews)
    assert len(keys) == 5
    before = clone.blocks
    installed = clone.run("merge", "--install")
    assert installed.code == 0, installed.err
    clone.commit("merged by what they decide")
    two_branches(clone, keys[:2], keys[2:4])
    clone.git("merge", "-q", "-m", "both", "Eve")
    after = clone.blocks
    assert [after.reviews[key].by for key in keys] == ["Ada", "Ada", "Eve", "Eve", "Bo"]
    assert after.reviewed is not None
    assert after.reviewed.by == "Eve"
    assert after.bodies == before.bodies
    assert (clone.folder / "decisions" / "blocks.yaml").read_text().count("<<<") == 0
    assert clone.run("check").code == 0
    assert clone.said("HEAD~3", "HEAD") == [
        "blocks.yaml accepted individually by Eve",
        "2 bodies of Notes reviewed one by one by Ada",
        "2 bodies of Notes reviewed one by one by Eve",
    ]
    assert clone.said("Ada", "HEAD")[-1].endswith(
        "2 bodies of Notes reviewed one by one by Eve"
    )


def test_lines_alone_would_not_merge(clone: Clone) -> None:
    """Without the driver git finds a conflict, and the check reports it."""
    keys = sorted(clone.blocks.reviews)
    two_branches(clone, keys[:1], keys[1:2])
    clone.git("merge", "-q", "-m", "both", "Eve", code=1)
    ended = clone.run("check")
    assert ended.code == 2
    assert "blocks.yaml" in ended.err


def test_one_body_decided_otherwise_by_both_waits_for_a_person(clone: Clone) -> None:
    """The same body with other blocks is marked; what only one decided is merged."""
    clone.run("merge", "--install")
    clone.commit("merged by what they decide")
    first, second, *_ = sorted(clone.blocks.reviews)
    for name, by in (("Ada", "Ada"), ("Eve", "Eve")):
        clone.git("checkout", "-q", "-b", name, "main")
        clone.review(by, "2026-11-20T10:00:00+00:00", first)
        _set_kind(clone, first, name)
        if name == "Ada":
            clone.review(by, "2026-11-20T10:00:00+00:00", second)
        clone.commit(name)
    clone.git("checkout", "-q", "Eve")
    clone.git("merge", "-q", "-m", "both", "Ada", code=1)
    text = (clone.folder / "decisions" / "blocks.yaml").read_text()
    assert (text.count("<<<<<<< ours"), text.count(">>>>>>> theirs")) == (1, 1)
    ours, _, rest = text.partition("<<<<<<< ours")[2].partition("=======")
    assert 'by: "Eve"' in ours
    assert 'by: "Ada"' in rest.partition(">>>>>>> theirs")[0]
    assert 'by: "Ada"' in rest.partition(">>>>>>> theirs")[2]


def _set_kind(clone: Clone, key: BodyKey, name: str) -> None:
    def change(decision: BlocksDecision) -> BlocksDecision:
        review = decision.reviews[key]
        rules = {"Ada": "1 headings:2", "Eve": "1 headings:3"}[name]
        return replace(
            decision, reviews={**decision.reviews, key: replace(review, rules=rules)}
        )

    change_decision(Project(clone.folder), BlocksDecision, change)


@pytest.mark.parametrize(
    ("name", "old", "new", "stated"),
    [
        (
            "design.yaml",
            "encoding: text\n",
            "encoding: number\n",
            "Line of Spots becomes a number",
        ),
        (
            "design.yaml",
            "display_name: Line\n",
            "display_name: Words\n",
            "Words of Spots: display name Words, was Line",
        ),
        (
            "collections.yaml",
            "primary: false\n    migrate: true",
            "primary: false\n    migrate: false",
            "French (France) dropped",
        ),
        (
            "collections.yaml",
            "\n    drafts: as_drafts",
            "\n    drafts: skip",
            "Notes: drafts skip, was as_drafts",
        ),
        ("embeds.yaml", "video: component", "video: link", "embeds of the kind video"),
        ("blocks.yaml", "mode: blocks", "mode: one_richtext", "text of Notes kept as"),
        ("collections.yaml", "by: Bo", "by: Ada", "accepted in bulk by Ada"),
    ],
)
def test_a_decision_is_reported_in_words(
    clone: Clone, name: str, old: str, new: str, stated: str
) -> None:
    """Since the last commit: one sentence, exit 1; and none for what stays: exit 0."""
    assert clone.said(code=0) == ["no decision differs"]
    clone.edit(name, old, new)
    (line,) = clone.said()
    assert stated in line
    assert clone.run("diff", "--json").document == {"differences": [line]}
    assert clone.said("HEAD", "HEAD", code=0) == ["no decision differs"]
    kept = clone.folder.parent / "kept"
    shutil.copytree(clone.folder / "decisions", kept)
    clone.commit("decided otherwise")
    assert clone.said("HEAD~1") == [line]
    assert clone.said("HEAD~1", str(kept)) == [line]
    assert clone.said(str(kept), str(clone.folder), code=0)


@pytest.mark.parametrize("named", ["nowhere", "--output=x", "HEAD:decisions"])
def test_what_is_no_revision_is_refused(clone: Clone, named: str) -> None:
    """One sentence; git is handed no option."""
    ended = clone.run("diff", "--", named)
    assert ended.code == 2
    assert "neither a folder nor a revision" in ended.err
    assert not (clone.folder / "x").exists()


def _unlink(folder: Path) -> None:
    (folder / "decisions" / "design.yaml").unlink()


def _break(folder: Path) -> None:
    (folder / "decisions" / "embeds.yaml").write_text("kinds: [\n")


def _open(folder: Path) -> None:
    path = folder / "decisions" / "blocks.yaml"
    path.write_text(path.read_text().replace('by: "Bo"', 'by: ""', 1))


@pytest.mark.parametrize("pulled", [True, False])
@pytest.mark.parametrize(
    ("harm", "code", "said"),
    [
        (_unlink, 3, "design.yaml is missing"),
        (_break, 2, "embeds.yaml"),
        (_open, 3, "1 body waits for a review"),
    ],
)
def test_a_check_for_ci_needs_neither_token_nor_pull(
    clone: Clone, harm: Callable[[Path], None], code: int, said: str, pulled: bool
) -> None:
    """Whole: 0. Missing or open: 3. Malformed: 2. In one sentence."""
    (clone.folder / ".env").unlink(missing_ok=True)
    if not pulled:
        shutil.rmtree(clone.folder / "raw")
    whole = clone.run("check")
    assert whole.code == 0, whole.err
    assert ("not pulled here" in whole.out) is not pulled
    assert clone.run("check", "--json").document["reviews"] == 5
    harm(clone.folder)
    ended = clone.run("check")
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_merge_runs_nothing_of_the_tree(clone: Clone) -> None:
    """Not of a branch with modules of our names; an older driver is renewed first."""
    keys = sorted(clone.blocks.reviews)
    old = f"{sys.executable} -m cmsmig.cli decisions merge %O %A %B %P"
    clone.git("config", "merge.cmsmig.driver", old)
    (clone.folder / ".gitattributes").write_text(ATTRIBUTES)
    clone.commit("merged by what they decide")
    two_branches(clone, keys[:2], keys[2:4])
    plant(clone.folder)
    renewed = clone.run("diff", "HEAD", "HEAD")
    assert renewed.code == 0
    assert "was renewed" in renewed.err
    clone.git("merge", "-q", "-m", "both", "Eve")
    assert found_running(clone.folder) == []
    assert [clone.blocks.reviews[key].by for key in keys[:4]] == ["Ada"] * 2 + [
        "Eve"
    ] * 2
    driver = clone.git("config", "merge.cmsmig.driver")
    assert clone.run("diff", "HEAD", "HEAD").err == ""
    assert clone.run("merge", "--install").code == 0
    installed = clone.git("config", "merge.cmsmig.driver")
    assert "-P -m cmsmig.cli decisions merge -- %O" in installed
    assert driver.replace(" merge ", " merge -- ") == installed
